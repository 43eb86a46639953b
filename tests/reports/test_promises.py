"""What reports promise, a test for each: the contract of the engine, whatever it is made of."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest

from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
from tests.contention import contention

psutil = pytest.importorskip("psutil")

# What a run says of itself, and no two runs have in common.
OF_THE_RUN = re.compile(r"(?s)<p>Last report finished.*?</p>|<span class=\"took\">.*?</span>")
LONGEST_GOODBYE = 2.0
RUN = """
import sys
from pathlib import Path
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import make_job
from copa_nb.reports.batch import run_batch
run_batch([make_job(entry) for entry in catalog(Path(sys.argv[1]))], sys.argv[2], n_jobs=2)
"""


@pytest.fixture
def one(tmp_path, notebook):
    """One small report: ``one(n=3)`` makes it, and returns what came of it."""
    path = notebook(tmp_path / "notebooks/copa/a.ipynb", "print(20 / n)")
    (entry,) = catalog(path.parents[1])

    def run(out="out", *, watch=None, force=False, **parameters):
        job = make_job(entry, parameters)
        (outcome,) = run_batch([job], tmp_path / out, n_jobs=1, watch=watch, force=force)
        return outcome

    run.root, run.folder = tmp_path / "out", tmp_path / "out/copa/a"
    return run


def files_in(folder):
    """Return all visible files below a folder, without what differs from run to run."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".copa-nb" not in path.parts:
            text = path.read_bytes()
            if path.name == "manifest.json":
                text = json.dumps({key: value for key, value in json.loads(text).items() if key != "run"}).encode()
            if path.name in ("index.html", "ledger.html"):
                text = OF_THE_RUN.sub("", text.decode()).encode()
            found[path.relative_to(folder).as_posix()] = text
    return found


@pytest.mark.slow
def test_a_report_is_whole_or_not_there(one):
    """Killed processes are in test_resume.py; this is an interruption while a cell runs."""

    def interrupt(progress, outcome):
        if any(progress.running.values()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one(watch=interrupt)
    assert not one.folder.exists()
    assert one().status == "done"
    listed = json.loads((one.folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert set(files_in(one.folder)) == {*listed, "manifest.json"} == {"manifest.json", "report.html", "report.ipynb"}
    whole = files_in(one.folder)
    with pytest.raises(KeyboardInterrupt):
        one(watch=interrupt, force=True)
    assert files_in(one.folder) == whole


def test_a_folder_that_is_not_a_report_of_its_own_is_refused(one):
    one.folder.mkdir(parents=True)
    (one.folder / "models.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="do not belong to this report"):
        one(force=True)
    assert files_in(one.root) == {"copa/a/models.csv": b"mine"}


@pytest.mark.slow
def test_a_folder_with_anything_of_the_users_is_set_aside_whole(one):
    one(n=2)
    (one.folder / "notes.txt").write_text("mine", encoding="utf-8")
    (one.folder / "report.ipynb").write_text("edited", encoding="utf-8")
    before = files_in(one.folder)
    outcome = one(n=4)
    assert outcome.status == "done"
    assert "copa/a-kept-1" in outcome.notes[0]
    assert files_in(one.root / "copa/a-kept-1") == before
    assert set(files_in(one.folder)) == set(before) - {"notes.txt"}


@pytest.mark.slow
def test_a_failed_run_leaves_the_standing_report_and_its_half_notebook_goes_to_failed(one):
    assert one(n=0).status == "failed"
    assert set(files_in(one.root)) == {"failed/copa/a.ipynb", "index.html"}
    assert one(n=2).status == "done"
    before = files_in(one.folder)
    failed = one(n=0)
    assert "ZeroDivisionError" in failed.failure.what
    assert files_in(one.folder) == before
    assert "ZeroDivisionError" in files_in(one.root)["failed/copa/a.ipynb"].decode()
    assert b"failed/copa/a.ipynb" in files_in(one.root)["index.html"]
    assert one(n=2).status == "unchanged"
    assert not (one.root / "failed").exists()


@pytest.mark.slow
def test_unchanged_inputs_are_skipped(one):
    assert one(n=2).status == "done"
    stamps = {path: path.stat().st_mtime_ns for path in one.folder.rglob("*")}
    assert one(n=2).status == "unchanged"
    assert {path: path.stat().st_mtime_ns for path in one.folder.rglob("*")} == stamps
    assert one(n=4).status == "done"


@pytest.mark.slow
def test_broken_reports_of_a_batch_are_listed_and_the_others_made(batch):
    statuses = {name: outcome.status for name, outcome in batch.outcomes.items()}
    assert statuses == {
        "copa/good": "done",
        "copa/raises": "failed",
        "gap/dies": "failed",
        "significance/hostile": "done",
    }
    index = (batch.out / "index.html").read_text(encoding="utf-8")
    for name, said in {"copa/raises": "ValueError: no 1", "gap/dies": "kernel died"}.items():
        assert said in str(batch.outcomes[name].failure)
        assert name in index
        assert said in index


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes(batch, tmp_path):
    here = files_in(batch.out)
    job = next(job for job in batch.jobs if job.name == "copa/good")
    run_batch([job], tmp_path, n_jobs=1)
    elsewhere = files_in(tmp_path / "copa/good")
    assert {"report.html", "report.ipynb", "figures/line.pdf", "figures/line.svg", "tables/losses.tex"} < set(elsewhere)
    assert elsewhere == {
        name.removeprefix("copa/good/"): text for name, text in here.items() if name.startswith("copa/good/")
    }


@pytest.mark.slow
def test_pages_need_no_network(batch):
    pages = list(batch.out.rglob("*.html"))
    assert {"index.html", "ledger.html", "report.html"} == {page.name for page in pages}
    for path in pages:
        page = path.read_text(encoding="utf-8")
        loaded = re.findall(r"""(?:src|srcset|<link[^>]*href)=["']?([^"'\s>]+)""", page)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], path
        assert "@import" not in page
        assert "url(" not in page
        assert "mathjax" not in page.lower()


def listen():
    """Give the child the usual answer to Ctrl-C, which it lacks where tests run in the background of a script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
@pytest.mark.usefixtures("temporary")
def test_an_interruption_ends_within_two_seconds_and_leaves_no_process(notebook, tmp_path):
    begun = tmp_path / "begun"
    begun.mkdir()
    for name in "abc":
        wait = f"from pathlib import Path\nPath({str(begun)!r}, {name!r}).touch()\nimport time\ntime.sleep(120)"
        notebook(tmp_path / f"notebooks/gap/{name}.ipynb", wait)
    command = [sys.executable, "-c", RUN, str(tmp_path / "notebooks"), str(tmp_path / "out")]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=listen)
    deadline = time.monotonic() + 600
    while len(list(begun.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    family = psutil.Process(run.pid).children(recursive=True)
    assert len(family) >= 2
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
