"""Fronts found by blocks of rows are those of the definition, however the rows are cut up."""

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays import block_front
from copa_nb.pareto.arrays.block_front import front_by_blocks
from tests import definitions
from tests.strategies import FINE, SMALL, WITH_INFINITIES, values

KEEP = st.sampled_from(["all", "first"])
ELEMENTS = st.sampled_from([SMALL, FINE, WITH_INFINITIES])


@given(ELEMENTS.flatmap(lambda e: values(elements=e, max_columns=6, max_rows=60)), KEEP)
def test_front_is_the_definition(array, keep):
    found = front_by_blocks(np.ascontiguousarray(array.T), keep)
    np.testing.assert_array_equal(found, definitions.front(array, keep))


@given(
    values(elements=SMALL, max_columns=5, max_rows=60), KEEP, st.sampled_from([1, 3, 64]), st.sampled_from([1, 2, 64]),
    st.sampled_from([1, 5, 256]), st.booleans(),
)  # fmt: skip
def test_the_cut_changes_nothing(array, keep, lanes, blocks_at_once, levels, wide):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_front, "_LANES", lanes)
        patch.setattr(block_front, "_BLOCKS_AT_ONCE", blocks_at_once)
        patch.setattr(block_front, "_LEVELS", levels)
        if wide:
            patch.setattr(block_front, "_LARGEST_SMALL_SUM", 0)
        found = front_by_blocks(np.ascontiguousarray(array.T), keep)
    np.testing.assert_array_equal(found, definitions.front(array, keep))


@pytest.mark.parametrize("keep", ["all", "first"])
@pytest.mark.parametrize("kind", ["uniform", "front", "nearly", "ties", "equal", "correlated", "infinite"])
@pytest.mark.parametrize("k", [4, 7, 20, 80])
def test_fronts_of_whole_tables_are_those_of_another_library(kind, k, keep):
    rng = np.random.default_rng(k)
    array = rng.random((3000, k))
    if kind == "front":
        array /= array.sum(axis=1, keepdims=True)
    elif kind == "nearly":
        array /= array.sum(axis=1, keepdims=True) * (1.0 + 0.02 * rng.random((3000, 1)))
    elif kind == "ties":
        array = np.floor(array * 4)
    elif kind == "equal":
        array[:] = array[0]
    elif kind == "correlated":
        array = 0.3 * array + rng.random((3000, 1))
    elif kind == "infinite":
        array[rng.random(array.shape) < 0.1] = np.inf
        array[rng.random(array.shape) < 0.01] = -np.inf
    # The other library is asked about ranks: it cannot take infinite values.
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in array.T]).astype(float)
    expected = moocore.is_nondominated(ranks, keep_weakly=keep == "all")
    np.testing.assert_array_equal(front_by_blocks(np.ascontiguousarray(array.T), keep), expected)


def test_more_rows_to_a_block_change_nothing(monkeypatch):
    array = np.random.default_rng(0).dirichlet(np.ones(5), 2000)
    array[::3] += 0.01
    narrow = front_by_blocks(np.ascontiguousarray(array.T), "all")
    monkeypatch.setattr(block_front, "_ROWS_WORTH_MORE", 1)
    np.testing.assert_array_equal(front_by_blocks(np.ascontiguousarray(array.T), "all"), narrow)


def test_threads_change_nothing(monkeypatch):
    from copa_nb import slices

    columns = np.random.default_rng(0).random((5, 5000))
    alone = front_by_blocks(columns, "first")
    monkeypatch.setattr(slices, "_WORTH_THREADS", 1)
    monkeypatch.setattr(slices, "processors", lambda: 3)
    np.testing.assert_array_equal(front_by_blocks(columns, "first"), alone)
