import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import asked
from tests.strategies import tables

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6], "co2": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
)
VIEW = MODELS.moo(acc="max", co2="min")


@given(tables(min_columns=2), st.sampled_from([1, 2, "inf"]), st.sampled_from(["cdf", "minmax"]))
def test_every_step_is_the_choice_at_that_weight(table, p, how):
    frame, directions = table
    if how == "minmax" and (frame.min() == frame.max()).any():
        return
    swept = frame.columns[0]
    path = asked.copa(frame, objectives=directions, p=p, normalize=how).navigate(swept, importances=11)
    rest = [name for name in frame.columns if name != swept]
    for alpha, row in path.path.iterrows():
        weights = {swept: alpha} | {name: (1 - alpha) / len(rest) for name in rest}
        choice = asked.copa(frame, objectives=directions, p=p, normalize=how, weights=weights)
        assert row["selected"] == choice.best
        assert row["score"] == pytest.approx(choice.scores[choice.best], abs=1e-12)


def test_path_and_table():
    path = VIEW.copa().navigate("co2", importances=5)
    assert path.path.index.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert path.path["selected"].tolist() == ["large", "large", "medium", "tiny", "tiny"]
    assert path.n_distinct == 3
    assert path.table.index.tolist() == ["large", "medium", "tiny"]
    assert path.at(0.5) == "medium"
    assert path.path["co2"].tolist() == [9.0, 9.0, 3.0, 1.0, 1.0]


def test_evenness_tells_even_from_stuck():
    n = 50
    line = pd.DataFrame({"a": np.arange(n) / n, "b": 1 - np.arange(n) / n})
    even = line.moo(a="min", b="min").copa().navigate("a").evenness
    stuck = line.moo(a="min", b="min").copa(p=1).navigate("a").evenness
    assert even > 0.95
    assert stuck < 0.6
    skewed = line.assign(b=line["b"] * 1e-6).moo(a="min", b="min").copa(normalize="none").navigate("a").evenness
    assert skewed < 0.1


def test_groups():
    grouped = asked.copa(MODELS.assign(task=["p", "p", "q", "q"]).moo(acc="max", co2="min"), by="task").each(
        "navigate", "co2"
    )
    assert grouped.collect("n_distinct").to_dict() == {"p": 2, "q": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("c02",), "`objective` is 'c02', which is not an objective; allowed are 'acc', 'co2'. Did you mean 'co2'"),
        (("co2", 1), "`importances` is 1; it must be a whole number of at least 2"),
        (("co2", [0.5, 2.0]), "`importances` is .*numbers from 0 to 1"),
        (("co2", [0.5, 0.2]), "ascending order"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        VIEW.copa().navigate(*arguments)


def test_the_heaviest_weight_moves_unless_another_is_named():
    assert VIEW.copa(weights={"co2": 0.6}).navigate().objective == "co2"
    assert VIEW.copa().navigate().objective == "acc"


def test_one_objective_gives_a_sentence():
    choice = MODELS.moo(acc="max").copa()
    note = choice.navigate()
    assert note == note.explain() == note.table == note.plot() == "With one objective, there is nothing to trade."
    with pytest.raises(ValueError, match="`objective` is 'co2', which is not an objective"):
        choice.navigate("co2")


@pytest.mark.parametrize("options", [{}, {"where": "co2 < 9"}, {"normalize": "minmax", "p": 2}])
def test_a_path_is_what_copa_chooses_at_each_weight(options):
    path = VIEW.copa(weights={"acc": 0.9}, **options).navigate("co2", [0.1, 0.4, 0.8])
    assert path.path["selected"].tolist() == [
        VIEW.copa(weights={"co2": alpha}, **options).best for alpha in (0.1, 0.4, 0.8)
    ]
