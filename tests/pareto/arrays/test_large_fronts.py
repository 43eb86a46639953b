"""The paths for large tables on small ones: whatever they skip, the front and the ranks are those of the definition."""

import subprocess
import sys

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.arrays import compiled, parallel, sorting
from copa_nb.pareto.arrays import dominance, large_fronts
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.front_kernels import keep_strongest
from copa_nb.pareto.arrays.large_fronts import front_by_blocks, large_front, prefilter
from copa_nb.ranking.arrays import ranks as ranking
from tests import definitions
from tests.strategies import FINE, SMALL, WITH_INFINITIES, values

# What rows of random numbers become in a table of each kind.
KINDS = {
    "uniform": lambda rng, array: array,
    "front": lambda rng, array: array / array.sum(axis=1, keepdims=True),
    "nearly": lambda rng, array: array / array.sum(axis=1, keepdims=True) / (1.0 + 0.02 * rng.random((len(array), 1))),
    "ties": lambda rng, array: np.floor(array * 5),
    "equal": lambda rng, array: np.ones(array.shape),
    "constant": lambda rng, array: np.where(np.arange(array.shape[1]) > 0, array[0], array),
    "correlated": lambda rng, array: 0.3 * array + rng.random((len(array), 1)),
    "scales": lambda rng, array: np.exp(5 * array) * 10.0 ** np.linspace(-300, 300, array.shape[1]),
    "infinite": lambda rng, array: np.where(
        rng.random(array.shape) < 0.01, -np.inf, np.where(rng.random(array.shape) < 0.2, np.inf, array)
    ),
}
KEEP = st.sampled_from(["all", "first"])
ELEMENTS = st.sampled_from([SMALL, FINE, WITH_INFINITIES])


def whole_table(kind, n_rows, k):
    rng = np.random.default_rng(k)
    return KINDS[kind](rng, rng.random((n_rows, k)))


@given(ELEMENTS.flatmap(lambda e: values(elements=e, min_columns=2, max_columns=5, max_rows=40)), KEEP)
def test_large_front_is_the_definition(array, keep):
    found = large_front(np.asfortranarray(array), keep, dominance._front)
    np.testing.assert_array_equal(found, definitions.front(array, keep))


@given(ELEMENTS.flatmap(lambda e: values(elements=e, min_columns=2, max_columns=3, max_rows=40)), KEEP)
def test_sweeps_need_no_rows_to_be_dropped_before(array, keep):
    columns = np.ascontiguousarray(array.T)
    np.testing.assert_array_equal(
        large_fronts._exact_front(columns, array, keep, dominance._front), definitions.front(array, keep)
    )


@pytest.mark.parametrize("keep", ["all", "first"])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("kind", ["uniform", "front", "ties", "equal", "constant", "scales", "infinite"])
def test_large_front_of_whole_tables(kind, k, keep):
    array = whole_table(kind, 1200, k)
    expected = definitions.front(array, keep)
    np.testing.assert_array_equal(large_front(array, keep, dominance._front), expected)
    ranks = np.array([ranking.column_ranks(column) for column in np.ascontiguousarray(array.T)])
    np.testing.assert_array_equal(large_front(ranks.T, keep, dominance._front), expected)


@pytest.mark.parametrize("levels", [3, 1_000_000])
@pytest.mark.parametrize("count", [1, 5, 8, 9, 40])
def test_strong_rows_drop_what_they_dominate(count, levels):
    rng = np.random.default_rng(count)
    columns = rng.integers(0, levels, (5, 600)).astype(float)
    strong = np.ascontiguousarray(columns[:, rng.permutation(600)[:count]].T)
    dominated = dominance.dominates(strong, columns.T).any(axis=0)
    np.testing.assert_array_equal(large_fronts._undominated(columns, strong), ~dominated)


@given(ELEMENTS.flatmap(lambda e: values(elements=e, max_rows=40)))
def test_compiled_ranks_are_the_definition(array):
    counted = (array[None] < array[:, None]).sum(axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "compiled_pays", lambda n_rows: True)
        patch.setattr(ranking, "_ROWS_WORTH_SORTING", 1)
        np.testing.assert_array_equal(ranking.strictly_better(array, array), counted)
        np.testing.assert_array_equal(ranking.strictly_better(array, array.copy()), counted)
        shares, sums = ranking.shares_and_rank_sums(array)
    np.testing.assert_array_equal(shares, counted / len(array))
    np.testing.assert_array_equal(sums, counted.sum(axis=1))


def test_threads_change_nothing(monkeypatch):
    array = np.random.default_rng(0).random((5000, 5))
    alone = nondominated(array), ranking.empirical_cdf(array)
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    np.testing.assert_array_equal(large_front(array, "all", dominance._front), alone[0])
    np.testing.assert_array_equal(ranking.empirical_cdf(array), alone[1])


@pytest.mark.parametrize("count", [1, 2, 7, 50])
def test_the_strongest_rows_have_the_smallest_sums(count):
    columns = np.random.default_rng(count).permutation(120).reshape(3, 40).astype(float)
    columns[:, 0] = [-np.inf, 60.0, 60.0]
    columns[:, 1] = [np.inf, 0.0, 0.0]
    columns[:, 2] = [np.inf, -np.inf, 7.0]
    origin, step = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5, 2.0])
    # Infinite costs count as a million steps, so that they can make up for each other.
    sums = ((columns - origin[:, None]) * step[:, None]).clip(-1e6, 1e6).sum(axis=0)
    for start, stop in ((0, 40), (5, 31)):
        scores, rows = np.full(count, np.inf), np.full(count, -1)
        keep_strongest(columns, origin, step, start, stop, scores, rows)
        expected = start + np.argsort(sums[start:stop], kind="stable")[:count]
        assert rows[: len(expected)].tolist() == expected.tolist()
        np.testing.assert_allclose(scores[: len(expected)], sums[expected])
        assert (rows[len(expected) :] == -1).all()


def test_scales_measure_from_the_best_in_steps_to_the_median():
    sample = np.array([[3.0, 1.0, 11.0, 5.0], [-1.7e308, 1.7e308, 0.0, 1.0], [7.0] * 4, [np.inf, 2.0, 4.0, np.inf]])
    origin, step = large_fronts._scale(np.vstack([sample, np.full(4, np.inf)]))
    np.testing.assert_allclose(origin, [1.0, -1.7e308, 7.0, 2.0, 0.0])
    np.testing.assert_allclose(step, [1 / 3, 1 / 1.7e308, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("count", [1, 3, 9])
def test_the_strongest_rows_are_found_wherever_they_stand(count, monkeypatch):
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    columns = np.array([[0.0, 5.0, 3.0, 1.0, 4.0], [0.0, 5.0, 3.0, 1.0, 3.0]])
    found = large_fronts._strongest(columns, np.zeros(2), np.ones(2), count)
    np.testing.assert_array_equal(found, columns[:, [0, 3, 2, 4, 1]].T[:count])


def test_a_sample_tells_whether_dropping_rows_pays():
    array = np.random.default_rng(2).random((3000, 4))
    alive = prefilter(np.ascontiguousarray(array.T))
    assert alive[nondominated(array)].all()
    assert alive.mean() < 1 - large_fronts._WORTH_DROPPING
    array /= array.sum(axis=1, keepdims=True)
    assert prefilter(np.ascontiguousarray(array.T)) is None


def _needs_compiled_loops(monkeypatch):
    """Skip without numba; and compile, also where the suite runs without."""
    numba = pytest.importorskip("numba")
    monkeypatch.setenv(compiled.VARIABLE, "1")
    return numba


@pytest.mark.parametrize("kind", ["uniform", "front", "ties"])
def test_results_are_the_same_on_both_sides_of_the_one_threshold(kind, monkeypatch):
    _needs_compiled_loops(monkeypatch)
    array = whole_table(kind, 1500, 4)
    answers = []
    for threshold in (len(array) + 1, len(array)):
        monkeypatch.setattr(compiled, "_ROWS_WORTH_COMPILING", threshold)
        assert compiled.compiled_pays(len(array)) is (threshold == len(array))
        assert not compiled.compiled_pays(len(array) - 1)
        front = dominance.contenders(array)
        front = front[nondominated(array[front])]
        answers.append((nondominated(array).tolist(), nondominated(array, keep="first").tolist(), front.tolist(),
                        ranking.empirical_cdf(array).tolist()))  # fmt: skip
    assert answers[0] == answers[1]
    assert answers[0][2] == np.flatnonzero(answers[0][0]).tolist()


@pytest.mark.slow
def test_small_tables_never_load_the_compiler(monkeypatch):
    _needs_compiled_loops(monkeypatch)
    code = (
        "import sys, numpy as np, pandas as pd, copa_nb\n"
        "table = pd.DataFrame(np.random.default_rng(0).random((19_999, 3)), columns=list('abc'))\n"
        "models = table.moo(a='min', b='min', c='max')\n"
        "models.front(), models.copa().best, models.hypervolume()\n"
        "copa_nb.datasets.load_deepobs().moo.posets().depth()\n"
        "scores = copa_nb.datasets.load_uci_classifiers().query('classifier < \"E\"')\n"
        "scores.moo.gsd_front(ordinal=['auc', 'brier_score'], bins=4)\n"
        "print('numba' in sys.modules)\n"
        "pd.concat([table, table]).moo(a='min', b='min', c='max').front()\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    numba = _needs_compiled_loops(monkeypatch)
    asked = []
    njit = numba.njit

    def without_cache(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**options)

    def double(x):
        return 2 * x

    with monkeypatch.context() as patch:
        patch.setattr(numba, "njit", without_cache)
        doubled = compiled.compiled(double)
    assert doubled(3) == 6
    # Without the lock in both cases: threads share the work.
    assert asked == [{"cache": True, "nogil": True}, {"nogil": True}]


# --- blocks ---------------------------------------------------------------------------------------------------


@given(ELEMENTS.flatmap(lambda e: values(elements=e, max_columns=6, max_rows=60)), KEEP)
def test_front_by_blocks_is_the_definition(array, keep):
    found = front_by_blocks(np.ascontiguousarray(array.T), keep)
    np.testing.assert_array_equal(found, definitions.front(array, keep))


@given(
    values(elements=SMALL, max_columns=5, max_rows=60), KEEP, st.sampled_from([1, 3, 64]), st.sampled_from([1, 2, 64]),
    st.sampled_from([1, 5, 256]), st.booleans(),
)  # fmt: skip
def test_the_cut_changes_nothing(array, keep, lanes, blocks_at_once, levels, wide):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_fronts, "_LANES", lanes)
        patch.setattr(large_fronts, "_BLOCKS_AT_ONCE", blocks_at_once)
        patch.setattr(large_fronts, "_LEVELS", levels)
        if wide:
            patch.setattr(large_fronts, "_LARGEST_SMALL_SUM", 0)
        found = front_by_blocks(np.ascontiguousarray(array.T), keep)
    np.testing.assert_array_equal(found, definitions.front(array, keep))


@pytest.mark.parametrize("keep", ["all", "first"])
@pytest.mark.parametrize("kind", ["uniform", "front", "nearly", "ties", "equal", "correlated", "infinite"])
@pytest.mark.parametrize("k", [4, 7, 20, 80])
def test_fronts_of_whole_tables_are_those_of_another_library(kind, k, keep):
    array = whole_table(kind, 3000, k)
    # The other library is asked about ranks: it cannot take infinite values.
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in array.T]).astype(float)
    expected = moocore.is_nondominated(ranks, keep_weakly=keep == "all")
    np.testing.assert_array_equal(front_by_blocks(np.ascontiguousarray(array.T), keep), expected)


def test_threads_and_more_rows_to_a_block_change_nothing(monkeypatch):
    columns = np.ascontiguousarray(whole_table("nearly", 5000, 5).T)
    alone = front_by_blocks(columns, "first")
    monkeypatch.setattr(large_fronts, "_ROWS_WORTH_MORE", 1)
    np.testing.assert_array_equal(front_by_blocks(columns, "first"), alone)
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    np.testing.assert_array_equal(front_by_blocks(columns, "first"), alone)
