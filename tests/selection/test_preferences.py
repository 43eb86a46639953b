import numpy as np
import pandas as pd
import pytest

from copa_nb.ranking.arrays.criterion import weighted_norm
from copa_nb.selection.preferences import ConflictError, Preferences
from tests.said import sentence

OBJECTIVES = {"accuracy": "max", "f1": "max", "co2_kg": "min", "latency (ms)": "min"}


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([], [0.25, 0.25, 0.25, 0.25]),
        (["co2_kg has 50%"], [1 / 6, 1 / 6, 0.5, 1 / 6]),
        (["co2_kg has 1/2"], [1 / 6, 1 / 6, 0.5, 1 / 6]),
        (["accuracy and f1 share 80%"], [0.4, 0.4, 0.1, 0.1]),
        (["accuracy, f1, and co2_kg have 0.9 of the weight"], [0.3, 0.3, 0.3, 0.1]),
        (["`latency (ms)` does not count"], [1 / 3, 1 / 3, 1 / 3, 0]),
        (["accuracy counts 3x co2_kg", "f1 has 20%", "latency (ms) does not count"], [0.6, 0.2, 0.2, 0]),
        (["accuracy counts 2 times f1", "f1 counts as much as co2_kg", "latency (ms) has 20%"], [0.4, 0.2, 0.2, 0.2]),
        (["f1 has at least 10%"], [0.25, 0.25, 0.25, 0.25]),
        (["f1 has at least 40%"], [0.2, 0.4, 0.2, 0.2]),
        (["f1 has at most 10 %"], [0.3, 0.1, 0.3, 0.3]),
        (
            ["the top 10 % in co2_kg is worth top 30% in accuracy", "f1 and latency (ms) have 20 %"],
            [0.2, 0.1, 0.6, 0.1],
        ),
    ],
)
def test_statements_and_their_weights(statements, expected):
    result = Preferences.from_statements(OBJECTIVES, *statements)
    assert list(result.values()) == pytest.approx(expected, abs=1e-9)
    assert list(result) == ["accuracy", "f1", "co2_kg", "latency (ms)"]


@pytest.mark.parametrize("p", [1, 3, "inf"])
def test_indifferent_places_have_the_same_criterion(p):
    weights = Preferences.from_statements(OBJECTIVES, "top 10% in co2_kg is worth top 30% in accuracy")
    places = np.array([[0, 0, 0.1, 0], [0.3, 0, 0, 0]])
    first, second = weighted_norm(places, np.array(list(weights.values())), float(p))
    assert first == pytest.approx(second)


def test_groups_share_evenly_and_compare_by_their_sum():
    groups = {"quality": ["accuracy", "f1"], "cost": ["co2_kg", "latency (ms)"]}
    result = Preferences.from_statements(OBJECTIVES, "quality counts 3x cost", groups=groups)
    assert list(result.values()) == pytest.approx([0.375, 0.375, 0.125, 0.125])


def test_it_goes_where_weights_go():
    models = pd.DataFrame([[0.9, 0.8, 9.0, 5.0], [0.85, 0.85, 3.0, 9.0], [0.7, 0.6, 2.0, 1.0]], columns=[*OBJECTIVES])
    models = models.moo.define(OBJECTIVES)
    weights = Preferences.from_statements(OBJECTIVES, "co2_kg has 70%")
    choice = models.moo.copa(weights=weights)
    assert choice.weights == pytest.approx(dict(weights))
    assert choice.best == models.moo.copa(weights={"co2_kg": 0.7}).best


def test_what_is_left_open_is_said():
    result = Preferences.from_statements(OBJECTIVES, "accuracy counts 3x co2_kg", "f1 has 20%")
    assert result.undecided == ["accuracy", "co2_kg", "latency (ms)"]
    assert result.ranges.loc["accuracy", ["low", "high"]].tolist() == pytest.approx([0, 0.6], abs=1e-7)
    assert sentence(result, "preferences.details.open")["names"] == ["accuracy", "CO₂ (kg)", "latency (ms)"]
    assert "accuracy counts 3x co2_kg" in result._repr_html_()


def test_conflicts_are_reported_each_by_itself():
    with pytest.raises(ConflictError) as caught:
        Preferences.from_statements(
            OBJECTIVES,
            "accuracy counts 2x f1",
            "f1 counts 2x accuracy",
            "co2_kg has 20%",
            "co2_kg has at most 10%",
        )
    assert sorted(caught.value.conflicts) == [
        ["accuracy counts 2x f1", "f1 counts 2x accuracy"],
        ["co2_kg has 20%", "co2_kg has at most 10%"],
    ]
    assert "contradict each other" in str(caught.value)


def test_a_conflict_with_not_counting_names_both():
    with pytest.raises(ConflictError) as caught:
        Preferences.from_statements(OBJECTIVES, "f1 has 10%", "accuracy does not count", "accuracy counts 2x co2_kg")
    assert caught.value.conflicts == [["accuracy does not count", "accuracy counts 2x co2_kg"]]


def test_a_statement_that_leaves_nothing_for_others_is_refused():
    with pytest.raises(ConflictError, match="has a positive weight unless"):
        Preferences.from_statements(OBJECTIVES, "accuracy, f1 and co2_kg have 100%")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("accurcy counts 2x f1", "Did you mean 'accuracy'"),
        ("f1 is best", "is not understood"),
        ("f1 has 120%", "between 0 and 100%"),
        ("f1 counts 0x accuracy", "0 is not a positive number"),
        ("f1 counts 1/0 x accuracy", "1/0 is not a positive number"),
        ("f1 counts 2x f1", "with itself"),
        ("top 5% in both is worth top 10% in co2_kg", "only single objectives have ranks"),
    ],
)
def test_what_is_not_understood_is_explained(statement, message):
    with pytest.raises(ValueError, match=message):
        Preferences.from_statements(OBJECTIVES, statement, groups={"both": ["accuracy", "f1"]})


def test_bad_types_and_groups():
    with pytest.raises(TypeError, match="must be sentences"):
        Preferences.from_statements(OBJECTIVES, 3)
    with pytest.raises(ValueError, match="name of an objective"):
        Preferences.from_statements(OBJECTIVES, groups={"f1": ["accuracy"]})
    with pytest.raises(ValueError, match="`groups` is 'speed'"):
        Preferences.from_statements(OBJECTIVES, groups={"g": ["speed"]})
    with pytest.raises(ValueError, match="must be a list"):
        Preferences.from_statements(OBJECTIVES, groups={"g": "f1"})


def test_names_that_contain_each_other():
    objectives = dict.fromkeys(["f1", "f1 macro", "f1_macro"], "max")
    result = Preferences.from_statements(objectives, "f1 counts 2x f1 macro", "f1_macro counts 3x f1")
    assert list(result.values()) == pytest.approx([2 / 9, 1 / 9, 6 / 9])
