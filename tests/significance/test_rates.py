"""What the tests promise, simulated in small; ``python -m benchmarks.error_rates`` does it in full."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.error_rates import significance as simulations


@pytest.fixture(scope="module")
def sizes():
    return {(rate.what, rate.setting): rate for rate in simulations.sizes(150)}


def of(rates, what):
    return {setting: rate for (name, setting), rate in rates.items() if name == what}


@pytest.mark.slow
def test_single_runs_and_what_is_called_significant_keep_their_level_under_any_noise(sizes):
    for what in (simulations.RUNS, simulations.SIGNIFICANT):
        assert len(of(sizes, what)) == len(simulations.NULLS)
        for rate in of(sizes, what).values():
            assert rate.keeps_level_or_warns, rate


@pytest.mark.slow
def test_fronts_keep_their_level_under_equal_noise_also_with_unequal_numbers_of_runs(sizes):
    equal = {setting: rate for setting, rate in of(sizes, simulations.FRONT).items() if setting.startswith("equal")}
    assert len(equal) == 3
    assert all(rate.keeps_level for rate in equal.values()), equal


@pytest.mark.slow
def test_the_warning_about_unequal_noise_is_justified(sizes):
    for setting in ("10 and 10 runs", "5 and 15 runs"):
        rate = sizes[simulations.FRONT, f"standard deviations 3 and 1, {setting}"]
        assert not rate.keeps_level
        assert rate.actual - 3 * rate.error > 0.25
        assert rate.comparator
    worse = next(rate for (what, _), rate in sizes.items() if what == f"{simulations.FRONT}, larger front")
    assert worse.actual > 0.05 / 2
    # The worse system is not called better.
    assert (
        next(rate for (what, _), rate in sizes.items() if what.startswith(f"{simulations.SIGNIFICANT}, ")).actual < 0.02
    )


@pytest.mark.slow
def test_power_with_unequal_numbers_of_runs_and_where_fronts_stop_gaining():
    power = {(rate.what, rate.setting.split(", ")[1]): rate.actual for rate in simulations.powers(100)}
    # 0.00 by the paper's count, which is not centered.
    assert power['hv_test(two_sided="paper").pvalue', "5 and 15 runs"] < 0.02
    assert power[simulations.FRONT, "5 and 15 runs"] > 0.7
    assert power[simulations.RUNS, "24 and 24 runs"] > 0.9
    assert power[simulations.FRONT, "24 and 24 runs"] < 0.9


# One noisy system: step-down max-T called something significant in 12% to 19% of these audits.
NOISY = [
    "3 systems, standard deviations 1, 1 and 4, 3 runs each",
    "3 systems, standard deviations 4, 1 and 1, 2, 3 and 20 runs",
    "5 systems, standard deviations 1, 1, 1, 1 and 4, 5 runs each",
]
ALIKE = ["5 systems alike, 10 runs each", "5 systems, 97% of 20 questions right, 5 runs each"]


def pooled(rates, what):
    chosen = [rate for rate in rates if rate.what.startswith(what)]
    return sum(rate.hits for rate in chosen) / sum(rate.n for rate in chosen)


@pytest.mark.slow
def test_adjusted_claims_keep_the_familywise_level_and_unadjusted_ones_do_not():
    assert pooled(simulations.audits(60, NOISY), "audit().significant:") <= 0.07
    alike = list(simulations.audits(40, ALIKE))
    assert pooled(alike, "audit().significant:") <= 0.07
    assert pooled(alike, "audit().significant_unadjusted") > 0.08


@pytest.mark.slow
def test_every_audit_keeps_its_level_or_is_labeled():
    rates = list(simulations.audits(100))
    assert len(rates) == 6 * len(simulations.AUDITS)
    assert all(rate.keeps_level_or_warns for rate in rates if not rate.comparator), rates


@pytest.mark.slow
def test_intervals_of_single_runs_cover_the_difference_of_expectations():
    rates = list(simulations.intervals(100))
    assert len(rates) == len(simulations.INTERVALS)
    for rate in rates:
        assert rate.keeps_level, rate


def test_differing_correlations_are_found_and_always_named():
    found = {rate.what: rate.actual for rate in simulations.correlations(100)}
    assert found[simulations.RUNS] > 0.07
    assert found[f"{simulations.SIGNIFICANT}, without naming the correlations"] == 0


@pytest.mark.slow
def test_the_range_of_seeds_needed_holds_the_truth():
    ranges = [rate for rate in simulations.searches(6, truth_from=1000) if rate.kind == "coverage"]
    assert len(ranges) == 3
    assert all(rate.keeps_level for rate in ranges), ranges


@pytest.mark.parametrize(
    "setting", ["log-normal costs, σ 1.5 and 0.3, 20 and 20 runs", "log-normal in both, σ 1.5 and 0.3"]
)
def test_long_tails_of_unequal_size_are_warned_of(setting):
    """Wrong verdicts carry the warning; where both sides have the same distribution, hardly any result has it."""
    unlike = simulations.NULLS[setting]
    tests = list(simulations.tests_of(unlike, 60, start=0, n_resamples=199))
    wrong = [test for test in tests if test.significant]
    assert len(wrong) > 3
    assert np.mean(["skewed" in [one.name for one in test.guarantee.warnings] for test in wrong]) > 0.9


@pytest.mark.parametrize("setting", ["equal noise, 5 and 5 runs", "equal noise, 10 and 10 runs"])
def test_well_behaved_runs_are_not_warned_of(setting):
    tests = simulations.tests_of(simulations.NULLS[setting], 60, start=0, n_resamples=199)
    assert np.mean([bool(test.guarantee.warnings) for test in tests]) < 0.1


def test_power_is_that_of_single_runs():
    """1.5 standard deviations better in one objective: as a t-test of the hypervolumes of single runs."""

    def better(rng, n):
        return rng.standard_normal((n, 2)) - [1.5, 0.0]

    for runs in (20, 40):
        setting = simulations.Setting([better, simulations.normal()], (runs, runs))
        tests = list(simulations.tests_of(setting, 100, start=0, n_resamples=499))
        by_t = np.mean([
            stats.ttest_ind(test.run_values[test.inputs.is_new], test.run_values[~test.inputs.is_new],
                            equal_var=False).pvalue <= 0.05 for test in tests
        ])  # fmt: skip
        power = np.mean([test.significant for test in tests])
        assert power > by_t - 0.06
        assert power > np.mean([test.pvalue <= 0.05 for test in tests]) + 0.1
