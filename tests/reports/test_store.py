"""What a report depends on, and that it appears whole or not at all, wherever a kill comes."""

import multiprocessing
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from copa_nb.reports import store as module
from copa_nb.reports.jobs import Job
from copa_nb.reports.store import (
    Store,
    checked_folder,
    fingerprint,
    package_hash,
    parameter_files,
    write_manifest,
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
    (folder / store.free_notebook(name)).write_text(text, encoding="utf-8")
    (folder / "figures").mkdir()
    (folder / "figures/line.png").write_text(text, encoding="utf-8")
    contents = {"name": name, "status": "done", "notebook": {"file": "a.ipynb"}}
    write_manifest(folder, contents, {"seconds": 1.0})
    return folder


def place(store, name, text):
    stage(store, name, text)
    return store.publish(name)


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


def test_a_new_report_removes_only_what_the_old_one_wrote_and_nobody_edited(store):
    with store.lock("a/b"):
        assert place(store, "a/b", "old") == []
        folder = store.folder_of("a/b")
        (folder / "report.ipynb").write_text("edited", encoding="utf-8")
        (folder / "report.html").write_text("edited page", encoding="utf-8")
        (folder / "figures/mine.txt").write_text("mine", encoding="utf-8")
        (folder / "notes").mkdir()
        (folder / "notes/a.txt").write_text("note", encoding="utf-8")
        (folder / ".hidden").write_text("x", encoding="utf-8")
        kept = place(store, "a/b", "new")
    assert sorted(kept) == ["figures/mine.txt", "notes/a.txt", "report-kept.html", "report.ipynb"]
    assert (folder / "report.ipynb").read_text(encoding="utf-8") == "edited", "it stays where it is"
    assert (folder / "report-2.ipynb").read_text(encoding="utf-8") == "new"
    assert (folder / "report-kept.html").read_text(encoding="utf-8") == "edited page"
    assert read(store, "a/b") == "new"
    assert (folder / "figures/mine.txt").read_text(encoding="utf-8") == "mine"
    assert (folder / "notes/a.txt").read_text(encoding="utf-8") == "note"
    assert (folder / ".hidden").is_file()
    with store.lock("a/b"):
        place(store, "a/b", "newer")
    assert (folder / "report-2.ipynb").read_text(encoding="utf-8") == "newer", "its own it replaces"
    assert (folder / "report.ipynb").read_text(encoding="utf-8") == "edited"


@pytest.mark.parametrize("kill_at", range(9))
def test_wherever_a_kill_comes_no_file_of_the_user_is_lost(store, monkeypatch, kill_at):
    class Killed(BaseException):
        pass

    with store.lock("a/b"):
        place(store, "a/b", "old")
    folder = store.folder_of("a/b")
    (folder / "report.ipynb").write_text("edited", encoding="utf-8")
    (folder / "notes").mkdir()
    (folder / "notes/a.txt").write_text("note", encoding="utf-8")
    steps = []
    path_type = type(store.root)

    def counted(original):
        def step(self, *arguments, **options):
            if len(steps) == kill_at:
                raise Killed
            steps.append(self)
            return original(self, *arguments, **options)

        return step

    with monkeypatch.context() as patch:
        for method in ("rename", "unlink"):
            patch.setattr(path_type, method, counted(getattr(path_type, method)))
        try:
            with store.lock("a/b"):
                place(store, "a/b", "new")
        except Killed:
            pass
    store.sweep()
    assert read(store, "a/b") == ("old" if kill_at == 0 else "new")
    assert (folder / "report.ipynb").read_text(encoding="utf-8") == "edited"
    assert (folder / "notes/a.txt").read_text(encoding="utf-8") == "note"
    hidden = store.root / ".copa-nb"
    assert not [path for part in ("staging", "ready", "replaced") for path in (hidden / part).iterdir()]


def test_a_place_is_taken_only_if_it_is_empty_or_its_own(store, job):
    table = job.cwd + "/m.csv"
    Path(table).write_text("a", encoding="utf-8")

    def refused(name, **changes):
        with pytest.raises(ValueError, match=r"choose|rename") as caught:
            store.check_places([replace(job, name=name, **changes)])
        return str(caught.value)

    store.check_places([job])
    store.folder_of("a/empty").mkdir(parents=True)
    store.check_places([replace(job, name="a/empty")])
    store.folder_of("data").mkdir()
    (store.root / "data/models.csv").write_text("mine", encoding="utf-8")
    assert "contains files that do not belong to this report" in refused("data")
    assert "is a file" in refused("data/models.csv/x")
    assert "a file or a link" in refused("data/models.csv")
    with store.lock("a/b"):
        place(store, "a/b", "old")
    store.check_places([replace(job, name="a/b")])
    (store.folder_of("a/b") / "mine.txt").write_text("mine", encoding="utf-8")
    store.check_places([replace(job, name="a/b")])
    assert "contains other reports" in refused("a")
    assert "inside the folder of the report" in refused("a/b/c")
    assert "another report, made from a.ipynb" in refused("a/b", notebook=job.notebook.replace("a.ipynb", "c.ipynb"))
    (store.folder_of("a/b") / "own.csv").write_text("a", encoding="utf-8")
    inside = {"table": str(store.folder_of("a/b") / "own.csv")}
    assert "which the report would replace" in refused("a/b", parameters=inside)
    with pytest.raises(ValueError, match="inside that of 'x/y'"):
        store.check_places([replace(job, name="x/y"), replace(job, name="x/y/z")])
    with pytest.raises(ValueError, match="is itself a report"):
        Store(store.folder_of("a/b")).check_places([job])
    shutil.copytree(store.folder_of("a/b"), store.folder_of("a/copy"))
    assert "do not belong to this report" in refused("a/copy")


@pytest.mark.parametrize("name", ["index.html", "Ledger.csv", "ledger.html/x"])
def test_names_of_the_folders_own_pages_are_reserved(name):
    with pytest.raises(ValueError, match="is the overview of all reports"):
        checked_folder(name)


def test_a_page_about_all_reports_is_replaced_only_as_it_was_written(store, job, monkeypatch):
    with store.overview():
        store.write_overview("index.html", "ours")
        store.write_overview("index.html", "ours again")
    store.check_places([job])

    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("copa_nb.reports.store.os.replace", killed)
        with pytest.raises(KeyboardInterrupt):
            store.write_overview("index.html", "third")
    store.check_places([job])
    (store.root / "index.html").write_text("<p>a site of my own", encoding="utf-8")
    with pytest.raises(ValueError, match="was not written by copa-nb or was edited"):
        store.check_places([job])
    (store.root / ".copa-nb/overview.json").unlink()
    with pytest.raises(ValueError, match="was not written by copa-nb or was edited"):
        store.check_places([job])


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


def test_a_report_is_current_while_its_inputs_and_files_are_as_they_were(store):
    assert not store.is_current("a/b", "x")
    with store.lock("a/b"):
        place(store, "a/b", "page")
    folder, contents = store.folder_of("a/b"), {"name": "a/b", "status": "done", "fingerprint": "x"}

    def is_current(fingerprint="x", **changed):
        write_manifest(folder, contents | changed, {})
        return store.is_current("a/b", fingerprint)

    assert is_current()
    assert not is_current("y")
    assert not is_current(status="failed")
    assert not is_current(failed_run={"where": "cell 1"}), "its page tells of a later run that failed"
    assert is_current()
    (folder / "figures/line.png").write_text("edited", encoding="utf-8")
    assert not store.is_current("a/b", "x")
    (folder / "figures/line.png").unlink()
    assert not store.is_current("a/b", "x")


def test_two_kills_in_a_row_lose_nothing(store):
    """A report waits in its place for one that is ready, and what the one before it kept is not yet moved back."""
    with store.lock("a/b"):
        place(store, "a/b", "first")
        (store.folder_of("a/b") / "mine.txt").write_text("mine", encoding="utf-8")
        store.folder_of("a/b").rename(store._path("replaced", "a/b"))
        place_of_second = stage(store, "c", "second")
        place_of_second.rename(store.folder_of("a/b"))
        third = stage(store, "d", "third")
        third.rename(store._path("ready", "a/b"))
        assert store.recover("a/b") == ["mine.txt", "mine.txt"], "moved to the second, then from there to the third"
    assert read(store, "a/b") == "third"
    assert (store.folder_of("a/b") / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert not store._path("replaced", "a/b").exists()


def test_files_kept_under_a_name_that_is_taken_get_a_number(store):
    for text in ("first", "second", "third", "fourth"):
        with store.lock("a/b"):
            kept = place(store, "a/b", text)
        (store.folder_of("a/b") / "report.html").write_text(f"edited {text}", encoding="utf-8")
    assert sorted(kept) == ["report-kept-2.html", "report-kept-3.html", "report-kept.html"]


def test_a_file_that_is_being_written_is_no_report_that_a_kill_left(store):
    half = store.root / ".copa-nb/staging/file-abc"
    half.write_text("half", encoding="utf-8")
    store.sweep()
    assert half.is_file()
    assert not [path.name for path in (store.root / ".copa-nb/locks").iterdir()]


def test_a_table_is_kept_once_under_its_content(store, tmp_path):
    table = tmp_path / "m.csv"
    table.write_text("a", encoding="utf-8")
    kept = store.keep_table(table)
    assert kept.read_text(encoding="utf-8") == "a"
    assert kept.parent.parent == store.root / ".copa-nb/tables"
    assert kept.parent.name == module.file_hash(table)[:16]
    before = kept.stat().st_ino
    assert store.keep_table(table) == kept
    assert kept.stat().st_ino == before, "not written again"
    table.write_text("b", encoding="utf-8")
    assert store.keep_table(table) != kept
    assert [path.name for path in kept.parent.iterdir()] == ["m.csv"]


def test_a_copy_of_a_report_elsewhere_is_not_a_report_of_the_folder(store):
    with store.lock("a/b"):
        place(store, "a/b", "page")
    shutil.copytree(store.folder_of("a/b"), store.folder_of("copy"))
    assert [manifest["name"] for manifest in store.manifests()] == ["a/b"]
