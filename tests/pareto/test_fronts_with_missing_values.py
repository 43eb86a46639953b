"""What is on the front whatever the missing values are, compared with all values that matter."""

import ast
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.unknown_costs import certain_and_possible_front
from tests import asked

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
    front = asked.front(MODELS, nan_policy="bounds")
    assert front["certain"].to_dict() == {"large": False, "small": True, "new": False}
    assert front.drop(columns="certain").equals(MODELS.drop("old"))
    layers = asked.layers(MODELS, 1, nan_policy="bounds")
    assert layers.isna().to_dict() == {"large": True, "small": False, "new": True, "old": False}
    assert layers.dropna().to_dict() == {"small": 1, "old": 2}
    with pytest.raises(ValueError, match="for the front alone"):
        asked.layers(MODELS, 2, nan_policy="bounds")


def test_bounds_decide_more():
    front = asked.front(MODELS, nan_policy="bounds", bounds={"accuracy": (0, 0.7)})
    assert front["certain"].to_dict() == {"large": True, "small": True}


def test_without_missing_values_all_is_certain():
    full = MODELS.dropna()
    assert asked.layers(full, 1, nan_policy="bounds").tolist() == full.moo.layers(1).tolist()


def test_groups_are_judged_one_by_one():
    both = pd.concat([MODELS, MODELS.dropna()], keys=["gaps", "full"], names=["table", "model"])
    layers = asked.layers(both, 1, objectives=WAYS, by="table", nan_policy="bounds")
    assert layers["gaps"].isna().sum() == 2
    assert layers["full"].tolist() == [1, 1, 2]


def test_frames_of_other_libraries_get_the_column():
    table = pl.from_pandas(MODELS.reset_index())
    front = asked.front(table, objectives=WAYS, nan_policy="bounds")
    assert isinstance(front, pl.DataFrame)
    assert front["certain"].to_list() == [False, True, False]
    assert front["index"].to_list() == ["large", "small", "new"]
    assert asked.layers(table, 1, objectives=WAYS, nan_policy="bounds").to_list() == [None, 1, None, 2]


@pytest.mark.parametrize("ends", [(60, 600), (60, None), (60, 60), (5, 600), (None, 60)])
def test_runs_that_were_stopped_took_longer_than_all_others(ends):
    ways = {"accuracy": "max", "seconds": "min"}
    frame = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7, 0.95], "seconds": [50.0, 10.0, None, None]})
    found = asked.layers(frame, 1, objectives=ways, nan_policy="bounds", bounds={"seconds": ends}) == 1
    low, high = (-1e9 if ends[0] is None else ends[0]), (1e9 if ends[1] is None else ends[1])
    grid = [value for value in (low, 7, 10, 30, 50, 60, 100, 600, high) if low <= value <= high]
    fronts = np.array(
        [
            nondominated(np.column_stack([-frame["accuracy"], [50.0, 10.0, *pair]]))
            for pair in itertools.product(grid, repeat=2)
        ]
    )
    expected = [True if one.all() else False if not one.any() else pd.NA for one in fronts.T]
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("objective", "values", "ends", "widened"),
    [
        ("max", [60.0, 90.0], (0, 1), (0, 60)),  # a share where the column has percentages
        ("max", [0.6, 0.9], (60, 90), (0.9, 90)),  # and the other way around
        ("min", [1.0, 5.0], (0, 0.5), (0, 1)),  # better than everything that was observed
        ("max", [0.6, 0.9], (0.95, None), (0.9, None)),
    ],
)
def test_bounds_in_another_unit_are_refused_with_what_includes_them(objective, values, ends, widened):
    frame = pd.DataFrame({"x": [*values, None]})
    words = rf"lie between {min(values):g} and {max(values):g}; give the bounds in the unit of the column"
    with pytest.raises(ValueError, match=words) as said:
        asked.front(frame, objectives={"x": objective}, nan_policy="bounds", bounds={"x": ends})
    offered = ast.literal_eval(str(said.value).rpartition("observed: ")[2].rstrip("."))
    assert offered == widened
    asked.front(frame, objectives={"x": objective}, nan_policy="bounds", bounds={"x": offered})
    # A single value, such as that of a run that failed, is the same in all units if it is the worse one.
    failed = {"max": 0, "min": 1e6}[objective]
    asked.front(frame, objectives={"x": objective}, nan_policy="bounds", bounds={"x": (failed, failed)})


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"keep": "first"}, ValueError, '`keep` is "first", but which rows are equal'),
        ({"bounds": [(0, 1)]}, TypeError, "`bounds` must map objectives to pairs"),
        ({"bounds": {"accuracy": 1}}, ValueError, "`bounds` must map objectives to pairs.*gives 1"),
        ({"bounds": {"accuracy": (1, 0)}}, ValueError, r"the first is the smaller end: \(0, 1\)"),
        ({"bounds": {"accuracy": ("a", 1)}}, ValueError, "gives 'a' as an end for 'accuracy'"),
        ({"bounds": {"acuracy": (0, 1)}}, ValueError, "Did you mean 'accuracy'"),
        ({"nan_policy": "bound"}, ValueError, "allowed are 'raise', 'omit', 'worst', 'pairwise', 'bounds'"),
    ],
)
def test_what_does_not_fit_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        asked.front(MODELS, **({"nan_policy": "bounds"} | options))


def test_a_column_is_not_overwritten():
    with pytest.raises(ValueError, match=r"has a column 'certain'.*rename it"):
        asked.front(MODELS.assign(certain=1), nan_policy="bounds")
