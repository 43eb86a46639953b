import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays.dominance import dominates, layers, nondominated
from tests import definitions
from tests.strategies import WITH_INFINITIES, values


@given(st.one_of(values(max_columns=5), values(elements=WITH_INFINITIES)), st.sampled_from(["all", "first"]))
def test_front_is_the_definition(array, keep):
    np.testing.assert_array_equal(nondominated(array, keep=keep), definitions.front(array, keep))


@given(values(elements=WITH_INFINITIES))
def test_layers_peel_fronts(array):
    numbers, remaining, layer = layers(array), np.ones(len(array), dtype=bool), 1
    while remaining.any():
        rows = np.flatnonzero(remaining)
        front = rows[definitions.front(array[rows])]
        assert (numbers[front] == layer).all()
        remaining[front] = False
        layer += 1
    assert numbers.max() == layer - 1


@given(values(max_rows=6))
def test_dominates_is_the_definition(array):
    found = dominates(array, array)
    assert found.tolist() == [[(y <= z).all() and (y < z).any() for z in array] for y in array]


@pytest.mark.parametrize("infinite", [False, True])
def test_more_columns_than_moocore_counts(infinite):
    # Rows differ in a few of 300 columns only, so that some of them are equal and some dominate others.
    rng = np.random.default_rng(3)
    array = np.repeat(rng.integers(0, 2, size=(12, 3)), 100, axis=1).astype(float)
    if infinite:
        array[array == 1] = np.inf
    front = definitions.front(array)
    assert 1 < front.sum() < len(np.unique(array, axis=0)) < len(array)
    np.testing.assert_array_equal(nondominated(array), front)
    np.testing.assert_array_equal(nondominated(array, keep="first"), definitions.front(array, "first"))
    assert layers(array).tolist() == layers(array[:, ::100]).tolist()
    assert layers(array).max() > 2
