"""The processes that make reports: they leave nothing behind however they end, and pass any file name on."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace

import pytest

from copa_nb.reports import runner
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
from copa_nb.reports.runner import run_batch

psutil = pytest.importorskip("psutil")

RUN = """
import sys
from pathlib import Path
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
from copa_nb.reports.runner import run_batch
folder, timeout, table = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
jobs = [make_job(entry, {"table": table}, timeout=timeout or None) for entry in catalog(folder)]
for outcome in run_batch(jobs, sys.argv[4], n_jobs=2):
    print(outcome.status, ascii(str(outcome.failure)))
"""
TABLE = 'table: str = ""  # a file'
# What a kernel leaves in the folder for temporary files goes, too.
LEAVE = "import tempfile\nprint(tempfile.mkdtemp())"
BUSY = "from pathlib import Path\nPath(table).touch()\nimport time\ntime.sleep(120)"
ENDS = {
    "interrupted": (BUSY, 0.0, signal.SIGINT),
    "killed": (BUSY, 0.0, signal.SIGKILL),
    "time limit": ("while True: pass", 4.0, None),
    "kernel dies": ("import os\nos._exit(3)", 0.0, None),
    "worker dies": ("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(120)", 0.0, None),
}


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def listen():
    """Give the child the usual answer to Ctrl-C, which it lacks where tests run in the background of a script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
@pytest.mark.parametrize("how", ENDS)
def test_no_end_leaves_files_or_processes(how, notebook, tmp_path, temporary):
    source, timeout, number = ENDS[how]
    for name in "ab":
        notebook(tmp_path / f"n/gap/{name}.ipynb", LEAVE, source, parameters=TABLE)
    begun = tmp_path / "begun"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path / "n"), str(timeout), str(begun), str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen,
    )
    if number is not None:
        assert wait_until(begun.exists, 120)
        assert list(temporary[0].iterdir()), "it is here that kernels and workers keep their files"
        family = psutil.Process(run.pid).children(recursive=True)
        assert len(family) >= 2, "a worker and its kernel"
        run.send_signal(number)
        _, alive = psutil.wait_procs(family, timeout=60)
        assert not alive
    printed, errors = run.communicate(timeout=300)
    if number is None:
        assert [line.split()[0] for line in printed.splitlines()] == ["failed", "failed"], errors
    assert wait_until(lambda: not [path for folder in temporary for path in folder.iterdir()]), "something is left"


@pytest.mark.slow
def test_a_worker_that_hangs_is_stopped_after_its_time_limit(notebook, tmp_path, temporary, monkeypatch):
    monkeypatch.setattr(runner, "GRACE_SECONDS", 10.0)
    monkeypatch.setattr(runner, "_SECONDS_TO_END", 0.5)
    stop = "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)"
    path = notebook(tmp_path / "n/gap/a.ipynb", stop, "import time\ntime.sleep(120)")
    (entry,) = catalog(path.parents[1])
    (outcome,) = run_batch([make_job(entry, timeout=5.0)], tmp_path / "out", n_jobs=1)
    assert outcome.status == "failed"
    assert outcome.failure.what == "the report exceeded its time limit of 5 s and was stopped"
    assert (tmp_path / "out/gap/a/report.ipynb").is_file()
    assert wait_until(lambda: not list(temporary[0].iterdir()))


@pytest.mark.slow
def test_where_paths_are_too_long_for_sockets_kernels_use_ports(notebook, tmp_path, monkeypatch):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    notebook(tmp_path / "n/gap/a.ipynb", "print(1)")
    notebook(tmp_path / "n/gap/b.ipynb", ENDS["worker dies"][0])
    fine, lost = run_batch([make_job(entry) for entry in catalog(tmp_path / "n")], tmp_path / "out", n_jobs=1)
    assert fine.status == "done", fine.failure
    assert "signal 9" in lost.failure.what
    assert "TCP" not in lost.failure.traceback, "what every kernel warns of says nothing about this end"


def odd_names(folder):
    """Return a folder and a table in it whose names are not UTF-8."""
    place = os.path.join(os.fsencode(folder), b"caf\xe9 {x}")
    try:
        os.mkdir(place)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    return os.fsdecode(place), os.fsdecode(b"mod\xe8le.csv")


@pytest.mark.slow
def test_names_that_are_not_utf_8_go_through(notebook, tmp_path, monkeypatch):
    place, table = odd_names(tmp_path)
    with open(os.path.join(place, table), "w", encoding="utf-8") as file:
        file.write("here it is")
    read = "from pathlib import Path\nprint(Path(table).name, Path(table).read_text())"
    path = notebook(tmp_path / "n/gap/a.ipynb", read, parameters=TABLE)
    (entry,) = catalog(path.parents[1])
    monkeypatch.chdir(place)
    job = make_job(entry, {"table": table})
    out = os.path.join(place, "out")
    (outcome,) = run_batch([job], out, n_jobs=1)
    assert outcome.status == "done", outcome.failure
    with open(os.path.join(out, "gap/a/report.html"), encoding="utf-8") as file:
        assert "mod\N{REPLACEMENT CHARACTER}le.csv here it is" in file.read()
    assert run_batch([job], out, n_jobs=1)[0].status == "unchanged"
    with open(os.path.join(place, table), "w", encoding="utf-8") as file:
        file.write("it changed")
    (outcome,) = run_batch([replace(job, parameters={"table": os.path.join(place, table)})], out, n_jobs=1)
    assert outcome.status == "done", outcome.failure


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], ids=["plain", "ascii"])
def test_a_c_locale_takes_names_of_any_language(settings, notebook, tmp_path):
    table = tmp_path / "modèle 模型.csv"
    table.write_text("here it is", encoding="utf-8")
    read = "from pathlib import Path\nprint(Path(table).name, Path(table).read_text())"
    notebook(tmp_path / "n/gap/a.ipynb", read, parameters=TABLE)
    out = tmp_path / "sortie é"
    others = ("LANG", "LC_CTYPE", "PYTHONUTF8", "PYTHONIOENCODING")
    environment = {name: value for name, value in os.environ.items() if name not in others}
    made = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "n"), "0", str(table), str(out)],
        env=environment | {"LC_ALL": "C", **settings},
        capture_output=True,
        check=True,
    )
    assert made.stdout.split()[0] == b"done", made
    page = (out / "gap/a/report.html").read_text(encoding="utf-8")
    assert "modèle 模型.csv here it is" in page


def test_an_order_says_how_far_it_is(notebook, tmp_path):
    """Markdown does not count, nor does the cell of parameters that papermill adds."""
    path = notebook(tmp_path / "n/gap/a.ipynb", "a = 1", "b = 2", "c = 3")
    (entry,) = catalog(path.parents[1])
    seen = []
    run_batch([make_job(entry, {"n": 3})], tmp_path / "out", watch=lambda progress, outcome: seen.append(progress))
    shares = [progress.running["gap/a"] for progress in seen if progress.running]
    assert shares == [0.0, 0.2, 0.4, 0.6, 0.8, 0.8]
    manifest = json.loads((tmp_path / "out/gap/a/manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["run"]["phases"]) == {"kernel", "cells", "pages"}
