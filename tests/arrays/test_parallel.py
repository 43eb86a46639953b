"""Cutting work into pieces: nothing left out, nothing twice, and threads only where they pay."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import copa_nb
from copa_nb.arrays import parallel


@given(st.integers(0, 50), st.integers(1, 9))
def test_pieces_hold_every_row_once(n_rows, n_processors):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "processors", lambda: n_processors)
        whole = parallel.row_slices(n_rows, parallel._WORTH_THREADS - 1)
        pieces = parallel.row_slices(n_rows, parallel._WORTH_THREADS)
    assert whole == [(0, n_rows)]
    assert len(pieces) == n_processors
    assert [row for start, stop in pieces for row in range(start, stop)] == list(range(n_rows))
    sizes = np.diff(pieces, axis=1)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize(
    ("n_processors", "n_parts", "n_numbers", "threads"),
    [
        (3, 3, 1_000_000, True),
        (2, 2, 1_000_000, True),
        (3, 3, 999_999, False),
        (1, 3, 10**7, False),
        (3, 1, 10**7, False),
    ],
)
def test_threads_are_started_where_they_pay(n_processors, n_parts, n_numbers, threads, monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: n_processors)
    seen = parallel.in_threads(lambda part: (part, threading.current_thread()), range(n_parts), n_numbers)
    assert [part for part, _ in seen] == list(range(n_parts))
    assert all((thread is not threading.main_thread()) == threads for _, thread in seen)


def test_an_error_in_a_thread_comes_out(monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        parallel.in_threads(lambda part: 1 / part, [1, 0], 10**7)


def test_an_error_in_one_task_stops_the_others_and_comes_out():
    stop = threading.Event()

    def run(number):
        if number == 0:
            raise KeyboardInterrupt
        assert stop.wait(30)

    with pytest.raises(KeyboardInterrupt):
        parallel.map_tasks(run, range(4), n_jobs=2, progress=False, on_error=stop.set)
    assert stop.is_set()


def test_few_tasks_wait_at_a_time():
    class Tasks(list):
        taken = 0

        def __iter__(self):
            for task in super().__iter__():
                self.taken += 1
                yield task

    tasks = Tasks(range(100_000))

    def stop(number):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        parallel.map_tasks(stop, tasks, n_jobs=2, progress=False)
    assert tasks.taken < 1000
    assert parallel.map_tasks(abs, Tasks(range(-500, 0)), n_jobs=3, progress=False) == list(range(500, 0, -1))


def test_processors_are_those_that_may_be_used(monkeypatch):
    monkeypatch.setattr(parallel.os, "sched_getaffinity", lambda process: {3, 5} if process == 0 else set())
    assert parallel.processors() == 2
    monkeypatch.delattr(parallel.os, "sched_getaffinity")
    for known, count in ((6, 6), (None, 1)):
        monkeypatch.setattr(parallel.os, "cpu_count", lambda known=known: known)
        assert parallel.processors() == count


@pytest.mark.parametrize(
    "run",
    [
        lambda: copa_nb.power(noise=0.05, n_runs=3, n_simulations=60),
        lambda: copa_nb.datasets.load_deepobs().moo.gsd_front().test("Adam", n_resamples=20),
    ],
)
def test_long_runs_show_how_far_they_are_unless_told_not_to(run, capsys, monkeypatch):
    monkeypatch.setattr(parallel, "_SECONDS_BEFORE_BAR", 0)
    run()
    assert "%|" in capsys.readouterr().err
    with copa_nb.options(progress=False):
        run()
    assert capsys.readouterr().err == ""
