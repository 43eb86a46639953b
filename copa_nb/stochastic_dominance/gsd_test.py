"""The static and the dynamic GSD test of whether a system is on the front, and their robustness to contamination.

The null hypothesis for each competitor is that it dominates the system; if all are rejected, the system is on the
front (Jansen et al. [1]_, section 4.1).

.. [1] C. Jansen, G. Schollmeyer, J. Rodemann, H. Blocher and T. Augustin, "Statistical Multicriteria Benchmarking via
   the GSD-Front", NeurIPS 2024, arXiv:2406.03924.
"""

from __future__ import annotations

__all__ = ["GsdTest"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.parallel import map_tasks
from copa_nb.docstrings import shared_parameters
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable, first_columns
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, briefest, part, say
from copa_nb.run_options import said
from copa_nb.stochastic_dominance.arrays.resampling import Pair, contaminated_pvalue, resampled_signs
from copa_nb.stochastic_dominance.dominance import Dominance
from copa_nb.tables.columns import label_order

# Labelings that share one program: the rows found for some serve the others, and the pieces go to all processors.
_LABELINGS_A_TASK = 250


@dataclass(frozen=True, repr=False, eq=False)
class GsdTest(Worded):
    """Tests of one system against its competitors; made by :meth:`GsdFront.test`.

    Parameters
    ----------
    system : label
        The system.
    statistics : Series
        Statistic of each competitor against the system: far below 0 if the competitor does not dominate it.
    pvalues : Series
        p-values of the null hypotheses "the competitor dominates the system".
    null_distributions : DataFrame
        Statistics under exchanged labels, one column per competitor.
    n_items : int
        Number of problems.
    alpha : float
        Level of both tests.
    paired : bool
        Whether labels were exchanged within problems.
    regularization : float
        As for ``df.moo.gsd_front()``.
    item : label
        Name of the column of the problems.
    front : Dominance, optional
        The front that was tested.
    """

    paper = "jansen2024gsd"

    _internals = frozenset(("front", "null_distributions", "of_system"))

    system: Hashable
    statistics: pd.Series
    pvalues: pd.Series
    null_distributions: pd.DataFrame
    n_items: int
    alpha: float
    paired: bool
    regularization: float
    item: Hashable = None
    front: Dominance | None = None

    def __repr__(self) -> str:
        return (
            f"<GsdTest of {self.system!r}: p={text.number(self.pvalue, 3)} (static), "
            f"{len(self.subset)} of {len(self.pvalues)} competitors rejected (dynamic)>"
        )

    @property
    def competitors(self) -> pd.Index:
        """Systems that the system was tested against."""
        return self.pvalues.index

    @property
    def pvalue(self) -> float:
        """p-value of the static test: the largest over the competitors."""
        return float(self.pvalues.max())

    @property
    def on_front(self) -> bool:
        """Whether the system is significantly on the front of all systems (static test)."""
        return bool(self.pvalue <= self.alpha)

    @property
    def adjusted_alpha(self) -> float:
        """Level of each comparison in the dynamic test: alpha over the number of competitors."""
        return self.alpha / len(self.pvalues)

    @property
    def subset(self) -> list[Hashable]:
        """Competitors for which the dynamic test rejects dominance: the system is on the front of these and itself."""
        return self.competitors[(self.pvalues <= self.adjusted_alpha).to_numpy()].tolist()

    @property
    def table(self) -> pd.DataFrame:
        """One line per competitor.

        Columns: ``statistic``, ``pvalue``; ``static`` and ``dynamic``, whether the test rejects that the competitor
        dominates the system; ``contaminated``, the largest number of items that could be arbitrary without changing
        the dynamic rejection (-1 if there is none).
        """
        return pd.DataFrame(
            {
                "statistic": self.statistics,
                "pvalue": self.pvalues,
                "static": self.pvalues <= self.alpha,
                "dynamic": self.pvalues <= self.adjusted_alpha,
                "contaminated": [self._withstands(name) for name in self.competitors],
            }
        )

    def robustness(self, most: int | None = None) -> pd.DataFrame:
        """p-values if up to k unknown items were contaminated, that is, arbitrary (section 4.2).

        Parameters
        ----------
        most : int, optional
            Largest k; by default the smallest at which no comparison is significant, and at least 5.

        Returns
        -------
        DataFrame
            Indexed by k, one column per competitor.

        Raises
        ------
        ValueError
            For `most` below 0.
        """
        if most is None:
            most = min(self.n_items, max(5, 1 + max(self._withstands(c, self.alpha) for c in self.competitors)))
        nulls = self.null_distributions.to_numpy().T
        ks = range(checks.integer("most", most, least=0) + 1)
        return pd.DataFrame(
            {
                place: [contaminated_pvalue(statistic, null, k, self.n_items) for k in ks]
                for place, (statistic, null) in enumerate(zip(self.statistics, nulls, strict=True))
            },
            index=pd.RangeIndex(len(ks), name="contaminated"),
        ).set_axis(self.competitors, axis=1)

    def parts(self) -> list[Part]:
        """Which systems to keep, which of them are on the front significantly, and how sure that is."""
        front = self.front
        return [
            self._headline(),
            self._static(),
            *([] if front is None else front.reasons()),
            *self._dynamic(),
            *self.guarantee.parts(),
            *([] if front is None else front.details()),
        ]

    def _headline(self) -> Part:
        """Which systems to keep if a front was tested; whether the system is on it significantly."""
        if self.front is None or self.front.front == [self.system]:
            return self.of_system()
        front = list(map(text.label, self.front.front))
        kind = "shown" if self.on_front else "open" if self.system in self.front.front else "off"
        found = {"front": front, "n": len(front), **self._called}
        return briefest(part(f"gsd_test.headline.{kind}_of{counted}", **found) for counted in ("", "_counted"))

    def of_system(self) -> Part:
        """Whether the system is significantly on the front."""
        return part(f"gsd_test.headline.{'shown' if self.on_front else 'open'}", **self._called)

    @property
    def _called(self) -> dict[str, Any]:
        systems = text.plural(self.competitors.name, "systems")
        return {"name": text.label(self.system), "total": len(self.competitors) + 1, "systems": systems}

    def _static(self) -> Part:
        n = len(self.competitors)
        kind = f"static_{'shown' if self.on_front else 'open'}{'_largest' * (n > 1)}"
        return part(f"gsd_test.reasons.{kind}", pvalue=self.pvalue, n=n, alpha=self.alpha, name=text.label(self.system))

    def _dynamic(self) -> list[Part]:
        items, n = text.plural(self.item, "items"), len(self.competitors)
        few = [] if self.on_front else [part("gsd_test.certainty.few_items", items=items)]
        if not self.subset:
            return [*([part("gsd_test.details.no_dynamic")] if n > 1 else []), *few]
        least = min(self._withstands(competitor) for competitor in self.subset)
        found = {"names": [text.label(name) for name in (self.system, *self.subset)], "least": least,
                 "total": self.n_items, "items": items, "alpha": self.adjusted_alpha}  # fmt: skip
        return [part(f"gsd_test.details.dynamic{'_not_any' * (not least)}", **found), *few]

    @property
    def guarantee(self) -> Guarantee:
        """What the static and the dynamic test guarantee."""
        items, systems = text.plural(self.item, "items"), text.plural(self.competitors.name, "systems")
        over = f"over all rows, as in the paper (conservative if {items} differ in difficulty, unlike a paired test)"
        return Guarantee(
            estimates=f"dominance over the population of {items}",
            sampled=f"independent {items}",
            holds="no competitor that dominates is rejected",
            confidence_level=1 - self.alpha,
            jointly=True,
            basis=f"Monte Carlo, and exact for {systems} that do not differ",
            method=f"{len(self.null_distributions):,} permutations; labels were exchanged "
            f"{f'within {items}' if self.paired else over}",
        )

    def to_answer(self) -> Answer:
        """Which systems are on the front, and whether this one is so significantly."""
        if self.front is None:
            return super().to_answer()
        question = part("gsd_test.question", systems=text.plural(self.front.systems.name, "systems"))
        return Answer.of(
            self.parts(),
            question=say(question),
            used="gsd_front",
            values={
                "front": self.front.front,
                "significant": [self.system] * self.on_front,
                "pvalues": {self.system: self.pvalue},
            },
        )

    def printed_tables(self) -> list[PrintedTable]:
        """Every competitor, and first whether the tests reject that it dominates the system."""
        items = text.plural(self.item, "items")
        table = first_columns(self.table, "dynamic", "static")
        contaminated = table["contaminated"].astype("Int64")
        caption = (
            f"Rejected by the dynamic and by the static test, statistic, p-value, and how many {items} could be "
            "contaminated without changing the dynamic one (–: not rejected)."
        )
        headers = {"pvalue": "p", "contaminated": f"contaminated {items} it withstands"}
        known = table.assign(contaminated=contaminated.mask(contaminated < 0))
        return [PrintedTable(frame=known, name="test", caption=caption, headers=headers, most=40)]

    plot = Offered()

    def _withstands(self, competitor: Hashable, level: float | None = None) -> int:
        place = list(self.competitors).index(competitor)
        statistic, null = float(self.statistics.iloc[place]), self.null_distributions.iloc[:, place].to_numpy()
        level = self.adjusted_alpha if level is None else level
        k = -1
        while contaminated_pvalue(statistic, null, k + 1, self.n_items) <= level:
            k += 1
        return k


@checks.refuse_others
@shared_parameters
def gsd_test(
    front: Dominance,
    system: Hashable | None = None,
    *,
    alpha: float = 0.05,
    n_resamples: int = 1000,
    paired: bool = False,
    rng: int | np.random.Generator | None = 0,
) -> GsdTest:
    """Test whether a system is significantly on the GSD front.

    For each competitor, the statistic ``min over u of (mean of u of the competitor - mean of u of the system)`` is
    compared with its values under exchanged labels. Small values are evidence that the competitor does not dominate
    the system. The static test concerns all competitors at once at level alpha; the dynamic test rejects for single
    competitors at level alpha divided by their number.

    Parameters
    ----------
    front : Dominance
        From ``df.moo.gsd_front()``.
    system : label, optional
        One of its systems, or what its label is as text; by default the one that stays on the front longest, to the
        largest δ.
    alpha : float
        Level of both tests.
    n_resamples : int
        Random permutations of the labels for each competitor. With these, p = (1 + count of statistics at most as
        large as the observed one) / (1 + `n_resamples`).
    paired : bool
        Exchange the two systems within items only. By default, all rows of both are divided at random, as in the paper.
    %(rng)s

    Returns
    -------
    GsdTest

    Raises
    ------
    ValueError
        For an unknown system.

    References
    ----------
    .. [1] C. Jansen, G. Schollmeyer, J. Rodemann, H. Blocher and T. Augustin, "Statistical Multicriteria
       Benchmarking via the GSD-Front", NeurIPS 2024, arXiv:2406.03924, section 4 and appendix A.2.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo(system="optimizer", item="problem").gsd_front()
    >>> test = front.test("Adam", n_resamples=99)
    >>> test.on_front
    False
    """
    labels = list(front.systems)
    chosen, alpha, n_resamples = check_test(labels, system, alpha, n_resamples)
    system = front.table["leaves_at"].idxmax() if system is None else chosen
    generator = checks.generator(rng)
    here = labels.index(system)
    others = [k for k in range(len(labels)) if k != here]
    # Labels are exchanged in the order of their names: the same seed gives the same answer whatever that of the table.
    values, n = front.suite.values[:, label_order(front.items)], len(front.items)
    pairs = map_tasks(
        lambda k: Pair(values[k], values[here], front.suite.is_ordinal), others, n_jobs=said().n_jobs, progress=False
    )
    tasks = []
    by_name = label_order(front.systems[others])
    drawn = {number: resampled_signs(n, n_resamples, paired, generator) for number in by_name}
    for number in range(len(others)):
        signs = drawn[number]
        tasks += [(number, signs[k : k + _LABELINGS_A_TASK]) for k in range(0, n_resamples, _LABELINGS_A_TASK)]
    found = map_tasks(
        lambda task: pairs[task[0]].statistics(task[1], front.regularization),
        tasks,
        n_jobs=said().n_jobs,
        progress=said().progress,
        label="permutations",
    )
    nulls = np.concatenate(found).reshape(len(others), n_resamples).T
    statistics = front.statistics.iloc[others, here].rename("statistic")
    pvalues = [contaminated_pvalue(d, nulls[:, k], 0, n) for k, d in enumerate(statistics)]
    return GsdTest(
        system,
        statistics,
        pd.Series(pvalues, statistics.index, name="pvalue"),
        pd.DataFrame(nulls, columns=statistics.index),
        n,
        alpha,
        bool(paired),
        front.regularization,
        front.items.name,
        front,
    )


def check_test(
    labels: Sequence[Hashable], system: Hashable | None, alpha: float, n_resamples: int, *, argument: str = "system"
) -> tuple[Hashable | None, float, int]:
    """Refuse options that the test does not take, and return the others: the label of the system is one of `labels`."""
    chosen = None if system is None else labeled(labels, system, argument)
    return chosen, checks.fraction("alpha", alpha), checks.integer("n_resamples", n_resamples)


def labeled(labels: Sequence[Hashable], system: Hashable, argument: str = "system") -> Hashable:
    """Return the label of a system that is named by it or as text.

    Parameters
    ----------
    labels : sequence of labels
        All systems.
    system : label
        The one that is meant.
    argument : str
        What names it, for errors.

    Raises
    ------
    ValueError
        If there is no such system.
    """
    meant = system if system in labels else next((one for one in labels if str(one) == system), None)
    if meant is None:
        raise ValueError(
            f"{checks.called(argument)} is {system!r}, which is not among the systems "
            f"{checks.listed(labels)}.{checks.nearest(system, labels)}"
        )
    return meant
