import itertools
import re

import moocore
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

import copa_nb
from copa_nb.results.sentences import template
from copa_nb.significance.hv_test import HypervolumeTest
from tests import asked

DIRECTIONS = {"accuracy": "max", "cost": "min"}


def make_runs(systems, seeds=5, shift=0.0, rng=0):
    """Runs of several systems; each better than the one before by `shift`."""
    rng = np.random.default_rng(rng)
    rows = [
        {"system": name, "seed": seed, "accuracy": 0.6 + shift * i + rng.normal(0, 0.02),
         "cost": np.exp(1 - shift * i + rng.normal(0, 0.1))}
        for i, name in enumerate(systems) for seed in range(seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def run_test(frame, new="B", baseline="A", **options):
    return asked.hv_test(
        frame,
        **{"system": "system", "repeat": "seed", "new": new, "baseline": baseline, "objectives": DIRECTIONS} | options,
    )


def staircase_area(accuracy, cost, reference):
    """Area by the text-book sweep, in own units: from the cheapest run on, only gains in accuracy count."""
    area, best = 0.0, reference["accuracy"]
    for a, c in sorted(zip(accuracy, cost, strict=True), key=lambda point: point[1]):
        if a > best and c < reference["cost"]:
            area += (a - best) * (reference["cost"] - c)
            best = a
    return area


def test_statistic_and_p_are_those_of_the_definition():
    runs = make_runs("AB", seeds=4, shift=0.02)
    reference = {"accuracy": 0.4, "cost": 5.0}
    found = run_test(runs, reference=reference)
    values = runs[["accuracy", "cost"]].to_numpy()

    def statistic(new, old):
        new, old = (values[np.asarray(side, int)] for side in (new, old))
        return staircase_area(*new.T, reference) - staircase_area(*old.T, reference)

    sides = np.arange(4, 8), np.arange(4)
    expected = permutation_test(
        sides, lambda a, b: abs(statistic(a, b)), alternative="greater", n_resamples=np.inf, vectorized=False
    )
    assert found.statistic == pytest.approx(statistic(*sides))
    assert found.pvalue == pytest.approx(expected.pvalue)
    assert found.exact
    assert found.n_relabelings == found.n_resamples == 70
    assert found.hypervolume_new == pytest.approx(staircase_area(*values[4:].T, reference))
    assert found.relative == pytest.approx(found.statistic / staircase_area(*values[:4].T, reference))
    assert found.reference == reference
    alone = [staircase_area([a], [c], reference) for a, c in values]
    np.testing.assert_allclose(found.runs["hypervolume"], alone)


def test_monte_carlo_p_is_one_plus_count_over_one_plus_b():
    found = run_test(make_runs("AB", seeds=10, shift=0.004), n_resamples=999)
    count = (abs(found.null_distribution) >= abs(found.statistic) - 1e-12).sum()
    assert not found.exact
    assert len(found.null_distribution) == found.n_resamples == 999
    assert found.pvalue == (1 + count) / 1000


def test_default_reference_covers_all_systems_of_the_table():
    runs = make_runs("ABC", shift=0.05)
    found = run_test(runs, new="C", baseline="B")
    for name, worst, best in (("accuracy", "min", "max"), ("cost", "max", "min")):
        low, high = getattr(runs[name], worst)(), getattr(runs[name], best)()
        assert found.reference[name] == pytest.approx(low + 0.1 * (low - high))
    assert run_test(runs, new="C", baseline="B", reference_margin=0.3).reference != found.reference


def test_a_frozen_reference_gives_the_same_result_on_fewer_systems(tmp_path):
    runs = make_runs("ABC", shift=0.05)
    whole = run_test(runs)
    frozen = copa_nb.Reference.fit(runs, objectives=DIRECTIONS)
    loaded = copa_nb.Reference.load(frozen.save(tmp_path / "reference.json"))
    fewer = run_test(runs[runs["system"] != "C"], reference=loaded, objectives=None)
    assert fewer.reference == pytest.approx(whole.reference)
    assert fewer.statistic == pytest.approx(whole.statistic)
    assert fewer.pvalue == whole.pvalue
    assert run_test(runs[runs["system"] != "C"]).reference != whole.reference


def test_log_scale_is_the_test_on_logarithms():
    runs = make_runs("AB", shift=0.01)
    logged = runs.assign(cost=np.log(runs["cost"]))
    found, expected = run_test(runs, log=["cost"]), run_test(logged)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue == expected.pvalue
    assert found.reference["cost"] == pytest.approx(np.exp(expected.reference["cost"]))
    np.testing.assert_allclose(found.runs["cost"], runs["cost"])
    point = {"accuracy": 0.4, "cost": 9.0}
    given = run_test(runs, log=["cost"], reference=point)
    assert given.reference == pytest.approx(point)
    assert given.statistic == pytest.approx(run_test(logged, reference=point | {"cost": np.log(9.0)}).statistic)
    frozen = copa_nb.Reference.fit(runs, objectives=DIRECTIONS, reference_point=point)
    assert run_test(runs, log=["cost"], reference=frozen).statistic == pytest.approx(given.statistic)


def test_base_of_the_logarithm_and_units_do_not_change_p():
    runs = make_runs("AB", seeds=10, shift=0.004)
    options = {"log": ["cost"], "n_resamples": 500}
    assert run_test(runs, **options).pvalue == run_test(runs.assign(cost=1000 * runs["cost"]), **options).pvalue


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6), st.booleans(), st.sampled_from(["run", "mean"]),
    st.sampled_from([("two-sided", "two-sided"), ("greater", "less")]),
)  # fmt: skip
def test_order_of_rows_and_sides_do_not_matter(seed, paired, level, alternatives):
    runs = make_runs("AB", seeds=8, rng=seed)
    options = {"paired": paired, "unit": level, "n_resamples": 100, "rng": 7}
    found, moved = (
        run_test(frame, alternative=alternatives[0], **options)
        for frame in (runs, runs.sample(frac=1, random_state=seed))
    )
    swapped = run_test(runs, new="A", baseline="B", alternative=alternatives[1], **options)
    assert found.pvalue == moved.pvalue == swapped.pvalue
    assert found.statistic == pytest.approx(-swapped.statistic, rel=1e-9)
    for name in ("pvalue", "permutation_pvalue", "mann_whitney_pvalue"):
        alone, after_moving, after_swapping = (getattr(test.per_run, name) for test in (found, moved, swapped))
        assert alone == pytest.approx(after_moving, rel=1e-12)
        assert alone == pytest.approx(after_swapping, rel=1e-12)
    assert found.per_run.a12 == pytest.approx(1 - swapped.per_run.a12)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("paired", [False, True])
def test_ties_between_sides_do_not_make_sampled_p_depend_on_the_order_of_rows(alternative, paired):
    """The two best values are shared by both sides, so that no single row may decide which labels are drawn."""
    runs = make_runs("AB", seeds=10, rng=2).round({"accuracy": 2, "cost": 1})
    runs.loc[runs["seed"] == 0, ["accuracy", "cost"]] = [0.7, 2.0]
    options = {"alternative": alternative, "paired": paired, "n_resamples": 100}
    moved = [run_test(runs.sample(frac=1, random_state=seed), **options) for seed in range(8)]
    assert len({(test.pvalue, test.per_run.pvalue, test.per_run.low) for test in moved}) == 1
    swapped = run_test(runs, new="A", baseline="B", **{**options, "alternative": "two-sided"})
    assert swapped.pvalue == run_test(runs, **{**options, "alternative": "two-sided"}).pvalue


@pytest.mark.parametrize("options", [{}, {"n_resamples": 60, "alternative": "greater"}, {"paired": True}])
def test_names_units_and_origins_of_objectives_do_not_change_the_answer(options):
    """Against the worst values, hypervolumes have the product of the units, and p has none."""
    runs = make_runs("AB", seeds=8, shift=0.01)
    found = run_test(runs, **options)
    other = runs.assign(accuracy=100 * runs["accuracy"] - 50, cost=3 + runs["cost"] / 8).rename(columns={"cost": "usd"})
    moved = run_test(other, objectives={"accuracy": "max", "usd": "min"}, **options)
    assert (moved.pvalue, moved.per_run.permutation_pvalue) == (found.pvalue, found.per_run.permutation_pvalue)
    assert moved.per_run.pvalue == pytest.approx(found.per_run.pvalue, rel=1e-9)
    for name in ("difference", "low", "high", "pooled_sd"):
        assert getattr(moved.per_run, name) == pytest.approx(100 / 8 * getattr(found.per_run, name))
    assert moved.per_run.cohens_d == pytest.approx(found.per_run.cohens_d)
    assert moved.significant == found.significant


def test_runs_that_are_counted_twice_change_no_estimate():
    runs = make_runs("AB", seeds=6, shift=0.01)
    twice = pd.concat([runs, runs.assign(seed=runs["seed"] + 6)], ignore_index=True)
    found, doubled = run_test(runs), run_test(twice)
    assert doubled.statistic == pytest.approx(found.statistic)
    assert doubled.per_run.difference == pytest.approx(found.per_run.difference)
    assert doubled.per_run.a12 == found.per_run.a12
    assert doubled.per_run.high - doubled.per_run.low < found.per_run.high - found.per_run.low


def test_levels_sides_of_several_systems_and_pairing():
    runs = make_runs("ABC", seeds=3, shift=0.02)
    means = runs.groupby("system")[["accuracy", "cost"]].mean()
    reference = {"accuracy": 0.4, "cost": 6.0}
    found = run_test(runs, new=["C", "B"], baseline="A", unit="mean", reference=reference)
    new, baseline = (staircase_area(*means.loc[list(side)].to_numpy().T, reference) for side in ("BC", "A"))
    assert found.statistic == pytest.approx(new - baseline)
    assert found.n_relabelings == 1680
    assert found.smallest_pvalue == pytest.approx(4 / 1680)
    assert found.new == ("C", "B")
    assert any("3 systems" in caveat for caveat in found.guarantee.remarks)
    paired = run_test(runs, new=["C", "B"], baseline="A", paired=True)
    assert paired.n_relabelings == 27
    assert paired.n_new == 6
    assert run_test(runs, new=["C", "B"], baseline="A", paired=True, unit="mean").n_relabelings == 216


@pytest.mark.parametrize(
    ("options", "rows"),
    [({}, 3), ({"alternative": "greater"}, 3), ({"paired": True}, 4), ({"unit": "mean"}, 3),
     ({"n_resamples": 10}, 3), ({"paired": True, "unit": "mean"}, 4)],
)  # fmt: skip
def test_the_smallest_attainable_p_is_attained_by_a_huge_difference(options, rows):
    runs = make_runs("AB", seeds=rows)
    better = runs["system"] == "B"
    runs.loc[better, "accuracy"] += 10 * (1 + runs.loc[better, "seed"])
    runs.loc[better, "cost"] /= 100 * (1 + runs.loc[better, "seed"])
    runs.loc[~better, "cost"] *= 1 + 0.01 * runs.loc[~better, "seed"]
    found = run_test(runs, **options)
    if found.exact:
        assert found.pvalue == pytest.approx(found.smallest_pvalue)
    else:
        assert found.pvalue >= found.smallest_pvalue == pytest.approx(max(2 / 20, 1 / 11))


def test_a_pair_that_is_noisy_together_is_found_by_pairing():
    rng = np.random.default_rng(1)
    common = rng.normal(0, 0.2, 8)
    runs = pd.DataFrame({
        "system": ["A"] * 8 + ["B"] * 8, "seed": [*range(8)] * 2, "cost": np.concatenate([common, common - 0.02]) + 2,
    })  # fmt: skip
    options = {"objectives": {"cost": "min"}, "unit": "mean", "n_resamples": 20_000}
    assert run_test(runs, paired=True, **options).pvalue == pytest.approx(2 / 256)
    assert run_test(runs, **options).pvalue > 0.5


def test_systems_named_by_several_columns():
    runs = make_runs("AB").assign(strategy="plain")
    found = run_test(runs, system=["strategy", "system"], new=("plain", "B"), baseline=("plain", "A"))
    assert found.pvalue == run_test(runs).pvalue
    assert "plain / B" in found.verdict
    assert list(found.runs.columns) == ["side", "strategy", "system", "seed", "accuracy", "cost", "hypervolume"]


@pytest.mark.parametrize("levels", [["system"], ["seed"], ["system", "seed"]])
def test_index_levels_name_systems_and_seeds_as_columns_do(levels):
    runs = make_runs("AB")
    found, expected = run_test(runs.set_index(levels), paired=True), run_test(runs, paired=True)
    assert found.pvalue == expected.pvalue
    assert found.verdict == expected.verdict
    assert list(found.runs.columns) == list(expected.runs.columns)
    pd.testing.assert_frame_equal(found.runs.reset_index(drop=True), expected.runs.reset_index(drop=True))
    assert found.runs.groupby("system").size().to_dict() == {"A": 5, "B": 5}
    strategy = runs.assign(strategy="plain").set_index("strategy")
    several = run_test(strategy, system=["strategy", "system"], new=("plain", "B"), baseline=("plain", "A"))
    assert several.pvalue == run_test(runs).pvalue
    with pytest.raises(ValueError, match=r"`system` names 'agent'.*'system'"):
        run_test(runs.set_index("system"), system="agent")


def test_accessor_and_nullable_and_categorical_columns():
    runs = make_runs("AB")
    typed = runs.astype({"system": "category", "accuracy": "Float64", "seed": "Int64"}).moo.define(DIRECTIONS)
    found = asked.hv_test(typed, system="system", repeat="seed", new="B", baseline="A")
    assert isinstance(found, HypervolumeTest)
    assert found.pvalue == run_test(runs).pvalue


def test_many_objectives_are_exact_or_named_as_approximate():
    rng = np.random.default_rng(0)
    names = [f"f{k}" for k in range(6)]
    runs = pd.DataFrame(rng.random((10, 6)), columns=names).assign(system=["A"] * 5 + ["B"] * 5, seed=[*range(5)] * 2)
    directions = dict.fromkeys(names, "min")
    exact = run_test(runs, objectives=directions)
    approximate = run_test(runs, objectives=directions, method="approximate")
    assert exact.measure.startswith("exact")
    assert "approximated" in approximate.measure
    assert any("not exact" in caveat for caveat in approximate.guarantee.remarks)
    assert approximate.statistic == pytest.approx(exact.statistic, abs=0.1 * exact.hypervolume_baseline)
    assert approximate.pvalue == pytest.approx(exact.pvalue, abs=0.1)


@pytest.mark.parametrize("unit", ["run", "mean"])
@pytest.mark.parametrize(("n", "k"), [(60, 10), (12, 10), (40, 5)])
def test_a_front_has_one_hypervolume_in_every_verb(n, k, unit):
    """60 points of ten objectives were exact in `hypervolume` and approximate in `hv_test`."""
    names = [f"f{i}" for i in range(k)]
    runs = pd.DataFrame(np.random.default_rng(n).dirichlet(np.ones(k), 2 * n), columns=names)
    baseline, new = ([f"{side}{i}" for i in range(n)] for side in "AB")
    runs["system"] = [*baseline, *new]
    options = {"objectives": dict.fromkeys(names, "min"), "reference": dict.fromkeys(names, 1.1)}
    test = run_test(runs, new, baseline, repeat=None, n_resamples=20, unit=unit, **options)
    for systems, value in ((baseline, test.hypervolume_baseline), (new, test.hypervolume_new)):
        alone = asked.hypervolume(runs[runs["system"].isin(systems)], **options)
        assert alone.exact == test.measure.startswith("exact")
        assert value == pytest.approx(alone.value, rel=1e-12)
        assert alone.exact or "seed 0" in alone.method
        assert alone.exact or alone.method in test.measure


def test_rng_takes_an_int_a_generator_or_none():
    runs = make_runs("AB", seeds=10, shift=0.004)
    once, again = (run_test(runs, n_resamples=300, rng=np.int64(3)) for _ in range(2))
    np.testing.assert_array_equal(once.null_distribution, again.null_distribution)
    drawn = [run_test(runs, n_resamples=300, rng=rng) for rng in (None, None, np.random.default_rng(3))]
    assert not np.array_equal(drawn[0].null_distribution, drawn[1].null_distribution)
    np.testing.assert_array_equal(drawn[2].null_distribution, once.null_distribution)
    generator = np.random.default_rng(3)
    first, second = (run_test(runs, n_resamples=300, rng=generator) for _ in range(2))
    assert not np.array_equal(first.null_distribution, second.null_distribution)
    with pytest.raises(ValueError, match="`rng` is 'x'"):
        run_test(runs, rng="x")


# --- what limits a conclusion ---------------------------------------------------------------------------------


def caveats(frame, **options):
    return " ".join(run_test(frame, **options).guarantee.remarks)


def test_one_run_a_side_says_that_nothing_can_be_said():
    found = run_test(make_runs("AB", seeds=1))
    assert found.pvalue == found.smallest_pvalue == 1
    assert "p is 1 whatever the values" in found.verdict
    assert "More runs are needed" in " ".join(found.guarantee.remarks)


def test_too_few_and_few_seeds():
    assert "smallest attainable p is 0.1" in caveats(make_runs("AB", seeds=3))
    assert "Few runs (4" in caveats(make_runs("AB", seeds=4))
    assert caveats(make_runs("AB", seeds=6, shift=0.1), reference={"accuracy": 0.0, "cost": 100.0}, repeat=None) == ""


def test_percentages_of_hypervolume_are_given_under_a_stated_reference_point_only():
    runs = make_runs("AB", seeds=6, shift=0.1)
    default, stated = run_test(runs), run_test(runs, reference={"accuracy": 0.0, "cost": 100.0})
    assert f"hypervolume than that of A (difference {abs(default.statistic):.3g}, p" in default.verdict
    for said in (default.verdict, default.reporting().paragraph.replace(default.guarantee.remarks[-1], "")):
        assert "%" not in said.replace("95% interval", "").replace("95% of the time", "")
    assert template("reference_point.details.no_share") in default.guarantee.remarks
    assert f"a hypervolume {100 * abs(stated.relative):.3g}% " in stated.verdict
    assert f"({100 * stated.relative:+.3g}%)" in stated.reporting().paragraph
    assert template("reference_point.details.no_share") not in stated.guarantee.remarks


def test_unequal_counts_no_variation_and_points_beyond():
    runs = make_runs("AB", seeds=6)
    assert "Unequal numbers of runs (6 and 4)" in caveats(runs.drop(index=[0, 1]))
    assert "Unequal" not in caveats(runs.drop(index=[0, 1]), unit="mean")
    still = runs.copy()
    still.loc[still["system"] == "B", ["accuracy", "cost"]] = [0.7, 2.0]
    assert "The runs of B do not vary" in caveats(still)
    point = {"accuracy": float(runs["accuracy"].sort_values().iloc[3]), "cost": 10.0}
    beyond = runs["accuracy"] <= point["accuracy"]
    text = caveats(runs, reference=point)
    for name, count in runs[beyond]["system"].value_counts().items():
        assert f"{count} of 6 runs of {name} are not better than the reference point" in text


def test_ties_that_leave_no_small_p_are_said():
    # One run of each side dominates all others: only its swap matters.
    runs = make_runs("AB", seeds=8)
    best = runs["seed"] == 0
    runs.loc[best, "accuracy"] = [0.95, 0.96]
    runs.loc[best, "cost"] = [0.5, 0.4]
    found = run_test(runs, paired=True)
    assert found.smallest_pvalue == 2 / 256
    assert found.pvalue == 1
    assert "none of them gives a p below 1." in " ".join(found.guarantee.remarks)
    assert "many permutations tie" not in caveats(runs, paired=True, unit="mean")


def test_p_near_alpha_is_called_uncertain():
    runs = make_runs("AB", seeds=10, shift=0.004)
    pvalue = run_test(runs, n_resamples=200).pvalue
    assert "Monte Carlo error" in caveats(runs, n_resamples=200, alpha=pvalue + 0.001)
    assert "Monte Carlo error" not in caveats(runs, n_resamples=200, alpha=min(0.99, pvalue + 0.3))


def test_missing_values():
    runs = make_runs("AB")
    runs.loc[2, "cost"] = np.nan
    with pytest.raises(ValueError, match="'cost' in 1 of 10 rows"):
        run_test(runs)
    with pytest.warns(UserWarning, match="1 of 10 rows"):
        found = run_test(runs, nan_policy="omit")
    assert found.n_baseline == 4
    assert "1 row with missing values" in " ".join(found.guarantee.remarks)
    reference = {"accuracy": 0.4, "cost": 9.0}
    worst = run_test(runs, nan_policy="worst", reference=reference)
    assert worst.n_baseline == 5
    assert "1 of 5 runs of A" in " ".join(worst.guarantee.remarks)
    with pytest.raises(ValueError, match=r'unit="mean"'):
        run_test(runs, nan_policy="worst", reference=reference, unit="mean")


# --- bad input ------------------------------------------------------------------------------------------------

BAD = {
    "missing system": ({"new": "agent"}, "`new` names 'agent'.*systems are 'A', 'B'"),
    "empty side": ({"new": []}, "`new` is empty"),
    "both sides": ({"new": ["A", "B"]}, "`new` and `baseline` both name 'A'"),
    "tuple for a list": ({"new": ("A", "B")}, "A tuple is a single label; pass a list for several systems"),
    "unknown column": ({"system": "sistem"}, "`system` names 'sistem'.*Did you mean 'system'"),
    "no columns": ({"system": []}, "`system` is an empty list"),
    "paired without repeat": ({"repeat": None, "paired": True}, "`paired` needs `repeat`"),
    "alternative": ({"alternative": "larger"}, "`alternative` is 'larger'"),
    "unit": ({"unit": "means"}, "`unit` is 'means'.*Did you mean 'mean'"),
    "resamples": ({"n_resamples": 0}, "`n_resamples` is 0"),
    "alpha": ({"alpha": 5}, "`alpha` is 5"),
    "rng": ({"rng": -1}, "`rng` is -1"),
    "method": ({"method": "fast"}, "`method` is 'fast'"),
    "reference too good": ({"reference": {"accuracy": 2.0, "cost": 0.1}}, "not worse than a single run"),
    "reference incomplete": ({"reference": {"accuracy": 0.0}}, "`reference` lacks 'cost'"),
    "log of what": ({"log": ["costs"]}, "`log` names 'costs'.*Did you mean 'cost'"),
    "log of the reference": (
        {"log": ["cost"], "reference": {"accuracy": 0, "cost": 0}}, "`reference` gives 0 for 'cost'"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        run_test(make_runs("AB"), **options)


def test_bad_types():
    runs = make_runs("AB")
    for options, message in [
        ({"log": {"cost": "log"}}, "`log` is a mapping"),
        ({"paired": "yes"}, "`paired` is 'yes'"),
        ({"reference": 3}, "`reference` must be"),
    ]:
        with pytest.raises(TypeError, match=message):
            run_test(runs, **options)


def test_bad_tables():
    runs = make_runs("AB")
    with pytest.raises(ValueError, match="system 'A' with repeat 0 is in 2 rows"):
        run_test(pd.concat([runs, runs.iloc[[0]]], ignore_index=True))
    with pytest.raises(ValueError, match="'A' lacks 0"):
        run_test(runs.iloc[1:], paired=True)
    with pytest.raises(ValueError, match="`system` column 'system' is missing in 1 of 10 rows"):
        run_test(runs.assign(system=runs["system"].where(runs.index != 3)))
    with pytest.raises(ValueError, match=r"logarithm of 'cost', but 1 of 10 values .*first in row 4"):
        run_test(runs.assign(cost=runs["cost"].where(runs.index != 4, 0.0)), log=["cost"])
    with pytest.raises(ValueError, match="infinitely good"):
        run_test(runs.assign(cost=runs["cost"].where(runs.index != 4, -np.inf)), reference={"accuracy": 0, "cost": 9})
    # Repeated rows of systems that are not asked about do no harm.
    other = make_runs("C")
    run_test(pd.concat([runs, other, other], ignore_index=True))
    without = run_test(pd.concat([runs, runs.iloc[[0]]], ignore_index=True), repeat=None)
    assert without.n_baseline == 6


# --- what is shown --------------------------------------------------------------------------------------------


def test_the_verdict_says_which_front_is_larger():
    runs, point = make_runs("AB", shift=0.05), {"accuracy": 0, "cost": 9}
    assert "has a larger hypervolume than" in run_test(runs).verdict
    assert repr(run_test(runs)).startswith("<HypervolumeTest Δ=")
    assert "has a smaller hypervolume than" in run_test(runs, new="A", baseline="B").verdict
    equal = run_test(runs.assign(accuracy=0.5, cost=1.0), reference=point)
    assert "has the same hypervolume as" in equal.verdict
    assert "reference cost ↓ (log)" in run_test(runs, log=["cost"])._repr_html_()


def scaled_fronts(values):
    """Costs scaled by their range over all runs, and the front of all of them."""
    costs = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    front = [c for c in costs if not any((o <= c).all() and (o < c).any() for o in costs)]
    return costs, np.array(front)


def by_definition(indicator, points, front):
    if indicator == "igd+":
        return moocore.igd_plus(points, ref=front)
    if indicator == "epsilon":
        return moocore.epsilon_additive(points, ref=front)
    return moocore.r2_exact(points, ref=front.min(axis=0))


@pytest.mark.parametrize("indicator", ["igd+", "epsilon", "r2"])
@pytest.mark.parametrize(("counts", "alternative"), [((4, 4), "two-sided"), ((3, 5), "greater")])
def test_other_indicators_are_permuted_by_the_definition(indicator, counts, alternative):
    values = np.random.default_rng(3).random((sum(counts), 2)) + np.repeat([[0.0, 0.0], [0.2, 0.1]], counts, axis=0)
    runs = pd.DataFrame(values, columns=["error", "cost"]).assign(system=np.repeat(["A", "B"], counts))
    runs["error"] *= 1000
    found = asked.hv_test(
        runs, system="system", new="A", baseline="B", objectives={"error": "min", "cost": "min"},
        indicator=indicator, alternative=alternative,
    )  # fmt: skip
    costs, front = scaled_fronts(values)

    def improvement(chosen):
        chosen = np.isin(np.arange(len(costs)), chosen)
        return by_definition(indicator, costs[~chosen], front) - by_definition(indicator, costs[chosen], front)

    every = np.array([improvement(c) for c in itertools.combinations(range(len(costs)), counts[0])])
    observed = improvement(range(counts[0]))
    extreme = np.abs(every) >= abs(observed) - 1e-12 if alternative == "two-sided" else every >= observed - 1e-12
    assert found.exact
    assert found.statistic == pytest.approx(observed)
    assert found.pvalue == pytest.approx(extreme.mean())
    np.testing.assert_allclose(np.sort(found.null_distribution), np.sort(every), atol=1e-12)
    np.testing.assert_allclose(
        found.runs[indicator], [by_definition(indicator, c[None], front) for c in costs], atol=1e-12
    )
    assert found.name in found.explain()
    assert "hypervolume" not in found.explain() + found.reporting().paragraph + found._repr_html_()
    assert found.reference == {}


def test_other_indicators_of_fronts_of_means():
    rng = np.random.default_rng(0)
    names = ["A1", "A2", "B"]
    runs = pd.DataFrame(rng.random((6, 4)), columns=list("wxyz")).assign(system=np.repeat(names, 2))
    found = asked.hv_test(
        runs, system="system", new=["A1", "A2"], baseline="B", objectives=dict.fromkeys("wxyz", "min"),
        indicator="igd+", unit="mean",
    )  # fmt: skip
    costs, front = scaled_fronts(runs[list("wxyz")].to_numpy())

    def improvement(order):
        means = costs[list(order)].reshape(3, 2, 4).mean(axis=1)
        return moocore.igd_plus(means[2:], ref=front) - moocore.igd_plus(means[:2], ref=front)

    every = np.array([improvement(order) for order in itertools.permutations(range(6))])
    assert found.statistic == pytest.approx(improvement(range(6)))
    # Not symmetric: two systems on one side, one on the other.
    tails = [(every >= found.statistic - 1e-12).mean(), (every <= found.statistic + 1e-12).mean()]
    assert found.pvalue == pytest.approx(min(1, 2 * min(tails)))


def test_other_indicators_refuse_what_they_have_no_use_for():
    runs = make_runs("AB")
    with pytest.raises(ValueError, match="`indicator`"):
        run_test(runs, indicator="volume")
    with pytest.raises(ValueError, match="leave `reference` out"):
        run_test(runs, indicator="r2", reference={"accuracy": 0, "cost": 10})
    with pytest.raises(ValueError, match="no distance"):
        run_test(runs.replace({"cost": {runs["cost"].max(): np.inf}}), indicator="epsilon")
    with pytest.raises(ValueError, match="reference point"):
        run_test(runs, indicator="igd+").explore()


@pytest.mark.parametrize("indicator", ["igd+", "r2"])
def test_audits_and_power_take_the_same_indicators(indicator):
    runs = make_runs("ABC", seeds=4, shift=0.03)
    audit = asked.audit(
        runs, system="system", repeat="seed", claims=[("B", "A")], objectives=DIRECTIONS, indicator=indicator,
        progress=False,
    )  # fmt: skip
    test = run_test(runs, indicator=indicator)
    assert audit.table.loc[0, "pvalue"] == test.pvalue
    assert audit.table.loc[0, "difference"] == test.statistic
    assert audit.table.loc[0, "holm"] == test.per_run.pvalue
    power = copa_nb.power(
        effect=[0.0, 1.0], n_runs=5, noise=0.05, n_simulations=40, indicator=indicator, n_objectives=3
    )
    assert power.at(1.0, 5) > 0.9
    assert power.at(0.0, 5) < 0.2
    assert power.table["power_runs"].iloc[1] > 0.9


def test_differences_too_small_for_bars_are_drawn_as_none():
    runs = pd.DataFrame({"agent": ["a", "a", "b", "b"], "loss": [0.0, 5e-299, 5e-299, 5e-299]})
    test = asked.hv_test(runs, system="agent", new="a", baseline="b", objectives={"loss": "min"})
    assert 0 < abs(test.null_distribution).max() < 1e-298
    bars = [bar for bar in test.plot().patches if bar.get_height()]
    assert sum(bar.get_height() for bar in bars) == test.n_resamples
    assert all(bar.get_width() > 0 for bar in bars)


@pytest.mark.parametrize("log", [None, ["cost"]])
def test_the_reference_point_may_be_a_multiple_of_the_worst_values(log):
    runs = make_runs("AB", seeds=4, shift=0.02)
    found = run_test(runs, reference="worst_multiple", reference_margin=0.1, log=log)
    stated = {"accuracy": 0.9 * runs["accuracy"].min(), "cost": 1.1 * runs["cost"].max()}
    assert dict(found.reference) == pytest.approx(stated)
    expected = run_test(runs, reference=stated, log=log)
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    # It moves with the data, as "worst" does: no percentages, and a report gets the point itself.
    assert template("reference_point.details.no_share") in " ".join(found.guarantee.remarks)
    audit = asked.audit(
        runs, system="system", repeat="seed", objectives=DIRECTIONS, reference="worst_multiple", log=log,
        progress=False, claims=[("B", "A")],
    )  # fmt: skip
    assert audit.table["pvalue"].iloc[0] == pytest.approx(found.pvalue)


def test_a_report_of_it_states_the_indicator():
    from copa_nb.analyses.registry import analyses

    found = run_test(make_runs("AB"), indicator="igd+")
    assert analyses()["audit"].again_of(found, {})["indicator"] == "igd+"


def test_a_difference_is_printed_with_its_sign():
    """As the next sentence prints that of single runs, and as the table has it."""
    runs = make_runs("AB", shift=0.05)
    for new, baseline in ("AB", "BA"):
        found = run_test(runs, new=new, baseline=baseline, reference="worst")
        printed = re.search(r"\(difference ([-.\d]+), ", found.verdict)
        assert float(printed[1]) == pytest.approx(found.table["difference"].iloc[0], rel=5e-3)
