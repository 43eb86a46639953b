"""Notebooks of own tables, run in this process: what their tables and previews show first, and what is left out."""

import json
from pathlib import Path

import pandas as pd
import pytest

from copa_nb import reports, text
from copa_nb.analyses.registry import analyses
from copa_nb.reports.catalog import find
from copa_nb.reports.parameters import read_cell

ANALYSES = analyses()
BENCHMARKS = str(Path(__file__).parents[2] / "docs" / "benchmarks.json")
# What makes a run short; none of it changes the columns of a table.
QUICK = {"n_resamples": 100, "n_simulations": 2, "results": BENCHMARKS}
VERDICTS = {"verdict", "significant", "equivalent", "on_front", "dynamic", "certain", "center_kept"}
# Columns that name a row, besides its index: of the sides of a claim, and of what was measured.
NAMES = {"new", "baseline", "what"}


def run(name, monkeypatch, **given):
    """Run the cells of a notebook; return its tables by name, its figures by name, and what its cells define."""
    tables, figures = {}, {}
    monkeypatch.setattr(reports.Record, "table", lambda self, frame, *, name, **_: tables.update({name: frame}))
    monkeypatch.setattr(reports.Record, "show", lambda self, result, *_, name="", **__: figures.update({name: result}))
    variables = {}
    for cell in json.loads(find(name).path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            exec(compile(source, name, "exec"), variables)
        if "parameters" in cell["metadata"].get("tags", []):
            variables |= {key: value for key, value in QUICK.items() if key in read_cell(source)} | given
    return tables, figures, variables


@pytest.mark.parametrize("name", [kind.notebook for kind in ANALYSES.values()])
def test_verdicts_come_right_after_the_names_of_rows(name, monkeypatch, capsys):
    tables, _, variables = run(name, monkeypatch)
    assert tables
    for title, table in tables.items():
        columns = text.as_frame(table, "table").columns.tolist()
        judged = [one in VERDICTS for one in columns]
        places = [place for place, verdict in enumerate(judged) if verdict]
        assert all(judged[place - 1] or columns[place - 1] in NAMES for place in places if place), (title, columns)
    if "found" in variables:
        preview = variables["found"].preview
        assert 0 < len(preview) <= 3
        assert preview.columns.tolist() == text.spoken_columns(preview), "columns have the names that the page uses"


def test_a_preview_has_the_columns_that_are_used():
    rows = pd.DataFrame(
        [["a", s, task, 0.5, 2, 7] for s in "xy" for task in range(3)],
        columns=["unused", "llm_name", "task", "top1_acc", "co2_kg", "n"],
    )
    given = {"table": rows, "maximize": ["top1_acc"], "minimize": ["co2_kg"], "system": "llm_name", "item": "task"}
    for name in ("board", "front", "compare"):
        preview = ANALYSES[name].of(given | ({"n_simulations": 2} if name == "board" else {})).run().preview
        assert preview.columns.tolist() == ["llm name", "task", "top1 acc", "CO₂ (kg)"]


@pytest.mark.parametrize(
    ("name", "given", "section", "adds"),
    [
        ("yours/board", {"more": 1}, "forecast", "more"),
        ("yours/board", {"more": 1}, "changes", "since"),
        ("yours/cheaper", {}, "routes", "by"),
        ("yours/partial_orders", {"review": False}, "review", "review"),
    ],
)
def test_a_section_that_was_not_asked_for_is_left_out_and_one_line_says_what_adds_it(
    name, given, section, adds, monkeypatch, capsys
):
    tables, figures, variables = run(name, monkeypatch, **given)
    assert section not in {*tables, *figures}
    assert f"`{adds}`" in variables["found"].unasked
    cells = json.loads(find(name).path.read_text(encoding="utf-8"))["cells"]
    shown = next(place for place, cell in enumerate(cells) if f'name="{section}"' in "".join(cell["source"]))
    heading = next(cell for cell in reversed(cells[:shown]) if cell["cell_type"] == "markdown")
    assert "if-shown" in heading["metadata"].get("tags", []) or section == "routes", "its heading goes with it"
