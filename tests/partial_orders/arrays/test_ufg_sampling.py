"""Random sets of relations: drawn as they should be, and what they estimate beside an enumeration."""

import itertools
from collections import Counter
from math import comb, factorial

import numpy as np
import pytest
from scipy.stats import norm

from copa_nb.partial_orders.arrays import ufg_sampling
from copa_nb.partial_orders.arrays.relations import all_relations, relations_from_costs
from copa_nb.partial_orders.arrays.ufg import encode, exact_depth
from copa_nb.partial_orders.arrays.ufg_sampling import forecast, sampled_depth

WEIGHTS = np.array([0.1, 0.3, 0.2, 0.25, 0.15])


def weight_of_sets(weights, size):
    return {
        chosen: float(np.prod(weights[list(chosen)])) for chosen in itertools.combinations(range(len(weights)), size)
    }


def problem_of(seed, n_observed=9, n_items=4):
    costs = np.random.default_rng(seed).random((n_observed, n_items, 2))
    # Two observations are alike, so that shares differ.
    return encode(relations_from_costs(np.concatenate([costs, costs[:1]]))[0])


def test_weights_of_all_sets_of_a_size_are_those_of_each_added_up():
    table = ufg_sampling._symmetric_polynomials(WEIGHTS, 4)
    for first, size in itertools.product(range(6), range(5)):
        assert table[first, size] == pytest.approx(sum(weight_of_sets(WEIGHTS[first:], size).values()))


@pytest.mark.parametrize(("size", "quantile"), [(1, 18.5), (2, 27.9), (3, 27.9), (5, 0.0)])
def test_sets_are_drawn_by_their_weight(size, quantile):
    symmetric = ufg_sampling._symmetric_polynomials(WEIGHTS, 5)
    drawn = ufg_sampling._draw(WEIGHTS, symmetric, size, 20_000, np.random.default_rng(size))
    counts = Counter(map(tuple, drawn.tolist()))
    weights = weight_of_sets(WEIGHTS, size)
    assert counts.keys() == weights.keys()
    expected = {chosen: 20_000 * weight / sum(weights.values()) for chosen, weight in weights.items()}
    # 99.9% quantiles, 4 and 9 degrees of freedom.
    assert sum((counts[chosen] - expected[chosen]) ** 2 / expected[chosen] for chosen in weights) <= quantile


def test_samples_are_shared_out_by_weight_in_pieces():
    totals = np.array([1.0, 1.0, 0.5, 0.3, 0.1, 1e-6])
    units = ufg_sampling._units([3, 4, 5], totals, 40_000, np.random.default_rng(0))
    assert [(unit.size, unit.n_sets) for unit in units] == [
        *[(3, 8192)] * 3, (3, 30_000 - 3 * 8192), (4, 8192), (4, 10_000 - 8192), (5, 256),
    ]  # fmt: skip
    assert len({unit.rng.random() for unit in units}) == len(units)


def test_few_sets_are_enumerated_instead():
    problem = problem_of(0, n_observed=6)
    exact, found = exact_depth(problem), sampled_depth(problem, np.random.default_rng(0))
    for depths in (found.depth, found.low, found.high):
        np.testing.assert_allclose(depths, exact.depth, rtol=1e-12)
    assert found.constant == pytest.approx(exact.constant)
    assert (found.n_generic, found.n_samples, found.left_out) == (exact.n_generic, 0, 0.0)
    assert found.exact_card == found.largest_card == problem.largest


@pytest.mark.parametrize(("n_samples", "exact_card"), [(1, 2), (119, 2), (120, 3), (245, 3), (246, 4)])
def test_sizes_are_enumerated_as_far_as_there_are_samples_and_pairs_always(n_samples, exact_card):
    # 36 + 84 + 126 sets of two, three and four of nine relations.
    problem = problem_of(1)
    assert problem.n_distinct == 9
    found = sampled_depth(problem, np.random.default_rng(0), n_samples=n_samples, max_card=5)
    assert (found.exact_card, found.largest_card) == (exact_card, 5)
    assert found.n_samples >= 256


def test_estimates_agree_with_an_enumeration():
    problem = problem_of(2)
    exact = exact_depth(problem)
    found = sampled_depth(problem, np.random.default_rng(4), n_samples=100, confidence_level=0.9999)
    assert found.exact_card == 2
    assert (found.low <= exact.depth).all()
    assert (exact.depth <= found.high).all()
    assert 0 < (found.high - found.low).max() < 0.2
    assert found.constant == pytest.approx(exact.constant, rel=0.05)
    assert found.n_generic == pytest.approx(exact.n_generic, rel=0.1)
    short = sampled_depth(problem, np.random.default_rng(4), n_samples=100, max_card=3)
    assert short.n_generic == pytest.approx(exact_depth(problem, max_card=3).n_generic, rel=0.1)
    assert (short.largest_card, short.left_out) == (3, 0.0)


def test_sizes_that_hardly_weigh_are_left_out_and_counted_in_the_interval(monkeypatch):
    problem = problem_of(3)
    monkeypatch.setattr(ufg_sampling, "_NEGLIGIBLE", 0.05)
    totals = ufg_sampling._symmetric_polynomials(problem.weights, problem.largest)[0]
    found = sampled_depth(problem, np.random.default_rng(0), n_samples=100)
    last = found.largest_card
    assert totals[last:].sum() > 0.05 * totals[2] >= totals[last + 1 :].sum() > 0
    assert found.left_out == pytest.approx(totals[last + 1 :].sum() / found.constant)
    assert ((found.depth - found.low >= found.left_out) | (found.low == 0)).all()
    assert ((found.high - found.depth >= found.left_out) | (found.high == 1)).all()


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_sizes_beyond_the_largest_that_is_drawn_are_bounded_whatever_the_shares(limit, monkeypatch):
    monkeypatch.setattr(ufg_sampling, "_LARGEST_SIZE", limit)
    problem = problem_of(3)
    assert problem.largest > limit
    found = sampled_depth(problem, np.random.default_rng(0), n_samples=100)
    bound = np.e - sum(1 / factorial(k) for k in range(limit + 1))
    assert found.largest_card == limit
    assert bound < found.left_out * found.constant < 2 * bound


def test_intervals_are_as_wide_as_the_error_of_sets_drawn_so_often(monkeypatch):
    problem = problem_of(2)
    exact = exact_depth(problem)
    drawn_of, share_out = {}, ufg_sampling._units

    def draw_more(sizes, totals, n_samples, rng):
        units = share_out(sizes, totals, 60_000, rng)
        for size in sizes:
            drawn_of[size] = sum(unit.n_sets for unit in units if unit.size == size)
        return units

    monkeypatch.setattr(ufg_sampling, "_units", draw_more)
    found = sampled_depth(problem, np.random.default_rng(0), n_samples=100)
    sizes = sorted(drawn_of)
    assert sizes == list(range(3, found.largest_card + 1))
    totals = ufg_sampling._symmetric_polynomials(problem.weights, problem.largest)[0]
    # Of sets of one size, a share is generic, and a share is generic and holds the target: from enumerations.
    upto = [exact_depth(problem, max_card=size) for size in (2, *sizes)]
    variance = np.zeros(len(exact.depth))
    for size, less, more in zip(sizes, upto, upto[1:], strict=False):
        generic = (more.constant - less.constant) / totals[size]
        holding = (more.depth * more.constant - less.depth * less.constant) / totals[size]
        second = holding * (1 - exact.depth) ** 2 + (generic - holding) * exact.depth**2
        first = holding * (1 - exact.depth) - (generic - holding) * exact.depth
        variance += totals[size] ** 2 * (second - first**2) / drawn_of[size]
    expected = norm.ppf(0.975) * np.sqrt(variance) / exact.constant
    inside = (found.low > 0) & (found.high < 1) & (exact.depth > 0.05)
    assert inside.sum() > 3
    np.testing.assert_allclose((found.high - found.depth - found.left_out)[inside], expected[inside], rtol=0.05)


def test_errors_of_repeated_estimates_are_those_that_intervals_tell():
    problem = problem_of(2)
    exact = exact_depth(problem)
    runs = [sampled_depth(problem, np.random.default_rng(seed), n_samples=100) for seed in range(60)]
    spread = np.std([run.depth for run in runs], axis=0)
    told = np.mean([(run.high - run.depth - run.left_out) / norm.ppf(0.975) for run in runs], axis=0)
    inside = (exact.depth > 0.1) & (exact.depth < 0.9)
    assert inside.sum() > 3
    np.testing.assert_allclose(told[inside].mean(), spread[inside].mean(), rtol=0.2)
    held = np.mean([(run.low <= exact.depth) & (exact.depth <= run.high) for run in runs], axis=0)
    assert (held[inside] > 0.8).all()


def test_intervals_end_where_depths_do(monkeypatch):
    monkeypatch.setattr(ufg_sampling, "_LARGEST_SIZE", 2)
    found = sampled_depth(problem_of(2), np.random.default_rng(4))
    assert found.left_out > max(found.depth.max(), 1 - found.depth.max())
    assert (found.low == 0).all()
    assert found.high.max() == 1.0


def test_without_generic_sets_every_depth_is_zero():
    chain = np.triu(np.ones((4, 4), dtype=bool), k=1)
    found = sampled_depth(encode(np.repeat(chain[None], 3, axis=0)), np.random.default_rng(0))
    assert (found.constant, found.n_generic, found.left_out) == (0.0, 0.0, 0.0)
    for depths in (found.depth, found.low, found.high):
        assert (depths == 0).all()


def visited_sets(problem, card):
    """Sets of each size that the enumeration visits, from every chain that there is."""
    loops = problem.loops
    choices, visited = np.zeros(card, dtype=np.int64), np.zeros(card + 1, dtype=bool)
    counts, waiting = np.zeros(card + 1), [()]
    while waiting:
        uniforms = waiting.pop()
        padded = np.append(uniforms, np.zeros(card - len(uniforms)))
        reached = loops.grow_chain(padded, problem.observed, problem.space(len(padded)), choices, visited)
        size = len(uniforms)
        assert reached >= size
        # Every set of size k is reached in k! orders.
        counts[size] += visited[size] / factorial(size) if size > 1 else 0
        if size < card:
            waiting += [(*uniforms, (rank + 0.5) / choices[size]) for rank in range(choices[size])]
    return counts


@pytest.mark.parametrize("kind", ["orders", "nested", "small", "ties"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_chains_reach_exactly_the_sets_that_are_visited(kind, seed):
    rng = np.random.default_rng(seed)
    every = np.array(list(all_relations(4, ties=kind == "ties")))
    if kind == "orders":
        relations = relations_from_costs(rng.random((6, 4, 2)))[0]
    elif kind == "nested":
        chain = np.triu(np.ones((4, 4), dtype=bool), k=1)
        relations = rng.permutation(every[~(every & ~chain).any(axis=(1, 2))])[:6]
    elif kind == "small":
        relations = rng.permutation(every[every.sum(axis=(1, 2)) <= 2])[:6]
    else:
        relations = rng.permutation(every)[:6]
    problem = encode(relations)
    upto = [exact_depth(problem, max_card=card).n_visited for card in range(2, problem.largest + 1)]
    np.testing.assert_allclose(visited_sets(problem, problem.largest)[2:], np.diff(upto, prepend=0), rtol=1e-12)


def test_a_forecast_counts_every_pair_and_estimates_the_rest():
    problem = problem_of(5)
    found = forecast(problem, np.random.default_rng(1), n_chains=6000)
    assert found.sets_by_size[:2].tolist() == [0, 0]
    assert found.sets_by_size[2] == pytest.approx(comb(problem.n_distinct, 2))
    assert found.n_sets == pytest.approx(found.sets_by_size.sum())
    assert found.n_sets == pytest.approx(exact_depth(problem).n_visited, rel=0.06)
    assert found.seconds > 0
    short = forecast(problem, np.random.default_rng(0), max_card=3, n_chains=300)
    assert len(short.sets_by_size) == 4
    assert short.n_sets == pytest.approx(exact_depth(problem, max_card=3).n_visited, rel=0.25)


def test_a_forecast_divides_the_time_over_the_processors(monkeypatch):
    monkeypatch.setattr(ufg_sampling, "_seconds_per_set", lambda problem, rng, card, n_sets: 1e-3 * card)
    monkeypatch.setattr(ufg_sampling, "processors", lambda: 4)
    found = forecast(problem_of(5), np.random.default_rng(0), max_card=3, n_chains=20)
    assert found.seconds == pytest.approx(found.n_sets * 3e-3 / 4)


@pytest.mark.parametrize(("n_sets", "n_calls"), [(1.0, 2), (1e5, 3), (1e5 + 1, 4), (1.4e5, 4), (1e12, 8)])
def test_the_time_of_a_set_is_measured_no_longer_than_a_share_of_the_run(n_sets, n_calls, monkeypatch):
    # Each call looks at 5,000 sets and takes .03 seconds, the first, which compiles, a hundred times as long.
    clock, calls = [0.0], []

    def enumerate_branch(first, second, start, observed, space, weights, *rest):
        *_, work, at_most = rest
        assert 0 <= first < second < problem.n_distinct
        assert start == second + 1
        calls.append(at_most)
        clock[0] += 0.03 if len(calls) > 1 else 2.0
        work[0] += 5000

    problem = problem_of(5)
    monkeypatch.setattr(problem.loops, "enumerate_branch", enumerate_branch)
    monkeypatch.setattr(ufg_sampling.time, "thread_time", lambda: clock[0])
    seconds = ufg_sampling._seconds_per_set(problem, np.random.default_rng(0), 4, n_sets)
    assert seconds == pytest.approx(0.03 / 5000)
    assert len(calls) == n_calls


def test_intervals_widen_with_confidence_as_those_of_a_normal_error():
    problem = problem_of(2)
    half_widths = []
    for confidence in (0.5, 0.9):
        found = sampled_depth(problem, np.random.default_rng(4), n_samples=100, confidence_level=confidence)
        inside = (found.low > 0) & (found.high < 1)
        np.testing.assert_allclose((found.high + found.low)[inside] / 2, found.depth[inside])
        half_widths.append((found.high - found.depth)[inside] - found.left_out)
    assert len(half_widths[1])
    np.testing.assert_allclose(half_widths[1] / half_widths[0], norm.ppf(0.95) / norm.ppf(0.75), rtol=1e-9)


@pytest.mark.parametrize("n_observed", [1, 3])
def test_equal_relations_have_no_sets_to_visit(n_observed):
    chain = np.triu(np.ones((4, 4), dtype=bool), k=1)
    found = forecast(encode(np.repeat(chain[None], n_observed, axis=0)), np.random.default_rng(0))
    assert (found.n_sets, found.seconds, found.sets_by_size.tolist()) == (0.0, 0.0, [0.0, 0.0])
