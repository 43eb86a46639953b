"""The analysis that chooses: measurements of several rows per system, and the page's first screen."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.note import Note
from copa_nb.results.sentences import say
from tests.analyses.answering import answered, requests
from tests.asked import scores_after_choice

select = requests("select")
WAYS = {"objectives": {"correct": "max", "cost": "min"}}
MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.6], "ms": [9.0, 5.0, 4.0, None]}, index=pd.Index(list("abcd"), name="model")
)


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    rows = [(f"m{m}", q, float(rng.random() < 0.5 + 0.05 * m), m + rng.random()) for m in range(6) for q in range(40)]
    return pd.DataFrame(rows, columns=["model", "question", "correct", "cost"])


@pytest.mark.parametrize("column", ["item", "repeat"])
def test_the_choice_is_by_means_and_its_scores_allow_for_it(log, column):
    found = answered(select(table=log, system="model", **{column: "question"}, **WAYS))
    means = log.groupby("model")[["correct", "cost"]].mean()
    choice = means.moo(correct="max", cost="min").copa()
    assert found.best == choice.best
    pd.testing.assert_frame_equal(found.inputs.frame[["correct", "cost"]], means, check_names=False)
    expected = scores_after_choice(
        log, system="model", **{column: "question"}, objectives={"correct": "max", "cost": "min"}
    )
    pd.testing.assert_frame_equal(found.intervals().table, expected.table)
    assert say(expected.in_short()) in found.to_answer().certainty
    assert found.stability().over == ("population" if column == "item" else "runs")


def test_standard_errors_of_named_rows(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("model,correct,se,cost\na,0.9,0.02,3\nb,0.8,0.03,2\nc,0.5,0.01,1\n", encoding="utf-8")
    found = answered(select(table=str(path), standard_error={"correct": "se"}, **WAYS))
    low, high = found.intervals().table.loc["correct", ["low", "high"]]
    assert low < found.values["correct"] < high
    plain = answered(select(table=str(path), **WAYS))
    assert isinstance(plain.intervals(), Note)
    assert "standard_error" in plain.intervals()


def test_several_rows_of_a_system_need_its_name(log):
    with pytest.raises(ValueError, match=r"systems that are not named"):
        select(table=log, item="question", **WAYS).check()


def test_rows_that_are_left_out_are_not_among_the_candidates():
    found = answered(select(table=MODELS, objectives={"accuracy": "max", "ms": "min"}, nan_policy="omit"))
    assert found.table.index.sort_values().tolist() == ["a", "b", "c"]


def test_a_choice_among_unknown_values_is_that_of_the_verb():
    asked = select(
        table=MODELS, objectives={"accuracy": "max", "ms": "min"}, nan_policy="bounds", bounds={"ms": "0:10"}, p="2"
    )
    found = answered(asked)
    expected = MODELS.moo(accuracy="max", ms="min", nan_policy="bounds", bounds={"ms": (0, 10)}).copa(p=2)
    assert found.table.equals(expected.table)
    values = found.to_answer().values
    assert (values["certain"], values["possible"]) == (expected.certain, expected.possible)


@pytest.mark.parametrize("wrong", ["1", "0:1:2", "a:b", [1], 3])
def test_ends_that_are_no_pair_are_refused(wrong):
    with pytest.raises(ValueError, match="`bounds` of 'ms' is"):
        select(table=MODELS, objectives={"ms": "min"}, nan_policy="bounds", bounds={"ms": wrong}).check()


def test_a_choice_is_named_with_those_it_ties_with():
    models = pd.DataFrame({"acc": [0.9, 0.8, 0.8], "co2_kg": [9.0, 1.0, 1.0]}, index=list("abc"))
    answer = models.moo(acc="max", co2_kg="min").copa().to_answer()
    assert "b or c" in answer.headline
    assert answer.values["tied"] == ["b", "c"]
    assert "co2_kg" not in " ".join(answer.lines), "columns are called as people say them"
    alone = models[:2].moo(acc="max", co2_kg="min").copa(weights={"acc": 1}).to_answer()
    assert alone.headline.startswith("Choose a")
    assert alone.values["selected"] == "a"
