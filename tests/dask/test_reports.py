"""Reports on a cluster: the same files, isolation, resumption, and refusals before anything runs."""

import json
import os
import signal
import threading
import time

import pytest
from click.testing import CliRunner

from copa_nb.reports.jobs import Job
from copa_nb.reports.runner import run_batch

distributed = pytest.importorskip("distributed", reason="needs the extra: pip install 'copa_nb[dask]'")
pytest.importorskip("copa_nb.dask", reason="needs the extra: pip install 'copa_nb[dask]'")

pytestmark = pytest.mark.slow

GOOD = """
import pandas as pd
from copa_nb import reports
report = reports.Record(paper=None, item="numbers")
report.table(pd.DataFrame({"n": [n, 2 * n]}), name="numbers", caption="Numbers.")
report.close()
"""


def write(path, *sources):
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A report\n\nWhat it shows."}]
    for number, source in enumerate(["n: int = 3  # a number", *sources]):
        tags = {"tags": ["parameters"]} if number == 0 else {}
        cells.append({"cell_type": "code", "id": f"c{number}", "metadata": tags, "source": source.strip(),
                      "execution_count": None, "outputs": []})  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def job(name, notebook, **parameters):
    return Job(name, str(notebook), {"n": 3, **parameters}, cwd=str(notebook.parent))


@pytest.fixture(scope="module")
def client():
    settings = {"n_workers": 2, "processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def stable(manifest):
    return {key: value for key, value in manifest.items() if key != "run"}


def manifest(folder, name):
    return json.loads((folder / name / "manifest.json").read_text())


def test_same_reports_as_on_one_machine(client, tmp_path):
    good = write(tmp_path / "good.ipynb", GOOD)
    dying = write(tmp_path / "dying.ipynb", "import os; os.kill(os.getpid(), 9)")
    jobs = [job("a/good", good), job("a/other", good, n=5), job("a/dying", dying)]
    heard = []
    outcomes = run_batch(
        jobs, tmp_path / "cluster", scheduler=client.scheduler.address, watch=lambda p, o: heard.append((p, o))
    )
    assert [outcome.status for outcome in outcomes] == ["done", "done", "failed"]
    assert "kernel died" in outcomes[2].failure.what
    assert any(progress.running.get("a/good", 0) > 0 for progress, _ in heard), "cells are told while they run"
    run_batch(jobs[:1], tmp_path / "here", n_jobs=1)
    assert stable(manifest(tmp_path / "cluster", "a/good")) == stable(manifest(tmp_path / "here", "a/good"))
    again = run_batch(jobs, tmp_path / "cluster", scheduler=client)
    assert [outcome.status for outcome in again] == ["unchanged", "unchanged", "failed"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_costs_no_report(client, tmp_path):
    marker = tmp_path / "at work"
    slow = write(
        tmp_path / "slow.ipynb", f"import pathlib, time; pathlib.Path({str(marker)!r}).touch(); time.sleep(3)", GOOD
    )
    heard = []
    arguments = ([job("a/slow", slow)], tmp_path / "out")
    run = threading.Thread(target=lambda: heard.extend(run_batch(*arguments, scheduler=client)))
    run.start()
    while not marker.exists():
        time.sleep(0.05)
    busy = [address for address, tasks in client.processing().items() if tasks]
    victims = client.run(os.getpid, workers=busy)
    for pid in victims.values():
        os.kill(pid, signal.SIGKILL)
    run.join(120)
    assert [outcome.status for outcome in heard] == ["done"]


def test_refusals_before_anything_runs(client, tmp_path):
    from copa_nb.cli import main

    good = write(tmp_path / "good.ipynb", GOOD)
    with pytest.raises(ValueError, match="cannot access"):
        run_batch([Job("a/good", str(good), {}, cwd="/nowhere/at/all")], tmp_path / "out", scheduler=client)
    arguments = ["run", "papers", "--out", str(tmp_path / "out"), "--scheduler", "nonsense://x"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "no Dask scheduler answers" in result.output
    result = CliRunner().invoke(main, ["run", "papers", "--out", str(tmp_path / "out"), "--scheduler", "threads"])
    assert result.exit_code == 2
    assert "work for studies, not for reports" in result.output
