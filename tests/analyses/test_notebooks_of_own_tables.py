"""Notebooks of own tables: plain lines that a reader copies, with the answers of the command line."""

import ast
import json

import numpy as np
import pandas as pd
import pytest

from copa_nb.analyses.registry import analyses
from copa_nb.reports.catalog import find
from copa_nb.reports.jobs import make_job
from copa_nb.reports.parameters import declared
from copa_nb.results.files import Files
from copa_nb.results.note import Note
from copa_nb.results.result import Grouped, Result
from copa_nb.text import as_frame
from tests.analyses.answering import answered

ANALYSES = analyses()
MOST_PARAMETERS, MOST_LINES, MOST_IN_A_CELL = 10, 40, 4
# What a scientist who reads a notebook should not have to follow.
NOT_PLAIN = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.FunctionDef, ast.Lambda, ast.ListComp, ast.IfExp)
VERDICTS = {"verdict", "significant", "equivalent", "on_front", "dynamic", "certain", "center_kept"}
# Columns that name a row, besides its index: of the sides of a claim, and of what was measured.
NAMES = {"new", "baseline", "what"}


def cells(name):
    found = json.loads(find(name).path.read_text(encoding="utf-8"))["cells"]
    return [one for one in found if one["cell_type"] == "code"]


def is_parameters(cell):
    return "parameters" in cell["metadata"].get("tags", [])


def run(name, **given):
    """Run the cells of a notebook, and return what each of them shows."""
    variables, shown = {}, []
    for cell in cells(name):
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), name, "exec"), variables)
        if is_parameters(cell):
            variables |= given
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), name, "eval"), variables))
    return shown


def results(shown):
    return [one for one in shown if isinstance(one, Result | Grouped)]


@pytest.mark.parametrize("name", ANALYSES)
def test_a_notebook_is_plain(name):
    parameters, *others = [ast.parse("".join(cell["source"])) for cell in cells(ANALYSES[name].notebook)]
    assert len(parameters.body) <= MOST_PARAMETERS
    lines = ["".join(cell["source"]).splitlines() for cell in cells(ANALYSES[name].notebook)]
    assert sum(map(len, lines[1:])) <= MOST_LINES
    assert max(map(len, lines[1:])) <= MOST_IN_A_CELL
    for tree in others:
        assert not [node for node in ast.walk(tree) if isinstance(node, NOT_PLAIN)], ast.unparse(tree)


@pytest.mark.parametrize("name", ANALYSES)
def test_the_parameters_cell_has_parameters_of_the_analysis(name):
    kind, cell = ANALYSES[name], declared(find(ANALYSES[name].notebook).path)
    further = {f"{kind.then.method}_options"} if kind.then else set()
    assert set(cell) - set(kind.parameters()) <= {"words", "options", *further, *kind.made}
    assert further <= set(cell)
    assert {"table", "objectives", "words", "options"} <= set(cell)
    for one in cell.values():
        assert one.help, f"{one.name} has no comment"
        assert "=" not in one.help, "papermill's own reader would drop the line"


# The notebooks of these two take seconds, and one of them runs with papermill among the fast tests.
LONG = ("posets", "gsd_front")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in ANALYSES]
)
def test_verdicts_come_right_after_the_names_of_rows(name, monkeypatch):
    found = results(run(ANALYSES[name].notebook))
    assert found
    for printed in (table for one in found for table in one.printed_tables()):
        columns = as_frame(printed.frame, "table").columns.tolist()
        judged = [one in VERDICTS for one in columns]
        places = [place for place, verdict in enumerate(judged) if verdict]
        assert all(judged[place - 1] or columns[place - 1] in NAMES for place in places if place), columns
        assert set(printed.headers) <= {*printed.frame.columns, *printed.frame.index.names}
        assert printed.caption.endswith("."), printed.caption


def of_items():
    rng = np.random.default_rng(0)
    rows = [(m, t, t // 3, rng.random() + 0.2 * k, 3.0 - k) for k, m in enumerate("abc") for t in range(30)]
    return pd.DataFrame(rows, columns=["model", "task", "family", "score", "price"])


WAYS = {"objectives": {"score": "max", "price": "min"}}
ITEMS = {"system": "model", "item": "task"}
ASKED = [
    ("select", {**WAYS, **ITEMS, "weights": {"price": 0.3}, "where": "price < 3"}),
    ("select", {"objectives": {"score": "max"}, **ITEMS}),
    ("compare", {**WAYS, **ITEMS, "new": "c", "baseline": "a", "cluster": "family", "known": ["price"]}),
    ("board", {**WAYS, **ITEMS, "known": ["price"], "n_resamples": 200, "title": "A board"}),
    ("cheaper", {**WAYS, **ITEMS, "margin": {"score": 0.5}, "than": "a", "known": ["price"]}),
    ("cheaper", {**WAYS, **ITEMS, "margin": {"score": 0.5}, "known": ["price"], "by": ["family"]}),
    ("front", {**WAYS, **ITEMS, "alpha": 0.2, "log": ["price"], "known": ["price"], "n_resamples": 200}),
]


@pytest.mark.parametrize(("name", "given"), ASKED)
def test_a_notebook_answers_what_the_command_line_does(name, given, tmp_path):
    of_items().to_csv(tmp_path / "items.csv", index=False)
    table = {"table": str(tmp_path / "items.csv"), **given}
    job = make_job(find(ANALYSES[name].notebook), table)
    first, *_ = results(run(ANALYSES[name].notebook, **job.cell()))
    assert first.to_answer().to_dict() == answered(ANALYSES[name].of(table)).to_answer().to_dict()


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"acc": [0.9]}, index=["a"]),
        pd.DataFrame({"acc": [0.9, 0.8], "ms": [1.0, 2.0]}, index=["a", "b"]),
        pd.DataFrame({"acc": [0.9] * 3, "ms": [1.0] * 3}, index=list("abc")),
        pd.DataFrame({"acc": [0.9, 0.8, 0.7], "ms": [1.0, 2.0, 0.5], "f1": [1.0] * 3}, index=list("abc")),
    ],
    ids=["one row", "one dominates", "all equal", "a constant column"],
)
def test_no_table_stops_a_choice(table):
    ways = {column: "min" if column == "ms" else "max" for column in table}
    shown = run("yours/select", table=table, objectives=ways, words={})
    assert results(shown)
    assert all(isinstance(one, str) for one in shown if isinstance(one, Note))


def test_what_is_missing_may_be_anything():
    table = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "ms": [9.0, 5.0, None]}, index=list("abc"))
    shown = run("yours/select", table=table, objectives={"acc": "max", "ms": "min"}, words={"nan_policy": "bounds"})
    assert sum(isinstance(one, Note) for one in shown) > 3
    assert results(shown)[0].possible


def test_boards_and_routes_are_files_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("board", "cheaper"):
        (files,) = [one for one in run(ANALYSES[name].notebook) if isinstance(one, Files)]
        assert all(files.values())
    assert not list(tmp_path.iterdir()), "nothing is written until one asks for it"
