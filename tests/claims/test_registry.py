"""Every claim that a notebook checks has a function, and every function a notebook that calls it."""

import csv
import json
import re
from pathlib import Path

import pytest

from copa_nb.claims import registry
from copa_nb.claims.collection import installed
from copa_nb.reports import Record

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


SOURCE = "\n".join(
    "".join(cell["source"])
    for path in sorted(NOTEBOOKS.rglob("*.ipynb"))
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    if cell["cell_type"] == "code"
)


def _called(method):
    """What notebooks name when they call a method of the record."""
    return set(re.findall(rf'report\.{method}\(\s*"([^"]+)"', SOURCE))


@pytest.mark.parametrize("name", ["papers.csv", "claims.csv", "errata.csv"])
def test_rows_of_the_lists_have_as_many_fields_as_the_header(name):
    (folder,) = installed().folders
    with (folder / name).open(newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    assert [row for row in rows if len(row) != len(header)] == []


def test_claims_of_the_papers_are_listed():
    for id, check in registry._checks().items():
        assert (check.of or id in installed().claims) or check.says, f"{id} is neither listed nor says anything"
        assert not (id in installed().claims and check.says), f"{id} says twice what the list says"


def test_functions_and_notebooks_agree():
    assert _called("check") <= set(registry._checks())
    # Several claims about the same results may be checked in a loop.
    assert [id for id in registry._checks() if f'"{id}"' not in SOURCE] == []
    assert _called("answer") == set(registry._answers())


def test_an_unknown_claim_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="copa-fig4-gpt2"):
        Record().check("copa-fig4-gpt")
    with pytest.raises(ValueError, match="copa/figure_4"):
        Record().answer("copa/figure_44")
