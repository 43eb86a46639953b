"""Tables of other libraries: read through narwhals on the way in, given back in kind on the way out.

Everything between works on pandas; no other module knows narwhals, and it is imported when such a table first comes.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from copa_nb import checks

AnyVerb = TypeVar("AnyVerb", bound=Callable[..., Any])

# Numbers of at most this many digits keep their differences in float64; longer ones stay, and the gate refuses them.
EXACT_DIGITS = 15
# From pandas 3 on, text is kept as Arrow keeps it where pyarrow is installed: nothing is to be converted.
_TEXT_IS_ARROW = int(pd.__version__.split(".")[0]) >= 3 and importlib.util.find_spec("pyarrow") is not None
_FRAMES = ("frame", "result")
# Tables without rows before they are read; their verbs run in passes.
_LAZY = {("polars", "LazyFrame"), ("pyarrow", "Dataset"), ("pyarrow", "FileSystemDataset"), ("pyarrow", "UnionDataset"),
         ("pyarrow", "InMemoryDataset"), ("pyarrow", "RecordBatchReader"), ("dask", "DataFrame")}  # fmt: skip


class InPieces(ABC):
    """A table that is read in pieces, and answers verbs itself; see :mod:`copa_nb.streams`."""

    # The verbs as methods; :mod:`copa_nb.accessor` supplies it, as to frames of pandas.
    moo: Any

    @property
    @abstractmethod
    def empty(self) -> pd.DataFrame:
        """The table without rows: columns, dtypes and directions."""

    @abstractmethod
    def answer(self, verb: str, described: Any, **options: Any) -> Any:
        """Answer a verb in passes, of a table without rows that is described, or say why that is not possible."""

    @abstractmethod
    def named_by(self, system: Any) -> InPieces:
        """The same table with rows that are named by one of its columns."""


@dataclass(frozen=True, eq=False)
class ForeignFrame:
    """A table of another library, and the same as pandas, which is what verbs compute with.

    Parameters
    ----------
    native : frame of any library that narwhals reads
        The table.
    pandas : DataFrame
        The same rows and columns; indexed by `system`, or numbered from 0.
    system : label, optional
        The column that names the rows.
    """

    native: Any
    pandas: pd.DataFrame
    system: Any = None

    def rows(self, mask: np.ndarray) -> Any:
        """Some rows, as they were."""
        marked = _narwhals().new_series("marked", mask, backend=self._library())
        return _read(self.native).filter(marked).to_native()

    def back(self, result: Any) -> Any:
        """Turn a frame or a Series into one of the library that the table came from; leave other results alone."""
        if isinstance(result, pd.Series):
            return _narwhals().new_series(str(result.name), _values(result), backend=self._library()).to_native()
        if isinstance(result, pd.DataFrame):
            flat = result if result.index.equals(pd.RangeIndex(len(result))) else result.reset_index()
            names = ["_".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in flat.columns]
            columns = {name: _values(flat.iloc[:, k]) for k, name in enumerate(names)}
            return _narwhals().from_dict(columns, backend=self._library()).to_native()
        return result

    def mask(self, where: Any) -> Any:
        """Evaluate a condition in the table's own library: a function of the table, an expression, or a mask."""
        if where is None or isinstance(where, str | list | np.ndarray | pd.Series):
            return where
        where = where(self.native) if callable(where) else where
        if type(where).__name__ == "Expr":
            where = _read(self.native.select(where)).get_column(self.native.select(where).columns[0]).to_native()
        series = _narwhals().from_native(where, series_only=True, allow_series=True, pass_through=True)
        return series.fill_null(False).to_numpy().astype(bool) if hasattr(series, "fill_null") else where

    def _library(self) -> Any:
        return _read(self.native).implementation


def any_frame(function: AnyVerb) -> AnyVerb:
    """Let a function take tables of other libraries: it gets pandas, and frames that it returns go back in kind.

    Examples
    --------
    >>> @any_frame
    ... def ranked(frame):
    ...     return frame.rank()
    >>> ranked(pd.DataFrame({"cost": [3.0, 1.0]}))["cost"].tolist()
    [2.0, 1.0]
    """
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    place = next(k for k, name in enumerate(names) if name in _FRAMES)
    most = sum(one.kind is not one.KEYWORD_ONLY for one in parameters.values())

    @checks.briefly
    @checks.refuse_others
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > most:
            checks.positional(function, args)
        given = args[place] if len(args) > place else kwargs.get(names[place])
        if isinstance(given, pd.DataFrame):  # the usual case
            return function(*args, **kwargs)
        pieces = in_pieces(given)
        if pieces is not None:
            return pieces.answer(function.__name__, None)  # which says that the whole table is needed
        foreign = read_frame(given)
        if foreign is None:
            return function(*args, **kwargs)
        if len(args) > place:
            args = (*args[:place], foreign.pandas, *args[place + 1 :])
        else:
            kwargs[names[place]] = foreign.pandas
        return foreign.back(function(*args, **kwargs))

    return cast(AnyVerb, call)


_OPENERS: list[Callable[[Any], InPieces]] = []


def open_lazy_tables_with(opener: Callable[[Any], InPieces]) -> None:
    """Say how a lazy table becomes one that is read in pieces: by a function of a higher layer."""
    _OPENERS[:] = [opener]


def in_pieces(value: Any) -> InPieces | None:
    """Return a table that is to be read in pieces: one that was scanned, or a lazy table; None for any other."""
    if isinstance(value, InPieces) or not is_lazy(value):
        return value if isinstance(value, InPieces) else None
    (opener,) = _OPENERS
    return opener(value)


def is_lazy(value: Any) -> bool:
    """Whether this is a table without rows before it is read, or one that is read in pieces."""
    kind = type(value)
    return isinstance(value, InPieces) or (kind.__module__.partition(".")[0], kind.__name__) in _LAZY


def take_rows(frame: Any, mask: np.ndarray) -> Any:
    """Return the rows of a table that a mask marks, in kind."""
    return frame.rows(mask) if isinstance(frame, ForeignFrame) else frame[mask]


def rows_between(frame: Any, start: int, end: int) -> Any:
    """Return rows of a table of any library that follow each other, in kind."""
    return frame.iloc[start:end] if isinstance(frame, pd.DataFrame) else _read(frame)[start:end].to_native()


def rows_at(frame: Any, positions: np.ndarray) -> Any:
    """Return some rows of a table of any library, in kind."""
    if isinstance(frame, pd.DataFrame):
        return frame.iloc[positions]
    return _read(frame)[positions.tolist(), :].to_native()


def stacked(frames: list[Any]) -> Any:
    """Put tables of one library below each other."""
    if len(frames) == 1:
        return frames[0]
    if isinstance(frames[0], pd.DataFrame):
        return pd.concat(frames)
    return _narwhals().concat([_read(frame) for frame in frames]).to_native()


def with_column(frame: Any, name: str, values: np.ndarray) -> Any:
    """Return a table of any library with one more column."""
    if isinstance(frame, pd.DataFrame):
        return frame.assign(**{name: values})
    nw = _narwhals()
    table = _read(frame)
    return table.with_columns(nw.new_series(name, values, backend=table.implementation)).to_native()


def pandas_of(frame: Any) -> Any:
    """Return the pandas side of a table that was read before, without rows if it is in pieces; others as they are."""
    if isinstance(frame, InPieces):
        return frame.empty
    return frame.pandas if isinstance(frame, ForeignFrame) else frame


def to_pandas(frame: Any) -> Any:
    """Return a table of any library as pandas; what is no table comes back as it is."""
    foreign = read_frame(frame)
    return frame if foreign is None else foreign.pandas


def read_frame(value: Any, system: Any = None) -> Any:
    """Read a table of another library; None for pandas, and for what is no table.

    Parameters
    ----------
    value : object
        A frame of polars, a table of pyarrow, a relation of duckdb, anything that narwhals reads, or that offers a
        stream of Arrow, which is read as a table of pyarrow.
    system : label, optional
        Column that names the rows.

    Returns
    -------
    ForeignFrame or None
        None also for lazy tables, which the gate refuses: they are to be collected first.
    """
    if isinstance(value, pd.DataFrame):
        return None
    if isinstance(value, ForeignFrame):
        return value
    if not is_foreign(value):
        return None
    table = _read(value)
    if table is None:
        return None
    columns = {name: _column(table.get_column(name)) for name in table.columns}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(table)))
    if system is not None:
        checks.column_position(frame, system, "system")
        frame = frame.set_index(system)
    return ForeignFrame(table.to_native(), frame, system)


def is_foreign(value: Any) -> bool:
    """Whether this offers rows as tables of other libraries do; those of Dask are for `copa_nb.dask`."""
    offers = any(hasattr(value, name) for name in ("__arrow_c_stream__", "__dataframe__"))
    return offers and type(value).__module__.partition(".")[0] != "dask"


def _read(value: Any) -> Any:
    """Read through narwhals; None for what it does not read, or only lazily."""
    nw = _narwhals()
    try:
        table = nw.from_native(value, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"`frame` has several columns of the same name; rename them. ({error})") from error
    if isinstance(table, nw.LazyFrame) and table.implementation.is_duckdb():
        # A relation is lazy by its nature; its rows come as Arrow, and so they go back.
        checks.optional("pyarrow", "a relation of DuckDB", checks.PARQUET)
        table = table.collect()
    if table is value and _only_streams(value):
        arrow = checks.optional("pyarrow", "a table that only streams Arrow", checks.PARQUET)
        try:
            table = nw.from_native(arrow.table(value))
        except arrow.ArrowInvalid:  # a single column streams, too, and is no table
            return None
    return table if isinstance(table, nw.DataFrame) else None


def _only_streams(value: Any) -> bool:
    """Whether this offers a stream of Arrow and nothing else; results of this package have a table for that."""
    return hasattr(value, "__arrow_c_stream__") and not isinstance(getattr(value, "table", None), pd.DataFrame)


def _narwhals() -> Any:
    import narwhals.stable.v2 as narwhals

    return narwhals


def _column(series: Any) -> Any:
    """One column as pandas can hold it without losing a digit."""
    dtype, missing = series.dtype, series.is_null().to_numpy().astype(bool)
    if dtype.is_integer() and missing.any():
        return pd.arrays.IntegerArray(series.fill_null(0).to_numpy().copy(), missing)
    if dtype.is_integer() or dtype.is_float():
        return series.to_numpy()
    kind = str(dtype)
    if kind == "Boolean":
        truths = series.fill_null(False).to_numpy().astype(bool)
        return pd.arrays.BooleanArray(truths, missing) if missing.any() else truths
    if kind.startswith(("Datetime", "Duration")):
        return series.to_numpy()
    if kind == "String" and _TEXT_IS_ARROW:
        return pd.array(series.to_arrow(), dtype="str")
    values = series.to_list()
    if kind.startswith("Decimal") and all(is_short(value) for value in values if value is not None):
        return np.array([np.nan if value is None else float(value) for value in values])
    if kind in ("String", "Categorical") or kind.startswith("Enum"):
        return pd.Series(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def is_short(value: Decimal) -> bool:
    """Whether a number keeps all its digits in float64."""
    return len("".join(map(str, value.as_tuple().digits)).rstrip("0")) <= EXACT_DIGITS


def _values(column: pd.Series) -> Any:
    """Values of a column with None for what is missing, if it is not a number."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        return column.to_numpy()
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
