"""Union-free generic depth against the definition, applied to every relation there is on a few items."""

import itertools
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.core.posets import all_relations, distinct_relations, relations_from_costs, transitive_closure
from copa_nb.core.ufg import encode, exact_depth, run_in_threads

EVERY = {(n, ties): np.array(list(all_relations(n, ties=ties))) for n in (3, 4) for ties in (False, True)}


def features(relations, ties):
    pairs = relations.reshape(len(relations), -1)
    return np.hstack([pairs, (relations & relations.transpose(0, 2, 1)).reshape(len(pairs), -1)]) if ties else pairs


def between(of, every):
    """Which of all relations lie between the intersection and the union of some."""
    return ~(of.all(axis=0) & ~every).any(axis=1) & ~(every & ~of.any(axis=0)).any(axis=1)


def by_definition(relations, ties):
    """Depths, number and weight of the generic sets: S generates relations that no S without s generates."""
    n = relations.shape[1]
    every = features(EVERY[n, ties], ties)
    first, which = distinct_relations(relations)
    observed = features(relations[first], ties)
    share = np.bincount(which) / len(which)
    sums, constant, count = np.zeros(len(every)), 0.0, 0
    for size in range(2, len(first) + 1):
        for chosen in itertools.combinations(range(len(first)), size):
            generated = between(observed[list(chosen)], every)
            by_less = np.zeros(len(every), dtype=bool)
            for left_out in chosen:
                by_less |= between(observed[[s for s in chosen if s != left_out]], every)
            if (generated & ~by_less).any():
                weight = share[list(chosen)].prod()
                sums += weight * generated
                constant += weight
                count += 1
    return (sums / constant if constant else sums), count, constant


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "n_observed", "repeats"), [(3, 6, 120), (4, 7, 60), (4, 9, 12)])
def test_depth_of_every_relation_agrees_with_the_definition(n, n_observed, repeats, ties):
    rng = np.random.default_rng(n * 100 + n_observed + ties)
    every = EVERY[n, ties]
    for _ in range(repeats):
        # With replacement, from a part of all relations: duplicates occur, and so do ties without and with.
        pool = rng.choice(len(every), size=rng.integers(1, len(every)))
        relations = every[rng.choice(pool, size=rng.integers(1, n_observed + 1))]
        depths, count, constant = by_definition(relations, ties)
        result = exact_depth(encode(relations, every))
        assert result.n_generic == count
        assert result.constant == pytest.approx(constant, abs=1e-15)
        np.testing.assert_allclose(result.depth, depths, atol=1e-12)


@pytest.mark.parametrize("n", [3, 4])
def test_depth_on_preorders_is_depth_on_posets_where_there_are_no_ties(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        relations = EVERY[n, False][rng.choice(len(EVERY[n, False]), size=6)]
        as_posets = by_definition(relations, ties=False)
        as_preorders = by_definition(relations, ties=True)
        assert as_posets[1] == as_preorders[1]
        tied = (EVERY[n, True] & EVERY[n, True].transpose(0, 2, 1)).any(axis=(1, 2))
        np.testing.assert_allclose(as_preorders[0][~tied], as_posets[0], atol=1e-12)
        assert (as_preorders[0][tied] == 0).all()
        np.testing.assert_allclose(exact_depth(encode(relations, EVERY[n, True])).depth, as_preorders[0], atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_items", [5, 8, 9, 12, 33, 64])
def test_items_that_are_never_compared_change_nothing(n_items, ties):
    # Four items of many, so that a relation takes several words and its rows lie in different ones.
    rng = np.random.default_rng(n_items + ties)
    every = EVERY[4, ties]
    for _ in range(6):
        relations, items = every[rng.choice(len(every), size=7)], rng.permutation(n_items)[:4]
        wide, wide_every = (np.zeros((len(some), n_items, n_items), dtype=bool) for some in (relations, every))
        wide[:, items[:, None], items], wide_every[:, items[:, None], items] = relations, every
        narrow, found = exact_depth(encode(relations, every)), exact_depth(encode(wide, wide_every))
        np.testing.assert_array_equal(found.generic_counts, narrow.generic_counts)
        np.testing.assert_allclose(found.depth, narrow.depth, atol=1e-12)


def random_orders(seed, n_observed, n_items, n_criteria=2):
    return relations_from_costs(np.random.default_rng(seed).random((n_observed, n_items, n_criteria)))[0]


def by_witness(relations):
    """Generic sets of larger posets, straight from the condition on a witness, by trying all closures."""
    bits = relations.reshape(len(relations), -1)
    n = relations.shape[1]

    def witness(start, union, asked):
        unserved = [(lack, own) for lack, own in asked if not (lack & ~start).any() and not (own & start).any()]
        if not unserved:
            return True
        for pair in np.flatnonzero(unserved[0][1]):
            grown = start.copy()
            grown[pair] = True
            grown = transitive_closure(grown.reshape(n, n))
            if (
                not (grown & grown.T).any()
                and not (grown.ravel() & ~union).any()
                and witness(grown.ravel(), union, asked)
            ):
                return True
        return False

    found = 0
    for size in range(2, len(bits) + 1):
        for chosen in itertools.combinations(range(len(bits)), size):
            rows = bits[list(chosen)]
            asked = []
            for s in range(size):
                others = np.delete(rows, s, axis=0)
                asked.append((others.all(axis=0) & ~rows[s], rows[s] & ~others.any(axis=0)))
            found += witness(rows.all(axis=0), rows.any(axis=0), asked)
    return found


@pytest.mark.parametrize(("seed", "n_items"), [(0, 5), (1, 8), (2, 9), (3, 11), (4, 20), (5, 33)])
def test_generic_sets_of_larger_orders_agree_with_a_plain_search(seed, n_items):
    relations = random_orders(seed, 8, n_items)
    assert exact_depth(encode(relations)).n_generic == by_witness(relations)


def test_each_of_three_on_top_once_has_depth_two_thirds():
    # Every pair is generic, no order lies between two others, and the three together generate nothing new.
    relations = np.array([np.arange(3)[:, None] == top for top in range(3)]) & ~np.eye(3, dtype=bool)
    result = exact_depth(encode(relations))
    assert result.n_generic == 3
    np.testing.assert_allclose(result.depth, 2 / 3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(2, 6), st.integers(1, 3))
def test_depth_does_not_depend_on_order_of_observations_items_or_direction(seed, n_observed, n_items, n_criteria):
    relations = random_orders(seed, n_observed, n_items, n_criteria)
    rng = np.random.default_rng(seed)
    depth = exact_depth(encode(relations)).depth
    observed, items = rng.permutation(n_observed), rng.permutation(n_items)
    np.testing.assert_allclose(exact_depth(encode(relations[observed])).depth, depth[observed], rtol=1e-10)
    np.testing.assert_allclose(exact_depth(encode(relations[:, items][:, :, items])).depth, depth, rtol=1e-10)
    np.testing.assert_allclose(exact_depth(encode(relations.transpose(0, 2, 1))).depth, depth, rtol=1e-10)
    assert ((depth >= 0) & (depth <= 1 + 1e-12)).all()


def test_repeating_every_observation_changes_nothing():
    relations = random_orders(1, 7, 4)
    np.testing.assert_allclose(
        exact_depth(encode(np.repeat(relations, 3, axis=0))).depth, np.repeat(exact_depth(encode(relations)).depth, 3)
    )


def test_largest_size_leaves_out_larger_sets():
    relations = random_orders(5, 12, 5)
    whole, short = exact_depth(encode(relations)), exact_depth(encode(relations), max_card=3)
    np.testing.assert_array_equal(short.generic_counts, whole.generic_counts[:4])
    np.testing.assert_allclose(short.generic_weights, whole.generic_weights[:4])
    assert short.n_generic < whole.n_generic


@pytest.mark.parametrize("n_items", [1, 2, 8, 9, 63, 64])
def test_one_relation_or_equal_ones_have_no_generic_set_and_depth_0(n_items):
    chain = np.triu(np.ones((n_items, n_items), dtype=bool), k=1)
    for relations in (chain[None], np.repeat(chain[None], 4, axis=0), np.zeros((3, n_items, n_items), dtype=bool)):
        result = exact_depth(encode(relations))
        assert result.n_generic == 0
        assert result.constant == 0
        assert (result.depth == 0).all()


def test_only_two_orders_that_differ_in_one_pair_have_no_generic_set():
    orders = EVERY[3, False]
    for one, other in itertools.combinations(orders, 2):
        nested = not (one & ~other).any() or not (other & ~one).any()
        apart = not (nested and (one ^ other).sum() == 1)
        assert (exact_depth(encode(np.array([one, other]))).constant > 0) == apart
    for chosen in itertools.combinations(range(len(orders)), 3):
        assert exact_depth(encode(orders[list(chosen)])).constant > 0


def test_two_items():
    up, down, neither = np.zeros((3, 2, 2), dtype=bool)
    up[0, 1] = down[1, 0] = True
    result = exact_depth(encode(np.array([up, down]), np.array([up, down, neither])))
    assert result.n_generic == 1
    np.testing.assert_allclose(result.depth, 1)
    assert exact_depth(encode(np.array([up, neither]))).n_generic == 0


def test_opposite_chains_generate_everything_between():
    chain = np.triu(np.ones((64, 64), dtype=bool), k=1)
    result = exact_depth(encode(np.array([chain, chain.T]), np.array([chain, chain.T, chain & False])))
    assert result.n_generic == 1
    np.testing.assert_allclose(result.depth, 1)


def test_all_chains_on_four_items():
    order = np.array(list(itertools.permutations(range(4))))
    chains = order[:, :, None] < order[:, None, :]
    chosen = chains[[0, 5, 7, 11, 14, 20, 23]]
    depths, count, _ = by_definition(chosen, ties=False)
    result = exact_depth(encode(chosen, EVERY[4, False]))
    assert result.n_generic == count
    np.testing.assert_allclose(result.depth, depths, atol=1e-12)


def test_impossible_targets_have_depth_0():
    relations = random_orders(3, 5, 4) & np.array([True, True, True, False])[None, :, None]
    tied = np.zeros((4, 4), dtype=bool)
    tied[0, 1] = tied[1, 0] = True
    never = np.zeros((4, 4), dtype=bool)
    never[3, 0] = True
    assert (exact_depth(encode(relations, np.array([tied, never]))).depth == 0).all()


def test_more_than_64_items_are_refused():
    with pytest.raises(ValueError, match="65 items; the depth is computed for at most 64"):
        encode(np.zeros((2, 65, 65), dtype=bool))


def test_an_error_in_one_thread_stops_the_others_and_comes_out():
    stop = np.zeros(1, dtype=np.uint8)
    released = threading.Event()

    def run(number):
        if number == 0:
            raise KeyboardInterrupt
        while not stop[0] and not released.is_set():
            released.wait(0.01)

    with pytest.raises(KeyboardInterrupt):
        run_in_threads(run, 4, stop, progress=False, what="test")
    assert stop[0] == 1


_INTERRUPTED = """
import os, signal, threading, time, numpy as np
from copa_nb.core.posets import relations_from_costs
from copa_nb.core.ufg import encode, exact_depth
make = lambda n, m: encode(relations_from_costs(np.random.default_rng(0).random((n, m, 3)))[0])
exact_depth(make(5, 6))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.perf_counter()
try:
    exact_depth(make(200, 6))
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - begin)
"""


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_a_long_run_and_a_second_process_uses_the_cache():
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, timeout=120, check=True)
    word, seconds = done.stdout.split()
    assert word == "interrupted"
    # A run of hours; generous, because other work may share the cores.
    assert float(seconds) < 30
