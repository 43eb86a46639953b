"""What visitors of a panel on a server may upload, read and write."""

import gzip
import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import copa_nb
from copa_nb.control_panel.uploads import Uploads

BOARD = b"model,a,b,c,d,e,f,g,h\nx,1,2,3,4,5,6,7,8\ny,2,3,4,5,6,7,8,9\nz,0,1,2,3,4,5,6,7\n"


def _received(name, content, *, served=True):
    given, half = Uploads(served), len(content) // 2
    try:
        given.receive(name, content[:half], last=False)
        return given.receive(name, content[half:], first=False).stat().st_size
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
    ("rows.xlsx", _workbook(40_000_000)),
    ("rows.csv", b"1" * 50_000_001),
], ids=["excel", "text"])  # fmt: skip
def test_what_unpacks_to_more_than_is_allowed_is_refused_and_removed(name, content):
    with pytest.raises(ValueError, match=rf"'{name}' is larger than [25]0 MB once it is unpacked"):
        _received(name, content)
    assert _received(name, content, served=False) == len(content)


@pytest.mark.parametrize(("name", "content"), [
    ("board.csv.gz", gzip.compress(BOARD)),
    ("board.csv", gzip.compress(BOARD)),
    ("board.parquet", _parquet(pd.read_csv(io.BytesIO(BOARD)))),
], ids=["gzip", "gzip by content", "parquet"])  # fmt: skip
def test_what_does_not_say_how_large_it_is_comes_from_no_visitor(name, content):
    with pytest.raises(ValueError, match="upload it as CSV, JSON or Excel"):
        _received(name, content)
    assert _received(name, content, served=False) == len(content)


@pytest.mark.parametrize(("name", "content"), [
    ("a.gz", gzip.compress(BOARD)[:-9]),
    ("a.xlsx", b"PK\x03\x04" + b"0" * 99),
    ("a.parquet", b"PAR1" + b"0" * 99),
    ("..", BOARD),
    ("", BOARD),
], ids=["gzip", "excel", "parquet", "parent", "empty"])  # fmt: skip
def test_damaged_files_and_names_of_folders_are_errors_of_the_page(name, content):
    panel = copa_nb.panel(served=True)
    panel._received(name, content, True, True)
    assert "copa-error" in panel.to_saved() + panel._outcome.value
    panel.close()


def test_the_rest_of_a_file_that_is_too_large_is_not_kept():
    given = Uploads(True)
    with pytest.raises(ValueError, match="larger than 50 MB"):
        given.receive("rows.csv", b"1" * 50_000_001, last=False)
    assert given.receive("rows.csv", b"1", first=False) is None
    assert list(given.folder.iterdir()) == []
    given.remove()


@pytest.mark.parametrize("name", ["/etc/passwd.csv", "..\\..\\x.csv", "../../x.csv"])
def test_a_file_is_saved_in_its_folder_whatever_it_is_called(name):
    panel = copa_nb.panel(served=True)
    panel._received(name, BOARD, True, True)
    assert panel.settings.source.name == name.replace("\\", "/").rpartition("/")[2]
    assert Path(panel.settings.source.path).parent == panel._uploads.folder
    panel.close()
    assert not Path(panel.settings.source.path).exists()


def test_voila_serves(monkeypatch):
    assert not copa_nb.panel()._uploads.served
    monkeypatch.setenv("VOILA_APP_PORT", "8866")
    assert copa_nb.panel()._uploads.served
    assert not copa_nb.panel(served=False)._uploads.served


@pytest.mark.slow
def test_uploads_go_with_the_kernel(tmp_path, monkeypatch):
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3")
    client.execute_interactive(
        f"import copa_nb\npanel = copa_nb.panel(served=True)\npanel._received('a.csv', {BOARD!r}, True, True)",
        timeout=120,
    )
    assert [path.name for path in tmp_path.glob("copa-nb-panel-*/*")] == ["a.csv"]
    manager.shutdown_kernel()
    client.stop_channels()
    assert not list(tmp_path.glob("copa-nb-panel-*"))
