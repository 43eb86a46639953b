"""Missing values as what they are: unknown, between two ends.

For verbs that state what holds whatever the missing values are (``nan_policy="bounds"``).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.tables.candidates import Where, candidate_mask
from copa_nb.tables.objectives import NAN_POLICIES, Objectives, ObjectivesLike, costs_with_gaps, resolve_objectives

BOUNDS = "bounds"
WITH_BOUNDS = (*NAN_POLICIES, BOUNDS)
Bounds: TypeAlias = "Mapping[Any, tuple[float | None, float | None]] | None"


def ends_of(bounds: Mapping[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    """Return what missing values may be, as verbs take it.

    Parameters
    ----------
    bounds : mapping of objective to pair or text
        Two ends, None for an open one, or text with a colon between them, in which an open end is empty.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> ends_of({"accuracy": "0:1", "co2_kg": "0:", "ms": [None, 50]})
    {'accuracy': (0.0, 1.0), 'co2_kg': (0.0, None), 'ms': (None, 50)}
    """
    return {name: _pair_of_ends(name, given) for name, given in bounds.items()}


def _pair_of_ends(name: str, given: Any) -> tuple[float | None, float | None]:
    ends: Any = given
    try:
        if isinstance(given, str):
            ends = [float(end) if end.strip() else None for end in given.split(":")]
        low, high = ends
    except (TypeError, ValueError):
        raise ValueError(
            f"{checks.called('bounds')} of {name!r} is {given!r}; it must be the two ends with a colon between "
            "them, of which one may be left out, e.g. 0:1 or 0:."
        ) from None
    return low, high


@dataclass(frozen=True, eq=False)
class BoundedCosts:
    """Objectives of a table as costs, each between two ends, which are equal where a value is not missing.

    Parameters
    ----------
    low, high : ndarray of float64, shape (n, k)
        The smallest and the largest cost that a cell may have.
    objectives : Objectives
        What the columns are.
    index : pandas.Index
        Labels of the rows.
    bounds : dict of objective to (float, float)
        What a missing value may be, in the objective's own units, for objectives with a finite end.
    candidates : ndarray of bool, shape (n,), optional
        Rows that may be chosen; None if all may.
    """

    low: np.ndarray
    high: np.ndarray
    objectives: Objectives
    index: pd.Index
    bounds: dict[Hashable, tuple[float, float]]
    candidates: np.ndarray | None = None

    @cached_property
    def unknown(self) -> np.ndarray:
        """Cells with more than one possible value: ndarray of bool, shape (n, k)."""
        unknown: np.ndarray = self.low < self.high
        return unknown

    def in_words(self) -> str:
        """What the missing values may be, as a sentence."""
        with_gaps = [
            name for name, some in zip(self.objectives, np.any(self.unknown, axis=0).tolist(), strict=True) if some
        ]
        parts = [
            f"between {_end(self.bounds[name][0])} and {_end(self.bounds[name][1])} in {text.label(name)}"
            for name in with_gaps
            if name in self.bounds
        ]
        if not parts:
            return "The missing values may be anything."
        rest = "; those of other objectives may be anything" if len(parts) < len(with_gaps) else ""
        return f"Missing values lie {text.listing(parts)}{rest}."


def bounded_costs(
    frame: pd.DataFrame, objectives: ObjectivesLike = None, *, bounds: Bounds = None, where: Where = None
) -> BoundedCosts:
    """Turn the objectives of a frame into the costs that each cell may have.

    Parameters
    ----------
    frame : DataFrame
        The table; it is read, never changed.
    objectives : Objectives, mapping or list of labels, optional
        See :func:`copa_nb.tables.objectives.resolve_objectives`.
    bounds : mapping of objective to (low, high), optional
        What a missing value may be, in the objective's own units; None for an open end. Anything by default.
    where : str, mask or callable, optional
        Who may be chosen.

    Raises
    ------
    ValueError
        For an empty table, unknown objectives, ends in the wrong order, or bounds in another unit; see
        :func:`check_units`.

    Examples
    --------
    >>> frame = pd.DataFrame({"accuracy": [0.9, None], "co2_kg": [3.0, 1.0]})
    >>> costs = bounded_costs(frame, {"accuracy": "max", "co2_kg": "min"}, bounds={"accuracy": (0, 1)})
    >>> costs.low[1].tolist(), costs.high[1].tolist()
    ([-1.0, 1.0], [0.0, 1.0])
    """
    resolved = resolve_objectives(frame, objectives)
    if len(frame) == 0:
        raise ValueError("`frame` has no rows; there is nothing to compare. Check the filter or file it comes from.")
    given = read_bounds(resolved, bounds)
    values = costs_with_gaps(frame, resolved)
    check_units(values, resolved, given)
    ends = cost_ends(resolved, given)
    missing = np.isnan(values)
    low, high = (np.where(missing, end, values) for end in ends)
    candidates = None if where is None else candidate_mask(frame, where)
    return BoundedCosts(low, high, resolved, frame.index, given, candidates)


def read_bounds(objectives: Objectives, bounds: Bounds) -> dict[Hashable, tuple[float, float]]:
    """Check what missing values may be, and fill in infinite ends.

    Examples
    --------
    >>> read_bounds(Objectives.of({"accuracy": "max", "co2_kg": "min"}), {"co2_kg": (0, None)})
    {'co2_kg': (0.0, inf)}
    """
    if bounds is None:
        return {}
    example = f"{checks.called('bounds')} must map objectives to pairs, e.g. {{{objectives.names[0]!r}: (0, 1)}}"
    if not isinstance(bounds, Mapping):
        raise TypeError(f"{example}, not {type(bounds).__name__}.")
    read: dict[Hashable, tuple[float, float]] = {}
    for name, pair in bounds.items():
        objectives.position(name, "bounds", verb="names")
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"{example}; for {name!r} it gives {pair!r}.")
        low = -math.inf if pair[0] is None else _number(name, pair[0])
        high = math.inf if pair[1] is None else _number(name, pair[1])
        if low > high:
            raise ValueError(
                f"{checks.called('bounds')} gives {pair!r} for {name!r}; the first is the smaller end: "
                f"{as_pair(high, low)}."
            )
        read[name] = (low, high)
    return read


def check_units(values: np.ndarray, objectives: Objectives, bounds: Mapping[Hashable, tuple[float, float]]) -> None:
    """Refuse bounds that seem to be in another unit.

    A missing value may be worse than all that were observed, as that of a run that was stopped at its time limit.
    Bounds that lie apart from all values are refused if they are better than these, or nearer to zero, as shares are
    where the column has percentages. A single value, such as 0 for a run that failed, is the same in both.

    Parameters
    ----------
    values : ndarray, shape (n, k)
        Costs; NaN where missing.
    objectives : Objectives
        Names and directions of the costs.
    bounds : mapping of objective to (float, float)
        In the objectives' own units.
    """
    for name, (low, high) in bounds.items():
        sign = objectives.signs[objectives.position(name)]
        known = values[:, objectives.position(name)] * sign
        known = known[~np.isnan(known)]
        if not len(known) or (known.min() <= high and known.max() >= low):
            continue
        is_above = low > known.max()
        is_worse = is_above == (sign > 0)
        is_nearer = max(abs(low), abs(high)) < np.abs(known).min()
        if is_worse and (low == high or not is_nearer):
            continue
        widened = (known.max(), high) if is_above else (low, known.min())
        raise ValueError(
            f"{checks.called('bounds')} gives {_end(low)} to {_end(high)} for {name!r}, whose values lie between "
            f"{known.min():g} and {known.max():g}; give the bounds in the unit of the column. If missing values do lie "
            f"there, include the nearest value observed: {as_pair(*widened)}."
        )


def cost_ends(objectives: Objectives, bounds: Mapping[Hashable, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest cost of a missing value, each of shape (k,)."""
    ends = np.array([bounds.get(name, (-math.inf, math.inf)) for name in objectives]).T * objectives.signs + 0.0
    return ends.min(axis=0), ends.max(axis=0)


def as_pair(low: float, high: float) -> str:
    """Write two ends as code, exactly.

    Examples
    --------
    >>> as_pair(60.0, math.inf), as_pair(0.1, 1.0)
    ('(60, None)', '(0.1, 1)')
    """
    ends = (repr(float(end)).removesuffix(".0") if math.isfinite(end) else "None" for end in (low, high))
    return f"({', '.join(ends)})"


def _number(name: Hashable, end: object) -> float:
    number = float(end) if isinstance(end, numbers.Real) and not isinstance(end, bool) else math.nan
    if math.isnan(number):
        raise ValueError(
            f"{checks.called('bounds')} gives {end!r} as an end for {name!r}; it must be a number, or None for an open "
            "end."
        )
    return number


def _end(value: float) -> str:
    return text.number(value) if math.isfinite(value) else ("∞" if value > 0 else "-∞")
