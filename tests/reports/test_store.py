"""What a report depends on, and that it appears whole or not at all, wherever a kill comes."""

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from copa_nb.reports import store as module
from copa_nb.reports.jobs import Job
from copa_nb.reports.store import (
    Store,
    fingerprint,
    package_hash,
    parameter_files,
)


@pytest.fixture
def job(tmp_path, notebook):
    path = notebook(tmp_path / "a.ipynb", "x = 1")
    return Job("copa/a", str(path), {"p": "2"}, cwd=str(tmp_path))


def test_the_fingerprint_changes_with_every_input(job, monkeypatch):
    first = fingerprint(job)
    assert fingerprint(job) == first
    assert fingerprint(replace(job, name="elsewhere", timeout=3.0)) == first, "where and how long do not matter"
    assert fingerprint(replace(job, parameters={"p": "1"})) != first
    assert fingerprint(replace(job, formats=("html", "pdf"))) != first
    with monkeypatch.context() as patch:
        patch.setattr(module, "package_hash", lambda: "other source")
        assert fingerprint(job) != first
    with monkeypatch.context() as patch:
        patch.setattr(module, "library_versions", lambda: {"numpy": "0"})
        assert fingerprint(job) != first
    notebook = Path(job.notebook)
    notebook.write_text(notebook.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert fingerprint(job) != first


def test_files_that_parameters_name_count_by_content(job, tmp_path):
    (tmp_path / "a.csv").write_text("1", encoding="utf-8")
    named = replace(job, parameters={"table": "a.csv", "tables": ["a.csv", "none.csv"], "n": 1, "text": "x" * 5000})
    assert list(parameter_files(named)) == ["a.csv"]
    first = fingerprint(named)
    (tmp_path / "a.csv").write_text("2", encoding="utf-8")
    assert fingerprint(named) != first


def test_the_package_has_a_hash(job):
    assert len(package_hash()) == 64  # imported before the fixture that keeps it steady


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "out")
    made.prepare()
    return made


def stage(store, name, text):
    folder = store.new_staging_folder(name)
    (folder / "report.html").write_text(text, encoding="utf-8")
    return folder


def place(store, name, text):
    stage(store, name, text)
    store.publish(name)


def read(store, name):
    return (store.folder_of(name) / "report.html").read_text(encoding="utf-8")


def test_a_placed_report_replaces_the_old_one(store):
    for text in ("first", "second"):
        with store.lock("a/b"):
            place(store, "a/b", text)
        assert read(store, "a/b") == text
    hidden = store.root / ".copa-nb"
    assert not [path for part in ("staging", "ready", "replaced") for path in (hidden / part).iterdir()]


@pytest.mark.parametrize("kill_at", range(4))
def test_a_kill_between_the_renames_loses_nothing(store, monkeypatch, kill_at):
    class Killed(BaseException):
        pass

    with store.lock("a/b"):
        place(store, "a/b", "old")
    steps = []
    path_type = type(store.root)
    rename = path_type.rename

    def counted(self, target):
        if len(steps) == kill_at:
            raise Killed
        steps.append(target)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(path_type, "rename", counted)
        try:
            with store.lock("a/b"):
                place(store, "a/b", "new")
        except Killed:
            pass
    store.sweep()
    assert read(store, "a/b") == ("old" if kill_at == 0 else "new")
    assert not list((store.root / ".copa-nb/staging").iterdir())


def test_sweeping_leaves_alone_what_another_run_is_at(store):
    with store.lock("a/b"):
        folder = stage(store, "a/b", "half")
        # flock is held per open file: this is what another process sees
        store.sweep()
        assert folder.exists()
    store.sweep()
    assert not folder.exists()


def hold(root, entered, leave):
    with Store(root).lock("a/b"):
        entered.set()
        leave.wait(30)


def test_a_lock_goes_with_its_process(store):
    context = multiprocessing.get_context("spawn")
    entered, leave = context.Event(), context.Event()
    process = context.Process(target=hold, args=(store.root, entered, leave))
    process.start()
    assert entered.wait(60)
    with store.lock("a/b", wait=False) as had:
        assert not had
    process.kill()
    process.join()
    with store.lock("a/b", wait=False) as had:
        assert had


def test_single_files_are_written_whole_or_not_at_all(store, monkeypatch):
    store.write("index.html", "old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("copa_nb.reports.store.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.write("index.html", "new")
    assert (store.root / "index.html").read_text(encoding="utf-8") == "old"
    assert not list((store.root / ".copa-nb/staging").iterdir())


def test_names_with_slashes_have_locks_of_their_own(store):
    with store.lock("a/b") as one, store.lock("a%2Fb", wait=False) as other:
        assert one
        assert other
