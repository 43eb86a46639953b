"""A job is checked before it runs; its clock knows what is running, how long it may, and how long it took."""

import pytest

from copa_nb.reports import jobs
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import Failure, _cell_in_words, _Clock, make_job


@pytest.fixture
def entry(tmp_path, notebook):
    notebook(tmp_path / "copa/a.ipynb")
    (found,) = catalog(tmp_path)
    return found


def test_a_job_is_what_was_asked_for(entry, tmp_path):
    plain = make_job(entry)
    assert (plain.name, plain.notebook, plain.parameters, plain.formats, plain.timeout) == (
        "copa/a", str(entry.path), {}, ("html",), None
    )  # fmt: skip
    asked = make_job(entry, {"n": "3"}, name="x", cwd=tmp_path / ".", formats=["pdf", "html", "pdf"], timeout=0.5)
    assert (asked.name, asked.parameters, asked.cwd, asked.formats, asked.timeout) == (
        "x", {"n": 3}, str(tmp_path.resolve()), ("html", "pdf"), 0.5
    )  # fmt: skip
    for timeout in (0, -1, True, "3", float("nan")):
        with pytest.raises(ValueError, match=rf"^`timeout` is {timeout!r}; it must be a positive number of seconds\.$"):
            make_job(entry, timeout=timeout)


@pytest.fixture
def at(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, 100.0 + seconds)


def test_the_clock_tells_starting_from_running(at):
    seen = []
    clock = _Clock(None, lambda begun, total: seen.append((begun, total)), n_cells=2)
    for number, seconds in enumerate((4, 5, 9)):
        at(seconds)
        clock.begin({"id": f"c{number}"}, number)
        assert clock.cell_id == f"c{number}"
    assert seen == [(1, 2), (2, 2), (2, 2)], "papermill adds a cell of parameters"
    assert clock.remaining({}) is None
    at(10)
    assert clock.phases() == {"kernel": 4.0, "cells": 6.0}
    clock.begin({}, 3)
    assert clock.cell_id == ""


def test_the_time_limit_is_of_the_whole_report(at):
    clock = _Clock(10.0, None, n_cells=1)
    at(4)
    clock.begin({"id": "c"}, 0)
    assert clock.remaining({}) == 6.0
    at(30)
    assert clock.remaining({}) == 0.05, "0 would mean no limit"


def test_a_kernel_that_runs_no_cell_took_all_the_time(at):
    clock = _Clock(None, None, n_cells=1)
    at(3.25)
    assert clock.phases() == {"kernel": 3.25, "cells": 0.0}


def test_failures_are_said_with_their_place():
    assert str(Failure("cell 2 of 3 (x)", "ValueError: no", "long")) == "cell 2 of 3 (x): ValueError: no"
    cells = [{"id": "m"}, {"id": "a"}, {}]
    said = [_cell_in_words(cell, cells) for cell in ("a", "m", "injected", None)]
    assert said == ["cell 2 of 3 (a)", "cell 1 of 3 (m)", "the injected parameters", "starting the kernel"]
