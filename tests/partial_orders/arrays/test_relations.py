"""Partial orders of the same items, against definitions written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from copa_nb.arrays import orders
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
        assert orders.is_partial_order(relation)
        assert orders.is_preorder(relation | same)


@pytest.mark.parametrize(("n", "n_posets", "n_preorders"), [(1, 1, 1), (2, 3, 4), (3, 19, 29), (4, 219, 355)])
def test_number_of_relations_is_known(n, n_posets, n_preorders):
    assert sum(1 for _ in posets.all_relations(n)) == n_posets
    assert sum(1 for _ in posets.all_relations(n, ties=True)) == n_preorders


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
