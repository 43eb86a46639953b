"""What is on the front whatever the missing values are, compared with all values that matter."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import copa_nb
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.unknown_costs import certain_and_possible_front

WAYS = {"accuracy": "max", "co2_kg": "min"}
MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, None, 0.5], "co2_kg": [3.0, 1.0, 2.0, 5.0]}, index=["large", "small", "new", "old"]
).moo.define(**WAYS)


@st.composite
def tables(draw):
    """Small whole costs, up to three of them missing, and the ends between which these lie."""
    n, k = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    values = np.array(draw(st.lists(st.integers(0, 2), min_size=n * k, max_size=n * k)), dtype=float).reshape(n, k)
    cells = draw(st.lists(st.integers(0, n * k - 1), min_size=0, max_size=3, unique=True))
    ends = draw(st.sampled_from([(-np.inf, np.inf), (0.0, 2.0), (-1.0, 2.0), (0.0, np.inf), (0.5, 1.5), (1.0, 1.0)]))
    return values, np.array(cells, dtype=int), ends


def all_fronts(values, cells, ends):
    between = [x for x in (-0.5, 0.0, 0.3, 0.6, 1.0, 1.3, 1.6, 2.0, 2.5) if ends[0] <= x <= ends[1]]
    fronts = []
    for filling in itertools.product(sorted({*between, *ends}), repeat=len(cells)):
        filled = values.copy()
        filled.ravel()[cells] = filling
        fronts.append(nondominated(filled))
    return np.array(fronts)


@given(tables())
def test_both_are_what_all_values_of_the_missing_cells_give(table):
    values, cells, ends = table
    low, high = values.copy(), values.copy()
    low.ravel()[cells], high.ravel()[cells] = ends
    fronts = all_fronts(values, cells, ends)
    certain, possible = certain_and_possible_front(low, high)
    assert (certain == fronts.all(axis=0)).all()
    assert (possible == fronts.any(axis=0)).all()


def test_many_rows_agree_with_pairs():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 30, size=(400, 3)).astype(float)
    missing = rng.random(values.shape) < 0.05
    low, high = np.where(missing, 0.0, values), np.where(missing, 29.0, values)

    def dominated(best, worst):
        rows = np.arange(len(best))
        return [
            (((best <= row) & (rows[:, None] != i)).all(1) & (best < row).any(1)).any() for i, row in enumerate(worst)
        ]

    certain, possible = certain_and_possible_front(low, high)
    assert (~certain == dominated(low, high)).all()
    assert (~possible == dominated(high, low)).all()
    assert 0 < certain.sum() < possible.sum() < 400


def test_the_front_lists_what_may_be_on_it():
    front = MODELS.moo.front(nan_policy="bounds")
    assert front["certain"].to_dict() == {"large": False, "small": True, "new": False}
    assert front.drop(columns="certain").equals(MODELS.drop("old"))
    marks = MODELS.moo.is_front(nan_policy="bounds")
    assert marks.dtype == "boolean"
    assert marks.isna().to_dict() == {"large": True, "small": False, "new": True, "old": False}
    assert marks.dropna().to_dict() == {"small": True, "old": False}


def test_bounds_decide_more():
    front = MODELS.moo.front(nan_policy="bounds", bounds={"accuracy": (0, 0.7)})
    assert front["certain"].to_dict() == {"large": True, "small": True}


def test_without_missing_values_all_is_certain():
    full = MODELS.dropna()
    assert full.moo.is_front(nan_policy="bounds").tolist() == full.moo.is_front().tolist()


def test_groups_are_judged_one_by_one():
    both = pd.concat([MODELS, MODELS.dropna()], keys=["gaps", "full"], names=["table", "model"])
    marks = both.moo.is_front(objectives=WAYS, by="table", nan_policy="bounds")
    assert marks["gaps"].isna().sum() == 2
    assert marks["full"].tolist() == [True, True, False]


def test_frames_of_other_libraries_get_the_column():
    table = pl.from_pandas(MODELS.reset_index())
    front = copa_nb.front(table, objectives=WAYS, nan_policy="bounds")
    assert isinstance(front, pl.DataFrame)
    assert front["certain"].to_list() == [False, True, False]
    assert front["index"].to_list() == ["large", "small", "new"]
    assert copa_nb.is_front(table, objectives=WAYS, nan_policy="bounds").to_list() == [None, True, None, False]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"keep": "first"}, ValueError, '`keep` is "first", but which rows are equal'),
        ({"bounds": [(0, 1)]}, TypeError, "`bounds` must map objectives to pairs"),
        ({"bounds": {"accuracy": 1}}, ValueError, "`bounds` must map objectives to pairs.*gives 1"),
        ({"bounds": {"accuracy": (1, 0)}}, ValueError, r"the first is the smaller end: \(0, 1\)"),
        ({"bounds": {"accuracy": ("a", 1)}}, ValueError, "gives 'a' as an end for 'accuracy'"),
        ({"bounds": {"acuracy": (0, 1)}}, ValueError, "Did you mean 'accuracy'"),
        ({"bounds": {"co2_kg": (0, 0.5)}}, ValueError, "whose values lie between 1 and 5; give the bounds in the unit"),
        ({"bounds": {"accuracy": (0, 1)}, "nan_policy": "worst"}, ValueError, 'pass nan_policy="bounds"'),
        ({"nan_policy": "bound"}, ValueError, "allowed are 'raise', 'omit', 'worst', 'bounds'"),
    ],
)
def test_what_does_not_fit_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        MODELS.moo.front(**({"nan_policy": "bounds"} | options))


def test_a_column_is_not_overwritten():
    with pytest.raises(ValueError, match=r"has a column 'certain'.*rename it"):
        MODELS.assign(certain=1).moo.front(nan_policy="bounds")
