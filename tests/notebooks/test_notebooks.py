"""Every committed notebook: clean, documented, and running with papermill alone, without a network."""

import csv
import json
import re
import subprocess
import sys

import nbformat
import pytest

from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog, paper_entries
from copa_nb.reports.jobs import make_job
from copa_nb.reports.parameters import declared
from copa_nb.reports.payloads import ANSWER, FIGURE, PROVENANCE, TABLE, payloads
from tests.drawing import examined_reports, faults_of_report
from tests.each import hold_for_each
from tests.snapshot.make import compare_ledger

ENTRIES = catalog()
REPORTS = [entry for entry in ENTRIES if entry.area != "explore"]
PAPERS = paper_entries(ENTRIES)
OWN = [entry for entry in REPORTS if entry not in PAPERS]
SECONDS_PER_NOTEBOOK = 600
# One of each method, with few draws; all others are slow tests.
QUICK = {
    "copa/figure_7": {},
    "gap/figure_3": {},
    "partial_orders/figure_1": {},
    "significance/definition": {"n_simulations": 100, "n_resamples": 500},
    "yours/gsd": {"test_options": {"n_resamples": 50}},
}


def read(entry):
    return json.loads(entry.path.read_text(encoding="utf-8"))


def source(cell):
    return "".join(cell["source"])


def test_notebooks_are_committed_clean():
    hold_for_each(ENTRIES, _notebooks_are_committed_clean)


def _notebooks_are_committed_clean(entry):
    notebook = nbformat.read(entry.path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert "papermill" not in notebook.metadata
    assert "widgets" not in notebook.metadata
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert not cell.get("outputs"), cell["id"]
        assert cell.get("execution_count") is None, cell["id"]
        assert not re.search(r"(^|[\"'\s])(/home/|/root/|/tmp/|/Users/|/work/|[A-Z]:\\)", cell.source), cell["id"]


def test_notebooks_open_with_a_title_and_a_sentence():
    hold_for_each(ENTRIES, _notebooks_open_with_a_title_and_a_sentence)


def _notebooks_open_with_a_title_and_a_sentence(entry):
    first = read(entry)["cells"][0]
    assert first["cell_type"] == "markdown"
    assert source(first).startswith("# ")
    assert entry.title
    assert len(entry.sentence.split()) >= 5
    assert entry.sentence.endswith((".", "?", "!"))


def test_parameters_are_typed_and_explained():
    hold_for_each(REPORTS, _parameters_are_typed_and_explained)


def _parameters_are_typed_and_explained(entry):
    cells = read(entry)["cells"]
    assert cells[1]["metadata"].get("tags") == ["parameters"]
    lines = [line for line in source(cells[1]).splitlines() if line.strip()]
    types = r"(str|int|float|bool|list|dict)"
    assert all(re.match(rf"\w+: {types}( \| {types})?( \| None)? = ", line) for line in lines)
    parameters = declared(entry.path)
    assert parameters
    assert all(parameter.help for parameter in parameters.values())


def test_formulas_are_written_so_that_pages_need_no_script():
    hold_for_each(ENTRIES, _formulas_are_written_so_that_pages_need_no_script)


def _formulas_are_written_so_that_pages_need_no_script(entry):
    for cell in read(entry)["cells"]:
        if cell["cell_type"] == "markdown":
            assert not re.search(r"\$[^$\n]+\$|\\\(|\\\[", source(cell)), "write formulas in Unicode"


def test_reports_of_papers_say_where_their_data_come_from():
    hold_for_each(PAPERS, _reports_of_papers_say_where_their_data_come_from)


def _reports_of_papers_say_where_their_data_come_from(entry):
    code = "\n".join(source(cell) for cell in read(entry)["cells"] if cell["cell_type"] == "code")
    assert "report.data(" in code or "datasets." not in code


def is_whole(path):
    """That an executed notebook says where it comes from, shows something and prints no warning."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert list(payloads(notebook, PROVENANCE)), f"{path}: report.close() lays the provenance down"
    assert [*payloads(notebook, FIGURE), *payloads(notebook, TABLE)], path
    printed = "".join(o["text"] for c in notebook.cells for o in c.get("outputs", []) if o.get("name") == "stderr")
    assert not printed, path


def is_said_at_a_glance(path):
    """That the headline of a report has at most 14 words, and at most two numbers besides those in names."""
    notebook = nbformat.read(path, as_version=4)
    for answer in payloads(notebook, ANSWER):
        said = answer["headline"]
        assert len(said.split()) <= 14, said
        named = re.sub(r"(= |Table |dimension )[\w./]+", "", said)
        assert len(re.findall(r"(?<![\w./])(?<![\w./]-)\d[\d.,/]*", named)) <= 2, said


def is_drawn_to_the_standard(path):
    """That no figure, on the page or on a phone, breaks the drawing standard."""
    assert {name: broken for name, broken in faults_of_report(path).items() if broken} == {}, path


def shows_plain_outputs(path):
    """That a plain notebook, run by hand, shows tables and pictures as any notebook does, and prints no warning."""
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds
    assert not [kind for kind in kinds if "copa-nb" in kind], "only a report records"
    assert not [one["text"] for one in outputs if one.get("name") == "stderr" and "Warning" in one["text"]]


def run_by_papermill(entry, folder):
    """Run a notebook as anyone would; returns the file with its outputs."""
    executed = folder / "out.ipynb"
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", str(entry.path), str(executed)]
    command += ["--parameters_yaml", json.dumps(QUICK.get(entry.name, {}))]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS_PER_NOTEBOOK, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return executed


# The reports of papers run together, in the test after these.
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=entry.name, marks=[] if entry.name in QUICK else [pytest.mark.slow])
        for entry in REPORTS
        if entry.name in QUICK or entry not in PAPERS
    ],
)
def test_reports_run_with_papermill_alone(entry, tmp_path):
    executed = run_by_papermill(entry, tmp_path)
    if entry in PAPERS:
        is_whole(executed)
        is_said_at_a_glance(executed)
    else:
        shows_plain_outputs(executed)


@pytest.mark.slow
def test_reports_on_own_tables_answer_at_a_glance_and_keep_the_drawing_standard(own_reports):
    """With a headline as short as those of papers, and at most 70 words of reasons on the card."""
    executed = [own_reports / entry.name / "report.ipynb" for entry in OWN]
    hold_for_each(executed, _answers_at_a_glance)
    hold_for_each(executed, is_drawn_to_the_standard)


def _answers_at_a_glance(executed):
    is_said_at_a_glance(executed)
    (answer,) = payloads(nbformat.read(executed, as_version=4), ANSWER)
    said = " ".join(answer["lines"])
    assert len(said.split()) <= 70, said


@pytest.mark.slow
@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry.name) for entry in ENTRIES if entry.area == "explore"])
def test_exploratory_notebooks_show_an_explorer(entry, tmp_path):
    notebook = nbformat.read(run_by_papermill(entry, tmp_path), as_version=4)
    kinds = [kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    assert "application/vnd.jupyter.widget-view+json" in kinds


@pytest.mark.slow
def test_all_paper_reports_run_without_data_and_network(tmp_path, monkeypatch):
    """With no mirror, an empty cache and a network that refuses; the ledger has every claim as it is stored.

    Their figures keep the drawing standard.
    """
    monkeypatch.delenv("COPA_NB_DATA", raising=False)
    monkeypatch.setenv("COPA_NB_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    jobs = [make_job(entry, timeout=SECONDS_PER_NOTEBOOK) for entry in PAPERS]
    folder = tmp_path / "reports"
    with examined_reports():
        outcomes = run_batch(jobs, folder)
    assert not [str(outcome.failure) for outcome in outcomes if outcome.failure]
    executed = [folder / entry.name / "report.ipynb" for entry in PAPERS]
    for check in (is_whole, is_said_at_a_glance, is_drawn_to_the_standard):
        hold_for_each(executed, check)
    assert compare_ledger(folder / "ledger.csv") == []
    with (folder / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not [row["id"] for row in rows if row["verdict"] == "differs" and not row["note"]]
