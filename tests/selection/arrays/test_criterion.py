import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.selection.arrays.criterion import order, tie_key, weighted_norm, winners
from copa_nb.selection.arrays.ranks import empirical_cdf, strictly_better
from tests.strategies import values, weights

ORDERS = st.sampled_from([1.0, 1.5, 2.0, 4.0, 8.0, 200.0, math.inf])


def _norm(u, w, p):
    terms = [a * b for a, b in zip(u, w, strict=True)]
    return max(terms) if math.isinf(p) else sum(term**p for term in terms) ** (1 / p)


@given(values(min_columns=2), ORDERS, st.data())
def test_norm_is_the_definition(array, p, data):
    u = empirical_cdf(array)
    w = np.array(data.draw(weights(array.shape[1])))
    w /= w.sum()
    if p > 20 and not math.isinf(p):
        return  # The plain formula underflows there; bounded below instead.
    np.testing.assert_allclose(weighted_norm(u, w, p), [_norm(row, w, p) for row in u], rtol=1e-12, atol=1e-15)


def test_high_orders_do_not_underflow():
    u = np.array([[1e-3, 2e-3], [0.0, 0.0], [0.5, 0.25]])
    norms = weighted_norm(u, np.array([0.5, 0.5]), 500.0)
    np.testing.assert_allclose(norms, [1e-3, 0.0, 0.25], rtol=5e-3)


@given(values(min_columns=2), ORDERS, st.data())
def test_winners_are_pareto_optimal(array, p, data):
    w = np.array(data.draw(weights(array.shape[1])))
    w /= w.sum()
    sums = strictly_better(array, array).sum(axis=1)
    for normalized in (empirical_cdf(array), array - array.min(axis=0)):
        chosen = winners(normalized, w, p, sums)
        assert nondominated(array)[chosen].all()


@given(values(min_columns=2), ORDERS, st.data())
def test_winners_lead_the_order(array, p, data):
    w = np.array(data.draw(weights(array.shape[1])))
    w /= w.sum()
    u, sums = empirical_cdf(array), strictly_better(array, array).sum(axis=1)
    _, ranks, positions = order(u, w, p, sums)
    assert np.flatnonzero(ranks == 1).tolist() == winners(u, w, p, sums).tolist()
    assert (np.diff(ranks[positions]) >= 0).all()
    assert sorted(positions.tolist()) == list(range(len(array)))


@given(values(min_columns=2), ORDERS, st.data())
def test_order_respects_dominance(array, p, data):
    w = np.array(data.draw(weights(array.shape[1])))
    w /= w.sum()
    u, sums = empirical_cdf(array), strictly_better(array, array).sum(axis=1)
    _, ranks, _ = order(u, w, p, sums)
    for i, y in enumerate(array):
        for j, z in enumerate(array):
            if (y <= z).all() and (y < z).any():
                assert ranks[i] < ranks[j]


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=20))
def test_tie_key_keeps_the_order(numbers):
    keys = tie_key(np.sort(np.array(numbers)))
    assert (np.diff(keys) >= 0).all()


def test_sums_that_differ_in_the_last_digits_tie():
    u = np.array([[0.1, 0.2, 0.0], [0.2, 0.1, 0.0], [0.15, 0.15, 0.0], [0.3, 0.0, 0.0]])
    even = np.full(3, 1 / 3)
    assert winners(u, even, 1.0, np.zeros(4, dtype=int)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("p", [2.0, 200.0])
def test_an_infinite_value_settles_its_row_whatever_the_power_of_the_others(p):
    u = np.array([[np.inf, 1e200], [np.inf, 0.0], [3.0, 0.0]])
    assert weighted_norm(u, np.array([0.5, 0.5]), p).tolist() == [np.inf, np.inf, 1.5]


def test_a_zero_weight_hides_even_infinity():
    u = np.array([[np.inf, 1.0], [0.0, 2.0]])
    assert weighted_norm(u, np.array([0.0, 1.0]), 2.0).tolist() == [1.0, 2.0]


def test_negative_values_need_a_signed_norm():
    u = np.array([[-0.5, 0.2], [0.1, 0.1]])
    even = np.array([0.5, 0.5])
    assert weighted_norm(u, even, 1.0).tolist() == pytest.approx([-0.15, 0.1])
    assert weighted_norm(u, even, math.inf).tolist() == pytest.approx([0.1, 0.05])
    with pytest.raises(ValueError, match="`p` is 2, but some objectives are better than the reference"):
        weighted_norm(u, even, 2.0)
