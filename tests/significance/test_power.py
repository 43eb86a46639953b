import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import copa_nb
from copa_nb.results.note import Note
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, split_test
from copa_nb.significance.noise import fitted_noise, given_noise
from copa_nb.significance.simulation import wilson_interval
from tests import asked
from tests.asked import gather_runs
from tests.said import said_by, sentence

DIRECTIONS = {"accuracy": "max", "cost": "min"}
QUICK = {"n_simulations": 300}


def make_runs(seeds=200, rng=0):
    rng = np.random.default_rng(rng)
    parts = []
    for name, accuracy, cost in [("A", 0.6, 3.0), ("B", 0.7, 2.0)]:
        noise = rng.multivariate_normal([0, 0], [[0.0004, -0.0005], [-0.0005, 0.01]], seeds)
        parts.append(
            pd.DataFrame(
                {"system": name, "seed": range(seeds), "accuracy": accuracy + noise[:, 0], "cost": cost + noise[:, 1]}
            )
        )
    return pd.concat(parts, ignore_index=True)


def test_power_is_the_share_of_rejections():
    study = copa_nb.power(effect=0.1, n_runs=4, noise=0.04, n_simulations=50, rng=9)
    stream = np.random.default_rng(9).spawn(1)[0]
    sets = given_noise(0.04).draw(0.1, 4, 50, stream)
    rejected = [
        split_test(costs, np.arange(8) < 4, np.zeros(2), HypervolumeTestOptions()).pvalue <= 0.05 for costs in sets
    ]
    assert study.at(0.1, 4) == np.mean(rejected)
    assert study.table["exact"].all()


def test_size_under_the_null_is_at_most_the_level():
    table = copa_nb.power(effect=0.0, n_runs=[4, 5], noise=0.1, n_simulations=2000).table
    # 2 of 70 and 12 of 252 splits are what fits under 0.05.
    assert (table["low"] <= 0.05).all()
    assert table["power"].iloc[0] == pytest.approx(2 / 70, abs=0.015)
    assert table["power"].iloc[1] == pytest.approx(12 / 252, abs=0.02)


@pytest.mark.slow
def test_size_of_monte_carlo_mean_and_paired_tests():
    for options in ({"n_resamples": 99}, {"unit": "mean"}, {"paired": True, "correlation": 0.6, "n_runs": 8}):
        table = copa_nb.power(**{"effect": 0.0, "n_runs": 6, "noise": 0.1, "n_simulations": 1000} | options).table
        assert table["low"].iloc[0] <= 0.05, options


def test_power_grows_with_effect_and_seeds_and_falls_with_noise():
    table = copa_nb.power(effect=[0.02, 0.1], n_runs=[4, 8], noise=0.03, n_resamples=199, **QUICK).table
    power = table.pivot(index="effect", columns="n_runs", values="power")
    assert (power.loc[0.1] > power.loc[0.02]).all()
    assert power.loc[0.02, 8] >= power.loc[0.02, 4]
    assert copa_nb.power(effect=0.1, n_runs=4, noise=0.3, **QUICK).at(0.1, 4) < power.loc[0.1, 4]


def test_pairing_profits_from_correlation():
    options = {
        "effect": 0.05,
        "n_runs": 8,
        "noise": 0.04,
        "unit": "mean",
        "n_resamples": 299,
        "correlation": 0.9,
        **QUICK,
    }
    assert copa_nb.power(paired=True, **options).at(0.05, 8) > copa_nb.power(**options).at(0.05, 8) + 0.3


def test_threads_and_seeds_of_the_simulation():
    options = {"effect": 0.05, "n_runs": [4, 5], "noise": 0.03, "n_simulations": 120}
    with copa_nb.options(n_jobs=1):
        one = copa_nb.power(**options).table
    with copa_nb.options(n_jobs=2):
        two = copa_nb.power(**options).table
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(copa_nb.power(rng=1, **options).table)


def test_fitted_noise_recovers_the_covariance():
    runs = make_runs(4000)
    gathered = gather_runs(runs, system="system", objectives=DIRECTIONS)
    point = gathered.reference_costs({"accuracy": 0.2, "cost": 5.0}, 0.1)
    model = fitted_noise(gathered, gathered.find("A", "baseline")[0], point)
    # Distances of A from the reference: 0.4 and 2; costs of accuracy have the other sign.
    expected = np.array([[0.0004, 0.0005], [0.0005, 0.01]]) / np.outer([0.4, 2.0], [0.4, 2.0])
    np.testing.assert_allclose(model.covariance, expected, rtol=0.15)
    drawn = model.draw(0.21, 5, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(drawn[:, 0].T), model.covariance, rtol=0.06)
    np.testing.assert_allclose(drawn[:, :5].mean(axis=(0, 1)), [-1.1, -1.1], atol=0.002)
    np.testing.assert_allclose(drawn[:, 5:].mean(axis=(0, 1)), [-1, -1], atol=0.002)


def test_the_new_mean_dominates_the_stated_share_of_hypervolume():
    for k in (1, 2, 3):
        drawn = given_noise(0.0, k).draw(0.05, 1, 1, np.random.default_rng(0))[0]
        assert np.prod(-drawn[0]) == pytest.approx(1.05)
        assert np.prod(-drawn[1]) == pytest.approx(1.0)


def run_test(runs, **options):
    return asked.hv_test(runs, "B", "A", system="system", objectives=DIRECTIONS, n_resamples=499, **options)


def test_noise_that_is_fitted_given_in_own_units_or_scaled():
    runs = make_runs(30)
    test = run_test(runs, reference={"accuracy": 0.2, "cost": 5.0})
    fitted = test.power(n_runs=4, pooled=True, **QUICK)
    assert "fitted to 60 runs of 2 systems" in fitted.noise.description
    means = runs[runs["system"] == "A"][["accuracy", "cost"]].mean()
    given = test.power(noise={"accuracy": 0.02, "cost": 0.1}, n_runs=4, **QUICK)
    np.testing.assert_allclose(given.noise.deviations, [0.02 / (means.accuracy - 0.2), 0.1 / (5 - means.cost)])
    assert test.power(noise=0.02, n_runs=4, **QUICK).noise.deviations.tolist() == [0.02, 0.02]
    np.testing.assert_allclose(fitted.noise.scaled(2).deviations, 2 * fitted.noise.deviations)
    again = copa_nb.power(noise=fitted.noise, n_runs=4, **QUICK)
    pd.testing.assert_frame_equal(again.table, fitted.table)
    assert test.needed(effect=0.3, **QUICK).n_runs is not None


def test_seeds_needed_is_the_smallest_that_reaches_the_power():
    options = {"effect": 0.05, "noise": 0.012, "n_resamples": 199, **QUICK}
    found = copa_nb.power(solve="runs", **options)
    powers = found.table.set_index("n_runs")["power_runs"]
    assert powers[found.n_runs] >= 0.8
    assert powers[found.n_runs - 1] < 0.8
    assert found.table["n_runs"].is_monotonic_increasing
    assert copa_nb.power(solve="runs", effect=0.0001, noise=0.2, most=6, n_resamples=99, **QUICK).n_runs is None


def test_the_noise_for_a_power_is_where_the_power_is_passed():
    options = {"effect": 0.1, "n_runs": 5, **QUICK}
    noise = copa_nb.power(solve="noise", tolerance=0.01, **options)
    assert copa_nb.power(noise=noise / 1.03, **options).at(0.1, 5) >= 0.8
    assert copa_nb.power(noise=noise * 1.03, **options).at(0.1, 5) <= 0.8
    with pytest.raises(ValueError, match=r"`target`=0\.8 is not crossed"):
        copa_nb.power(solve="noise", effect=0.1, n_runs=3, **QUICK)


@pytest.mark.parametrize(("count", "trials"), [(0, 50), (50, 50), (7, 31), (812, 1000)])
def test_wilson_interval_equals_scipy(count, trials):
    expected = binomtest(count, trials).proportion_ci(method="wilson")
    assert wilson_interval(count, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "`noise` is required without a table"),
        ({"noise": -0.1}, "`noise` is -0.1"),
        ({"noise": 0.1, "effect": -1.5}, "`effect` is -1.5"),
        ({"noise": 0.1, "effect": []}, "`effect` is empty"),
        ({"noise": 0.1, "n_runs": 1}, "`n_runs` is 1"),
        ({"noise": 0.1, "n_runs": []}, "`n_runs` is empty"),
        ({"noise": 0.1, "correlation": 2}, "`correlation` is 2"),
        ({"noise": 0.1, "n_simulations": 0}, "`n_simulations` is 0"),
        ({"solve": "costs"}, "`solve` is 'costs'"),
        ({"solve": "runs", "noise": 0.1, "effect": [0.1, 0.2]}, "needs a single number"),
        ({"solve": "noise", "effect": 0.1}, "needs a single number"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        copa_nb.power(**options)


def test_noise_that_the_runs_of_a_test_do_not_have():
    assert "no system has more" in run_test(make_runs(1)).power(pooled=True).explain()
    with pytest.raises(ValueError, match="it needs one standard deviation for each of 'accuracy', 'cost'"):
        run_test(make_runs(3)).power(noise={"cost": 1})
    study = run_test(make_runs(3), reference={"accuracy": 0.61, "cost": 9}).power()
    assert isinstance(study, Note)
    assert "`reference` is not worse than the mean of 'A' in 'accuracy'" in study
    runs = pd.concat([make_runs(3), make_runs(3).replace({"system": {"B": "C"}}).query("system == 'C'")])
    several = asked.hv_test(runs, ["B", "C"], "A", system="system", objectives=DIRECTIONS)
    with pytest.raises(ValueError, match="a side of this test has several"):
        several.power()
    assert "3 systems" in several.power(n_runs=2, n_simulations=2, pooled=True).noise.description


def test_a_power_states_its_noise_and_refuses_what_was_not_simulated():
    study = copa_nb.power(noise=0.05, n_runs=3, n_simulations=5, rng=None)
    assert repr(study).startswith("<Power from ")
    assert "given noise 0.05" in study._repr_html_()
    with pytest.raises(ValueError, match="was not simulated"):
        study.at(0.3, 5)


# --- fronts and single runs ----------------------------------------------------------------------------------------


def test_power_of_fronts_and_of_single_runs():
    table = copa_nb.power(effect=[0.0, 0.1], n_runs=[8, 24], noise=0.08, n_resamples=299, **QUICK).table
    power = table.set_index(["effect", "n_runs"])
    assert (power.loc[0.0, "power_runs"] <= 0.08).all()
    # The power of fronts grows slowly; that of single runs does not.
    columns = ["power", "power_runs"]
    gain = power.loc[(0.1, 24), columns] - power.loc[(0.1, 8), columns]
    assert gain["power_runs"] > gain["power"] + 0.1


def test_noise_of_each_system():
    model = copa_nb.results.NoiseModel(np.diag([0.01, 0.01]), "by hand", np.diag([0.09, 0.09]))
    drawn = model.draw(0.0, 4, 5000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn[:, :4].std(axis=(0, 1)), 0.3, rtol=0.03)
    np.testing.assert_allclose(drawn[:, 4:].std(axis=(0, 1)), 0.1, rtol=0.03)
    np.testing.assert_allclose(model.scaled(2).covariance_new, np.diag([0.36, 0.36]))
    row = copa_nb.power(effect=0.0, n_runs=10, noise=model, n_resamples=199, **QUICK).table.iloc[0]
    assert row["power"] > 0.2
    assert row["power_runs"] < 0.08


def test_noise_fitted_to_each_system_or_pooled():
    runs = make_runs(50)
    runs.loc[runs["system"] == "B", "cost"] = 2 + 5 * (runs.loc[runs["system"] == "B", "cost"] - 2)
    corner = {"accuracy": 0.2, "cost": 5.0}
    test, options = run_test(runs, reference=corner), {"n_runs": 3, "n_simulations": 5}
    pooled, apart = test.power(pooled=True, **options).noise, test.power(**options).noise
    assert "one covariance pooled over all" in pooled.description
    assert pooled.covariance_new is None
    ratio = np.sqrt(apart.covariance_new[1, 1] / apart.covariance[1, 1])
    assert ratio == pytest.approx(5, rel=0.3)
    assert "50 runs of A" in apart.description
    assert "50 runs of B" in apart.description
    np.testing.assert_allclose((apart.covariance + apart.covariance_new) / 2, pooled.covariance)
    with pytest.raises(ValueError, match="single run of 'B'"):
        run_test(runs[(runs["system"] == "A") | (runs["seed"] == 0)], reference=corner).power(**options)


def test_seeds_that_cannot_be_enough_stop_the_search_and_say_why():
    answer = copa_nb.power(solve="runs", effect=0.001, noise=0.2, n_resamples=99)
    assert answer.n_runs is None
    # The first number of seeds, and few simulations of the largest.
    assert answer.table["n_runs"].tolist() == [4, 50]
    assert answer.table["n_simulations"].tolist() == [1000, 100]
    assert "runs_needed.reasons.noise" in said_by(answer)
    few = copa_nb.power(solve="runs", effect=0.5, noise=0.01, most=3, **QUICK)
    assert few.n_runs is None
    assert sentence(few, "runs_needed.reasons.few_runs")["pvalue"] == pytest.approx(0.1)


def test_a_front_that_gains_nothing_from_more_seeds_is_named():
    options = {"effect": 0.1, "noise": 0.08, "most": 40, "n_resamples": 99, **QUICK}
    front = copa_nb.power(solve="runs", statistic="front", **options)
    assert front.n_runs is None
    assert "runs_needed.reasons.luckiest" in said_by(front)
    runs = copa_nb.power(solve="runs", statistic="runs", **options)
    assert runs.n_runs is not None
    assert runs.n_runs < 40
    with pytest.raises(ValueError, match="`statistic` is 'fronts'"):
        copa_nb.power(solve="runs", effect=0.1, noise=0.1, statistic="fronts")


def test_seeds_needed_gives_the_range_that_the_simulation_leaves():
    answer = copa_nb.power(solve="runs", effect=0.1, noise=0.045, statistic="runs", n_resamples=199, **QUICK)
    low, high = answer.range
    assert low <= answer.n_runs <= high
    needed = sentence(answer, "runs_needed.certainty.error")["needed"]
    assert (needed["low"], needed["high"]) == (low, high)
    assert "given noise 0.045" in sentence(answer, "runs_needed.details.sampled")["noise"]
    assert "power.details.meant" in said_by(answer.evaluated)
    powers = answer.table.set_index("n_runs")["power_runs"]
    assert wilson_interval(round(powers[high] * 300), 300)[0] >= 0.8
    assert "several runs" in copa_nb.power.__doc__
    answer.plot()


@pytest.mark.parametrize("options", [{"pooled": True}, {}])
def test_the_order_of_rows_does_not_change_the_answer(options):
    runs = make_runs(7, rng=2)
    corner = {"accuracy": 0.2, "cost": 5.0}
    options |= {"n_simulations": 60}
    expected = run_test(runs, reference=corner).power(0.1, 4, **options)
    for seed in range(5):
        found = run_test(runs.sample(frac=1, random_state=seed), reference=corner).power(0.1, 4, **options)
        np.testing.assert_array_equal(found.noise.covariance, expected.noise.covariance)
        pd.testing.assert_frame_equal(found.table, expected.table)
    answers = [run_test(one, reference=corner).needed(effect=0.3, **options) for one in (runs, runs.iloc[::-1])]
    assert answers[0].n_runs == answers[1].n_runs
    pd.testing.assert_frame_equal(answers[0].table, answers[1].table)


def test_uniform_noise_has_the_given_spread_and_no_tails():
    model = copa_nb.results.NoiseModel(np.diag([0.1**2, 0.2**2]), "by hand", distribution="uniform")
    deviations = -model.draw(0.0, 500, 20, np.random.default_rng(0)).reshape(-1, 2) - 1
    assert deviations.std(axis=0) == pytest.approx([0.1, 0.2], rel=0.02)
    assert (np.abs(deviations).max(axis=0) <= np.sqrt(3) * np.array([0.1, 0.2]) + 1e-12).all()
    # The fourth moment of a uniform variable is 1.8 times its squared variance, of a normal one 3 times.
    assert (deviations**4).mean(axis=0) / (deviations**2).mean(axis=0) ** 2 == pytest.approx([1.8, 1.8], rel=0.03)


def test_more_runs_gain_more_power_without_tails():
    options = {"effect": 0.05, "n_runs": 10, "noise": 0.0136, "n_resamples": 499, **QUICK}
    uniform = copa_nb.power(**options, distribution="uniform")
    assert uniform.at(0.05, 10) > copa_nb.power(**options).at(0.05, 10)
    assert "uniform" in uniform.noise.description
    assert uniform.noise.scaled(2).distribution == "uniform"


@pytest.mark.parametrize("wrong", [{"noise": "uniform"}, {"noise": 0.1, "distribution": "cauchy"}])
def test_refuses_other_distributions(wrong):
    with pytest.raises(ValueError, match="`distribution`"):
        copa_nb.power(**wrong, **QUICK)
