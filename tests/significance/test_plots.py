import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.comparisons.plots.systems import plot_confident_front
from copa_nb.plotting.pictures import picture_of
from copa_nb.significance.plots import plot_power
from tests import asked


@pytest.fixture(autouse=True)
def _leave_no_trace():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before


RNG = np.random.default_rng(0)
RUNS = pd.DataFrame(
    {
        "system": np.repeat(["A$1", "B_2", "C"], 5),
        "seed": [*range(5)] * 3,
        "accuracy": np.repeat([0.6, 0.61, 0.9], 5) + RNG.normal(0, 0.02, 15),
        "cost": np.repeat([3.0, 2.98, 2.0], 5) + RNG.normal(0, 0.05, 15),
    }
)
OPTIONS = {"system": "system", "repeat": "seed", "objectives": {"accuracy": "max", "cost": "min"}}
TEST = asked.hv_test(RUNS, new="B_2", baseline="A$1", **OPTIONS)
AUDIT = asked.audit(RUNS, progress=False, **OPTIONS)
POWER = copa_nb.power(effect=[0.02, 0.1], n_runs=[3, 4, 5], noise=0.05, n_simulations=40)


def test_bars_hold_every_relabelling_and_those_that_count():
    ax = TEST.plot()
    less, counted = (sum(bar.get_height() for bar in container) for container in ax.containers)
    assert less + counted == 252
    assert counted / 252 == pytest.approx(TEST.pvalue)
    at = [line.get_xdata()[0] for line in ax.lines]
    assert at == pytest.approx([TEST.statistic, -TEST.statistic])


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_tests_have_one_line(alternative):
    test = asked.hv_test(RUNS, new="B_2", baseline="A$1", alternative=alternative, **OPTIONS)
    ax = test.plot()
    assert len(ax.lines) == 1
    assert sum(bar.get_height() for bar in ax.containers[1]) / 252 == pytest.approx(test.pvalue)


def test_a_difference_of_zero_can_be_drawn():
    same = RUNS.assign(accuracy=0.5, cost=1.0)
    ax = asked.hv_test(same, new="B_2", baseline="A$1", reference={"accuracy": 0, "cost": 2}, **OPTIONS).plot()
    assert "p = 1" in ax.get_title(loc="left") + ax.get_title()


@pytest.mark.parametrize("statistic", ["runs", "front"])
@pytest.mark.parametrize("correction", ["runs_pvalue", "holm", "benjamini_hochberg", "benjamini_yekutieli"])
def test_every_claim_is_a_point_with_its_effect_and_its_p(correction, statistic):
    ax = AUDIT.plot(correction=correction, statistic=statistic)
    points = np.concatenate([collection.get_offsets() for collection in ax.collections])
    expected = AUDIT.table[["effect" if statistic == "runs" else "relative", correction]].to_numpy()
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(expected, axis=0))
    drawn = {collection.get_label(): len(collection.get_offsets()) for collection in ax.collections}
    significant = (expected[:, 1] <= 0.05).sum()
    assert drawn[f"significant ({significant})"] == significant
    assert drawn[f"not significant ({len(expected) - significant})"] == len(expected) - significant
    assert (points[:, 1] >= ax.get_ylim()[0]).all()


@pytest.mark.parametrize(("indicator", "name"), [("r2", "R2"), ("igd+", "IGD+")])
def test_fronts_are_drawn_by_the_indicator_that_was_compared(indicator, name):
    """A share of a quantity that may be negative would be no number, and the picture empty."""
    outcome = asked.audit(RUNS, indicator=indicator, n_resamples=200, progress=False, **OPTIONS)
    ax = outcome.plot(statistic="front")
    points = np.concatenate([collection.get_offsets() for collection in ax.collections])
    expected = outcome.table[["difference", "holm"]].to_numpy()
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(expected, axis=0))
    assert ax.get_xlabel() == f"difference of minus {name} of the fronts"
    (low, high), (left, right) = np.sort(expected[:, 0])[[0, -1]], ax.get_xlim()
    assert left <= low < high <= right


def test_bars_of_an_unbalanced_test_count_twice():
    test = asked.hv_test(RUNS.drop(index=RUNS.index[RUNS["system"] == "B_2"][:2]), new="B_2", baseline="A$1", **OPTIONS)
    ax = test.plot()
    counted = sum(bar.get_height() for bar in ax.containers[1])
    assert 2 * counted / test.n_resamples == pytest.approx(test.pvalue)
    assert len(ax.lines) == 1


def test_claims_with_too_few_runs_are_marked_as_such():
    outcome = asked.audit(RUNS[RUNS["seed"] < 3], progress=False, **OPTIONS)
    ax = outcome.plot()
    assert [len(collection.get_offsets()) for collection in ax.collections] == [0, 0, len(outcome.table)]


def test_an_empty_audit_can_be_drawn():
    asked.audit(RUNS[RUNS["system"] == "C"], progress=False, **OPTIONS).plot()


def test_curves_follow_the_table():
    ax = POWER.plot()
    assert ax.get_xlabel() == "runs of each system"
    np.testing.assert_allclose(ax.lines[0].get_ydata(), POWER.table.query("effect == 0.02")["power_runs"])
    ax = POWER.plot(along="effect", ax=plt.figure().gca())
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [2, 10])
    with pytest.raises(ValueError, match="`along` is 'noise'"):
        POWER.plot(along="noise")


def test_seeds_needed_marks_its_target():
    found = copa_nb.power(solve="runs", target=0.7, effect=0.3, noise=0.05, n_simulations=40)
    assert "power 0.7" in [line.get_label() for line in found.plot().lines]


def test_unknown_correction():
    with pytest.raises(ValueError, match="`correction` is 'bonferroni'"):
        AUDIT.plot(correction="bonferroni")


@pytest.mark.parametrize("names", [{"x": "cost"}, {"x": "cost", "y": "accuracy"}])
def test_a_front_is_never_drawn_against_one_objective_twice(names):
    means = pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [3.0, 1.0], "se": 0.01}, index=["a", "b"])
    objectives = {"accuracy": "max", "cost": "min"}
    ax = plot_confident_front(
        asked.confident_front(means, standard_error={"accuracy": "se"}, objectives=objectives), **names
    )
    assert [label.split()[0] for label in (ax.get_xlabel(), ax.get_ylabel())] == ["cost", "accuracy"]


@pytest.mark.parametrize(
    ("others", "rows"), [(True, ["baseline", "new", "other systems"]), (False, ["baseline", "new"])]
)
def test_runs_of_one_objective_lie_in_a_row_for_each_side(others, rows):
    test = asked.hv_test(
        RUNS, new="B_2", baseline="A$1", system="system", repeat="seed", objectives={"cost": "min"}, log=["cost"]
    )
    ax = test.plot("runs", others=others)
    assert [text.get_text() for text in ax.get_yticklabels()] == rows
    assert (ax.get_xlabel(), ax.get_xscale(), ax.get_ylabel()) == ("cost ↓", "log", "")
    low, high = ax.get_xlim()
    assert low > high
    drawn = {tuple(point) for points in ax.collections for point in points.get_offsets().tolist()}
    assert {(cost, 1.0) for cost in RUNS.loc[RUNS["system"] == "B_2", "cost"]} <= drawn


def test_systems_are_named_in_a_key():
    front = asked.confident_front(
        pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [3.0, 1.0], "se": 0.01}, index=["a", "b"]),
        standard_error={"accuracy": "se"},
        objectives={"accuracy": "max", "cost": "min"},
    )
    figure, ax = plt.subplots(layout="constrained")
    plot_confident_front(front, labels=["b"], key=True, ax=ax)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["1  b"]
    assert "1" in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("effects", "counts", "options", "label", "words"),
    [
        ([0.02, 0.1], [3, 4, 5], {}, "runs of each system", "against the number of runs"),
        ([0.02, 0.1], [3, 4, 5], {"along": "effect"}, "true effect", "against the effect"),
        ([0.02, 0.05, 0.1], [3, 4], {}, "true effect", "against the effect"),
    ],
)
def test_a_caption_of_power_names_the_axis_that_is_drawn(effects, counts, options, label, words):
    study = copa_nb.power(effect=effects, n_runs=counts, noise=0.05, n_simulations=20)
    assert study.plot(**options).get_xlabel().startswith(label)
    assert words in picture_of(plot_power, study, **options).caption
