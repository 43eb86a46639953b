"""Small notebooks made on the spot, and one batch of them that many tests look at."""

import json
import tempfile
import textwrap
from functools import lru_cache
from pathlib import Path

import pytest

from copa_nb.reports import inputs
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job

PARAMETERS = 'p: str = "inf"  # norm order, p = 1 to inf\nn: int = 20  # points\nnames: list = []  # labels'
RECORDING = """
import matplotlib.pyplot as plt
import pandas as pd
from copa_nb import reports
report = reports.Record(paper="COPA", item="Figure 1")
report.data({"name": "numbers", "kind": "simulated", "sha256": "ab" * 32, "origin": "made on the spot"})
frame = pd.DataFrame({"model": ["<b>x</b>", "=cmd"], "loss": [-0.5, 1 / 3]})
"""
DRAWING = """
figure, ax = plt.subplots(figsize=(3, 2))
ax.plot([0, 1], [n, 1])
words = dict(finding="It <i>falls</i>.", caption="A <i>line</i>.", alt='From "n" to 1')
report.figure(figure, name="line", data=frame, **words)
report.table(frame, name="losses", caption="Losses of <b>x</b>.")
"""
CLAIMING = """
report.claim("copa-fig1-half", found=f"n = <{n}>", ours=n, holds=n >= 20)
report.claim("copa-fig2-naive", found=f"n = {n}", holds=n % 2 == 1, note="n was chosen even")
report.claim("copa-fig5-spread", found=f"n = {n}", holds=n > 5, other_data="numbers: faces are not public")
report.claim("hv-audit", found="-", holds=None, note="no list of claims")
report.claim("extra-claim", says="n is <20> or more", found=f"n = {n}", holds=n >= 20)
report.answer(reports.Answer(f"n is {n} <of> 20", ["A <reason>."], question="How many?", certainty="Counted."))
report.text("Searched by café and CO₂.", ["one <item>"])
report.close()
"""
BARS = "from copa_nb.run_options import said\nprint('bars are shown:', said().progress)"


def cell(kind, number, source, tags=()):
    made = {"cell_type": kind, "id": f"cell-{number}", "metadata": {"tags": list(tags)} if tags else {}}
    made["source"] = textwrap.dedent(source).strip()
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def write_notebook(path, *sources, title="A report", sentence="What it shows. And more.", parameters=PARAMETERS):
    cells = [cell("markdown", 0, f"# {title}\n\n{sentence}")]
    cells.append(cell("code", 1, parameters, ["parameters"]))
    cells += [cell("code", number, source) for number, source in enumerate(sources, start=2)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


@pytest.fixture
def notebook():
    """Write a notebook: ``notebook(path, *cells)``."""
    return write_notebook


def jobs_in(folder, *, parameters=None, **settings):
    given = parameters or {}
    return [make_job(entry, given.get(entry.name), **settings) for entry in catalog(folder)]


@pytest.fixture
def temporary(monkeypatch, tmp_path_factory):
    """Two folders of one test: for temporary files, and for what Jupyter keeps of running kernels.

    Processes that are killed all at once leave files there. Its path is short enough for sockets.
    """
    tmp_path_factory.getbasetemp()  # it is for all tests, and not to be made in the folder of this one
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        folders = [Path(root, "t"), Path(root, "r")]
        for folder, variable in zip(folders, ("TMPDIR", "JUPYTER_RUNTIME_DIR"), strict=True):
            folder.mkdir()
            monkeypatch.setenv(variable, str(folder))
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield folders


class Batch:
    """A finished batch: its folder, its outcomes by name, and how to run it again."""

    def __init__(self, notebooks: Path, out: Path, **settings):
        self.notebooks, self.out, self.settings = notebooks, out, settings
        self.outcomes, self.events = self.run(n_jobs=2)

    @property
    def jobs(self):
        return jobs_in(self.notebooks, **self.settings)

    def run(self, **options):
        events = []
        outcomes = run_batch(self.jobs, self.out, watch=lambda *event: events.append(event), **options)
        return {outcome.name: outcome for outcome in outcomes}, events

    def manifest(self, name):
        return json.loads((self.out / name / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session", autouse=True)
def same_source():
    """Reports depend on the package's source; that it may be edited while tests run must not matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "package_hash", lru_cache(lambda: "the same source"))
        yield


@pytest.fixture(scope="session")
def batch(tmp_path_factory):
    """Good, hostile and broken notebooks, run once, two at a time."""
    root = tmp_path_factory.mktemp("batch")
    folder = root / "notebooks"
    write_notebook(folder / "copa" / "good.ipynb", RECORDING, DRAWING, CLAIMING, BARS, title="A <b>good</b> report")
    write_notebook(folder / "copa" / "raises.ipynb", "x = 1", "raise ValueError(f'no {x}')", title="It raises")
    write_notebook(folder / "gap" / "dies.ipynb", "import os", "os._exit(3)", title="Its kernel dies")
    hostile = {"p": '"; import os; os.abort()  #', "names": ["'''\n1/0", "<script>alert(1)</script>"]}
    echo = "print(repr(p))\nprint(names)\nprint('/tmp/ipykernel' + '_1/2.py', object())"
    write_notebook(folder / "significance" / "hostile.ipynb", echo, title="Hostile <script>alert(2)</script>")
    made = Batch(folder, root / "out", timeout=200.0, parameters={"significance/hostile": hostile})
    made.hostile = hostile
    return made
