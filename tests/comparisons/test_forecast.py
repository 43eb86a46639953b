"""Forecasts of larger tables: against really larger ones, and what must hold whatever is measured."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.comparisons.arrays.shrinkage import true_means
from copa_nb.comparisons.more_measurements import enlarged
from tests import asked
from tests.asked import measurements
from tests.said import sentence

OPTIONS = {"system": "model", "item": "task", "objectives": {"acc": "max"}}


def _frame(values):
    n_items, n = values.shape
    return pd.DataFrame(
        {"model": np.tile(np.arange(n), n_items), "task": np.repeat(np.arange(n_items), n), "acc": values.ravel()}
    )


@pytest.mark.slow
def test_a_draw_of_the_truth_follows_the_normal_posterior():
    # Many systems with normal truth: the prior is known well, and the posterior is that of the textbook.
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 2, 2000)
    means = truth + rng.normal(0, 1, 2000)
    draws = np.array([true_means(means, np.eye(2000), rng) for _ in range(40)])
    slope = stats.linregress(means, draws.mean(axis=0)).slope
    assert slope == pytest.approx(4 / 5, abs=0.06)
    assert draws.var(axis=0).mean() == pytest.approx(4 / 5, abs=0.08)
    assert draws.std() == pytest.approx(2, abs=0.1)


def test_no_noise_leaves_the_means_and_equal_truth_is_found():
    rng = np.random.default_rng(0)
    assert true_means(np.array([1.0, 2.0]), np.zeros((3, 2)), rng).tolist() == [1.0, 2.0]
    means = rng.normal(size=500)
    assert true_means(means, np.eye(500), rng).std() < 0.5


@pytest.mark.parametrize("times", [2, 4])
def test_what_was_measured_stays_and_the_rest_resembles_it(times):
    rng = np.random.default_rng(1)
    frame = _frame(rng.normal(size=(50, 4)))
    read = measurements(frame, **OPTIONS)
    more = enlarged(read, times, rng)
    assert np.array_equal(more.items[:50], read.items)
    assert len(more.items) == 50 * times
    clusters = measurements(frame.assign(family=frame["task"] // 5), **OPTIONS, cluster="family")
    more = enlarged(clusters, times, rng)
    assert len(np.unique(more.clusters)) == 10 * times
    assert np.array_equal(np.bincount(more.clusters), np.full(10 * times, 5))
    runs = measurements(frame, system="model", repeat="task", objectives=OPTIONS["objectives"])
    assert [len(costs) for costs in enlarged(runs, times, rng).runs] == [50 * times] * 4
    noise = measurements(
        pd.DataFrame({"acc": [1.0, 2.0], "se": [1.0, 0.5]}), standard_error={"acc": "se"}, objectives={"acc": "max"}
    )
    assert enlarged(noise, times, rng).errors[:, 0] == pytest.approx(np.array([1.0, 0.5]) / times**0.5)


def test_missing_cells_stay_as_frequent():
    rng = np.random.default_rng(2)
    frame = _frame(rng.normal(size=(60, 5)))
    frame = frame[rng.random(len(frame)) < 0.7]
    read = measurements(frame, **OPTIONS, nan_policy="pairwise", nan_policies=("pairwise",))
    more = enlarged(read, 3, rng)
    assert np.isnan(more.items).mean() == pytest.approx(np.isnan(read.items).mean(), abs=0.08)


def test_equal_systems_are_not_forecast_to_differ():
    rng = np.random.default_rng(3)
    tiers = asked.board(_frame(rng.normal(size=(1, 1)) + rng.normal(size=(60, 8))), **OPTIONS)
    found = tiers.forecast(times=[2, 4])
    assert found.table["ordered"].max() <= 2


def test_systems_far_apart_stay_resolved():
    values = np.random.default_rng(4).normal(size=(40, 4)) + 5 * np.arange(4)
    found = asked.board(_frame(values), **OPTIONS).forecast()
    assert found.table.loc[2].to_dict() == {"first": 1, "ordered": 6}
    assert {"ordered": 6, "pairs": 6}.items() <= sentence(found, "forecast.headline.more").items()
    assert sentence(found, "forecast.reasons.first") == {"then": 1, "now": 1, "ordered": 6}
    assert sentence(found, "forecast.certainty.projection")["n"] == found.n_simulations


def test_a_known_price_is_known_in_larger_tables():
    frame = _frame(np.random.default_rng(5).normal(size=(40, 3)))
    frame["price"] = frame["model"] * 1.0
    tiers = asked.board(frame, system="model", item="task", known="price", objectives={"acc": "max", "price": "min"})
    assert enlarged(tiers.inputs, 2, np.random.default_rng(0)).items[..., 1].std(axis=0).max() == 0
    assert tiers.forecast(n_simulations=3).table.loc[2, "ordered"] >= 0


@pytest.mark.parametrize(("options", "name"), [({"times": 1}, "times"), ({"n_simulations": 1}, "n_simulations")])
def test_sizes_that_are_no_forecast_are_refused(options, name):
    tiers = asked.board(_frame(np.random.default_rng(6).normal(size=(10, 3))), **OPTIONS)
    with pytest.raises(ValueError, match=f"`{name}`"):
        tiers.forecast(**options)
