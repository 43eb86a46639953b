"""Partial orders as matrices, against definitions written out."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from copa_nb.partial_orders.arrays import relations as posets

COSTS = hnp.arrays(
    float,
    st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 3)),
    elements=st.sampled_from([0.0, 1.0, 2.0, np.inf]),
)


@given(COSTS)
def test_relations_follow_the_definition(costs):
    above, equal = posets.relations_from_costs(costs)
    for g, i, j in np.ndindex(above.shape):
        first, second = costs[g, i], costs[g, j]
        assert above[g, i, j] == (all(first <= second) and any(first < second))
        assert equal[g, i, j] == (i != j and all(first == second))
    for relation, same in zip(above, equal, strict=True):
        assert posets.is_partial_order(relation)
        assert posets.is_preorder(relation | same)


@pytest.mark.parametrize(("n", "n_posets", "n_preorders"), [(1, 1, 1), (2, 3, 4), (3, 19, 29), (4, 219, 355)])
def test_number_of_relations_is_known(n, n_posets, n_preorders):
    assert sum(1 for _ in posets.all_relations(n)) == n_posets
    assert sum(1 for _ in posets.all_relations(n, ties=True)) == n_preorders


def test_reduction_is_the_smallest_relation_with_the_same_closure():
    for relation in posets.all_relations(4):
        reduced = posets.transitive_reduction(relation)
        assert (posets.transitive_closure(reduced) == relation).all()
        for i, j in np.argwhere(reduced):
            fewer = reduced.copy()
            fewer[i, j] = False
            assert (posets.transitive_closure(fewer) != relation).any()


@given(hnp.arrays(bool, (5, 5)))
def test_closure_is_reachability(relation):
    np.fill_diagonal(relation, False)
    closed = posets.transitive_closure(relation)
    reachable, power = relation.copy(), relation.copy()
    for _ in range(5):
        power = (power.astype(int) @ relation.astype(int)) > 0
        reachable |= power
    np.fill_diagonal(reachable, False)
    assert (closed == reachable).all()
    assert posets.is_preorder(closed)


def test_levels_count_the_longest_chain_above():
    for relation in posets.all_relations(4):
        levels = posets.depths_from_top(relation)
        for item in range(4):
            longest = max(
                len(chain)
                for length in range(4)
                for chain in itertools.permutations(range(4), length)
                if all(relation[a, b] for a, b in itertools.pairwise((*chain, item)))
            )
            assert levels[item] == longest


def test_classes_of_indifference_partition_the_items():
    for relation in posets.all_relations(4, ties=True):
        classes = posets.indifference_classes(relation)
        assert sorted(item for group in classes for item in group) == [0, 1, 2, 3]
        for group, other in itertools.product(classes, repeat=2):
            for i, j in itertools.product(group, other):
                mutual = i == j or (relation[i, j] and relation[j, i])
                assert mutual == (group is other)


@settings(max_examples=50)
@given(hnp.arrays(bool, (4, 4, 4), fill=st.nothing()), st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_distinct_relations_are_found_in_order(pool, chosen):
    relations = pool[chosen]
    first, which = posets.distinct_relations(relations)
    assert (np.diff(first) > 0).all()
    assert (relations[first][which] == relations).all()
    assert len({relation.tobytes() for relation in relations}) == len(first)


def test_every_relation_is_listed_for_few_items_only():
    with pytest.raises(ValueError, match="`n_items` is 5"):
        next(posets.all_relations(5))
