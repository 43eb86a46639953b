"""What to choose: fronts, COPA, the cheapest that is as good."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb.accessor.asked import Asked, Frame, verb
from copa_nb.results.citing import of_paper
from copa_nb.tables.described_frame import DescribedFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.comparisons.cheaper import Cheaper
    from copa_nb.explorers.choice import ChoiceExplorer
    from copa_nb.pareto.hypervolume import Hypervolume
    from copa_nb.pareto.reference_points import ReferencePointLike
    from copa_nb.ranking.criterion import WeightsLike
    from copa_nb.ranking.normalize import ReferenceLike
    from copa_nb.selection.copa import Selection
    from copa_nb.tables.candidates import Where
    from copa_nb.tables.missing_values import Bounds


class Choosing(Asked[Frame]):
    """What to choose: fronts, COPA, the cheapest that is as good."""

    @verb
    def front(self, *, keep: str = "all") -> Frame:
        """Return the Pareto-optimal rows, as they were.

        A row is Pareto-optimal if no other row is at least as good in every objective and better in one.

        Parameters
        ----------
        keep : {"all", "first"}
            Whether rows with equal objectives stay together on the front, or only the first does.

        Returns
        -------
        DataFrame
            Rows of `frame` in their order, with index, columns and dtypes kept. With ``nan_policy="bounds"``, the rows
            that are on the front for some values of the missing cells, and a column "certain": whether they are for
            all.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For ``nan_policy="bounds"`` with ``keep="first"``, or with a column "certain" in the table.

        See Also
        --------
        layers : successive fronts; ``layers(1) == 1`` marks the rows of the first.
        copa : select one row of the front.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
        >>> copa_nb.moo(models, {"accuracy": "max", "co2_kg": "min"}).front()
           accuracy  co2_kg
        a       0.9       3
        b       0.8       1

        With a missing value, c may be on the front, and b is there whatever it is:

        >>> models.loc["c", "accuracy"] = None
        >>> copa_nb.moo(models, {"accuracy": "max", "co2_kg": "min"}, nan_policy="bounds").front()
           accuracy  co2_kg  certain
        a       0.9       3    False
        b       0.8       1     True
        c       NaN       2    False
        """
        from copa_nb.pareto.front import front

        answer: Frame = self._ask_of_rows(front, keep=keep)
        return answer

    @verb
    def layers(self, most: int | None = None) -> pd.Series:
        """Number the successive fronts (non-dominated sorting).

        Parameters
        ----------
        most : int, optional
            Layers to find; all if omitted. ``layers(1) == 1`` marks the Pareto-optimal rows.

        Returns
        -------
        Series of int64
            1 for the front, 2 for the front of the remaining rows, and so on; `most` + 1 for all rows behind the last
            layer that was looked for. On the index of `frame`, named "layer". With rows left out by
            ``nan_policy="omit"`` the dtype is Int64 and those are <NA>; with ``nan_policy="bounds"``, rows that are on
            the front for some values of the missing cells and not for others are <NA>.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For ``nan_policy="bounds"`` with more than one layer.

        See Also
        --------
        front : the first layer, as rows.

        References
        ----------
        .. [1] K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm:
           NSGA-II", IEEE Transactions on Evolutionary Computation 6 (2002), https://doi.org/10.1109/4235.996017.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
        >>> models.moo(accuracy="max", co2_kg="min").layers().tolist()
        [1, 1, 2]
        >>> (models.moo(accuracy="max", co2_kg="min").layers(1) == 1).tolist()
        [True, True, False]
        """
        from copa_nb.pareto.front import layers

        answer: pd.Series = self._ask_of_rows(layers, most=most)
        return answer

    @verb
    def plot(self, x: Any = None, y: Any = None, *, ax: Any = None, **looks: Any) -> Axes:
        """Draw the rows and their front: two objectives as points, more as lines through the shares that are better.

        Parameters
        ----------
        x, y : label, optional
            Objectives of the axes, where there are more than two.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.
        **looks
            ``figsize``, ``title``, ``palette``, and options of :func:`copa_nb.plots.plot_front` or, for more than
            two objectives, of :func:`copa_nb.plots.plot_parallel`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            If there is one objective only.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "co2_kg": [3.0, 1.0]}, index=["a", "b"])
        >>> axes = models.moo(accuracy="max", co2_kg="min").plot()
        >>> axes.get_xlabel()
        'accuracy ↑'
        """
        from copa_nb.pareto.front import front
        from copa_nb.selection.plots.tables import draw_table

        table = self._table()
        rows, objectives = table.rows(), table.objectives()
        on_front = front(DescribedFrame.of(rows, objectives)).index.tolist()
        axes: Axes = draw_table(rows, ax, x=x, y=y, objectives=objectives, on_front=on_front, **looks)
        return axes

    @verb
    @of_paper("javaloy2025copa")
    def normalize(self, method: str = "cdf", *, reference: ReferenceLike = None) -> Frame:
        """Put the objectives on a common scale on which 0 is best.

        Parameters
        ----------
        method : {"cdf", "minmax", "relative", "none"}
            "cdf": share of the population that is strictly better (equation 9 of [1]_; ties share the lowest value).
            "minmax": (y - ideal) / (nadir - ideal). "relative": (y - ideal) / abs(ideal), or against the row named by
            `reference`. "none": costs as they are; a score to be maximized becomes its shortfall from 1 (if all values
            lie in [0, 1]) or from 100 (in [0, 100]).
        reference : Reference or row label, optional
            A frozen population to take shares, ideal and nadir over; or, for "relative", the row to compare
            with.

        Returns
        -------
        DataFrame
            On the index of `frame`, one column per objective, smaller is better. Rows left out by
            ``nan_policy="omit"`` hold NaN.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For a constant column under "minmax", a zero ideal under "relative", a score without a known
            ceiling under "none", each naming the column.

        See Also
        --------
        copa : The decision that aggregates these values.
        Reference.place : New rows within a frozen population.

        References
        ----------
        %(copa_paper)s

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.8], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
        >>> copa_nb.moo(models, {"accuracy": "max", "co2_kg": "min"}).normalize().round(2)
           accuracy  co2_kg
        a      0.00    0.67
        b      0.33    0.00
        c      0.33    0.33
        """
        from copa_nb.ranking.normalize import normalize

        answer: Frame = self._ask_of_rows(normalize, method=method, reference=reference)
        return answer

    @verb
    def hypervolume(self, *, reference: ReferencePointLike = "worst", reference_margin: float = 0.1) -> Hypervolume:
        """Measure the volume that the front of a table dominates.

        Parameters
        ----------
        %(reference_point)s
        %(reference_margin)s

        Returns
        -------
        Hypervolume, or a mapping of group to Hypervolume
            ``float(result)`` is the value.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For a reference point that is incomplete or infinite.

        See Also
        --------
        hv_test : whether a difference in hypervolume between repeated runs is significant.

        References
        ----------
        E. Zitzler and L. Thiele, "Multiobjective evolutionary algorithms: a comparative case study and the strength
        Pareto approach", IEEE Transactions on Evolutionary Computation 3 (1999), https://doi.org/10.1109/4235.797969.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> points = pd.DataFrame({"cost": [1.0, 2.0, 3.0], "time": [1.0, 3.0, 0.5]})
        >>> copa_nb.moo(points, {"cost": "min", "time": "min"}).hypervolume(reference={"cost": 4, "time": 4})
        <Hypervolume 9.5, reference point (cost=4, time=4)>
        """
        from copa_nb.pareto.hypervolume import hypervolume

        answer: Hypervolume = self._ask_of_rows(hypervolume, reference=reference, reference_margin=reference_margin)
        return answer

    @verb
    @of_paper("javaloy2025copa")
    def copa(
        self,
        *,
        weights: WeightsLike = None,
        p: float | str = "inf",
        where: Where = None,
        normalize: str = "cdf",
        reference: ReferenceLike = None,
    ) -> Selection:
        """Choose a model by preference: shares that are better per objective, aggregated by a weighted p-norm.

        The criterion is (Σ (w_k u_k)^p)^(1/p) with u_k the share of the population that is strictly better in
        objective k; the smallest value wins (equations 9, 10 and 11 of [1]_). The selected row is Pareto-optimal
        among the candidates for every p and every weight: ties in the criterion are broken by its value at p = 1, then
        by the unweighted mean of the shares.

        Parameters
        ----------
        %(weights)s
        %(p)s
        %(where)s
        normalize : {"cdf", "minmax", "relative", "none"}
            How to make objectives comparable. See :meth:`normalize`.
        %(population)s

        Returns
        -------
        Selection, or a mapping of group to Selection
            ``best``, ``table``, ``explain()``, ``stability()``, ``sensitivity()``, ``plot()``. With
            ``nan_policy="bounds"``, ``certain`` has the rows that are chosen whatever the missing values are and
            ``possible`` those that may be; ``best`` is None if no row is certain.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For p below 1, negative or all-zero weights, a constraint that no row satisfies, or an unknown name; for
            ``nan_policy="bounds"`` with `normalize` or `reference`.

        See Also
        --------
        Selection.navigate : What is selected as the weight of one objective grows.
        Selection.criteria : Rankings under several criteria side by side.
        Selection.stability : How often the same row is chosen from other data.

        References
        ----------
        %(copa_paper)s

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> models.moo.copa().best
        'medium'
        >>> models.moo.copa(weights={"co2_kg": 0.9}).best
        'tiny'
        >>> models.moo.copa(where="co2_kg < 3").table[["rank", "score", "accuracy", "u_accuracy"]]
               rank  score  accuracy  u_accuracy
        small     1  0.250       0.7        0.50
        tiny      2  0.375       0.6        0.75

        A decision that holds whatever a missing value is:

        >>> models.loc["tiny", "accuracy"] = None
        >>> unknown = models.moo(nan_policy="bounds", bounds={"accuracy": (0, 0.8)})
        >>> result = unknown.copa(weights={"accuracy": 0.6})
        >>> result.certain
        ['medium']
        """
        from copa_nb.selection.choose import copa

        answer: Selection = self._ask_of_rows(
            copa, weights=weights, p=p, where=where, normalize=normalize, reference=reference
        )
        return answer

    @verb
    @of_paper("romano2005stepdown")
    def cheaper(
        self,
        than: Hashable | None = None,
        *,
        cost: Hashable | None = None,
        margin: Mapping[Hashable, float] | None = None,
        alpha: float = 0.05,
        bounds: Bounds = None,
    ) -> Cheaper:
        """Find systems that are cheaper than another one, and not worse by more than a margin in any other objective.

        An intersection-union test [1]_: a system is called equivalent if it is significantly cheaper *and*, in every
        other objective, significantly not worse by as much as its margin. p-values are adjusted after Holm for the
        number of candidates, so that the largest saving found is as trustworthy as a single one.

        Parameters
        ----------
        than : label, optional
            The system to compare with; by default the most expensive one, of all groups if there are groups.
        cost : objective, optional
            The objective that should be lower; by default the only one that is minimized.
        margin : mapping of objective to number, optional
            How much worse is still acceptable, in the objective's own units; 0 where left out.
        alpha : float
            Probability that any system is called equivalent wrongly, over all candidates and groups.
        bounds : mapping of objective to (low, high), optional
            Range that no score can leave, e.g. ``{"accuracy": (0, 1)}``. Tests of the objective then hold for any
            number of items and any scores, also for losses that are too rare to have been seen [2]_; right and
            wrong answers have such tests anyway. With ``nan_policy="bounds"``, what a missing value may be, with None
            for an open end; from the smallest to the largest value observed by default.

        Returns
        -------
        Cheaper
            With `by`, one for each group; ``routes()`` makes JSON of either for a router.

        Raises
        ------
        %(gate_errors)s
        ValueError
            If `cost` is not minimized, or none is named and several objectives are minimized; if `than` is not in the
            table, or a margin is negative or of no objective.

        See Also
        --------
        board : Which systems are not significantly behind the best.

        References
        ----------
        .. [1] R. L. Berger, "Multiparameter Hypothesis Testing and Acceptance Sampling", Technometrics 24 (1982),
           https://doi.org/10.1080/00401706.1982.10487790.
        .. [2] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the
           Royal Statistical Society B 86 (2024), https://doi.org/10.1093/jrsssb/qkad009.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.910, 0.905, 0.80], "cost": [10.0, 1.6, 1.0]}, index=["large", "small", "tiny"]
        ... ).moo.define(accuracy="max", cost="min")
        >>> found = models.moo.cheaper("large", margin={"accuracy": 0.01})
        >>> found.best, round(float(found.table.loc["small", "saving"]), 2)
        ('small', 0.84)
        """
        from copa_nb.comparisons.cheaper import cheaper

        answer: Cheaper = self._ask(cheaper, than=than, cost=cost, margin=margin, alpha=alpha, bounds=bounds)
        return answer

    @verb
    def explore(
        self,
        *,
        weights: WeightsLike = None,
        p: float | str = "inf",
        where: Where = None,
        normalize: str = "cdf",
        x: Hashable | None = None,
        y: Hashable | None = None,
    ) -> ChoiceExplorer:
        """Choose a model by moving sliders for weights, p, normalization and limits, with the choice and its reasons.

        Everything is computed in the browser, so :meth:`ChoiceExplorer.export_html` writes a file that works without a
        kernel. In marimo, ``mo.ui.anywidget(df.moo.explore())`` reruns the cells that use the explorer.

        Parameters
        ----------
        weights : mapping of objective to share, or sequence, optional
            Initial weights.
        p : float or "inf"
            Initial order of the norm.
        where : str, optional
            Initial limits of the objectives, e.g. ``"latency_ms <= 50 and accuracy > 0.8"``. Conditions on other
            columns have no control.
        normalize : str
            Initial normalization; one of those of :meth:`normalize`.
        x, y : label, optional
            Initial objectives on the axes; by default, the last against the first.

        Returns
        -------
        ChoiceExplorer
            ``selection`` (what ``copa`` returns for the current positions of the controls), ``selected`` (rows that
            were brushed), ``code``, ``export_html()``, ``to_figure()``, ``to_html()``, ``close()``.

        Raises
        ------
        %(gate_errors)s
        ValueError
            For fewer than two objectives, or any input that ``copa`` rejects.

        See Also
        --------
        copa : The same choice without a widget.
        copa_nb.results.Selection.navigate : What is chosen as one weight goes from 0 to 1.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> with models.moo.explore() as explorer:
        ...     explorer.set_weight("co2_kg", 0.9)
        ...     explorer.best
        'tiny'
        """
        from copa_nb.explorers.choice import explore

        answer: ChoiceExplorer = self._ask_of_rows(
            explore, weights=weights, p=p, where=where, normalize=normalize, x=x, y=y
        )
        return answer
