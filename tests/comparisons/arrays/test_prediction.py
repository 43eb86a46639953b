"""Ranks on items that nobody has seen: definitions tried out, and a law that holds for every table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.comparisons.arrays.prediction import next_value, ranks_on_items
from tests import asked

VALUES = st.lists(st.integers(1, 12), min_size=1, max_size=45).map(np.array)
HALVES = np.arange(2, 25) / 2


@given(VALUES, st.sampled_from([0.025, 0.05, 0.1, 0.5]))
def test_next_value_by_trying_every_one(seen, alpha):
    possible = []
    for value in HALVES:
        every = np.append(seen, value)
        distances = np.abs(every - np.median(every))
        if (distances >= distances[-1] - 1e-9).mean() > alpha * (1 + 1e-12):
            possible.append(value)
    assert next_value(seen, HALVES, alpha) == (min(possible), max(possible))


@given(VALUES.filter(lambda values: len(values) > 1), st.sampled_from([0.05, 0.1, 0.3]))
def test_of_all_values_left_out_no_more_than_alpha_are_missed(values, alpha):
    """Exact for every list, whatever it is a sample of: each value in turn is predicted from all others."""
    missed = 0
    for place, value in enumerate(values):
        low, high = next_value(np.delete(values, place), HALVES, alpha)
        missed += not low <= value <= high
    assert missed <= alpha * len(values)


def test_ranks_of_one_objective_are_those_of_scipy():
    costs = np.random.default_rng(0).integers(0, 4, size=(20, 7, 1)).astype(float)
    expected = pd.DataFrame(costs[:, :, 0]).rank(axis=1).to_numpy()
    assert ranks_on_items(costs, np.ones(1), np.inf).tolist() == expected.tolist()


@pytest.mark.parametrize("p", [1, 2, "inf"])
def test_ranks_of_two_objectives_are_those_of_copa_on_each_item(p):
    costs = np.random.default_rng(1).normal(size=(10, 6, 2))
    ranks = ranks_on_items(costs, np.array([0.3, 0.7]), float(p))
    for values, row in zip(costs, ranks, strict=True):
        frame = pd.DataFrame(values, columns=["a", "b"])
        chosen = asked.copa(frame, objectives={"a": "min", "b": "min"}, p=p, weights={"a": 0.3, "b": 0.7})
        assert row.tolist() == chosen.scores.round(12).rank().tolist()
