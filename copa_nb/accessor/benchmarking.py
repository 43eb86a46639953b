"""Over the items of a benchmark: mean ranks, partial orders, stochastic dominance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from copa_nb.accessor.asked import Asked, Frame, verb
from copa_nb.results.citing import of_paper

if TYPE_CHECKING:
    from copa_nb.comparisons.mean_ranks import MeanRanks
    from copa_nb.partial_orders.posets import PosetSample
    from copa_nb.stochastic_dominance.gsd_front import GsdFront


class Benchmarking(Asked[Frame]):
    """Over the items of a benchmark: mean ranks, partial orders, stochastic dominance."""

    @verb
    @of_paper("javaloy2025copa")
    def mean_ranks(self, *, baseline: Hashable | None = None) -> MeanRanks:
        """Compare systems over items: frameworks over tasks, optimizers over problems.

        Every item is a population of its own, so that a task on which all are close counts as much as one on
        which some fail badly. An item ranks the systems that it has.

        Parameters
        ----------
        baseline : label, optional
            System to scale against: 0 is the baseline, 1 the best of the item.

        Returns
        -------
        MeanRanks

        Raises
        ------
        %(gate_errors)s
        ValueError
            If a system is on an item twice, or the baseline is missing from an item.

        Notes
        -----
        Where items lack systems, by rows that are not there or are left out, means are over ranks among
        different systems: who lacks the items with strong competitors looks better. The answer says so. ``friedman()``
        uses the items with all systems; ``board()`` refuses such items, and ``board(nan_policy="pairwise")`` uses all.

        See Also
        --------
        compare : Rankings of one table under several criteria.
        MeanRanks.friedman : Whether mean ranks differ significantly, with a critical-difference diagram.

        References
        ----------
        %(copa_paper)s
           The ranks are those of equation 9, within each item.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> results = pd.DataFrame({
        ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2"], "framework": ["a", "b", "rf"] * 2,
        ...     "auc": [0.9, 0.8, 0.7, 0.6, 0.95, 0.8]}).moo.define(auc="max")
        >>> standing = results.moo(system="framework", item="task").mean_ranks(baseline="rf")
        >>> standing.table["mean"].round(3).to_dict()
        {'b': 0.833, 'a': 0.667, 'rf': 0.5}
        >>> standing.scaled.round(3).loc["a"].to_dict()
        {'t1': 1.0, 't2': -1.333}
        """
        from copa_nb.comparisons.mean_ranks import mean_ranks

        answer: MeanRanks = self._ask(mean_ranks, baseline=baseline)
        return answer

    @verb
    @of_paper("rodemann2024partial")
    def posets(self, *, ties: str = "incomparable") -> PosetSample:
        """Order the systems on every item by all objectives at once.

        Parameters
        ----------
        ties : {"incomparable", "drop", "preorder"}
            Systems that are equal in every criterion: leave them incomparable (default), drop the item (with an
            :class:`ItemsOmittedWarning`), or keep them as indifferent, which makes preorders. The papers treat only
            partial orders: depths of preorders use a closure of this package's own, see
            :func:`~copa_nb.partial_orders.depth.depth`.

        Returns
        -------
        PosetSample

        Raises
        ------
        %(gate_errors)s
        ValueError
            For unknown columns, fewer than two systems, repeated rows of a system on an item, or missing data.

        Notes
        -----
        With ``nan_policy="pairwise"`` the orders are of different systems. Counts of pairs are then over
        the items that have both (``common_items``), and may be compared if the systems that an item has do not depend
        on how they compare there. Depths, Kemeny's ranking and reviews of suites are refused: they rest on which pairs
        are in the intersection and in the union of some orders, and of a system that is missing neither is known. To
        count it as incomparable would make the items with the fewest systems the deepest.

        See Also
        --------
        copa_nb.partial_orders.depth.depth : How central each order is.
        copa_nb.results.PosetSample.compare : Two samples of the same systems.

        References
        ----------
        .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565,
           section 2.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2"], "model": list("abcabc"),
        ...     "error": [0.1, 0.2, 0.3, 0.3, 0.2, 0.2], "seconds": [1.0, 3.0, 2.0, 1.0, 2.0, 2.0]})
        >>> sample = copa_nb.moo(runs, {"error": "min", "seconds": "min"}, system="model", item="task").posets()
        >>> sample.relation("t1").astype(int)
        model  a  b  c
        model
        a      0  1  1
        b      0  0  0
        c      0  0  0
        """
        from copa_nb.partial_orders.posets import posets

        answer: PosetSample = self._ask(posets, ties=ties)
        return answer

    @verb
    @of_paper("jansen2024gsd")
    def gsd_front(
        self, *, ordinal: Hashable | Sequence[Hashable] = (), bins: int | None = None, regularization: float = 0.0
    ) -> GsdFront:
        """Find the systems that no other dominates over all items under every utility of the objectives.

        A system is represented by its points, one per item. System x dominates system y if the mean of u over the
        points of x is at least that over the points of y for every utility u that increases with every objective and
        rewards a larger difference in the cardinal ones more (if the ordinal ones differ at least as much).

        Parameters
        ----------
        ordinal : objective or list of objectives
            Objectives of which only the order matters. Differences of all others are compared as well.
        bins : int, optional
            Number of classes into which each ordinal objective is cut at its quantiles over all rows; without it every
            value is a class. The paper does so with runtimes (10) and robustness (4); the largest value is a class of
            its own there.
        regularization : float
            From 0 to 1: the share of the largest possible gap by which utilities must separate strict preferences. 0 is
            the paper's choice; larger values make the dominance of a pair easier to detect (UAI 2023).

        Returns
        -------
        GsdFront

        Raises
        ------
        %(gate_errors)s
        ValueError
            For unknown columns, fewer than two systems or items, repeated rows of a system on an item, or missing data.

        See Also
        --------
        posets : One partial order per item, without comparisons across items.
        front : Rows that no other row dominates.

        References
        ----------
        .. [1] C. Jansen, G. Schollmeyer, J. Rodemann, H. Blocher and T. Augustin, "Statistical Multicriteria
           Benchmarking via the GSD-Front", NeurIPS 2024, arXiv:2406.03924, definitions 5 and 6.

        Examples
        --------
        A wins on one data set by more than it loses on the other; neither classifier is better on both.

        >>> import pandas as pd, copa_nb
        >>> bench = pd.DataFrame({
        ...     "data": ["d1", "d1", "d2", "d2"], "classifier": list("ABAB"), "accuracy": [0.9, 0.6, 0.7, 0.8]})
        >>> front = copa_nb.moo(bench, {"accuracy": "max"}, system="classifier", item="data").gsd_front()
        >>> front.front
        ['A']
        >>> front.statistics.round(3)
        classifier      A      B
        classifier
        A           0.000  0.333
        B          -0.333  0.000
        """
        from copa_nb.stochastic_dominance.gsd_front import gsd_front

        answer: GsdFront = self._ask(gsd_front, ordinal=ordinal, bins=bins, regularization=regularization)
        return answer

    @verb
    def pass_k(self, k: int, *, objective: Hashable | None = None, of: str = "all") -> Frame:
        """Judge repeated attempts at items by whether k of them all succeed, as agents are judged.

        Parameters
        ----------
        k : int
            Number of attempts; each system needs as many on every item.
        objective : label, optional
            The objective that is 1 where an attempt succeeded and 0 where not; by default the only one that is so.
        of : {"all", "any"}
            Whether all of k attempts are to succeed, pass^k (default), or at least one, pass@k.

        Returns
        -------
        DataFrame
            One row per system and item, described: the estimate in a column such as "success_pass_4", to be
            maximized, and means of the other objectives.

        Raises
        ------
        %(gate_errors)s
        ValueError
            If an item has fewer than k attempts, or no objective says whether one succeeded.

        Notes
        -----
        With c successes in n attempts, C(c, k) / C(n, k) is an unbiased estimate of the chance that k attempts succeed
        [1]_, and 1 - C(n - c, k) / C(n, k) of the chance that one of k does [2]_. The share of successes to the power
        of k is biased.

        References
        ----------
        .. [1] S. Yao, N. Shinn, P. Razavi and K. Narasimhan, "τ-bench: A Benchmark for Tool-Agent-User Interaction in
           Real-World Domains", arXiv:2406.12045, 2024.
        .. [2] M. Chen et al., "Evaluating Large Language Models Trained on Code", arXiv:2107.03374, 2021.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> log = pd.DataFrame({
        ...     "agent": ["a"] * 4 + ["b"] * 4, "task": ["t1"] * 8, "run": [*range(4)] * 2,
        ...     "success": [1, 1, 1, 0, 1, 1, 0, 0], "usd": [1.0, 2, 1, 2, 3, 3, 3, 3]})
        >>> log = log.moo.define(success="max", usd="min", system="agent", item="task", repeat="run")
        >>> log.moo.pass_k(2).round(3)
          agent task  success_pass_2  usd
        0     a   t1           0.500  1.5
        1     b   t1           0.167  3.0
        """
        from copa_nb.comparisons.pass_k import pass_k

        answer: Frame = self._ask(pass_k, k=k, objective=objective, of=of)
        return answer
