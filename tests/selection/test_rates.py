"""Intervals of ranks and shares of choices hold what they say (in full: `python -m benchmarks.error_rates`)."""

import numpy as np
import pytest

from benchmarks.error_rates import selection


def _names(rates):
    return [f"{rate.what}, {rate.setting}: {rate.actual:.3f} for {rate.nominal:.3f}" for rate in rates]


@pytest.mark.slow
def test_intervals_of_ranks_keep_their_level():
    rates = list(selection.interval_rates(120))
    assert len(rates) >= 3 * 7
    assert not _names(rate for rate in rates if not rate.keeps_level)


@pytest.mark.slow
def test_exact_intervals_are_no_wider_than_they_need_to_be():
    exact = [
        rate for rate in selection.interval_rates(250, (5, 100)) if rate.setting in ("any row of 5", "any row of 100")
    ]
    assert all(rate.actual < 0.985 for rate in exact), _names(exact)


def test_bands_keep_their_level():
    assert not _names(rate for rate in selection.band_rates(200) if not rate.keeps_level)


@pytest.mark.slow
@pytest.mark.parametrize("setting", selection.RUNS[:2] + selection.RUNS[3:5], ids=str)
def test_shares_of_seeds_are_calibrated(setting):
    assert not _names(rate for rate in selection.seed_rates(100, (setting,)) if not rate.keeps_level)


@pytest.mark.slow
def test_firm_choices_are_made_again():
    rng = np.random.default_rng([15, 2])
    again = [
        same for share, same in (selection._repeat_runs(selection.RUNS[5], rng) for _ in range(100)) if share >= 0.9
    ]
    assert len(again) >= 10
    assert np.mean(again) >= 0.8
