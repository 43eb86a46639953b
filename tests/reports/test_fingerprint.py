"""What a report depends on."""

import json

import pytest

from copa_nb.reports import fingerprint as module
from copa_nb.reports.fingerprint import ABSENT, available_data, data_state, fingerprint, package_hash, parameter_files
from copa_nb.reports.jobs import Job

AVAILABLE = {"board": ABSENT, "runs": "ab"}


@pytest.fixture
def job(tmp_path, notebook):
    path = notebook(tmp_path / "a.ipynb", "x = 1")
    return Job("copa/a", str(path), {"p": "2"}, cwd=str(tmp_path))


def test_data_fetched_during_the_run_count_with_their_hash():
    assert data_state([{"name": "board", "kind": "real", "sha256": "cd"}], AVAILABLE) == {"board": "cd"}


def test_a_stand_in_is_stale_once_the_real_data_come():
    assert data_state([{"name": "board", "kind": "stand-in", "sha256": "x"}], AVAILABLE) == {"board": ABSENT}


def test_a_stand_in_asked_for_stands_while_the_data_stay_as_they_are():
    assert data_state([{"name": "runs", "kind": "stand-in", "sha256": "x"}], AVAILABLE) == {"runs": "ab"}


def test_data_made_of_unnamed_public_files_depend_on_all_of_them():
    sources = [{"name": "board", "kind": "real", "sha256": "cd"}, {"name": "folds", "kind": "real", "sha256": "ef"}]
    assert data_state(sources, AVAILABLE) == {"board": "cd", "runs": "ab"}
    assert data_state([{"name": "table", "kind": "bundled", "sha256": "x"}], AVAILABLE) == {}


def test_the_fingerprint_changes_with_every_input(job, monkeypatch):
    from dataclasses import replace
    from pathlib import Path

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
    from dataclasses import replace

    (tmp_path / "a.csv").write_text("1", encoding="utf-8")
    named = replace(job, parameters={"table": "a.csv", "tables": ["a.csv", "none.csv"], "n": 1, "text": "x" * 5000})
    assert list(parameter_files(named)) == ["a.csv"]
    first = fingerprint(named)
    (tmp_path / "a.csv").write_text("2", encoding="utf-8")
    assert fingerprint(named) != first


def test_a_mirror_counts_by_what_is_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("COPA_NB_CACHE", str(tmp_path / "none"))
    monkeypatch.setenv("COPA_NB_DATA", str(tmp_path))
    assert set(available_data().values()) == {ABSENT}
    from copa_nb.datasets.registry import public_files

    (tmp_path / public_files()["deepobs"].file).write_text("damaged", encoding="utf-8")
    assert available_data()["deepobs"] == "damaged"


def test_hashes_are_json(job):
    assert json.dumps(available_data())
    assert len(package_hash()) == 64  # imported before the fixture that keeps it steady
