"""The make-up of a benchmark suite, by the depths of its problems' orders.

A good suite covers typical and unusual problems, and none of them twice. The review reports the dispersion of the
depths, the problems that can be removed without changing the center, and each problem's nearest neighbor. Two suites
are compared by the depths of each suite's orders in the other.
"""

from __future__ import annotations

__all__ = ["SuiteComparison", "SuiteReview"]

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.costs import MOST_SECONDS
from copa_nb.docstrings import shared_parameters
from copa_nb.partial_orders.depth import DepthResult, depth
from copa_nb.partial_orders.orders import Orders, as_sample
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable, first_columns
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, amount, briefest, part
from copa_nb.run_options import options as settings
from copa_nb.run_options import said

# Fewer problems say nothing of each other; depths of more are estimated, from so many random sets each.
_FEWEST, _MOST_EXACT, _SETS = 3, 24, 5000
_ALPHA = 0.05


@dataclass(frozen=True, repr=False, eq=False)
class SuiteReview(Worded):
    """Which problems of a suite are typical, redundant or dispensable.

    Parameters
    ----------
    table : DataFrame
        One line per problem, deepest first: ``depth``; ``nearest`` (the problem whose order differs in the
        fewest pairs) and ``distance`` (that number as a share of all pairs); and the effect of removing the
        problem: ``center_kept`` (whether the center stays the same), ``agreement`` (Kendall's tau of the other
        problems' depths with and without it) and ``change`` (largest change of another's share of the total depth).
    dispersion : Series
        ``range``, ``interquartile range``, ``sd`` and ``coefficient of variation`` of the depths, and
        ``distinct`` (share of the orders that are distinct).
    center : DataFrame
        The pairs (row above column) that the k deepest orders share.
    k : int
        Number of orders that define the center.
    removable : list
        Problems that can be removed together without changing the center.
    depths : DepthResult
        Depths in the whole suite.
    newcomers : DataFrame, optional
        One line per further system that might join: ``deepest_kept`` (whether one of the deepest problems is still the
        deepest with it) and ``agreement`` (Kendall's tau of the depths with and without it). None if none were given.
    """

    paper = "rodemann2024partial"

    table: pd.DataFrame
    dispersion: pd.Series
    center: pd.DataFrame
    k: int
    removable: list[Hashable]
    depths: DepthResult
    newcomers: pd.DataFrame | None = None

    def __repr__(self) -> str:
        return f"<SuiteReview: {len(self.table)} problems, {len(self.removable)} could be left out>"

    def parts(self) -> list[Part]:
        """The problems that can be left out, the spread of the depths, and those with the same order."""
        spread, n = self.dispersion, len(self.table)
        found = {"range": float(spread["range"]), "sd": float(spread["sd"]), "distinct": amount(spread["distinct"], n)}
        twins = list(map(text.label, self.table.index[self.table["distance"] == 0]))
        return [
            *self._removable(),
            self._center(),
            part("suite_review.reasons.spread", **found),
            *([part("suite_review.details.twins", names=twins)] if twins else []),
            *self._joined(),
            *([part("suite_review.certainty.estimated")] if self.depths.method == "sample" else []),
        ]

    def _removable(self) -> list[Part]:
        """The problems that can be left out, by name if there is room in the headline."""
        if not self.removable:
            return [part("suite_review.headline.none", n=len(self.table))]
        names = [text.row_name(name, self.depths.depth.index.name) for name in self.removable]
        found = {"names": names, "n": len(names), "total": len(self.table)}
        named, counted = (part(f"suite_review.headline.{kind}", **found) for kind in ("named", "counted"))
        headline = briefest([named, counted])
        return [headline] if headline == named else [counted, part("suite_review.details.removable", names=names)]

    def _center(self) -> Part:
        found = {"k": self.k, "pairs": int(self.center.to_numpy().sum())}
        return part(f"suite_review.reasons.{'center' if self.k > 1 else 'center_of_one'}", **found)

    def _joined(self) -> list[Part]:
        if self.newcomers is None:
            return []
        unchanged, agreement = int(self.newcomers["deepest_kept"].sum()), float(self.newcomers["agreement"].mean())
        found = {"n": len(self.newcomers), "unchanged": unchanged, "agreement": agreement}
        return [part("suite_review.details.newcomers", **found)]

    def printed_tables(self) -> list[PrintedTable]:
        """Every problem, and first what becomes of the center without it."""
        caption = (
            "Per problem: whether the center stays without it; depth; the problem whose order is nearest, and the "
            "share of pairs in which the two differ (distance); and how alike the other depths are with and without it "
            "(Kendall's τ, and the largest change of a depth's share)."
        )
        table = first_columns(self.table, "center_kept")
        table.index = table.index.rename(self.depths.depth.index.name)
        headers = {"center_kept": "center stays", "agreement": "τ"}
        return [PrintedTable(frame=table, name="review", caption=caption, headers=headers, most=40, folded=True)]

    plot = Offered()


@dataclass(frozen=True, repr=False, eq=False)
class SuiteComparison(Worded):
    """Comparison of two suites of problems with the same systems.

    Parameters
    ----------
    names : tuple of str
        Names of the suites.
    depths : DataFrame
        Every problem of both (``suite``, ``problem``) with its depth among the orders of each suite.
    table : DataFrame
        Summary per suite: ``problems``, ``distinct``, ``mean depth in A``, ``mean depth in B``, ``sd of depth`` and
        ``pairs``, the mean number of ordered pairs.
    shares : DataFrame
        Share of the first suite's problems in which the row stands above the column, minus that of the second.
    central : DataFrame
        Pairs shared by the k deepest orders of each suite: 1 both, "only" the first or second by name, empty neither.
    statistic, pvalue : float
        Sum of the squared differences of shares, and the share of random divisions of all problems into two
        suites of these sizes for which it is at least as large. A small p-value is evidence that the suites contain
        different kinds of problems.
    """

    paper = "rodemann2024partial"

    names: tuple[str, str]
    depths: pd.DataFrame
    table: pd.DataFrame
    shares: pd.DataFrame
    central: pd.DataFrame
    statistic: float
    pvalue: float

    def __repr__(self) -> str:
        return f"<SuiteComparison: {self.names[0]} and {self.names[1]}, {text.pvalue(self.pvalue)}>"

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the pairs of systems whose shares of problems differ most between the suites."""
        from copa_nb.plotting.rows import draw_rows

        shares = self.shares.to_numpy()
        largest = [pair for pair in np.argsort(-np.abs(shares), axis=None, kind="stable") if shares.flat[pair]]
        above, below = np.unravel_index(np.array(largest, dtype=int), shares.shape)
        systems = [text.label(system) for system in self.shares.index]
        pairs = [f"{systems[i]} above {systems[j]}" for i, j in zip(above, below, strict=True)]
        differences = pd.Series(shares[above, below], index=pairs)
        return draw_rows(
            differences, f"share of problems in {self.names[0]} minus that in {self.names[1]}", ax=ax, most=12
        )

    def parts(self) -> list[Part]:
        """Whether the suites differ, by which pair most, and what their centers share."""
        first, second = map(str, self.names)
        difference, systems = self.shares.to_numpy(), self.shares.index
        i, j = np.unravel_index(np.abs(difference).argmax(), difference.shape)
        more, less = (first, second) if difference[i, j] > 0 else (second, first)
        differ = "same" if self.pvalue > _ALPHA else "differ"
        largest = {"above": text.label(systems[i]), "below": text.label(systems[j]), "more": more, "less": less,
                   "share": float(abs(difference[i, j]))}  # fmt: skip
        return [
            part(f"suite_comparison.headline.{differ}", first=first, second=second, pvalue=self.pvalue),
            *([part("suite_comparison.reasons.largest", **largest)] if largest["share"] else []),
            part("suite_comparison.details.centers", n=int((self.central == "both").to_numpy().sum())),
            *self.guarantee.parts(),
        ]

    @property
    def guarantee(self) -> Guarantee:
        """What the comparison guarantees at 5%."""
        return Guarantee(
            estimates="shares of problems on which one system stands above another",
            sampled="independent problems of each suite",
            holds="suites of one kind are not said to differ",
            confidence_level=0.95,
            jointly=True,
            basis="Monte Carlo",
            method="permutation of the problems between the suites",
        )


def review_suite(
    sample: Orders, *, k: int | None = None, newcomers: Orders | None = None, **depth_options: Any
) -> SuiteReview:
    """Find which problems of a suite are typical, redundant or dispensable.

    Parameters
    ----------
    sample : Orders
        One order per problem.
    k : int, optional
        The center is the pairs that the k deepest orders share; by default a quarter of the problems, at least one.
    newcomers : Orders, optional
        Orders of these systems and others on the same problems. Each of the others joins in turn, to show whether
        typical problems stay typical (appendix E of [1]_).
    **depth_options
        Passed to :func:`copa_nb.partial_orders.depth.depth`. Depths are computed about twice per problem. Those of more
        than 24 problems are estimated, from 5,000 random sets each unless `n_samples` is given, and so are all if
        ``method="auto"`` and exact ones are forecast to take more than thirty seconds together; ``method="exact"``
        computes them.

    Returns
    -------
    SuiteReview
        With fewer than three problems, a sentence in its place.

    Raises
    ------
    ValueError
        If `k` is not below the number of problems, or if `newcomers` lacks a system or a problem.

    See Also
    --------
    copa_nb.results.PosetSample.compare : Two suites with the same systems.
    copa_nb.partial_orders.depth.depth : The depths behind the review.

    References
    ----------
    .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> review = datasets.load_deepobs().moo(system="optimizer", item="problem").posets().review()
    >>> review.table.loc["P3", "nearest"], float(review.table.loc["P3", "distance"])
    ('P2', 0.0)
    """
    n = len(sample)
    if n < _FEWEST:
        problems = text.plural(sample.items.name, "problems")
        return cast(
            "SuiteReview", Note(f"A review leaves out one of at least {_FEWEST} {problems}; this suite has {n}.")
        )
    k = max(1, n // 4) if k is None else checks.integer("k", k)
    if k >= n:
        raise ValueError(f"`k` is {k}; it must be less than {n}, the number of problems.")
    if n > _MOST_EXACT and depth_options.get("method") != "exact":
        depth_options = {"n_samples": _SETS, **depth_options, "method": "sample"}
    whole = _whole(sample, depth_options)
    depth_options["method"] = whole.method  # all depths are exact, or none
    center = whole.agreement(k).shared
    rows = {item: _without_one(sample, item, whole, center, k, depth_options) for item in sample.items}
    nearest, distance = _nearest(sample)
    table = pd.DataFrame(rows).T.astype({"center_kept": bool, "agreement": float, "change": float})
    table.insert(0, "depth", whole.depth)
    table.insert(1, "nearest", nearest)
    table.insert(2, "distance", distance)
    removable: list[Hashable] = []
    for item in table[table["center_kept"]].sort_values("change", kind="stable").index:
        left = sample.without([*removable, item])
        if len(left) > k and depth(left, **depth_options).agreement(k).shared.equals(center):
            removable.append(item)
    joined = None if newcomers is None else _with_each(newcomers, whole, depth_options)
    return SuiteReview(table.loc[whole.order], _dispersion(whole), center, k, removable, whole, joined)


@shared_parameters
def compare_suites(
    sample: Orders,
    other: Orders,
    *,
    names: tuple[str, str] = ("first", "second"),
    k: int | None = None,
    n_resamples: int = 5000,
    rng: Any = 0,
    **depth_options: Any,
) -> SuiteComparison:
    """Compare two suites with the same systems: central orders, shares of pairs, depths of each in the other.

    Parameters
    ----------
    sample, other : Orders
        One order per problem.
    names : tuple of two str
        Names of the suites.
    k : int, optional
        The center of a suite is the pairs that its k deepest orders share; by default a quarter of the smaller suite.
    n_resamples : int
        Random divisions for the p-value.
    %(rng)s
    **depth_options
        Passed to :func:`copa_nb.partial_orders.depth.depth`.

    Returns
    -------
    SuiteComparison

    Raises
    ------
    ValueError
        If the two samples have different systems, or the two names are the same.

    See Also
    --------
    review_suite : Which problems of one suite are typical, redundant or dispensable.

    References
    ----------
    .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> half, rest = sample.only(sample.items[:4]), sample.only(sample.items[4:])
    >>> found = half.compare(rest, names=("first half", "second half"), n_resamples=99)
    >>> found.table["problems"].tolist()
    [4, 4]
    """
    first, second = sample, as_sample(other, sample, "other")
    if len(set(names)) != 2:
        raise ValueError(f"`names` is {names!r}; the two suites need two different names.")
    generator = checks.generator(rng)
    k = max(1, min(len(first), len(second)) // 4) if k is None else checks.integer("k", k)
    suites = dict(zip(names, (first, second), strict=True))
    results = {
        (host, guest): depth(suites[host], None if host == guest else suites[guest], **depth_options)
        for host in names
        for guest in names
    }
    depths = pd.concat(
        {guest: pd.DataFrame({f"depth in {host}": results[host, guest].depth for host in names}) for guest in names},
        names=["suite", "problem"],
    )
    centers = [results[name, name].agreement(k).shared.to_numpy() for name in names]
    central = np.select([centers[0] & centers[1], centers[0], centers[1]], ["both", names[0], names[1]], default="")
    shares = first.relations.mean(axis=0) - second.relations.mean(axis=0)
    statistic, pvalue = _exchange(first, second, checks.integer("n_resamples", n_resamples), generator)
    summary = {
        name: {
            "problems": len(suite),
            "distinct": len(suite.distinct),
            **{f"mean depth in {host}": results[host, name].depth.mean() for host in names},
            "sd of depth": results[name, name].depth.std(),
            "pairs": suite.relations.sum(axis=(1, 2)).mean(),
        }
        for name, suite in suites.items()
    }
    systems = first.systems
    return SuiteComparison(
        names=names,
        depths=depths,
        table=pd.DataFrame.from_dict(summary, orient="index"),
        shares=pd.DataFrame(shares, index=systems, columns=systems),
        central=pd.DataFrame(central, index=systems, columns=systems),
        statistic=statistic,
        pvalue=pvalue,
    )


def _whole(sample: Orders, depth_options: dict[str, Any]) -> DepthResult:
    """Depths in the whole suite; with "auto" exact ones if all that a review needs take no longer than one answer."""
    limit = said().limit(MOST_SECONDS)
    if depth_options.get("method") != "auto" or limit is None:
        return depth(sample, **depth_options)
    with settings(max_seconds=limit / (2 * len(sample))):
        return depth(sample, **depth_options)


def _without_one(
    sample: Orders, item: Hashable, whole: DepthResult, center: pd.DataFrame, k: int, options: dict[str, Any]
) -> dict[str, Any]:
    from scipy.stats import kendalltau  # half a second, which most users of this module do not need

    without = depth(sample.without([item]), **options)
    before = whole.depth.drop(item)
    shares = [values / values.sum() if values.sum() > 0 else values for values in (before, without.depth)]
    constant = without.depth.nunique() < 2 or before.nunique() < 2
    return {
        "center_kept": without.agreement(k).shared.equals(center),
        "agreement": np.nan if constant else float(kendalltau(before, without.depth).statistic),
        "change": float((shares[1] - shares[0]).abs().max()),
    }


def _with_each(newcomers: Orders, whole: DepthResult, options: dict[str, Any]) -> pd.DataFrame:
    """Depths if one further system joins, for each of them, compared with those without."""
    from scipy.stats import kendalltau  # as above

    sample = whole.sample
    for name, here, there in (
        ("system", sample.systems, newcomers.systems), ("problem", sample.items, newcomers.items)
    ):  # fmt: skip
        lacking = here.difference(there, sort=False).tolist()
        if lacking:
            raise ValueError(f"`newcomers` lacks the {name} {lacking[0]!r} of the sample; order all of them together.")
    others = newcomers.systems.difference(sample.systems, sort=False)
    if not len(others):
        raise ValueError("`newcomers` has no system that is not in the sample; order them and further ones together.")
    rows = newcomers.items.get_indexer(sample.items)
    lines = {}
    for other in others:
        systems = sample.systems.append(pd.Index([other]))
        places = newcomers.systems.get_indexer(systems)
        relations = newcomers.relations[np.ix_(rows, places, places)]
        found = depth(replace(sample, relations=relations, systems=systems, source=None), **options)
        constant = found.depth.nunique() < 2 or whole.depth.nunique() < 2
        agreement = kendalltau(whole.depth, found.depth[whole.depth.index]).statistic
        lines[other] = {
            "deepest_kept": bool(set(found.deepest) & set(whole.deepest)),
            "agreement": np.nan if constant else float(agreement),
        }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("system")


def _nearest(sample: Orders) -> tuple[pd.Series, pd.Series]:
    flat = sample.relations.reshape(len(sample), -1).astype(float)
    ones = flat.sum(axis=1)
    differing = ones[:, None] + ones[None, :] - 2 * flat @ flat.T
    np.fill_diagonal(differing, np.inf)
    n_systems = len(sample.systems)
    position = differing.argmin(axis=1)
    # A reversed pair differs twice, once in each direction.
    share = differing[np.arange(len(sample)), position] / (n_systems * (n_systems - 1))
    return pd.Series(sample.items[position], index=sample.items), pd.Series(share, index=sample.items)


def _dispersion(depths: DepthResult) -> pd.Series:
    summary = depths.summary
    return pd.Series(
        {
            "range": summary["max"] - summary["min"],
            "interquartile range": summary["upper quartile"] - summary["lower quartile"],
            "sd": summary["sd"],
            "coefficient of variation": summary["sd"] / summary["mean"] if summary["mean"] > 0 else 0.0,
            "distinct": len(depths.sample.distinct) / len(depths.sample),
        }
    )


def _exchange(first: Orders, second: Orders, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Permutation test of whether problems are exchangeable between the two suites."""
    n, m = len(first), len(second)
    pooled = np.concatenate([first.relations_by_label, second.relations_by_label]).reshape(n + m, -1).astype(float)
    total = pooled.sum(axis=0)

    def statistic(sums: np.ndarray) -> np.ndarray:
        squared: np.ndarray = ((sums / n - (total - sums) / m) ** 2).sum(axis=-1)
        return squared

    observed = float(statistic(pooled[:n].sum(axis=0)))
    chosen = np.zeros((n_resamples, n + m))
    for row in chosen:
        row[rng.permutation(n + m)[:n]] = 1.0
    count = int((statistic(chosen @ pooled) >= observed - 1e-12).sum())
    return observed, (1 + count) / (1 + n_resamples)


@describes(SuiteComparison.plot)
def _differences_in_words(comparison: SuiteComparison) -> Picture:
    first, second = comparison.names
    return Picture(
        finding=comparison.headline,
        caption=f"Share of the problems in {first} in which one stands above the other, minus that in {second}, for "
        "the pairs that differ most.",
        alt=f"Horizontal lines: the difference between {first} and {second} for the pairs that differ most.",
        data=comparison.shares,
    )
