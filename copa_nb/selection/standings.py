"""Entities over many groups: how frameworks stand over tasks, each task with ranks of its own (COPA, Figure 8)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import positions_by_group, read_labels
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import ATTRS_KEY, ObjectiveMatrix, Objectives, ObjectivesLike, to_minimisation
from copa_nb.pareto.measurements import FEWEST_RESAMPLES, Measurements
from copa_nb.results import PlotMethod, Result
from copa_nb.selection.arrays.ranks import empirical_cdf
from copa_nb.selection.tiers import Tiers, tiers_of


@dataclass(frozen=True, repr=False, eq=False)
class Standings(Result):
    """How each item stands in each group.

    Parameters
    ----------
    ccdf : DataFrame, items × groups
        1 - û: share of the group's items that are no better; 1 for the best of the group. NaN where an item
        is not in a group. With several objectives the columns are pairs of group and objective.
    scaled : DataFrame, items × groups, or None
        0 for the baseline, 1 for the best of the group, negative below the baseline; NaN in groups where the
        baseline is the best. None without a baseline.
    values : DataFrame, items × groups
        The objective in its own units, with directions defined (one objective per column): this is what
        ``standings.values.moo.copa(p=...)`` chooses among when every group counts.
    baseline : label or None
        The item that `scaled` compares with.
    item, by : label
        Columns that name items and groups.
    """

    ccdf: pd.DataFrame
    scaled: pd.DataFrame | None
    values: pd.DataFrame
    baseline: Hashable | None
    item: Hashable
    by: Any
    n_omitted: int = field(default=0)

    @property
    def ranks(self) -> pd.DataFrame:
        """Rank of each item in each group, 1 for the best: û times the items in the group, plus 1."""
        return (1.0 - self.ccdf) * self.ccdf.notna().sum(axis=0) + 1.0

    @property
    def table(self) -> pd.DataFrame:
        """Per item, best first: mean, quartiles and smallest CCDF, mean rank, share of groups won, groups."""
        present = self.ccdf.notna()
        quartiles = self.ccdf.quantile([0.25, 0.5, 0.75], axis=1).T
        table = pd.DataFrame(
            {
                "mean": self.ccdf.mean(axis=1),
                "lower_quartile": quartiles[0.25],
                "median": quartiles[0.5],
                "upper_quartile": quartiles[0.75],
                "worst": self.ccdf.min(axis=1),
                "mean_rank": self.ranks.mean(axis=1),
                "won": (self.ccdf == 1.0).sum(axis=1) / present.sum(axis=1),
                "groups": present.sum(axis=1),
            }
        )
        return table.sort_values("mean", ascending=False, kind="stable")

    def tiers(
        self, *, alpha: float = 0.05, n_resamples: int = 2000, rng: int | np.random.Generator | None = 0
    ) -> Tiers:
        """Say which items cannot be told apart by their mean ranks, and between which places each may stand.

        Groups count as drawn independently from a population of such groups; a group with several objectives counts
        once, with the mean of its ranks. Groups that lack an item are left out.

        Parameters
        ----------
        alpha : float
            Largest probability that the place of any item is outside its interval.
        n_resamples : int
            Draws of errors; at least 100.
        rng : int, Generator or None
            Seed of the draws.

        Returns
        -------
        Tiers
            See :func:`copa_nb.tiers`; its objective is ``mean_rank``.

        Raises
        ------
        ValueError
            With fewer than two complete groups.
        """
        checks.fraction("alpha", alpha)
        n_resamples = checks.integer("n_resamples", n_resamples, least=FEWEST_RESAMPLES)
        ranks = self.ranks
        if isinstance(ranks.columns, pd.MultiIndex):
            ranks = ranks.T.groupby(level=0, sort=False).mean().T
        complete = ranks.loc[:, ranks.notna().all(axis=0)]
        if complete.shape[1] < 2:
            raise ValueError(
                f"`by`: {complete.shape[1]} of {ranks.shape[1]} groups have every item; at least two are needed to see "
                "any spread. Leave out items that are missing from many groups."
            )
        values = complete.to_numpy(dtype=np.float64).T[:, None, :, None]
        read = Measurements(ranks.index, Objectives((("mean_rank", "min"),)), items=values)
        found = tiers_of(read, "inf", None, alpha, n_resamples, checks.generator(rng))
        by = text.listing(self.by) if isinstance(self.by, list) else text.label(self.by)
        measured = f"mean ranks over {complete.shape[1]:,} {text.plural(self.by, f'groups ({by})')}"
        return replace(found, measured=measured, n_omitted=ranks.shape[1] - complete.shape[1])

    plot = PlotMethod("plot_ccdf")

    plot_scaled = PlotMethod("plot_scaled_performance")

    def __repr__(self) -> str:
        items, groups = self.ccdf.shape
        best = self.table.index.tolist()[0]
        return f"<Standings of {items} {self.item} over {groups:,} {self.by}, best on average: {best!r}>"

    def _card(self) -> str:
        caption = (
            f"Share of the items ({self.item}) of a group ({self.by}) that are no better (1 is best), over "
            f"{self.ccdf.shape[1]:,} groups."
        )
        return text.html_table(self.table, caption=caption, most=20)


@any_frame
@shared_parameters
def standings(
    frame: pd.DataFrame,
    *,
    item: Hashable,
    by: Any,
    objectives: ObjectivesLike = None,
    baseline: Hashable | None = None,
    nan_policy: str = "raise",
) -> Standings:
    """Compare items over groups: frameworks over tasks, optimizers over problems.

    Every group is a population of its own, so that a task on which all are close counts as much as one on
    which some fail badly.

    Parameters
    ----------
    frame : DataFrame
        One row per item and group.
    item : label
        Column (or index level) that names the items.
    by : label or list of labels
        Columns (or index levels) that make the groups.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set. With several, each group counts once per objective.
    baseline : label, optional
        Item to scale against: 0 is the baseline, 1 the best of the group.
    %(nan_policy)s

    Returns
    -------
    Standings

    Raises
    ------
    %(gate_errors)s
    ValueError
        If an item is in a group twice, or the baseline is missing from a group.

    See Also
    --------
    compare : Rankings of one table under several criteria.

    References
    ----------
    %(copa_paper)s
       The ranks are those of equation 6, within each group.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> results = pd.DataFrame({
    ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2"], "framework": ["a", "b", "rf"] * 2,
    ...     "auc": [0.9, 0.8, 0.7, 0.6, 0.95, 0.8]}).moo.define(auc="max")
    >>> standing = results.moo.standings(item="framework", by="task", baseline="rf")
    >>> standing.table["mean"].round(3).to_dict()
    {'b': 0.833, 'a': 0.667, 'rf': 0.5}
    >>> standing.scaled.round(3).loc["a"].to_dict()
    {'t1': 1.0, 't2': -1.333}
    """
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    kept = frame.iloc[matrix.positions]
    items = read_labels(kept, item, "item")
    codes, labels = items.codes, items.index
    groups = positions_by_group(kept, by)
    baseline_code = _baseline_code(labels, baseline)
    shape = (len(groups), len(matrix.objectives), len(labels))
    ccdf, scaled, own = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    for g, (group, rows) in enumerate(groups.items()):
        _check_group(codes[rows], labels, group, item, baseline_code)
        values = matrix.values[rows]
        ccdf[g, :, codes[rows]] = 1.0 - empirical_cdf(values)
        own[g, :, codes[rows]] = matrix.original(values)
        if baseline_code is not None:
            scaled[g, :, codes[rows]] = _scaled(values, values[codes[rows] == baseline_code][0])
    columns = _columns(list(groups), by, matrix)

    def items_by_group(array: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(array.reshape(-1, len(labels)).T, index=labels, columns=columns)

    return Standings(
        ccdf=items_by_group(ccdf),
        scaled=None if baseline_code is None else items_by_group(scaled),
        values=_with_directions(items_by_group(own), matrix),
        baseline=baseline,
        item=item,
        by=by,
        n_omitted=matrix.n_omitted,
    )


def _scaled(values: np.ndarray, baseline: np.ndarray) -> np.ndarray:
    room = baseline - values.min(axis=0)
    gain = baseline - values
    return np.divide(gain, room, where=np.broadcast_to(room > 0, gain.shape), out=np.full(gain.shape, np.nan))


def _baseline_code(labels: pd.Index, baseline: Hashable | None) -> int | None:
    if baseline is None:
        return None
    matches = np.flatnonzero([label == baseline for label in labels])
    if len(matches) == 0:
        raise ValueError(
            f"`baseline` is {baseline!r}, which is not an item; items are {checks.listed(labels)}."
            f"{checks.nearest(baseline, labels)}"
        )
    return int(matches[0])


def _check_group(codes: np.ndarray, labels: pd.Index, group: Hashable, item: Hashable, baseline: int | None) -> None:
    twice = np.flatnonzero(np.bincount(codes) > 1)
    if len(twice):
        raise ValueError(
            f"`by` group {group!r} has {labels[twice[0]]!r} more than once; average repeated rows first, or name "
            f"more columns in `by`, so that each {item} is in a group once."
        )
    if baseline is not None and baseline not in codes:
        raise ValueError(
            f"`baseline` {labels[baseline]!r} is missing from group {group!r}; leave that group out, or choose a "
            "baseline that is in every group."
        )


def _columns(groups: list[Hashable], by: Any, matrix: ObjectiveMatrix) -> pd.Index:
    names = matrix.objectives.names
    name = ", ".join(map(str, by)) if isinstance(by, list) else by
    written = [text.label(group) if isinstance(group, tuple) else group for group in groups]
    if len(names) == 1:
        return pd.Index(written, name=name)
    return pd.MultiIndex.from_product([written, names], names=[name, "objective"])


def _with_directions(values: pd.DataFrame, matrix: ObjectiveMatrix) -> pd.DataFrame:
    """Define every column as an objective, as far as labels are strings (attrs hold nothing else)."""
    if isinstance(values.columns, pd.MultiIndex):
        values.columns = pd.Index([text.label(column) for column in values.columns])
    directions = [direction for _, direction in matrix.objectives.directions] * (
        values.shape[1] // len(matrix.objectives)
    )
    if all(isinstance(column, str) for column in values.columns):
        values.attrs[ATTRS_KEY] = {"objectives": dict(zip(values.columns, directions, strict=True))}
    return values
