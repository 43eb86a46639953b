import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests import asked
from tests.strategies import tables

BOTH = {"acc": "max", "co2": "min"}
MODELS = pd.DataFrame({"acc": [0.9, 0.8, 0.8], "co2": [3.0, 1.0, 2.0]}, index=list("abc"))


@given(tables(min_rows=2))
def test_best_is_zero_everywhere(table):
    frame, directions = table
    assert (asked.normalize(frame, objectives=directions).min() == 0).all()
    varying = frame.loc[:, frame.nunique() > 1]
    if varying.shape[1]:
        scaled = asked.normalize(varying, objectives={n: directions[n] for n in varying}, method="minmax")
        assert (scaled.min() == 0).all()
        assert np.allclose(scaled.max(), 1)


@pytest.mark.parametrize(
    ("how", "acc", "co2"),
    [
        ("cdf", [0, 1 / 3, 1 / 3], [2 / 3, 0, 1 / 3]),
        ("minmax", [0, 1, 1], [1, 0, 0.5]),
        ("relative", [0, 1 / 9, 1 / 9], [2, 0, 1]),
        ("none", [0.1, 0.2, 0.2], [3, 1, 2]),
    ],
)
def test_by_hand(how, acc, co2):
    scaled = MODELS.moo(BOTH).normalize(method=how)
    assert scaled["acc"].tolist() == pytest.approx(acc)
    assert scaled["co2"].tolist() == pytest.approx(co2)


def test_percentages_fall_short_of_a_hundred():
    scaled = MODELS.assign(acc=[90, 80, 70]).moo(BOTH).normalize(method="none")
    assert scaled["acc"].tolist() == [10, 20, 30]


def test_groups_are_populations_of_their_own():
    frame = MODELS.assign(task=["p", "p", "q"])
    assert asked.normalize(frame.moo(BOTH), by="task")["co2"].tolist() == [0.5, 0, 0]


def test_omitted_rows_hold_nothing():
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        scaled = asked.normalize(MODELS.assign(acc=[0.9, np.nan, 0.8]).moo(BOTH), nan_policy="omit")
    assert scaled["co2"].isna().tolist() == [False, True, False]
    assert scaled["co2"].dropna().tolist() == [0.5, 0.0]
