"""The comparison of single runs beside that of fronts, and what is called significant."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests import asked
from tests.said import said_by, sentence

OPTIONS = {"system": "system", "objectives": {"x": "min", "y": "min"}}


def make_runs(n_new, n_old, sd_new=1.0, sd_old=1.0, shift=0.0, seed=0):
    """Runs of two systems around the same means; the new one is better by `shift`."""
    costs = np.random.default_rng(seed).standard_normal((n_new + n_old, 2))
    costs[:n_new] = costs[:n_new] * sd_new - shift
    costs[n_new:] *= sd_old
    return pd.DataFrame(costs, columns=["x", "y"]).assign(system=["new"] * n_new + ["old"] * n_old)


def run_test(frame, **options):
    return asked.hv_test(frame, new="new", baseline="old", **{**OPTIONS, "n_resamples": 999} | options)


# --- unequal numbers of runs ------------------------------------------------------------------------------------


def test_an_advantage_is_found_with_5_against_15_runs():
    """The paper's count is not centered: larger fronts of more runs hide the advantage."""
    tests = [run_test(make_runs(5, 15, shift=1.5, seed=seed)) for seed in range(40)]
    paper = [run_test(make_runs(5, 15, shift=1.5, seed=seed), two_sided="paper") for seed in range(40)]
    assert np.mean([test.pvalue <= 0.05 for test in tests]) > 0.6
    assert not any(test.pvalue <= 0.05 for test in paper)
    assert tests[0].statistic == paper[0].statistic
    one_sided = run_test(make_runs(5, 15, shift=1.5), alternative="greater", n_resamples=20_000)
    two_sided = run_test(make_runs(5, 15, shift=1.5), n_resamples=20_000)
    assert two_sided.exact
    assert two_sided.pvalue == pytest.approx(2 * one_sided.pvalue)
    assert "twice the smaller tail" in " ".join(two_sided.guarantee.remarks)
    assert "can miss any difference" in " ".join(paper[0].guarantee.remarks)


@pytest.mark.parametrize("options", [{}, {"n_resamples": 300}, {"unit": "mean"}])
def test_with_equal_numbers_both_forms_are_one(options):
    frame = make_runs(6, 6, shift=0.7)
    default, paper = (run_test(frame, two_sided=form, **options) for form in ("tails", "paper"))
    assert default.pvalue == paper.pvalue
    null, observed = default.null_distribution, default.statistic
    if default.exact:
        tails = min((null >= observed - 1e-12).mean(), (null <= observed + 1e-12).mean())
        assert default.pvalue == pytest.approx(2 * tails)


def test_the_smallest_p_of_unequal_numbers_is_attained():
    frame = make_runs(3, 5)
    frame.loc[frame["system"] == "new", ["x", "y"]] -= 100
    assert run_test(frame).pvalue == run_test(frame).smallest_pvalue == pytest.approx(2 / 56)
    with pytest.raises(ValueError, match="`two_sided` is 'centered'"):
        run_test(frame, two_sided="centered")


# --- noise ------------------------------------------------------------------------------------------------------


def test_a_noisier_system_is_not_called_better():
    """Equal means, standard deviations 3 and 1: fronts reject in 2 of 5 cases, for the noisier one."""
    tests = [run_test(make_runs(10, 10, sd_new=3.0, seed=seed)) for seed in range(60)]
    rejected = [test for test in tests if test.pvalue <= 0.05]
    assert len(rejected) / len(tests) > 0.25
    assert all(test.statistic > 0 for test in rejected)
    assert np.mean([test.significant for test in tests]) <= 0.07
    unsupported = next(test for test in rejected if not test.significant)
    assert "do not differ significantly" in unsupported.verdict
    assert "A wider spread of runs is enough to make a front larger" in unsupported.verdict
    for part in ("Cohen's d", "Mann-Whitney p", "A12", f"p = {unsupported.pvalue:.3g}"):
        assert part in unsupported.verdict
    assert any("spread" in caveat and "noisier" in caveat for caveat in unsupported.guarantee.remarks)
    assert unsupported.verdict in unsupported.explain()
    assert not unsupported.table["significant"].item()


def test_a_worse_but_noisier_system_is_not_called_better():
    """Its luckiest runs make the larger front; single runs decide."""
    tests = [run_test(make_runs(10, 10, sd_new=3.0, shift=-1.0, seed=seed)) for seed in range(60)]
    assert any(test.pvalue <= 0.05 and test.statistic > 0 for test in tests)
    assert not any(test.significant and test.per_run.difference > 0 for test in tests)
    test = next(test for test in tests if test.significant and test.statistic > 0)
    found = sentence(test, "test.headline.better")
    assert (found["better"], found["worse"]) == ("old", "new")
    assert "test.reasons.other_way" in said_by(test)


def test_single_runs_decide_where_fronts_do_not_differ():
    tests = (run_test(make_runs(24, 24, shift=1.0, seed=seed)) for seed in range(60))
    test = next(test for test in tests if test.pvalue > 0.05 >= test.per_run.pvalue)
    assert test.significant
    assert {"test.headline.better", "test.reasons.less_power"} <= said_by(test).keys()


def test_the_verdict_comes_first_and_has_an_interval():
    test = run_test(make_runs(10, 10, shift=3.0), n_resamples=4999)
    assert test.significant
    assert not test.spreads_differ
    found = sentence(test, "test.headline.better")
    assert (found["better"], found["worse"]) == ("new", "old")
    assert "p < 0.001" in test.verdict
    assert f"95% interval {test.per_run.low:.3g} to {test.per_run.high:.3g}" in test.verdict
    assert "90% interval" in run_test(make_runs(10, 10, shift=3.0), alpha=0.1).verdict
    assert 0.5 < test.spread_ratio < 2


def test_numbers_of_the_comparison():
    test = run_test(make_runs(10, 8, shift=1.0))
    new, old = test.run_values[test.inputs.is_new], test.run_values[~test.inputs.is_new]
    alone = test.per_run
    assert alone.difference == pytest.approx(new.mean() - old.mean())
    assert alone.a12 == pytest.approx((new[:, None] > old).mean())
    pooled = np.sqrt((9 * new.var(ddof=1) + 7 * old.var(ddof=1)) / 16)
    assert alone.pooled_sd == pytest.approx(pooled)
    assert alone.cohens_d == pytest.approx((new.mean() - old.mean()) / pooled)
    row = test.table.iloc[0]
    assert row["runs_pvalue"] == alone.pvalue == max(alone.permutation_pvalue, alone.welch_pvalue)
    assert row["cohens_d"] == alone.cohens_d
    freedom = 7  # of the smaller side
    half = stats.t.ppf(0.975, freedom) * np.sqrt(new.var(ddof=1) / 10 + old.var(ddof=1) / 8)
    assert (row["low"], row["high"]) == pytest.approx((alone.difference - half, alone.difference + half))
    assert f"{alone.a12:.2g}" in test.reporting().paragraph


def test_many_runs_do_not_overflow():
    """The number of permutations of 515 runs a side is beyond what a float holds."""
    test = run_test(make_runs(515, 515), n_resamples=20)
    assert "e+308" in test.verdict
    assert "20 of" in test.verdict


def test_the_explorer_names_the_comparison():
    with asked.hv_test(make_runs(6, 6), new="new", baseline="old", **OPTIONS).explore() as explorer:
        card = " ".join(explorer._card()["lines"])
        assert "single runs" in card
        assert "A12" in card
        assert "two_sided='tails'" in explorer.code


# --- audits -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audited():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["x", "y"])
    frame["system"] = np.repeat(list("abcdef"), 10)
    frame.loc[frame["system"] == "f", ["x", "y"]] -= 2.5
    return asked.audit(frame, **OPTIONS, n_resamples=499, progress=False)


def test_effect_and_p_of_a_row_have_one_estimand(audited):
    for (_, row), test in zip(audited.table.iterrows(), audited.tests, strict=True):
        assert row["effect"] == test.per_run.cohens_d
        assert row["runs_pvalue"] == test.per_run.pvalue
        assert row["t_pvalue"] == test.per_run.welch_pvalue
        assert (row["low"], row["high"]) == (test.per_run.low, test.per_run.high)


def test_a_clear_improvement_is_significant_and_fronts_without_support_are_counted(audited):
    table = audited.table
    assert (table["benjamini_yekutieli"] >= table["benjamini_hochberg"]).all()
    assert (table.loc[table["new"] == "f", "holm"] <= 0.05).all()
    assert audited.by_domain.loc["all", "unsupported"] == len(audited.unsupported)
    assert (audited.unsupported["runs_pvalue"] > 0.05).all()


def test_claims_that_the_data_suggested_are_said_to_be_so(audited):
    assert audited.suggested
    assert "suggested by the same runs" in audited.explain()
    frame = audited.tests[0].inputs.frame
    named = asked.audit(frame, **OPTIONS, claims=[("f", "a"), ("b", "a")], n_resamples=499, progress=False)
    assert not named.suggested
    assert "suggested" not in named.explain()
    # A family of two pairs instead of fifteen.
    every = audited.table.set_index(["new", "baseline"])["holm"]
    assert (audited.n_comparisons, named.n_comparisons) == (15, 2)
    assert named.table["holm"].iloc[0] <= every["f", "a"]


# --- what is estimated --------------------------------------------------------------------------------------------


def correlated_runs(n, correlation, seed):
    """Two systems with equal means and spreads; costs of the new one are correlated."""
    costs = np.random.default_rng(seed).standard_normal((2 * n, 2))
    costs[:n] = costs[:n] @ np.linalg.cholesky([[1, correlation], [correlation, 1]]).T
    return pd.DataFrame(costs, columns=["x", "y"]).assign(system=["new"] * n + ["old"] * n)


def test_differing_correlations_are_named_because_the_expected_hypervolume_depends_on_them():
    point = {"x": 6.0, "y": 6.0}
    many = run_test(correlated_runs(20_000, -0.9, 1), reference=point, n_resamples=9)
    # E[(6 - x)(6 - y)] is 36 + the covariance.
    assert many.per_run.difference == pytest.approx(-0.9, abs=0.1)
    assert many.per_run.high < 0
    test = run_test(correlated_runs(20, -0.9, 0), n_resamples=99)
    observed = test.runs.groupby("side")[["x", "y"]].corr().xs("x", level=1)["y"]
    sentence = f"The correlation of x and y over the runs differs: −{-observed['new']:.2g} for new,"
    assert sentence in test.explain()
    # Of values of which more is better, the correlation is that of the values, not of the costs.
    gains = {"x": "max", "y": "min"}
    assert (
        sentence.replace(": −", ": ")
        in run_test(
            correlated_runs(20, -0.9, 0).assign(x=lambda t: -t["x"]), objectives=gains, n_resamples=99
        ).explain()
    )
    unnamed = sum(
        "correlation" in " ".join(run_test(correlated_runs(20, 0, s), n_resamples=9).guarantee.remarks)
        for s in range(60)
    )
    assert unnamed <= 8


def test_what_is_estimated_the_sampling_unit_and_the_kind_of_level_are_explained():
    explained = run_test(make_runs(5, 5)).explain()
    assert "difference in the expected hypervolume of a single run" in explained
    assert "exact if both sides have the same distribution" in explained
    paired = run_test(make_runs(5, 5).assign(seed=[*range(5)] * 2), repeat="seed", paired=True)
    assert paired.guarantee.sampled == "matched pairs of runs"
    assert "expected R2 of a single run" in run_test(make_runs(5, 5), indicator="r2").explain()


@pytest.mark.parametrize(("alternative", "word"), [("greater", "better"), ("less", "worse")])
def test_one_sided_tests_find_no_evidence_rather_than_equality(alternative, word):
    shift = -3.0 if alternative == "greater" else 3.0
    test = run_test(make_runs(8, 8, shift=shift), alternative=alternative)
    assert test.parts()[0]["say"] == f"test.headline.not_{word}"
    assert run_test(make_runs(5, 5)).parts()[0]["say"] == "test.headline.no_difference"


def test_the_same_labels_under_all_systems_bring_a_hint_at_pairing():
    frame = make_runs(5, 5).assign(seed=[*range(5)] * 2)
    assert "`paired=True`" in run_test(frame, repeat="seed").explain()
    assert "`paired=True`" not in run_test(frame, repeat="seed", paired=True).explain()
    other = frame.assign(seed=range(10))
    assert "`paired=True`" not in run_test(other, repeat="seed").explain()


# --- runs that do not vary ------------------------------------------------------------------------------------------


def test_runs_without_any_spread_give_no_certainty():
    """Three runs that are right on everything against three that are right on 95%."""
    frame = pd.DataFrame({"system": ["new"] * 3 + ["old"] * 3, "x": [0.0] * 3 + [0.05] * 3, "y": 1.0})
    test = run_test(frame, reference={"x": 1.0, "y": 2.0})
    assert test.per_run.pvalue == test.per_run.permutation_pvalue == 0.1
    assert np.isnan([test.per_run.welch_pvalue, test.per_run.low, test.per_run.high]).all()
    assert "no interval, because no runs of a side differ" in test.verdict
    for x in np.linspace(0.01, 0.99, 99):
        equal = run_test(frame.assign(x=[0.0] * 3 + [x] * 3), reference={"x": 1.0, "y": 2.0})
        assert equal.per_run.pooled_sd == 0
        assert equal.spread_ratio == 1
        assert "Cohen's d" not in equal.verdict, "there is no standard deviation to divide by"
    # One side varies: the other is given its spread.
    one = frame.assign(x=[0.0, 0.0, 0.0, 0.05, 0.1, 0.0])
    half = stats.t.ppf(0.975, 2) * np.std([0.05, 0.1, 0.0], ddof=1) * np.sqrt(2 / 3)
    alone = run_test(one, reference={"x": 1.0, "y": 2.0}).per_run
    assert (alone.low, alone.high) == pytest.approx((0.05 - half, 0.05 + half))
    single = run_test(frame.iloc[2:], reference={"x": 1.0, "y": 2.0})
    assert single.per_run.pvalue == 2 / 4
    assert "no interval, because a side has a single run" in single.verdict
