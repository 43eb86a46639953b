"""How sure it is: comparisons of systems on items or runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from copa_nb.accessor.asked import Asked, Frame, verb
from copa_nb.results.citing import of_paper

if TYPE_CHECKING:
    from copa_nb.comparisons.board import Board
    from copa_nb.comparisons.compare import Comparison
    from copa_nb.comparisons.confident_front import ConfidentFront
    from copa_nb.ranking.criterion import WeightsLike
    from copa_nb.tables.missing_values import Bounds


class Certainty(Asked[Frame]):
    """How sure it is: comparisons of systems on items or runs."""

    @verb
    @of_paper("tango1998equivalence")
    def compare(
        self,
        new: Hashable | None = None,
        baseline: Hashable | None = None,
        *,
        margin: Mapping[Hashable, float] | None = None,
        alpha: float = 0.05,
        bounds: Bounds = None,
    ) -> Comparison:
        """Compare two systems on the same items: is the new one better, in which objective, and how certain is it?

        Per objective, the mean difference over items with an interval and a p-value, paired by item. Right and wrong
        answers are compared by McNemar's mid-p test and Tango's score interval [1]_ [2]_, scores in a declared range by
        betting [4]_, everything else by the paired t-test, with standard errors that are robust to clusters. The
        intervals of all objectives hold together, and so does every statement that follows from them: that the new
        system dominates, that it is better in one objective and not worse by a margin in another, or that nothing can
        be told.

        Parameters
        ----------
        new : label, optional
            The system that may be better; where the table has two, the second of them by default.
        baseline : label, optional
            The system that it is compared with; where the table has two, the first of them by default.
        margin : mapping of objective to number, optional
            How much worse is still acceptable, in the objective's own units; 0 where left out.
        alpha : float
            Probability that any interval or verdict is wrong.
        bounds : mapping of objective to (low, high), optional
            Range that no score can leave, e.g. ``{"f1": (0, 1)}``. The interval of the objective then holds for any
            number of items and any scores, also for losses that are too rare to have been seen; it is about
            1.4 times as wide. Right and wrong answers have such tests anyway. With ``nan_policy="bounds"``, what a
            missing value may be, with None for an open end; by default, what was observed.

        Returns
        -------
        Comparison

        Raises
        ------
        %(gate_errors)s
        ValueError
            If a system is not in the table, a margin is negative or of no objective, or items, clusters or repetitions
            are inconsistent.

        See Also
        --------
        cheaper : Which of many systems cost less and are as good.
        confident_front : The front of many systems; seeds that all items share.
        Comparison.needed : How many items would settle an undecided comparison.
        hv_test : The same question for fronts of independent runs.

        Notes
        -----
        With K objectives, each interval has the level ``(1 - alpha) ** (1 / K)`` after Šidák. Variances and degrees of
        freedom of clusters are those of bias-reduced linearization [3]_. Where items share repetitions, the variance is
        that between items plus what repetitions add to it. Tango's interval is extended to 0 where McNemar's mid-p test
        does not reject. No p-value of m items or clusters is below that of a sign test in which all of them agree,
        ``2 ** (1 - m)``; with too few for `alpha`, nothing is decided.

        With ``nan_policy="bounds"``, an interval spans those of the two ends, and the p-value is the larger one, or 1
        if the ends disagree on which system is better. The table shows means and differences half way between the ends.
        Values between the ends may make an interval a little wider than both ends do: in 2 of 1,994 fillings of small
        tables, in none of which a verdict was another one.

        With `bounds`, a difference d of two scores in a range of width R is bet on to exceed a hypothetical mean m: the
        capital is multiplied by ``1 + b * (x - x_m)`` with ``x = (d + R) / 2R``, ``x_m = (m + R) / 2R`` and a bet ``b``
        of at most ``3 / (4 * x_m)``, chosen before d is seen. Its expectation is 1 if m is the mean, so that a capital
        of ``2 / alpha`` rejects m [4]_. Clusters bet with their mean, and by their size.

        References
        ----------
        .. [1] T. Tango, "Equivalence test and confidence interval for the difference in proportions for the
           paired-sample design", Statistics in Medicine 17, 1998.
        .. [2] M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs data: mid-p and
           asymptotic are better than exact conditional", BMC Medical Research Methodology 13, 2013.
        .. [3] R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
           samples", Survey Methodology 28, 2002.
        .. [4] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the
           Royal Statistical Society B 86, 2024.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> rows = [(agent, task, rng.random() < skill, price * rng.lognormal(0, 0.2)) for agent, skill, price in
        ...         (("old", 0.6, 3.0), ("new", 0.8, 2.0)) for task in range(200)]
        >>> log = pd.DataFrame(rows, columns=["agent", "task", "correct", "cost"]).astype({"correct": float})
        >>> found = log.moo(correct="max", cost="min", system="agent", item="task").compare("new", "old")
        >>> found
        <Comparison of 'new' with 'old': dominates; α = 0.05>
        >>> found.table[["difference", "low", "high"]].round(2)  # doctest: +SKIP
        """
        from copa_nb.comparisons.compare import compare

        answer: Comparison = self._ask(compare, new=new, baseline=baseline, margin=margin, alpha=alpha, bounds=bounds)
        return answer

    @verb
    @of_paper("mogstad2024ranks")
    def board(
        self,
        *,
        weights: WeightsLike = None,
        p: float | str = "inf",
        alpha: float = 0.05,
        n_resamples: int = 2000,
        rng: int | np.random.Generator | None = 0,
    ) -> Board:
        """Rank by COPA's criterion with simultaneous intervals, and form tiers.

        Which system is better than which in each objective is tested for all pairs at once. Each rank û then lies
        between the share of systems that are significantly better and the share that are not significantly worse; the
        criterion grows with û, so it lies between its values there, and the rank under the criterion follows. With one
        objective these are the simultaneous confidence sets of Mogstad, Romano, Shaikh and Wilhelm [1]_.

        Parameters
        ----------
        %(weights)s
        %(p)s
        alpha : float
            Probability, over new samples, that any true rank is outside its interval.
        n_resamples : int
            Draws of errors; at least 100.
        %(rng)s

        Returns
        -------
        Board

        Raises
        ------
        %(gate_errors)s
        ValueError
            If the source of uncertainty is missing, or items, runs or errors do not fit together; if all pairs of
            systems would take too long: see :func:`copa_nb.options`.

        See Also
        --------
        copa : The decision on the values as they are.
        confident_front : Which systems are significantly on the Pareto front.

        Notes
        -----
        A tier has the best system that is left and all that are not significantly behind it. With several
        objectives the intervals are conservative: they hold for every criterion at once.

        With ``nan_policy="pairwise"`` the means are those of an additive fit of systems and items, so that a system is
        not rewarded for the items that it lacks, and a tier has all systems left that no system left is significantly
        ahead of. Systems come by tier and by the worst rank that is possible, since the best mean may be known from a
        few items only; ``rank`` is still that of the means.

        With ``nan_policy="bounds"`` the intervals hold, at their level, whatever the missing values are. This does not
        say that the table would give the same intervals with any values filled in: each has critical values of its own.

        References
        ----------
        .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for Ranks with Applications to Mobility
           across Neighborhoods and Academic Achievements across Countries", Review of Economic Studies 91, 2024.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> countries = ["Japan", "Korea", "Colombia"]
        >>> scores = pd.DataFrame({"score": [527.0, 526, 391], "se": [2.5, 3.1, 3.0]}, index=countries)
        >>> result = copa_nb.moo(scores, score="max", standard_error={"score": "se"}).board()
        >>> result.may_be_first
        ['Japan', 'Korea']
        >>> result.table[["low", "high"]].to_numpy().tolist()
        [[1, 2], [1, 2], [3, 3]]
        """
        from copa_nb.comparisons.board import board

        answer: Board = self._ask(board, weights=weights, p=p, alpha=alpha, n_resamples=n_resamples, rng=rng)
        return answer

    @verb
    @of_paper("romano2005stepdown")
    def confident_front(
        self, *, alpha: float = 0.05, n_resamples: int = 2000, rng: int | np.random.Generator | None = 0
    ) -> ConfidentFront:
        """Find the systems that are significantly on the Pareto front, dominated, or undecided.

        The front of measured means changes with the items, runs or seeds behind them. A system is *on the front* if
        each other system is significantly worse in some objective, *dominated* if another system is significantly
        better in every objective (or known to be equal), and *undecided* otherwise. The probability that any verdict is
        wrong is `alpha`, for any number of systems and objectives.

        Parameters
        ----------
        alpha : float
            Probability that any verdict is wrong.
        n_resamples : int
            Number of resamples, or of draws of the errors; at least 100.
        %(rng)s

        Returns
        -------
        ConfidentFront
            Verdicts, bootstrap frequencies, and the conservative, central and optimistic fronts.

        Raises
        ------
        %(gate_errors)s
        ValueError
            If the source of uncertainty is missing, or items, runs or errors are inconsistent; if all pairs of systems
            would take too long: see :func:`copa_nb.options`.

        See Also
        --------
        front : The front of the values without uncertainty.
        hv_test : Whether the front of one system is larger than that of another.

        Notes
        -----
        ``share`` is a frequency over resamples, not the probability of being on the front; `alpha` is that of the
        verdicts. Differences over items are tested by random signs of the items with step-down max-T [1]_,
        which needs at least six items at 5% and is McNemar's exact test for a single pair with right and wrong answers.
        With `cluster`, sums over clusters take the place of items. Of so many items that drawing signs would take long,
        random normal weights replace them, as the guarantee states. Where differences are skewed, the tests assume one
        more item as extreme as the largest. Runs are compared by Welch's t with Holm's adjustment; a variance counts as
        no less than half of the mean variance of all systems.

        With missing cells, means, ``on_front`` and ``share`` are those of an additive fit of systems and items, so that
        a system is not rewarded for the items that it lacks. This assumes that cells are missing at random, even where
        the verdicts do not ("bounds").

        References
        ----------
        .. [1] J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing",
           Journal of the American Statistical Association 100, 2005.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.90, 0.89, 0.70], "cost": [3.0, 1.0, 2.0], "se": [0.01] * 3}, index=["a", "b", "c"]
        ... )
        >>> models = models.moo.define(accuracy="max", cost="min", standard_error={"accuracy": "se"})
        >>> front = models.moo.confident_front()
        >>> front
        <ConfidentFront of 3: 1 on the front, 1 undecided, 1 dominated; α = 0.05>
        >>> front.conservative, front.central, front.optimistic
        (['b'], ['b', 'a'], ['b', 'a'])
        """
        from copa_nb.comparisons.confident_front import confident_front

        answer: ConfidentFront = self._ask(confident_front, alpha=alpha, n_resamples=n_resamples, rng=rng)
        return answer
