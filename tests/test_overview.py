"""What ``df.moo`` prints of a table that is not described: what it is, and lines that run when they are pasted."""

import pandas as pd
import pytest

import copa_nb

MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "cost": [3.0, 1.0, 2.0]}, index=pd.Index(list("abc"), name="model"))
RUNS = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "acc": [0.5, 0.6, 0.8, 0.7], "ms": [3.0, 4, 9, 8]})
ITEMS = RUNS.rename(columns={"seed": "task"})
SEARCH = pd.DataFrame({"val_f1": [0.5, 0.6, 0.4], "test_f1": [0.4, 0.5, 0.6], "lr": [0.1, 0.2, 0.3]})


def pasted(frame):
    """The answer of the last two lines."""
    first, second = repr(frame.moo).removesuffix(">").splitlines()[-2:]
    names = {"df": frame, "copa_nb": copa_nb}
    exec(first.strip(), names)
    return names["df"].moo.description, eval(second, names)


@pytest.mark.parametrize(
    ("frame", "described", "answer"),
    [
        (MODELS, {"objectives": {"acc": "max", "cost": "min"}}, "Selection"),
        (
            MODELS.assign(cost=[3.0, None, 2.0]),
            {"objectives": {"acc": "max", "cost": "min"}, "nan_policy": "omit"},
            "Selection",
        ),
        (RUNS, {"objectives": {"acc": "max", "ms": "min"}, "system": "model", "repeat": "seed"}, "Stability"),
        (ITEMS, {"objectives": {"acc": "max", "ms": "min"}, "system": "model", "item": "task"}, "Board"),
        (
            ITEMS.drop(index=1),
            {"objectives": {"acc": "max", "ms": "min"}, "system": "model", "item": "task", "nan_policy": "pairwise"},
            "Board",
        ),
        (SEARCH, {"objectives": {"f1": "max"}}, "GapOfSearch"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_lines_to_paste_describe_the_table_and_answer(frame, described, answer):
    said, found = pasted(frame)
    assert said == described
    assert type(found).__name__ == answer


def test_columns_are_named_by_what_they_are():
    frame = MODELS.assign(size=["7B", "13B", "70B"], kind=["x", "y", "x"], cost=[1.0, None, 2.0])
    said = repr(frame.moo)
    assert "\n names    model\n" in said
    assert "\n numbers  acc · cost (1 missing)\n" in said
    assert "\n text     size · kind\n" in said
    assert """as text  size, e.g. '7B': copa_nb.parse_numbers(df, ["size"]) makes numbers of it""" in said
    assert copa_nb.parse_numbers(frame, ["size"])["size"].tolist() == [7, 13, 70]
    assert "as text" not in repr(frame.drop(columns="size").moo)


def test_what_is_particular_about_rows_is_a_sentence():
    assert "rows     Columns 'model' and 'seed' number runs" in repr(RUNS.moo)
    assert "rows     Columns 'model' and 'task' say that rows are scores of systems on items" in repr(ITEMS.moo)
    assert "1 row repeats another one in all columns" in repr(pd.concat([RUNS, RUNS[:1]]).reset_index(drop=True).moo)
    assert "repeat" not in repr(MODELS.moo)
    assert "repeat" not in repr(MODELS.assign(acc=1.0, cost=1.0).moo), "rows have different names"
    assert "The same in all rows: cost; that decides nothing." in repr(
        MODELS.assign(cost=1.0).moo(acc="max", cost="min")
    )
    assert "The same in all rows" not in repr(MODELS.moo)
    alone = repr(MODELS[:1].moo(acc="max"))
    assert alone.startswith("<moo: 1 row\n")
    assert "One row alone has nothing to be compared with." in alone
    lists = MODELS.assign(tags=[["x"], ["x"], []])
    assert "no objectives defined" in repr(lists.moo), "cells that have no equal are no obstacle"


def test_directions_that_a_merge_lost_are_missed():
    described = MODELS.moo.define(acc="max", cost="min").reset_index()
    joined = described.merge(pd.DataFrame({"model": list("abc"), "license": list("xyz")}), on="model")
    assert not joined.attrs
    with pytest.raises(ValueError, match=r"pandas drops descriptions in merge.*joined\.moo\.define\(models\)"):
        joined.moo.copa()


def test_missing_values_of_objectives_say_what_to_say():
    gaps = MODELS.assign(cost=[3.0, None, 2.0]).moo.define(acc="max", cost="min")
    said = repr(gaps.moo)
    assert "values   cost (1 missing)" in said
    assert 'hypervolume: values are missing; say what they are worth, df.moo.define(nan_policy="omit")' in said
    with pytest.raises(ValueError, match=r'say df\.moo\.define\(nan_policy="omit"\) to leave those rows out'):
        gaps.moo.copa()
    assert "\n choose   front" in repr(gaps.moo.define(nan_policy="omit").moo)
