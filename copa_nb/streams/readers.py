"""What tables are read in pieces from: each reader is a function registered below, which opens one kind of source."""

from __future__ import annotations

import glob
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.tables.frames import read_frame, rows_between, stacked
from copa_nb.tables.objectives import RowsOmittedWarning

# The column that a condition becomes, which the engine evaluates next to those that are read.
ALLOWED = "(allowed)"
_SHOWN = 5  # files that a message names
# What programs leave for themselves, such as ".ipynb_checkpoints" and "_temporary", begins with one of these.
_HIDDEN = (".", "_")
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc"}


@dataclass(frozen=True, eq=False)
class Opened:
    """A source that can be read in pieces.

    Parameters
    ----------
    empty : frame of any library
        The table without rows.
    read : callable
        Gives frames that follow each other: ``read(columns, condition, n_rows)``. `columns` is None for all of them;
        a `condition` adds the column "(allowed)"; frames have about `n_rows` rows.
    engine : object, optional
        What a function in `where` is called with; None if nothing but text can be evaluated.
    evaluates : callable
        Whether the engine can evaluate a condition.
    in_kind : bool
        Whether rows go back as frames of the engine rather than pandas'.
    repeatable : bool
        Whether the source can be read more than once.
    n_rows : int, optional
        Rows, where they are known unread.
    version : callable, optional
        Returns what changes whenever the rows do, such as the times of files; None where only reading shows it.
    """

    empty: Any
    read: Callable[[Sequence[Any] | None, Any, int], Iterator[Any]]
    engine: Any = None
    evaluates: Callable[[Any], bool] = lambda condition: False
    in_kind: bool = True
    repeatable: bool = True
    n_rows: int | None = None
    version: Callable[[], Any] | None = None


Reader = Callable[[Any], Opened]
# By what tells that a source is of this kind; the first that applies reads it.
READERS: list[tuple[Callable[[Any], bool], Reader]] = []


def reader(applies: Callable[[Any], bool]) -> Callable[[Reader], Reader]:
    """Register a function that opens one kind of source."""

    def register(function: Reader) -> Reader:
        READERS.append((applies, function))
        return function

    return register


def open_source(source: Any) -> Opened:
    """Open a source with the first reader that applies to it."""
    for applies, function in READERS:
        if applies(source):
            return function(source)
    raise TypeError(
        f"`source` is {type(source).__name__}, which cannot be read in pieces; allowed are a Parquet file, folder or "
        "glob, a polars LazyFrame, a pyarrow Dataset, a DuckDB relation, an Arrow stream, a list or an iterator of "
        "frames, and a function that returns one of these. For a Dask DataFrame, import copa_nb.dask."
    )


def _is_of(library: str, *names: str) -> Callable[[Any], bool]:
    """Tell objects of a library, without importing it."""
    return lambda source: any(
        base.__module__.partition(".")[0].lstrip("_") == library and base.__name__ in names
        for base in type(source).__mro__
    )


@reader(lambda source: isinstance(source, str | os.PathLike))
def _files(source: str | os.PathLike[str]) -> Opened:
    name = os.fspath(source)
    places = _places(name)
    if not places or not all(place.exists() for place in places):
        raise FileNotFoundError(f"`source` is {name!r}, but there is no such file or folder.")
    found = [file for place in places for file in (_visible_files(place) if place.is_dir() else [place])]
    files, others = [file for file in found if _format(file)], [file for file in found if not _format(file)]
    # A file that was named, or that a glob matches, is asked for; others in a folder are passed over.
    asked_for = [file for file in others if file in places]
    if asked_for or not files:
        wrong = [] if places == asked_for[:1] else asked_for or others
        raise ValueError(
            f"`source` is {name!r}{', with ' * bool(wrong)}{_shown(wrong)}; a table in pieces is read from Parquet "
            "(.parquet) or Arrow files (.arrow, .feather). Other files are read by an engine, e.g. "
            "copa_nb.scan(polars.scan_csv('runs/*.csv'))."
        )
    formats = {_format(file): file for file in files}
    if len(formats) > 1:
        raise ValueError(
            f"`source` is {name!r}, with files of two formats: {_shown(formats.values())}. Name those of one format: "
            "copa_nb.scan('runs/*.parquet')."
        )
    if others:
        warnings.warn(
            f"`source` is {name!r}: {_shown(others)} {'was' if len(others) == 1 else 'were'} passed over; only Parquet "
            "(.parquet) and Arrow files (.arrow, .feather) are read.",
            RowsOmittedWarning,
            stacklevel=checks.callers_level(),
        )
    dataset = _united(_arrow().dataset.dataset(
        [os.fspath(file) for file in files], format=next(iter(formats)), partitioning="hive",
        partition_base_dir=name if Path(name).is_dir() else None,
    ))  # fmt: skip
    opened = _dataset(dataset)
    return replace(
        opened, read=partial(_naming_files, dataset, opened.read), in_kind=False, n_rows=dataset.count_rows(),
        version=lambda: [(stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in map(os.stat, files)],
    )  # fmt: skip


def is_in_pieces(name: str) -> bool:
    """Whether a path is a glob, or a folder, of Parquet or Arrow files.

    Examples
    --------
    >>> is_in_pieces("runs/*.parquet"), is_in_pieces("models.csv")
    (True, False)
    """
    if Path(name).exists():
        return Path(name).is_dir() and any(map(_format, _visible_files(Path(name))))
    return glob.has_magic(name) and bool(_format(Path(name)))


def _format(file: Path) -> str:
    return _FORMATS.get(file.suffix.lower(), "")


def _shown(files: Iterable[Path]) -> str:
    return checks.listed([file.name for file in files], _SHOWN)


def _places(name: str) -> list[Path]:
    """Files and folders that a name stands for."""
    if not glob.has_magic(name) or Path(name).exists():
        return [Path(name)]
    # A glob matches "_temporary" only if it says so, as it matches hidden files.
    written = [part for part in Path(name).parts if part.startswith(_HIDDEN)]
    return [
        path
        for path in map(Path, sorted(glob.glob(name, recursive=True)))
        if not any(
            part.startswith(_HIDDEN) and not any(fnmatch(part, pattern) for pattern in written) for part in path.parts
        )
    ]


def _visible_files(folder: Path) -> list[Path]:
    """Files below a folder, without those that programs leave there for themselves, such as "_temporary/"."""
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(part.startswith(_HIDDEN) for part in file.relative_to(folder).parts)
    ]


def _united(dataset: Any) -> Any:
    """Return a dataset whose columns have the types that the values of all its files fit in.

    Raises
    ------
    ValueError
        If files differ in their columns, or in types that nothing unites; it names two such files.
    """
    pa = _arrow()
    fragments = list(dataset.get_fragments())
    first, *others = fragments
    schema = first.physical_schema
    for other in others:
        further = other.physical_schema
        for one, two in ((first, other), (other, first)):
            extra = [name for name in one.physical_schema.names if name not in two.physical_schema.names]
            if extra:
                raise ValueError(
                    f"`source`: {one.path!r} has {checks.listed(extra)}, which {two.path!r} lacks; all files need the "
                    "same columns. An engine fills such columns with missing values: "
                    "copa_nb.scan(polars.scan_parquet(files, missing_columns='insert', extra_columns='ignore'))."
                )
        try:
            schema = pa.unify_schemas([schema, further], promote_options="permissive")
        except pa.ArrowTypeError as error:
            raise ValueError(
                f"`source`: the columns of {other.path!r} have types that do not fit those of the files before it, "
                f"such as {first.path!r}. {error}. Write them with one type."
            ) from error
    of_folders = [field for field in dataset.schema if field.name not in schema.names]
    return pa.dataset.FileSystemDataset(
        fragments, pa.schema([*schema, *of_folders], schema.metadata), dataset.format, dataset.filesystem
    )


def _naming_files(dataset: Any, read: Callable[..., Iterator[Any]], *wanted: Any) -> Iterator[Any]:
    """Read files, and name the one that cannot be read: of several, pyarrow does not say which."""
    pa = _arrow()
    try:
        yield from read(*wanted)
    except pa.ArrowInvalid as error:
        for fragment in dataset.get_fragments():
            try:
                deque(fragment.to_batches(schema=dataset.schema), maxlen=0)
            except pa.ArrowInvalid as of_file:
                raise ValueError(f"`source`: {fragment.path!r} cannot be read. {of_file}") from error
        raise


@reader(_is_of("pyarrow", "Dataset"))
def _dataset(dataset: Any) -> Opened:
    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        names = dataset.schema.names if columns is None else columns
        wanted: Any = list(names)
        if condition is not None:
            wanted = {name: _arrow().dataset.field(name) for name in names} | {ALLOWED: condition}
        # Threads of pyarrow read on, without bound, while verbs compute in threads of their own.
        batches = dataset.to_batches(
            columns=wanted, batch_size=n_rows, batch_readahead=1, fragment_readahead=1, use_threads=False
        )
        return _together(map(_as_table, batches), n_rows)

    return Opened(dataset.schema.empty_table(), read, dataset, _is_of("pyarrow", "Expression"))


@reader(_is_of("polars", "LazyFrame"))
def _lazy_frame(query: Any) -> Opened:
    if not hasattr(query, "collect_batches"):
        raise ImportError("a LazyFrame is read in pieces by polars 1.34 and later: pip install 'polars>=1.34'")

    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        chosen = query if columns is None else query.select([*columns])
        if condition is not None:
            # Evaluated where all columns are, of which some need not be read into pieces.
            chosen = query.with_columns(condition.alias(ALLOWED))
            chosen = chosen if columns is None else chosen.select([*columns, ALLOWED])
        return _together(chosen.collect_batches(chunk_size=n_rows, maintain_order=True), n_rows)

    return Opened(query.head(0).collect(), read, query, _is_of("polars", "Expr"))


@reader(_is_of("duckdb", "DuckDBPyRelation"))
def _relation(relation: Any) -> Opened:
    _arrow()

    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        import duckdb

        names = relation.columns if columns is None else columns
        further = [] if condition is None else [condition.alias(ALLOWED)]
        chosen = relation.select(*[duckdb.ColumnExpression(name) for name in names], *further)
        batches = getattr(chosen, "to_arrow_reader", chosen.fetch_record_batch)(n_rows)
        return _together(map(_as_table, batches), n_rows)

    return Opened(relation.limit(0).to_arrow_table(), read, relation, _is_of("duckdb", "Expression"))


@reader(lambda source: isinstance(source, pd.DataFrame) or _is_of("polars", "DataFrame")(source)
        or _is_of("pyarrow", "Table")(source))  # fmt: skip
def _frame(frame: Any) -> Opened:
    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        chosen = select(frame, columns)
        return (rows_between(chosen, start, start + n_rows) for start in range(0, max(len(frame), 1), n_rows))

    return Opened(rows_between(frame, 0, 0), read, in_kind=not isinstance(frame, pd.DataFrame), n_rows=len(frame),
                  version=lambda: 0)  # fmt: skip


@reader(lambda source: callable(source) and not hasattr(source, "__arrow_c_stream__"))
def _function(function: Callable[[], Any]) -> Opened:
    first = open_source(function())
    # Opened again for every pass, since the first may be one that is read once.
    return Opened(first.empty, lambda *wanted: open_source(function()).read(*wanted), in_kind=first.in_kind)


@reader(lambda source: hasattr(source, "__arrow_c_stream__"))
def _arrow_stream(stream: Any) -> Opened:
    batches = _arrow().RecordBatchReader.from_stream(stream)

    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        return (select(table, columns) for table in _together(map(_as_table, batches), n_rows))

    return Opened(batches.schema.empty_table(), read, repeatable=False)


@reader(lambda source: isinstance(source, Iterable))
def _frames(frames: Iterable[Any]) -> Opened:
    again = not isinstance(frames, Iterator)
    iterator = iter(frames)
    first = next(iterator, None)
    if first is None:
        raise ValueError("`source` has no frames; there is nothing to read.")
    rest = [first]

    def all_frames() -> Iterator[Any]:
        if again:
            yield from frames
            return
        # The first frame is let go of, too, once it is read.
        yield rest.pop()
        yield from iterator

    def read(columns: Sequence[Any] | None, condition: Any, n_rows: int) -> Iterator[Any]:
        return (select(_as_frame(frame), columns) for frame in all_frames())

    empty = rows_between(_as_frame(first), 0, 0)
    return Opened(empty, read, in_kind=not isinstance(empty, pd.DataFrame), repeatable=again)


def _arrow() -> Any:
    """Import pyarrow, which only tables that are read in pieces need."""
    checks.optional("pyarrow.dataset", "reading a table in pieces", checks.PARQUET)
    import pyarrow

    return pyarrow


def select(frame: Any, columns: Sequence[Any] | None) -> Any:
    """Return some columns of a frame of any library."""
    if columns is None:
        return frame
    return frame[[*columns]] if isinstance(frame, pd.DataFrame) else frame.select([*columns])


def _as_table(batch: Any) -> Any:
    return _arrow().Table.from_batches([batch])


def _as_frame(value: Any) -> Any:
    """One frame of an iterator as a frame of pandas, polars or pyarrow."""
    if _is_of("pyarrow", "RecordBatch")(value):
        return _as_table(value)
    foreign = read_frame(value)
    return checks.frame(value, "source") if foreign is None else foreign.native


def _together(frames: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Put small frames together until there are enough rows."""
    waiting: list[Any] = []
    for frame in frames:
        waiting.append(frame)
        if sum(map(len, waiting)) >= n_rows:
            yield stacked(waiting)
            waiting = []
    if waiting:
        yield stacked(waiting)
