"""Every claim that a notebook checks has a function, and every function a notebook that calls it."""

import ast
import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from copa_nb.claims.collection import installed
from copa_nb.claims.findings import checked_by
from copa_nb.reports import Record
from tests.claims.functions import checks, functions

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHECKS = checks()
ANSWERS = [function for function in functions() if function.__annotations__.get("return") == "Answer"]


def _used_in_notebooks():
    """Names that code of notebooks uses, alone or as an attribute."""
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                for node in ast.walk(ast.parse("".join(cell["source"]))):
                    yield getattr(node, "attr", getattr(node, "id", None))


@pytest.mark.parametrize("name", ["papers.csv", "claims.csv", "errata.csv"])
def test_rows_of_the_lists_have_as_many_fields_as_the_header(name):
    (folder,) = installed().folders
    with (folder / name).open(newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    assert [row for row in rows if len(row) != len(header)] == []


def test_claims_of_the_papers_are_listed():
    for checked in map(checked_by, CHECKS):
        assert (checked.of or checked.id in installed().claims) or checked.says, (
            f"{checked.id}: neither listed nor said"
        )
        assert not (checked.id in installed().claims and checked.says), f"{checked.id} says twice what the list says"


def test_no_claim_is_checked_by_two_functions():
    assert [id for id, count in Counter(checked_by(one).id for one in CHECKS).items() if count > 1] == []


def test_every_function_is_called_in_a_notebook():
    used = set(_used_in_notebooks())
    assert len(CHECKS) > 80
    assert len(ANSWERS) > 30
    assert [one.__name__ for one in [*CHECKS, *ANSWERS] if one.__name__ not in used] == []


@pytest.mark.parametrize("function", ["copa-fig4-gpt2", len])
def test_what_checks_no_claim_is_refused(function):
    with pytest.raises(TypeError, match=r"`function` is .*; it must be a function decorated with @claim"):
        Record().check(function)
