"""Fronts of the generalisation gap against brute force and a direct transcription of equations 1 and 2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.generalization.arrays import fronts as gen
from copa_nb.pareto.arrays.hypervolume import hypervolume


def brute_dominates(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True))


def brute_front(points, keep="all"):
    on = [not any(brute_dominates(q, p) for q in points) for p in points]
    return _first_only(points, on) if keep == "first" else on


def brute_pessimistic(points, keep="all"):
    on = [not any(brute_dominates(p, q) for q in points) for p in points]
    return _first_only(points, on) if keep == "first" else on


def _first_only(points, on):
    seen = set()
    result = []
    for point, kept in zip(points, on, strict=True):
        result.append(kept and point not in seen)
        seen.add(point)
    return result


def brute(validation, test, keep="all"):
    chosen = brute_front(validation, keep)
    rows = [i for i, c in enumerate(chosen) if c]
    masks = []
    for rule in (brute_front, brute_pessimistic):
        mask = [False] * len(test)
        for i, on in zip(rows, rule([test[i] for i in rows], keep), strict=True):
            mask[i] = on
        masks.append(mask)
    return chosen, masks[0], masks[1], brute_front(test, keep)


def as_masks(found):
    return tuple(list(m) for m in (found.validation, found.optimistic, found.pessimistic, found.hypothetical))


def tuples(values):
    return [tuple(row) for row in values]


VALUES = st.sampled_from([-np.inf, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, 3.0, np.inf])


@st.composite
def tables(draw, values=VALUES, most=14):
    k = draw(st.integers(1, 5))
    n = draw(st.integers(1, most))
    rows = st.lists(st.lists(values, min_size=k, max_size=k), min_size=n, max_size=n)
    return np.array(draw(rows)), np.array(draw(rows))


@given(tables(), st.sampled_from(["all", "first"]))
def test_fronts_match_brute_force_with_ties_and_infinities(pair, keep):
    validation, test = pair
    assert as_masks(gen.fronts(validation, test, keep=keep)) == brute(tuples(validation), tuples(test), keep)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_fronts_match_brute_force_on_larger_random_tables(k):
    rng = np.random.default_rng(k)
    for _ in range(10):
        validation = rng.integers(0, 6, size=(40, k)).astype(float)
        test = np.where(rng.random((40, k)) < 0.05, np.inf, rng.integers(0, 6, size=(40, k)))
        for keep in ("all", "first"):
            assert as_masks(gen.fronts(validation, test, keep=keep)) == brute(tuples(validation), tuples(test), keep)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_distinct_points_match_the_equations_as_sets(k):
    rng = np.random.default_rng(100 + k)
    validation, test = rng.random((30, k)), rng.random((30, k))
    rows = range(30)

    def below(f, i, j):
        return bool((f[i] <= f[j]).all() and (f[i] < f[j]).any())

    p_val = {i for i in rows if not any(below(validation, j, i) for j in rows)}
    equation_1 = {i for i in p_val if not any(below(test, j, i) for j in p_val)}
    equation_2 = {i for i in p_val if not any(below(test, i, j) for j in p_val)}
    found = gen.fronts(validation, test)
    assert set(np.flatnonzero(found.validation)) == p_val
    assert set(np.flatnonzero(found.optimistic)) == equation_1
    assert set(np.flatnonzero(found.pessimistic)) == equation_2


@given(tables(st.integers(0, 4).map(float)))
def test_pessimistic_hypervolume_never_exceeds_optimistic_and_gap_tells_domination(pair):
    validation, test = pair
    found = gen.fronts(validation, test)
    reference = np.full(test.shape[1], 5.0)
    high = hypervolume(test[found.optimistic], reference).value
    low = hypervolume(test[found.pessimistic], reference).value
    rows = tuples(test[found.validation])
    someone_dominated = any(brute_dominates(p, q) for p in rows for q in rows)
    assert low <= high
    assert (high > low) == someone_dominated


@given(tables(most=10))
def test_dominators_swaps_and_counts_match_brute_force(pair):
    before, after = pair
    rows = tuples(after)
    front = brute_front(rows)
    for i, named in enumerate(gen.first_dominator(after)):
        above = [j for j in range(len(rows)) if front[j] and brute_dominates(rows[j], rows[i])]
        assert named == (above[0] if above else -1)
    assert list(gen.count_dominated(after)) == [sum(brute_dominates(p, q) for q in rows) for p in rows]
    swaps = gen.count_swaps(before, after)
    for i in range(len(rows)):
        for k in range(before.shape[1]):
            expected = sum(
                (before[i, k] < before[j, k] and after[i, k] > after[j, k])
                or (before[i, k] > before[j, k] and after[i, k] < after[j, k])
                for j in range(len(rows))
            )
            assert swaps[i, k] == expected


@given(tables(), st.sampled_from(["all", "first"]))
def test_prefix_fronts_equal_the_front_of_every_prefix(pair, keep):
    values, _ = pair
    changes = {n: list(rows) for n, rows in gen.prefix_fronts(values, keep=keep)}
    current = None
    for n in range(1, len(values) + 1):
        current = changes.get(n, current)
        expected = [i for i, on in enumerate(brute_front(tuples(values[:n]), keep)) if on]
        assert current == expected


@given(tables(most=8))
def test_weak_dominance_of_sets_matches_brute_force(pair):
    first, second = pair
    expected = all(any(all(x <= y for x, y in zip(a, b, strict=True)) for a in first) for b in second)
    assert gen.weakly_dominates(first, second) is expected


def test_tables_of_pairs_in_blocks_equal_those_in_one_piece(monkeypatch):
    rng = np.random.default_rng(0)
    before, after = rng.integers(0, 5, (50, 3)).astype(float), rng.integers(0, 5, (50, 3)).astype(float)
    whole = gen.count_swaps(before, after), gen.first_dominator(after), gen.count_dominated(after)
    monkeypatch.setattr(gen, "_PAIRS_AT_ONCE", 1000)
    pieces = gen.count_swaps(before, after), gen.first_dominator(after), gen.count_dominated(after)
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)
    assert [len(range(50)[rows]) for rows in gen._blocks(50, 60)] == [16, 16, 16, 2]
    assert len(gen._blocks(50, 5000)) == 50


def test_one_row_is_every_front():
    found = gen.fronts(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]))
    assert as_masks(found) == ([True], [True], [True], [True])


def test_keep_first_holds_for_rows_that_become_equal_on_test():
    validation, test = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, 1.0], [1.0, 1.0]])
    assert as_masks(gen.fronts(validation, test, keep="first"))[1:] == ([True, False],) * 3
    assert as_masks(gen.fronts(validation, test))[1:] == ([True, True],) * 3
