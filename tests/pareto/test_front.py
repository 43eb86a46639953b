import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests import asked, definitions
from tests.strategies import tables


def _front(frame, directions):
    signed = frame[list(directions)] * [-1 if d == "max" else 1 for d in directions.values()]
    return definitions.front(signed.to_numpy()).tolist()


@given(tables())
def test_front_is_the_definition_on_frames(table):
    frame, directions = table
    expected = _front(frame, directions)
    assert (asked.layers(frame, 1, objectives=directions) == 1).tolist() == expected
    pd.testing.assert_frame_equal(asked.front(frame, objectives=directions), frame[expected])


@given(tables())
def test_front_is_the_first_layer(table):
    frame, directions = table
    layers = asked.layers(frame, objectives=directions)
    for most in (1, 2, 3):
        found = asked.layers(frame, most, objectives=directions)
        pd.testing.assert_series_equal(found, layers.clip(upper=most + 1))


def test_rows_come_back_as_they_were():
    frame = pd.DataFrame(
        {"x": pd.array([3, 1, 2], dtype="Int64"), "y": np.float32([1, 2, 3]), "tag": pd.Categorical(["u", "v", "u"])},
        index=pd.MultiIndex.from_tuples([(0, "a"), (0, "b"), (1, "a")], names=["run", "model"]),
    )
    front = frame.moo(x="min", y="min").front()
    pd.testing.assert_frame_equal(front, frame.iloc[[0, 1]])
    assert front.dtypes.equals(frame.dtypes)


def test_groups_and_duplicates():
    frame = pd.DataFrame({"x": [1.0, 2.0, 2.0, 1.0], "g": ["a", "a", "b", "b"]}, index=[7, 7, 8, 9])
    assert asked.front(frame, objectives={"x": "min"}, by="g").index.tolist() == [7, 9]
    assert asked.front(frame, objectives={"x": "min"}, keep="first").index.tolist() == [7]
    assert asked.layers(frame, objectives={"x": "min"}, by="g").tolist() == [1, 2, 2, 1]
    with pytest.raises(ValueError, match="`keep` is 'last'; allowed are 'all', 'first'"):
        asked.front(frame, objectives={"x": "min"}, keep="last")
    with pytest.raises(ValueError, match=r"names 'h'.*'x', 'g'"):
        asked.front(frame, objectives={"x": "min"}, by="h")
    with pytest.raises(ValueError, match="`by` column 'g' is missing in 1 of 4 rows"):
        asked.front(frame.assign(g=["a", None, "b", "b"]), objectives={"x": "min"}, by="g")


def test_omitted_rows_are_on_no_front_and_in_no_layer():
    frame = pd.DataFrame({"x": [1.0, np.nan, 2.0]})
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        assert asked.layers(frame, 1, objectives={"x": "min"}, nan_policy="omit").tolist() == [1, pd.NA, 2]
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        layers = asked.layers(frame, objectives={"x": "min"}, nan_policy="omit")
    assert layers.isna().tolist() == [False, True, False]


def test_hypervolume_records_its_reference_point():
    frame = pd.DataFrame({"acc": [0.9, 0.8, 0.5], "co2": [3.0, 1.0, 4.0]})
    view = frame.moo(acc="max", co2="min")
    result = view.hypervolume(reference={"acc": 0.5, "co2": 4})
    assert result.value == pytest.approx(0.4 * 1 + 0.3 * 2)
    assert result.reference == {"acc": 0.5, "co2": 4.0}
    assert (result.exact, result.n_front, result.n_beyond) == (True, 2, 1)
    worst = view.hypervolume(reference_margin=0)
    assert worst.reference == {"acc": 0.5, "co2": 4.0}
    assert view.hypervolume().reference == pytest.approx({"acc": 0.46, "co2": 4.3})
    assert "reference point (acc=0.5, co2=4)" in repr(result)
    grouped = asked.hypervolume(frame.assign(g=["a", "b", "b"]).moo(acc="max", co2="min"), by="g")
    assert grouped["a"].reference == grouped["b"].reference


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nadir", "`reference` is 'nadir'; allowed are 'worst'"),
        ({"acc": 0}, "`reference` lacks 'co2'"),
        ({"acc": 0, "co2": 1, "x": 2}, "`reference` names 'x'"),
        ({"acc": np.inf, "co2": 1}, "every value must be finite"),
    ],
)
def test_wrong_reference_points_are_named(reference, message):
    frame = pd.DataFrame({"acc": [0.9, 0.8], "co2": [3.0, 1.0]})
    with pytest.raises(ValueError, match=message):
        frame.moo(acc="max", co2="min").hypervolume(reference=reference)


def test_an_infinite_cost_adds_nothing_to_a_hypervolume():
    frame = pd.DataFrame({"x": [1.0, np.inf], "y": [1.0, 0.5]})
    assert frame.moo(x="min", y="min").hypervolume(reference={"x": 3, "y": 3}).value == 4.0


def test_the_reference_point_may_be_a_multiple_of_the_worst_values():
    table = pd.DataFrame({"accuracy": [0.5, 0.9], "co2": [1.0, 3.0], "saved": [-2.0, 0.0]})
    ways = {"accuracy": "max", "co2": "min", "saved": "max"}
    found = asked.hypervolume(table, objectives=ways, reference="worst_multiple", reference_margin=0.2)
    stated = {"accuracy": 0.8 * 0.5, "co2": 1.2 * 3.0, "saved": 1.2 * -2.0}
    assert dict(found.reference) == pytest.approx(stated)
    assert found.value == pytest.approx(asked.hypervolume(table, objectives=ways, reference=stated).value)
    with pytest.raises(ValueError, match="'worst', 'worst_multiple'"):
        asked.hypervolume(table, objectives=ways, reference="worst_multiples")
