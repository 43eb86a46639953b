"""Reports appear whole or not at all, wherever a kill comes."""

import multiprocessing

import pytest

from copa_nb.reports.store import Store


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "out")
    made.prepare()
    return made


def stage(store, name, text):
    folder = store.staging(name)
    (folder / "report.html").write_text(text, encoding="utf-8")
    return folder


def read(store, name):
    return (store.place_of(name) / "report.html").read_text(encoding="utf-8")


def test_a_placed_report_replaces_the_old_one(store):
    for text in ("first", "second"):
        with store.lock("a/b"):
            store.place(stage(store, "a/b", text), "a/b")
        assert read(store, "a/b") == text
    hidden = store.root / ".copa-nb"
    assert not [path for part in ("staging", "ready", "replaced") for path in (hidden / part).iterdir()]


@pytest.mark.parametrize("kill_at", range(4))
def test_a_kill_between_the_renames_loses_nothing(store, monkeypatch, kill_at):
    class Killed(BaseException):
        pass

    with store.lock("a/b"):
        store.place(stage(store, "a/b", "old"), "a/b")
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
                store.place(stage(store, "a/b", "new"), "a/b")
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
