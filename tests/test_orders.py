"""One order as a matrix, against definitions written out."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis.extra import numpy as hnp

from copa_nb import orders
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
