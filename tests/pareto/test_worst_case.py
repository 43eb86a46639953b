"""Systems compared whatever their missing values are: with all values that matter, and against missing for a reason."""

import itertools

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.pareto.arrays.incomplete import from_items_at_worst
from copa_nb.pareto.arrays.uncertainty import from_items

KNOWN = np.zeros(1, dtype=bool)
ASKED = {"system": "system", "item": "item", "objectives": {"score": "max"}}


def long_table(values):
    system, item = np.indices(values.shape).reshape(2, -1)
    frame = pd.DataFrame({"system": system, "item": item, "score": values.ravel()})
    return frame.dropna()


def right_or_wrong(seed, skills, n_items=60):
    rng = np.random.default_rng(seed)
    return (rng.random((len(skills), n_items)) < np.array(skills)[:, None]).astype(float), rng


def without(values, rng, share):
    values = values.copy()
    values[rng.random(values.shape) < share] = np.nan
    return values


def test_each_pair_is_compared_at_its_worst():
    values, rng = right_or_wrong(0, [0.9, 0.5, 0.3])
    costs = 1 - without(values, rng, 0.1).T[:, :, None]
    ends = np.zeros(1), np.ones(1)
    found = from_items_at_worst(costs, KNOWN, *ends, n_resamples=500, rng=np.random.default_rng(0)).ends
    missing = np.isnan(costs[:, :, 0])
    for i, j in itertools.permutations(range(3), 2):
        worst = np.where(missing[:, j], 0.0, costs[:, j, 0]) - np.where(missing[:, i], 1.0, costs[:, i, 0])
        assert found.differences[0, i, 3 + j] == pytest.approx(worst.mean())
        assert found.squares[0, i, 3 + j] == pytest.approx((worst**2).sum())


def test_nothing_missing_is_the_usual_test():
    values, _ = right_or_wrong(1, [0.9, 0.7, 0.5, 0.3])
    costs = 1 - values.T[:, :, None]
    active = ~np.eye(4, dtype=bool)[None]
    worst = from_items_at_worst(costs, KNOWN, np.zeros(1), np.ones(1), n_resamples=999, rng=np.random.default_rng(0))
    usual = from_items(costs[:, None], KNOWN, n_resamples=999, rng=np.random.default_rng(0))
    assert (worst.tested(active, 0.05) == usual.tested(active, 0.05)).all()
    frame = long_table(values)
    same = [copa_nb.tiers(frame, **ASKED, nan_policy=policy).table for policy in ("raise", "worst_case")]
    assert same[0].equals(same[1])


def test_what_is_ahead_in_the_worst_case_is_ahead_however_the_gaps_are_filled():
    values, rng = right_or_wrong(2, [0.95, 0.6, 0.5, 0.2], n_items=120)
    gaps = without(values, rng, 0.06)
    worst = copa_nb.tiers(long_table(gaps), **ASKED, nan_policy="worst_case").table.sort_index()
    assert (worst["low"] > 1).any()
    for _ in range(20):
        filled = np.where(np.isnan(gaps), (rng.random(gaps.shape) < rng.random((4, 1))).astype(float), gaps)
        table = copa_nb.tiers(long_table(filled), **ASKED).table.sort_index()
        assert (worst["low"] <= table["low"]).all()
        assert (worst["high"] >= table["high"]).all()


def test_lacking_failures_does_not_help():
    """Of two equal systems one reports only what it does well: pairs are misled, the worst case is not."""
    values, _ = right_or_wrong(3, [0.7, 0.7], n_items=200)
    values[1, np.flatnonzero(values[1] == 0)[:40]] = np.nan
    pairs, worst = (copa_nb.tiers(long_table(values), **ASKED, nan_policy=p) for p in ("pairwise", "worst_case"))
    assert pairs.best == [1]
    assert set(worst.best) == {0, 1}
    assert "none of these 1 pairs remains" in pairs.explain()
    assert "hold whatever these are" in worst.explain()
    assert "score between 0 and 1" in worst.explain()


def test_narrow_bounds_decide_more():
    rng = np.random.default_rng(4)
    values = without(rng.normal([[0.6], [0.5], [0.4]], 0.03, (3, 40)), rng, 0.2)
    frame = long_table(values)
    wide = copa_nb.tiers(frame, **ASKED, nan_policy="worst_case", bounds={"score": (0, 1)})
    narrow = copa_nb.tiers(frame, **ASKED, nan_policy="worst_case", bounds={"score": (0.45, 0.55)})
    assert wide.n_ordered < narrow.n_ordered == 3
    half_open = copa_nb.tiers(frame, **ASKED, nan_policy="worst_case", bounds={"score": (0, None)})
    assert f"score between 0 and {np.nanmax(values):.4g}" in half_open.explain()


def test_clusters_and_prices():
    values, rng = right_or_wrong(5, [0.95, 0.4], n_items=80)
    frame = long_table(without(values, rng, 0.05))
    frame = frame.assign(passage=frame["item"] // 5, price=np.where(frame["system"] == 0, 2.0, 1.0))
    found = copa_nb.tiers(
        frame, system="system", item="item", cluster="passage", known="price", nan_policy="worst_case",
        objectives={"score": "max", "price": "min"},
    )  # fmt: skip
    assert found.table["price"].sort_index().tolist() == [2.0, 1.0]
    assert found.measured == "80 items in 16 passages"
    assert len(found.best) == 2  # the better one is dearer


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nan_policy": "pairwise", "bounds": {"score": (0, 1)}}, r'pass nan_policy="worst_case"'),
        ({"nan_policy": "worst_case", "bounds": {"score": (2, 3)}}, "give the bounds in the unit of the column"),
        ({"nan_policy": "worst_case", "item": None, "repeat": "item"}, "`item` is missing"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    values, rng = right_or_wrong(6, [0.9, 0.5])
    with pytest.raises(ValueError, match=words):
        copa_nb.tiers(long_table(without(values, rng, 0.1)), **(ASKED | options))
