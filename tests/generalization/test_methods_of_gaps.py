"""What is asked further of a gap knows the search, the groups and the options that it was measured with."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest

from copa_nb.generalization.groups import GapOfGroups
from copa_nb.results.note import Note
from tests import asked

BOTH = {"p": "max", "r": "max"}
ORIGIN = {"p": 0.0, "r": 0.0}


@pytest.fixture
def runs():
    rng = np.random.default_rng(4)
    scores = pd.DataFrame(rng.random((60, 4)), columns=["val_p", "val_r", "test_p", "test_r"])
    return scores.assign(method=np.repeat(["x", "y", "z"], 20), seed=np.tile(np.repeat([1, 2], 10), 3),
                         step=np.tile(rng.permutation(10), 6))  # fmt: skip


def test_a_group_has_the_curve_that_it_has_alone(runs):
    options = {"objectives": BOTH, "reference": ORIGIN, "order": "step", "keep": "first", "where": "val_p > 0.2"}
    gaps = asked.gap(runs, by="method", repeat="seed", **options)
    assert isinstance(gaps, GapOfGroups)
    curves = gaps.budgets([4, 10]).curves
    alone = asked.gap(runs[runs["method"] == "y"], repeat="seed", **options)
    for found in (gaps["y"].budgets([4, 10]), alone.budgets([4, 10])):
        expected = curves[curves["method"] == "y"].drop(columns="method").reset_index(drop=True)
        pd.testing.assert_frame_equal(found.curves, expected)
    one = gaps["y"].gaps[2].budgets([10])
    assert one.table[10]["gap"] == gaps["y"].gaps[2].gap
    assert not one.by
    assert not one.repeat
    pd.testing.assert_frame_equal(gaps["y"].overtuning().table, alone.overtuning().table)


def test_a_changed_table_changes_no_answer(runs):
    found = asked.gap(runs, objectives=BOTH, by="method", repeat="seed", order="step")
    before = found.budgets([5]).table
    runs.loc[:, ["val_p", "test_p", "step"]] = 0
    pd.testing.assert_frame_equal(found.budgets([5]).table, before)
    again = pickle.loads(pickle.dumps(found["x"].gaps[1]))
    pd.testing.assert_frame_equal(again.budgets([5]).table, found["x"].gaps[1].budgets([5]).table)


def test_groups_are_compared_in_pairs_under_their_names(runs):
    pairs = asked.gap(runs, objectives=BOTH, by="method").compare()
    assert list(pairs) == [("x", "y"), ("x", "z"), ("y", "z")]
    assert pairs["x", "z"].names == ("x", "z")
    repeated = asked.gap(runs, objectives=BOTH, by="method", repeat="seed")
    assert repeated["z"].compare(repeated["x"]).names == ("z", "x")
    single = asked.gap(runs, objectives=BOTH)
    assert single.compare(single).names == ("A", "B")
    with pytest.raises(TypeError, match="the gap of one search is compared with that of another search"):
        single.compare(repeated["x"])


def test_the_code_of_an_explorer_gives_its_gap(runs):
    gaps = asked.gap(runs, objectives=BOTH, by=["method", "seed"], order="step", reference=ORIGIN, where="val_p > 0.2")
    with gaps["y", 2].explore() as explorer:
        explorer.set_budget(6)
        found = eval(explorer.code, {"df": runs})
        pd.testing.assert_series_equal(found.summary, explorer.gap.summary)


def test_resamples_hold_no_search(runs):
    found = asked.gap(runs, objectives=BOTH, reference=ORIGIN)
    metrics = dict.fromkeys(BOTH, "mean")
    scores = pd.DataFrame(np.random.default_rng(1).random((60, 8)), index=runs.index)
    with pytest.raises(TypeError, match="resample of a test set"):
        found.bootstrap(scores, metrics=metrics, n_resamples=2).budgets()
    with pytest.raises(ValueError, match="`metrics` is 'p'"):
        found.bootstrap(scores)


def test_a_gap_of_many_searches_says_which_one_has_an_explorer(runs):
    for options in ({"by": "method"}, {"repeat": "seed"}, {"by": "method", "repeat": "seed"}):
        gap = asked.gap(runs, objectives=BOTH, reference=ORIGIN, **options)
        note = gap.explore()
        assert isinstance(note, Note)
        line = re.search(r"explore one of them: (.*)\.$", note)[1]
        with eval(line, {"gap": gap}) as explorer:
            assert explorer.gap.reference == ORIGIN
    said = asked.gap(runs, objectives=BOTH, by="method").explain()
    assert all(f"{method}: " in said for method in "xyz")
