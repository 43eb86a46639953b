"""One order as a matrix, against definitions written out."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from copa_nb.arrays import orders
from copa_nb.partial_orders.arrays.relations import all_relations


def test_reduction_is_the_smallest_relation_with_the_same_closure():
    for relation in all_relations(4):
        reduced = orders.transitive_reduction(relation)
        assert (orders.transitive_closure(reduced) == relation).all()
        for i, j in np.argwhere(reduced):
            fewer = reduced.copy()
            fewer[i, j] = False
            assert (orders.transitive_closure(fewer) != relation).any()


@given(hnp.arrays(bool, (5, 5)))
def test_closure_is_reachability(relation):
    np.fill_diagonal(relation, False)
    closed = orders.transitive_closure(relation)
    reachable, power = relation.copy(), relation.copy()
    for _ in range(5):
        power = (power.astype(int) @ relation.astype(int)) > 0
        reachable |= power
    np.fill_diagonal(reachable, False)
    assert (closed == reachable).all()
    assert orders.is_preorder(closed)


def test_levels_count_the_longest_chain_above():
    for relation in all_relations(4):
        levels = orders.depths_from_top(relation)
        for item in range(4):
            longest = max(
                len(chain)
                for length in range(4)
                for chain in itertools.permutations(range(4), length)
                if all(relation[a, b] for a, b in itertools.pairwise((*chain, item)))
            )
            assert levels[item] == longest


def test_classes_of_indifference_partition_the_items():
    for relation in all_relations(4, ties=True):
        classes = orders.indifference_classes(relation)
        assert sorted(item for group in classes for item in group) == [0, 1, 2, 3]
        for group, other in itertools.product(classes, repeat=2):
            for i, j in itertools.product(group, other):
                mutual = i == j or (relation[i, j] and relation[j, i])
                assert mutual == (group is other)


def test_width_and_number_of_total_orders_are_those_of_enumeration():
    for relation in all_relations(4):
        free = [
            len(chosen)
            for size in range(1, 5)
            for chosen in itertools.combinations(range(4), size)
            if not relation[np.ix_(chosen, chosen)].any()
        ]
        assert orders.width(relation) == max(free)
        allowed = sum(
            not any(relation[below, above] for above, below in itertools.combinations(one, 2))
            for one in itertools.permutations(range(4))
        )
        bits, error = orders.log2_linear_extensions(relation, np.random.default_rng(0))
        assert (bits, error) == (pytest.approx(np.log2(allowed)), 0.0)


def two_dimensional(n, rng):
    """A random order: an item is above those that it exceeds in both coordinates."""
    places = rng.random((n, 2))
    return (places[:, None] > places).all(axis=2)


def test_sampled_numbers_of_total_orders_are_those_of_counting(monkeypatch):
    rng = np.random.default_rng(1)
    for _ in range(5):
        relation = two_dimensional(15, rng)
        exact, none = orders.log2_linear_extensions(relation, rng)
        with monkeypatch.context() as patch:
            patch.setattr(orders, "_MOST_STARTS", 1)
            sampled, error = orders.log2_linear_extensions(relation, rng)
        assert none == 0 < error < 0.3
        assert sampled == pytest.approx(exact, abs=max(4 * error, 0.2))


def test_forests_have_as_many_total_orders_as_the_hook_formula_says():
    # 40 chains of three: 120! / 6**40; far too many sets to count them.
    relation = np.kron(np.eye(40), np.triu(np.ones((3, 3)), 1)).astype(bool)
    expected = (math.lgamma(121) - 40 * math.log(6)) / math.log(2)
    bits, error = orders.log2_linear_extensions(relation, np.random.default_rng(0))
    assert bits == pytest.approx(expected, abs=1e-6)
    assert error == pytest.approx(0, abs=1e-6)
