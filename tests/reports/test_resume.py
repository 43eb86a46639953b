"""A batch that is killed at any moment loses nothing, leaves no half report, and goes on where it stopped.

``COPA_NB_KILLS=60`` kills it more often than the suite has time for.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.folder import manifests, recover_all
from copa_nb.reports.inputs import file_hash
from copa_nb.reports.jobs import make_job

psutil = pytest.importorskip("psutil")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("temporary")]

KILLS, REPORTS = int(os.environ.get("COPA_NB_KILLS", "15")), 2
RUN = """
import sys
from functools import lru_cache
from pathlib import Path
from copa_nb.reports import inputs
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
inputs.package_hash = lru_cache(lambda: "the same source, whatever is being edited meanwhile")
jobs = [make_job(entry) for entry in catalog(Path(sys.argv[1]))]
for outcome in run_batch(jobs, sys.argv[2], n_jobs=2, force=len(sys.argv) > 3):
    print(outcome.name, outcome.status)
"""


@pytest.fixture
def notebooks(tmp_path, notebook):
    for number in range(REPORTS):
        source = f"import time\ntime.sleep(0.3)\nprint({number} * 'x' * 100_000)"
        notebook(tmp_path / f"notebooks/copa/figure_{number}.ipynb", "x = 1", source, title=f"Report {number}")
    return tmp_path / "notebooks"


def start(notebooks, out, *options):
    command = [sys.executable, "-c", RUN, str(notebooks), str(out), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill(process, *, with_children):
    parent_children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    for child in parent_children if with_children else []:
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
    process.communicate(timeout=600)
    _, orphans = psutil.wait_procs(parent_children, timeout=900)
    assert not orphans


def whole_reports(out):
    """Return the hash of every report in place; each must be complete."""
    found = {}
    for manifest in manifests(out):
        folder = out / manifest["name"]
        assert {name: file_hash(folder / name) for name in manifest["files"]} == manifest["files"]
        present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
        assert present == {*manifest["files"], "manifest.json"}
        found[folder.name] = hashlib.sha256(json.dumps(manifest["files"]).encode()).hexdigest()
    assert {folder.name for folder in out.glob("copa/*")} == set(found), "half a report"
    return found


def left_aside(out):
    """Return what is left of reports that were being built."""
    return [path.name for path in (out / ".copa-nb").iterdir() if path.suffix not in (".lock", ".txt")]


def test_killed_at_random_moments_and_resumed(notebooks, tmp_path):
    """Every other time the kernels are killed as well; otherwise they end with the process that started them."""
    rng = random.Random(20)
    out = tmp_path / "out"
    (tmp_path / "clean").mkdir()
    began = time.monotonic()
    start(notebooks, tmp_path / "clean").communicate(timeout=900)
    whole_run = time.monotonic() - began
    expected = whole_reports(tmp_path / "clean")
    assert len(expected) == REPORTS
    there = {}
    for number in range(KILLS):
        # Once all are there, make them again by force, so that every kill interrupts work.
        process = start(notebooks, out, *(["--force"] if len(there) == REPORTS else []))
        time.sleep(rng.uniform(0.2, 1.0) * whole_run)
        kill(process, with_children=number % 2 == 0)
        now = {}
        if (out / ".copa-nb").exists():
            recover_all(out)  # as the next run does first
            now = whole_reports(out)
        assert set(there) <= set(now), "a report that was there is lost"
        assert all(expected[name] == digest for name, digest in now.items())
        there = now
    process = start(notebooks, out)
    printed, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors
    assert whole_reports(out) == expected
    assert (out / "index.html").is_file()
    assert not left_aside(out)
    assert printed.count("unchanged") == len(there), "what was finished is not run again"


def test_two_runs_into_one_folder_do_not_harm_each_other(notebooks, tmp_path):
    runs = [start(notebooks, tmp_path / "out") for _ in range(2)]
    printed = [run.communicate(timeout=900) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], printed
    lines = [line for text, _ in printed for line in text.splitlines()]
    assert len(lines) == 2 * REPORTS
    assert sum(line.endswith(" done") for line in lines) == REPORTS, "each report is made once"
    assert sum(line.endswith(" unchanged") for line in lines) == REPORTS
    assert len(whole_reports(tmp_path / "out")) == REPORTS


def test_an_interrupted_batch_in_the_same_process_leaves_an_index(notebooks, tmp_path):
    def interrupt(progress, outcome):
        if outcome is not None:
            raise KeyboardInterrupt

    jobs = [make_job(entry) for entry in catalog(notebooks)]
    with pytest.raises(KeyboardInterrupt):
        run_batch(jobs, tmp_path / "out", n_jobs=2, watch=interrupt)
    finished = whole_reports(tmp_path / "out")
    assert finished
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert all(f"copa/{name}/report.html" in index for name in finished)
    assert threading.active_count() < 20
