"""Rankings of the same rows under several criteria, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, to_minimisation
from copa_nb.results import Grouped, PlotMethod, by_group
from copa_nb.selection.arrays import criterion
from copa_nb.selection.arrays import normalization as other_methods
from copa_nb.selection.arrays.normalization import DegenerateColumnError
from copa_nb.selection.arrays.ranks import strictly_better
from copa_nb.selection.criterion import WeightsLike, resolve_p, resolve_weights, write_p
from copa_nb.selection.normalize import ReferenceLike, fit_normalizer
from copa_nb.selection.populations import Reference, placed_objectives

CriterionLike: TypeAlias = "str | float"
DEFAULT_CRITERIA: tuple[CriterionLike, ...] = ("mean", "relative", "minmax", 1, 2, 4, 8, "inf")
OTHER_METHODS = ("borda", "topsis", "weighted sum")
NAMED = ("mean", "relative", "minmax", "inf", *OTHER_METHODS)


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Ranks of every row under several criteria.

    Parameters
    ----------
    ranks : DataFrame of int, rows × criteria
        1 is best; rows that a criterion cannot tell apart share the lowest rank. Columns are the criteria
        as they were asked for.
    scores : DataFrame of float, rows × criteria
        What the ranks come from; smaller is better.
    objectives : Objectives
        Names and directions.
    weights : dict of objective to float
        Weights used by every criterion.
    """

    ranks: pd.DataFrame
    scores: pd.DataFrame
    objectives: Objectives
    weights: dict[Hashable, float]
    frame: pd.DataFrame = field(repr=False)

    @property
    def table(self) -> pd.DataFrame:
        """Ranks with the swing (largest minus smallest rank) of each row, sorted by the last criterion."""
        table = self.ranks.rename(columns=criterion_label)
        table["swing"] = self.ranks.max(axis=1) - self.ranks.min(axis=1)
        return table.sort_values(table.columns[-2], kind="stable")

    @property
    def agreement(self) -> pd.DataFrame:
        """Kendall's τ-b between the rankings of each two criteria."""
        correlation: pd.DataFrame = self.ranks.rename(columns=criterion_label).corr(method="kendall")
        return correlation

    def winners(self) -> pd.Series:
        """First row under each criterion."""
        return pd.Series(
            [self.ranks.index[int(np.argmin(self.ranks[column].to_numpy()))] for column in self.ranks],
            index=[criterion_label(column) for column in self.ranks],
            name="winner",
        )

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`ranks`."""
        return self.ranks

    plot = PlotMethod("plot_bump")

    def __repr__(self) -> str:
        names = ", ".join(criterion_label(column) for column in self.ranks)
        return f"<Comparison of {len(self.ranks):,} rows under {self.ranks.shape[1]} criteria ({names})>"

    def _repr_html_(self) -> str:
        caption = f"Ranks (1 is best) by {', '.join(self.objectives.labels)}."
        return text.html_table(self.table, caption=caption, most=20)


def compare(
    frame: pd.DataFrame,
    criteria: Sequence[CriterionLike] = DEFAULT_CRITERIA,
    *,
    objectives: ObjectivesLike = None,
    weights: WeightsLike = None,
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> Comparison | Grouped[Comparison]:
    """Rank every row under several criteria.

    Parameters
    ----------
    frame : DataFrame
        One row per model.
    criteria : sequence
        "mean": weighted mean of the raw values, each counted so that smaller is better. "relative": mean of
        (y - ideal) / abs(ideal), or of the relative difference to the row named by `reference` (the Δ of
        multi-task learning). "minmax": mean of the min-max scaled values. A number of at least 1, or "inf":
        COPA with that p. Other people's methods: "borda": mean rank, ties in the middle; "topsis": distance
        to the ideal relative to that to the worst point; "weighted sum": of value / best and best / cost
        (simple additive weighting). The name of an objective: that objective alone.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    weights : mapping of objective to share, or sequence, optional
        Importance, the same for every criterion; even if omitted.
    reference : Reference or row label, optional
        Frozen population for the scaled criteria; or the reference row for "relative".
    by : label or list of labels, optional
        One comparison per group.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.

    Returns
    -------
    Comparison, or a mapping of group to Comparison

    Raises
    ------
    ValueError
        For an unknown or repeated criterion, or a column that a criterion cannot scale.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7], "co2_kg": [9.0, 3.0, 2.0]}, index=["large", "medium", "small"]
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> models.moo.compare(["mean", "minmax", 1, "inf"]).ranks
            mean  minmax  1  inf
    large      3       2  1    2
    medium     2       1  1    1
    small      1       2  1    2
    """
    resolved = placed_objectives(frame, objectives, reference)
    keys = check_criteria(criteria, resolved)

    def run(group: pd.DataFrame) -> Comparison:
        return _compare(group, keys, resolved, weights, reference, nan_policy)

    return run(frame) if by is None else by_group(frame, by, run)


def criterion_label(item: Hashable) -> str:
    """Write a criterion for people: "mean", "p = 2", "p = ∞", or an objective's name."""
    if isinstance(item, str) and item not in ("inf", "∞") and not _is_number(item):
        return item
    return f"p = {write_p(float(_criterion(item)))}" if isinstance(item, str | int | float) else str(item)


def check_criteria(criteria: Sequence[CriterionLike], objectives: Objectives) -> dict[CriterionLike, str | float]:
    """Read the criteria: as they were given, each with a name or the order of a norm."""
    if isinstance(criteria, str) or not isinstance(criteria, Sequence) or len(criteria) == 0:
        raise TypeError(f"`criteria` is {criteria!r}; give a list such as ['mean', 'minmax', 1, 'inf'].")
    keys = [_criterion(item, objectives) for item in criteria]
    if len(set(keys)) < len(keys):
        raise ValueError(f"`criteria` is {list(criteria)!r}, which names a criterion twice; name each once.")
    return dict(zip(criteria, keys, strict=True))


def _compare(
    frame: pd.DataFrame, criteria: dict[CriterionLike, str | float], objectives: Objectives, weights: WeightsLike,
    reference: ReferenceLike, nan_policy: str,
) -> Comparison:  # fmt: skip
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    weight = resolve_weights(matrix.objectives, weights)
    rank_sums = strictly_better(matrix.values, matrix.values).sum(axis=1)

    def aggregated(key: str | float) -> tuple[np.ndarray, np.ndarray, float]:
        return _aggregated(matrix, key, weight, reference)

    return rank_rows(frame, matrix, criteria, weight, rank_sums, aggregated)


def rank_rows(
    frame: pd.DataFrame, matrix: ObjectiveMatrix, criteria: dict[CriterionLike, str | float], weight: np.ndarray,
    rank_sums: np.ndarray, aggregated: Callable[[str | float], tuple[np.ndarray, np.ndarray, float]],
) -> Comparison:  # fmt: skip
    """Rank the rows of a matrix among themselves under every criterion.

    Parameters
    ----------
    frame, matrix : DataFrame, ObjectiveMatrix
        The table and its costs.
    criteria : dict
        From :func:`check_criteria`.
    weight : ndarray of float64, shape (k,)
        Weights of the objectives.
    rank_sums : ndarray of int64, shape (n,)
        How many rows of the population are strictly better, summed over objectives.
    aggregated : callable
        Gives the values that a criterion aggregates, with which weights, and the order of its norm.
    """
    scores, ranks = {}, {}
    for item, key in criteria.items():
        values, weights_used, p = aggregated(key)
        scores[item], ranks[item], _ = criterion.order(values, weights_used, p, rank_sums)
    return Comparison(
        pd.DataFrame(ranks, index=matrix.index),
        pd.DataFrame(scores, index=matrix.index),
        matrix.objectives,
        dict(zip(matrix.objectives, weight.tolist(), strict=True)),
        frame,
    )


def _aggregated(
    matrix: ObjectiveMatrix, key: str | float, weights: np.ndarray, reference: ReferenceLike
) -> tuple[np.ndarray, np.ndarray, float]:
    """Values that a criterion aggregates, with which weights, and the order of its norm."""
    if key in OTHER_METHODS:
        return _other_scores(matrix, key, weights, reference)[:, None], np.ones(1), 1.0
    if is_alone(key, matrix.objectives):
        return matrix.values[:, [matrix.objectives.position(key)]], np.ones(1), 1.0
    values, p = _scaled(matrix, key, reference)
    return values, weights, p


def _scaled(matrix: ObjectiveMatrix, key: str | float, reference: ReferenceLike) -> tuple[np.ndarray, float]:
    """Values that a criterion aggregates, and the order of its norm."""
    frozen = reference if isinstance(reference, Reference) else None
    if key == "mean":
        return matrix.values, 1.0
    if key == "relative":
        return fit_normalizer(matrix, "relative", reference)(matrix.values), 1.0
    if key == "minmax":
        return fit_normalizer(matrix, "minmax", frozen)(matrix.values), 1.0
    return fit_normalizer(matrix, "cdf", frozen)(matrix.values), float(key)


def _other_scores(
    matrix: ObjectiveMatrix, method: str | float, weights: np.ndarray, reference: ReferenceLike
) -> np.ndarray:
    """Scores, smaller is better, of the methods that are not norms of normalised values."""
    population = reference.population(matrix.objectives) if isinstance(reference, Reference) else matrix.values
    try:
        if method == "topsis":
            return other_methods.topsis(matrix.values, population, weights)
        if method == "borda":
            shares = other_methods.mean_rank(matrix.values, population)
        else:
            shares = other_methods.ratio_shortfalls(matrix.values, population, matrix.objectives.signs < 0)
    except DegenerateColumnError as error:
        raise ValueError(f"objective {matrix.objectives.names[error.column]!r} {error.reason}.") from error
    scores: np.ndarray = shares @ weights
    return scores


def is_alone(item: Hashable, objectives: Objectives) -> bool:
    """Whether a criterion is an objective by itself. The named criteria come first."""
    return item not in NAMED and isinstance(item, str) and not _is_number(item) and item in objectives


def _criterion(item: Hashable, objectives: Objectives | None = None) -> str | float:
    if isinstance(item, str) and item not in ("inf", "∞") and not _is_number(item):
        if objectives is None or not is_alone(item, objectives):
            checks.one_of("criteria", item, (*NAMED, *(objectives.names if objectives is not None else ())))
        return item
    if not isinstance(item, str | int | float):
        raise TypeError(f"`criteria` holds {item!r}; allowed are {checks.listed(NAMED)} and numbers of at least 1.")
    return resolve_p("inf" if item == "∞" else item)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
