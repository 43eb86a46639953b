"""What limits the conclusion of a hypervolume test, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from copa_nb import text
from copa_nb.significance.arrays.permutation import tie_tolerance
from copa_nb.significance.runs import Runs, system_name

if TYPE_CHECKING:
    from copa_nb.significance.hv_test import HypervolumeTest

FEW_SEEDS = 5


def find_caveats(
    test: HypervolumeTest, runs: Runs, systems: list[int], point: np.ndarray, exact_measure: bool
) -> tuple[str, ...]:
    """Collect the caveats that hold for a test.

    Parameters
    ----------
    test : HypervolumeTest
        The outcome.
    runs : Runs
        All runs of the table.
    systems : list of int
        Systems on either side.
    point : ndarray of float64, shape (k,)
        Costs of the reference point.
    exact_measure : bool
        Whether hypervolumes are exact.
    """
    return (
        *_about_counts(test, runs, systems),
        *_about_ties(test),
        *_about_values(runs, systems, point),
        *_about_computation(test, exact_measure),
    )


def _about_counts(test: HypervolumeTest, runs: Runs, systems: list[int]) -> Iterator[str]:
    counts = runs.counts(systems)
    smallest = text.number(test.smallest_pvalue, 3)
    if test.smallest_pvalue > test.options.alpha:
        yield (
            f"With {test.n_new} and {test.n_baseline} runs the smallest attainable p is {smallest}: no difference, "
            f"however large, can be significant at α = {test.options.alpha:g}. More seeds are needed."
        )
    elif min(counts) < FEW_SEEDS:
        yield f"Few seeds ({min(counts)} for some system): the smallest attainable p is {smallest}."
    if test.options.level == "seeds" and test.n_new != test.n_baseline:
        yield (
            f"Unequal numbers of runs ({test.n_new} and {test.n_baseline}): the front over more runs is larger "
            "by chance alone. p allows for it; the difference itself does not."
        )
    if len(systems) > 2:
        yield (
            f"Labels are exchanged among {len(systems)} systems: differences between systems of one side widen "
            "the null distribution."
        )


def _about_ties(test: HypervolumeTest) -> Iterator[str]:
    null = test.null_distribution if test.options.alternative != "less" else -test.null_distribution
    sizes = np.abs(null) if test.options.alternative == "two-sided" else null
    tolerance = tie_tolerance(test.hypervolume_new, test.hypervolume_baseline)
    share = float((sizes >= sizes.max() - tolerance).mean())
    if share > test.options.alpha >= test.smallest_pvalue:
        yield (
            f"Few of these runs are on a front, so that many relabellings tie: no labelling of them gives a p below "
            f'{text.number(share, 3)}. Fronts of means (level="mean") use every run.'
        )


def _about_values(runs: Runs, systems: list[int], point: np.ndarray) -> Iterator[str]:
    still = [s for s in systems if (rows := runs.costs[runs.systems == s]).shape[0] > 1 and (rows == rows[0]).all()]
    if still:
        names = text.listing(system_name(runs.labels[s]) for s in still)
        yield f"No variation between the runs of {names}: check that the seeds did change something."
    beyond = ~(runs.costs < point).all(axis=1)
    for s in systems:
        count = int((beyond & (runs.systems == s)).sum())
        if count:
            yield (
                f"{count} of {int((runs.systems == s).sum())} runs of {system_name(runs.labels[s])} are not better "
                "than the reference point in every objective and add nothing to the hypervolume."
            )
    if runs.matrix.n_omitted:
        yield f"{runs.matrix.n_omitted} rows with missing values were left out."


def _about_computation(test: HypervolumeTest, exact_measure: bool) -> Iterator[str]:
    if not exact_measure:
        yield f"Hypervolumes are not exact: {test.measure}, the same for every relabelling."
    if not test.exact:
        error = math.sqrt(test.pvalue * (1 - test.pvalue) / test.n_resamples)
        if abs(test.pvalue - test.options.alpha) < 2 * error:
            yield (
                f"p is within Monte-Carlo error (± {text.number(2 * error, 2)}) of α: raise `n_resamples` "
                "before reading anything into which side it falls on."
            )
