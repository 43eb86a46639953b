"""Kernels are processes of their own, which leave nothing behind however they end."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
from copa_nb.reports.kernels import EndedError, Kernels
from tests.contention import contention

psutil = pytest.importorskip("psutil")

RUN = """
import sys
from pathlib import Path
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
for outcome in run_batch([make_job(entry) for entry in catalog(Path(sys.argv[1]))], sys.argv[2], n_jobs=2):
    print(outcome.status, outcome.failure)
"""
# What a kernel leaves in the folder for temporary files goes, too.
LEAVE = "import tempfile\nprint(tempfile.mkdtemp())"
LONGEST_GOODBYE = 2.0


def test_one_call_ends_all_kernels_and_no_other_starts(tmp_path, temporary, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)  # the environment's own would win
    # In a thread, as a batch does: browser tests leave an event loop to that of the tests.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_start_and_end, tmp_path).result()
    assert not [path for folder in temporary for path in folder.iterdir()]


def _start_and_end(tmp_path):
    kernels = Kernels()
    with kernels.started(str(tmp_path)) as kernel:
        kernels.check()
        process = psutil.Process(kernel.provisioner.pid)
        assert process.cwd() == str(tmp_path)
        assert process.environ()["PYTHONHASHSEED"] == "0"
        kernels.end()
        process.wait(30)
        with pytest.raises(EndedError):
            kernels.check()
        with pytest.raises(EndedError), kernels.started(str(tmp_path)):
            pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "timeout", "said"),
    [("while True: pass", 8.0, "time limit of 8 s"), ("import os\nos._exit(3)", None, "the kernel died")],
)
def test_no_end_leaves_files_or_processes(source, timeout, said, notebook, tmp_path, temporary):
    for name in "ab":
        notebook(tmp_path / f"n/gap/{name}.ipynb", LEAVE, source)
    before = psutil.Process().children(recursive=True)
    outcomes = run_batch([make_job(entry, timeout=timeout) for entry in catalog(tmp_path / "n")], tmp_path / "out")
    assert [outcome.status for outcome in outcomes] == ["failed", "failed"]
    assert all(said in outcome.failure.what for outcome in outcomes)
    assert psutil.Process().children(recursive=True) == before
    assert not [path for folder in temporary for path in folder.iterdir()]


def _started(notebook, tmp_path, *, names, **options):
    """Start a batch of notebooks that would run for two minutes; return it and its kernels, once two cells run."""
    begun = tmp_path / "begun"
    begun.mkdir()
    for name in names:
        wait = f"from pathlib import Path\nPath({str(begun)!r}, {name!r}).touch()\nimport time\ntime.sleep(120)"
        notebook(tmp_path / f"n/gap/{name}.ipynb", wait)
    run = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path / "n"), str(tmp_path / "out")], **options)
    deadline = time.monotonic() + 600
    while len(list(begun.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    family = psutil.Process(run.pid).children(recursive=True)
    assert len(family) >= 2
    return run, family


@pytest.mark.slow
@pytest.mark.usefixtures("temporary")
def test_kernels_end_with_the_process_that_started_them(notebook, tmp_path):
    run, family = _started(notebook, tmp_path, names="ab")
    run.kill()
    run.wait()
    _, alive = psutil.wait_procs(family, timeout=300)
    assert not alive


def listen():
    """Give the child the usual answer to Ctrl-C, which it lacks where tests run in the background of a script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
@pytest.mark.usefixtures("temporary")
def test_an_interruption_ends_within_two_seconds_and_leaves_no_process(notebook, tmp_path):
    run, family = _started(notebook, tmp_path, names="abc", stderr=subprocess.PIPE, text=True, preexec_fn=listen)
    before = contention()
    run.send_signal(signal.SIGINT)
    sent = time.monotonic()
    _, errors = run.communicate(timeout=600)
    took = time.monotonic() - sent
    longest = LONGEST_GOODBYE * max(before, contention())
    _, alive = psutil.wait_procs(family, timeout=longest)
    assert not alive
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert took <= longest
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".copa-nb", "index.html"}


@pytest.mark.slow
def test_where_paths_are_too_long_for_sockets_kernels_use_ports(notebook, tmp_path, monkeypatch):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    notebook(tmp_path / "n/gap/a.ipynb", "print(1)")
    (outcome,) = run_batch([make_job(entry) for entry in catalog(tmp_path / "n")], tmp_path / "out", n_jobs=1)
    assert outcome.status == "done", outcome.failure


@pytest.mark.slow
def test_notebooks_run_in_the_folder_of_their_job_whose_name_may_have_braces(notebook, tmp_path):
    here = os.getcwd()
    jobs = []
    for name in "ab":
        place = tmp_path / f"{name} {{x}} é"
        (place / "n").mkdir(parents=True)
        (place / "table.csv").write_text(f"table of {name}", encoding="utf-8")
        source = "from pathlib import Path\nprint(Path('table.csv').read_text())"
        (entry,) = catalog(notebook(place / f"n/gap/{name}.ipynb", source).parents[1])
        jobs.append(make_job(entry, cwd=place))
    out = tmp_path / "a {x} é/out"
    assert [outcome.status for outcome in run_batch(jobs, out, n_jobs=2)] == ["done", "done"]
    for name in "ab":
        assert f"table of {name}" in (out / f"gap/{name}/report.html").read_text(encoding="utf-8")
    assert os.getcwd() == here


@pytest.mark.slow
def test_a_c_locale_takes_names_of_any_language(notebook, tmp_path):
    (tmp_path / "modèle 模型.csv").write_text("here it is", encoding="utf-8")
    read = "from pathlib import Path\nprint(*[path.read_text() for path in Path('.').glob('*.csv')])"
    notebook(tmp_path / "n/gap/a.ipynb", read)
    out = tmp_path / "sortie é"
    others = ("LANG", "LC_CTYPE", "PYTHONUTF8", "PYTHONIOENCODING")
    environment = {name: value for name, value in os.environ.items() if name not in others}
    command = [sys.executable, "-c", RUN, str(tmp_path / "n"), str(out)]
    made = subprocess.run(command, env=environment | {"LC_ALL": "C"}, cwd=tmp_path, capture_output=True, check=True)
    assert made.stdout.split()[0] == b"done", made
    assert "here it is" in (out / "gap/a/report.html").read_text(encoding="utf-8")
