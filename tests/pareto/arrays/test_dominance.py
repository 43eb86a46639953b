import numpy as np
import pytest
from hypothesis import given

from copa_nb.pareto.arrays.dominance import dominates, layers, nondominated
from tests.strategies import WITH_INFINITIES, values


def _dominates(y, z):
    return all(a <= b for a, b in zip(y, z, strict=True)) and any(a < b for a, b in zip(y, z, strict=True))


def _front(rows):
    return [not any(_dominates(other, row) for other in rows) for row in rows]


@given(values(max_columns=5))
def test_front_is_the_definition(array):
    assert nondominated(array).tolist() == _front(array.tolist())


@given(values(elements=WITH_INFINITIES))
def test_front_with_infinite_values_is_the_definition(array):
    assert nondominated(array).tolist() == _front(array.tolist())


@given(values())
def test_keep_first_drops_later_duplicates_only(array):
    kept = nondominated(array, keep="first")
    rows, seen, expected = array.tolist(), [], []
    for row, on_front in zip(rows, _front(rows), strict=True):
        expected.append(on_front and row not in seen)
        seen.append(row)
    assert kept.tolist() == expected


@given(values())
def test_front_is_idempotent(array):
    assert nondominated(array[nondominated(array)]).all()


@given(values(elements=WITH_INFINITIES))
def test_layers_peel_fronts(array):
    numbers, remaining, layer = layers(array), np.ones(len(array), dtype=bool), 1
    while remaining.any():
        rows = np.flatnonzero(remaining)
        front = rows[_front(array[rows].tolist())]
        assert (numbers[front] == layer).all()
        remaining[front] = False
        layer += 1
    assert numbers.max() == layer - 1


@given(values(max_rows=6))
def test_dominates_is_the_definition(array):
    found = dominates(array, array)
    assert found.tolist() == [[_dominates(y, z) for z in array] for y in array]


@pytest.mark.parametrize("keep", ["all", "first"])
def test_one_objective(keep):
    mask = nondominated(np.array([[2.0], [1.0], [1.0]]), keep=keep)
    assert mask.tolist() == [False, True, keep == "all"]


@pytest.mark.parametrize("infinite", [False, True])
def test_more_columns_than_moocore_counts(infinite):
    # Rows differ in a few of 300 columns only, so that some of them are equal and some dominate others.
    rng = np.random.default_rng(3)
    array = np.repeat(rng.integers(0, 2, size=(12, 3)), 100, axis=1).astype(float)
    if infinite:
        array[array == 1] = np.inf
    front = np.array(_front(array.tolist()))
    assert 1 < front.sum() < len(np.unique(array, axis=0)) < len(array)
    assert nondominated(array).tolist() == front.tolist()
    first = [not any((array[:i] == row).all(axis=1)) for i, row in enumerate(array)]
    assert nondominated(array, keep="first").tolist() == (front & first).tolist()
    assert layers(array).tolist() == layers(array[:, ::100]).tolist()
    assert layers(array).max() > 2
