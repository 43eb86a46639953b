"""What visitors of a panel on a server may upload, read and write."""

import gzip
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import ipywidgets
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.control_panel import uploads
from copa_nb.control_panel.uploads import Uploads

BOARD = b"model,a,b,c,d,e,f,g,h\nx,1,2,3,4,5,6,7,8\ny,2,3,4,5,6,7,8,9\nz,0,1,2,3,4,5,6,7\n"


def _upload(panel, name, content):
    given = {"name": name, "type": "", "size": len(content), "content": content, "last_modified": datetime.now(UTC)}
    panel._upload.value = (given,)


def _received(name, content, *, served=True):
    given = Uploads(served)
    widget = ipywidgets.FileUpload()
    widget.value = (
        {"name": name, "type": "", "size": len(content), "content": content, "last_modified": datetime.now(UTC)},
    )
    try:
        return given.receive(widget).stat().st_size
    finally:
        given.remove()


def _parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _workbook(n_bytes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<row/>" * (n_bytes // 6))
    return buffer.getvalue()


@pytest.mark.parametrize(("name", "content"), [
    ("zeros.csv.gz", gzip.compress(b"0" * 80_000_000)),
    ("zeros.csv", gzip.compress(b"0" * 80_000_000)),
    ("rows.xlsx", _workbook(40_000_000)),
    ("rows.csv", b"1" * 50_000_001),
    ("constant.parquet", _parquet(pd.DataFrame({"a": np.zeros(10_000_000, dtype=np.int8)}))),
    ("text.parquet", _parquet(pd.DataFrame({"a": pd.Categorical(["x" * 10_000] * 20_000)}).astype(str))),
], ids=["gzip", "gzip by content", "excel", "text", "numbers in parquet", "text in parquet"])  # fmt: skip
def test_what_unpacks_to_more_than_is_allowed_is_refused_and_removed(name, content):
    with pytest.raises(ValueError, match=rf"'{name}' is larger than [25]0 MB once it is unpacked"):
        _received(name, content)
    assert _received(name, content, served=False) == len(content)


@pytest.mark.parametrize(("name", "content"), [
    ("board.csv", BOARD),
    ("board.csv.gz", gzip.compress(BOARD)),
    ("board.parquet", _parquet(pd.read_csv(io.BytesIO(BOARD)))),
], ids=["text", "gzip", "parquet"])  # fmt: skip
def test_other_files_are_received(name, content):
    assert _received(name, content) == len(content)


@pytest.mark.parametrize(("name", "content"), [
    ("a.gz", gzip.compress(BOARD)[:-9]),
    ("a.xlsx", b"PK\x03\x04" + b"0" * 99),
    ("a.parquet", b"PAR1" + b"0" * 99),
    ("..", BOARD),
    ("", BOARD),
], ids=["gzip", "excel", "parquet", "parent", "empty"])  # fmt: skip
def test_damaged_files_and_names_of_folders_are_errors_of_the_page(name, content):
    panel = copa_nb.panel(served=True)
    _upload(panel, name, content)
    assert "copa-error" in panel._preview.value
    assert panel.settings.source is None
    panel.close()


@pytest.mark.parametrize("name", ["/etc/passwd.csv", "..\\..\\x.csv", "../../x.csv"])
def test_a_file_is_saved_in_its_folder_whatever_it_is_called(name):
    panel = copa_nb.panel(served=True)
    _upload(panel, name, BOARD)
    assert panel.settings.source.name == name.replace("\\", "/").rpartition("/")[2]
    assert Path(panel.settings.source.path).parent == Path(panel._uploads._folder.name)
    panel.close()
    assert not Path(panel.settings.source.path).exists()


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A panel of a visitor, of a table with one column per item, in a folder with a table of the server."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_bytes(BOARD)
    panel = copa_nb.panel(served=True)
    _upload(panel, "cost.csv", BOARD)
    _upload(panel, "score.csv", BOARD)
    panel.settings = panel.settings.__class__(
        source=panel.settings.source, directions={"score": "max", "cost": "min"}, roles={"system": "model"}
    )
    yield panel, tmp_path
    panel.close()


@pytest.mark.parametrize("option", ["join", "since"])
@pytest.mark.parametrize("place", ["secret.csv", "{}/secret.csv", "../secret.csv", "/etc/hostname", "."])
def test_visitors_read_no_file_that_they_have_not_uploaded(board, option, place):
    panel, folder = board
    name = place.format(folder)
    panel.settings = panel.settings.with_options("board", **{option: [name] if option == "join" else name})
    with pytest.raises(ValueError, match=r"was not uploaded here; files that were: 'cost\.csv', 'score\.csv'"):
        panel._with_files("board")
    panel._other.value = "board"
    assert panel.sentences == ()
    panel._begin_report()
    assert "was not uploaded here" in panel._outcome.value


def test_visitors_join_what_they_have_uploaded(board):
    panel, _ = board
    panel.settings = panel.settings.with_options("board", join=["cost.csv"])
    assert panel._with_files("board").asked("board").described()["cost"].notna().all()
    assert panel.settings.parameters("board")["join"] == ["cost.csv"]  # as the code on the page has it


def test_others_join_files_of_their_own(tmp_path):
    panel = copa_nb.panel(pd.read_csv(io.BytesIO(BOARD)), objectives={"a": "max"}, served=False)
    panel.settings = panel.settings.with_options("board", join=[str(tmp_path / "own.csv")])
    assert panel._with_files("board").parameters("board")["join"] == [str(tmp_path / "own.csv")]
    panel.close()


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/b", "..", ".", ".hidden", "a\\b", "~", "x\0y"])
def test_visitors_write_below_the_folder_of_reports_only(name, monkeypatch):
    with pytest.raises(ValueError, match="here, it is one name of letters"):
        uploads.folder_of_reports(name, served=True)
    assert uploads.folder_of_reports(name, served=False) == name
    panel = copa_nb.panel(pd.DataFrame({"a": [1.0, 2.0]}), objectives={"a": "max"}, served=True)
    monkeypatch.setattr("copa_nb.control_panel.panel.report", lambda *_, **__: pytest.fail("nothing is to be written"))
    panel._folder.value = name
    panel._begin_report()
    assert "copa-error" in panel._outcome.value
    assert panel._thread is None
    panel.close()


def test_reports_of_two_visitors_are_in_two_folders_below_reports():
    found = set()
    for _ in range(2):
        panel = copa_nb.panel(served=True)
        found.add(uploads.folder_of_reports(panel._folder.value, served=True))
        panel.close()
    assert len(found) == 2
    assert {Path(one).parent for one in found} == {Path("reports")}


def test_voila_serves(monkeypatch):
    assert not copa_nb.panel()._uploads.served
    monkeypatch.setenv("VOILA_APP_PORT", "8866")
    assert copa_nb.panel()._uploads.served
    assert not copa_nb.panel(served=False)._uploads.served


def test_uploads_go_with_the_kernel(tmp_path, monkeypatch):
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3")
    client.execute_interactive(
        "import copa_nb, datetime\npanel = copa_nb.panel(served=True)\n"
        f"panel._upload.value = ({{'name': 'a.csv', 'type': '', 'size': 9, 'content': {BOARD!r}, "
        "'last_modified': datetime.datetime.now()},)",
        timeout=120,
    )
    assert [path.name for path in tmp_path.glob("copa-nb-panel-*/*")] == ["a.csv"]
    manager.shutdown_kernel()
    client.stop_channels()
    assert not list(tmp_path.glob("copa-nb-panel-*"))
