"""Ranks and orders from packed keys, also where numbers agree in all the bits that were kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import rankdata

from copa_nb.arrays import parallel, sorting
from copa_nb.arrays.sorting import sorted_keys
from copa_nb.ranking.arrays import criterion
from copa_nb.ranking.arrays.ranks import shares_and_rank_sums
from tests.strategies import SMALL

ANY = st.floats(allow_nan=False, allow_subnormal=True)
# Next to each other in the last digits, beside numbers so far away that the last digits find no room.
CLOSE = st.one_of(
    st.integers(-9, 9).map(lambda steps: 1.0 + steps * np.spacing(1.0)), st.sampled_from([-1e300, 1e300, 0.0, -0.0])
)
COLUMNS = st.sampled_from([ANY, CLOSE, SMALL]).flatmap(
    lambda elements: hnp.arrays(np.float64, st.integers(1, 80), elements=elements)
)


@given(COLUMNS)
def test_keys_are_in_the_order_of_the_numbers(column):
    packed = sorted_keys(column)
    rows = (packed.keys & np.uint64(2**packed.row_bits - 1)).astype(int)
    assert sorted(rows) == list(range(len(column)))
    leading = packed.keys >> np.uint64(packed.row_bits)
    differs = leading[1:] != leading[:-1]
    assert (column[rows][1:][differs] > column[rows][:-1][differs]).all()
    if packed.lost_bits == 0:
        assert rows.tolist() == np.argsort(column, kind="stable").tolist()


@given(COLUMNS)
def test_compiled_ranks_are_scipys(column):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "compiled_pays", lambda n_rows: True)
        np.testing.assert_array_equal(sorting.column_ranks(column), rankdata(column, method="min") - 1)


@pytest.mark.parametrize("close", [20, 60])
def test_runs_of_close_numbers_are_ranked_whether_short_or_long(close, monkeypatch):
    monkeypatch.setattr(sorting, "compiled_pays", lambda n_rows: True)
    rng = np.random.default_rng(0)
    steps = np.concatenate((rng.permutation(close), np.arange(5)))
    column = np.concatenate((1.0 + steps * np.spacing(1.0), [-1e300, 1e300]))
    packed = sorted_keys(column)
    assert len(np.unique(packed.keys >> np.uint64(packed.row_bits))) < close / 4
    np.testing.assert_array_equal(sorting.column_ranks(column), rankdata(column, method="min") - 1)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, np.inf]), st.integers(1, 4))
def test_the_compiled_order_is_the_plain_one(seed, p, levels):
    rng = np.random.default_rng(seed)
    normalized = rng.integers(0, levels + 1, (200, 3)) / levels
    weights, sums = rng.dirichlet(np.ones(3)), rng.integers(0, 3, 200)
    plain, quick = _both_orders(normalized, weights, p, sums)
    for expected, found in zip(plain, quick, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_scores_too_far_apart_for_exact_keys_are_ordered_all_the_same():
    rng = np.random.default_rng(0)
    normalized = 10.0 ** rng.integers(-300, 300, (20_000, 2)) * rng.integers(1, 3, (20_000, 2))
    sums = rng.integers(0, 3, 20_000)
    assert sorted_keys(normalized[:, 0]).lost_bits > 13
    plain, quick = _both_orders(normalized, np.array([0.5, 0.5]), np.inf, sums)
    for expected, found in zip(plain, quick, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("levels", [1, 4, 1000])
def test_ranks_are_ordered_as_the_shares_that_they_stand_for(p, levels, monkeypatch):
    rng = np.random.default_rng(levels)
    shares, sums = shares_and_rank_sums(rng.integers(0, levels, (700, 4)).astype(float))
    weights = np.array([0.5, 0.0, 0.2, 0.3])
    plain, quick = _both_orders(shares, weights, p, sums)
    monkeypatch.setattr(parallel, "_WORTH_THREADS", 1)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    shared = _both_orders(shares, weights, p, sums)[1]
    for expected, *found in zip(
        criterion.best_to_worst(shares[:], weights, p, sums), plain, quick, shared, strict=True
    ):
        for result in found:
            np.testing.assert_array_equal(result, expected)


def _both_orders(normalized, weights, p, sums):
    found = []
    for compiled in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(criterion, "compiled_pays", lambda n_rows, compiled=compiled: compiled)
            found.append(criterion.best_to_worst(normalized, weights, p, sums))
    return found
