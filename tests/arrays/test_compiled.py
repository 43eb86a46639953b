"""Answers are the same whether loops are compiled or not, and where that takes longer, it is said once."""

import importlib
import inspect
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.arrays import compiled
from copa_nb.pareto.arrays import hypervolume
from copa_nb.partial_orders.arrays import ufg, ufg_sampling

ROOT = Path(copa_nb.__file__).parent
PLAIN = sorted(
    ".".join(["copa_nb", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix("_plain")
    for path in ROOT.glob("**/arrays/*_plain.py")
)


def both_ways(module, call):
    """What a call returns with the loops of either module."""
    return [call(importlib.import_module(f"{module}_{way}")) for way in ("kernels", "plain")]


@pytest.fixture
def plain(monkeypatch):
    """Compute as if numba were not installed, and as if nothing had been said of it."""
    monkeypatch.setenv(compiled.VARIABLE, "0")
    monkeypatch.setattr(compiled, "_warned", [])


@pytest.mark.parametrize("module", PLAIN)
def test_both_files_have_the_same_loops(module):
    kernels, loops = both_ways(module, lambda one: one)
    names = {name for name, one in vars(loops).items()
             if inspect.isfunction(one) and one.__module__ == loops.__name__ and not name.startswith("_")}  # fmt: skip
    assert names
    for name in names:
        loop = getattr(kernels, name)
        assert list(inspect.signature(getattr(loop, "py_func", loop)).parameters) == list(
            inspect.signature(getattr(loops, name)).parameters
        )


def test_the_switch(monkeypatch):
    monkeypatch.setenv(compiled.VARIABLE, "0")
    assert not compiled.is_available()
    assert compiled.kernels(ufg.__name__).__name__.endswith(".ufg_plain")
    assert compiled.compiled(abs)(-3) == 3
    monkeypatch.setenv(compiled.VARIABLE, "1")
    pytest.importorskip("numba")
    assert compiled.is_available()
    assert compiled.kernels(ufg.__name__).__name__.endswith(".ufg_kernels")


# --- loops ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 1, 3), (40, 2, 6), (1200, 3, 13)])
@pytest.mark.parametrize("levels", [3, 1000])
def test_fronts_of_draws(shape, levels):
    draws = np.random.default_rng(0).integers(0, levels, shape).astype(float)

    def count(loops):
        counts = np.zeros(shape[2], dtype=np.int64)
        loops.count_fronts(draws, 1 if shape[0] > 1 else 0, shape[0], counts)
        return counts

    found, plain = both_ways("copa_nb.comparisons.arrays.uncertainty", count)
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize("shape", [(1, 1, 1), (40, 2, 6), (1200, 3, 13)])
@pytest.mark.parametrize("better", [1, None])
def test_largest_squares(shape, better):
    rng = np.random.default_rng(0)
    errors = rng.normal(size=shape)
    against = np.ascontiguousarray(errors[:, :, :better])
    weights = rng.random((shape[1], against.shape[2], shape[2]))
    weights[:, :, 0] = 0.0

    def largest(loops):
        found = np.zeros(shape[0])
        loops.largest_squares(errors, against, weights, 0, shape[0], found)
        return found

    found, plain = both_ways("copa_nb.comparisons.arrays.uncertainty", largest)
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize("shape", [(3, 1, 1), (40, 2, 2), (900, 13, 13)])
def test_largest_squares_of_pairs_and_where_they_are(shape):
    rng = np.random.default_rng(0)
    products = rng.integers(-3, 4, shape).astype(float)  # many ties, of which the first counts
    weights = np.round(rng.random(shape[1:]), 1)

    def largest(loops):
        found, places = np.full(shape[0], 1.5), np.full(shape[0], -1)
        loops.largest_squares_of_pairs(products, weights, 7, found, places)
        return found, places

    found, plain = both_ways("copa_nb.comparisons.arrays.uncertainty", largest)
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize(("n", "others", "k"), [(1, 1, 1), (50, 9, 2), (2500, 200, 4)])
@pytest.mark.parametrize("infinite", [False, True])
def test_rows_that_others_beat(n, others, k, infinite):
    rng = np.random.default_rng(n)
    asked, given = rng.integers(0, 9, (n, k)) + 0.0, rng.integers(0, 12, (others, k)) + 0.0
    if infinite:
        asked[rng.random(asked.shape) < 0.2], given[rng.random(given.shape) < 0.2] = np.inf, -np.inf
    rows, names = np.arange(n), rng.integers(0, n, others)

    def mark(loops):
        beaten = np.empty(n, dtype=bool)
        loops.mark_beaten(asked, rows, given, names, 0, n, beaten)
        return beaten

    found, plain = both_ways("copa_nb.pareto.arrays.unknown_costs", mark)
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize(("n", "k"), [(1, 2), (9, 6), (70, 8)])
def test_approximate_hypervolumes(n, k):
    rng = np.random.default_rng(n)
    gaps, members = rng.random((n, k)), rng.random((5, n)) < 0.6
    gaps[0], members[0] = 0.0, False
    directions = hypervolume._reciprocal_directions(k, 3)

    def measure(loops):
        volumes = np.empty(5)
        loops.approximate_volumes(gaps, members, directions, 0, 5, volumes)
        return volumes

    found, plain = both_ways("copa_nb.pareto.arrays.hypervolume", measure)
    np.testing.assert_allclose(plain, found, rtol=1e-12)
    assert plain[0] == 0.0


@pytest.mark.parametrize(("n", "d", "levels"), [(1, 1, 5), (40, 2, 5), (300, 3, 40), (300, 4, 3)])
def test_covers(n, d, levels):
    rows = np.unique(np.random.default_rng(n).integers(0, levels, (n, d)), axis=0).astype(float)
    rows = rows[np.argsort(rows.sum(axis=1), kind="stable")]
    found, plain = both_ways("copa_nb.stochastic_dominance.arrays.preferences", lambda loops: loops.covers(rows))
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize(
    ("m", "n", "ties"), [(5, 3, False), (9, 4, False), (16, 5, False), (9, 9, False), (9, 4, True), (8, 9, True)]
)
def test_generic_sets(m, n, ties, monkeypatch):
    scores = np.random.default_rng(m + n).integers(0, 4, (m, n, 2))
    no_worse = (scores[:, :, None] <= scores[:, None]).all(axis=3)
    relations = no_worse if ties else no_worse & ~no_worse.transpose(0, 2, 1)
    relations[:, np.arange(n), np.arange(n)] = False
    answers = []
    for setting in ("1", "0"):
        monkeypatch.setenv(compiled.VARIABLE, setting)
        problem = ufg.encode(relations, one_of_many=True)
        exact = ufg.exact_depth(problem)
        sampled = ufg_sampling.sampled_depth(problem, np.random.default_rng(1), n_samples=300)
        effort = ufg_sampling.forecast(problem, np.random.default_rng(2), n_chains=50)
        answers.append((exact.depth, exact.generic_counts, exact.generic_weights, exact.n_visited, sampled.depth,
                        sampled.n_generic, effort.sets_by_size))  # fmt: skip
    for found, plain in zip(*answers, strict=True):
        np.testing.assert_array_equal(plain, found)


# --- verbs ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers():
    """What verbs answer with compiled loops."""
    return asked()


def asked():
    rng = np.random.default_rng(0)
    systems, items = np.repeat(list("abcdef"), 60), np.tile(np.arange(60), 6)
    quality = np.repeat([0.9, 0.85, 0.8, 0.5, 0.4, 0.3], 60)
    runs = pd.DataFrame({
        "system": systems, "item": items, "right": (rng.random(360) < quality) + 0.0,
        "seconds": rng.gamma(2.0, 1.0 / quality),
    })  # fmt: skip
    described = runs.moo(right="max", seconds="min", system="system", item="item")
    fronts = pd.DataFrame(rng.random((24, 3)), columns=list("xyz")).assign(method=["p", "q"] * 12)
    fronts.loc[fronts["method"] == "q", ["x", "y", "z"]] += 0.2
    return {
        "front": described.confident_front().table,
        "board": described.board().table,
        "sets": fronts.moo(x="min", y="min", z="min", system="method").hv_test("q", "p", n_resamples=200).table,
    }


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["front", "board", "sets"])
def test_verbs(verb, answers, plain):
    pd.testing.assert_frame_equal(asked()[verb], answers[verb])


# --- what is said ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        (None, r"numba is not installed, so 20,000 rows .* pip install 'copa_nb\[fast\]'"),
        (object(), "COPA_NB_COMPILED is 0, so 20,000 rows"),
    ],
)
def test_a_large_table_is_told_once_why_it_takes_longer(plain, monkeypatch, compiler, said):
    monkeypatch.setattr(compiled, "_compiler", lambda: compiler)
    monkeypatch.setattr(compiled, "_ROWS_WORTH_A_WORD", 20_000)
    frame = pd.DataFrame(np.random.default_rng(0).random((20_000, 2)), columns=["a", "b"]).moo(a="min", b="min")
    with pytest.warns(compiled.NotCompiledWarning, match=said) as caught:
        frame.front()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame.copa()


def test_smaller_tables_are_told_nothing(plain):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not compiled.compiled_pays(99_999)


def test_without_numba_nothing_asks_for_it():
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "from tests.arrays.test_compiled import asked\n"
        "print(asked()['board']['tier'].tolist())\n"
        "from copa_nb.pareto.arrays.front_kernels import front_of_two\n"
        "print(type(front_of_two).__name__)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "function"
