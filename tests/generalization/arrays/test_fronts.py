"""Fronts of the generalisation gap against brute force and a direct transcription of equations 1 and 2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.generalization.arrays import fronts as gen
from tests import definitions


def dominates(a, b):
    return bool((a <= b).all() and (a < b).any())


VALUES = st.sampled_from([-np.inf, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 3.0, np.inf])


@st.composite
def tables(draw, values=VALUES, most=14):
    k = draw(st.integers(1, 5))
    n = draw(st.integers(1, most))
    rows = st.lists(st.lists(values, min_size=k, max_size=k), min_size=n, max_size=n)
    return np.array(draw(rows)), np.array(draw(rows))


def check(validation, test, keep):
    found = gen.fronts(validation, test, keep=keep)
    chosen = definitions.front(validation, keep)
    assert found.validation.tolist() == chosen.tolist()
    assert found.hypothetical.tolist() == definitions.front(test, keep).tolist()
    # A row dominates no other where none dominates it once gains and costs change places.
    for mask, costs in ((found.optimistic, test), (found.pessimistic, -test)):
        assert mask[chosen].tolist() == definitions.front(costs[chosen], keep).tolist()
        assert not mask[~chosen].any()


@given(tables(), st.sampled_from(["all", "first"]))
def test_fronts_match_brute_force_with_ties_and_infinities(pair, keep):
    check(*pair, keep)


@pytest.mark.parametrize("keep", ["all", "first"])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_fronts_match_brute_force_on_larger_random_tables(k, keep):
    rng = np.random.default_rng(k)
    for _ in range(10):
        validation, test = rng.integers(0, 6, size=(2, 40, k)).astype(float)
        test[rng.random(test.shape) < 0.05] = np.inf
        check(validation, test, keep)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_distinct_points_match_the_equations_as_sets(k):
    rng = np.random.default_rng(100 + k)
    validation, test = rng.random((30, k)), rng.random((30, k))
    rows = range(30)
    p_val = {i for i in rows if not any(dominates(validation[j], validation[i]) for j in rows)}
    equation_1 = {i for i in p_val if not any(dominates(test[j], test[i]) for j in p_val)}
    equation_2 = {i for i in p_val if not any(dominates(test[i], test[j]) for j in p_val)}
    found = gen.fronts(validation, test)
    assert set(np.flatnonzero(found.validation)) == p_val
    assert set(np.flatnonzero(found.optimistic)) == equation_1
    assert set(np.flatnonzero(found.pessimistic)) == equation_2


@given(tables(most=10))
def test_dominators_swaps_and_counts_match_brute_force(pair):
    before, after = pair
    front = definitions.front(after)
    for row, named in zip(after, gen.first_dominator(after), strict=True):
        above = [j for j in np.flatnonzero(front) if dominates(after[j], row)]
        assert named == (above[0] if above else -1)
    assert list(gen.count_dominated(after)) == [sum(dominates(p, q) for q in after) for p in after]
    swaps = gen.count_swaps(before, after)
    for i, k in np.ndindex(before.shape):
        expected = sum(
            (before[i, k] < before[j, k] and after[i, k] > after[j, k])
            or (before[i, k] > before[j, k] and after[i, k] < after[j, k])
            for j in range(len(before))
        )
        assert swaps[i, k] == expected


@given(tables(), st.sampled_from(["all", "first"]))
def test_prefix_fronts_equal_the_front_of_every_prefix(pair, keep):
    values, _ = pair
    changes = {n: list(rows) for n, rows in gen.prefix_fronts(values, keep=keep)}
    current = None
    for n in range(1, len(values) + 1):
        current = changes.get(n, current)
        assert current == np.flatnonzero(definitions.front(values[:n], keep)).tolist()


@given(tables(most=8))
def test_weak_dominance_of_sets_matches_brute_force(pair):
    first, second = pair
    expected = all(any((a <= b).all() for a in first) for b in second)
    assert gen.weakly_dominates(first, second) is expected


def test_tables_of_pairs_in_blocks_equal_those_in_one_piece(monkeypatch):
    rng = np.random.default_rng(0)
    before, after = rng.integers(0, 5, (50, 3)).astype(float), rng.integers(0, 5, (50, 3)).astype(float)
    whole = gen.count_swaps(before, after), gen.first_dominator(after), gen.count_dominated(after)
    monkeypatch.setattr(gen, "_PAIRS_AT_ONCE", 1000)
    pieces = gen.count_swaps(before, after), gen.first_dominator(after), gen.count_dominated(after)
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)


def test_keep_first_holds_for_rows_that_become_equal_on_test():
    validation, test = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])
    check(validation, test, "first")
    check(validation, test, "all")
