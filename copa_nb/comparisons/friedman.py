"""Friedman test of systems over items, and the critical difference of their mean ranks."""

from __future__ import annotations

__all__ = ["FriedmanTest"]

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part, say

# Fewer systems have a test of their own, and the chi-squared approximation is poor below the other two.
_FEWEST_SYSTEMS = 3
_ENOUGH_ITEMS, _ENOUGH_SYSTEMS = 10, 6
_MOST_NAMED = 2  # systems that a headline names besides the first


@dataclass(frozen=True, repr=False, eq=False)
class FriedmanTest(Worded):
    """Whether systems rank differently over items, and which mean ranks differ significantly.

    Parameters
    ----------
    mean_rank : Series
        Mean rank of each system over the items, best first; tied systems share the mean of their ranks.
    statistic, p_value : float
        Of the Friedman test, corrected for ties.
    critical_difference : float
        Two mean ranks that are further apart differ significantly (Nemenyi).
    cliques : list of lists of labels
        The largest sets of systems that do not differ significantly, best first. If the Friedman test does not reject,
        all systems are one clique.
    alpha : float
        Significance level of both tests.
    system, item : label
        Columns that name systems and items.
    n_items : int
        Items with every system.
    n_omitted : int
        Items left out because they lack a system.
    """

    paper = "demsar2006comparisons"

    mean_rank: pd.Series
    statistic: float
    p_value: float
    critical_difference: float
    cliques: list[list[Hashable]]
    alpha: float
    system: Hashable
    item: Any
    n_items: int
    n_omitted: int = 0

    @property
    def significant(self) -> bool:
        """Whether some systems rank differently: the p-value is at most `alpha`."""
        return self.p_value <= self.alpha

    @property
    def table(self) -> pd.DataFrame:
        """Per system, best first: its mean rank, and the numbers of its cliques; equal numbers: no difference."""
        members = [
            ", ".join(str(number) for number, clique in enumerate(self.cliques, 1) if label in clique)
            for label in self.mean_rank.index
        ]
        return pd.DataFrame({"mean_rank": self.mean_rank, "cliques": members})

    plot = Offered()

    def parts(self) -> list[Part]:
        """Whether systems rank differently, and which are not significantly worse than the best."""
        items, best = text.plural(self.item, "items"), text.row_name(self.mean_rank.index[0], self.system)
        test = part("friedman.reasons.test", n_items=self.n_items, items=items, pvalue=self.p_value, alpha=self.alpha)
        difference = part("friedman.reasons.difference", best=best, difference=self.critical_difference,
                          mean_rank=float(self.mean_rank.iloc[0]))  # fmt: skip
        return [self._verdict(), test, *[difference] * self.significant, *self.guarantee.parts()]

    def _verdict(self) -> Part:
        first, rows = self.mean_rank.index[0], len(self.mean_rank)
        found = {"best": text.row_name(first, self.system, first=True), "others": rows - 1,
                 "systems": text.plural(self.system, "systems")}  # fmt: skip
        if not self.significant:
            return part("friedman.headline.equal", rows=rows, systems=found["systems"])
        close = [text.row_name(label, self.system) for label in self.cliques[0] if label != first]
        if not close:
            return part("friedman.headline.alone", **found)
        kind = "named" if len(close) <= _MOST_NAMED else "counted"
        return part(f"friedman.headline.{kind}", **found, n=len(close), close=close)

    @property
    def guarantee(self) -> Guarantee:
        """What both tests guarantee, and what this table gives to doubt them."""
        items, warnings = text.plural(self.item, "items"), []
        if self.n_omitted:
            omitted = part("caveats.details.omitted_items", n=self.n_omitted, items=items)
            warnings.append(Caveat("missing_values", say(omitted)))
        if self.n_items <= _ENOUGH_ITEMS or len(self.mean_rank) <= _ENOUGH_SYSTEMS:
            warnings.append(Caveat("few_units", say(part("caveats.details.approximate"))))
        return Guarantee(
            estimates=f"mean ranks over {items}",
            sampled=f"independent {items}",
            holds="all systems that are said to differ do differ",
            confidence_level=1 - self.alpha,
            jointly=True,
            basis="asymptotic",
            method="Friedman's test, then Nemenyi's",
            warnings=tuple(warnings),
        )

    def __repr__(self) -> str:
        return (
            f"<FriedmanTest of {len(self.mean_rank)} {self.system} over {self.n_items:,} {self.item}: "
            f"{text.pvalue(self.p_value)}, critical difference {text.number(self.critical_difference, 3)}>"
        )


def friedman_test(
    costs: pd.DataFrame, *, alpha: float, system: Hashable, item: Any, n_omitted: int = 0
) -> FriedmanTest:
    """Test costs of systems (rows) on items (columns) without missing values; see ``MeanRanks.friedman``.

    Parameters
    ----------
    costs : DataFrame
        Less is better within an item; items need no common scale.
    alpha : float
        Significance level.
    system, item : label
        What rows and columns are called.
    n_omitted : int
        Items that were left out.

    Returns
    -------
    FriedmanTest

    Raises
    ------
    ValueError
        With fewer than three systems or two items, or if all systems tie on every item.
    """
    from scipy import stats

    n_systems, n_items = costs.shape
    _check_size(n_systems, n_items, n_omitted)
    if (np.ptp(costs.to_numpy(), axis=0) == 0).all():
        raise ValueError(f"`objectives`: all systems tie on each of the {n_items} items, so there is nothing to test.")
    ranks = stats.rankdata(costs.to_numpy(dtype=np.float64), axis=0)
    mean_rank = pd.Series(ranks.mean(axis=1), index=costs.index, name="mean_rank").sort_values(kind="stable")
    statistic, p_value = stats.friedmanchisquare(*ranks)
    quantile = stats.studentized_range.ppf(1 - alpha, n_systems, np.inf)
    difference = float(quantile * np.sqrt(n_systems * (n_systems + 1) / (12 * n_items)))
    cliques = _cliques(mean_rank, difference) if p_value <= alpha else [list(mean_rank.index)]
    return FriedmanTest(
        mean_rank, float(statistic), float(p_value), difference, cliques, alpha, system, item, n_items, n_omitted
    )


def _check_size(n_systems: int, n_items: int, n_omitted: int) -> None:
    if n_systems < _FEWEST_SYSTEMS:
        raise ValueError(
            f"`system`: the Friedman test needs at least three systems, but there are {n_systems}. Compare two with "
            "scipy.stats.wilcoxon."
        )
    if n_items < 2:
        raise ValueError(
            f"`item`: {n_items} of {n_items + n_omitted} items have every system; at least two are needed. Leave out "
            "systems that are missing from many items, or call board("
            f"{checks.setting('nan_policy', 'pairwise')}), which compares two systems on the items that have both."
        )


def _cliques(mean_rank: pd.Series, difference: float) -> list[list[Hashable]]:
    """Return the largest runs of sorted mean ranks that differ by no more than the critical difference."""
    values = mean_rank.to_numpy()
    ends = np.searchsorted(values, values + difference, side="right")
    starts = [start for start in range(len(ends)) if start == 0 or ends[start] > ends[start - 1]]
    return [mean_rank.index[start : ends[start]].tolist() for start in starts]
