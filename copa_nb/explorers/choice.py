"""Choosing a model by moving sliders: ``df.moo.explore()``."""

from __future__ import annotations

__all__ = ["ChoiceExplorer"]

import json
import keyword
import warnings
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.board import Board
from copa_nb.explorers.constants import WEIGHT_DECIMALS
from copa_nb.explorers.widget import RowExplorer
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.plots import drawn_columns, plot_front
from copa_nb.plotting.axes import is_skewed
from copa_nb.ranking.arrays.normalization import Scale
from copa_nb.ranking.criterion import WeightsLike, resolve_p, resolve_weights, write_p
from copa_nb.ranking.normalize import HOW, fit_normalizer
from copa_nb.results.note import Note
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import explained
from copa_nb.selection.choose import copa
from copa_nb.selection.copa import ONE_OBJECTIVE, Selection
from copa_nb.selection.plots.decisions import plot_selection
from copa_nb.tables.candidates import Where, candidate_mask, limits_of
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import (
    ATTRS_KEY,
    NAN_POLICIES,
    ObjectiveMatrix,
    RowsOmittedWarning,
    RunsWarning,
    names_of_rows,
    row_in_words,
    snapshot,
)
from copa_nb.tables.rows import warn_of_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ORDERS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0)
# What else the table holds goes with it, for the tooltips, as far as a page can carry it.
_MOST_CARRIED, _MOST_ROWS_CARRIED = 12, 20_000
_MOST_ROWS = 8
_MOST_EXPLORED = 20_000  # rows of a choice whose explorer a page can hold
_NEEDS_OWN_RANKS = Note(
    "The page ranks rows among themselves; choose without `reference`, df.moo.copa(...).explore(), to move its sliders."
)


def explore(
    table: DescribedFrame,
    *,
    p: float | str = "inf",
    weights: WeightsLike = None,
    normalize: str = "cdf",
    x: Hashable | None = None,
    y: Hashable | None = None,
    where: Where = None,
    tiers: Board | None = None,
) -> ChoiceExplorer:
    """Choose a model by moving sliders for weights, p, normalization and limits, with the choice and its reasons."""
    checks.one_of("normalize", normalize, HOW)
    matrix = table.costs()
    count = len(matrix.objectives)
    if count < 2:
        raise ValueError("`explore` needs at least two objectives to trade off; define them.")
    limits = limits_of(table.frame, where, matrix.objectives.names)
    if limits is None:
        raise ValueError(
            f"`where` is {where!r}, but an explorer has limits of objectives only, e.g. "
            f"where={f'{matrix.objectives.names[0]} >= 0.5'!r}; for anything else, filter the table first."
        )
    warn_of_runs(table.frame)
    first, second = drawn_columns(matrix.objectives, x, y)
    start = {
        "weights": _rounded(resolve_weights(matrix.objectives, weights)), "locked": [False] * count,
        "p": _plain_order(resolve_p(p)), "normalize": normalize,
        "ranges": [limits.get(name, [None, None]) for name in matrix.objectives],
        "x": first, "y": second, "scale": "values", "moved": first, "pinned": [], "box": None,
        "bands": {}, "selected": [],
    }  # fmt: skip
    return ChoiceExplorer(snapshot(table.frame), matrix, table.policy(*NAN_POLICIES), start, tiers)


@offered_by(Selection, "explore")
def explorer_of_choice(choice: Selection, *, x: Hashable | None = None, y: Hashable | None = None) -> ChoiceExplorer:
    """Move sliders for weights, p, normalization and limits, from where this choice has them.

    Parameters
    ----------
    choice : Selection
        From ``df.moo.copa()``.
    x, y : label, optional
        Initial objectives on the axes; by default, the last against the first.

    Returns
    -------
    ChoiceExplorer
        As ``df.moo.explore()``. A sentence in its place says why there is none: with one objective, ranks in a frozen
        population, a constraint on more than objectives, or more rows than a page can hold.

    Raises
    ------
    ValueError
        For an unknown objective.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> with models.moo.copa(weights={"co2_kg": 0.7}, where="accuracy >= 0.7").explore() as explorer:
    ...     explorer.best
    'small'
    """
    if len(choice.objectives) < 2:
        return cast("ChoiceExplorer", ONE_OBJECTIVE)
    if choice.reference is not None:
        return cast("ChoiceExplorer", _NEEDS_OWN_RANKS)
    given = choice.inputs
    if len(choice.candidates) > _MOST_EXPLORED:
        return cast("ChoiceExplorer", Note(
            f"There is no explorer, because the table has more than {_MOST_EXPLORED:,} rows; df.moo.front() has fewer."
        ))  # fmt: skip
    if given.where is not None and limits_of(given.frame, given.where, list(choice.objectives)) is None:
        return cast("ChoiceExplorer", Note(
            f"There is no explorer, because it has limits of objectives only, and the constraint {given.where!r} is "
            "another one."
        ))  # fmt: skip
    policy = "worst" if given.positions is None else "omit"
    missing = given.frame[choice.objectives.names].isna().to_numpy().any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsOmittedWarning)  # given when it was chosen
        table = DescribedFrame.of(given.frame, choice.objectives, nan_policy=policy if missing else "raise")
        return explore(
            table, p=choice.p, weights=list(choice.weights.values()), normalize=choice.normalize, x=x, y=y,
            where=given.where,
        )  # fmt: skip


@offered_by(Board, "explore")
def explorer_of_tiers(tiers: Board) -> ChoiceExplorer:
    """Explore weights, p and limits on the means, next to the tiers, in a notebook; see ``df.moo.explore()``."""
    choice = tiers.choice
    names, weights = list(choice.objectives), list(choice.weights.values())
    means = tiers.table.iloc[:, : len(names)].set_axis(names, axis="columns")
    return explore(DescribedFrame.of(means, choice.objectives), p=choice.p, weights=weights, tiers=tiers)


def _rounded(weights: np.ndarray) -> list[float]:
    return [round(float(weight), WEIGHT_DECIMALS) for weight in weights]


def _plain_order(p: float) -> float | str:
    """An order of the norm as JSON holds it."""
    return "inf" if np.isinf(p) else p


class ChoiceExplorer(RowExplorer):
    """The explorer of a choice; see :func:`explore`.

    Parameters
    ----------
    frame : DataFrame
        The table.
    matrix : ObjectiveMatrix
        Its costs.
    nan_policy : str
        How missing values were treated.
    start : dict
        Initial positions of the controls.
    tiers : Board, optional
        Tiers of the same rows.
    """

    title = "Choice of a model"
    invitation = "Move the weights yourself, and compare what they choose"
    height = 1150

    def __init__(
        self, frame: pd.DataFrame, matrix: ObjectiveMatrix, nan_policy: str, start: dict[str, Any],
        tiers: Board | None = None,
    ) -> None:  # fmt: skip
        self.frame, self.matrix, self.nan_policy, self.tiers = frame, matrix, nan_policy, tiers
        self._raw = _own_units(frame, matrix, nan_policy)
        if any(is_skewed(self._raw[:, start[axis]]) for axis in "xy"):
            start = {**start, "scale": "log"}
        self.kind = "choice"
        objectives = matrix.objectives
        orders = sorted({*_ORDERS, resolve_p(start["p"])} - {np.inf})
        scales = {how: _scale(matrix, how) for how in HOW if how != "cdf"}
        if problem := scales.get(start["normalize"], {}).get("error"):
            raise ValueError(problem)
        super().__init__(
            {
                "labels": names_of_rows(frame, matrix.index),
                "counted": _counted(frame, matrix.index),
                "objectives": [
                    {"label": label, "name": text.spoken(name), "called": text.name_and_unit(name)[0],
                     "column": str(name), "direction": direction, "code": repr(name), "plain": _is_plain(name, frame)}
                    for label, (name, direction) in zip(objectives.titles, objectives.directions, strict=True)
                ],
                "values": np.ascontiguousarray(self._raw.T, dtype="<f8").tobytes(),
                "front": nondominated(matrix.values).astype(np.uint8).tobytes(),
                "scales": scales,
                "columns": _carried(frame, matrix),
                "tiers": _plain_tiers(tiers, matrix),
                "orders": [*orders, "inf"],
                "call": f"df.moo{self._binding()}",
                "nan_policy": nan_policy,
            },
            start,
        )  # fmt: skip

    @property
    def labels(self) -> pd.Index:
        """Labels of the rows."""
        return self.matrix.index

    @property
    def best(self) -> Hashable:
        """The chosen row."""
        return self.selection.best

    @property
    def selection(self) -> Selection:
        """The same choice as a result of ``copa``."""
        # One state for all: another thread may move the controls in between.
        state = self.state
        key = [state[name] for name in ("p", "weights", "normalize", "ranges")]
        return cast("Selection", self._once("selection", key, lambda: self._select(state)))

    @property
    def selected(self) -> pd.DataFrame:
        """Rows of the table that are brushed in the plots."""
        return self.frame.iloc[self.matrix.positions[np.array(self.state["selected"], dtype=int)]]

    @property
    def pinned(self) -> pd.DataFrame:
        """Rows of the table that were pinned for comparison."""
        return self.frame.iloc[self.matrix.positions[np.array(self.state["pinned"], dtype=int)]]

    @property
    def code(self) -> str:
        """The call that gives the same choice."""
        state = self.state
        weights = dict(zip(self.matrix.objectives, state["weights"], strict=True))
        lines = [f"p={json.dumps(state['p'])}", f"weights={weights!r}"]
        if where := self._where_code():
            lines.append(f"where={where}")
        if state["normalize"] != "cdf":
            lines.append(f'normalize="{state["normalize"]}"')
        inner = "".join(f"    {line},\n" for line in lines)
        return f"{self.data['call']}.copa(\n{inner})"

    def set_weight(self, objective: Hashable, value: float) -> None:
        """Set the weight of one objective, as its slider does: the unlocked other ones share the rest.

        Raises
        ------
        ValueError
            For an unknown objective.
        """
        moved = self.matrix.objectives.position(objective, "objective")
        weights, locked = np.array(self.state["weights"]), np.array(self.state["locked"])
        if locked[moved]:
            return
        free = ~locked
        free[moved] = False
        budget = max(1.0 - weights[locked].sum(), 0.0)
        weights[moved] = min(max(value, 0.0), budget) if free.any() else budget
        if free.any():
            shares = weights[free] / weights[free].sum() if weights[free].sum() > 0 else 1 / free.sum()
            weights[free] = (budget - weights[moved]) * shares
        self.move(weights=_rounded(weights), moved=moved)

    def set_range(self, objective: Hashable, low: float | None = None, high: float | None = None) -> None:
        """Limit the candidates by one objective, in its own units; None for no limit.

        Raises
        ------
        ValueError
            For an unknown objective.
        """
        limited = self.matrix.objectives.position(objective, "objective")
        ranges = [[low, high] if k == limited else limits for k, limits in enumerate(self.state["ranges"])]
        self.move(ranges=ranges)

    def _candidates(self, ranges: list[list[float | None]]) -> np.ndarray:
        """Rows of the table within all limits."""
        allowed = np.ones(len(self._raw), dtype=bool)
        for column, (low, high) in zip(self._raw.T, ranges, strict=True):
            allowed &= (low is None or column >= low) & (high is None or column <= high)
        where = np.zeros(len(self.frame), dtype=bool)
        where[self.matrix.positions[allowed]] = True
        return where

    def _select(self, state: dict[str, Any]) -> Selection:
        where = self._candidates(state["ranges"])
        if not where.any():
            raise ValueError("No row lies within all limits; widen one of them.")
        with warnings.catch_warnings():
            for given in (RunsWarning, RowsOmittedWarning):  # when the explorer was opened, not at every move
                warnings.simplefilter("ignore", given)
            return copa(
                DescribedFrame.of(self.frame, self.matrix.objectives, nan_policy=self.nan_policy), p=state["p"],
                weights=state["weights"], where=None if where[self.matrix.positions].all() else where,
                normalize=state["normalize"],
            )  # fmt: skip

    def _binding(self) -> str:
        remembered = self.frame.attrs.get(ATTRS_KEY, {}).get("objectives") or {}
        objectives = self.matrix.objectives
        words = [] if list(remembered.items()) == list(objectives.directions) else [f"{objectives.to_dict()!r}"]
        if self.nan_policy != "raise":
            words.append(f'nan_policy="{self.nan_policy}"')
        return f"({', '.join(words)})" if words else ""

    def _where_code(self) -> str:
        limits = [
            (self.data["objectives"][k], sign, limit)
            for k, (low, high) in enumerate(self.state["ranges"])
            for sign, limit in ((">=", low), ("<=", high))
            if limit is not None
        ]
        if not limits:
            return ""
        if all(objective["plain"] for objective, _, _ in limits):
            return repr(" and ".join(f"{objective['name']} {sign} {limit!r}" for objective, sign, limit in limits))
        return "lambda rows: " + " & ".join(f"(rows[{o['code']}] {sign} {limit!r})" for o, sign, limit in limits)

    def _draw(self, figure: Figure) -> None:
        """Draw the front and the ranks of the chosen row."""
        figure.set_size_inches(11, 5)
        left, right = figure.subplots(1, 2, width_ratios=[1.35, 1])
        names, scale = self.matrix.objectives.names, self.state["scale"]
        log = [name for name, values in zip(names, self._raw.T, strict=True) if scale == "log" and is_skewed(values)]
        plot_front(self.selection, x=names[self.state["x"]], y=names[self.state["y"]], labels=1, ax=left, log=log,
                   normalize="cdf" if scale == "cdf" else "none")  # fmt: skip
        plot_selection(self.selection, ax=right)

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        selection = self.selection
        table = selection.table[["rank", "score", *self.matrix.objectives.names]].head(_MOST_ROWS)
        caption = f"The best of {len(selection.ordered):,} candidates, p = {write_p(selection.p)}."
        sentences = explained(selection.parts()[1:])
        if self.tiers is not None:
            table.insert(2, "tier", self.tiers.table["tier"].reindex(table.index))
            sentences.append(self.tiers.explain())
        return f"Chosen: {names_of_rows(self.frame, [selection.best])[0]}", sentences, [(caption, table)]


def _counted(frame: pd.DataFrame, rows: pd.Index) -> str:
    """What the labels count, if they are numbers: "row" or "trial"."""
    if not len(rows) or row_in_words(frame, rows[0]) == names_of_rows(frame, rows[:1])[0]:
        return ""
    return "row" if frame.index.name is None else str(frame.index.name)


def _own_units(frame: pd.DataFrame, matrix: ObjectiveMatrix, nan_policy: str) -> np.ndarray:
    """Values in the objectives' own units, shape (n, k); missing values stay missing."""
    if nan_policy != "worst":
        return matrix.original()
    columns = [frame[name].to_numpy(dtype=float, na_value=np.nan) for name in matrix.objectives]
    return np.column_stack(columns)[matrix.positions]


def _scale(matrix: ObjectiveMatrix, how: str) -> dict[str, Any]:
    """Origin and unit of a normalization, or the reason why there is none."""
    try:
        scale = cast("Scale", fit_normalizer(matrix, how))
    except ValueError as error:
        return {"error": str(error)}
    return {"origin": scale.origin.tolist(), "unit": scale.unit.tolist()}


def _carried(frame: pd.DataFrame, matrix: ObjectiveMatrix) -> list[dict[str, Any]]:
    """The other columns of the table as text, for tooltips and the comparison."""
    if len(matrix.index) > _MOST_ROWS_CARRIED:
        return []
    others = [c for c, name in enumerate(frame.columns) if name not in matrix.objectives][:_MOST_CARRIED]
    rows, titles = frame.iloc[matrix.positions], text.spoken_columns(frame)
    return [{"label": titles[c], "texts": [text.cell_text(value) for value in rows.iloc[:, c]]} for c in others]


def _plain_tiers(tiers: Board | None, matrix: ObjectiveMatrix) -> dict[str, Any] | None:
    """Tier and rank interval of each row, and the decision that they belong to."""
    if tiers is None:
        return None
    return {
        **{name: tiers.table[name].tolist() for name in ("tier", "low", "high")},
        "size": len(tiers.table),
        "most": int(tiers.table["tier"].max()),
        "said": f"α = {tiers.alpha:g}, {tiers.measured}",
        "weights": _rounded(resolve_weights(matrix.objectives, tiers.choice.weights)),
        "p": _plain_order(tiers.choice.p),
    }


def _is_plain(name: Hashable, frame: pd.DataFrame) -> bool:
    """Whether a label can stand in an expression as it is."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        return False
    try:
        candidate_mask(frame.head(1).assign(**{name: 0.0}), f"{name} >= 0")
    except ValueError:
        return False
    return True
