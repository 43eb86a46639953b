"""What the tests promise, simulated in small; ``python -m tests.benchmarks.error_rates`` does it in full."""

import pytest

from tests.benchmarks.error_rates import significance as simulations


@pytest.fixture(scope="module")
def sizes():
    return {(rate.what, rate.setting): rate for rate in simulations.sizes(400)}


def of(rates, what):
    return {setting: rate for (name, setting), rate in rates.items() if name == what}


def test_single_runs_and_what_is_called_significant_keep_their_level_under_any_noise(sizes):
    for what in (simulations.RUNS, simulations.BOTH):
        assert len(of(sizes, what)) >= 7
        for rate in of(sizes, what).values():
            assert rate.keeps_level, rate


def test_fronts_keep_their_level_under_equal_noise_also_with_unequal_numbers_of_runs(sizes):
    equal = {setting: rate for setting, rate in of(sizes, simulations.FRONT).items() if setting.startswith("equal")}
    assert len(equal) == 3
    assert all(rate.keeps_level for rate in equal.values()), equal


def test_the_warning_about_unequal_noise_is_justified(sizes):
    for setting in ("10 and 10 runs", "5 and 15 runs"):
        rate = sizes[simulations.FRONT, f"standard deviations 3 and 1, {setting}"]
        assert not rate.keeps_level
        assert rate.actual - 3 * rate.error > 0.25
        assert rate.note
    worse = next(rate for (what, _), rate in sizes.items() if what == f"{simulations.FRONT}, larger front")
    assert worse.actual - 3 * worse.error > 0.05 / 2
    # The worse system is not called better.
    assert next(rate for (what, _), rate in sizes.items() if what.startswith(f"{simulations.BOTH}, ")).actual < 0.01


def test_power_with_unequal_numbers_of_runs_and_where_fronts_stop_gaining():
    power = {(rate.what, rate.setting.split(", ")[1]): rate.actual for rate in simulations.powers(300)}
    # 0.00 by the paper's count, which is not centred.
    assert power['hv_test(two_sided="paper").pvalue', "5 and 15 runs"] < 0.02
    assert power[simulations.FRONT, "5 and 15 runs"] > 0.7
    assert power[simulations.RUNS, "24 and 24 runs"] > 0.97
    assert power[simulations.FRONT, "24 and 24 runs"] < 0.9


def test_adjusted_claims_keep_the_familywise_level_and_raw_ones_do_not():
    rates = list(simulations.audits(30))
    assert len(rates) == 39
    for rate in rates:
        if not rate.note:
            assert rate.keeps_level, rate
    raw = [rate for rate in rates if "raw front p" in rate.what]
    assert all(rate.actual > 0.1 for rate in raw)


@pytest.mark.slow
def test_the_range_of_seeds_needed_holds_the_truth():
    ranges = [rate for rate in simulations.searches(6, truth_from=1000) if rate.kind == "coverage"]
    assert len(ranges) == 3
    assert all(rate.keeps_level for rate in ranges), ranges
