import itertools

import numpy as np
import pytest
from hypothesis import given

from copa_nb.pareto.arrays import hypervolume as core
from copa_nb.pareto.arrays.hypervolume import hypervolume
from tests.strategies import SMALL, values


def _by_inclusion_exclusion(points, reference):
    inside = [p for p in points if all(a < b for a, b in zip(p, reference, strict=True))]
    total = 0.0
    for size in range(1, len(inside) + 1):
        for chosen in itertools.combinations(inside, size):
            corner = np.max(chosen, axis=0)
            total += (-1) ** (size + 1) * float(np.prod(np.asarray(reference) - corner))
    return total


@given(values(elements=SMALL, max_rows=6, max_columns=4))
def test_hypervolume_is_the_volume_of_the_union(points):
    reference = np.full(points.shape[1], 2.5)
    found = hypervolume(points, reference)
    assert found.exact
    assert found.value == pytest.approx(_by_inclusion_exclusion(points.tolist(), reference), abs=1e-9)


def test_dominated_points_add_nothing():
    points = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]])
    assert hypervolume(points, np.array([4.0, 4.0])).value == 9.5


def test_points_beyond_the_reference_add_nothing():
    assert hypervolume(np.array([[5.0, 0.0]]), np.array([4.0, 4.0])).value == 0.0
    assert hypervolume(np.array([[4.0, 0.0]]), np.array([4.0, 4.0])).value == 0.0


def test_beyond_the_stated_cost_it_is_approximated_and_says_so(monkeypatch):
    points = np.random.default_rng(0).dirichlet(np.ones(4), size=60)
    exact = hypervolume(points, np.ones(4))
    monkeypatch.setattr(core, "EXACT_STEPS", 10)
    approximate = hypervolume(points, np.ones(4))
    assert exact.exact
    assert not approximate.exact
    assert "approximation" in approximate.method
    assert approximate.value == pytest.approx(exact.value, rel=0.02)
    assert approximate.value == hypervolume(points, np.ones(4)).value


def test_the_cost_of_exact_values_grows_with_points_and_objectives():
    assert core.exact_steps(100, 2) == pytest.approx(100)
    assert core.exact_steps(100, 8) == pytest.approx(100**4)
    assert core.EXACT_STEPS < core.exact_steps(10**6, 300) < np.inf


def test_as_many_objectives_as_moocore_takes():
    cube = np.vstack([np.zeros((1, 31)), np.full((1, 31), 0.5)])
    assert hypervolume(cube, np.ones(31)).value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="32 objectives cannot be computed, only up to 31"):
        hypervolume(np.zeros((2, 32)), np.ones(32))
