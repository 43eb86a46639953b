"""Of searches and training runs: from validation to test, and significance over seeds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from copa_nb.accessor.asked import Asked, Frame, verb
from copa_nb.results.citing import of_paper

if TYPE_CHECKING:
    from copa_nb.generalization.result import Gap
    from copa_nb.pareto.attainment import Attainment
    from copa_nb.pareto.reference_points import ReferencePointLike
    from copa_nb.significance.audit import Audit, ClaimsLike
    from copa_nb.significance.result import HypervolumeTest
    from copa_nb.tables.candidates import Where


class Searching(Asked[Frame]):
    """Of searches and training runs: from validation to test, and significance over seeds."""

    @verb
    @of_paper("feurer2023gap")
    def gap(
        self,
        *,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        keep: str = "all",
        where: Where = None,
    ) -> Gap:
        """Take the Pareto front on validation scores and measure what it is worth on test scores.

        Measures the optimistic front (equation 1), the pessimistic front (equation 2) and the approximation gap
        between their hypervolumes [1]_.

        Parameters
        ----------
        reference : "worst", mapping of objective to value, or Reference
            The reference point, in the objectives' own units. "worst" takes the worst value of each on
            validation or test, moved outwards by `reference_margin` of the range. Only a fixed point makes tables
            comparable; for precision and recall the paper's is 0 for both.
        %(reference_margin)s
        keep : {"all", "first", "bounds"}
            Whether rows with equal scores stay together on a front (default), or only the first stays, as in the
            authors' program. Matters where rows with equal validation scores differ on test: "bounds" gives the
            smallest and the largest values over all ways to keep one of them, and comparisons then tell which verdicts
            the choice among ties decides.
        where : str, mask or callable, optional
            Rows that may be on a front: an expression over columns, a mask, or a function of the frame. The
            pessimistic front is fragile: one row of the validation front that is worst in everything on test
            (it never predicts the class, say) is dominated by all others and forms the pessimistic front alone.
            The authors' program leaves such rows out.

        Returns
        -------
        Gap
            Of one search, or of all that the description tells apart: repetitions are in ``gaps``, and of several
            systems or groups it is a mapping of their labels.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For unknown columns, indices that do not match, missing scores, a row that is infinitely good (its
            hypervolume would be infinite), or an order that is missing or not unique within a search.

        See Also
        --------
        copa_nb.results.Gap.budgets : The gap of a search as its budget grows.
        copa_nb.results.Gap.bootstrap : The gap under resampling of the test set.
        copa_nb.results.Gap.compare : Which of two methods has the better front.

        References
        ----------
        .. [1] Feurer, Eggensperger, Bergman, Pfisterer, Bischl and Hutter, "Mind the Gap: Measuring Generalization
           Performance Across Multiple Objectives", IDA 2023, section 3, https://arxiv.org/abs/2212.04183.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame(
        ...     {"val_precision": [0.9, 0.6, 0.4], "val_recall": [0.2, 0.5, 0.8],
        ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]},
        ...     index=["careful", "middle", "eager"],
        ... )
        >>> result = runs.moo({"precision": "max", "recall": "max"}).gap(reference={"precision": 0, "recall": 0})
        >>> list(result.optimistic), list(result.pessimistic)
        (['careful', 'eager'], ['careful', 'middle'])
        >>> print(f"{result.hv_optimistic:.2f} - {result.hv_pessimistic:.2f} = {result.gap:.2f}")
        0.33 - 0.27 = 0.06
        """
        from copa_nb.generalization.gap import gap

        answer: Gap = self._ask(gap, reference=reference, reference_margin=reference_margin, keep=keep, where=where)
        return answer

    @verb
    @of_paper("boyi2026significance")
    def hv_test(
        self,
        new: Hashable | Sequence[Hashable],
        baseline: Hashable | Sequence[Hashable],
        *,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        indicator: str = "hypervolume",
        unit: str = "run",
        alternative: str = "two-sided",
        paired: bool = False,
        n_resamples: int = 5000,
        method: str = "auto",
        two_sided: str = "tails",
        alpha: float = 0.05,
        rng: int | np.random.Generator | None = 0,
    ) -> HypervolumeTest:
        """Test whether the front of one or more new systems differs from a baseline's by more than run-to-run noise.

        The statistic [1]_ is the hypervolume of the new front minus that of the baseline front. If the systems do not
        differ, their labels are exchangeable over the union of the runs; p is the share of permutations of the labels
        whose difference is at least as large.

        Exchangeable labels mean equal noise as well as equal means: the luckiest runs make the front over all runs, so
        a noisier system has the larger one. Every result therefore also compares the hypervolumes of single runs
        (``per_run``), with an interval, and calls nothing significant that this comparison does not support.

        The test estimates the difference in the *expected hypervolume of a single run*, not a difference between the
        means of the objectives. With independent objectives the two agree: the expected hypervolume of a run is that of
        the means, as long as runs are better than the reference point. Correlated objectives change it. Of two systems
        with equal means, the one whose good accuracies come with low costs has the larger expected hypervolume, and
        enough runs detect that difference. The other indicators also depend on the spread of the runs. The result
        reports correlations and spreads that differ markedly.

        Parameters
        ----------
        new, baseline : label or list of labels
            One system or several on each side.
        %(reference_point)s
        %(reference_margin)s
        indicator : {"hypervolume", "r2", "igd+", "epsilon"}
            Indicator by which fronts and single runs are compared. The others (smaller is better; the paper names R2
            for four and more objectives) need no reference point: they are measured against the front of all runs of
            both sides, with objectives scaled by their range over these runs. Differences are those of minus the
            indicator, so a positive difference is an improvement. See :meth:`copa_nb.results.Attainment.indicators`.
        unit : {"run", "mean"}
            Fronts over all runs, as in the paper, or over the systems' means.
        alternative : {"two-sided", "greater", "less"}
            Whether the new front is different, better or worse.
        paired : bool
            Exchange labels only within matched repeats, such as seeds or folds.
        n_resamples : int
            Random permutations B. If there are no more than B distinct ones, all are enumerated and p is exact.
        method : {"auto", "exact", "approximate"}
            Whether hypervolumes are exact; "auto" approximates where :meth:`hypervolume` does, and reports it.
        two_sided : {"tails", "paper"}
            What a two-sided p counts: twice the smaller tail, or ``|D_b| >= |D|`` as in the paper. With equal numbers
            of runs per side both are the same, and the paper's count is used. With unequal numbers the null
            distribution is not centered at zero, and the paper's count can miss any difference.
        alpha : float
            Level of significance for the verdict.
        %(rng)s

        Returns
        -------
        HypervolumeTest

        Raises
        ------
        %(gate_errors)s
        ValueError
            For unknown or overlapping systems, repeated (system, repeat) rows, repeats that do not match under
            `paired`, logarithms of values that are not positive, or if no run is better than the reference point.

        See Also
        --------
        audit : many claims against the same reference point.
        copa_nb.power : how likely the test is to detect an improvement.
        copa_nb.results.HypervolumeTest.reporting : what to report.

        References
        ----------
        %(significance_paper)s
           Section 3.2: the test and its p-value.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
        ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
        ... })
        >>> test = runs.moo(accuracy="max", cost="min", system="agent", repeat="run").hv_test("A", "B")
        >>> test
        <HypervolumeTest Δ=0.1902, p=0.02857 (exact)>
        """
        from copa_nb.significance.hv_test import hv_test

        answer: HypervolumeTest = self._ask(
            hv_test,
            new=new,
            baseline=baseline,
            reference=reference,
            reference_margin=reference_margin,
            indicator=indicator,
            unit=unit,
            alternative=alternative,
            paired=paired,
            n_resamples=n_resamples,
            method=method,
            two_sided=two_sided,
            alpha=alpha,
            rng=rng,
        )
        return answer

    @verb
    @of_paper("boyi2026significance")
    def audit(
        self,
        claims: ClaimsLike = None,
        *,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        indicator: str = "hypervolume",
        unit: str = "run",
        alternative: str = "two-sided",
        paired: bool = False,
        n_resamples: int = 5000,
        method: str = "auto",
        two_sided: str = "tails",
        alpha: float = 0.05,
        rng: int | np.random.Generator | None = 0,
    ) -> Audit:
        """Test many claims of improvement against the same reference point [1]_.

        Parameters
        ----------
        claims : DataFrame or list of (new, baseline), optional
            What to test: a table with columns ``new`` and ``baseline`` (one system, or a list of them) and, if each
            claim belongs to one domain, the `by` columns; or pairs, tested in every domain. By default, every ordered
            pair of systems in which the means of one are a Pareto improvement on those of the other.
        reference, reference_margin, indicator, unit, alternative, paired, n_resamples, method, two_sided, alpha :
            See :meth:`hv_test`.
        rng : int, Generator or None
            Every claim is tested with the same seed, so its p-value equals that of :meth:`hv_test`.

        Returns
        -------
        Audit
            A significant claim is significant on its own, by single runs, and by the t-test of single runs after Holm's
            adjustment. With few runs, permutations cannot give a p-value small enough for many comparisons, but t can.
            Significance is by Holm's adjustment. That of Benjamini and Hochberg needs positively dependent tests, that
            of Benjamini and Yekutieli [2]_ does not. If the data suggest the claims, p-values are adjusted for all
            pairs of systems.

        Raises
        ------
        %(gate_errors)s
        ValueError
            As for :meth:`hv_test`; if claims name an unknown domain, or a table of claims lacks the columns; if
            the audit would take too long or too much memory.

        Notes
        -----
        An audit that is forecast to take more than ten minutes on one processor, or 4 GB of memory, is refused: see
        :func:`copa_nb.options`.

        The number of suggested claims grows with the square of the number of systems. Each test takes about 4 kB of
        memory and 8 bytes per permutation.

        See Also
        --------
        hv_test : a single claim.

        References
        ----------
        %(significance_paper)s
           Section 4: audits of claimed improvements.
        .. [2] Y. Benjamini and D. Yekutieli, "The control of the false discovery rate in multiple testing under
           dependency", Annals of Statistics 29, 2001.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "agent": ["A"] * 4 + ["B"] * 4 + ["C"] * 4, "run": [1, 2, 3, 4] * 3,
        ...     "accuracy": [0.8, 0.82, 0.81, 0.83, 0.7, 0.71, 0.69, 0.72, 0.7, 0.72, 0.71, 0.69],
        ...     "cost": [2.0, 2.1, 1.9, 2.0, 3.0, 3.1, 2.9, 3.0, 2.9, 3.1, 2.9, 3.0],
        ... })
        >>> outcome = copa_nb.moo(runs, {"accuracy": "max", "cost": "min"}, system="agent", repeat="run").audit()
        >>> outcome
        <Audit of 3 claims, 1 not significant>
        >>> outcome.table[["new", "baseline", "runs_pvalue", "holm"]].round(3)
          new baseline  runs_pvalue   holm
        0   A        B        0.029  0.029
        1   A        C        0.029  0.029
        2   C        B        0.743  0.743
        """
        from copa_nb.significance.audit import audit

        answer: Audit = self._ask(
            audit,
            claims=claims,
            reference=reference,
            reference_margin=reference_margin,
            indicator=indicator,
            unit=unit,
            alternative=alternative,
            paired=paired,
            n_resamples=n_resamples,
            method=method,
            two_sided=two_sided,
            alpha=alpha,
            rng=rng,
        )
        return answer

    @verb
    @of_paper("grunert2001attainment")
    def attainment(self, *, normalize: str = "none") -> Attainment:
        """Which points each system attains in which share of its runs: the empirical attainment function.

        A run attains a point if it holds one that is at least as good in every objective. The surface at level .5 is
        what half of the runs attain, the multi-objective median [1]_.

        Parameters
        ----------
        normalize : {"none", "cdf"}
            The values themselves, or their ranks among all rows, which have no units.

        Returns
        -------
        Attainment

        Raises
        ------
        %(gate_errors)s
        ValueError
            With one objective or more than three, or with infinite values.

        See Also
        --------
        copa_nb.results.Attainment.indicators : One number per run.

        References
        ----------
        .. [1] V. Grunert da Fonseca, C. M. Fonseca and A. O. Hall, "Inferential Performance Assessment of Stochastic
           Optimisers and the Attainment Function", EMO 2001.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame(
        ...     {"method": "A", "repeat": [1, 1, 2, 2], "cost": [1.0, 2.0, 1.5, 3.0], "time": [3.0, 1.0, 2.0, 1.0]}
        ... )
        >>> found = copa_nb.moo(runs, {"cost": "min", "time": "min"}, system="method", repeat="repeat").attainment()
        >>> found.surface("A", 0.5)
        array([[1. , 3. ],
               [1.5, 2. ],
               [2. , 1. ]])
        >>> found.attained("A", {"cost": 1.5, "time": 2.0})
        0.5
        """
        from copa_nb.pareto.attainment import attainment

        answer: Attainment = self._ask(attainment, normalize=normalize)
        return answer
