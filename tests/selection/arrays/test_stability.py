import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.ranking.arrays.criterion import winners
from copa_nb.ranking.arrays.ranks import empirical_cdf, strictly_better
from copa_nb.selection.arrays.stability import (
    ResampledMeans,
    ResampledRanks,
    bootstrap_population,
    multiplicities,
    order_statistic_errors,
    rank_interval,
    rank_standard_errors,
)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 30), k=st.integers(1, 3), seed=st.integers(0, 9999), levels=st.integers(1, 8))
def test_ranks_under_multiplicities_are_ranks_in_the_written_out_resample(n, k, seed, levels):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, levels, size=(n, k)).astype(float)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=4)
    ranks = ResampledRanks(values, values).under(counts)
    for row, count in zip(ranks, counts, strict=True):
        np.testing.assert_allclose(row, empirical_cdf(values, np.repeat(values, count, axis=0)))


def test_the_bootstrap_of_the_front_is_the_bootstrap_of_all_rows():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 12, size=(80, 3)).astype(float)
    weights, p = np.array([0.2, 0.5, 0.3]), np.inf
    front = np.flatnonzero(nondominated(values))
    chosen, means, deviations = bootstrap_population(
        values[front], values, weights, p, n_resamples=50, rng=np.random.default_rng(0)
    )
    counts = np.vstack(list(multiplicities(80, 50, np.random.default_rng(0))))
    expected = []
    for step, count in enumerate(counts):
        drawn = np.repeat(values, count, axis=0)
        tied = winners(empirical_cdf(values, drawn), weights, p, strictly_better(values, drawn).sum(axis=1))
        # Dominated rows tie where the resample lacks what lies between.
        tied = np.intersect1d(tied, front)
        expected.append(tied[step % len(tied)])
    np.testing.assert_array_equal(front[chosen], expected)
    assert means.shape == deviations.shape == (len(front), 3)


def test_the_bootstrap_error_of_a_rank_is_that_of_proposition_3_1():
    rng = np.random.default_rng(0)
    values = rng.random((400, 1))
    _, means, deviations = bootstrap_population(values, values, np.ones(1), np.inf, n_resamples=4000, rng=rng)
    ranks = empirical_cdf(values)
    np.testing.assert_allclose(means, ranks, atol=0.003)
    np.testing.assert_allclose(deviations, rank_standard_errors(ranks, 400), atol=0.0015)


@pytest.mark.parametrize("u", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_standard_errors_are_those_of_a_binomial_share(u):
    assert rank_standard_errors(np.array(u), 50) == pytest.approx(stats.binom(50, u).std() / 50)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_intervals_are_quantiles_of_the_order_statistic(n):
    better = np.arange(n)
    low, high = rank_interval(better, n, 0.9, tied=np.array(False))
    ranks = stats.beta(better + 1, n - better)
    np.testing.assert_allclose(low, ranks.ppf(0.05), rtol=1e-9)
    np.testing.assert_allclose(high, ranks.ppf(0.95), rtol=1e-9)
    np.testing.assert_allclose(order_statistic_errors(better, n - 1), ranks.std(), rtol=1e-9)


def test_intervals_outside_are_those_of_clopper_and_pearson():
    low, high = rank_interval(np.arange(13), 12, 0.95)
    for better in range(13):
        expected = stats.binomtest(better, 12).proportion_ci(0.95, method="exact")
        assert (low[better], high[better]) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("paired", [True, False])
def test_repeated_means_of_many_models_and_runs_have_the_spread_of_new_means_around_the_observed(paired):
    rng = np.random.default_rng(0)
    true = rng.normal(size=(60, 1, 1)) * 5
    values = (true + rng.normal(size=(60, 8, 1))).reshape(-1, 1)
    model, seed = np.repeat(np.arange(60), 8), np.tile(np.arange(8), 60)
    means = ResampledMeans(values, model, seed if paired else None)
    draws = np.array([means.repeat(rng) for _ in range(400)])[:, :, 0]
    # Twice the variance of a mean: that of the observed ones and that of new ones.
    assert draws.std(axis=0).mean() == pytest.approx(np.sqrt(2 / 8), rel=0.1)
    np.testing.assert_allclose(draws.mean(axis=0), means.observed[:, 0], atol=0.3)


def test_means_that_only_noise_tells_apart_are_drawn_together():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(120, 1))
    means = ResampledMeans(values, np.repeat(np.arange(40), 3))
    centers = np.array([means.repeat(rng) for _ in range(600)]).mean(axis=0)
    assert centers.std() < 0.6 * means.observed.std()


def test_means_without_noise_or_without_repeats_stay_to_the_last_digit():
    values = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0], [0.7, 5.0], [0.7, 5.5], [0.3, np.inf]])
    means = ResampledMeans(values, np.array([0, 0, 0, 1, 1, 2]))
    for _ in range(5):
        drawn = means.repeat(np.random.default_rng(1))
        assert drawn[:, 0].tolist() == means.observed[:, 0].tolist()
        assert drawn[2].tolist() == [0.3, np.inf]


def test_chunks_do_not_change_the_draws(monkeypatch):
    whole = np.vstack(list(multiplicities(10, 7, np.random.default_rng(1))))
    monkeypatch.setattr("copa_nb.selection.arrays.stability._CHUNK_ELEMENTS", 20)
    pieces = list(multiplicities(10, 7, np.random.default_rng(1)))
    assert [len(piece) for piece in pieces] == [2, 2, 2, 1]
    np.testing.assert_array_equal(np.vstack(pieces), whole)
    assert (whole.sum(axis=1) == 10).all()
    # What the caller holds per resample counts too, and a chunk holds one at least.
    assert [len(piece) for piece in multiplicities(2, 3, np.random.default_rng(1), elements=10)] == [2, 1]
    assert [len(piece) for piece in multiplicities(2, 3, np.random.default_rng(1), elements=100)] == [1, 1, 1]


def test_means_of_resampled_runs_have_the_right_mean_and_spread():
    rng = np.random.default_rng(0)
    model = np.array([2, 0, 0, 1, 0, 2, 1, 1, 1])
    values = rng.random((9, 2))
    means = ResampledMeans(values, model)
    expected = np.array([values[model == m].mean(axis=0) for m in range(3)])
    np.testing.assert_allclose(means.observed, expected)
    draws = np.array([means.draw(rng) for _ in range(8000)])
    np.testing.assert_allclose(draws.mean(axis=0), expected, atol=0.01)
    spread = np.array([values[model == m].std(axis=0) / np.sqrt((model == m).sum()) for m in range(3)])
    np.testing.assert_allclose(draws.std(axis=0), spread, atol=0.01)


def test_paired_draws_keep_what_seeds_have_in_common():
    rng = np.random.default_rng(0)
    common = rng.normal(size=5)
    values = np.concatenate([common, common + 1.0])[:, None]
    model, seed = np.repeat([0, 1], 5), np.tile(np.arange(5), 2)
    paired = ResampledMeans(values, model, seed)
    for _ in range(20):
        draw = paired.draw(rng)[:, 0]
        assert draw[1] - draw[0] == pytest.approx(1.0)
    loose = ResampledMeans(values, model)
    assert np.std([np.diff(loose.draw(rng)[:, 0]) for _ in range(50)]) > 0.1


def test_pairing_needs_every_seed():
    with pytest.raises(ValueError, match="every seed once"):
        ResampledMeans(np.ones((3, 1)), np.array([0, 0, 1]), np.array([0, 1, 0]))


@pytest.mark.parametrize("model", [[0, 0, 0], [0, 1, 2]])
def test_the_spread_between_models_is_taken_as_real_where_noise_cannot_be_told(model):
    """One model has no spread, and single runs have no noise: nothing is drawn towards the average."""
    means = ResampledMeans(np.array([[1.0, 2.0], [4.0, 3.0], [7.0, 9.0]]), np.array(model))
    assert means._reliability.tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(means._center, means.observed)
