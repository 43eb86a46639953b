"""Many items in blocks give what all of them give at once, and normal weights what they are defined to be."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.comparisons.arrays import uncertainty
from copa_nb.comparisons.arrays.moments import from_moments, moments, reduced, together
from copa_nb.comparisons.arrays.uncertainty import FEWEST_UNITS, Uncertainty, from_items, significantly_better
from tests import asked

KNOWN = np.zeros(2, dtype=bool)


def table(seed, kind, n_clusters=30, n_systems=4):
    """Costs of shape (items, systems, 2), and the cluster of each item."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n_clusters) if kind == "clusters" else np.ones(n_clusters, dtype=int)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    level = rng.normal(size=(len(clusters), 1, 2)) * 5
    scores = level + rng.normal(size=(len(clusters), n_systems, 2)) + 0.2 * np.arange(n_systems)[:, None]
    if kind == "skewed":
        scores[rng.random(scores.shape) < 0.03] += 40
    if kind == "right or wrong":
        scores = (scores > 0).astype(float)
    if kind == "equals":
        scores[:, 1] = scores[:, 0]
        scores[::2] = scores[::2, :1]
    return scores, clusters


def in_blocks(scores, clusters, cuts):
    """Moments, of blocks that have all items of their clusters."""
    edges = [0, *sorted(cuts), clusters.max() + 1]
    blocks = []
    for low, high in itertools.pairwise(edges):
        rows = (clusters >= low) & (clusters < high)
        if rows.any():
            blocks.append(reduced(scores[rows], pd.factorize(clusters[rows])[0]))
    totals = together([totals for _, _, totals in blocks])
    return moments(((items, sizes) for items, sizes, _ in blocks), totals)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(1, 29), max_size=4),
       kind=st.sampled_from(["plain", "clusters", "skewed", "right or wrong", "equals"]))  # fmt: skip
def test_blocks_give_what_all_items_give_at_once(seed, cuts, kind):
    scores, clusters = table(seed, kind)
    rng = np.random.default_rng(0)
    of_all = from_items(scores[:, None], KNOWN, clusters=clusters, n_resamples=100, rng=rng)
    found = from_moments(in_blocks(scores, clusters, cuts), KNOWN, n_resamples=100, rng=rng)
    size = (len(clusters) / (clusters.max() + 1)) ** 2  # of a cluster, by which the whole table is divided
    np.testing.assert_allclose(found.means, of_all.means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.squares, of_all.squares * size, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.extremes, of_all.extremes * np.sqrt(size), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.skewed, of_all.skewed)


@pytest.mark.parametrize("kind", ["plain", "clusters", "skewed", "right or wrong"])
def test_weighted_sums_are_those_of_normal_weights(kind):
    """Drawn from the products, sums have the distribution of sums of all items times normal weights."""
    scores, clusters = table(3, kind)
    found = from_moments(in_blocks(scores, clusters, [7, 20]), KNOWN, n_resamples=20_000, rng=np.random.default_rng(1))
    shifted = scores - np.median(scores, axis=1, keepdims=True)
    sums = pd.DataFrame(shifted.reshape(len(scores), -1)).groupby(clusters).sum().to_numpy()
    weighted = found.weighted.transpose(0, 2, 1).reshape(20_000, -1)
    expected = sums.T @ sums
    error = np.sqrt(np.outer(np.diag(expected), np.diag(expected)) + expected**2) / np.sqrt(20_000)
    assert (np.abs(weighted.T @ weighted / 20_000 - expected) < 5 * error + 1e-9).all()


@pytest.mark.parametrize("kind", ["plain", "clusters", "skewed", "right or wrong"])
@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_one_system_against_all_others_is_tested_as_among_all_pairs(kind, alpha):
    scores, clusters = table(3, kind)
    of_all = from_items(scores[:, None], KNOWN, clusters=clusters, n_resamples=300, rng=np.random.default_rng(0))
    found = from_moments(in_blocks(scores, clusters, [7, 20]), KNOWN, n_resamples=300, rng=np.random.default_rng(1))
    for measured, one in itertools.product((of_all, found), range(scores.shape[1])):
        others = np.arange(scores.shape[1]) != one
        assert measured.is_beaten(one, others, alpha) == Uncertainty.is_beaten(measured, one, others, alpha)


@pytest.mark.parametrize("kind", ["plain", "clusters", "skewed", "right or wrong", "equals"])
def test_in_memory_costly_draws_are_those_of_sums(monkeypatch, kind):
    """One method above one size: the scores in memory give the draws and the tests that sums over them give."""
    monkeypatch.setattr(uncertainty, "FEWEST_UNITS", 30)
    monkeypatch.setattr(uncertainty, "_MOST_MULTIPLICATIONS", 10_000)
    scores, clusters = table(6, kind)
    in_memory = from_items(scores[:, None], KNOWN, clusters=clusters, n_resamples=300, rng=np.random.default_rng(4))
    of_sums = from_moments(in_blocks(scores, clusters, [12]), KNOWN, n_resamples=300, rng=np.random.default_rng(4))
    size = len(clusters) / (clusters.max() + 1)  # of a cluster, by which what is in memory is divided
    assert in_memory.by_weights
    np.testing.assert_allclose(in_memory.draws, of_sums.draws, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(in_memory.flipped * size, of_sums.weighted, rtol=1e-9, atol=1e-6)
    by_one, by_other = (significantly_better(one, alpha=0.05) for one in (in_memory, of_sums))
    np.testing.assert_array_equal(by_one, by_other)
    # Single items are at hand, so that margins can be tested.
    assert in_memory.sampled_pvalues(0, np.zeros(2)).shape == (4, 2)


def test_signs_are_drawn_where_they_cost_little_or_units_are_few_or_repeats_are_shared(monkeypatch):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(60, 1, 3, 2))
    options = {"n_resamples": 200, "rng": rng}
    assert not from_items(scores, KNOWN, **options).by_weights
    monkeypatch.setattr(uncertainty, "_MOST_MULTIPLICATIONS", 0)
    assert not from_items(scores, KNOWN, **options).by_weights
    monkeypatch.setattr(uncertainty, "FEWEST_UNITS", 60)
    assert from_items(scores, KNOWN, **options).by_weights
    assert not from_items(scores[:59], KNOWN, **options).by_weights
    assert not from_items(scores, KNOWN, clusters=np.repeat(np.arange(30), 2), **options).by_weights
    assert not from_items(np.repeat(scores, 3, axis=1), KNOWN, **options).by_weights


@pytest.mark.parametrize("verb", [asked.board, asked.confident_front])
def test_a_table_in_memory_and_the_same_table_in_pieces_get_one_method(verb):
    """Chosen by cost, and stated: the verdicts are the same, not only nearly."""
    rng = np.random.default_rng(7)
    n_items, systems = FEWEST_UNITS, ["a", "b", "c", "d"]
    right = rng.random((n_items, 4)) < 0.7 - 0.006 * np.arange(4) + 0.1 * rng.random((n_items, 1))
    frame = pd.DataFrame({
        "system": np.tile(systems, n_items), "item": np.repeat(np.arange(n_items), 4),
        "accuracy": right.ravel().astype(float), "cost": rng.gamma(9, size=right.size) + 0.1 * right.ravel(),
    })  # fmt: skip
    options = {"system": "system", "item": "item", "objectives": {"accuracy": "max", "cost": "min"}}
    pieces = copa_nb.scan([frame], rows_in_memory=0)
    costly = 2 * uncertainty._MOST_MULTIPLICATIONS // (n_items * uncertainty._MULTIPLICATIONS_OF_A_DRAW)
    in_memory, in_pieces = (verb(one, **options, n_resamples=costly) for one in (frame, pieces))
    assert "random normal weights of the items" in in_memory.guarantee.method
    assert in_memory.guarantee == in_pieces.guarantee
    pd.testing.assert_frame_equal(in_memory.table, in_pieces.table, check_index_type=False)
    by_signs = verb(frame, **options, n_resamples=500)
    assert "random signs of the items" in by_signs.guarantee.method
    judged = "verdict" if verb.__name__ == "confident_front" else "tier"
    pd.testing.assert_series_equal(by_signs.table[judged], in_memory.table[judged])


def test_moments_of_some_systems_are_those_of_their_scores():
    scores, clusters = table(4, "plain")
    part = in_blocks(scores, clusters, [9]).of_systems(np.array([3, 1]))
    alone = in_blocks(scores[:, [3, 1]], clusters, [9])
    np.testing.assert_allclose(part.means, alone.means, rtol=1e-12)
    np.testing.assert_allclose(part.squares, alone.squares, rtol=1e-12)
    assert from_moments(part, KNOWN, n_resamples=100, rng=np.random.default_rng(0)).weighted.shape == (100, 2, 2)


@pytest.mark.parametrize("kind", ["plain", "clusters"])
def test_draws_of_means_differ_as_much_as_means_do(kind):
    """Differences have the variance that is robust to clusters, and the correlation between objectives."""
    scores, clusters = table(5, kind)
    found = from_moments(in_blocks(scores, clusters, [11]), KNOWN, n_resamples=20_000, rng=np.random.default_rng(2))
    of_all = from_items(scores[:, None], KNOWN, clusters=clusters, n_resamples=20_000, rng=np.random.default_rng(3))
    drawn = found.draws[:, :, 1] - found.draws[:, :, 0]
    np.testing.assert_allclose(drawn.var(axis=0), of_all.variances()[:, 0, 1], rtol=0.05)
    resampled = of_all.draws[:, :, 1] - of_all.draws[:, :, 0]
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(np.corrcoef(resampled.T)[0, 1], abs=0.04)
    with pytest.raises(TypeError, match="raise `rows_in_memory`"):
        found.sampled_pvalues(0, np.zeros(2))
