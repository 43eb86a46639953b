import hashlib
import re
from pathlib import Path

import pytest

from copa_nb.datasets import download, registry
from copa_nb.datasets.registry import DataCorruptedError, DataUnavailableError


def test_registry_pins_every_file():
    files = registry.public_files()
    assert len(files) == 18
    for name, entry in files.items():
        assert entry.name == name
        assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
        assert re.match(r"https://.+/[0-9a-f]{40}/", entry.url), "an address must name one revision"
        assert entry.n_bytes > 0
        assert entry.license
        assert entry.what


def test_every_public_file_in_the_mirror_is_the_one_described(public_data):
    for name, entry in registry.public_files().items():
        assert registry.fetch(name, network=False) == public_data / entry.file
        assert (public_data / entry.file).stat().st_size == entry.n_bytes


def test_mirror_is_used_first_and_read_at_each_call(address, monkeypatch, tmp_path):
    downloaded = registry.fetch("small")
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "small.csv").write_bytes(address.content)
    monkeypatch.setenv("COPA_NB_DATA", str(mirror))
    assert registry.fetch("small") == mirror / "small.csv" != downloaded
    monkeypatch.delenv("COPA_NB_DATA")
    assert registry.fetch("small") == downloaded


def test_mirror_without_the_file_falls_through_to_the_cache(address, monkeypatch, tmp_path):
    registry.fetch("small")
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path / "missing"))
    assert registry.fetch("small").parent == tmp_path / "cache"
    assert address.n_downloads == 1


def test_download_happens_once(address, nothing_here):
    assert registry.path("small") is None
    first = registry.fetch("small")
    assert first.parent == nothing_here
    assert first.read_bytes() == address.content
    assert registry.fetch("small") == registry.path("small") == first
    assert address.n_downloads == 1


def test_damaged_cache_is_downloaded_again(address):
    registry.fetch("small").write_text("cut off")
    assert registry.path("small") is None
    assert registry.fetch("small").read_bytes() == address.content
    assert address.n_downloads == 2


def test_offline_never_asks_the_address(address, monkeypatch):
    with pytest.raises(DataUnavailableError, match="switched off"):
        registry.fetch("small", network=False)
    monkeypatch.setenv("COPA_NB_OFFLINE", "1")
    with pytest.raises(DataUnavailableError, match="switched off"):
        registry.fetch("small")
    assert address.n_downloads == 0
    monkeypatch.setenv("COPA_NB_OFFLINE", "0")
    assert registry.fetch("small").is_file()


@pytest.mark.parametrize("function", [registry.fetch, registry.path])
def test_unknown_name_offers_the_nearest(function):
    with pytest.raises(ValueError, match="Did you mean 'german_credit'"):
        function("german_credits")


def test_list_data_says_where_everything_is(address):
    before = registry.list_data()
    assert before.index.is_unique
    assert before.loc["small", ["kind", "rows", "where"]].tolist() == ["public file", 1, "not here"]
    assert before.loc["mtl_qm9", "where"] == "package"
    registry.fetch("small")
    assert registry.list_data().loc["small", "where"] == "cache"


def test_what_is_missing_is_said_in_full(nothing_here, monkeypatch, tmp_path):
    entry = registry.public_files()["bbob"]
    needed = [
        "'bbob'",
        entry.what,
        str(nothing_here),
        "`copa-nb data fetch bbob`",
        entry.url,
        entry.file,
        "COPA_NB_DATA",
    ]
    with pytest.raises(DataUnavailableError) as caught:
        registry.fetch("bbob", network=False)
    assert [part for part in needed if part in str(caught.value)] == needed
    assert "COPA_NB_DATA is not set" in str(caught.value)
    assert isinstance(caught.value, OSError)
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError) as caught:
        registry.fetch("bbob", network=False)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("said", "short"),
    [("no route", "TimeoutError: no route)"), ("x" * 500, "xxx…)"), ("first\nsecond", "TimeoutError: first)")],
)
def test_why_a_download_failed_is_said_in_short(nothing_here, monkeypatch, said, short):
    def fail(request, timeout):
        raise TimeoutError(said)

    monkeypatch.setenv("COPA_NB_OFFLINE", "0")
    monkeypatch.setattr(download, "urlopen", fail)
    with pytest.raises(DataUnavailableError) as caught:
        registry.fetch("bbob")
    assert short in str(caught.value)
    assert "x" * 200 not in str(caught.value)


def test_a_connection_that_breaks_is_no_other_file(address, nothing_here):
    address.announced = len(address.content) + 7
    with pytest.raises(DataUnavailableError, match=r"the connection broke after 16 of 23 bytes"):
        registry.fetch("small")
    assert not list(nothing_here.glob("*"))
    address.announced = len(address.content)
    assert registry.fetch("small").read_bytes() == address.content


def test_files_that_are_not_those_described_are_named_with_the_cure(address, nothing_here, monkeypatch, tmp_path):
    entry = registry.public_files()["small"]
    wrong = tmp_path / "small.csv"
    wrong.write_bytes(b"")
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path))
    with pytest.raises(DataCorruptedError) as caught:
        registry.path("small")
    needed = [str(wrong), hashlib.sha256().hexdigest(), entry.sha256, entry.url, "COPA_NB_DATA"]
    assert [part for part in needed if part in str(caught.value)] == needed
    with pytest.raises(DataCorruptedError, match=r"small\.csv is not the file"):
        registry.fetch("small")
    assert address.n_downloads == 0
    assert registry.list_data().loc["small", "where"] == "damaged"
    wrong.write_bytes(address.content)
    assert registry.list_data().loc["small", "where"] == "mirror"
    monkeypatch.delenv("COPA_NB_DATA")
    address.content = b"another file"
    with pytest.raises(DataCorruptedError) as caught:
        registry.fetch("small")
    needed = [entry.url, "no longer holds", "small.csv", entry.sha256, "COPA_NB_DATA"]
    assert [part for part in needed if part in str(caught.value)] == needed
    assert not list(nothing_here.glob("*"))


def test_folders_may_lie_below_ones_own(monkeypatch):
    monkeypatch.setenv("COPA_NB_DATA", "~/data")
    monkeypatch.setenv("COPA_NB_CACHE", "~/cache")
    assert (registry.mirror_folder(), registry.cache_folder()) == (Path.home() / "data", Path.home() / "cache")
    monkeypatch.delenv("COPA_NB_DATA")
    monkeypatch.delenv("COPA_NB_CACHE")
    assert registry.mirror_folder() is None
    assert registry.cache_folder().name == "copa_nb"
