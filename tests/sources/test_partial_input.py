"""What sources say of studies, searches and logs that are empty, cut, or of another shape: a sentence, no traceback."""

import pandas as pd
import pytest

from copa_nb import from_amlb, from_cv_results, from_lm_eval, from_long, from_wandb
from copa_nb.sources.described import number_repeated, numbers_where_all_are

CRASHED = pd.DataFrame({"Name": ["a", "b"], "State": ["crashed", "killed"], "acc": [None, None], "Runtime": [1, 2]})
FOLDS = pd.DataFrame({"task": "t", "framework": ["A", "B"], "fold": 0, "result": [0.1, "failed"]})
LONG = pd.DataFrame({"m": ["a"], "k": ["acc"], "v": [1.0]})


CASES = {
    "crashed runs": (from_wandb, CRASHED, {"acc": "max"}, "no runs to compare: 2 in all, 1 crashed, 1 killed"),
    "no run of W&B": (from_wandb, [], {"acc": "max"}, "has no runs to compare"),
    "an empty long table": (from_long, LONG[:0], {"system": "m", "metric": "k", "value": "v", "acc": "max"}, "no rows"),
    "results that are words": (from_amlb, FOLDS, {}, "1 value in column 'result' that is not a number, e.g. 'failed'"),
    "a search of nothing": (from_cv_results, {"params": [], "mean_test_score": []}, {}, "for 0 candidates"),
    "a search that is cut": (from_cv_results, {"params": [{}], "mean_test_a": [1, 2]}, {}, "2 values of 'mean_test_a'"),
    "no splits": (from_cv_results, {"params": [{}], "mean_test_a": [1]}, {"splits": True}, "no scores of single"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_read_is_said(case):
    read, source, options, said = CASES[case]
    with pytest.raises(ValueError, match=said):
        read(source, **options)


def test_a_metric_that_is_a_word_in_some_run_is_refused_with_the_word():
    runs = pd.DataFrame({"Name": ["a", "b"], "State": "finished", "acc": [0.5, "diverged"], "ms": [1, 2]})
    with pytest.raises(TypeError, match="'diverged' is not a number"):
        from_wandb(runs, acc="max").moo.front()


def test_a_task_whose_directions_are_null_has_none():
    results = {"model_name": "a", "higher_is_better": {"t": None}, "configs": None, "results": {"t": {"acc,none": 0.1}}}
    table = from_lm_eval(results)
    assert "moo" not in table.attrs
    assert "do not state whether more or less is better for 't/acc'" in table.attrs["notes"][0]


def test_numbers_that_tell_names_apart_are_those_that_are_free():
    notes = []
    frame = number_repeated(pd.DataFrame({"x": range(5)}, index=["a", "a (2)", "b", "a", "a"]), notes)
    assert frame.index.tolist() == ["a", "a (2)", "b", "a (3)", "a (4)"]
    assert notes == ["Some rows share a name; they are numbered, e.g. 'a (3)'."]


def test_settings_are_numbers_where_all_of_them_are():
    assert numbers_where_all_are(pd.Series(["1", "2.5"])).tolist() == [1.0, 2.5]
    assert numbers_where_all_are(pd.Series(["1", "none"])).tolist() == ["1", "none"]
