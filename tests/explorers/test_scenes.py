"""What a page draws: axes that leave a little room, marks and lines without what is not finite."""

import numpy as np
import pytest

import copa_nb
from copa_nb.explorers import scenes


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0, 10], (-0.4, 10.4)), ([5], (4.8, 5.2)), ([0, 0], (-0.04, 0.04)), ([np.nan, np.inf, 2, 3], (1.96, 3.04))],
)
def test_an_axis_leaves_a_twenty_fifth_at_both_ends(values, expected):
    axis = scenes.axis("cost", np.array(values, dtype=float))
    assert (axis["lo"], axis["hi"]) == pytest.approx(expected)
    logarithmic = scenes.axis("cost", 10 ** np.array(values, dtype=float), log=True)
    if len(values) == 2 and values[1]:
        assert np.log10([logarithmic["lo"], logarithmic["hi"]]) == pytest.approx(expected)


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
    assert scenes.axis("a", np.array([np.inf])) == {"label": "a", "lo": -0.04, "hi": 1.04, "log": False, "better": None}
    alone = scenes.axis("a", np.array([10.0]), log=True)
    assert np.log10([alone["lo"], alone["hi"]]) == pytest.approx([0.96, 1.04])


def test_menus_name_the_objectives_by_their_places():
    x, y = scenes.axis_menus(copa_nb.Objectives.of({"acc": "max", "co2": "min"}))
    options = [["acc ↑", 0], ["co2 ↓", 1]]
    assert x == {
        "kind": "menu", "key": "x", "label": "horizontal", "name": "Objective on the horizontal axis",
        "options": options,
    }  # fmt: skip
    assert (y["key"], y["label"], y["name"]) == ("y", "vertical", "Objective on the vertical axis")


def test_a_front_has_steps_up_to_the_reference_point():
    drawn = scenes.outline(np.array([[1.0, 3.0], [2.0, 1.0]]), ["min", "min"], [4.0, 5.0], color="red")
    assert list(zip(drawn["x"], drawn["y"], strict=True)) == [(1, 5), (1, 3), (2, 3), (2, 1), (4, 1)]
    assert (drawn["kind"], drawn["color"]) == ("line", "red")


def test_lines_and_marks_carry_their_looks():
    points = np.array([[0.0, 1.0], [2.0, np.inf]])
    assert scenes.line(points, width=2) == {"kind": "line", "x": [0.0], "y": [1.0], "width": 2}
    drawn = scenes.marks(points, names=["a", "b"], notes=["c", "d"], colors=["e", "f"], size=3)
    assert drawn == {
        "kind": "marks",
        "x": [0.0],
        "y": [1.0],
        "names": ["a"],
        "notes": ["c"],
        "colors": ["e"],
        "size": 3,
    }
