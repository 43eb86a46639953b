"""A report appears whole or not at all, wherever a kill comes, and nothing of a user's is removed."""

import contextlib
import multiprocessing
import shutil
import threading

import pytest

from copa_nb.reports import folder as module
from copa_nb.reports.folder import (
    FolderError,
    building,
    free,
    is_as_written,
    is_current,
    is_own,
    locked,
    manifests,
    prepare,
    put_away,
    put_in_place,
    recover_all,
    write,
    write_manifest,
)

NAME = "a/b"


class Killed(BaseException):
    """Ends a step as a kill would: nothing after it is done."""


@pytest.fixture
def out(tmp_path):
    prepare(tmp_path / "out")
    return tmp_path / "out"


def place(out, text, name=NAME):
    """Put a report in place whose files say `text`; return where an earlier one is now."""
    with locked(out, name), building(out, name) as staged:
        (staged / "figures").mkdir()
        for file in ("report.html", "report.ipynb", "figures/line.png"):
            (staged / file).write_text(text, encoding="utf-8")
        write_manifest(staged, {"name": name, "fingerprint": text, "notebook": {"file": "a.ipynb"}}, {"seconds": 1.0})
        return put_in_place(out, name)


def says(folder):
    """Return what all files of a whole report say."""
    (text,) = {(folder / file).read_text(encoding="utf-8") for file in ("report.html", "report.ipynb")}
    assert is_current(folder, text)
    return text


def left_aside(out):
    return [path.name for path in (out / ".copa-nb").iterdir() if path.suffix not in (".lock", ".txt")]


def test_an_error_halfway_changes_nothing(out):
    place(out, "old")

    def fail():
        with locked(out, NAME), building(out, NAME) as staged:
            (staged / "report.html").write_text("half", encoding="utf-8")
            raise Killed

    with pytest.raises(Killed):
        fail()
    assert says(out / NAME) == "old"
    assert not left_aside(out)


def test_a_report_that_cannot_be_put_in_place_leaves_the_old_one_there(out, monkeypatch):
    place(out, "old")
    path_type = type(out)
    rename = path_type.rename

    def fails(self, target):
        if self.suffix == ".new":
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(path_type, "rename", fails)
    with pytest.raises(PermissionError):
        place(out, "new")
    assert says(out / NAME) == "old"
    assert not left_aside(out)


@pytest.mark.parametrize("added", ["note", "edited", "hidden file", "link", "manifest"])
def test_a_folder_with_anything_of_the_users_is_set_aside_whole(out, added):
    place(out, "old")
    if added == "note":
        (out / NAME / "notes").mkdir()
        (out / NAME / "notes/a.txt").write_text("mine", encoding="utf-8")
    elif added == "edited":
        (out / NAME / "report.ipynb").write_text("edited", encoding="utf-8")
    elif added == "hidden file":
        (out / NAME / ".mine").touch()
    elif added == "link":
        (out / NAME / "link").symlink_to(out)
    else:
        (out / NAME / "manifest.json").unlink()
    before = {path.relative_to(out / NAME) for path in (out / NAME).rglob("*")}
    assert place(out, "new") == "a/b-kept-1"
    assert {path.relative_to(out / "a/b-kept-1") for path in (out / "a/b-kept-1").rglob("*")} == before
    assert (out / "a/b-kept-1/report.ipynb").read_text(encoding="utf-8") == ("edited" if added == "edited" else "old")
    assert says(out / NAME) == "new"
    assert [manifest["name"] for manifest in manifests(out)] == [NAME]
    (out / NAME / "more.txt").touch()
    assert place(out, "newer") == "a/b-kept-2"
    assert place(out, "newest") == ""


def test_what_file_managers_leave_is_not_the_users(out):
    place(out, "old")
    (out / NAME / "figures/.DS_Store").touch()
    assert place(out, "new") == ""


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("kill_at", range(7))
def test_a_kill_between_the_steps_loses_nothing(out, monkeypatch, kill_at, edited):
    place(out, "old")
    if edited:
        (out / NAME / "report.html").write_text("mine", encoding="utf-8")
    steps = []
    path_type = type(out)

    def counted(original):
        def step(*arguments, **options):
            if len(steps) == kill_at:
                raise Killed
            steps.append(arguments)
            return original(*arguments, **options)

        return step

    with monkeypatch.context() as patch:
        patch.setattr(path_type, "rename", counted(path_type.rename))
        patch.setattr(module.shutil, "rmtree", counted(shutil.rmtree))
        with contextlib.suppress(Killed):
            place(out, "new")
    recover_all(out)
    with locked(out, NAME):
        pass
    assert not left_aside(out)
    # First it removes what a killed run may have left, twice; then come the two renames.
    if kill_at < 4:
        assert (out / NAME / "report.html").read_text(encoding="utf-8") == ("mine" if edited else "old")
    else:
        assert says(out / NAME) == "new"
        assert (out / "a/b-kept-1").exists() == edited
        assert not edited or (out / "a/b-kept-1/report.html").read_text(encoding="utf-8") == "mine"


def test_recovering_leaves_alone_what_another_run_is_at(out):
    place(out, "old")
    aside = out / ".copa-nb/a%b.old"
    with locked(out, NAME):
        (out / NAME).rename(aside)
        recover_all(out)  # what another process sees
        assert aside.exists()
    recover_all(out)
    assert says(out / NAME) == "old"


def hold(out, entered, leave):
    with locked(out, NAME):
        entered.set()
        leave.wait(30)


def test_a_lock_goes_with_its_process(out):
    context = multiprocessing.get_context("spawn")
    entered, leave = context.Event(), context.Event()
    process = context.Process(target=hold, args=(out, entered, leave))
    process.start()
    assert entered.wait(60)
    tried = []

    def give_up():
        tried.append(True)
        raise Killed

    with pytest.raises(Killed), locked(out, NAME, while_waiting=give_up):
        pass
    process.kill()
    process.join()
    with locked(out, NAME, while_waiting=give_up):
        pass
    assert tried == [True]


def test_threads_wait_for_one_another_and_names_with_slashes_have_locks_of_their_own(out):
    waited, done = threading.Event(), threading.Event()

    def other():
        with locked(out, NAME, while_waiting=waited.set):
            done.set()

    thread = threading.Thread(target=other)
    with locked(out, NAME), locked(out, "a%25b"):
        thread.start()
        assert waited.wait(60)
        assert not done.is_set()
    thread.join()
    assert done.is_set()


def test_a_report_is_current_while_its_inputs_and_files_are_as_they_were(out):
    assert not is_current(out / NAME, "page")
    place(out, "page")
    assert is_current(out / NAME, "page")
    assert not is_current(out / NAME, "other")
    (out / NAME / "mine.txt").touch()
    assert is_current(out / NAME, "page"), "a note changes nothing of it"
    for damage in ("cut", None):
        file = out / NAME / "figures/line.png"
        file.write_text(damage) if damage else file.unlink()
        assert not is_current(out / NAME, "page")


def test_a_copy_of_a_report_elsewhere_is_not_a_report_of_the_folder(out):
    place(out, "page")
    shutil.copytree(out / NAME, out / "copy")
    assert [manifest["name"] for manifest in manifests(out)] == [NAME]
    assert is_own(out / "copy")
    assert not is_own(out)


def test_single_files_are_written_whole_or_not_at_all_and_known_again(out, monkeypatch):
    write(out, "index.html", "old")
    assert is_as_written(out, "index.html")

    def killed(*arguments):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(type(out), "replace", killed)
        with pytest.raises(Killed):
            write(out, "index.html", "new")
    assert (out / "index.html").read_text(encoding="utf-8") == "old"
    assert is_as_written(out, "index.html")
    write(out, "failed/a/b.ipynb", "new")
    write(out, "index.html", "newer")
    assert (out / "index.html").read_text(encoding="utf-8") == "newer"
    assert is_as_written(out, "failed/a/b.ipynb")
    assert not is_as_written(out, "ledger.html")


def test_a_single_file_that_was_edited_is_kept_beside_the_new_one(out):
    write(out, "failed/a/b.ipynb", "old")
    for number in (1, 2):
        (out / "failed/a/b.ipynb").write_text(f"mine {number}", encoding="utf-8")
        write(out, "failed/a/b.ipynb", "new")
        assert (out / f"failed/a/b-kept-{number}.ipynb").read_text(encoding="utf-8") == f"mine {number}"
        assert (out / "failed/a/b.ipynb").read_text(encoding="utf-8") == "new"
    put_away(out, "failed/a/b.ipynb", remove=True)
    put_away(out, "failed/a/b.ipynb", remove=True)
    assert sorted(path.name for path in (out / "failed/a").iterdir()) == ["b-kept-1.ipynb", "b-kept-2.ipynb"]


def test_without_its_hidden_part_the_pages_of_a_folder_are_known_by_their_mark(out):
    write(out, "index.html", '<meta name="generator" content="copa_nb">')
    shutil.rmtree(out / ".copa-nb")
    assert is_as_written(out, "index.html")
    (out / "index.html").write_text("<p>a site of my own", encoding="utf-8")
    assert not is_as_written(out, "index.html")


def test_names_that_are_free_keep_their_endings(tmp_path):
    (tmp_path / "v1.2").mkdir()
    (tmp_path / "v1.2-kept-1").symlink_to(tmp_path / "nowhere")
    assert free(tmp_path / "v1.2") == tmp_path / "v1.2-kept-2"
    (tmp_path / "a.csv").touch()
    assert free(tmp_path / "a.csv") == tmp_path / "a-kept-1.csv"


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="file is not writable"):
        prepare(tmp_path / "file")

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.tempfile, "TemporaryFile", refuse)
    with pytest.raises(FolderError, match="Permission denied"):
        prepare(tmp_path / "elsewhere")
