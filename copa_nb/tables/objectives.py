"""Names and directions of objectives, and the one gate from a labeled frame to an array.

Everything numerical in the package works on a float64 array in which smaller is better.
:func:`to_minimization` is the only place that makes such an array, so it alone decides what a
legal objective is, what happens to missing values and what the error messages say.
"""

from __future__ import annotations

__all__ = ["Objectives"]

import json
import keyword
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.tables import seen
from copa_nb.tables.candidates import ONLY_MISSING, Where, candidate_mask
from copa_nb.tables.frames import EXACT_DIGITS, is_short

Direction: TypeAlias = Literal["max", "min"]
DirectionLike: TypeAlias = "str | Sequence[Hashable] | Mapping[Any, str]"
ObjectivesLike: TypeAlias = "Objectives | Mapping[Hashable, str] | Mapping[str, str] | Sequence[Hashable] | None"

Stored: TypeAlias = "np.ndarray | pd.api.extensions.ExtensionArray"

ATTRS_KEY = "moo"
# Where a source keeps what differs in how systems were evaluated.
DIFFERENCES_KEY = "differences"
DIRECTION_WORDS: dict[str, Direction] = {
    "max": "max", "maximize": "max", "maximise": "max", "higher": "max",
    "min": "min", "minimize": "min", "minimise": "min", "lower": "min",
}  # fmt: skip
NAN_POLICIES = ("raise", "omit", "worst")
SHOWN_LABELS = 3
_LARGEST_EXACT_INTEGER = 2**53
# A Series takes fifty times as long to build, which doubles the time of a small front; pandas has no public name for
# the array. Checked with pandas 3.1.1; where it is missing, columns are read the public way (see `_stored`).
_COLUMN_ARRAY = getattr(pd.DataFrame, "_get_column_array", None)
_FIX = 'df.moo.define(accuracy="max", latency_ms="min")'
# Ways to make numbers of a column, by what pandas takes its values for; the first that loses no value is offered.
_Conversion: TypeAlias = "tuple[str, Callable[[pd.Series], Any]]"
_TO_NUMERIC: _Conversion = ("pd.to_numeric({0})", pd.to_numeric)
_PERCENT: _Conversion = (
    'pd.to_numeric({0}.str.rstrip("% "))',
    lambda column: pd.to_numeric(column.str.rstrip("% ")),
)
_PLUS_MINUS: _Conversion = (
    '{0}.str.split("±").str[0].astype(float)',
    lambda column: column.str.split("±").str[0].astype(float),
)
_SECONDS: _Conversion = (
    "(pd.to_datetime({0}) - pd.to_datetime({0}).min()).dt.total_seconds()",
    lambda column: (pd.to_datetime(column) - pd.to_datetime(column).min()).dt.total_seconds(),
)
_FLOAT: _Conversion = ("{0}.astype(float)", lambda column: column.astype(float))
_CODES: _Conversion = ("{0}.cat.codes", lambda column: column.cat.codes if column.cat.ordered else None)
_CONVERSIONS: dict[str, tuple[_Conversion, ...]] = {
    "boolean": (
        ("{0}.astype(int)", lambda column: column.astype(int)),
        ('{0}.astype("Int64")', lambda column: column.astype("Int64")),
    ),
    "complex": (("np.real({0})", lambda column: pd.Series(np.real(column))),),
    "datetime": (_SECONDS, _FLOAT),
    "date": (_SECONDS,),
    "timedelta": (("{0}.dt.total_seconds()", lambda column: column.dt.total_seconds()),),
    "period": (_TO_NUMERIC,),
    "decimal": (_FLOAT,),
}
# A number with a sign of a unit before or behind it, as :func:`copa_nb.parse_numbers` reads it.
_WRITTEN = re.compile(r"[+−-]?\s*[^\d\s.,<>~=]{0,4}\s*\d[\d.,'’_ \u00a0\u202f]*([eE][+-]?\d+)?\s*[^\d\s.,<>~=]{0,12}")
_OF_TEXT_AND_OBJECTS = (_TO_NUMERIC, _PERCENT, _PLUS_MINUS, _CODES)


class RowsOmittedWarning(UserWarning):
    """Warns how many rows were left out: by ``nan_policy="omit"``, or because a source has no result for them."""


class RunsWarning(UserWarning):
    """Says that several rows seem to be runs of one system, or scores on items, and that each is compared by itself."""


@dataclass(frozen=True)
class Objectives:
    """Columns that are objectives, each with its direction, in the order given.

    Parameters
    ----------
    directions : tuple of (label, "max" or "min")
        The objectives.

    Examples
    --------
    >>> import copa_nb
    >>> objectives = copa_nb.results.Objectives.of({"accuracy": "max", "co2_kg": "min"})
    >>> objectives
    Objectives(accuracy ↑, co2_kg ↓)
    >>> objectives.names
    ['accuracy', 'co2_kg']
    """

    directions: tuple[tuple[Hashable, Direction], ...]

    @classmethod
    def of(cls, mapping: Mapping[Hashable, str] | Mapping[str, str], argument: str = "objectives") -> Objectives:
        """Check a mapping of column to direction, "max" or "min" in any of the usual words, and freeze it.

        Raises
        ------
        ValueError
            For a direction that is not known, a missing label, or no objective at all.
        """
        pairs = []
        for name, direction in mapping.items():
            if pd.api.types.is_scalar(name) and pd.isna(cast(Any, name)):
                raise ValueError(f"`{argument}` names {name!r}, a missing label; give that column a name first.")
            if not isinstance(direction, str) or direction not in DIRECTION_WORDS:
                raise ValueError(
                    f"`{argument}` gives {direction!r} as the direction of {name!r}; allowed are "
                    f"{_words('max')} (larger is better) and {_words('min')} (smaller is better), e.g. "
                    f"{in_code({name: 'max'})}."
                )
            pairs.append((name, DIRECTION_WORDS[direction]))
        if not pairs:
            raise ValueError(f"`{argument}` is empty; name at least one column with its direction, e.g. {_FIX}.")
        return cls(tuple(pairs))

    def __iter__(self) -> Iterator[Hashable]:
        return (name for name, _ in self.directions)

    def __len__(self) -> int:
        return len(self.directions)

    def __contains__(self, name: object) -> bool:
        return any(name == known for known, _ in self.directions)

    def __repr__(self) -> str:
        return f"Objectives({', '.join(self.labels)})"

    @property
    def names(self) -> list[Hashable]:
        """Column labels in order."""
        return [name for name, _ in self.directions]

    @property
    def labels(self) -> list[str]:
        """Names with an arrow that points where better is: ``accuracy ↑``, ``co2_kg ↓``."""
        return [f"{name} {'↑' if direction == 'max' else '↓'}" for name, direction in self.directions]

    @property
    def titles(self) -> list[str]:
        """The same for reading: ``accuracy ↑``, ``CO₂ (kg) ↓``."""
        return [f"{text.spoken(name)} {'↑' if direction == 'max' else '↓'}" for name, direction in self.directions]

    @property
    def reference_titles(self) -> dict[str, str]:
        """What the columns of a reference point are called for reading, by their names in tables."""
        pairs = list(zip(self.labels, self.titles, strict=True))
        return {
            f"reference {label}{log}": f"reference {title}{log}" for label, title in pairs for log in ("", " (log)")
        }

    @property
    def signs(self) -> np.ndarray:
        """Factor per objective that turns values into costs: -1 for "max", +1 for "min"."""
        return np.array([-1.0 if direction == "max" else 1.0 for _, direction in self.directions])

    def direction(self, name: Hashable) -> Direction:
        """Direction of one objective."""
        return dict(self.directions)[name]

    def position(self, name: Hashable, argument: str = "objective", *, verb: str = "is") -> int:
        """Column of `name` in the array, or an error that offers the nearest name.

        Parameters
        ----------
        name : label
            The objective.
        argument, verb : str
            How the error begins: the argument that "is" this name, or "names" it among others.

        Raises
        ------
        ValueError
            For a name that is not an objective; the nearest one is offered.
        """
        if name not in self:
            raise ValueError(
                f"`{argument}` {verb} {name!r}, which is not an objective; allowed are "
                f"{checks.listed(self.names)}.{checks.nearest(name, self.names)}"
            )
        return self.names.index(name)

    def to_dict(self) -> dict[Hashable, str]:
        """Plain mapping of column to direction."""
        return dict(self.directions)


@dataclass(frozen=True)
class ObjectiveMatrix:
    """Objectives of a table as an array of costs.

    Parameters
    ----------
    values : ndarray of float64, shape (n_kept, n_objectives)
        Smaller is better in every column. Each objective is contiguous (the transpose is C-contiguous):
        that is how frames keep columns, so nothing is shuffled on the way in, and what sorting, ranking
        and large fronts read fastest.
    objectives : Objectives
        What the columns are.
    positions : ndarray of int, shape (n_kept,)
        Row of the frame that each row of `values` comes from.
    index : pandas.Index of length n_kept
        Labels of those rows.
    n_omitted : int
        Rows left out by ``nan_policy="omit"``.
    candidates : ndarray of bool, shape (n_kept,), optional
        Rows that may be chosen; None if all may.
    frame : DataFrame, optional
        The table itself, with all its rows and columns, for results that show more than costs.
    """

    values: np.ndarray
    objectives: Objectives
    positions: np.ndarray
    index: pd.Index
    n_omitted: int = 0
    candidates: np.ndarray | None = None
    frame: pd.DataFrame | None = None

    def take(self, rows: np.ndarray) -> ObjectiveMatrix:
        """Some of the rows, by position, as a table of their own."""
        return replace(
            self,
            values=np.take(self.values.T, rows, axis=1).T,
            positions=self.positions[rows],
            index=self.index[rows],
            candidates=None if self.candidates is None else self.candidates[rows],
        )

    def allowed(self) -> np.ndarray:
        """Positions of the rows that may be chosen: ndarray of int64, ascending."""
        return np.arange(len(self.values)) if self.candidates is None else np.flatnonzero(self.candidates)

    def original(self, values: np.ndarray | None = None) -> np.ndarray:
        """Values in the caller's own directions again."""
        return (self.values if values is None else values) * self.objectives.signs + 0.0


def spelled(objectives: Mapping[Any, str] | None, keywords: Mapping[str, DirectionLike]) -> dict[Any, str]:
    """Return directions as one mapping, however they are given.

    Parameters
    ----------
    objectives : mapping, optional
        Columns and directions.
    keywords : mapping
        Columns and directions, or ``max`` and ``min`` with one column or several, or ``objectives`` with a mapping.

    Examples
    --------
    >>> spelled({"co2 kg": "min"}, {"accuracy": "max"})
    {'co2 kg': 'min', 'accuracy': 'max'}
    >>> spelled(None, {"max": ["val/acc", "f1"], "min": "cost"})
    {'val/acc': 'max', 'f1': 'max', 'cost': 'min'}
    """
    given: dict[Any, str] = dict(objectives or {})
    for name, value in keywords.items():
        if isinstance(value, Mapping) and name == "objectives":
            more: Mapping[Any, str] = value
        elif name in ("max", "min") and not (isinstance(value, str) and value in DIRECTION_WORDS):
            more = dict.fromkeys([value] if isinstance(value, str) else value, name)
        else:
            more = {name: cast(str, value)}
        for column, way in more.items():
            if given.setdefault(column, way) != way:
                raise ValueError(
                    f"`objectives` gives {column!r} two directions, {given[column]!r} and {way!r}; give one."
                )
    return given


def directions_among(options: Mapping[str, Any]) -> tuple[dict[Any, str], dict[str, Any]]:
    """Separate what can only be a direction from other options: ``max="acc"`` and ``acc="max"``.

    Examples
    --------
    >>> directions_among({"max": ["acc", "f1"], "cost": "min", "p": 2})
    ({'acc': 'max', 'f1': 'max', 'cost': 'min'}, {'p': 2})
    """
    found = {
        name: value
        for name, value in options.items()
        if name in ("max", "min") or (isinstance(value, str) and value in DIRECTION_WORDS)
    }
    return spelled(None, found), {name: value for name, value in options.items() if name not in found}


def bound_before(verb: str, options: Mapping[str, Any]) -> str:
    """Say, as a sentence, how directions are given that came as options of a verb; nothing if none did.

    Examples
    --------
    >>> bound_before("copa", {"max": "acc", "p": 2}), bound_before("copa", {"p": 2})
    (' Directions belong to the table: df.moo(acc="max").copa(...).', '')
    """
    directions, others = directions_among(options)
    bound = f" Directions belong to the table: df.moo({in_code(directions)}).{verb}({'...' if others else ''})."
    return bound if directions else ""


def in_code(directions: Mapping[Hashable, str]) -> str:
    """Write directions so that they can be pasted into a call.

    Examples
    --------
    >>> in_code({"accuracy": "max", "cost": "min"}), in_code({"val/acc": "max"})
    ('accuracy="max", cost="min"', '{"val/acc": "max"}')
    """
    if all(isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name) for name in directions):
        return ", ".join(f'{name}="{way}"' for name, way in directions.items())
    written = (json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name) for name in directions)
    pairs = zip(written, directions.values(), strict=True)
    return "{" + ", ".join(f'{name}: "{way}"' for name, way in pairs) + "}"


def _fix_for(frame: pd.DataFrame) -> str:
    """Show how to define directions, with columns that the table has."""
    numeric = [name for name, kind in frame.dtypes.items() if _is_number(kind)][:2]
    return f"df.moo.define({in_code(dict(zip(numeric, ('max', 'min'), strict=False)))})" if numeric else _FIX


def resolve_objectives(frame: pd.DataFrame, objectives: ObjectivesLike = None, reference: object = None) -> Objectives:
    """Decide which columns are objectives: the explicit argument wins over ``attrs``.

    Parameters
    ----------
    frame : DataFrame
        The table.
    objectives : Objectives, mapping or list of labels, optional
        A mapping of column to "max" or "min". A list picks among objectives defined before.
    reference : Reference, optional
        Supplies the objectives if nothing else does, and must agree with them. Anything else is ignored.

    Returns
    -------
    Objectives

    Raises
    ------
    ValueError
        If no directions are known, a column is missing or duplicated, or a direction is unknown.
    TypeError
        If a column is not numeric.
    """
    resolved = _without_check(checks.frame(frame), objectives, reference)
    check_columns(frame, resolved)
    return resolved


def to_minimization(
    frame: pd.DataFrame,
    objectives: ObjectivesLike = None,
    *,
    where: Where = None,
    nan_policy: str = "raise",
    reference: object = None,
    instead: str = "",
) -> ObjectiveMatrix:
    """Turn the objectives of a frame into a float64 array in which smaller is better.

    Parameters
    ----------
    frame : DataFrame
        The table; it is read, never changed.
    objectives : Objectives, mapping or list of labels, optional
        See :func:`resolve_objectives`.
    where : str, mask or callable, optional
        Who may be chosen; see :func:`copa_nb.tables.candidates.candidate_mask`.
    nan_policy : {"raise", "omit", "worst"}
        What to do with missing values: raise an error (default), leave those rows out with a warning
        (:class:`RowsOmittedWarning`), or count them as +inf as a cost: worse than every
        finite value, and equal to one that is infinitely bad. Infinite values are legal under all three.
    reference : Reference, optional
        See :func:`resolve_objectives`.
    instead : str
        What an error says of missing values; see :func:`missing_message`.

    Returns
    -------
    ObjectiveMatrix

    Raises
    ------
    ValueError
        For an empty table, missing values under "raise", integers that float64 cannot hold, or a constraint that
        leaves nothing to choose from.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"accuracy": [0.9, 0.8], "co2_kg": [3, 1]})
    >>> to_minimization(frame, {"accuracy": "max", "co2_kg": "min"}).values
    array([[-0.9,  3. ],
           [-0.8,  1. ]])
    """
    resolved = _without_check(checks.frame(frame), objectives, reference)
    columns = _checked_columns(frame, resolved)
    checks.one_of("nan_policy", nan_policy, NAN_POLICIES)
    if len(frame) == 0:
        raise ValueError("`frame` has no rows; there is nothing to compare. Check the filter or file it comes from.")
    matrix = _apply_nan_policy(frame, _costs(columns, resolved), resolved, nan_policy, instead)
    candidates = None if where is None else candidate_mask(frame, where)[matrix.positions]
    if candidates is not None and not candidates.any():
        raise ValueError(ONLY_MISSING)
    return replace(matrix, candidates=candidates, frame=frame)


def costs_with_gaps(frame: pd.DataFrame, objectives: Objectives) -> np.ndarray:
    """Turn checked objectives into costs in which missing values are still NaN.

    For callers who see a table in pieces and can judge missing values only when they have seen them all;
    everyone else wants :func:`to_minimization`.

    Returns
    -------
    ndarray of float64, shape (n, k)
    """
    return _costs(_checked_columns(frame, objectives), objectives)


def row_in_words(frame: pd.DataFrame, row: Hashable, *, first: bool = False) -> str:
    """Name a row in a sentence: by its label, or where rows are only counted, by the first column of unique text.

    Examples
    --------
    >>> models = pd.DataFrame({"model": ["small", "large"], "accuracy": [0.7, 0.9]})
    >>> row_in_words(models, 1), row_in_words(models[["accuracy"]], 1), row_in_words(models.set_index("model"), "large")
    ('large', 'row 1', 'large')
    """
    names = _names_of_counted(frame)
    if names is None:
        return text.row_name(row, frame.index.name, first=first)
    return str(names[frame.index == row].iloc[0])


def names_of_rows(frame: pd.DataFrame | None, rows: Iterable[Hashable]) -> list[str]:
    """Name rows in pictures: by their labels, or where they are only counted, by the first column of unique text.

    Examples
    --------
    >>> models = pd.DataFrame({"model": ["small", "large"], "accuracy": [0.7, 0.9]})
    >>> names_of_rows(models, [1, 0]), names_of_rows(models[["accuracy"]], [1, 0])
    (['large', 'small'], ['1', '0'])
    """
    names = None if frame is None else _names_of_counted(frame)
    return [text.label(row) for row in rows] if names is None else names.reindex(list(rows)).tolist()


def _names_of_counted(frame: pd.DataFrame) -> pd.Series | None:
    """The first column of unique text, if rows have no other name than their number."""
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.name is not None or not frame.columns.is_unique:
        return None
    texts = (column for _, column in frame.items() if pd.api.types.is_string_dtype(column) and column.is_unique)
    found = next(texts, None)
    return None if found is None else found.map(str)


def snapshot(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as it is now, for results that look at it later.

    Free where pandas copies when one of two frames is written to: from pandas 3 on, and before if told to.
    """
    copies_on_write = int(pd.__version__.split(".")[0]) >= 3 or pd.options.mode.copy_on_write is True
    return frame.copy(deep=not copies_on_write)


def _costs(columns: Sequence[Stored], objectives: Objectives) -> np.ndarray:
    """Costs of shape (n, k) from checked columns, each objective contiguous."""
    values = np.empty((len(objectives), len(columns[0])))
    for column, (name, direction), costs in zip(columns, objectives.directions, values, strict=True):
        floats = _float_column(column, name)
        # Both operations turn -0.0 into 0.0, so that a negated zero prints as what it is.
        if direction == "max":
            np.subtract(0.0, floats, out=costs)
        else:
            np.add(floats, 0.0, out=costs)
    return values.T


def check_columns(frame: pd.DataFrame, objectives: Objectives) -> None:
    """Refuse objectives that are not there, not unique or not numbers."""
    _checked_columns(frame, objectives)


def _checked_columns(frame: pd.DataFrame, objectives: Objectives) -> list[Stored]:
    columns = {name: _stored(frame, checks.column_position(frame, name, "objectives")) for name in objectives}
    refused = {name: pd.Series(one, copy=False) for name, one in columns.items() if not _is_number(one.dtype)}
    if refused:
        raise TypeError(_no_numbers(refused))
    return [*columns.values()]


def _no_numbers(refused: Mapping[Hashable, pd.Series]) -> str:
    """Say of all columns at once which are no numbers, and what makes numbers of them."""
    written = [name for name, column in refused.items() if _is_written(column)]
    if len(refused) == 1 or not written:
        name, column = next(iter(refused.items()))
        also = f" Nor are {checks.listed([*refused][1:])} numbers." if len(refused) > 1 else ""
        return (
            f"`objectives` names {name!r}, whose dtype is {column.dtype}; an objective must be a real number. "
            f"{_how_to_convert(column, name)}{also}"
        )
    others = [f" {name!r}: {_how_to_convert(column, name)}" for name, column in refused.items() if name not in written]
    return (
        f"`objectives` names {checks.listed(refused)}, which are not numbers. Read their units and separators: "
        f"frame = copa_nb.parse_numbers(frame, {written!r}).{''.join(others)}"
    )


def _how_to_convert(column: pd.Series, name: Hashable) -> str:
    """Show a conversion that was tried on this very column, or name the entry that prevents it."""
    kind = pd.api.types.infer_dtype(column.astype(object)).rstrip("64")
    if kind == "decimal":
        _check_decimals(column, name)
    source = f"frame[{name!r}]"
    for code, convert in _CONVERSIONS.get(kind, _OF_TEXT_AND_OBJECTS):
        numbers = _converted(column, convert)
        if numbers is not None and numbers.isna().sum() == column.isna().sum():
            return f"Convert it first, e.g. {source} = {code.format(source)}."
    if _is_written(column):
        return (
            "Its values are numbers with a unit or separators; read them: "
            f"frame = copa_nb.parse_numbers(frame, [{name!r}])."
        )
    numbers = _converted(column, lambda values: pd.to_numeric(values, errors="coerce"))
    stray = [] if numbers is None else column[(numbers.isna() & column.notna()).to_numpy()].tolist()
    if numbers is None or numbers.isna().all() or not stray:
        return "Its values cannot be read as numbers; leave it out of the objectives."
    entry = stray[0]
    return (
        f"{entry!r} is not a number; correct such entries, or make them missing: "
        f'{source} = pd.to_numeric({source}, errors="coerce").'
    )


def _is_written(column: pd.Series) -> bool:
    """Whether all values are numbers as people write them, such as "$1,299" or "12 ms"."""
    values = [value for value in column.dropna().tolist() if not isinstance(value, int | float)]
    return bool(values) and all(isinstance(value, str) and _WRITTEN.fullmatch(value.strip()) for value in values)


def _converted(column: pd.Series, convert: Callable[[pd.Series], Any]) -> pd.Series | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            numbers = pd.Series(convert(column))
            _float_column(numbers.array, column.name)
        except Exception:  # values may be of any kind, and so are the errors of their conversions
            return None
    return numbers if _is_number(numbers.dtype) else None


def _stored(frame: pd.DataFrame, position: int) -> Stored:
    """One column as pandas stores it, to be read only."""
    if _COLUMN_ARRAY is not None:
        return cast("Stored", _COLUMN_ARRAY(frame, position))
    column = frame.iloc[:, position]
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def _without_check(frame: pd.DataFrame, objectives: ObjectivesLike, reference: object = None) -> Objectives:
    # A Reference is in a higher layer than this module; a row label, which may come in its place, has no objectives.
    frozen = getattr(reference, "objectives", None)
    if isinstance(frozen, Objectives):
        if objectives is None and not frame.attrs.get(ATTRS_KEY, {}).get("objectives"):
            return frozen
        resolved = _without_check(frame, objectives)
        cast(Any, reference).check(resolved)
        return resolved
    if isinstance(objectives, Objectives):
        return objectives
    if isinstance(objectives, Mapping):
        return Objectives.of(objectives)
    remembered = frame.attrs.get(ATTRS_KEY, {}).get("objectives")
    if objectives is None:
        if not remembered:
            raise ValueError(
                "no objectives are defined, and directions are never guessed. Define which columns are to be "
                f'maximized ("max") or minimized ("min"), e.g. {_fix_for(frame)}.{seen.lost(frame)}'
            )
        return _still_there(frame, Objectives.of(remembered))
    if isinstance(objectives, str) or not isinstance(objectives, Sequence):
        raise TypeError(
            f'`objectives` must map columns to directions, e.g. {{"accuracy": "max"}}, or list columns '
            f"whose directions are defined; got {type(objectives).__name__}."
        )
    unknown = [name for name in objectives if name not in (remembered or {})]
    if unknown:
        raise ValueError(
            f"`objectives` lists {checks.listed(unknown)} without a direction; give a mapping, "
            f'e.g. objectives={{{unknown[0]!r}: "max"}}, or define directions first: {_fix_for(frame)}.'
        )
    return Objectives.of({name: remembered[name] for name in objectives})


def _still_there(frame: pd.DataFrame, remembered: Objectives) -> Objectives:
    """Refuse directions that were noted for columns which have another name since."""
    gone = [name for name in remembered if name not in frame.columns]
    if gone:
        raise ValueError(
            f"`define` noted a direction for {checks.listed(gone)}, which {'is' if len(gone) == 1 else 'are'} no "
            f"longer there; columns are {checks.listed(frame.columns)}.{checks.nearest(gone[0], frame.columns)} Define "
            "directions again after renaming or dropping columns."
        )
    return remembered


def _apply_nan_policy(
    frame: pd.DataFrame, values: np.ndarray, objectives: Objectives, nan_policy: str, instead: str
) -> ObjectiveMatrix:
    positions = np.arange(len(frame))
    if not np.isnan(values.min()):  # which is NaN if any value is
        return ObjectiveMatrix(values, objectives, positions, frame.index)
    missing = np.isnan(values)
    if nan_policy == "raise":
        raise ValueError(missing_in(frame, missing, objectives, instead=instead))
    if nan_policy == "worst":
        values[missing] = np.inf
        return ObjectiveMatrix(values, objectives, positions, frame.index)
    complete = ~missing.any(axis=1)
    n_omitted = int((~complete).sum())
    if n_omitted == len(frame):
        raise ValueError(none_left(missing_in(frame, missing, objectives, instead=count_as_worst())))
    warnings.warn(
        f"{n_omitted} of {len(frame)} rows have a missing objective and are left out",
        RowsOmittedWarning,
        stacklevel=checks.callers_level(),
    )
    return ObjectiveMatrix(
        np.compress(complete, values.T, axis=1).T,
        objectives,
        positions[complete],
        frame.index[complete],
        n_omitted,
    )


def missing_in(frame: pd.DataFrame, missing: np.ndarray, objectives: Objectives, *, instead: str = "") -> str:
    """Name the objectives that lack values; see :func:`missing_message`.

    Parameters
    ----------
    frame : DataFrame
        The table.
    missing : ndarray of bool, shape (n, k)
        Which values of the objectives are missing.
    objectives : Objectives
        Names.
    instead : str
        What may be done other than filling them in, as the end of a sentence; by default the other policies of the
        gate.
    """
    counts = missing.sum(axis=0).tolist()
    first = [list(frame.index[missing[:, k]][:SHOWN_LABELS]) for k in range(len(objectives))]
    return missing_message(objectives, counts, first, len(frame), instead=instead)


def missing_message(
    objectives: Objectives,
    counts: Sequence[int],
    first: Sequence[Sequence[Hashable]],
    n_rows: int,
    *,
    instead: str = "",
) -> str:
    """Name the objectives that lack values, in how many rows, and what to do about it.

    Parameters
    ----------
    objectives : Objectives
        Names.
    counts : sequence of int
        Rows without a value, by objective.
    first : sequence of lists of labels
        The first of those rows (up to ``SHOWN_LABELS``), by objective.
    n_rows : int
        Rows of the table.
    instead : str
        What may be done other than filling them in, as the end of a sentence; by default the other policies of the
        gate.
    """
    parts = []
    for name, count, labels in zip(objectives, counts, first, strict=True):
        if count:
            more = f" and {count - len(labels)} more" if count > len(labels) else ""
            parts.append(f"{name!r} in {count} of {n_rows} rows ({checks.listed(labels)}{more})")
    return f"missing values in objective {'; '.join(parts)}. Fill them, or {instead or omit_or_worst()}."


def none_left(missing: str) -> str:
    """Refuse to leave out every row; `missing` says which values are missing, and what to do but leave rows out."""
    return f"{checks.setting('nan_policy', 'omit')} leaves no row: {missing}"


def omit_or_worst() -> str:
    """What may be done about rows that lack a value, as the end of a sentence."""
    return f"say {_defining('nan_policy', 'omit')} to leave those rows out, or {count_as_worst()}"


def count_as_worst() -> str:
    """What else may be done about rows that lack a value where leaving them out leaves none."""
    return f"{_defining('nan_policy', 'worst')} to count them as worse than everything"


def _defining(word: str, value: str) -> str:
    """What says a word of a table: on the shell, an option of the command."""
    said = checks.setting(word, value)
    return said if said.startswith("-") else f"df.moo.define({said})"


def _float_column(stored: Stored, name: Hashable) -> np.ndarray:
    dtype = stored.dtype
    if isinstance(stored, np.ndarray) and dtype == np.float64:
        return stored
    column = pd.Series(stored, copy=False)
    if pd.api.types.is_integer_dtype(dtype) and getattr(dtype, "itemsize", 8) == 8:
        _check_integers(column, name)
    if getattr(dtype, "subtype", dtype) == np.longdouble != np.float64:
        _check_extended(np.asarray(column), name)
    if str(dtype).startswith("decimal"):
        _check_decimals(column, name)
    if isinstance(dtype, np.dtype):
        return column.to_numpy().astype(np.float64)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


# Two numbers that differ must not become one float: that would invent a tie.
def _check_integers(column: pd.Series, name: Hashable) -> None:
    if column.isna().all():
        return
    low, high = int(column.min()), int(column.max())
    if max(-low, high) > _LARGEST_EXACT_INTEGER:
        fits = high - low <= _LARGEST_EXACT_INTEGER
        raise ValueError(
            f"objective {name!r} holds integers beyond 2**53, which float64 cannot distinguish; "
            + (f"shift them: frame[{name!r}] - frame[{name!r}].min()." if fits else _rounding(name))
        )


def _check_extended(values: np.ndarray, name: Hashable) -> None:
    with np.errstate(all="ignore"):
        floats = values.astype(np.float64)
    if ((floats != values) & ~np.isnan(values)).any():
        raise ValueError(
            f"objective {name!r} holds numbers of extended precision ({values.dtype}) that float64 cannot distinguish; "
            f"{_rounding(name)}"
        )


def _check_decimals(column: pd.Series, name: Hashable) -> None:
    for value in column.dropna().unique():
        if not is_short(value):
            raise ValueError(
                f"objective {name!r} holds decimals of more than {EXACT_DIGITS} digits, e.g. {value}, which float64 "
                f"cannot distinguish; {_rounding(name)}"
            )


def _rounding(name: Hashable) -> str:
    return f"if such close values may count as equal, round them: frame[{name!r}].astype(float)."


def _words(direction: Direction) -> str:
    return checks.listed(word for word, meant in DIRECTION_WORDS.items() if meant == direction)


def _is_number(dtype: object) -> bool:
    if isinstance(dtype, np.dtype):  # the usual case, at a twentieth of the cost of the general one
        return dtype.kind in "iuf"
    types = pd.api.types
    return (
        types.is_numeric_dtype(dtype)  # type: ignore[arg-type]
        and not types.is_bool_dtype(dtype)  # type: ignore[arg-type]
        and not types.is_complex_dtype(dtype)  # type: ignore[arg-type]
    )
