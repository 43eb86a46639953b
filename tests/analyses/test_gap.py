"""The analysis of the gap, and its notebook: which columns make searches, the reference point, and missing scores."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.note import Note
from tests.analyses.answering import answered, notebook, requests

gap = requests("gap")
TWO = {"objectives": {"recall": "max", "ms": "min"}}


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    scores = ["val_recall", "val_ms", "val_kg", "test_recall", "test_ms", "test_kg"]
    return pd.DataFrame(rng.random((48, 6)).round(2), columns=scores).assign(
        name=[f"m{i}" for i in range(48)], family=np.tile(["a b", "c", "d"], 16), split=np.repeat([1, 2, 3, 4], 12),
        step=np.tile(np.repeat(range(4), 3), 4),
    )  # fmt: skip


@pytest.fixture
def table(frame, tmp_path):
    frame.to_csv(tmp_path / "models.csv", index=False)
    return str(tmp_path / "models.csv")


@pytest.mark.parametrize(
    ("given", "searches"),
    [
        ({**TWO}, 1),
        ({**TWO, "system": "family"}, 3),
        ({**TWO, "system": "family", "repeat": "split", "order": "step"}, 12),
        ({**TWO, "repeat": "split", "keep": "first", "where": "val_recall > 0.2"}, 4),
        ({**TWO, "order": "name", "budgets": [10, 48]}, 1),
        ({"objectives": {"recall": "max"}, "system": "family"}, 3),
        ({**TWO, "reference": {"recall": 0, "ms": 2}, "repeat": "split", "system": "family"}, 12),
        ({**TWO, "reference": "worst_multiple"}, 1),
    ],
    ids=["one", "systems", "all", "repeats", "curve", "one-objective", "reference", "multiple"],
)
def test_the_notebook_asks_what_the_analysis_asks(table, given, searches):
    analysis = gap(table=table, **given)
    variables, expected = notebook(analysis), answered(analysis)
    found = variables["found"]
    assert len(found.searches) == searches
    pd.testing.assert_frame_equal(found.searches, expected.searches)
    assert found.reference == expected.reference
    assert isinstance(found.compare(), Note) == (not analysis["system"])
    assert isinstance(variables["curves"], Note) == (not analysis["order"])
    if analysis["budgets"]:
        assert variables["curves"].budgets == (10, 48)


@pytest.mark.slow
def test_the_bundled_search_is_asked_as_the_notebook_says():
    variables = notebook(gap())
    assert len(variables["found"].searches) == 20
    assert variables["found"].reference == {"precision": 0, "recall": 0}
    assert notebook(gap(reference="worst_multiple"))["found"].reference["recall"] != 0


def test_a_system_of_which_each_row_has_another_names_the_rows(table, frame):
    named, of_frame = (answered(gap(table=one, system="name", **TWO)) for one in (table, frame))
    assert set(named.validation_front) <= set(frame["name"])
    assert named.validation_front.equals(of_frame.validation_front)
    methods = answered(gap(table=frame, system="family", **TWO))
    assert list(methods) == ["a b", "c", "d"]


def test_budgets_beyond_a_search_are_refused(table):
    for given, most in (({}, 48), ({"system": "family"}, 16)):
        gap(table=table, order="name", budgets=[most], **TWO, **given).check()
        with pytest.raises(ValueError, match=f"`budgets` asks for {most + 1} .* has {most}; drop those above {most}"):
            gap(table=table, order="name", budgets=[most + 1], **TWO, **given).check()


def test_missing_scores_are_refused_or_left_out(table):
    frame = pd.read_csv(table)
    frame.loc[3, "test_ms"] = np.nan
    frame.to_csv(table, index=False)
    with pytest.raises(ValueError, match="'test_ms' in 1 of 48 rows"):
        answered(gap(table=table, **TWO))
    assert answered(gap(table=table, nan_policy="omit", **TWO)).scores.n_omitted == 1


def test_directions_and_names_of_scores_are_needed(table):
    with pytest.raises(ValueError, match="`objectives` is empty"):
        answered(gap(table=table))
    with pytest.raises(ValueError, match=r"'val_speed' and 'test_speed'"):
        answered(gap(table=table, objectives={"speed": "max", "ms": "min"}))
