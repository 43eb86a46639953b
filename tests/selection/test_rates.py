"""Intervals of ranks and shares of choices hold what they say (in full: `python -m tests.benchmarks.error_rates`)."""

import pytest

from tests.benchmarks.error_rates import selection


def _names(rates):
    return [f"{rate.what}, {rate.setting}: {rate.actual:.3f} for {rate.nominal:.3f}" for rate in rates]


def test_intervals_of_ranks_keep_their_level():
    rates = list(selection.interval_rates(400))
    assert len(rates) >= 3 * 7
    assert not _names(rate for rate in rates if not rate.keeps_level)


def test_exact_intervals_are_no_wider_than_they_need_to_be():
    exact = [
        rate for rate in selection.interval_rates(1000, (5, 100)) if rate.setting in ("any row of 5", "any row of 100")
    ]
    assert all(rate.actual < 0.98 for rate in exact), _names(exact)


def test_bands_keep_their_level():
    assert not _names(rate for rate in selection.band_rates(400) if not rate.keeps_level)


def test_an_error_times_two_is_no_interval():
    """What was printed before: 0 % for the best row."""
    rng = selection.np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        true = rng.random(5)
        rank = selection.strictly_better(true[:, None], true[:, None])[:, 0] / 5
        error = selection.arrays.rank_standard_errors(rank, 5)
        hits += abs(rank - true)[true.argmin()] <= 1.96 * error[true.argmin()]
    assert hits == 0


@pytest.mark.parametrize("setting", selection.RUNS[:1] + selection.RUNS[3:5], ids=str)
def test_shares_of_seeds_are_calibrated(setting):
    assert not _names(rate for rate in selection.seed_rates(150, (setting,)) if not rate.keeps_level)


def test_tiers_hold_all_true_ranks_and_equivalents_keep_their_level():
    rates = [*selection.tier_rates(40), *selection.equivalent_rates(100)]
    assert not _names(rate for rate in rates if rate.nominal is not None and not rate.keeps_level)
    powers = {rate.setting: rate.actual for rate in rates if rate.kind == "power"}
    assert min(powers.values()) > 0.4
    assert max(powers.values()) > 0.95
