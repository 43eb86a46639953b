import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays.dominance import contenders, nondominated
from copa_nb.ranking.arrays import criterion
from copa_nb.ranking.arrays.criterion import best_to_worst, tie_key, weighted_norm, winners, winners_along
from copa_nb.ranking.arrays.ranks import empirical_cdf, strictly_better
from tests.strategies import values, weights

ORDERS = st.sampled_from([1.0, 1.5, 2.0, 4.0, 8.0, 200.0, math.inf])


def order(u, w, p, sums):
    """Scores, ranks by row, and rows from best to worst."""
    scores, positions, in_order = best_to_worst(u, w, p, sums)
    ranks = np.empty_like(in_order)
    ranks[positions] = in_order
    return scores, ranks, positions


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


ORDERS = st.sampled_from([1.0, 1.5, 2.0, 8.0, 40.0, 900.0, math.inf])


@given(array=values(min_columns=2, max_rows=40), p=ORDERS, data=st.data())
def test_winners_along_are_the_winners_at_each_step(array, p, data):
    vectors = np.array(data.draw(st.lists(weights(array.shape[1]), min_size=1, max_size=4)))
    vectors /= vectors.sum(axis=1, keepdims=True)
    sums = strictly_better(array, array).sum(axis=1)
    for normalized in (empirical_cdf(array), array - array.min(axis=0), array):
        if (normalized < 0).any() and p not in (1.0, math.inf):
            continue
        chosen = winners_along(normalized, vectors, p, sums)
        assert chosen.tolist() == [winners(normalized, vector, p, sums)[0] for vector in vectors]


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, 64.0, math.inf])
@pytest.mark.parametrize("ties", [False, True])
def test_a_large_table_is_swept_as_a_small_one(p, ties):
    rng = np.random.default_rng(5)
    array = rng.random((6000, 4))
    array = np.floor(array * 20) if ties else array
    u, sums = empirical_cdf(array), strictly_better(array, array).sum(axis=1)
    alphas = np.linspace(0, 1, 11)
    vectors = np.column_stack([alphas, *[(1 - alphas) / 3] * 3])
    chosen = winners_along(u, vectors, p, sums)
    assert chosen.tolist() == [winners(u, vector, p, sums)[0] for vector in vectors]


@pytest.mark.parametrize("p", [1.0, 2.0, 16.0, 64.0, math.inf])
def test_few_rows_are_left_to_be_judged_exactly(p):
    u = np.random.default_rng(8).random((3000, 3))
    vectors = np.array([[0.2, 0.3, 0.5], [0.0, 0.5, 0.5], [0.6, 0.2, 0.2]])
    chosen = np.full(3, -1)
    close = dict(criterion._close_calls(u, vectors, p, chosen))
    for step, vector in enumerate(vectors):
        near = close.get(step, chosen[[step]])
        norms = weighted_norm(u, vector, p)
        # The largest term stands for orders above 16: at p = 64, k^(1/p) leaves 2%.
        expected = np.flatnonzero(norms <= norms.min() * (1 + 1e-10))
        assert set(expected) <= set(near)
        assert norms[near].max() <= norms.min() * (3 ** (2 / 64) if p == 64 else 1 + 1e-8)


@pytest.mark.parametrize("value", [-1.0, np.inf])
@pytest.mark.parametrize("p", [1.0, np.inf])
def test_all_rows_are_judged_exactly_where_quick_sums_would_mislead(value, p, monkeypatch):
    monkeypatch.setattr(criterion, "_close_calls", None)
    u, sums = np.array([[0.5, 2.0], [1.0, 1.0], [3.0, value]]), np.array([2, 2, 4])
    vectors = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    assert winners_along(u, vectors, p, sums).tolist() == [winners(u, one, p, sums)[0] for one in vectors]


def test_rows_that_tie_are_decided_by_the_third_key_in_pieces(monkeypatch):
    monkeypatch.setattr(criterion, "_CHUNK_ELEMENTS", 7)
    vectors = np.full((5, 2), 0.5)
    assert winners_along(np.zeros((4, 2)), vectors, 2.0, np.array([3, 1, 2, 1])).tolist() == [1] * 5


def test_long_runs_of_ties_are_sorted_too():
    rng = np.random.default_rng(0)
    u = np.floor(rng.random((3000, 2)) * 3) / 3
    sums = rng.integers(0, 4, 3000)
    w = np.array([0.5, 0.5])
    plain = order(u, w, math.inf, sums)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(criterion, "compiled_pays", lambda n_rows: True)
        for one, other in zip(plain, order(u, w, math.inf, sums), strict=True):
            np.testing.assert_array_equal(one, other)


@given(st.lists(st.floats(allow_nan=False, allow_subnormal=False), min_size=1, max_size=20))
def test_tie_key_rounds_to_forty_digits_half_to_even(numbers):
    array = np.array(numbers)
    mantissa, exponent = np.frexp(array)
    with np.errstate(over="ignore"):
        expected = np.ldexp(np.rint(np.ldexp(mantissa, 40)), exponent - 40)
    np.testing.assert_array_equal(tie_key(array), expected)


def test_norms_in_blocks_are_those_of_the_whole(monkeypatch):
    u = np.random.default_rng(1).random((1000, 3))
    w = np.array([0.2, 0.3, 0.5])
    whole = weighted_norm(u, w, 3.0)
    monkeypatch.setattr(criterion, "_ROWS_AT_ONCE", 64)
    np.testing.assert_array_equal(weighted_norm(u, w, 3.0), whole)


@pytest.mark.parametrize("kind", ["uniform", "front"])
def test_contenders_hold_the_whole_front(kind, monkeypatch):
    array = np.random.default_rng(2).random((2000, 4))
    if kind == "front":
        array /= array.sum(axis=1, keepdims=True)
    front = np.flatnonzero(nondominated(array))
    monkeypatch.setattr("copa_nb.pareto.arrays.dominance.compiled_pays", lambda n_rows: True)
    rows = contenders(array)
    assert (len(rows) < len(array)) == (kind == "uniform")
    np.testing.assert_array_equal(rows[nondominated(array[rows])], front)
