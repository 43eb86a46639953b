import itertools

import moocore
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.pareto.arrays import hypervolume as core
from copa_nb.pareto.arrays.hypervolume import (
    approximate,
    choose_measure,
    exact_is_affordable,
    hypervolume,
    set_hypervolumes,
    subset_hypervolumes,
)
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


@pytest.mark.parametrize(("n_objectives", "column"), [(k, column) for k in (3, 4) for column in range(k)])
def test_the_lowest_float_is_a_cost_like_any_other(n_objectives, column):
    # With three objectives, the library that measures exactly ends the process where it meets this value.
    points = np.array([np.arange(1.0, n_objectives + 1), np.arange(n_objectives, 0.0, -1)]) * 1e-90
    points[0, column] = -np.finfo(float).max
    reference = np.full(n_objectives, 9e-90)
    found = hypervolume(points, reference)
    assert found.exact
    assert found.value == pytest.approx(_by_inclusion_exclusion(points.tolist(), reference), rel=1e-12)


def test_beyond_the_stated_cost_it_is_approximated_and_says_so(monkeypatch):
    points = np.random.default_rng(0).dirichlet(np.ones(4), size=60)
    exact = hypervolume(points, np.ones(4))
    monkeypatch.setattr(core, "_EXACT_STEPS_UP_TO_FIVE", 10)
    approximated = hypervolume(points, np.ones(4))
    assert exact.exact
    assert not approximated.exact
    assert "approximated" in approximated.method
    assert approximated.value == pytest.approx(exact.value, rel=0.002)
    assert approximated.value == hypervolume(points, np.ones(4)).value


def test_exact_values_are_affordable_up_to_a_cost_that_grows_with_points_and_objectives():
    limits = [max(n for n in range(1, 400) if exact_is_affordable(n, k)) for k in (2, 5, 6, 7, 8, 10, 12, 31)]
    assert limits[:2] == [399, 399]
    assert limits == sorted(limits, reverse=True)
    assert exact_is_affordable(10**6, 2)
    assert not exact_is_affordable(10**6, 300)


def test_as_many_objectives_as_moocore_takes():
    cube = np.vstack([np.zeros((1, 31)), np.full((1, 31), 0.5)])
    assert hypervolume(cube, np.ones(31)).value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="can be computed for up to 31 objectives, not 32"):
        hypervolume(np.zeros((2, 32)), np.ones(32))


# --- many sets ------------------------------------------------------------------------------------------------


def measured(points, reference, members):
    return subset_hypervolumes(points, reference, members, choose_measure([points], reference))


def grid_volume(points, reference):
    """Count unit cells: the plainest definition, for points on an integer grid."""
    cells = np.stack(np.meshgrid(*[np.arange(r) for r in reference], indexing="ij"), axis=-1).reshape(
        -1, len(reference)
    )
    if len(points) == 0:
        return 0
    return int((points[None, :, :] <= cells[:, None, :]).all(axis=2).any(axis=1).sum())


def random_points(rng, n, k, kind):
    if kind == "uniform":
        return rng.random((n, k))
    if kind == "simplex":
        raw = rng.exponential(size=(n, k))
        return raw / raw.sum(axis=1, keepdims=True)
    return rng.integers(0, 4, (n, k)) / 4


@pytest.mark.parametrize("kind", ["uniform", "simplex", "ties"])
@pytest.mark.parametrize("n", [1, 7, 24, 70])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_subsets_equal_moocore(k, n, kind):
    rng = np.random.default_rng([k, n])
    points = random_points(rng, n, k, kind)
    members = rng.random((40, n)) < 0.5
    members[0] = False
    for reference in (np.full(k, 1.1), np.linspace(0.7, 1.2, k)):
        found = measured(points, reference, members)
        expected = [moocore.hypervolume(points[chosen], ref=reference) if chosen.any() else 0.0 for chosen in members]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_subsets_equal_counted_cells(k, n, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (n, k))
    reference = np.full(k, 4)
    members = rng.random((8, n)) < 0.6
    found = measured(points.astype(float), reference.astype(float), members)
    assert found.tolist() == [grid_volume(points[chosen], reference) for chosen in members]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [1, 2, 6])
def test_sets_equal_moocore(k, size):
    rng = np.random.default_rng([k, size])
    sets = rng.random((50, size, k)) * 1.3
    reference = np.linspace(0.9, 1.2, k)
    expected = [moocore.hypervolume(each, ref=reference) for each in sets]
    found = set_hypervolumes(sets, reference, choose_measure(sets, reference))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [3, 6, 9])
def test_approximation_is_close_named_and_blind_to_units(k):
    rng = np.random.default_rng(k)
    points, reference = rng.random((12, k)), np.full(k, 1.1)
    members = rng.random((20, 12)) < 0.7
    measure = choose_measure([points], reference, method="approximate")
    assert not measure.exact
    assert "approximated" in measure.name
    exact = subset_hypervolumes(points, reference, members, choose_measure([points], reference, method="exact"))
    found = subset_hypervolumes(points, reference, members, measure)
    np.testing.assert_allclose(found, exact, rtol=0.06)
    units = 10.0 ** np.arange(k)
    np.testing.assert_allclose(
        subset_hypervolumes(points * units, reference * units, members, measure), found * units.prod(), rtol=1e-9
    )
    sets = np.stack([points[:5], points[5:10]])
    both = np.array([[True] * 5 + [False] * 7, [False] * 5 + [True] * 5 + [False] * 2])
    np.testing.assert_allclose(
        set_hypervolumes(sets, reference, measure),
        subset_hypervolumes(points, reference, both, choose_measure(sets, reference, method="exact")),
        rtol=0.06,
    )


@pytest.mark.parametrize(("method", "k"), [("exact", 2), ("approximate", 4)])
def test_chunks_do_not_change_values(method, k, monkeypatch):
    rng = np.random.default_rng(0)
    points, reference = rng.random((10, k)), np.linspace(0.9, 1.2, k)
    members = rng.random((100, 10)) < 0.5
    measure = choose_measure([points], reference, method=method)
    whole = subset_hypervolumes(points, reference, members, measure)
    monkeypatch.setattr(core, "_CHUNK_CELLS", 35)
    np.testing.assert_allclose(subset_hypervolumes(points, reference, members, measure), whole, rtol=1e-14)


def test_another_seed_takes_other_directions():
    points, reference = np.random.default_rng(0).random((10, 4)), np.ones(4)
    one, again, other = (approximate(reference - points, seed=seed)[0] for seed in (0, 0, 1))
    assert one == again != other
    assert other == pytest.approx(one, rel=0.02)


@pytest.mark.parametrize(("n", "k"), [(60, 10), (18, 10), (130, 6), (126, 6), (60, 5)])
@pytest.mark.parametrize("rng", [0, 3])
def test_one_set_has_one_value_however_it_is_measured(n, k, rng):
    """As a set, as one of several sets, and as a subset next to others: alike exact, and the same number."""
    generator = np.random.default_rng([n, k])
    points, others = generator.dirichlet(np.ones(k), (2, n))
    reference = np.full(k, 1.1)
    alone = hypervolume(points, reference, rng=rng)
    measure = choose_measure([points, others / 2], reference, rng=rng)
    assert measure.exact == alone.exact == exact_is_affordable(n, k)
    if not alone.exact:
        assert alone.method in measure.name
        assert f"seed {rng}" in alone.method
    members = np.arange(2 * n)[None, :] < n
    subset = subset_hypervolumes(np.vstack([points, others / 2]), reference, members, measure)
    assert subset[0] == pytest.approx(alone.value, rel=1e-12)
    assert set_hypervolumes(points[None], reference, measure)[0] == pytest.approx(alone.value, rel=1e-12)


def test_the_largest_front_decides_not_the_number_of_rows():
    rng = np.random.default_rng(0)
    front = rng.dirichlet(np.ones(10), 15)
    dominated = np.vstack([front, front[:1] + rng.random((60, 10)) / 20])
    beyond = np.vstack([front, np.full((60, 10), 2.0)])
    many = rng.dirichlet(np.ones(10), 60)
    reference = np.full(10, 1.1)
    assert choose_measure([dominated, beyond], reference).exact
    assert hypervolume(dominated, reference).exact
    assert not choose_measure([dominated, many], reference).exact
    assert choose_measure([dominated, many], reference, method="exact").exact
    assert not choose_measure([front], reference, method="approximate").exact


def test_a_generator_is_drawn_from_for_approximations_only():
    points, reference = np.random.default_rng(0).dirichlet(np.ones(10), 60), np.ones(10)
    generator = np.random.default_rng(5)
    assert hypervolume(points[:5], reference, rng=generator).exact
    first, second = (hypervolume(points, reference, rng=generator) for _ in range(2))
    assert first.value != second.value
    assert first == hypervolume(points, reference, rng=np.random.default_rng(5))
