"""What a report depends on."""

from dataclasses import replace
from pathlib import Path

import pytest

from copa_nb.reports import inputs
from copa_nb.reports.inputs import fingerprint, package_hash, parameter_files
from copa_nb.reports.jobs import Job


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
        patch.setattr(inputs, "package_hash", lambda: "other source")
        assert fingerprint(job) != first
    with monkeypatch.context() as patch:
        patch.setattr(inputs, "library_versions", lambda: {"numpy": "0"})
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


def test_the_package_has_a_hash():
    assert len(package_hash()) == 64  # imported before the fixture that keeps it steady
