"""What notebooks declare, and what is refused before anything runs."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.analyses.values import converted as convert
from copa_nb.reports.parameters import checked, declared, read_cell

CELL = """
p: str = "inf"  # norm order, p = 1 to inf
n: int = 20  # how many
share: float = 1  # between 0 and 1
strict: bool = False  # whether
names: list = []  # labels
weights: dict = {
    "a": 1.5,
}  # per column
plain = 3  # no type
"""
KNOWN = read_cell(CELL)


def converted(value, parameter):
    return convert(value, parameter.kind, name=parameter.name, default=parameter.default)


def test_names_types_defaults_and_comments_are_read():
    assert {name: (p.kind, p.default) for name, p in KNOWN.items()} == {
        "p": ("str", "inf"),
        "n": ("int", 20),
        "share": ("float", 1),
        "strict": ("bool", False),
        "names": ("list", []),
        "weights": ("dict", {"a": 1.5}),
        "plain": ("int", 3),
    }
    assert KNOWN["p"].help == "norm order, p = 1 to inf"
    assert KNOWN["weights"].help == "per column"


@pytest.mark.parametrize(
    "line", ["import os", "x: int = f()", "x: Path = 'a'", "x: int = 'a'", "a.b: int = 1", "x: int", "x = y = 1"]
)
def test_a_parameters_cell_holds_plain_values_only(line):
    with pytest.raises(ValueError, match="parameters cell"):
        read_cell(line)


def test_one_cell_is_tagged(tmp_path, notebook):
    path = notebook(tmp_path / "a.ipynb", parameters="n: int = 1  # n")
    assert list(declared(path)) == ["n"]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"metadata": {}, "source": "#', '"metadata": {"tags": ["parameters"]}, "source": "#'))
    with pytest.raises(ValueError, match="2 cells tagged"):
        declared(path)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("p", "2", "2"),
        ("p", 2, "2"),
        ("p", math.inf, "inf"),
        ("p", Path("a/b.csv"), str(Path("a/b.csv"))),
        ("n", "7", 7),
        ("n", 7.0, 7),
        ("n", np.int64(7), 7),
        ("share", "0.5", 0.5),
        ("share", 1, 1.0),
        ("strict", "yes", True),
        ("strict", "FALSE", False),
        ("strict", np.True_, True),
        ("names", "a, b", ["a", "b"]),
        ("names", '["a,b", "c"]', ["a,b", "c"]),
        ("names", ("a", 1), ["a", 1]),
        ("names", {"b", "a"}, ["a", "b"]),
        ("names", frozenset({10, 9}), [10, 9]),
        ("names", np.array([1.5, math.inf]), [1.5, "inf"]),
        ("weights", '{"a": 0.5}', {"a": 0.5}),
        ("weights", "{'a': 0.5}", {"a": 0.5}),
        ("weights", {"a": np.float64(0.5)}, {"a": 0.5}),
        ("weights", '{"a": Infinity}', {"a": "inf"}),
    ],
)
def test_values_become_what_the_notebook_declares(name, value, expected):
    result = converted(value, KNOWN[name])
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("p", True),
        ("p", ["a"]),
        ("n", "7.5"),
        ("n", 7.5),
        ("n", True),
        ("n", "seven"),
        ("share", "inf"),
        ("share", True),
        ("share", [0.5]),
        ("share", math.inf),
        ("share", "nan"),
        ("strict", "maybe"),
        ("strict", 2),
        ("names", '{"a": 1}'),
        ("names", "[1, 2"),
        ("names", 3),
        ("names", [math.nan]),
        ("weights", "a=1"),
        ("weights", "[1]"),
        ("weights", "__import__('os')"),
        ("weights", {"a": object()}),
        ("n", None),
    ],
)
def test_values_that_do_not_fit_are_refused_by_name(name, value):
    with pytest.raises((TypeError, ValueError), match=f"`{name}`"):
        converted(value, KNOWN[name])


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'weights'"):
        checked({"weigths": {}}, KNOWN, report="copa/figure_1")
    with pytest.raises(ValueError, match="it has none"):
        checked({"x": 1}, {}, report="copa/figure_1")


def test_only_what_was_given_is_returned_in_the_order_of_the_notebook():
    assert list(checked({"n": 1, "p": "2"}, KNOWN, report="r")) == ["p", "n"]


@given(st.text())
def test_any_text_stays_text(text):
    assert converted(text, KNOWN["p"]) == text


@given(st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()))
def test_mappings_survive_being_written_on_a_command_line(mapping):
    import json

    assert converted(json.dumps(mapping), KNOWN["weights"]) == mapping
