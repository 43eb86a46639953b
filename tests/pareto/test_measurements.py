"""Intervals given with values: what they must satisfy to be read as noise."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.objectives import RowsOmittedWarning

WAYS = {"acc": "max", "cost": "min"}


@pytest.fixture
def models():
    return pd.DataFrame(
        {"acc": [0.9, 0.8, 0.7], "low": [0.88, 0.75, 0.7], "high": [0.92, 0.83, 0.72], "cost": [3.0, 2.0, 1.0]},
        index=["large", "medium", "small"],
    )


@pytest.mark.parametrize("verb", ["confident_front", "tiers"])
@pytest.mark.parametrize("way", ["max", "min"])
@pytest.mark.parametrize("value", [0.74, 0.84, 80.0])
def test_a_value_outside_its_own_interval_is_refused(models, verb, way, value):
    models.loc["medium", "acc"] = value
    with pytest.raises(ValueError, match=r"'acc' of medium is (0.74|0.84|80.0), outside its own interval from 0.75 to"):
        getattr(copa_nb, verb)(models, standard_error={"acc": ("low", "high")}, objectives={**WAYS, "acc": way})


def test_ends_may_equal_the_value_up_to_rounding(models):
    level = np.mean([0.1, 0.1, 0.1])
    assert level != 0.1
    models[["acc", "low", "high"]] = [[0.1, level, level], [0.5, 0.5, 0.6], [0.7, 0.6, 0.7]]
    found = copa_nb.confident_front(models, standard_error={"acc": ("low", "high")}, objectives=WAYS)
    assert len(found.table) == 3


def test_rows_without_a_value_have_no_interval_to_check(models):
    models.loc["medium", "acc"] = np.nan
    with pytest.warns(RowsOmittedWarning):
        found = copa_nb.confident_front(
            models, standard_error={"acc": ("low", "high")}, objectives=WAYS, nan_policy="omit"
        )
    assert sorted(found.table.index) == ["large", "small"]
