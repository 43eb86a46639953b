import itertools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked
from tests.contention import contention

DIRECTIONS = {"accuracy": "max", "cost": "min"}
COLUMNS = {"system": "system", "repeat": "seed", "objectives": DIRECTIONS, "progress": False}


def make_runs(levels, seeds=5, rng=0, noise=0.02):
    """Runs of systems; a higher level is better in both objectives."""
    rng = np.random.default_rng(rng)
    rows = [
        {"system": name, "seed": seed, "accuracy": 0.6 + level + rng.normal(0, noise),
         "cost": 2 - level + rng.normal(0, noise)}
        for name, level in levels.items() for seed in range(seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows)


RUNS = make_runs({"low": 0.0, "same": 0.002, "high": 0.3})


def test_claims_found_are_the_pareto_improvements_of_the_means():
    outcome = asked.audit(RUNS, **COLUMNS)
    means = RUNS.groupby("system")[["accuracy", "cost"]].mean()
    expected = {
        (a, b) for a in means.index for b in means.index
        if a != b and means.accuracy[a] >= means.accuracy[b] and means.cost[a] <= means.cost[b]
    }  # fmt: skip
    assert set(zip(outcome.table["new"], outcome.table["baseline"], strict=True)) == expected
    assert ("high", "low") in expected


def test_means_are_arithmetic_in_own_units_also_under_a_log_scale():
    runs = pd.DataFrame({"system": ["A", "A", "B", "B"], "seed": [0, 1, 0, 1], "cost": [1.0, 9.0, 4.0, 5.0]})
    outcome = asked.audit(runs, system="system", repeat="seed", objectives={"cost": "min"}, log=["cost"])
    assert outcome.table[["new", "baseline"]].to_numpy().tolist() == [["B", "A"]]


def test_every_row_is_the_test_of_that_claim():
    outcome = asked.audit(RUNS, **COLUMNS, n_resamples=100, rng=4)
    for (_, row), test in zip(outcome.table.iterrows(), outcome.tests, strict=True):
        alone = asked.hv_test(
            RUNS, system="system", repeat="seed", objectives=DIRECTIONS, new=row["new"], baseline=row["baseline"],
            n_resamples=100, rng=4,
        )  # fmt: skip
        assert row["pvalue"] == test.pvalue == alone.pvalue
        assert row["difference"] == alone.statistic
        assert alone.reference == outcome.references[None]
        sides = alone.runs.groupby("side")["hypervolume"]
        pooled = np.sqrt(sides.var().mean())
        assert row["spread"] == pytest.approx(pooled)
        assert row["effect"] == pytest.approx((sides.mean()["new"] - sides.mean()["baseline"]) / pooled)


def test_number_of_threads_does_not_change_the_answer():
    found = []
    for n in (1, 2):
        with copa_nb.options(n_jobs=n):
            found.append(asked.audit(RUNS, **COLUMNS, n_resamples=100))
    one, two = found
    pd.testing.assert_frame_equal(one.table, two.table)


def test_adjusted_values_and_summary():
    levels = {name: 0.02 * i for i, name in enumerate("ABCDE")}
    outcome = asked.audit(make_runs(levels, rng=3), **COLUMNS, claims=[("B", "A"), ("C", "A"), ("D", "A"), ("E", "A")])
    table = outcome.table
    assert (table["holm"] >= table["benjamini_hochberg"]).all()
    assert (table["benjamini_hochberg"] >= table["runs_pvalue"]).all()
    total = outcome.by_domain.loc["all"]
    assert total["claims"] == outcome.n_comparisons == 4
    assert total["not_distinguishable"] == (table["holm"] > 0.05).sum() == len(outcome.not_distinguishable)
    assert total["significant"] + total["not_distinguishable"] == 4
    for name, part in (("significant", table["holm"] <= 0.05), ("not_distinguishable", table["holm"] > 0.05)):
        assert part.any()
        assert total[f"median_effect_{name}"] == table.loc[part, "effect"].median()
    assert (
        total["significant_unadjusted"] == (table["runs_pvalue"] <= 0.05).sum() == len(outcome.significant_unadjusted)
    )
    assert f"for 4 comparisons: {total['significant']:.0f} of 4 claims." in outcome.verdict


def test_few_runs_do_not_rule_out_significance_after_adjustment():
    """Permutations of 5 and 5 runs give no p below .0079, which is too large for ten comparisons; t does."""
    outcome = asked.audit(make_runs({name: 0.3 * i for i, name in enumerate("ABCDE")}), **COLUMNS)
    assert len(outcome.table) == outcome.n_comparisons == 10
    assert (outcome.table["runs_pvalue"] * 10 > 0.05).all()
    assert outcome.table["significant"].all()
    # By themselves, three runs cannot be significant, however far apart.
    few = asked.audit(make_runs({name: 0.3 * i for i, name in enumerate("AB")}, seeds=3), **COLUMNS)
    assert few.table["t_pvalue"].item() < 0.001
    assert few.table["holm"].item() == few.table["runs_pvalue"].item() == 0.1


def test_domains_have_their_own_reference_and_share_a_given_one():
    other = make_runs({"low": 0.3, "high": 0.0}, rng=1).assign(cost=lambda t: t["cost"] * 100)
    both = pd.concat([RUNS.assign(task="one"), other.assign(task="two")], ignore_index=True)
    outcome = asked.audit(both, **COLUMNS, by="task")
    assert list(outcome.references) == ["one", "two"]
    assert outcome.references["one"] != outcome.references["two"]
    assert outcome.table.groupby("task").size().to_dict() == {"one": len(outcome.table) - 1, "two": 1}
    assert list(outcome.by_domain.index) == ["one", "two", "all"]
    assert outcome.by_domain.loc["all", "claims"] == outcome.by_domain["claims"].iloc[:2].sum()
    shared = asked.audit(both, **COLUMNS, by=["task"], reference={"accuracy": 0, "cost": 500})
    assert shared.references["one"] == shared.references["two"] == {"accuracy": 0, "cost": 500}


def test_claims_as_a_table_by_domain_and_as_pairs_everywhere():
    both = pd.concat([RUNS.assign(task="one"), RUNS.assign(task="two")], ignore_index=True)
    claims = pd.DataFrame({"task": ["one", "two"], "new": ["high", "same"], "baseline": [["low", "same"], "low"]})
    outcome = asked.audit(both, **COLUMNS, by="task", claims=claims)
    assert outcome.table[["task", "new", "baseline"]].to_numpy().tolist() == [
        ["one", "high", "low and same"], ["two", "same", "low"]
    ]  # fmt: skip
    pairs = asked.audit(both, **COLUMNS, by="task", claims=[("high", "low")])
    assert pairs.table["task"].tolist() == ["one", "two"]
    assert pairs.table["pvalue"].nunique() == 1


def test_single_runs_are_tested_as_far_as_they_can_be():
    runs = pd.concat([RUNS, make_runs({"alone": 0.5}, seeds=1)], ignore_index=True)
    outcome = asked.audit(runs, **COLUMNS)
    alone = outcome.table[outcome.table["new"] == "alone"]
    assert (alone["smallest_pvalue"] == 2 / 6).all()
    assert outcome.by_domain.loc["all", "untestable"] == len(alone) == len(outcome.untestable)
    assert not set(outcome.untestable.index) & set(outcome.not_distinguishable.index)
    assert f"significant: {len(alone)}." in outcome.verdict
    assert alone[["low", "high"]].isna().all(axis=None)


def test_no_claims():
    outcome = asked.audit(make_runs({"only": 0.0}), **COLUMNS)
    assert outcome.table.empty
    assert "There is no claim to test" in outcome.verdict
    assert "pvalue" in outcome.table
    assert outcome.by_domain.loc["all", "claims"] == 0


def test_bad_claims():
    for claims, error, message in [
        ("high over low", TypeError, "`claims` must be a table"),
        ([("high", "low", "same")], ValueError, "must be a pair"),
        ([("higher", "low")], ValueError, "`claims` names 'higher'.*Did you mean 'high'"),
        (pd.DataFrame({"new": ["high"]}), ValueError, "`claims` names 'baseline'"),
        ([("high", "high")], ValueError, "`new` and `baseline` both name 'high'"),
    ]:
        with pytest.raises(error, match=message):
            asked.audit(RUNS, **COLUMNS, claims=claims)
    claims = pd.DataFrame({"task": ["three"], "new": ["high"], "baseline": ["low"]})
    with pytest.raises(ValueError, match="domain 'three'"):
        asked.audit(RUNS.assign(task="one"), **COLUMNS, by="task", claims=claims)


def test_index_levels_name_systems_seeds_and_domains():
    runs = pd.concat([RUNS.assign(task="x"), RUNS.assign(task="y")])
    columns = {**COLUMNS, "n_resamples": 50}
    expected = asked.audit(runs, by="task", **columns)
    found = asked.audit(runs.set_index(["task", "system", "seed"]), by="task", **columns)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert found.verdict == expected.verdict


def test_rng_may_be_none_or_a_generator():
    columns = {**COLUMNS, "n_resamples": 50}
    drawn = asked.audit(RUNS, rng=np.random.default_rng(2), **columns)
    assert drawn.table.equals(asked.audit(RUNS, rng=np.random.default_rng(2), **columns).table)
    assert isinstance(asked.audit(RUNS, rng=None, **columns).options.rng, int)


# --- one correction, over all that could have been claimed --------------------------------------------------------


def holm_by_hand(pvalues, n_comparisons):
    """Each p times the number of comparisons that are left, never less than the one before."""
    adjusted, largest = {}, 0.0
    for rank, name in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
        largest = max(largest, min(1.0, pvalues[name] * (n_comparisons - rank)))
        adjusted[name] = largest
    return [adjusted[i] for i in range(len(pvalues))]


@pytest.mark.parametrize(("alternative", "per_pair"), [("two-sided", 1), ("greater", 2)])
def test_suggested_claims_are_adjusted_for_every_pair_that_could_have_been_one(alternative, per_pair):
    runs = make_runs({"low": 0.0, "same": 0.002, "high": 0.3, "odd": 0.1}, seeds=8)
    runs.loc[runs["system"] == "odd", "cost"] += 5
    both = pd.concat([runs.assign(task="one"), runs[runs["system"] != "same"].assign(task="two")], ignore_index=True)
    outcome = asked.audit(both, **COLUMNS, by="task", alternative=alternative, n_resamples=999)
    # Four systems make six pairs, three make three; pairs that are no improvement are among them.
    assert outcome.n_comparisons == 9 * per_pair
    assert len(outcome.table) < 9
    pvalues = holm_by_hand(outcome.table["t_pvalue"].tolist(), 9 * per_pair)
    np.testing.assert_allclose(outcome.table["holm"], np.maximum(pvalues, outcome.table["runs_pvalue"]))
    assert (outcome.table["significant"] == (outcome.table["holm"] <= 0.05)).all()
    assert outcome.table["significant"].any()
    claims = list(zip(outcome.table["new"], outcome.table["baseline"], strict=True))[:2]
    named = asked.audit(runs, **COLUMNS, claims=claims, alternative=alternative, n_resamples=999)
    assert named.n_comparisons == 2
    pvalues = holm_by_hand(named.table["t_pvalue"].tolist(), 2)
    np.testing.assert_allclose(named.table["holm"], np.maximum(pvalues, named.table["runs_pvalue"]))


def test_what_is_guaranteed_and_a_hint_at_pairing():
    explained = asked.audit(RUNS, **COLUMNS).explain()
    assert "In 95% of repeated samples of independent runs, no claim that is false is called significant." in explained
    assert "paired=True" in explained
    assert "paired=True" not in asked.audit(RUNS, **{**COLUMNS, "repeat": None}).explain()
    assert "paired=True" not in asked.audit(RUNS, **COLUMNS, paired=True).explain()


# --- what must not change the answer ------------------------------------------------------------------------------

CHOSEN = ["pvalue", "runs_pvalue", "mann_whitney", "holm", "benjamini_hochberg", "low", "high"]


def by_claim(outcome):
    return outcome.table.set_index(["new", "baseline"])[CHOSEN].sort_index()


@pytest.mark.parametrize("options", [
    {}, {"n_resamples": 60}, {"n_resamples": 60, "paired": True}, {"paired": True},
    {"n_resamples": 60, "alternative": "greater"}, {"unit": "mean", "n_resamples": 60, "alternative": "less"},
    {"indicator": "epsilon", "n_resamples": 60},
])  # fmt: skip
@pytest.mark.parametrize("rounded", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_order_of_rows_does_not_change_the_answer(options, rounded):
    runs = make_runs({"low": 0.0, "same": 0.01, "high": 0.05}, seeds=6, rng=5)
    # Rounded values tie within and between systems.
    runs = runs.round({"accuracy": 2, "cost": 1}) if rounded else runs
    claims = [("high", "low"), ("same", "low"), ("high", "same")]
    expected = by_claim(asked.audit(runs, **COLUMNS, claims=claims, **options))
    for seed in range(4):
        shuffled = runs.sample(frac=1, random_state=seed)
        found = by_claim(asked.audit(shuffled, **COLUMNS, claims=claims, **options))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
        suggested = [asked.audit(frame, **COLUMNS, **options) for frame in (runs, shuffled)]
        pd.testing.assert_frame_equal(*map(by_claim, suggested), rtol=1e-12)


def test_names_and_units_do_not_change_the_answer():
    expected = asked.audit(RUNS, **COLUMNS, n_resamples=100).table
    other = RUNS.assign(accuracy=100 * RUNS["accuracy"], cost=RUNS["cost"] / 7 - 3).rename(columns={"cost": "dollars"})
    other = other.replace({"system": {"low": "z", "same": "y", "high": "x"}})
    found = asked.audit(
        other, **{**COLUMNS, "objectives": {"accuracy": "max", "dollars": "min"}}, n_resamples=100
    ).table
    shares = ["relative", "effect", "a12", "spread_ratio", *CHOSEN[:5]]
    pd.testing.assert_frame_equal(found[shares], expected[shares])
    # Volumes have the product of both units.
    np.testing.assert_allclose(found[["difference", "low", "high"]], expected[["difference", "low", "high"]] * 100 / 7)


def test_a_system_that_is_not_claimed_about_changes_named_claims_only_by_the_reference_point():
    point = {"accuracy": 0.0, "cost": 5.0}
    claims = [("high", "low"), ("same", "low")]
    more = pd.concat([RUNS, make_runs({"new": 0.5}, rng=8)], ignore_index=True)
    few, many = (asked.audit(frame, **COLUMNS, claims=claims, reference=point).table for frame in (RUNS, more))
    pd.testing.assert_frame_equal(few, many)


# --- audits of very many claims -----------------------------------------------------------------------------------


def many_systems(count):
    """Systems whose levels are all different, so that every pair is an improvement one way."""
    return make_runs({f"s{k}": k / count for k in range(count)}, noise=0.0)


def test_an_audit_of_thousands_of_systems_is_refused_with_its_claims_time_and_memory():
    begin = time.process_time()
    with pytest.raises(
        ValueError, match=r"claims are forecast to take .* GB of memory.*`claims`.*max_seconds=None"
    ) as refused:
        asked.audit(many_systems(3000), **COLUMNS)
    assert time.process_time() - begin < 20
    # Every pair is a claim.
    stated = int(str(refused.value).split()[0].replace(",", ""))
    assert stated == pytest.approx(3000 * 2999 / 2, rel=0.02)


@pytest.mark.slow
def test_named_claims_are_forecast_too_and_none_lifts_the_limit():
    systems = many_systems(30)
    claims = list(itertools.combinations([f"s{k}" for k in range(30)], 2))
    with pytest.raises(ValueError, match="435 claims are forecast"), copa_nb.options(max_seconds=0.0):
        asked.audit(systems, **COLUMNS, claims=claims)
    for limit in (None, 600.0):
        with copa_nb.options(max_seconds=limit):
            assert len(asked.audit(systems, **COLUMNS, claims=claims, n_resamples=10).table) == 435


INTERRUPTED = """
import signal
from tests.significance.test_audit import COLUMNS, many_systems
import copa_nb
from tests import asked
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background of a script
systems = many_systems(700)
print("ready", flush=True)
try:
    with copa_nb.options(max_seconds=None):
        asked.audit(systems, **COLUMNS)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("waited", [1.0, 4.0])
def test_an_audit_obeys_an_interrupt(waited):
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(waited)
    assert process.poll() is None
    before = contention()
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.communicate(timeout=600)[0] == "interrupted\n"
    took = time.monotonic() - begin
    assert took < 2 * max(before, contention())
