"""Indicators against moocore and their definitions."""

import tracemalloc

import moocore
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays import indicators as arrays
from tests import asked
from tests.said import sentence

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 4), st.sampled_from(["igd+", "epsilon"]))
def test_subsets_are_measured_as_moocore_does(seed, k, indicator):
    rng = np.random.default_rng(seed)
    points, front = rng.random((7, k)), rng.random((4, k))
    members = rng.random((5, 7)) < 0.6
    members[:, 0] = True
    found = arrays.subset_values(arrays.shortfalls(points, front, indicator), members)
    function = {"igd+": moocore.igd_plus, "epsilon": moocore.epsilon_additive}[indicator]
    np.testing.assert_allclose(found, [function(points[subset], ref=front) for subset in members], atol=1e-12)


@given(SEEDS)
def test_r2_over_weights_is_the_exact_one_nearly(seed):
    rng = np.random.default_rng(seed)
    points, front = rng.random((6, 2)) + 0.2, rng.random((5, 2)) * 0.2
    found = arrays.subset_values(arrays.shortfalls(points, front, "r2"), np.ones((1, 6), dtype=bool))[0]
    assert found == pytest.approx(moocore.r2_exact(points, ref=front.min(axis=0)), abs=2e-3)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_weights_are_spread_evenly_over_the_simplex(k):
    weights = arrays.simplex_weights(k)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.min() >= 0
    # Moments of the uniform distribution on the simplex.
    np.testing.assert_allclose(weights.mean(axis=0), 1 / k, atol=0.01)
    np.testing.assert_allclose((weights**2).mean(axis=0), 2 / (k * (k + 1)), atol=0.01)


def test_r2_of_three_objectives_by_integration():
    points = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    draws = np.random.default_rng(0).dirichlet([1, 1, 1], 200_000)
    expected = (points[:, None, :] * draws).max(axis=2).min(axis=0).mean()
    assert arrays.value(points, np.zeros((1, 3)), "r2") == pytest.approx(expected, rel=0.01)


def test_one_row_per_run_in_the_order_of_the_table():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.random((40, 2)), columns=["gain", "cost"])
    frame["system"], frame["seed"] = np.repeat(["b", "a"], 20), np.tile(np.repeat([2, 1], 10), 2)
    view = frame.moo(gain="max", cost="min")
    fronts = asked.attainment(view, system="system", repeat="seed")
    found = fronts.indicators(["hypervolume", "igd+", "epsilon", "r2"], reference={"gain": 0, "cost": 1})
    assert found.table.index.tolist() == [("b", 2), ("b", 1), ("a", 2), ("a", 1)]
    costs = frame[["gain", "cost"]].to_numpy() * [-1, 1]
    low, spread = costs.min(axis=0), np.ptp(costs, axis=0)
    scaled = (costs - low) / spread
    front = scaled[moocore.is_nondominated(scaled)]
    run = scaled[10:20]
    row = found.table.loc[("b", 1)]
    assert row["igd+"] == pytest.approx(moocore.igd_plus(run, ref=front))
    assert row["epsilon"] == pytest.approx(moocore.epsilon_additive(run, ref=front))
    assert row["r2"] == pytest.approx(moocore.r2_exact(run, ref=front.min(axis=0)))
    assert row["hypervolume"] == pytest.approx(moocore.hypervolume(run, ref=(np.array([0, 1]) - low) / spread))
    assert found.table.moo.copa().best in found.table.index
    assert sentence(found, "indicators.details.scaled")["n"] == len(front)


def test_units_do_not_matter_when_scaled_and_do_when_not():
    frame = pd.DataFrame({"run": [1, 1, 2, 2], "x": [0.0, 4.0, 1.0, 4.0], "y": [4.0, 0.0, 4.0, 1.0]})
    larger = frame.assign(x=frame["x"] * 1000)
    fronts = [asked.attainment(one.moo(x="min", y="min"), repeat="run") for one in (frame, larger)]
    pd.testing.assert_frame_equal(*(one.indicators().table for one in fronts))
    raw = [one.indicators("epsilon", normalize="none").table for one in fronts]
    assert raw[0]["epsilon"].tolist() == [0, 1]
    assert raw[1]["epsilon"].tolist() == [0, 1000]


def test_a_reference_front_can_be_given():
    frame = pd.DataFrame({"run": [1], "x": [1.0], "y": [1.0]})
    target = pd.DataFrame({"x": [0.0, 1.0], "y": [0.5, 0.0]})
    fronts = asked.attainment(frame.moo(x="min", y="min"), repeat="run")
    found = fronts.indicators("epsilon", reference_front=target, normalize="none")
    assert found.table["epsilon"].tolist() == [1.0]


def test_what_is_refused():
    frame = pd.DataFrame({"run": [1], "x": [1.0], "y": [np.inf]})
    ranks = asked.attainment(frame.moo(x="min", y="min"), repeat="run", normalize="cdf")
    with pytest.raises(ValueError, match="`which`"):
        ranks.indicators("gd")
    with pytest.raises(ValueError, match="infinite"):
        ranks.indicators()


@pytest.mark.parametrize("indicator", ["igd+", "epsilon", "r2"])
@pytest.mark.parametrize("k", [2, 3])
def test_sets_are_measured_in_units_of_the_objectives_ranges(indicator, k, monkeypatch):
    rng = np.random.default_rng(k)
    points, sets = (rng.random(shape) * [1000, 0.01, 1][:k] + 3 for shape in ((8, k), (5, 4, k)))
    target = arrays.Target.of(points, indicator)
    low, spread = points.min(axis=0), np.ptp(points, axis=0)
    scaled = (points - low) / spread
    front = scaled[moocore.is_nondominated(scaled)]
    expected = [arrays.value((each - low) / spread, front, indicator) for each in sets]
    np.testing.assert_allclose(target.of_sets(sets), expected, atol=1e-12)
    monkeypatch.setattr(arrays, "_CELLS", 1)
    np.testing.assert_allclose(target.of_sets(sets), expected, atol=1e-12)


def test_many_subsets_take_little_memory(monkeypatch):
    monkeypatch.setattr(arrays, "_CELLS", 1_000)
    prepared, members = arrays.Shortfalls(np.ones((10, 10)), worst=False), np.ones((5_000, 10), dtype=bool)
    tracemalloc.start()
    try:
        arrays.subset_values(prepared, members)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200_000  # all at once: 4 MB


def test_objectives_that_are_called_true_and_false():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"system": np.repeat(["A", "B"], 6), "x": rng.random(12), "y": rng.random(12)})
    expected = asked.attainment(frame, repeat="system", objectives={"x": "max", "y": "min"}).indicators()
    renamed = frame.rename(columns={"x": True, "y": False})
    found = asked.attainment(renamed, repeat="system", objectives={True: "max", False: "min"}).indicators()
    np.testing.assert_array_equal(found.table, expected.table)
    np.testing.assert_array_equal(found.reference_front, expected.reference_front)
