"""Answers as data, which programs read from manifests and from the command line."""

import json
import re
from pathlib import Path

import pytest

from copa_nb.analyses.registry import analyses
from copa_nb.results.answer import Answer
from tests.analyses.test_notebooks_of_own_tables import results, run

PAGE = Path(__file__).parents[2] / "docs/command.md"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(analyses()))
def test_values_are_those_that_the_documentation_names(name):
    first, *_ = results(run(analyses()[name].notebook))
    values = first.to_answer().to_dict()["values"]
    # The table of two columns; those of parameters have four.
    (row,) = re.findall(
        rf"^\| `{analyses()[name].command}` \| (`[^|]*) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert values
    for key in values:
        assert f"`{key}`" in row
    assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_values_that_json_does_not_have_are_replaced():
    values = {"a": float("nan"), "b": (float("inf"), 1), 3: {"c": None}}
    assert Answer("x", values=values).to_dict()["values"] == {"a": None, "b": ["inf", 1], "3": {"c": None}}
