"""Intervals of gaps cover what they should, simulated in small; ``tests.benchmarks.error_rates`` has them in full."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests.benchmarks.error_rates import generalization
from tests.benchmarks.error_rates.generalization import BOOTSTRAP, PRECISION, REPEATS, Models


@pytest.fixture(scope="module")
def rates():
    settings = (BOOTSTRAP[0], BOOTSTRAP[4], BOOTSTRAP[7])
    return [*generalization.bootstrap_rates(60, settings), *generalization.repeat_rates(300, REPEATS[3:])]


def test_levels_are_kept(rates):
    missed = [
        f"{rate.what}, {rate.setting}: {rate.actual:.2f}" for rate in rates if not (rate.keeps_level or rate.note)
    ]
    assert not missed


def test_the_public_verb_makes_the_intervals_that_are_simulated():
    rng = np.random.default_rng(3)
    predicted, truth = Models(rng, BOOTSTRAP[5]).predict(rng, 150)
    place = np.linspace(0.1, 0.9, len(predicted))
    result = copa_nb.gap_bootstrap(
        pd.DataFrame({"val_precision": place, "val_recall": 1 - place}),
        predictions=pd.DataFrame(predicted.astype(int)), truth=truth.astype(int),
        metrics={name: name for name in PRECISION}, objectives=dict.fromkeys(PRECISION, "max"),
        reference=dict.fromkeys(PRECISION, 0), n_resamples=generalization.N_DRAWS, rng=7,
    )  # fmt: skip
    expected = generalization.bootstrap_intervals(predicted, truth, PRECISION, np.random.default_rng(7))
    for quantity, interval in expected.items():
        assert result.interval(quantity) == pytest.approx(interval), quantity
