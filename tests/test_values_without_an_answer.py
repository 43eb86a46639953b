"""Values for which there is no answer: the message names the argument or the objective, and says what helps."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.comparisons.arrays.uncertainty import from_runs
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked
from tests.over_runs import over_runs

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.5], "co2_kg": [9.0, 3.0, 1.0]}, index=["large", "medium", "small"]
).moo.define(accuracy="max", co2_kg="min")


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"co2_kg": [np.inf, 1, 2]}, {}, r"'co2_kg' has an infinite worst value.*reference="),
        ({"accuracy": [-np.inf, 1, 2]}, {}, r"'accuracy' has an infinite worst value.*reference="),
        ({"co2_kg": [1e308, -1e308, 2]}, {}, r"'co2_kg'; rescale the column, e.g. frame\['co2_kg'\] / 1e300"),
        ({}, {"reference_margin": -1}, "`reference_margin` is -1; it must be a finite number of at least 0"),
        ({}, {"reference_margin": "wide"}, "`reference_margin` is 'wide'; it must be a finite number"),
    ],
)
def test_reference_points_that_cannot_be_placed(change, options, message):
    with pytest.raises(ValueError, match=message):
        asked.hypervolume(MODELS.assign(**change), **options)


def test_an_infinitely_good_row_has_no_finite_hypervolume():
    frame = MODELS.assign(co2_kg=[-np.inf, 3.0, 1.0])
    for reference in ("worst", {"accuracy": 0.0, "co2_kg": 3.3}):
        with pytest.raises(ValueError, match="infinitely good in some objective, so the hypervolume is infinite"):
            frame.moo.hypervolume(reference=reference)


@pytest.mark.parametrize("verb", ["copa", "navigate"])
def test_candidates_whose_objectives_are_all_missing(verb):
    frame = MODELS.assign(accuracy=[np.nan, 0.5, 0.4])
    options = {"where": "co2_kg > 5", "nan_policy": "omit"}
    with (
        pytest.warns(RowsOmittedWarning),
        pytest.raises(ValueError, match="every row that `where` allows has a missing objective; relax it"),
    ):
        asked.copa(frame, **options) if verb == "copa" else asked.copa(frame, **options).navigate("co2_kg")


@pytest.mark.parametrize(
    "importances", ["x", 1, True, [], [0.5, 0.2], [0.1, 1.1], [[0.1, 0.2]], ["a", "b"], [0.1, np.nan]]
)
def test_steps_of_a_path_that_are_none(importances):
    with pytest.raises((ValueError, TypeError), match="`importances` is"):
        MODELS.moo.copa().navigate("co2_kg", importances=importances)


@pytest.mark.parametrize("weights", [3, "even", {"accuracy", "co2_kg"}])
def test_weights_of_a_wrong_kind(weights):
    with pytest.raises(TypeError, match=r"`weights` must map objectives to numbers, e.g. {'accuracy': 0.5}, not "):
        MODELS.moo.copa(weights=weights)


RUNS = pd.DataFrame(
    {
        "system": ["A"] * 3 + ["B"] * 3,
        "seed": [0, 1, 2] * 2,
        "accuracy": [0.5, 0.6, 0.55, 0.7, 0.72, 0.71],
        "co2_kg": [3.0, 3.5, 3.2, 2.0, 2.1, 2.2],
    }
).moo.define(accuracy="max", co2_kg="min")
STUDY = {"effect": 0.1, "n_runs": 4, "n_simulations": 5, "progress": False}


HUGE = pd.DataFrame(
    {
        "system": ["A"] * 3 + ["B"] * 3,
        "seed": [0, 1, 2] * 2,
        "a": [1.0e302, 5e307, 1e308, 3e300, 9e307, 4e307],
        "b": [3.0, 2.0, 1.0, 1.0, 4.0, 2.0],
    }
)
WAYS, SIDES = {"a": "min", "b": "min"}, {"system": "system", "repeat": "seed", "objectives": {"a": "min", "b": "min"}}


@pytest.mark.parametrize(
    "call",
    [
        lambda: asked.hypervolume(HUGE, objectives=WAYS),
        lambda: asked.hypervolume(HUGE, objectives={"a": "min"}),
        lambda: asked.gap(HUGE, test=HUGE, objectives=WAYS),
        lambda: asked.gap(HUGE, test=HUGE, objectives=WAYS, repeat="seed"),
        lambda: asked.gap(HUGE.assign(a=HUGE["a"] / 1e10), test=HUGE, objectives=WAYS),
        lambda: asked.hv_test(HUGE.assign(a=HUGE["a"] / 1e160, b=HUGE["b"] * 1e100), new="B", baseline="A", **SIDES),
    ],
)
def test_every_verb_refuses_a_hypervolume_that_cannot_be_computed_with(call):
    with pytest.raises(ValueError, match=r"the hypervolume exceeds 1e\+150, .* the objectives span .* Rescale"):
        call()


def test_a_hypervolume_that_cannot_be_computed_with_says_how_wide_each_objective_is():
    frame = pd.DataFrame({"a": [6e200, 8e200], "b": [7.0, 5.0]})
    with pytest.raises(ValueError, match=r"objectives span 2e\+200 × 1\.5 up to .*, e\.g\. divide it by 1e\+200\."):
        asked.hypervolume(frame, objectives={"a": "min", "b": "min"}, reference={"a": 1e201, "b": 6.5})


@pytest.mark.parametrize(
    "call",
    [
        lambda: asked.hv_test(HUGE, new="B", baseline="A", **SIDES),
        lambda: asked.hv_test(HUGE, new="B", baseline="A", log=["a"], **SIDES),
        lambda: asked.audit(HUGE, progress=False, **SIDES),
    ],
)
def test_runs_of_which_no_spread_can_be_computed(call):
    with pytest.raises(
        ValueError, match=r"objective 'a' has values of magnitude 1e\+308; .* 1e\+150\. Rescale .*frame\['a'\]"
    ):
        call()


@pytest.mark.parametrize("scale", [1e149, 1e-290])
def test_spreads_of_the_largest_and_smallest_hypervolumes(scale):
    runs = HUGE.assign(a=[0.9, 0.8, 0.85, 0.2, 0.3, 0.1])
    small, large = (
        asked.hv_test(table, new="B", baseline="A", reference={"a": unit, "b": 4.5}, **SIDES)
        for unit, table in ((1.0, runs), (scale, runs.assign(a=runs["a"] * scale)))
    )
    assert large.pvalue == small.pvalue
    assert large.per_run.pvalue == pytest.approx(small.per_run.pvalue)
    assert large.per_run.pooled_sd == pytest.approx(small.per_run.pooled_sd * scale)


def test_a_hypervolume_below_a_float():
    small = pd.DataFrame({"a": [1e-170, 2e-170], "b": [2e-170, 1e-170]})
    ways = {"a": "min", "b": "min"}
    with pytest.raises(ValueError, match=r"is below 1e-300, .* span 2e-170 × 2e-170 .* multiply it by 1e\+170") as said:
        asked.hypervolume(small, objectives=ways, reference={"a": 3e-170, "b": 3e-170})
    factor = float(str(said.value).rpartition("by ")[2].rstrip("."))
    found = asked.hypervolume(small * factor, objectives=ways, reference={"a": 3.0, "b": 3.0})
    assert found.value == pytest.approx(3.0)
    # Rows that are not better than the reference point have no volume at any scale.
    assert asked.hypervolume(small, objectives=ways, reference={"a": 1e-170, "b": 1e-170}).value == 0
    runs = HUGE.assign(a=HUGE["b"] * 1e-200, b=HUGE["b"].to_numpy()[::-1] * 1e-200)
    with pytest.raises(ValueError, match=r"the hypervolume is below 1e-300"):
        asked.hv_test(runs, new="B", baseline="A", **SIDES)


def scores(scale):
    """Runs of three systems, or their scores on the same items, in other units."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 40, 2)) * [1.0, 0.3] + np.array([[5.0, 1.0], [6.5, 1.0], [6.6, 3.0]])[:, None]
    system, item = np.indices(values.shape[:2]).reshape(2, -1)
    frame = pd.DataFrame(values.reshape(-1, 2) * scale, columns=["gain", "cost"])
    return frame.assign(system=system, item=item).moo.define(gain="max", cost="min")


def means(scale):
    table = scores(scale).groupby("system")[["gain", "cost"]].mean()
    return table.assign(gain_se=0.1 * scale, cost_se=0.05 * scale).moo.define(gain="max", cost="min")


SAMPLED = {
    "items": lambda scale: asked.board(scores(scale), system="system", item="item").ahead,
    "runs": lambda scale: (
        asked.confident_front(scores(scale), system="system", repeat="item").table["verdict"] != "undecided"
    ),
    "errors": lambda scale: asked.board(means(scale), standard_error="_se").ahead,
    "pair": lambda scale: (
        asked.compare(scores(scale), system="system", item="item", new=1, baseline=0).table["pvalue"] < 0.05
    ),
}


@pytest.mark.parametrize("measured", SAMPLED)
def test_units_decide_nothing(measured):
    """Up to where squares lose their digits, and there it is said."""
    expected = np.asarray(SAMPLED[measured](1.0))
    assert expected.any()
    for scale in (1e-89, 1e-50, 1e50, 1e88):
        assert np.array_equal(np.asarray(SAMPLED[measured](scale)), expected), scale
    for scale, words in {
        1e-199: r"'gain' has no value beyond .*e-199; below 1e-90, .*frame\['gain'\] \* 1e\+199",
        1e91: r"'gain' contains .*; beyond 1e\+90, no spread can be computed\. Use other units",
    }.items():
        with pytest.raises(ValueError, match=words):
            SAMPLED[measured](scale)


def test_welch_at_any_scale_is_scipys():
    rng = np.random.default_rng(0)
    # Of about the same spread: one that is much smaller than the others' counts as larger.
    a, b = (center + width * stats.zscore(rng.normal(size=n)) for center, width, n in ((5, 1, 12), (4.7, 1.1, 40)))
    expected = stats.ttest_ind(b, a, equal_var=False, alternative="less").pvalue
    assert 0.01 < expected < 0.99
    for scale in (1e-139, 1e-76, 1.0, 1e76, 1e140):
        costs = [a[:, None] * scale, b[:, None] * scale]
        runs = from_runs(costs, np.zeros(1, bool), n_resamples=100, rng=np.random.default_rng(0))
        assert runs.sampled_pvalues(0, np.zeros(1))[1, 0] == pytest.approx(expected, rel=1e-9)


def test_noise_of_infinite_values_and_of_no_objective():
    far = {"accuracy": 0.0, "co2_kg": 9.0}
    infinite = asked.hv_test(
        RUNS.assign(co2_kg=[np.inf, 3.5, 3.2, 2.0, 2.1, 2.2]), "B", "A", system="system", reference=far
    )
    assert "noise cannot be fitted to objectives that are infinite; drop or clip" in infinite.power(**STUDY)
    with pytest.raises(ValueError, match=r"`noise` names 'co2'; it needs one standard deviation for each of"):
        asked.hv_test(RUNS, "B", "A", system="system", reference=far).power(noise={"co2": 0.1}, **STUDY)


def test_an_order_of_evaluations_with_gaps_or_repeats():
    run = pd.DataFrame({"val_a": [1.0, 2, 3], "test_a": [1.0, 2, 3], "step": [1.0, np.nan, 3]})
    options = {"objectives": {"a": "max"}, "reference": {"a": 0.0}, "order": "step"}
    with pytest.raises(ValueError, match="`order` column 'step' is missing in 1 rows; fill or drop them"):
        asked.gap(run, **options).budgets([2])
    with pytest.raises(ValueError, match=r"`order` column 'step' .*3"):
        asked.gap(run.assign(step=[1, 3, 3]), **options).budgets([2])


def test_predictions_of_a_model_must_be_one_row():
    predictions = pd.DataFrame([[0, 1], [1, 1], [1, 0]], index=["x", "y", "y"])
    scores = pd.DataFrame({"val_a": [0.4, 0.5], "test_a": [0.4, 0.5]}, index=["x", "y"])
    found = asked.gap(scores, objectives={"a": "max"}, reference={"a": 0.0})
    with pytest.raises(ValueError, match="`predictions` has repeated row labels; give one row per model"):
        found.bootstrap(predictions, truth=[1, 1], metrics={"a": lambda truth, predicted, weights: 0.0})


@pytest.mark.parametrize(("lost", "argument"), [("model", "system"), ("seed", "repeat")])
def test_runs_of_an_unknown_model_or_seed(lost, argument):
    runs = RUNS.rename(columns={"system": "model"}).moo.define(accuracy="max", co2_kg="min")
    runs[lost] = [None, *runs[lost].tolist()[1:]]
    with pytest.raises(ValueError, match=rf"`{argument}` column .* is missing in 1 of"):
        over_runs(runs, system="model", repeat="seed", n_resamples=5)


def test_a_row_is_named_only_where_something_is_relative_to_it():
    with pytest.raises(ValueError, match="`reference` names the row 'large', which only normalize=\"relative\" uses"):
        MODELS.moo.copa(reference="large", normalize="minmax")
    labels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    frame = MODELS.set_axis(labels)
    # Relative to ("a", 2): accuracy 0.9 is 1/8 better and 9 kg are twice more; with p = 1 the small one wins.
    chosen = frame.moo.copa(normalize="relative", reference=("a", 2), p=1)
    np.testing.assert_allclose(chosen.normalized, [[-0.125, 2.0], [0.0, 0.0], [0.375, -2 / 3]], atol=1e-12)
    assert chosen.best == ("b", 1)
