import itertools

import moocore
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from copa_nb.pareto.arrays.hypervolume import choose_measure, subset_hypervolumes
from copa_nb.significance.arrays import permutation
from copa_nb.significance.arrays.permutation import (
    HypervolumeTestOptions,
    all_permutations,
    count_permutations,
    permutation_pvalue,
    random_permutations,
)


def split_test(points, first, reference, *, blocks=None, **options):
    return permutation.split_test(points, first, reference, HypervolumeTestOptions(**options), blocks=blocks)


def mean_test(points, systems, first, reference, *, blocks=None, **options):
    return permutation.mean_test(points, systems, first, reference, HypervolumeTestOptions(**options), blocks=blocks)


def volume(points, reference):
    return moocore.hypervolume(points, ref=reference)


def difference(points, reference):
    """Statistic on row numbers, as scipy calls it."""
    return lambda new, old: (
        volume(points[np.asarray(new, int)], reference) - volume(points[np.asarray(old, int)], reference)
    )


def sample(seed, n_first, n_second, k, shift=0.1):
    rng = np.random.default_rng(seed)
    points = rng.random((n_first + n_second, k))
    points[:n_first] -= shift
    return points, np.arange(n_first + n_second) < n_first, np.full(k, 1.05)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(("n_first", "n_second"), [(4, 4), (5, 3), (2, 6)])
def test_exact_equals_scipy(n_first, n_second, k):
    points, first, reference = sample(k, n_first, n_second, k)
    signed = difference(points, reference)
    rows = np.arange(len(points))
    data = (rows[first], rows[~first])
    cases = {
        "two-sided": (lambda a, b: abs(signed(a, b)), "greater"),
        "greater": (signed, "greater"),
        "less": (signed, "less"),
    }
    for alternative, (statistic, tail) in cases.items():
        expected = permutation_test(data, statistic, alternative=tail, n_resamples=np.inf, vectorized=False)
        found = split_test(points, first, reference, alternative=alternative, two_sided="paper")
        assert found.exact
        assert found.pvalue == pytest.approx(expected.pvalue, abs=1e-12)
        assert len(found.null_distribution) == len(expected.null_distribution)
    assert found.statistic == pytest.approx(signed(*data))
    doubled = permutation_test(data, signed, alternative="two-sided", n_resamples=np.inf, vectorized=False)
    assert split_test(points, first, reference).pvalue == pytest.approx(doubled.pvalue, abs=1e-12)


def test_one_run_against_five_by_hand():
    points, first, reference = sample(2, 1, 5, 2)
    alone = np.array([volume(points[[i]], reference) - volume(np.delete(points, i, 0), reference) for i in range(6)])
    found = split_test(points, first, reference, two_sided="paper")
    np.testing.assert_allclose(np.sort(found.null_distribution), np.sort(alone))
    assert found.pvalue == pytest.approx(np.mean(abs(alone) >= abs(alone[0]) - 1e-12))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_paired_exact_equals_scipy(alternative):
    rng = np.random.default_rng(3)
    points, blocks = rng.random((12, 2)), np.tile(np.arange(6), 2)
    first, reference = np.arange(12) < 6, np.full(2, 1.2)
    signed = difference(points, reference)
    statistic = (lambda a, b: abs(signed(a, b))) if alternative == "two-sided" else signed
    tail = "greater" if alternative == "two-sided" else alternative
    expected = permutation_test(
        (np.arange(6), np.arange(6, 12)), statistic, permutation_type="samples", alternative=tail, n_resamples=np.inf,
        vectorized=False,
    )  # fmt: skip
    found = split_test(points, first, reference, blocks=blocks, alternative=alternative)
    assert found.exact
    assert found.n_permutations == 64
    assert found.pvalue == pytest.approx(expected.pvalue, abs=1e-12)
    np.testing.assert_allclose(
        np.sort(abs(found.null_distribution)), np.sort(abs(expected.null_distribution)), atol=1e-12
    )


def test_random_permutations_equal_scipy_for_the_same_permutations():
    # scipy draws; its splits are recorded and handed to the package's own kernel and p-value.
    points, _, reference = sample(5, 10, 10, 2, shift=0.02)
    signed = difference(points, reference)
    seen = []

    def statistic(new, old):
        seen.append(np.isin(np.arange(20), np.asarray(new, int)))
        return abs(signed(new, old))

    expected = permutation_test(
        (np.arange(10), np.arange(10, 20)), statistic, alternative="greater", n_resamples=999, vectorized=False, rng=0
    )
    drawn = np.array(seen[-999:])
    measure = choose_measure([points[:10], points[10:]], reference)
    null = np.subtract(*(subset_hypervolumes(points, reference, side, measure) for side in (drawn, ~drawn)))
    observed = signed(np.arange(10), np.arange(10, 20))
    found = permutation_pvalue(observed, null, exact=False, tolerance=1e-12)
    np.testing.assert_allclose(abs(null), expected.null_distribution, atol=1e-12)
    assert found == pytest.approx(expected.pvalue, abs=1e-12)


def test_random_permutations_agree_with_enumeration():
    points, first, reference = sample(8, 6, 6, 3, shift=0.05)
    exact = split_test(points, first, reference)
    drawn = split_test(points, first, reference, n_resamples=900)
    assert exact.exact
    assert not drawn.exact
    assert exact.n_permutations == drawn.n_permutations == 924
    error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 900)
    assert abs(drawn.pvalue - exact.pvalue) < 4 * error + 1 / 900


def brute_means(points, systems, first, reference, blocks=None):
    """Every permutation by itertools, every hypervolume by moocore."""

    def statistic(labels):
        means = np.array([points[np.array(labels) == s].mean(axis=0) for s in range(len(first))])
        return volume(means[first], reference) - volume(means[~first], reference)

    if blocks is None:
        labelings = set(itertools.permutations(systems.tolist()))
    else:
        order = np.argsort(blocks, kind="stable")
        per_block = [set(itertools.permutations(systems[blocks == b].tolist())) for b in np.unique(blocks)]
        labelings = set()
        for combination in itertools.product(*per_block):
            labels = np.empty(len(points), int)
            labels[order] = np.concatenate(combination)
            labelings.add(tuple(labels))
    null = np.array([statistic(labels) for labels in labelings])
    observed = statistic(systems)
    return observed, np.mean(abs(null) >= abs(observed) - 1e-12), len(labelings)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_fronts_of_means_equal_brute_force(k):
    rng = np.random.default_rng(k)
    points, systems = rng.random((7, k)), np.array([0, 0, 1, 1, 2, 2, 2])
    first, reference = np.array([True, False, False]), np.full(k, 1.2)
    observed, pvalue, total = brute_means(points, systems, first, reference)
    found = mean_test(points, systems, first, reference, two_sided="paper")
    assert found.statistic == pytest.approx(observed)
    assert found.pvalue == pytest.approx(pvalue)
    assert found.n_permutations == total == len(found.null_distribution)


def test_paired_fronts_of_means_equal_brute_force():
    rng = np.random.default_rng(4)
    points, systems, blocks = rng.random((9, 2)), np.tile([0, 1, 2], 3), np.repeat([0, 1, 2], 3)
    first, reference = np.array([True, True, False]), np.full(2, 1.2)
    observed, pvalue, total = brute_means(points, systems, first, reference, blocks)
    found = mean_test(points, systems, first, reference, blocks=blocks, two_sided="paper")
    assert found.statistic == pytest.approx(observed)
    assert found.pvalue == pytest.approx(pvalue)
    assert found.n_permutations == total == 216


def test_random_labelings_agree_with_enumeration():
    rng = np.random.default_rng(6)
    points, systems = rng.random((9, 2)), np.repeat([0, 1, 2], 3)
    first, reference = np.array([True, False, False]), np.full(2, 1.2)
    exact = mean_test(points, systems, first, reference)
    drawn = mean_test(points, systems, first, reference, n_resamples=1600)
    assert exact.exact
    assert not drawn.exact
    assert exact.n_permutations == drawn.n_permutations == 1680
    assert len(drawn.null_distribution) == 1600
    error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 1600)
    assert abs(drawn.pvalue - exact.pvalue) < 4 * error + 1 / 1600


def test_tolerance_catches_ties_that_rounding_hides():
    # Mirrored splits have the same |D|; so have permuted equal points.
    points = np.array([[0.1, 0.7], [0.3, 0.3], [0.7, 0.1], [0.1, 0.7], [0.3, 0.3], [0.7, 0.1]]) / 3
    found = split_test(points, np.arange(6) < 3, np.full(2, 1 / 3))
    assert found.pvalue == 1.0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 7), st.integers(1, 7), st.integers(1, 3), st.integers(0, 2**32 - 1),
    st.sampled_from(["two-sided", "greater", "less"]),
)  # fmt: skip
def test_order_of_rows_and_sides_do_not_matter(n_first, n_second, k, seed, alternative):
    points, first, reference = sample(seed, n_first, n_second, k, shift=0.05)
    other = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    shuffled = np.random.default_rng(seed).permutation(len(points))
    options = {"n_resamples": 200, "rng": 1}
    found = split_test(points, first, reference, alternative=alternative, **options)
    moved = split_test(points[shuffled], first[shuffled], reference, alternative=alternative, **options)
    swapped = split_test(points, ~first, reference, alternative=other, **options)
    assert found.pvalue == moved.pvalue == swapped.pvalue
    assert found.statistic == moved.statistic == -swapped.statistic
    assert 0 < found.pvalue <= 1


def test_large_tasks_are_drawn_in_chunks_without_being_remembered(monkeypatch):
    points, first, reference = sample(0, 10, 10, 2, shift=0.02)
    whole = split_test(points, first, reference, n_resamples=300)
    monkeypatch.setattr(permutation, "_REMEMBERED_CELLS", 10)
    np.testing.assert_array_equal(
        split_test(points, first, reference, n_resamples=300).null_distribution, whole.null_distribution
    )


# --- permutations of labels -----------------------------------------------------------------------------------


def rows(chunks):
    return [tuple(row.tolist()) for chunk in chunks for row in chunk]


@pytest.mark.parametrize(
    ("counts", "n_blocks"),
    [([3, 3], 1), ([1, 4], 1), ([1, 1], 5), ([2, 1], 3), ([0, 4], 2), ([2, 2, 1], 1), ([1, 1, 1], 2), ([3, 2], 1)],
)
def test_every_permutation_once(counts, n_blocks):
    found = rows(all_permutations(counts, n_blocks))
    block = np.repeat(np.arange(len(counts)), counts).tolist()
    expected = {sum(blocks, ()) for blocks in itertools.product(set(itertools.permutations(block)), repeat=n_blocks)}
    assert set(found) == expected
    assert len(found) == count_permutations(counts, n_blocks) == len(expected)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 4), st.integers(0, 10**6))
def test_random_permutations_keep_the_size_of_each_side_in_each_block(size, n_first, n_blocks, seed):
    n_first = min(n_first, size)
    counts = [n_first, size - n_first]
    drawn = np.concatenate(list(random_permutations(counts, n_blocks, 50, np.random.default_rng(seed))))
    assert drawn.shape == (50, n_blocks * size)
    assert ((drawn == 0).reshape(50, n_blocks, size).sum(axis=2) == n_first).all()


@pytest.mark.parametrize(("counts", "distinct", "chi_squared"), [([2, 3], 10, 27.9), ([2, 1, 1], 12, 31.3)])
def test_random_permutations_are_uniform(counts, distinct, chi_squared):
    drawn = np.concatenate(list(random_permutations(counts, 1, 2_000 * distinct, np.random.default_rng(1))))
    _, times = np.unique(drawn, axis=0, return_counts=True)
    assert len(times) == distinct
    # 99.9% quantile, 9 and 11 degrees of freedom.
    assert ((times - 2_000) ** 2 / 2_000).sum() < chi_squared


def test_random_permutations_of_several_labels_stay_within_blocks():
    drawn = np.concatenate(list(random_permutations([1, 1, 1], 4, 100, np.random.default_rng(1))))
    assert (np.sort(drawn.reshape(100, 4, 3), axis=2) == [0, 1, 2]).all()


def test_chunks_are_bounded(monkeypatch):
    monkeypatch.setattr(permutation, "_CHUNK_CELLS", 100)
    chunks = list(random_permutations([5, 5], 1, 95, np.random.default_rng(0)))
    assert [len(chunk) for chunk in chunks] == [10] * 9 + [5]
    assert len(rows(all_permutations([1, 1], 7))) == len(set(rows(all_permutations([1, 1], 7)))) == 128
