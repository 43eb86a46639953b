import moocore
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.significance.arrays.subset_hypervolumes import (
    DIRECTIONS,
    choose_measure,
    set_hypervolumes,
    subset_hypervolumes,
)


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
        found = subset_hypervolumes(points, reference, members)
        expected = [moocore.hypervolume(points[chosen], ref=reference) if chosen.any() else 0.0 for chosen in members]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_subsets_equal_counted_cells(k, n, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (n, k))
    reference = np.full(k, 4)
    members = rng.random((8, n)) < 0.6
    found = subset_hypervolumes(points.astype(float), reference.astype(float), members)
    assert found.tolist() == [grid_volume(points[chosen], reference) for chosen in members]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_compiled_and_library_agree(k):
    rng = np.random.default_rng(k)
    points, reference = rng.random((20, k)), np.ones(k)
    members = rng.random((30, 20)) < 0.5
    measure = choose_measure(k, 20, 30)
    alone = [
        subset_hypervolumes(points[chosen], reference, np.ones((1, chosen.sum()), bool), measure)[0]
        for chosen in members
    ]
    np.testing.assert_allclose(subset_hypervolumes(points, reference, members, measure), alone, rtol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [1, 2, 6])
def test_sets_equal_moocore(k, size):
    rng = np.random.default_rng([k, size])
    sets = rng.random((50, size, k)) * 1.3
    reference = np.linspace(0.9, 1.2, k)
    expected = [moocore.hypervolume(each, ref=reference) for each in sets]
    np.testing.assert_allclose(set_hypervolumes(sets, reference), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [3, 6, 9])
def test_approximation_is_close_named_and_blind_to_units(k):
    rng = np.random.default_rng(k)
    points, reference = rng.random((12, k)), np.full(k, 1.1)
    members = rng.random((20, 12)) < 0.7
    measure = choose_measure(k, 12, 20, method="approximate")
    assert not measure.exact
    assert "approximated" in measure.name
    exact = subset_hypervolumes(points, reference, members, choose_measure(k, 12, 20, method="exact"))
    found = subset_hypervolumes(points, reference, members, measure)
    np.testing.assert_allclose(found, exact, rtol=0.12)
    units = 10.0 ** np.arange(k)
    np.testing.assert_allclose(
        subset_hypervolumes(points * units, reference * units, members, measure), found * units.prod(), rtol=1e-9
    )
    sets = np.stack([points[:5], points[5:10]])
    both = np.array([[True] * 5 + [False] * 7, [False] * 5 + [True] * 5 + [False] * 2])
    np.testing.assert_allclose(
        set_hypervolumes(sets, reference, measure),
        subset_hypervolumes(points, reference, both, choose_measure(k, 5, 2, method="exact")),
        rtol=0.12,
    )


def test_chunks_do_not_change_values(monkeypatch):
    rng = np.random.default_rng(0)
    points, reference = rng.random((10, 2)), np.ones(2)
    members = rng.random((100, 10)) < 0.5
    whole = subset_hypervolumes(points, reference, members)
    monkeypatch.setattr("copa_nb.significance.arrays.subset_hypervolumes._CHUNK_CELLS", 35)
    np.testing.assert_allclose(subset_hypervolumes(points, reference, members), whole, rtol=1e-14)


def test_chunks_do_not_change_approximations(monkeypatch):
    rng = np.random.default_rng(0)
    points, sets, reference = rng.random((10, 4)), rng.random((7, 5, 4)), np.linspace(0.9, 1.2, 4)
    members = rng.random((9, 10)) < 0.5
    measure = choose_measure(4, 10, 9, method="approximate")
    whole = subset_hypervolumes(points, reference, members, measure), set_hypervolumes(sets, reference, measure)
    monkeypatch.setattr("copa_nb.significance.arrays.subset_hypervolumes._CHUNK_CELLS", 2 * 5 * DIRECTIONS)
    pieces = subset_hypervolumes(points, reference, members, measure), set_hypervolumes(sets, reference, measure)
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_another_seed_takes_other_directions():
    points, reference = np.random.default_rng(0).random((10, 4)), np.ones(4)
    members = np.ones((1, 10), dtype=bool)
    one, again, other = (
        subset_hypervolumes(points, reference, members, choose_measure(4, 10, 1, method="approximate", seed=seed))[0]
        for seed in (0, 0, 1)
    )
    assert one == again != other
    assert other == pytest.approx(one, rel=0.05)


def test_exact_as_far_as_affordable():
    assert choose_measure(2, 10**6, 10**6).exact
    assert choose_measure(5, 100, 10_000).exact
    assert not choose_measure(10, 100, 10_000).exact
    assert choose_measure(10, 100, 10_000, method="exact").exact
