import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.stats import kendalltau, rankdata

import copa_nb
from tests.strategies import tables

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6], "co2": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
)
VIEW = MODELS.moo(acc="max", co2="min")


@given(tables(min_columns=2))
def test_copa_columns_are_copas_ranks(table):
    frame, directions = table
    ranks = copa_nb.compare(frame, [1, 2, "inf"], objectives=directions).ranks
    for p in (1, 2, "inf"):
        pd.testing.assert_series_equal(
            ranks[p].sort_index(),
            copa_nb.copa(frame, objectives=directions, p=p).table["rank"].sort_index(),
            check_names=False,
        )


def test_mean_relative_and_minmax_by_hand():
    comparison = VIEW.compare(["mean", "relative", "minmax"])
    costs = np.array([[-0.9, 9], [-0.85, 3], [-0.7, 2], [-0.6, 1]])
    assert comparison.scores["mean"].tolist() == pytest.approx(costs.mean(axis=1).tolist())
    relative = ((costs - [-0.9, 1]) / [0.9, 1]).mean(axis=1)
    assert comparison.scores["relative"].tolist() == pytest.approx(relative.tolist())
    minmax = ((costs - [-0.9, 1]) / [0.3, 8]).mean(axis=1)
    assert comparison.scores["minmax"].tolist() == pytest.approx(minmax.tolist())
    for name in ("mean", "relative", "minmax"):
        assert comparison.ranks[name].tolist() == rankdata(comparison.scores[name], method="min").tolist()


def test_relative_to_a_row_is_the_mean_relative_difference():
    scores = VIEW.compare(["relative"], reference="medium").scores["relative"]
    assert scores["medium"] == 0
    assert scores["large"] == pytest.approx(((0.85 - 0.9) / 0.85 + (9 - 3) / 3) / 2)


def test_agreement_is_kendalls_tau():
    comparison = VIEW.compare(["mean", "inf"])
    expected = kendalltau(comparison.ranks["mean"], comparison.ranks["inf"]).statistic
    assert comparison.agreement.iloc[0, 1] == pytest.approx(expected)


def test_winners_and_table():
    comparison = VIEW.compare(["mean", 1, "inf"])
    assert comparison.winners()["p = ∞"] == "medium"
    assert list(comparison.table.columns) == ["mean", "p = 1", "p = ∞", "swing"]


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
        VIEW.compare(criteria)
