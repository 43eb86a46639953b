"""What the explorer of a choice shows, as plain numbers: no widget, no picture."""

from __future__ import annotations

import keyword
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import candidate_mask
from copa_nb.objectives import ATTRS_KEY, ObjectiveMatrix, Objectives, ObjectivesLike, snapshot, to_minimisation
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.selection.arrays import criterion
from copa_nb.selection.arrays.ranks import empirical_cdf, strictly_better
from copa_nb.selection.copa import Decision
from copa_nb.selection.criterion import resolve_p, resolve_weights
from copa_nb.selection.normalize import HOW, fit_normalizer

if TYPE_CHECKING:
    from copa_nb.selection.copa import Selection

SCALES = ("values", "log", "cdf")
ORDERS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0, np.inf)
MOST_PINNED = 6
_SKEWED = 10.0
_PATH_STEPS = 81
_PATH_ELEMENTS = 3_000_000
# Weights are kept to so many decimals, so that the code shown holds exactly the numbers that were used.
_DECIMALS = 4

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class ChoiceState:
    """Where the controls stand.

    Parameters
    ----------
    weights : tuple of k floats
        Importance per objective; they sum to 1 up to rounding.
    locked : tuple of k bools
        Weights that stay while others move.
    p : float
        Order of the norm.
    normalize : str
        Normalisation.
    ranges : tuple of k (low, high)
        Limits in the objectives' own units; None where there is none.
    x, y : int
        Objectives on the axes.
    scale : {"values", "log", "cdf"}
        What the axes show.
    moved : int
        The objective whose weight the path follows.
    pinned : tuple of int
        Rows kept for comparison.
    """

    weights: tuple[float, ...]
    locked: tuple[bool, ...]
    p: float
    normalize: str
    ranges: tuple[Range, ...]
    x: int
    y: int
    scale: str = "values"
    moved: int = 0
    pinned: tuple[int, ...] = ()


def initial_state(data: ChoiceData, *, p: float | str, weights: Any, normalize: str, x: Any, y: Any) -> ChoiceState:
    """Put the controls where the arguments of ``explore`` say."""
    objectives = data.matrix.objectives
    count = len(objectives)
    first = objectives.position(x, "x") if x is not None else count - 1
    second = objectives.position(y, "y") if y is not None else (0 if first else count - 1)
    return ChoiceState(
        weights=rounded(resolve_weights(objectives, weights)),
        locked=(False,) * count,
        p=resolve_p(p),
        normalize=normalize,
        ranges=((None, None),) * count,
        x=first,
        y=second,
        scale="log" if any(is_skewed(data.raw[:, k]) for k in (first, second)) else "values",
        moved=first,
    )


def is_skewed(values: np.ndarray) -> bool:
    """Whether positive values crowd so much at the low end that only a logarithmic axis shows them apart."""
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return len(finite) > 0 and bool(finite.min() > 0 and finite.max() > _SKEWED * np.median(finite))


def rounded(weights: np.ndarray) -> tuple[float, ...]:
    """Round weights to the decimals that are shown."""
    return tuple(round(float(weight), _DECIMALS) for weight in weights)


def set_weight(state: ChoiceState, moved: int, value: float) -> ChoiceState:
    """Move one weight; the others that are not locked share the rest in the proportions they have.

    Examples
    --------
    >>> state = ChoiceState((0.5, 0.25, 0.25), (False, False, True), 1.0, "cdf", ((None, None),) * 3, 0, 1)
    >>> set_weight(state, 0, 0.6).weights
    (0.6, 0.15, 0.25)
    >>> set_weight(state, 0, 0.9).weights  # what is locked stays
    (0.75, 0.0, 0.25)
    """
    if state.locked[moved]:
        return state
    return replace(state, weights=rounded(_moved(state, moved, np.array([value]))[0]), moved=moved)


def set_lock(state: ChoiceState, objective: int, locked: bool) -> ChoiceState:
    """Lock one weight, or let it go."""
    return replace(state, locked=_with(state.locked, objective, bool(locked)))


def set_range(state: ChoiceState, objective: int, limits: Range) -> ChoiceState:
    """Limit one objective, in its own units."""
    low, high = (None if limit is None else float(limit) for limit in limits)
    return replace(state, ranges=_with(state.ranges, objective, (low, high)))


def toggle_pin(state: ChoiceState, row: int) -> ChoiceState:
    """Keep a row for comparison, or let it go; the oldest gives way when there are too many."""
    if row in state.pinned:
        return replace(state, pinned=tuple(kept for kept in state.pinned if kept != row))
    return replace(state, pinned=(*state.pinned, row)[-MOST_PINNED:])


def _with(values: tuple[Any, ...], position: int, value: Any) -> tuple[Any, ...]:
    return (*values[:position], value, *values[position + 1 :])


def _moved(state: ChoiceState, moved: int, values: np.ndarray) -> np.ndarray:
    """Weights, one row per value of the moved one."""
    weights = np.array(state.weights)
    fixed = np.array(state.locked)
    fixed[moved] = True
    held = weights[fixed].sum() - weights[moved]
    budget = max(1.0 - held, 0.0)
    result = np.tile(weights, (len(values), 1))
    free = ~fixed
    if not free.any():
        result[:, moved] = budget
        return result
    result[:, moved] = np.clip(values, 0.0, budget)
    share = weights[free] / weights[free].sum() if weights[free].sum() > 0 else np.full(free.sum(), 1 / free.sum())
    result[:, free] = (budget - result[:, [moved]]) * share
    return result


class ChoiceData:
    """The table as arrays, made once; scaled objectives and the last candidates are kept between two moves.

    Parameters
    ----------
    frame : DataFrame
        The table.
    matrix : ObjectiveMatrix
        Its costs.
    nan_policy : str
        How missing values were treated.
    """

    def __init__(self, frame: pd.DataFrame, matrix: ObjectiveMatrix, nan_policy: str) -> None:
        self.frame, self.matrix, self.nan_policy = frame, matrix, nan_policy
        self._normalized: dict[str, np.ndarray] = {}
        self._candidates: tuple[Any, ...] = (None,)

    @classmethod
    def of(cls, frame: pd.DataFrame, objectives: ObjectivesLike, nan_policy: str) -> ChoiceData:
        """Pass a frame through the gate."""
        matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
        if len(matrix.objectives) < 2:
            raise ValueError("`explore` trades objectives against each other; define at least two objectives.")
        return cls(snapshot(frame), matrix, nan_policy)

    @cached_property
    def raw(self) -> np.ndarray:
        """Values in the objectives' own units, shape (n, k); missing values stay missing."""
        if self.nan_policy != "worst":
            return self.matrix.original()
        columns = [self.frame[name].to_numpy(dtype=float, na_value=np.nan) for name in self.matrix.objectives]
        return np.column_stack(columns)[self.matrix.positions]

    @cached_property
    def rank_sums(self) -> np.ndarray:
        """Sum of ranks, which breaks ties."""
        sums: np.ndarray = strictly_better(self.matrix.values, self.matrix.values).sum(axis=1)
        return sums

    @cached_property
    def front(self) -> np.ndarray:
        """Rows that are Pareto-optimal among all rows."""
        return nondominated(self.matrix.values)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Share of rows that are strictly better, shape (n, k)."""
        return empirical_cdf(self.matrix.values)

    def normalized(self, how: str) -> np.ndarray:
        """Objectives on a common scale, shape (n, k)."""
        checks.one_of("normalize", how, HOW)
        if how not in self._normalized:
            self._normalized[how] = fit_normalizer(self.matrix, how)(self.matrix.values)
        return self._normalized[how]

    def candidates(self, ranges: tuple[Range, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Rows within the limits, and those of them that no other of them dominates; both as positions."""
        if self._candidates[0] != ranges:
            allowed = np.ones(len(self.raw), dtype=bool)
            for column, (low, high) in zip(self.raw.T, ranges, strict=True):
                if low is not None:
                    allowed &= column >= low
                if high is not None:
                    allowed &= column <= high
            rows = np.flatnonzero(allowed)
            front = self.front if allowed.all() or len(rows) == 0 else nondominated(self.matrix.values[rows])
            self._candidates = ranges, rows, rows[front] if len(rows) else rows
        return self._candidates[1], self._candidates[2]


@dataclass(frozen=True)
class Segment:
    """A stretch of the moved weight over which one row is chosen."""

    low: float
    high: float
    row: int


@dataclass(frozen=True, eq=False)
class Choice(Decision):
    """What follows from a state.

    Parameters
    ----------
    best : label
        The chosen row.
    tied : list of labels
        All rows that share the first place.
    ordered : ndarray of int64
        Candidates from best to worst.
    ranks, scores : ndarray
        Their ranks and the values of the criterion, in that order.
    path : list of Segment
        What is chosen as the moved weight goes from 0 to all that is not locked.
    objectives, placed, candidates, population_size, weights, p, normalize
        As in :class:`copa_nb.Selection`, whose explanation is used.
    """

    best: Hashable
    tied: list[Hashable]
    ordered: np.ndarray
    ranks: np.ndarray
    scores: np.ndarray
    path: list[Segment]
    objectives: Objectives
    placed: np.ndarray
    candidates: np.ndarray
    population_size: int
    weights: dict[Hashable, float]
    p: float
    normalize: str

    def ordered_scores(self) -> np.ndarray:
        """Values of the criterion, from best to worst."""
        return self.scores


def choose(data: ChoiceData, state: ChoiceState) -> Choice:
    """Decide as ``copa`` does, from arrays that are already there.

    Raises
    ------
    ValueError
        If the limits leave no row, or a column cannot be scaled as asked for.
    """
    objectives = data.matrix.objectives
    weights = resolve_weights(objectives, list(state.weights))
    normalized = data.normalized(state.normalize)
    rows, best = data.candidates(state.ranges)
    if len(rows) == 0:
        raise ValueError("No row lies within all limits; widen one of them.")
    scores, positions, ranks = criterion.best_to_worst(normalized[rows], weights, state.p, data.rank_sums[rows])
    order = rows[positions]
    candidates = np.zeros(len(data.raw), dtype=bool)
    candidates[rows] = True
    return Choice(
        best=data.matrix.index[order[0]],
        tied=list(data.matrix.index[order[ranks == 1]]),
        ordered=order,
        ranks=ranks,
        scores=scores[positions],
        path=_path(data, state, normalized, best),
        objectives=objectives,
        placed=normalized,
        candidates=candidates,
        population_size=len(normalized),
        weights=dict(zip(objectives, weights.tolist(), strict=True)),
        p=state.p,
        normalize=state.normalize,
    )


def select(data: ChoiceData, state: ChoiceState) -> Selection:
    """Make the same choice with ``copa``, from the table itself."""
    from copa_nb.selection.copa import copa

    where = None
    if any(limit is not None for limits in state.ranges for limit in limits):
        where = np.zeros(len(data.frame), dtype=bool)
        where[data.matrix.positions[data.candidates(state.ranges)[0]]] = True
    chosen = copa(
        data.frame, objectives=data.matrix.objectives, p=state.p, weights=list(state.weights), where=where,
        normalize=state.normalize, nan_policy=data.nan_policy,
    )  # fmt: skip
    return cast("Selection", chosen)


def neighbours(choice: Choice, weight: float) -> tuple[Segment | None, Segment | None]:
    """What would be chosen with less and with more of the moved weight."""
    others = [part for part in choice.path if part.row != choice.position]
    less = [part for part in others if part.high <= weight]
    more = [part for part in others if part.low >= weight]
    return (less[-1] if less else None), (more[0] if more else None)


def sentences(data: ChoiceData, state: ChoiceState, choice: Choice) -> list[str]:
    """Say what was chosen, why, and what lies beside it."""
    name = data.matrix.objectives.names[state.moved]
    less, more = neighbours(choice, state.weights[state.moved])
    parts = []
    if less is not None:
        parts.append(f"with {100 * less.high:.0f} % of the weight or less, {data.matrix.index[less.row]}")
    if more is not None:
        parts.append(f"with {100 * more.low:.0f} % or more, {data.matrix.index[more.row]}")
    beside = f"Were {name} to count otherwise: {'; '.join(parts)}." if parts else (
        f"No other weight of {name} alone would change the choice."
    )  # fmt: skip
    return [*choice.sentences(), beside]


def reproducing_code(data: ChoiceData, state: ChoiceState, table: str = "df") -> str:
    """Write the call of ``copa`` that makes the same choice, for the table under the name given."""
    objectives = data.matrix.objectives
    remembered = data.frame.attrs.get(ATTRS_KEY, {}).get("objectives")
    bound = "" if list((remembered or {}).items()) == list(objectives.directions) else f"({objectives.to_dict()!r})"
    weights = dict(zip(objectives, state.weights, strict=True))
    order = '"inf"' if np.isinf(state.p) else f"{state.p:g}"
    lines = [f"p={order}", f"weights={weights!r}"]
    if where := _where_code(data, state):
        lines.append(f"where={where}")
    if state.normalize != "cdf":
        lines.append(f'normalize="{state.normalize}"')
    if data.nan_policy != "raise":
        lines.append(f'nan_policy="{data.nan_policy}"')
    inner = "".join(f"    {line},\n" for line in lines)
    return f"{table}.moo{bound}.copa(\n{inner})"


def _where_code(data: ChoiceData, state: ChoiceState) -> str:
    limits = [
        (name, sign, limit)
        for name, (low, high) in zip(data.matrix.objectives, state.ranges, strict=True)
        for sign, limit in ((">=", low), ("<=", high))
        if limit is not None
    ]
    if not limits:
        return ""
    if all(_is_plain(name, data.frame) for name, _, _ in limits):
        return repr(" and ".join(f"{name} {sign} {limit!r}" for name, sign, limit in limits))
    return "lambda rows: " + " & ".join(f"(rows[{name!r}] {sign} {limit!r})" for name, sign, limit in limits)


def _is_plain(name: Hashable, frame: pd.DataFrame) -> bool:
    """Whether a label can stand in an expression as it is."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        return False
    try:
        candidate_mask(frame.head(1).assign(**{name: 0.0}), f"{name} >= 0")
    except ValueError:
        return False
    return True


def _path(data: ChoiceData, state: ChoiceState, normalized: np.ndarray, best: np.ndarray) -> list[Segment]:
    steps = int(np.clip(_PATH_ELEMENTS // max(normalized[best].size, 1), 11, _PATH_STEPS))
    budget = 1.0 - sum(w for k, w in enumerate(state.weights) if state.locked[k] and k != state.moved)
    values = np.linspace(0.0, max(budget, 0.0), steps)
    weights = _moved(state, state.moved, values)
    chosen = best[criterion.winners_along(normalized[best], weights / weights.sum(axis=1, keepdims=True), state.p,
                             data.rank_sums[best])]  # fmt: skip
    changes = np.flatnonzero(np.diff(chosen)) + 1
    starts, ends = np.append(0, changes), np.append(changes, len(chosen)) - 1
    return [Segment(float(values[a]), float(values[b]), int(chosen[a])) for a, b in zip(starts, ends, strict=True)]


def table_rows(data: ChoiceData, choice: Choice, rows: Sequence[int]) -> list[list[str]]:
    """Rows of the ranking as text: rank, label, score, then the objectives' values."""
    texts = []
    for row in rows:
        rank, score = "outside", "–"
        for place in np.flatnonzero(choice.ordered == row):
            rank, score = str(int(choice.ranks[place])), text.number(float(choice.scores[place]), 3)
        values = [text.number(float(value), 4) for value in data.raw[row]]
        texts.append([rank, text.label(data.matrix.index[row]), score, *values])
    return texts
