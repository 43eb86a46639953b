"""Statistical Multicriteria Benchmarking via the GSD-Front (Jansen et al.): claims, and answers of reports."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.results.answer import Answer
from copa_nb.stochastic_dominance.arrays.resampling import contaminated_pvalue
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.stochastic_dominance.gsd_test import GsdTest
from copa_nb.text import listing, number

TREE, FOREST = "classification tree", "random forest"
NOISY_FEATURES, NOISY_CLASSES = "accuracy with noisy features", "accuracy with noisy classes"
CRE = "cre"  # compressed rule ensembles, the paper's new classifier
ESTABLISHED = ["svmRadial", "J48", "ranger", "knn", "glmnet"]
PRINTED_MEANS = {"cre": 0.7807, "svmRadial": 0.8494, "J48": 0.8347, "ranger": 0.8629, "knn": 0.7780, "glmnet": 0.8106}
_OTHER_STATE = "another state of the data"


# Section 5.1: OpenML


def withstood(tests: Mapping[Hashable, GsdTest]) -> pd.DataFrame:
    """Return how many contaminated data sets each rejection tolerates, with the statistic and with half of it.

    The authors' program compares half a difference of means with the bound for the whole.
    """
    rows = {
        name: {"data sets": _largest(test, 1.0), "with half the statistic": _largest(test, 0.5)}
        for name, test in tests.items()
        if test.on_front
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["data sets", "with half the statistic"])
    return table.rename_axis("classifier")


def _largest(test: GsdTest, factor: float) -> int:
    """Return the largest number of contaminated items with which the static test rejects; -1 if it never does."""
    statistic, null = test.statistics.iloc[0] * factor, test.null_distributions.iloc[:, 0].to_numpy() * factor
    rejects = [k for k in range(test.n_items) if contaminated_pvalue(statistic, null, k, test.n_items) <= test.alpha]
    return max(rejects, default=-1)


def openml_answer(runs: pd.DataFrame, front: GsdFront, tests: Mapping[Hashable, GsdTest]) -> Answer:
    """Which of the two is on the front, and which significantly."""
    shown = [name for name, test in tests.items() if test.on_front]
    means = runs.groupby("classifier")[["accuracy", "cpu_s"]].mean()
    described = [f"{row['accuracy']:.3f} and {row['cpu_s']:.2f} s ({name})" for name, row in means.iterrows()]
    n_resamples = len(next(iter(tests.values())).null_distributions)
    significant = {
        0: "and neither is significantly on the front",
        1: f"and only the {listing(shown)} is significantly on the front",
        2: "and both are significantly on the front",
    }[len(shown)]
    dominance = "Neither dominates the other" if len(front.front) == 2 else f"The {front.front[0]} dominates"
    return Answer(
        f"{dominance}, {significant}",
        [
            f"Mean accuracy and time: {listing(described)}.",
            *(
                f"The {name} remains significantly on the front with up to {tests[name].table['contaminated'].iloc[0]} "
                f"of {len(front.items)} data sets contaminated."
                for name in shown
            ),
        ],
        question="Random forest or classification tree, if both accuracy and time matter?",
        certainty=f"p = {listing(f'{number(test.pvalue, 2)} for the {name}' for name, test in tests.items())}, with "
        f"{n_resamples:,} permutations each. The tests concern the population of data sets.",
    )


@claim("gsd-openml-forest-tree")
def neither_dominates(front: GsdFront) -> Finding:
    """Whether neither random forest nor classification tree dominates the other."""
    is_ordered = bool(front.dominance.to_numpy().any())
    return Finding(
        found=f"tree against forest {front.statistics.loc[TREE, FOREST]:.3f}, forest against tree "
        f"{front.statistics.loc[FOREST, TREE]:.3f}",
        ours="one dominates" if is_ordered else "incomparable",
        holds=not is_ordered,
        other_data="two of the seven classifiers, with training and prediction time as one metric; the others are not "
        "in the public file",
    )


@claim("gsd-openml-robust")
def svm_withstands_seven() -> Finding:
    """SVM is not in the public file."""
    return Finding(
        found="only two classifiers are in the public file, and SVM is not one of them",
        ours="no data",
        holds=None,
        note="The data of SVM are not available in a readable form. The program for the figure halves the statistic "
        "but not its bound, so the correct number is about twice as large.",
    )


@claim(
    "gsd-halved",
    says="Halving the statistic but not its bound, as the authors' program does, understates the contamination that a "
    "rejection tolerates",
)
def halving_understates(tests: Mapping[Hashable, GsdTest]) -> Finding:
    """Whether every rejection tolerates more contaminated data sets than with half the statistic."""
    table = withstood(tests)
    right, halved = table["data sets"], table["with half the statistic"]
    return Finding(
        found="; ".join(f"{name}: {right[name]} rather than {halved[name]}" for name in table.index),
        tolerance="the correct number larger in every test that rejects",
        holds=bool((right > halved).all()) if len(table) else None,
        note="" if len(table) else "nothing was rejected",
    )


# Section 5.2: Penn Machine Learning Benchmarks


def mirrored(suite: pd.DataFrame) -> pd.Series:
    """Return whether, by data set, one robustness metric is the other with the classifiers in the opposite order."""
    wide = suite.set_index(["dataset", "classifier"])[[NOISY_FEATURES, NOISY_CLASSES]].unstack()  # noqa: PD010
    turned = wide[NOISY_FEATURES][ESTABLISHED[::-1]].to_numpy()
    return pd.Series((wide[NOISY_CLASSES][ESTABLISHED].to_numpy() == turned).all(axis=1), index=wide.index)


def compare_with_stored(stored: pd.DataFrame, front: GsdFront, regularized: GsdFront, test: GsdTest) -> pd.DataFrame:
    """Return the authors' statistics and p-values of each competitor next to those found.

    Their statistic divides by the rows of both classifiers, so that it is half of the difference of means.
    """
    from scipy.stats import ks_2samp  # half a second, which the other reports do not need

    rows = {}
    for competitor, table in stored.groupby("competitor", sort=False):
        observed, drawn = table.iloc[0], table["epsilon_0"].iloc[1:]
        null = test.null_distributions[competitor] / 2
        rows[competitor] = {
            "stored": observed["epsilon_0"],
            "found": front.statistics.loc[competitor, CRE] / 2,
            "stored, regularized": observed["epsilon_half"],
            "found, regularized": regularized.statistics.loc[competitor, CRE] / 2,
            "stored p": (1 + (drawn <= observed["epsilon_0"] + 1e-9).sum()) / (1 + len(drawn)),
            "p": test.pvalues[competitor],
            "same distribution, p": ks_2samp(drawn.round(9), null.round(9)).pvalue,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("competitor")


def fronts_by_share(fronts: Mapping[float, GsdFront]) -> pd.DataFrame:
    """Return who is on the front, and how many pairs are ordered, by the share of the largest gap that is kept."""
    rows = {
        share: {
            "on the front": len(front.front),
            "front": listing(front.front),
            "ordered pairs": len(_strictly(front)),
            "pairs": len(front.systems) * (len(front.systems) - 1) // 2,
        }
        for share, front in fronts.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("ε")


def _strictly(front: GsdFront) -> list[tuple[Hashable, Hashable]]:
    """Return the pairs of which the first dominates the second and not the other way round."""
    strict = (front.dominance & ~front.dominance.T).to_numpy()
    return [(front.systems[a], front.systems[b]) for a, b in np.argwhere(strict)]


def pmlb_answer(suite: pd.DataFrame, front: GsdFront, without: GsdFront, test: GsdTest) -> Answer:
    """The mirrored column, and the tests with and without it."""
    turned = mirrored(suite)
    above = [name for name, below in _strictly(front) if below == CRE]
    smallest = test.pvalues.idxmin()
    on_front = "are significantly on the front" if test.on_front else "cannot be shown to be on the front"
    by = f"{listing(above)} {'dominates' if len(above) == 1 else 'dominate'}" if above else "no other dominates"
    return Answer(
        "In the authors' file one robustness column mirrors the other"
        if turned.all()
        else f"Compressed rule ensembles {on_front}",
        [
            f"On that file compressed rule ensembles {on_front}." if turned.all() else "",
            f"On {'all' if turned.all() else f'{turned.sum()} of'} {len(turned)} data sets, {NOISY_CLASSES} equals "
            f"{NOISY_FEATURES} with the five established classifiers in the opposite order. Without that column the "
            f"front is {listing(without.front)}.",
            f"With both columns, {len(front.front)} of {len(front.systems)} classifiers are on the front of the "
            f"sample: {listing(front.front)}; {by} {CRE}.",
            f"The smallest p-value, against {smallest}, is {number(test.pvalues[smallest], 2)}; the dynamic test needs "
            f"{number(test.adjusted_alpha, 2)}.",
        ],
        question="Which classifiers are best if both accuracy and robustness matter?",
        certainty=f"Static test: p = {number(test.pvalue, 2)} with {len(test.null_distributions):,} permutations for "
        "each competitor.",
    )


@claim(
    "gsd-pmlb-turned",
    says="In the authors' file, one metric equals another one with the classifiers in the opposite order",
)
def one_column_is_mirrored(suite: pd.DataFrame) -> Finding:
    """Whether one robustness metric mirrors the other on every data set."""
    turned = mirrored(suite)
    return Finding(
        found=f"on {turned.sum()} of {len(turned)} data sets",
        tolerance="every value on every data set",
        holds=bool(turned.all()),
        note="The published statistics are those of this file, so the published tests used it.",
    )


@claim("gsd-pmlb-hasse")
def forest_above_cre_alone(front: GsdFront) -> Finding:
    """Whether the random forest dominates CRE and no other pair is ordered."""
    pairs = _strictly(front)
    return Finding(
        found=f"{listing(f'{a} dominates {b}' for a, b in pairs)}; no other pair" if pairs else "no pair is ordered",
        ours=", ".join(f"{a} above {b}" for a, b in pairs) or "none",
        holds=pairs == [("ranger", CRE)],
    )


@claim("gsd-pmlb-front")
def five_on_the_front(front: GsdFront) -> Finding:
    """Whether the front holds the five established classifiers."""
    return Finding(
        found=f"{len(front.front)} on the front: {listing(front.front)}",
        ours=f"{len(front.front)} classifiers",
        holds=set(front.front) == set(ESTABLISHED),
    )


@claim("gsd-pmlb-static")
def no_test_rejects(test: GsdTest) -> Finding:
    """Whether no pairwise test of CRE rejects."""
    rejected = int((test.pvalues <= test.alpha).sum())
    return Finding(
        found=f"smallest p = {test.pvalues.min():.3f}, against {test.pvalues.idxmin()}",
        ours=f"{rejected} of {len(test.pvalues)} rejected",
        holds=rejected == 0,
    )


@claim("gsd-pmlb-cart")
def cart_is_closest(test: GsdTest) -> Finding:
    """Whether the test against CART has the smallest p-value."""
    smallest = test.pvalues.idxmin()
    return Finding(
        found=f"smallest against {smallest}: {test.pvalues.min():.3f}", ours=smallest, holds=bool(smallest == "J48")
    )


@claim("gsd-pmlb-rf")
def forest_is_far_away(test: GsdTest) -> Finding:
    """Whether the test against the random forest is far from rejecting."""
    statistic, pvalue = test.statistics["ranger"], test.pvalues["ranger"]
    return Finding(
        found=f"p = {pvalue:.3f}; the statistic is {statistic:.3f}, {'above' if statistic > 0 else 'not above'} 0",
        ours=f"p = {pvalue:.2f}",
        holds=bool(pvalue > 0.9),
    )


@claim("gsd-pmlb-sets")
def number_of_data_sets(suite: pd.DataFrame) -> Finding:
    """Whether the file holds 62 data sets."""
    count = int(suite["dataset"].nunique())
    return Finding(
        found=f"{count} data sets in the file",
        ours=count,
        holds=count == 62,
        reason=_OTHER_STATE,
        note=""
        if count == 62
        else "The public file, from which the stored results can be computed, has a different number than the text.",
    )


@claim("gsd-pmlb-means")
def mean_accuracies(suite: pd.DataFrame) -> Finding:
    """Whether the mean accuracies are the printed ones."""
    means = suite.groupby("classifier", sort=False)["accuracy"].mean()
    compared = [f"{name} {means[name]:.4f} ({value:.4f} printed)" for name, value in PRINTED_MEANS.items()]
    return Finding(
        found=listing(compared),
        holds=all(abs(means[name] - value) < 5e-5 for name, value in PRINTED_MEANS.items()),
        reason=_OTHER_STATE,
        note="The table is presumably based on another state of the data than the public file, from which the stored "
        "results can be computed.",
    )


@claim("gsd-pmlb-stored", says="Observed statistics equal those that the authors stored")
def statistics_as_stored(compared: pd.DataFrame, front: GsdFront) -> Finding:
    """Whether the statistics are the stored ones."""
    largest = (compared["found"] - compared["stored"]).abs().max()
    return Finding(
        found=f"largest difference {largest:.1e}; knn, whose file is not available, "
        f"{front.statistics.loc['knn', CRE] / 2:.6f}",
        tolerance="every one within 10⁻¹²",
        holds=bool(largest < 1e-12),
    )


@claim(
    "gsd-pmlb-regularised",
    says="Regularized statistics equal those that the authors stored, within their solver's tolerance",
)
def regularized_as_stored(compared: pd.DataFrame) -> Finding:
    """Whether the regularized statistics are the stored ones, as far as the authors' solver is precise."""
    largest = (compared["found, regularized"] - compared["stored, regularized"]).abs().max()
    return Finding(
        found=f"largest difference {largest:.1e}", tolerance="every one within 4 × 10⁻⁶", holds=bool(largest < 4e-6)
    )


@claim(
    "gsd-pmlb-shares",
    says="Of four classifiers on the regularized front of the file with ε = 0.25, ε = 1 leaves one",
)
def largest_gaps_leave_one(fronts: Mapping[float, GsdFront]) -> Finding:
    """Whether the front at all of the largest gap is one of the four classifiers that are on it at a quarter."""
    quarter, whole = fronts[0.25].front, fronts[1.0].front
    ordered = fronts_by_share(fronts)["ordered pairs"]
    return Finding(
        found=f"with ε = 0.25 {listing(quarter)} ({ordered[0.25]} ordered pairs); with ε = 1 {listing(whole)} "
        f"({ordered[1.0]} ordered pairs)",
        tolerance="both numbers, the smaller front part of the larger one",
        holds=len(quarter) == 4 and len(whole) == 1 and set(whole) <= set(quarter),
    )
