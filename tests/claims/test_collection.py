"""Papers are found where they are installed, and the library does without them."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from copa_nb.claims import collection
from copa_nb.claims.collection import GROUP, Collection, installed
from copa_nb.papers import COLLECTION
from copa_nb.reports.catalog import catalog, paper_entries
from copa_nb.reports.ledger import ledger_rows
from tests.claims.functions import checks

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def found(monkeypatch):
    """Let the entry points of the group be these collections."""
    entries = []
    monkeypatch.setattr(collection, "entry_points", lambda *, group: entries if group == GROUP else [])

    def install(*collections):
        entries[:] = [type("Entry", (), {"load": lambda self, one=one: one})() for one in collections]
        installed.cache_clear()
        return installed()

    yield install
    monkeypatch.undo()
    installed.cache_clear()


def _written(folder, paper, area):
    folder.mkdir()
    (folder / "papers.csv").write_text(f"paper,area\n{paper},{area}\n")
    (folder / "claims.csv").write_text(f"id,paper\n{area}-one,{paper}\n")
    (folder / "errata.csv").write_text(f"paper,claim\n{paper},{area}-one\n")
    return Collection((folder,))


def test_the_papers_are_declared_as_an_entry_point():
    (declared,) = (EntryPoint(name, value, GROUP) for name, value in PROJECT["entry-points"][GROUP].items())
    assert declared.load() is COLLECTION
    assert installed().folders == COLLECTION.folders


def test_papers_of_several_packages_are_read_together(found, tmp_path):
    first, second = _written(tmp_path / "a", "A", "one"), _written(tmp_path / "b", "B", "two")
    both = found(first, second, first)
    assert list(both.papers) == ["A", "B"]
    assert dict(both.paper_of_area) == {"one": "A", "two": "B"}
    assert list(both.claims) == ["one-one", "two-one"]
    assert [erratum["paper"] for erratum in both.errata] == ["A", "B"], "each once"


def test_without_papers_notebooks_are_listed_and_nothing_is_claimed(found):
    found()
    assert catalog()
    assert paper_entries() == ()
    assert ledger_rows([]) == []


def test_all_checks_of_papers_are_in_their_room():
    """Which nothing imports, by a contract in ``pyproject.toml``."""
    modules = {function.__module__ for function in checks()}
    assert "copa_nb.papers.copa.claims" in modules
    assert all(module.startswith("copa_nb.papers.") for module in modules)
