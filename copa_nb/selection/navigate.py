"""Navigating the front: what is selected as the weight of one objective grows (COPA, section 5.2)."""

from __future__ import annotations

__all__ = ["Navigation"]

import functools
import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.pareto.arrays.dominance import contenders, nondominated
from copa_nb.ranking.arrays.criterion import weighted_norm, winners_along
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS, DegenerateColumnError
from copa_nb.ranking.arrays.ranks import RankShares
from copa_nb.ranking.criterion import write_p
from copa_nb.ranking.populations import Reference
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.selection.decision import headers_of
from copa_nb.selection.sensitivity import Chosen
from copa_nb.tables.objectives import ObjectiveMatrix

_LONG = 12  # rows of a path that a page shows at once
_MOST_RANGES = 6  # that a sentence lists


@dataclass(frozen=True, repr=False, eq=False)
class Navigation(Worded):
    """The rows selected along α, the weight of one objective.

    Parameters
    ----------
    objective : label
        The objective whose weight is α; the others share 1 - α evenly.
    path : DataFrame
        Indexed by ``importance``: ``selected`` (label), ``score``, the selected row's objective values, and
        ``u_<objective>``, its normalized values.
    n_distinct : int
        How many different rows are selected.
    p : float
        Order of the norm.
    normalize : str
        Normalization.
    matrix : ObjectiveMatrix
        Costs of all rows.
    positions : ndarray of int64, shape (n_alphas,)
        Row of `matrix` selected at each α.
    contenders : ndarray of int64
        Candidates, as rows of `matrix`, that include their whole front and, in a large table, others too.
    frame : DataFrame
        The table itself.
    choice : Selection
        The choice whose weight is varied.

    Attributes
    ----------
    front : ndarray of int64
        Rows of `matrix` on the front of the candidates. Found at first use: it is not needed for a path.
    places : ndarray of float64, shape (n_alphas,)
        Place on the front of the row selected at each α: the share of the other front rows that are worse in the
        navigated objective, from 0 where it is worst to 1 where it is best.
    evenness : float
        1 minus the Kolmogorov-Smirnov distance between the selected rows' positions along the front (front
        rows ordered by the navigated objective, as shares of the front) and the uniform distribution: near
        1 if equal steps in α make equal steps along the front, near 0 if every α selects the same position.
    """

    paper = "javaloy2025copa"

    _internals = frozenset(("choice", "contenders", "on_all_scales", "places", "positions"))

    objective: Hashable
    path: pd.DataFrame
    n_distinct: int
    p: float
    normalize: str
    matrix: ObjectiveMatrix
    positions: np.ndarray
    contenders: np.ndarray
    frame: pd.DataFrame
    choice: Chosen

    @classmethod
    def of(
        cls, choice: Chosen, objective: Hashable | None = None, importances: int | Sequence[float] = 101
    ) -> Navigation:
        """Sweep the weight of one objective of a choice; see :meth:`copa_nb.results.Selection.navigate`."""
        objective = max(choice.weights, key=choice.weights.__getitem__) if objective is None else objective
        return cls._swept(choice, objective, sweep_steps(importances), choice.normalize, choice.normalized_costs)

    @classmethod
    def _swept(
        cls, choice: Chosen, objective: Hashable, steps: np.ndarray, normalize: str, placed: np.ndarray | RankShares
    ) -> Navigation:
        swept = choice.objectives.position(objective)
        matrix = replace(choice.matrix, candidates=None if choice.candidates.all() else choice.candidates)
        # Only Pareto-optimal candidates can win (see arrays.criterion), so others need not be scored.
        rows = matrix.allowed()
        rows = rows[contenders(matrix.values if len(rows) == len(matrix.values) else matrix.values[rows])]
        normalized = placed[rows]
        rest = (1.0 - steps) / (len(matrix.objectives) - 1)
        weights = np.repeat(rest[:, None], len(matrix.objectives), axis=1)
        weights[:, swept] = steps
        chosen = winners_along(normalized, weights, choice.p, choice.rank_sums(rows))
        pairs = zip(normalized[chosen, None], weights, strict=True)
        scores = np.array([weighted_norm(row, weight, choice.p)[0] for row, weight in pairs])
        positions = rows[chosen]
        return cls(
            objective=objective,
            path=_path(matrix, steps, positions, scores, normalized[chosen]),
            n_distinct=len(np.unique(positions)),
            p=choice.p,
            normalize=normalize,
            matrix=matrix,
            positions=positions,
            contenders=rows,
            frame=cast("pd.DataFrame", matrix.frame),
            choice=choice,
        )

    def on_all_scales(self) -> dict[str, Navigation]:
        """Return the paths of the same weight under every normalization that fits the table, this one's first.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [9.0, 2.0, 1.0]}, index=list("abc"))
        >>> path = models.moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg")
        >>> {name: one.n_distinct for name, one in path.on_all_scales().items()}
        {'cdf': 3, 'minmax': 3, 'relative': 3, 'none': 3}
        """
        # A frozen population is that of every scale; a row of comparison belongs to one.
        given = self.choice.reference
        frozen = given if isinstance(given, Reference) else None
        paths = {self.normalize: self}
        for name in NORMALIZATIONS:
            if name == self.normalize:
                continue
            try:
                placed = self.choice.on_scale(name, frozen)
            except ValueError as error:
                if isinstance(error.__cause__, DegenerateColumnError):
                    continue
                raise
            steps = self.path.index.to_numpy(dtype=float)
            paths[name] = self._swept(self.choice, self.objective, steps, name, placed)
        return paths

    @property
    def front(self) -> np.ndarray:
        """Rows of `matrix` on the front of the candidates."""
        return self._front

    @functools.cached_property
    def _front(self) -> np.ndarray:
        front: np.ndarray = self.contenders[nondominated(self.matrix.values[self.contenders])]
        return front

    @functools.cached_property
    def evenness(self) -> float:
        """How evenly steps in α move along the front: near 1 if evenly, near 0 if every α selects the same position."""
        swept = self.matrix.values[:, self.matrix.objectives.position(self.objective)]
        return _evenness(swept[self.front], swept[self.positions])

    @property
    def places(self) -> np.ndarray:
        """Place on the front at each α: 0 where the navigated objective is worst, 1 where it is best."""
        swept = self.matrix.values[:, self.matrix.objectives.position(self.objective)]
        front = np.sort(swept[self.front])
        worse: np.ndarray = len(front) - np.searchsorted(front, swept[self.positions], side="right")
        return worse / max(len(front) - 1, 1)

    @property
    def table(self) -> pd.DataFrame:
        """One row per selected model: the range of α over which it is selected, and its values."""
        changes = np.flatnonzero(np.diff(self.positions)) + 1
        starts = np.concatenate(([0], changes))
        ends = np.concatenate((changes, [len(self.positions)])) - 1
        importances = self.path.index.to_numpy()
        ranges = pd.DataFrame({"importance_from": importances[starts], "importance_to": importances[ends]})
        rows = self.path.iloc[starts].drop(columns="score").reset_index(drop=True)
        return pd.concat([ranges, rows], axis=1).set_index("selected")

    def at(self, importance: float) -> Hashable:
        """Return the row selected at the α nearest to the one given."""
        return self.path["selected"].iloc[int(np.argmin(np.abs(self.path.index.to_numpy() - importance)))]

    plot = Offered()

    def parts(self) -> list[Part]:
        """How many rows are selected as the weight of the objective grows, and which of them where."""
        table, weights, rows = self.table, self.path.index, self.matrix.index.name
        found = {"objective": text.spoken(self.objective), "n": self.n_distinct, "front": len(self.front)}
        allowed = "" if self.choice.candidates.all() else "_allowed"
        if self.n_distinct == 1:
            only = "one" if len(self.front) > 1 else "only"
            return [part(f"navigation.headline.{only}{allowed}", name=text.row_name(table.index[0], rows), **found)]
        ranges = [
            part("navigation.phrases.range", name=text.row_name(name, rows), low=low, high=high)
            for name, low, high in zip(table.index, table["importance_from"], table["importance_to"], strict=True)
        ]
        rest = len(ranges) - _MOST_RANGES
        more = [part("navigation.phrases.more", n=rest)] if rest > 0 else []
        sweep = {"low": weights[0], "high": weights[-1], "ranges": [*ranges[:_MOST_RANGES], *more]}
        return [
            part(f"navigation.headline.several{allowed}", **found),
            part("navigation.reasons.ranges", objective=found["objective"], **sweep),
            part("navigation.details.evenness", evenness=self.evenness),
        ]

    def printed_tables(self) -> list[PrintedTable]:
        """The rows chosen as the weight grows."""
        swept = text.spoken(self.objective)
        values = "shares of rows that are better" if self.normalize == "cdf" else f"{self.normalize} values"
        headers = {
            **headers_of(self.matrix.objectives, self.normalize),
            "importance_from": "α from",
            "importance_to": "α to",
        }
        return [
            PrintedTable(
                frame=self.table,
                name="path",
                caption=f"Rows chosen as α, the weight of {swept}, grows, with their values and {values}.",
                headers={name: title for name, title in headers.items() if name in self.table},
                folded=len(self.table) > _LONG,
            )
        ]

    def __repr__(self) -> str:
        return (
            f"<Navigation of {self.objective!r}: {self.n_distinct} of {len(self.front):,} front rows over "
            f"{len(self.path)} α, evenness {self.evenness:.2f}, p={write_p(self.p)}, {self.normalize}>"
        )

    def _card(self) -> str:
        caption = (
            f"Rows selected as the weight α of {text.spoken(self.objective)} goes from {self.path.index[0]:g} to "
            f"{self.path.index[-1]:g}; p = {write_p(self.p)}, normalization {self.normalize}; {self.n_distinct} of "
            f"{len(self.front):,} front rows, evenness {self.evenness:.2f}."
        )
        headers: dict[object, str] = dict(zip(self.matrix.objectives.names, self.matrix.objectives.titles, strict=True))
        return text.html_table(self.table.reset_index(), caption=caption, headers=headers, most=20)


def _path(
    matrix: ObjectiveMatrix, importances: np.ndarray, positions: np.ndarray, scores: np.ndarray, normalized: np.ndarray
) -> pd.DataFrame:
    frame = cast("pd.DataFrame", matrix.frame)
    columns: dict[Hashable, Any] = {"selected": matrix.index[positions], "score": scores}
    for name in matrix.objectives:
        shown = f"{name} (value)" if name in columns else name
        columns[shown] = frame[name].array[matrix.positions[positions]]
    for k, name in enumerate(matrix.objectives):
        columns[f"u_{name}"] = normalized[:, k]
    return pd.DataFrame(columns, index=pd.Index(importances, name="importance"))


def _evenness(front: np.ndarray, selected: np.ndarray) -> float:
    """Compare places along the front with a uniform distribution, given values of the swept objective.

    Places run from 0 to 1 over the front ordered by the swept objective; rows with equal values share the
    middle of their places.
    """
    ordered = np.sort(front)
    low = np.searchsorted(ordered, selected, side="left")
    high = np.searchsorted(ordered, selected, side="right")
    places = np.sort((low + high) / 2.0 / len(front))
    steps = np.arange(len(places))
    distance = np.maximum((steps + 1) / len(places) - places, places - steps / len(places)).max()
    return float(1.0 - distance)


def sweep_steps(importances: int | Sequence[float]) -> np.ndarray:
    """Read `importances`: how many steps from 0 to 1, or the steps themselves."""
    if isinstance(importances, numbers.Integral) and not isinstance(importances, bool):
        return np.linspace(0.0, 1.0, checks.integer("importances", importances, least=2))
    try:
        steps = np.asarray(importances, dtype=float)
    except (TypeError, ValueError):
        steps = np.array([np.nan])
    if steps.ndim != 1 or len(steps) == 0 or not ((steps >= 0) & (steps <= 1)).all() or (np.diff(steps) <= 0).any():
        raise ValueError(
            f"`importances` is {importances!r}; give a whole number of at least 2, or numbers from 0 to 1 in "
            "ascending order."
        )
    return steps
