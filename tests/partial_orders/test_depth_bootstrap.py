"""The bootstrap over problems, and what intervals of sampled depths are for."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.partial_orders.arrays.ufg_bootstrap import depth_intervals
from tests import asked


@pytest.fixture
def sample():
    return asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")


def test_draws_are_depths_in_resampled_problems(sample):
    depths = sample.depth()
    table = depths.bootstrap(3, rng=5, confidence_level=0.9)
    rows = np.random.default_rng(5).integers(8, size=(3, 8))
    draws = []
    for drawn in rows:
        resampled = type(sample)(sample.relations[drawn], sample.systems, pd.RangeIndex(8))
        draws.append(resampled.depth(sample).depth.to_numpy())
    expected = pd.Series(np.std(draws, axis=0, ddof=1), index=sample.items)[table.index]
    np.testing.assert_allclose(table["sd"], expected)
    low, high = depth_intervals(depths.depth.to_numpy(), np.array(draws), confidence_level=0.9)
    np.testing.assert_allclose(table.loc[sample.items, ["low", "high"]], np.column_stack([low, high]))
    deepest = [(draw.round(12) == draw.round(12).max()) for draw in draws]
    np.testing.assert_allclose(table.loc[sample.items, "deepest"], np.mean(deepest, axis=0))


def test_intervals_hold_the_depth_and_lie_between_0_and_1(sample):
    table = sample.depth().bootstrap(100)
    assert (table["low"] <= table["depth"]).all()
    assert (table["depth"] <= table["high"]).all()
    assert table["low"].min() >= 0
    assert table["high"].max() <= 1
    assert list(table.index) == list(sample.depth().order)
    pd.testing.assert_frame_equal(table, sample.depth().bootstrap(100))


def test_depth_of_other_orders_and_estimated_depths(sample):
    other = sample.depth(sample.only(["P1", "P3"])).bootstrap(20)
    assert sorted(other.index) == ["P1", "P3"]
    estimated = sample.depth(method="sample", n_samples=500)
    assert "Monte Carlo error only" in estimated.explain()
    # Other problems make more of a difference than other random sets.
    table = estimated.bootstrap(20)
    assert ((table["high"] - table["low"]) > (estimated.high - estimated.low)[table.index]).all()


def test_long_runs_are_refused(sample, monkeypatch):
    clock = iter(range(0, 100_000, 10))
    monkeypatch.setattr("copa_nb.partial_orders.arrays.ufg_bootstrap.time.monotonic", lambda: next(clock))
    with pytest.raises(ValueError, match="`max_seconds` = 60"), copa_nb.options(max_seconds=60):
        sample.depth().bootstrap(50)
    with pytest.raises(ValueError, match="`n_resamples` is 1"):
        sample.depth().bootstrap(1)


def test_an_order_at_either_end_has_an_interval():
    low, high = depth_intervals(np.array([0.0, 1.0]), np.array([[0.0, 1.0], [0.2, 0.9]]), confidence_level=0.95)
    assert low[0] == 0
    assert 0 < high[0] < 1
    assert 0 < low[1] < 1
    assert high[1] == 1
