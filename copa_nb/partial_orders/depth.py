"""Union-free generic depth: how central each partial order of a sample is, and what the deepest orders share."""

from __future__ import annotations

__all__ = ["Agreement", "DepthResult"]

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.compiled import warn_if_plain
from copa_nb.arrays.parallel import map_tasks
from copa_nb.costs import MOST_SECONDS, MOST_SECONDS_OF_REPORTS
from copa_nb.docstrings import shared_parameters
from copa_nb.partial_orders.arrays.ufg import MOST_ITEMS, Problem, encode, exact_depth
from copa_nb.partial_orders.orders import Orders, as_sample
from copa_nb.plotting.hasse_layout import HOW_TO_READ_ALL
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, as_reason, briefest, part, say, shortened
from copa_nb.run_options import said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = ("exact", "sample", "auto")
# Seconds of an exact run, and systems × items of a sampled one, from which on a bar is worth while.
_LONG, _LARGE = 5.0, 5000
# Below this many distinct orders a run is over before it could be forecast.
_SMALL = 14
_DIGITS = 12
# Random sets behind each depth of a resample, where depths were estimated.
_SETS_PER_DRAW = 5000
# Problems with one depth that a sentence names at most.
_MOST_NAMED = 3


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Worded):
    """Pairs that some orders of a sample have in common.

    Parameters
    ----------
    items : Index
        Items with these orders.
    counts : DataFrame
        In how many orders the system of the row stands above the system of the column.
    """

    paper = "rodemann2024partial"

    items: pd.Index
    counts: pd.DataFrame

    @property
    def shared(self) -> pd.DataFrame:
        """Pairs (row above column) in all of them; their intersection is an order itself."""
        return self.counts == len(self.items)

    @property
    def absent(self) -> pd.DataFrame:
        """Pairs (row above column) in none of them, the diagonal left out."""
        values = (self.counts == 0).to_numpy(copy=True)
        np.fill_diagonal(values, False)
        return pd.DataFrame(values, index=self.counts.index, columns=self.counts.columns)

    @property
    def pairs(self) -> list[tuple[Hashable, Hashable]]:
        """The shared pairs as (above, below)."""
        systems = self.counts.index
        return [(systems[i], systems[j]) for i, j in np.argwhere(self.shared.to_numpy()).tolist()]

    @property
    def table(self) -> pd.DataFrame:
        """One line per shared pair: ``above`` and ``below``."""
        return pd.DataFrame(self.pairs, columns=["above", "below"])

    def __repr__(self) -> str:
        return f"<Agreement of {len(self.items)} orders: {len(self.pairs)} pairs shared>"

    def _card(self) -> str:
        return text.card(repr(self)[1:-1], [self.explain()])

    def parts(self) -> list[Part]:
        """How many pairs all of the orders share, and which."""
        shared, systems = self.shared.to_numpy(), self.counts.index
        pairs = [
            part("agreement.phrases.pairs", above=text.label(above), below=list(map(text.label, systems[row])))
            for above, row in zip(systems, shared, strict=True)
            if row.any()
        ]
        found = {"n": len(self.pairs), "items": shortened(map(text.label, self.items), most=_MOST_NAMED)}
        if not pairs:
            return [part("agreement.headline.none", **found)]
        return [part("agreement.headline.shared", **found), part("agreement.details.pairs", pairs=pairs)]

    def printed_tables(self) -> list[PrintedTable]:
        """The shared pairs in words: what each system stands above."""
        if not self.pairs:
            return []
        below = self.shared.apply(lambda row: text.listing(row.index[row]), axis="columns")
        named = below[below != ""].rename("better than").to_frame()
        return [PrintedTable(frame=named, name="agreement", caption="The same pairs in words.", most=40)]

    @drawn
    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draw the shared pairs as a Hasse diagram: see :func:`copa_nb.plots.plot_hasse`."""
        from copa_nb.plotting.hasse import plot_hasse

        return plot_hasse(self.shared, ax=ax, **kwargs)


@describes(Agreement.plot)
def _agreement_in_words(agreement: Agreement, **options: Any) -> Picture:
    pairs, orders = len(agreement.pairs), len(agreement.items)
    named = text.listing(map(text.label, agreement.items))
    systems = text.plural(agreement.counts.index.name, "systems")
    return Picture(
        finding=agreement.headline,
        caption=f"Pairs common to the orders on {named}: {HOW_TO_READ_ALL}",
        alt=f"Hasse diagram of the {pairs} pairs of {len(agreement.counts):,} {systems} that {orders:,} orders share.",
        data=agreement.counts,
        height=min(4.05, max(2.4, 0.34 * len(agreement.counts) + 1)),
    )


@dataclass(frozen=True, repr=False, eq=False)
class DepthResult(Worded):
    """Depths of orders in a sample.

    Parameters
    ----------
    depth : Series
        Depth by item (or by name in ``orders``), between 0 and 1. All depths are 0 if the sample has no generic set: if
        all its orders are equal, or if it has two distinct orders and no order lies between them.
    n_generic : int or float
        Number of distinct union-free generic sets; estimated when sets were sampled.
    constant : float
        Total weight of the generic sets, by which depths are divided.
    sample : Orders
        The orders with respect to which depth is computed.
    orders : Orders
        The orders whose depths these are.
    method : {"exact", "sample"}
        How the depths were computed.
    sizes : Series
        Number of generic sets by size (exact runs only, else empty).
    low, high : Series or None
        Ends of each depth's confidence interval, if sets were sampled. They cover only the error of estimating from
        random sets (Monte Carlo error); for the uncertainty due to the choice of problems see :meth:`bootstrap`.
    confidence_level : float
        Nominal coverage of these intervals.
    max_card : int or None
        Largest size of the sets included, if limited.
    """

    paper = "rodemann2024partial"

    _internals = frozenset(("constant", "high", "low", "max_card", "n_generic", "orders", "sizes"))

    depth: pd.Series
    n_generic: float
    constant: float
    sample: Orders
    orders: Orders
    method: str
    sizes: pd.Series
    low: pd.Series | None = None
    high: pd.Series | None = None
    confidence_level: float = 0.95
    max_card: int | None = None

    @property
    def order(self) -> pd.Index:
        """Labels from deepest to shallowest; equal depths keep their order in the sample."""
        return self.depth.index[np.argsort(-self.depth.to_numpy().round(_DIGITS), kind="stable")]

    @property
    def deepest(self) -> list[Hashable]:
        """Labels of the most central orders."""
        rounded = self.depth.round(_DIGITS)
        return list(rounded.index[rounded == rounded.max()])

    @property
    def shallowest(self) -> list[Hashable]:
        """Labels of the least central orders."""
        rounded = self.depth.round(_DIGITS)
        return list(rounded.index[rounded == rounded.min()])

    @property
    def table(self) -> pd.DataFrame:
        """One line per order, deepest first.

        Columns: ``depth``, with ``low`` and ``high`` when sampled, ``rank`` (1 is deepest, equal depths share
        the best) and ``pairs`` (how many the order has).
        """
        columns = {"depth": self.depth}
        if self.low is not None and self.high is not None:
            columns |= {"low": self.low, "high": self.high}
        columns["rank"] = self.depth.round(_DIGITS).rank(method="min", ascending=False).astype(int)
        columns["pairs"] = pd.Series(self.orders.relations.sum(axis=(1, 2)), index=self.depth.index)
        return pd.DataFrame(columns).loc[self.order]

    @property
    def summary(self) -> pd.Series:
        """Minimum, quartiles, maximum, mean and standard deviation of the depths."""
        values = self.depth.to_numpy().round(_DIGITS)
        quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        names = ["min", "lower quartile", "median", "upper quartile", "max", "mean", "sd"]
        return pd.Series([*quartiles, values.mean(), spread], index=names)

    def agreement(self, k: int | None = None, *, which: str = "deepest") -> Agreement:
        """Find the pairs that the k deepest (or shallowest) orders share.

        Parameters
        ----------
        k : int, optional
            How many orders; by default a quarter of them, at least one.
        which : {"deepest", "shallowest"}
            From which end.

        Returns
        -------
        Agreement

        Raises
        ------
        ValueError
            For `k` below 1 or above the number of orders, or an unknown `which`.
        """
        checks.one_of("which", which, ("deepest", "shallowest"))
        k = max(1, len(self.depth) // 4) if k is None else checks.integer("k", k)
        if k > len(self.depth):
            raise ValueError(f"`k` is {k}; it must be at most {len(self.depth)}, the number of orders.")
        order = self.order if which == "deepest" else self.order[::-1]
        chosen = self.orders.only(order[:k])
        return Agreement(chosen.items, chosen.pair_counts)

    def __repr__(self) -> str:
        ends = f"{self.depth.min():.4g} to {self.depth.max():.4g}"
        counted = f"{self.n_generic:,.0f} generic sets{' (estimated)' if self.method == 'sample' else ''}"
        return f"<DepthResult: {len(self.depth)} depths, {ends}, {counted}>"

    def parts(self) -> list[Part]:
        """The most typical and the most outlying order, how deep they are, and how that was computed."""
        problems = text.plural(self.sample.items.name, "problems")
        agreed, *of_sample = self.sample.parts()
        return [
            self._ends(problems),
            *(self._depths() if self.constant else [part(f"depths.reasons.{self._without_sets()}")]),
            as_reason(agreed),
            *of_sample,
            part(f"depths.certainty.{'exact' if self.method == 'exact' else 'estimated'}", problems=problems),
            *([] if self.max_card is None else [part("depths.details.limited", n=self.max_card)]),
            *self.guarantee.parts(),
        ]

    def _ends(self, problems: str) -> Part:
        """The deepest and the shallowest orders, by name if there is room."""
        found = {"n": len(self.depth), "problems": problems}
        if len(self.deepest) == len(self.depth):
            return part("depths.headline.even", **found)
        ends = {"deepest": self._named(self.deepest), "shallowest": self._named(self.shallowest)}
        ends_first = {name: labels[0] for name, labels in ends.items()}
        return briefest([part("depths.headline.ends", **ends, **found), part("depths.headline.first", **ends_first)])

    def _depths(self) -> list[Part]:
        ends = {"deepest": self._named(self.deepest), "shallowest": self._named(self.shallowest)}
        found = {"most": float(self.depth.max()), "least": float(self.depth.min())}
        depths: list[Part] = [part("depths.reasons.depths", **ends, **found)]
        if self.low is None or self.high is None:
            return depths
        return [*depths, part("depths.details.widest", width=float((self.high - self.low).max()))]

    def _without_sets(self) -> str:
        """Why there is no generic set: of three distinct orders, or two far apart, some would generate another."""
        return "all_equal" if len(self.sample.distinct) == 1 else "none_between"

    def _named(self, orders: list[Hashable]) -> list[str | Part]:
        return shortened((text.row_name(name, self.depth.index.name) for name in orders), _MOST_NAMED)

    def to_answer(self) -> Answer:
        """The most typical and the most outlying problem."""
        problems = text.plural(self.sample.items.name, "problems")
        return Answer.of(
            self.parts(),
            question=say(part("depths.question", n=len(self.depth), problems=problems)),
            used="posets",
            values={
                "deepest": self.deepest,
                "shallowest": self.shallowest,
                "depths": self.table["depth"].to_dict(),
            },
        )

    def printed_tables(self) -> list[PrintedTable]:
        """The depths, deepest first."""
        caption = "Depth, rank and number of ordered pairs per problem."
        return [PrintedTable(frame=self.table, name="depths", caption=caption, digits=4, most=30, folded=True)]

    @property
    def guarantee(self) -> Guarantee:
        """What the intervals of estimated depths guarantee; exact depths are those of the suite as it is."""
        if self.low is None:
            return Guarantee(
                estimates="the depths in this suite",
                sampled="",
                holds="",
                confidence_level=None,
                jointly=False,
                basis="exact",
                method="depths are exact here; bootstrap() gives the uncertainty due to the choice of problems",
            )
        return Guarantee(
            estimates="the depths in this suite",
            sampled="random sets of orders",
            holds="each interval covers its depth",
            confidence_level=self.confidence_level,
            jointly=False,
            basis="asymptotic",
            method="Monte Carlo error only; bootstrap() gives the uncertainty due to the choice of problems",
        )

    plot = Offered()

    report = Offered()

    @shared_parameters
    def bootstrap(
        self,
        n_resamples: int = 1000,
        *,
        confidence_level: float = 0.95,
        rng: Any = 0,
    ) -> pd.DataFrame:
        """Bootstrap the sample's problems: how much do the depths depend on the choice of problems?

        Parameters
        ----------
        n_resamples : int
            Number of draws, at least 2.
        confidence_level : float
            Confidence level.
        %(rng)s

        Returns
        -------
        DataFrame
            One line per order, deepest first: ``depth``; ``low`` and ``high``, the ends of a confidence interval of
            its depth in the population of problems; ``sd`` over the draws; ``deepest``, the share of draws in which
            no order is deeper (a bootstrap frequency, not a probability).

        Raises
        ------
        ValueError
            If the resamples are forecast to take longer than ten minutes: see :func:`copa_nb.options`.

        Notes
        -----
        Problems are treated as independent draws. In simulations with 10 to 40 problems, 95% intervals covered at
        least 93%, on average over the problems of a sample. The depth of an observed order is biased upwards, because
        the order is itself part of the sample: by about half of ``sd`` with 10 to 20 problems. The coverage above
        includes this bias.

        Examples
        --------
        >>> from copa_nb import datasets
        >>> depths = datasets.load_deepobs().moo(system="optimizer", item="problem").posets().depth()
        >>> depths.bootstrap(200).loc["P2", ["depth", "low", "high"]].round(2).tolist()
        [0.65, 0.27, 1.0]
        """
        from copa_nb.partial_orders.arrays.ufg_bootstrap import depth_intervals, resampled_depths

        checks.integer("n_resamples", n_resamples, least=2)
        confidence_level = checks.fraction("confidence_level", confidence_level)
        generator, max_seconds = checks.generator(rng), said().limit(MOST_SECONDS_OF_REPORTS)
        draws = resampled_depths(
            self.sample.relations_by_label, partial(self._depths_in, rng=generator), n_resamples, generator,
            max_seconds=max_seconds,
        )  # fmt: skip
        if isinstance(draws, float):
            raise ValueError(
                f"{n_resamples:,} resamples are forecast to take {text.duration(draws)}, more than `max_seconds` = "
                f'{max_seconds:g}. Reduce `n_resamples`, start from depth(method="sample"), or wait: '
                "`with copa_nb.options(max_seconds=None):`."
            )
        low, high = depth_intervals(self.depth.to_numpy(), draws, confidence_level=confidence_level)
        rounded = draws.round(_DIGITS)
        columns = {
            "depth": self.depth.to_numpy(), "low": low, "high": high, "sd": draws.std(axis=0, ddof=1),
            "deepest": (rounded == rounded.max(axis=1, keepdims=True)).mean(axis=0),
        }  # fmt: skip
        return pd.DataFrame(columns, index=self.depth.index).loc[self.order]

    def _depths_in(self, relations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        from copa_nb.partial_orders.arrays.ufg_sampling import sampled_depth

        problem = encode(relations, self.orders.relations, one_of_many=True)
        if self.method == "exact":
            return exact_depth(problem, max_card=self.max_card).depth
        return sampled_depth(problem, rng, n_samples=_SETS_PER_DRAW, max_card=self.max_card).depth

    explore = Offered()


@checks.refuse_others
@shared_parameters
def depth(
    sample: Orders,
    orders: Any = None,
    *,
    max_card: int | None = None,
    method: str = "exact",
    n_samples: int = 100_000,
    confidence_level: float = 0.95,
    rng: int | np.random.Generator | None = 0,
) -> DepthResult:
    """Compute the union-free generic depth of orders in a sample.

    Parameters
    ----------
    sample : Orders
        The observed orders.
    orders : Orders, mapping of name to DataFrame, DataFrame or ndarray, optional
        Orders of the same systems whose depth is computed; the observed orders if omitted. A DataFrame (row above
        column, bool) is one order; an array has shape (orders, systems, systems).
    max_card : int, optional
        Leave out generic sets with more orders than this (at least 2).
    method : {"exact", "sample", "auto"}
        Enumerate all generic sets; estimate from random ones; or "auto": exact if that is forecast to take at most
        thirty seconds, or the limit of :func:`copa_nb.options`, otherwise by sampling.
    n_samples : int
        Random sets for "sample".
    confidence_level : float
        Nominal coverage of each interval of "sample", which covers the Monte Carlo error only.
    %(rng)s

    Returns
    -------
    DepthResult

    Raises
    ------
    ValueError
        For more than 64 systems, orders of other systems, items with different systems, a run that would take too
        long, or a `scheduler` for an exact run, which uses the processors of this machine only.

    See Also
    --------
    PosetSample.forecast : How long an exact run takes.
    copa_nb.partial_orders.consensus.consensus : The most central order compared with rankings.
    copa_nb.results.DepthResult.plot : Draw the depths.

    Notes
    -----
    depth(p) is the share of the weight of all union-free generic sets S of observed orders for which
    ∩S ⊆ p ⊆ ∪S; a set weighs the product of its members' shares of the observations ([1]_, definition 2; [2]_,
    appendix B).

    Both papers define the depth for partial orders. Preorders (``ties="preorder"``) need another closure, which is this
    package's own: a preorder q lies between the intersection and the union of S if ∩S ⊆ q ⊆
    ∪S and if systems that are indifferent in q are indifferent in some member of S. The second condition keeps
    two members that order a pair in opposite ways from generating their indifference. Without ties it is the depth of
    the papers.

    References
    ----------
    .. [1] H. Blocher, G. Schollmeyer, C. Jansen and M. Nalenz, "Depth functions for partial orders with a descriptive
       analysis of machine learning algorithms", ISIPTA 2023.
    .. [2] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> result = datasets.load_deepobs().moo(system="optimizer", item="problem").posets().depth()
    >>> result
    <DepthResult: 8 depths, 0.2938 to 0.6493, 20 generic sets>
    """
    from copa_nb.partial_orders.arrays.ufg_sampling import sampled_depth

    checks.one_of("method", method, METHODS)
    sample.need_same_systems("the depth")
    if len(sample.systems) > MOST_ITEMS:
        raise ValueError(
            f"the sample compares {len(sample.systems)} systems; the depth is computed for at most {MOST_ITEMS}. Keep "
            "the systems of interest in the table before posets()."
        )
    checks.fraction("confidence_level", confidence_level)
    if max_card is not None:
        checks.integer("max_card", max_card, least=2)
    n_samples, generator = checks.integer("n_samples", n_samples, least=100), checks.generator(rng)
    checks.nothing_refused()
    targets = sample if orders is None else as_sample(orders, sample)
    problem = encode(sample.relations_by_label, targets.relations)
    # Who asks for exact depths waits longer than who takes estimates as well.
    max_seconds = said().limit(MOST_SECONDS if method == "auto" else MOST_SECONDS_OF_REPORTS)
    seconds = _forecast_seconds(problem, method, max_card)
    if method == "auto":
        method = "exact" if max_seconds is None or seconds <= max_seconds else "sample"
    if method == "exact" and max_seconds is not None and seconds > max_seconds:
        raise ValueError(_too_long(seconds, max_seconds))
    takes_long = seconds > _LONG if method == "exact" else len(sample.systems) * len(sample.items) >= _LARGE
    show_progress = said().progress and takes_long
    if method == "sample" or seconds > _LONG:
        warn_if_plain(f"depths of {problem.n_distinct:,} different orders")
    if method == "exact":
        exact = exact_depth(problem, max_card=max_card, progress=show_progress)
        sizes = pd.Series(exact.generic_counts, name="generic sets").rename_axis("size").iloc[2:]
        return DepthResult(
            _series(exact.depth, targets), exact.n_generic, exact.constant, sample, targets, method,
            sizes[sizes > 0], max_card=max_card,
        )  # fmt: skip
    estimate = sampled_depth(
        problem, generator, n_samples=n_samples, max_card=max_card, confidence_level=confidence_level,
        map_units=partial(map_tasks, progress=show_progress, label="random sets / 8192", scheduler=said().scheduler),
    )  # fmt: skip
    return DepthResult(
        _series(estimate.depth, targets), estimate.n_generic, estimate.constant, sample, targets, method,
        pd.Series(dtype=int), _series(estimate.low, targets), _series(estimate.high, targets), confidence_level,
        max_card,
    )  # fmt: skip


def _series(values: np.ndarray, targets: Orders) -> pd.Series:
    return pd.Series(values, index=targets.items, name="depth")


def _forecast_seconds(problem: Problem, method: str, max_card: int | None) -> float:
    from copa_nb.partial_orders.arrays.ufg_sampling import forecast

    if method == "sample" or problem.n_distinct <= _SMALL:
        return 0.0
    return forecast(problem, np.random.default_rng(0), max_card=max_card).seconds


def _too_long(seconds: float, allowed: float) -> str:
    return (
        f"an exact run is forecast to take {text.duration(seconds)}, more than `max_seconds` = {allowed:g}. Estimate "
        'the depths with method="sample" (about a second, with confidence intervals), omit larger sets with '
        "max_card=5, or wait: `with copa_nb.options(max_seconds=None):`."
    )
