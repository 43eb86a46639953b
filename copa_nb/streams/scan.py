"""Tables that one machine reads in pieces: from files, queries, streams and iterators."""

from __future__ import annotations

__all__ = ["Scan", "scan"]

import contextlib
import inspect
import json
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.arrays.parallel import map_ahead
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import KEEP
from copa_nb.ranking.arrays.criterion import weighted_norm
from copa_nb.ranking.normalize import HOW, normalizer_from
from copa_nb.ranking.populations import Reference
from copa_nb.streams import decisions, gaps, items, runs
from copa_nb.streams.batches import ROWS_IN_MEMORY, Batches, Merge, Piece, Plan, Table, ask, refuse, refuse_bounds
from copa_nb.streams.passes import (
    ByGroup,
    Gathered,
    check_all,
    gather,
    gather_rows,
    merge_groups,
    places_of,
    warn_omitted,
    without_rows,
)
from copa_nb.streams.readers import ALLOWED, Opened, open_source, select
from copa_nb.streams.unchanged import RowSums, row_sums, summed
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import define, with_system, words_among
from copa_nb.tables.frames import read_frame, rows_at, stacked
from copa_nb.tables.objectives import ATTRS_KEY, Objectives, spelled

_ROWS = 500_000  # of a piece: 16 MB for four objectives
_BULKY = 150_000  # of a piece whose rows are kept
_MERGED = 8  # results of pieces that are merged at a time
_SHOWN = 6  # columns that an error names
_INSTEAD = {
    "layers": "call `layers(1)` for the first layer, and `layers` on the rows of `front`, or on a sample",
    "posets": "the relations need items × groups only: aggregate first, in the engine",
}
_DEFAULT = (
    "aggregate or sample it in its engine first, or read it if it fits into memory: table.to_pandas().moo(...).{verb}()"
)


class Scan(Batches):
    """A table that is read in pieces, whenever a function passes over it; see :func:`scan`.

    Every function that runs in passes is a method of ``moo``: ``front``, ``layers(1)``,
    ``copa``, ``hypervolume``, ``normalize``, ``gap``, ``board``, ``confident_front``,
    ``compare``, ``hv_test``, and ``audit`` of named claims.

    Parameters
    ----------
    source : Opened
        From :func:`copa_nb.streams.readers.open_source`.
    system : str, optional
        The column that names the rows.
    described : dict, optional
        Words that say what the columns are; by default those that a Parquet file keeps.
    batch_rows : int
        Rows that are read at a time.
    progress : bool
        Whether to show a bar with rows per second.
    rows_in_memory : int
        Rows that functions may hold that need several together.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> table = copa_nb.scan([models[:2], models[2:]])
    >>> table
    <Scan: 2 columns, no objectives defined>
    >>> table.moo(accuracy="max", co2_kg="min").copa().best
    'b'
    """

    def __init__(
        self,
        source: Opened,
        system: str | None = None,
        described: Mapping[str, Any] | None = None,
        batch_rows: int = _ROWS,
        progress: bool = False,
        rows_in_memory: int = ROWS_IN_MEMORY,
    ) -> None:
        self._source = source
        self._system = system
        self._batch_rows = checks.integer("batch_rows", batch_rows)
        self._progress = progress
        self.rows_in_memory = checks.integer("rows_in_memory", rows_in_memory, least=0)
        self._version = source.version() if source.version else None
        # What earlier passes have read, by columns.
        self._seen: dict[tuple[Hashable, ...], RowSums] = {}
        self._passes = 0
        self._empty = self._labeled(source.empty, 0).iloc[:0]
        words = dict(described or _stored_words(source.empty))
        if words:
            self._empty = define(self._empty, words.pop("objectives", None), **words)

    @property
    def empty(self) -> pd.DataFrame:
        """The table without rows: columns, dtypes and directions."""
        return self._empty

    @property
    def columns(self) -> list[Hashable]:
        """Names of the columns, without the one that names the rows."""
        return list(self._empty.columns)

    @property
    def _is_read_again_at_ease(self) -> bool:
        """Whether the source can be opened again."""
        return self._source.repeatable

    def named_by(self, system: Any) -> Scan:
        """The same table with rows that are named by one of its columns."""
        # What tells items and runs apart is said of rows that keep their columns.
        described = {word: self._empty.attrs.get(ATTRS_KEY, {}).get(word) for word in ("objectives", "known", "log")}
        words = {word: value for word, value in described.items() if value}
        return Scan(self._source, system, words, self._batch_rows, self._progress, self.rows_in_memory)

    def answer(self, verb: str, described: DescribedFrame, **options: Any) -> Any:
        """Answer a function of the table in passes.

        Raises
        ------
        WholeTableNeededError
            If the function needs all rows at once.
        """
        if verb not in _VERBS:
            refuse(verb, _INSTEAD, _DEFAULT)
        found = _VERBS[verb](self, described, **options)
        return replace(found, scanned=self) if isinstance(found, decisions.PartitionedSelection) else found

    def condition(self, where: Any, by: Any = None) -> Any:
        """Return a constraint as an expression that the engine evaluates.

        Raises
        ------
        TypeError
            For a constraint that the engine cannot evaluate.
        """
        engine = self._source.engine
        if engine is None:
            raise TypeError(
                f"`where` is {type(where).__name__}, but a table that is read in pieces from frames takes an "
                'expression: where="latency_ms <= 50".'
            )
        found = where(engine) if inspect.isroutine(where) or isinstance(where, partial) else where
        if not self._source.evaluates(found):
            raise TypeError(
                f"`where` gives {type(found).__name__}, which {type(engine).__name__} cannot evaluate; give an "
                'expression in text, where="latency_ms <= 50", or one of the engine, such as polars.col("latency_ms") '
                "<= 50."
            )
        return found

    def check_passes(self, passes: int) -> None:
        """Refuse more passes than the source can be read.

        Raises
        ------
        ValueError
            If the source can be read once only.
        """
        if not self._source.repeatable and self._passes + passes > 1:
            raise ValueError(
                "`source` can be read once, but this takes two passes; pass a function that opens it, "
                "copa_nb.scan(lambda: ...), or write it to a Parquet file first."
            )

    def reduce(
        self,
        table: Table,
        function: Callable[..., Any],
        *arguments: Any,
        merge: Merge,
        whole: bool = False,
        bulky: bool = False,
    ) -> Any:
        """Make one pass: read ahead, apply the function in threads, merge in the order of the rows.

        With `whole`, pieces have all columns as well, in the kind of the engine. Where results are `bulky`, as large as
        pieces, these are smaller, and no result waits to be merged.
        """
        names = self._names(table)
        masked = [] if table.mask is None else [ALLOWED]
        sums: list[RowSums] = []

        def apply(numbered: tuple[int, int, Any]) -> Any:
            number, start, native = numbered
            frame = self._labeled(select(native, [*names, *masked]) if whole else native, start)
            mask = frame.pop(ALLOWED) if masked else None
            sums.append(self._row_sums(frame, start))
            rows = partial(self._rows, native, start) if whole else None
            return function(Piece(number, frame, mask, rows), *arguments)

        held: list[Any] = []
        most, n_rows = (1, min(_BULKY, self._batch_rows)) if bulky else (_MERGED, self._batch_rows)
        with contextlib.closing(self._natives(None if whole else names, table.mask, n_rows)) as natives:
            for result in map_ahead(apply, natives):
                held.append(result)
                if len(held) > most:
                    held = [merge(held)]
        self._check_unchanged(names, sums)
        return held[0] if len(held) == 1 else merge(held)

    def pieces(self, table: Table) -> Iterator[Piece]:
        """Read the columns that matter, piece by piece."""
        return (Piece(number, frame) for number, frame in self._numbered(self._names(table)))

    def _names(self, table: Table) -> list[Hashable]:
        return table.columns if self._system is None else [self._system, *table.columns]

    def back(self, values: pd.Series) -> Any:
        """Return one value per row in the kind of the engine."""
        foreign = read_frame(self._source.empty) if self._source.in_kind else None
        return values if foreign is None else foreign.back(values)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Read the table piece by piece as pandas frames."""
        return (frame for _, frame in self._numbered(None))

    def _numbered(self, columns: list[Hashable] | None) -> Iterator[tuple[int, pd.DataFrame]]:
        """Read the table piece by piece as numbered pandas frames."""
        sums: list[RowSums] = []
        for number, start, native in self._natives(columns, None):
            frame = self._labeled(native, start)
            sums.append(self._row_sums(frame, start))
            yield number, frame
        self._check_unchanged(columns or self.columns, sums)

    def _row_sums(self, frame: pd.DataFrame, start: int) -> RowSums:
        """Sums that tell whether another pass reads the same rows; only their number where that is known otherwise."""
        if self._source.version is not None or not self._source.repeatable:
            return RowSums(len(frame))
        return row_sums(frame, start)

    def _check_version(self) -> None:
        """Refuse files that were written again since they were opened.

        Raises
        ------
        ValueError
            If there is such a file.
        """
        if self._source.version is not None and self._source.version() != self._version:
            raise ValueError("`source` has changed since it was opened: its files were written again. Scan it again.")

    def _check_unchanged(self, columns: list[Hashable], sums: list[RowSums]) -> None:
        """Refuse a source that gave other rows to an earlier pass.

        Raises
        ------
        ValueError
            If the source has changed.
        """
        self._check_version()
        found = summed(sums)
        first = next(iter(self._seen.values()), found)
        if first.n_rows != found.n_rows:
            raise ValueError(
                f"`source` had {first.n_rows:,} rows at first and {found.n_rows:,} now; it must not change, and give "
                "the same rows whenever it is read."
            )
        if self._seen.setdefault(tuple(columns), found) != found:
            are_named = self._system is not None or isinstance(self._source.empty, pd.DataFrame)
            in_order = (
                " Rows without names must come in the same order, too; name the column that tells them apart, e.g. "
                'copa_nb.scan(source, system="model").'
            )
            raise ValueError(
                f"`source` gives other values of {checks.listed(columns, _SHOWN)} now than when it was first read; it "
                "must not change, and give the same rows whenever it is read. Write it to a Parquet file first, and "
                f"scan that.{'' if are_named else in_order}"
            )

    def to_pandas(self) -> pd.DataFrame:
        """Read the whole table into memory."""
        frame = stacked(list(self.frames()))
        frame.attrs = dict(self._empty.attrs)
        return frame

    def to_parquet(self, path: str | Path) -> Path:
        """Write the table to a Parquet file piece by piece; an interrupted write leaves no part of it.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        return _write(self.frames(), path)

    def __repr__(self) -> str:
        rows = "" if self._source.n_rows is None else f"{self._source.n_rows:,} rows × "
        known = self._empty.attrs.get(ATTRS_KEY, {}).get("objectives")
        described = ", ".join(Objectives.of(known).labels) if known else "no objectives defined"
        return f"<Scan: {rows}{len(self.columns)} columns, {described}>"

    def write_scores(self, choice: Any, path: str | Path) -> Path:
        """Write the score and the normalized values of every row; see :meth:`PartitionedSelection.to_parquet`."""
        policy = "omit" if choice.n_omitted else "worst"
        described = DescribedFrame.of(self.empty, choice.objectives, nan_policy=policy)
        placed = normalize(self, described, method=choice.normalize, reference=choice.reference)
        weights = np.array(list(choice.weights.values()))

        def scored(frame: pd.DataFrame) -> pd.DataFrame:
            scores = {"score": weighted_norm(frame.to_numpy(), weights, choice.p)}
            return pd.DataFrame(scores | {f"u_{name}": frame[name].to_numpy() for name in frame}, index=frame.index)

        return _write(map(scored, placed.frames()), path)

    def _natives(
        self, columns: list[Hashable] | None, mask: Any, n_rows: int | None = None
    ) -> Generator[tuple[int, int, Any], None, None]:
        """Read pieces in the kind of the engine, each with its number and the number of its first row."""
        self.check_passes(1)
        self._check_version()
        self._passes += 1
        start = 0
        with contextlib.ExitStack() as stack:
            bar = stack.enter_context(_bar(self._source.n_rows)) if self._progress else None
            for number, native in enumerate(self._source.read(columns, mask, n_rows or self._batch_rows)):
                yield number, start, native
                start += len(native)
                if bar is not None:
                    bar.update(len(native))

    def _rows(self, native: Any, start: int, positions: np.ndarray) -> Any:
        """Return some rows of a piece with all columns, in the kind in which rows go back."""
        rows = rows_at(native, positions)
        if self._source.in_kind:
            return rows
        frame = self._labeled(rows, start)
        if self._system is None and not isinstance(native, pd.DataFrame):
            frame.index = pd.Index(start + positions)
        return frame

    def _labeled(self, native: Any, start: int) -> pd.DataFrame:
        """Return rows as pandas; called by their column, by pandas' index, or by their numbers in the table."""
        foreign = read_frame(native)
        frame: pd.DataFrame = native.copy(deep=False) if foreign is None else foreign.pandas
        if self._system is not None:
            checks.column_position(frame, self._system, "system")
            return frame.set_index(self._system)
        if foreign is not None:
            frame.index = pd.RangeIndex(start, start + len(frame))
        return frame


def scan(
    source: Any,
    objectives: Mapping[Any, str] | None = None,
    /,
    *,
    system: str | None = None,
    batch_rows: int = _ROWS,
    progress: bool = False,
    rows_in_memory: int = ROWS_IN_MEMORY,
    **words: Any,
) -> Scan:
    """Open a table that may be larger than memory; functions read it piece by piece and answer exactly.

    Parameters
    ----------
    source : path, query, stream or frames
        A Parquet or Arrow file, a folder or a glob of them, in which names that begin with "." or "_" are not read,
        and files of other formats are named in a warning; a polars LazyFrame; a pyarrow Dataset; a DuckDB relation,
        such as ``duckdb.sql("...")``; a list of frames; a function that returns one of these or an iterator; or what
        can be read once, for functions that take one pass: an Arrow stream or an iterator of frames.
    objectives : mapping of column to {"max", "min"}, optional
        Directions.
    system : str, optional
        The column that names the rows. By default, rows of pandas frames keep their index, and others are numbered
        from 0.
    batch_rows : int
        Rows that are read at a time. Peak memory is a few times that of such a piece, plus the rows that can win.
    progress : bool
        Whether to show a bar with rows per second.
    rows_in_memory : int
        Rows that ``board``, ``confident_front`` and ``compare`` may hold, which need all rows of an item
        together. Of more, the first two keep sums over the items, if these are at least 10,000, and test under random
        normal weights of the items in place of random signs, as for many items in memory.
    **words
        Directions as keywords, ``accuracy="max"``, and words that say what other columns are, ``item="task"``; see
        ``df.moo.define()``. Parquet files that pandas wrote from a described frame describe themselves.

    Returns
    -------
    Scan

    Raises
    ------
    TypeError, ValueError, FileNotFoundError
        For a source that cannot be read in pieces.

    See Also
    --------
    copa_nb.read : Read a table into memory.

    Examples
    --------
    >>> import pandas as pd, copa_nb, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> models = pd.DataFrame({"model": list("abc"), "accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]})
    >>> models[:2].to_parquet(folder / "1.parquet")
    >>> models[2:].to_parquet(folder / "2.parquet")
    >>> table = copa_nb.scan(folder, system="model", accuracy="max", co2_kg="min")
    >>> table
    <Scan: 3 rows × 2 columns, accuracy ↑, co2_kg ↓>
    >>> copa_nb.moo(table).front().index.tolist(), copa_nb.moo(table).copa().best
    (['a', 'b'], 'b')
    """
    opened = open_source(source)
    roles, others = words_among(words)
    roles, system = with_system(roles, system)
    described = _stored_words(opened.empty) | roles
    directions = spelled(objectives, others)
    if directions:
        described["objectives"] = directions
    return Scan(opened, system, described, batch_rows, progress, rows_in_memory)


def _stored_words(empty: Any) -> dict[str, Any]:
    """What a Parquet file says of its columns: pandas writes the attrs of a frame into the schema."""
    metadata = getattr(getattr(empty, "schema", None), "metadata", None) or {}
    attrs = json.loads(metadata.get(b"PANDAS_ATTRS", b"{}"))
    found: dict[str, Any] = attrs.get(ATTRS_KEY, {})
    return found


# ------------------------------------------------------------------------------ verbs whose answer is rows of the table


def front(frame: Scan, described: DescribedFrame, *, keep: str = "all") -> Any:
    """Return the Pareto-optimal rows with all columns, in one pass; see ``df.moo.front()``."""
    checks.one_of("keep", keep, KEEP)
    refuse_bounds(described)
    table = ask(frame, described, contenders=partial(nondominated, keep=keep))
    groups: ByGroup = frame.reduce(table, gather, table.plan, merge=partial(merge_groups, plan=table.plan), whole=True)
    warn_omitted(check_all(without_rows(groups), table.plan))
    places = np.concatenate([gathered.places for gathered in groups.values()])
    rows = rows_at(stacked([gathered.rows for gathered in groups.values()]), np.lexsort(places.T[::-1]))
    if not frame._source.in_kind:
        rows.attrs = dict(frame.empty.attrs)
    return rows


def layers(frame: Scan, described: DescribedFrame, most: int | None = None) -> Any:
    """Mark the rows of the front, in one pass; see ``df.moo.layers()``. Eight bytes a row are in memory."""
    if most != 1:
        refuse("layers", _INSTEAD, _DEFAULT)
    refuse_bounds(described)
    table = ask(frame, described, contenders=nondominated)
    labels: dict[int, pd.Index] = {}

    def gathered(piece: Piece, plan: Plan) -> ByGroup:
        labels[piece.number] = piece.frame.index
        return without_rows(gather(piece, plan))

    groups = frame.reduce(table, gathered, table.plan, merge=partial(merge_groups, plan=table.plan))
    places = places_of(groups, table.plan)
    index = [labels[number] for number in range(len(labels))]
    starts = np.cumsum([0, *map(len, index)])
    numbers = np.full(starts[-1], 2, dtype=np.int64)
    numbers[starts[places[:, 0]] + places[:, 1]] = 1
    return frame.back(pd.Series(numbers, index=index[0].append(index[1:]), name="layer"))


# --------------------------------------------------------------------------------------------- every row on one scale


def normalize(frame: Scan, described: DescribedFrame, *, method: str = "cdf", reference: Any = None) -> Scan:
    """Put the objectives on a common scale; see ``df.moo.normalize()``.

    One pass, and another whenever the answer is read, which is as long as the table: ``to_pandas()``,
    ``to_parquet(path)``. Ranks keep the sorted objectives in memory, eight bytes a value; other scales keep nothing.
    """
    checks.one_of("method", method, HOW)
    frame.check_passes(2)
    table = ask(frame, described, reference=reference)
    plan, frozen = table.plan, reference if isinstance(reference, Reference) else None
    groups: ByGroup = gather_rows(table)
    warn_omitted(check_all(groups, plan))
    ranked = method == "cdf" and frozen is None and plan.reference_row is None
    columns = _sorted_columns(table) if ranked else {}

    def scale_of(gathered: Gathered, group: Hashable) -> Callable[[np.ndarray], np.ndarray]:
        if ranked:
            return partial(_shares, columns[group])
        if frozen is not None and method == "cdf":
            return partial(_shares, frozen.population(plan.objectives).T)
        population = (
            np.stack([gathered.ideal, gathered.nadir]) if frozen is None else frozen.population(plan.objectives)
        )
        baseline = None if plan.reference_row is None else (plan.reference_row, gathered.reference_rows)
        return normalizer_from(plan.objectives, method, population, baseline)

    scales = {group: scale_of(gathered, group) for group, gathered in groups.items() if gathered.n_kept}

    def read(wanted: Any, condition: Any, n_rows: int) -> Iterator[pd.DataFrame]:
        for piece in frame.pieces(table):
            costs, _, complete = plan.read(piece.frame)
            placed = np.full(costs.shape, np.nan)
            for group, rows in plan.groups(piece.frame).items():
                kept = rows[complete[rows]]
                # A group that is new says that the source has changed, which is refused once the pass is over.
                if len(kept) and group in scales:
                    placed[kept] = scales[group](costs[kept])
            yield select(pd.DataFrame(placed, index=piece.frame.index, columns=plan.objectives.names), wanted)

    empty = pd.DataFrame(np.empty((0, len(plan.objectives))), columns=plan.objectives.names, index=frame.empty.index)
    ways = dict.fromkeys(plan.objectives.names, "min")
    return Scan(Opened(empty, read, in_kind=False, n_rows=frame._source.n_rows), None, {"objectives": ways})


def _sorted_columns(table: Table) -> dict[Hashable, np.ndarray]:
    """Costs of every group, one objective after the other, each in ascending order."""

    def costs_of(piece: Piece, plan: Plan) -> dict[Hashable, list[np.ndarray]]:
        costs, _, complete = plan.read(piece.frame)
        return {group: [costs[rows[complete[rows]]]] for group, rows in plan.groups(piece.frame).items()}

    def together(parts: list[dict[Hashable, list[np.ndarray]]]) -> dict[Hashable, list[np.ndarray]]:
        groups = dict.fromkeys(group for part in parts for group in part)
        return {group: [one for part in parts for one in part.get(group, [])] for group in groups}

    parts = table.reduce(costs_of, merge=together)
    found = {}
    for group in list(parts):
        costs = parts.pop(group)
        found[group] = np.stack(
            [np.sort(np.concatenate([one[:, k] for one in costs])) for k in range(costs[0].shape[1])]
        )
    return found


def _shares(columns: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Share of the population that is strictly better (COPA, equation 9), from its sorted columns."""
    better = [np.searchsorted(column, values, side="left") for column, values in zip(columns, costs.T, strict=True)]
    shares: np.ndarray = np.stack(better, axis=1) / columns.shape[1]
    return shares


def _write(frames: Iterator[pd.DataFrame], path: str | Path) -> Path:
    """Write frames to one Parquet file, whole or not at all."""
    pa = checks.optional("pyarrow", "writing Parquet", checks.PARQUET)
    from pyarrow import parquet

    target = Path(path)
    partial_file = target.with_name(target.name + ".part")
    try:
        with contextlib.ExitStack() as stack:
            writer = None
            for frame in frames:
                named = frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex)
                content = pa.Table.from_pandas(frame, preserve_index=named, schema=writer and writer.schema)
                writer = writer or stack.enter_context(parquet.ParquetWriter(partial_file, content.schema))
                writer.write_table(content)
        partial_file.replace(target)
    finally:
        partial_file.unlink(missing_ok=True)
    return target


def _bar(n_rows: int | None) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=n_rows, unit=" rows", unit_scale=True, leave=False)


_IN_PASSES: tuple[Callable[..., Any], ...] = (
    front, layers, normalize, decisions.copa, decisions.hypervolume,
    runs.hv_test, runs.audit, gaps.gap, items.board, items.confident_front, items.compare,
)  # fmt: skip
_VERBS = {verb.__name__: verb for verb in _IN_PASSES}
