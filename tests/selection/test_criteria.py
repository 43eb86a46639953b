import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

import copa_nb
from copa_nb.ranking.arrays.criterion import tie_key
from tests import asked
from tests.said import said_by, sentence
from tests.strategies import tables

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6], "co2": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
)
VIEW = MODELS.moo(acc="max", co2="min")


def test_rows_that_a_criterion_cannot_tell_apart_share_a_rank():
    frame = pd.DataFrame({"a": [0.0, 2.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0, 0.0]}, index=list("wxyz"))
    comparison = frame.moo(a="min", b="min").copa().criteria(["a", "b", "inf"])
    # û is 0, 1/4, 1/4, 3/4 in a; y ties with x at p = ∞, though it dominates it.
    assert comparison.ranks["a"].tolist() == [1, 2, 2, 4]
    assert comparison.ranks["inf"].tolist() == [3, 2, 1, 3]
    assert comparison.agreement.loc["a", "b"] == pytest.approx(kendalltau([1, 2, 2, 4], [4, 3, 2, 1]).statistic)


def test_agreement_of_tied_rankings_is_tau_b():
    """Ties that were broken within each criterion counted as agreement: here 1/3, of ranks 1, 2, 3 and 1, 3, 2."""
    frame = pd.DataFrame({"a": [0.0, 0.0, 1.0], "b": [0.0, 1.0, 0.0]}, index=list("xyz"))
    comparison = frame.moo(a="min", b="min").copa().criteria(["a", "b"])
    assert kendalltau(frame["a"], frame["b"]).statistic == pytest.approx(-0.5)
    assert comparison.agreement.loc["a", "b"] == pytest.approx(-0.5)
    assert comparison.ranks.to_numpy().T.tolist() == [[1, 1, 3], [1, 3, 1]]


def test_mean_relative_and_minmax_by_hand():
    comparison = VIEW.copa().criteria(["mean", "relative", "minmax"])
    costs = np.array([[-0.9, 9], [-0.85, 3], [-0.7, 2], [-0.6, 1]])
    assert comparison.scores["mean"].tolist() == pytest.approx(costs.mean(axis=1).tolist())
    relative = ((costs - [-0.9, 1]) / [0.9, 1]).mean(axis=1)
    assert comparison.scores["relative"].tolist() == pytest.approx(relative.tolist())
    minmax = ((costs - [-0.9, 1]) / [0.3, 8]).mean(axis=1)
    assert comparison.scores["minmax"].tolist() == pytest.approx(minmax.tolist())
    for name in ("mean", "relative", "minmax"):
        assert comparison.ranks[name].tolist() == rankdata(comparison.scores[name], method="min").tolist()


def test_relative_to_a_row_is_the_mean_relative_difference():
    scores = VIEW.copa(normalize="relative", reference="medium").criteria(["relative"]).scores["relative"]
    assert scores["medium"] == 0
    assert scores["large"] == pytest.approx(((0.85 - 0.9) / 0.85 + (9 - 3) / 3) / 2)


@pytest.mark.parametrize(
    ("criteria", "error", "message"),
    [
        (["average"], ValueError, "`criteria` is 'average'; allowed are"),
        ([0.5], ValueError, "`p` is 0.5"),
        ([1, 1.0], ValueError, "names a criterion twice"),
        ("mean", TypeError, "give a list"),
        ([None], TypeError, "`criteria` holds None"),
        ([], TypeError, "give a list"),
    ],
)
def test_wrong_criteria_are_named(criteria, error, message):
    with pytest.raises(error, match=message):
        VIEW.copa().criteria(criteria)


def test_default_criteria_that_a_constant_column_prevents_are_left_out():
    choice = MODELS.assign(co2=2.0).moo(acc="max", co2="min").copa()
    criteria = choice.criteria()
    assert list(criteria.ranks) == ["relative", 1, 2, 4, 8, "inf"]
    left_out = sentence(criteria, "criteria.details.left_out")
    assert left_out["criterion"] == "minmax"
    assert left_out["why"].startswith("objective 'co2'")
    with pytest.raises(ValueError, match="objective 'co2'"):
        choice.criteria(["minmax"])


@given(tables(min_columns=2), st.integers(1, 2**10))
def test_a_limit_restricts_who_is_chosen_and_not_what_scores_are_taken_over(table, allowed):
    """Each criterion under a limit chooses what COPA chooses under it; the plain mean by brute force."""
    frame, directions = table
    mask = np.array([allowed >> (row % 10) & 1 == 1 for row in range(len(frame))])
    assume(mask.any())
    comparison = asked.copa(frame, objectives=directions, where=mask).criteria([1, 2, "inf"])
    unlimited = asked.copa(frame, objectives=directions).criteria([1, 2, "inf"])
    assert comparison.scores.equals(unlimited.scores[mask]), "the population is the whole table"
    for p, label in ((1, "p = 1"), (2, "p = 2"), ("inf", "p = ∞")):
        choice = asked.copa(frame, objectives=directions, p=p, where=mask)
        expected = rankdata(tie_key(choice.scores.to_numpy()[mask]), method="min")
        assert comparison.ranks[p].tolist() == expected.tolist()
        assert comparison.winners()[label] == choice.best
        assert comparison.ranks[p].iloc[comparison.first[p]] == 1
    assert comparison.n_excluded == (~mask).sum()
    limit = said_by(comparison).get("criteria.details.limit")
    assert (limit is None) == mask.all()
    assert limit is None or (limit["allowed"], limit["rows"]) == (mask.sum(), len(frame))


def test_a_limit_within_groups_is_that_of_the_rows_of_each():
    frame = pd.concat([MODELS, MODELS.set_axis(list("abcd"))]).assign(kind=["x"] * 4 + ["y"] * 4)
    choices = asked.copa(frame.moo(acc="max", co2="min"), by="kind", where=frame["co2"] < 4)
    found = choices.each("criteria", ["mean", "inf"])
    assert {kind: one.ranks.index.tolist() for kind, one in found.items()} == {
        "x": ["medium", "small", "tiny"], "y": ["b", "c", "d"],
    }  # fmt: skip


def test_a_table_in_pieces_is_compared_under_a_limit_as_its_front_is():
    options = {"objectives": {"acc": "max", "co2": "min"}, "where": "co2 < 4"}
    pieces = copa_nb.scan([MODELS[:2], MODELS[2:]])
    found = asked.copa(pieces, **options).criteria([1, "inf"])
    expected = asked.copa(MODELS, **options).criteria([1, "inf"])
    pd.testing.assert_frame_equal(found.scores, expected.scores)
    assert found.winners().equals(expected.winners())


@pytest.mark.parametrize(
    ("accuracy", "cost", "meant"),
    [
        ([0.9, 0.5, 0.7], [0.1, 0.3, 0.2], True),  # shares
        ([90.0, 50.0, 70.0], [10.0, 30.0, 20.0], True),  # percentages
        ([0.9, 0.5, 0.7], [10.0, 30.0, 20.0], False),
        ([90.0, 50.0, 70.0], [1500.0, 30.0, 20.0], False),
    ],
)
def test_raw_values_have_a_mean_by_default_only_in_one_unit(accuracy, cost, meant):
    view = pd.DataFrame({"accuracy": accuracy, "cost": cost}).moo(accuracy="max", cost="min")
    assert ("mean" in view.copa().criteria().ranks) == meant
    assert "mean" in view.copa().criteria(["mean", 1]).ranks, "to those who ask for it"
