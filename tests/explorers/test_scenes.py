"""What a page draws: axes that leave a little room, marks and lines without what is not finite."""

import numpy as np
import pytest

import copa_nb
from copa_nb.explorers import scenes


@pytest.mark.parametrize(
    ("values", "low", "high"), [([0, 10], 0, 10), ([5], 5, 5), ([0, 0], 0, 0), ([np.nan, np.inf, 2, 3], 2, 3)]
)
def test_an_axis_leaves_the_same_margin_at_both_ends(values, low, high):
    axis = scenes.axis("cost", np.array(values, dtype=float))
    assert low - axis["lo"] == pytest.approx(axis["hi"] - high)
    # Some, but not so much that the points are squeezed.
    assert 0 < low - axis["lo"] < 0.1 * ((high - low) or abs(high) or 1)
    logarithmic = scenes.axis("cost", 10 ** np.array(values, dtype=float), log=True)
    assert low - np.log10(logarithmic["lo"]) == pytest.approx(np.log10(logarithmic["hi"]) - high)
    assert logarithmic["lo"] < 10**low


def test_marks_lose_what_is_not_finite_with_all_that_belongs_to_it():
    points = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, 4.0]])
    drawn = scenes.marks(points, ids=["a", "b", "c"])
    assert (drawn["x"], drawn["y"], drawn["ids"]) == ([0, 3], [1, 4], ["a", "c"])
    assert scenes.line(points)["x"] == [0, 3]


def test_an_axis_says_where_better_is():
    values = np.array([1.0, 10.0])
    sides = [scenes.axis("a", values, better=better)["better"] for better in ("max", "min", None)]
    assert sides == ["high", "low", None]
    assert scenes.axis("a", values, log=True)["log"] is True
    empty = scenes.axis("a", np.array([np.inf]))
    assert -np.inf < empty["lo"] < empty["hi"] < np.inf


def test_menus_name_the_objectives_by_their_places():
    x, y = scenes.axis_menus(copa_nb.results.Objectives.of({"acc": "max", "co2": "min"}))
    assert (x["key"], y["key"]) == ("x", "y")
    assert x["options"] == y["options"] == [["acc ↑", 0], ["CO₂ ↓", 1]]
    assert ("horizontal" in x["name"], "vertical" in y["name"]) == (True, True)


def test_a_front_has_steps_up_to_the_reference_point():
    drawn = scenes.outline(np.array([[1.0, 3.0], [2.0, 1.0]]), ["min", "min"], [4.0, 5.0])
    assert list(zip(drawn["x"], drawn["y"], strict=True)) == [(1, 5), (1, 3), (2, 3), (2, 1), (4, 1)]
    assert drawn["kind"] == "line"
