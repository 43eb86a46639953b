"""Intervals given with values: what they must satisfy to be read as noise."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked
from tests.asked import scores_after_choice

WAYS = {"acc": "max", "cost": "min"}


@pytest.fixture
def models():
    return pd.DataFrame(
        {"acc": [0.9, 0.8, 0.7], "low": [0.88, 0.75, 0.7], "high": [0.92, 0.83, 0.72], "cost": [3.0, 2.0, 1.0]},
        index=["large", "medium", "small"],
    )


@pytest.mark.parametrize("verb", ["confident_front", "board"])
@pytest.mark.parametrize("way", ["max", "min"])
@pytest.mark.parametrize("value", [0.74, 0.84, 80.0])
def test_a_value_outside_its_own_interval_is_refused(models, verb, way, value):
    models.loc["medium", "acc"] = value
    with pytest.raises(ValueError, match=r"'acc' of medium is (0.74|0.84|80.0), outside its own interval from 0.75 to"):
        asked.ask(verb, models, standard_error={"acc": ("low", "high")}, objectives={**WAYS, "acc": way})


def test_ends_may_equal_the_value_up_to_rounding(models):
    level = np.mean([0.1, 0.1, 0.1])
    assert level != 0.1
    models[["acc", "low", "high"]] = [[0.1, level, 0.2], [0.5, 0.5, 0.6], [0.7, 0.6, 0.7]]
    found = asked.confident_front(models, standard_error={"acc": ("low", "high")}, objectives=WAYS)
    assert len(found.table) == 3


def test_rows_without_a_value_have_no_interval_to_check(models):
    models.loc["medium", "acc"] = np.nan
    with pytest.warns(RowsOmittedWarning):
        found = asked.confident_front(
            models, standard_error={"acc": ("low", "high")}, objectives=WAYS, nan_policy="omit"
        )
    assert sorted(found.table.index) == ["large", "small"]


# ------------------------------------------------------------------------------------------- what is missing on items


def lacking(n_items=40):
    """Two systems that are right on half of the items; the first has no row where it is wrong."""
    right = np.random.default_rng(3).random((n_items, 2)) < 0.5
    item, system = np.indices(right.shape).reshape(2, -1)
    frame = pd.DataFrame({"item": item, "system": system, "right": right.ravel() * 1.0, "cost": 2.0 - system})
    return frame[(frame["system"] == 1) | (frame["right"] == 1)]


ON_ITEMS = {"system": "system", "item": "item"}
VERBS = {
    "board": lambda frame, **given: asked.board(frame, **ON_ITEMS, objectives={"right": "max"}, **given),
    "front": lambda frame, **given: asked.confident_front(frame, **ON_ITEMS, objectives={"right": "max"}, **given),
    "cheaper": lambda frame, **given: asked.cheaper(
        frame, 0, cost="cost", **ON_ITEMS, objectives={"right": "max", "cost": "min"}, **given
    ),
    "compare": lambda frame, **given: asked.compare(
        frame, new=0, baseline=1, **ON_ITEMS, objectives={"right": "max"}, **given
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_items_are_never_left_out_where_a_system_may_have_failed(verb):
    for frame in (lacking(), lacking().assign(right=lambda rows: rows["right"].mask(rows.index == rows.index[0]))):
        with pytest.raises(ValueError, match=r'nan_policy="pairwise" to compare two systems on the items that both'):
            VERBS[verb](frame)
        with pytest.raises(ValueError, match=r'nan_policy="pairwise".*nan_policy="bounds"'):
            VERBS[verb](frame, nan_policy="omit")
        found = VERBS[verb](frame, nan_policy="pairwise")
        assert "missing_values" in [caveat.name for caveat in found.guarantee.warnings]


def test_a_verb_that_compares_no_pairs_says_what_to_do_instead():
    options = {**ON_ITEMS, "objectives": {"right": "max"}}
    for policy in ("raise", "omit"):
        with pytest.raises(ValueError, match=r"fillna\(0\) for answers that never came, or leave out the systems"):
            scores_after_choice(lacking(), **options, nan_policy=policy)


def test_a_repetition_without_a_value_counts_at_its_worst():
    """The mean of the repetitions that did not fail is no bound of the mean of all."""
    frame = pd.concat([lacking().assign(repeat=repeat) for repeat in range(2)], ignore_index=True)
    frame = frame[frame["item"].isin(lacking().query("system == 0")["item"])]
    frame["repeat"] = frame["item"].astype(str) + "-" + frame["repeat"].astype(str)
    second = frame["repeat"].str.endswith("1") & (frame["item"] % 2 == 0)
    failed = frame.assign(right=frame["right"].mask((frame["system"] == 0) & second))
    options = {"objectives": {"right": "max"}, **ON_ITEMS, "repeat": "repeat", "nan_policy": "bounds"}
    whole = frame.assign(right=frame["right"].mask(frame["system"] == 0).fillna(1.0))
    assert asked.board(whole, **options).may_be_first == [0]
    assert set(asked.board(failed, **options).may_be_first) == {0, 1}


@pytest.mark.parametrize("verb", [asked.board, scores_after_choice])
def test_runs_that_failed_are_named_as_a_doubt(verb):
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"system": np.repeat(list("abc"), 25), "run": [*range(25)] * 3, "error": rng.normal(size=75)})
    options = {"system": "system", "repeat": "run", "objectives": {"error": "min"}}
    assert verb(runs, **options).guarantee.warnings == ()
    runs.loc[[2, 30], "error"] = np.nan
    with pytest.warns(RowsOmittedWarning, match="2 of 75 rows"):
        (caveat,) = verb(runs, **options, nan_policy="omit").guarantee.warnings
    assert caveat.name == "missing_values"
    assert caveat.sentence.startswith("2 runs with missing values were left out")
