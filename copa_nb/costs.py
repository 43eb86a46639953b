"""Forecasts of what a computation takes, and refusals of what takes too long, before it begins."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from copa_nb import text

MOST_BYTES = 4e9
# For answers that people wait for, and for reports.
MOST_SECONDS, MOST_SECONDS_OF_REPORTS = 30.0, 600.0
# Below this many differences between systems in draws, a test of all pairs is over before it could be forecast.
_FEW_DIFFERENCES = 5e8
# The time is measured with these numbers of draws.
_TIMED_DRAWS = (100, 200)
# How many times as many steps tests take with 2,000 draws as with these; 1.5 for 900 and for 3,000 systems.
_STEPS = 1.5
# A run with as many systems loads what the others share.
_LOADING = 20
# Squares, statistics and weights of a pair in an objective; sums of a draw for a system in an objective.
_BYTES_PER_PAIR, _BYTES_PER_SUM = 100, 16


def refuse_costly(what: str, seconds: float, size: float, max_seconds: float, advice: str) -> None:
    """Refuse what is forecast to take too long or too much memory.

    Parameters
    ----------
    what : str
        What it is, as the plural subject of a sentence.
    seconds, size : float
        Of time; in bytes.
    max_seconds : float
        The limit of time.
    advice : str
        What to do instead.

    Raises
    ------
    ValueError
        With the forecast.
    """
    if seconds > max_seconds or size > MOST_BYTES:
        raise ValueError(
            f"{what} are forecast to take {text.duration(seconds)} and {size / 1e9:.1f} GB of memory; the limits are "
            f"`max_seconds` = {max_seconds:g} and {MOST_BYTES / 1e9:g} GB. {advice}, "
            "or wait: `with copa_nb.options(max_seconds=None):`."
        )


def check_pairs(read: Any, run: Callable[[Any, int], Any], n_resamples: int, max_seconds: float | None) -> None:
    """Refuse a test of all pairs of systems that would take too long, by an estimate from some of its draws.

    Parameters
    ----------
    read : Measurements
        What is known of the systems.
    run : callable
        The test, of measurements and a number of draws.
    n_resamples : int
        Number of draws.
    max_seconds : float or None
        The limit of time; None forecasts and refuses nothing.

    Raises
    ------
    ValueError
        With the forecast.
    """
    n, k = len(read.labels), len(read.objectives)
    if max_seconds is None or n * n * k * n_resamples <= _FEW_DIFFERENCES:
        return
    size = (n * _BYTES_PER_PAIR + n_resamples * _BYTES_PER_SUM) * n * k
    seconds = 0.0
    if size <= MOST_BYTES:
        fewer, more = _TIMED_DRAWS
        run(read.of_systems(np.arange(min(n, _LOADING))), fewer)
        first = _seconds(partial(run, read, fewer))
        seconds = first * n_resamples / fewer
        if seconds > max_seconds:
            # Less what takes the same time for any number of draws. With more draws, tests also take more steps.
            per_draw = _STEPS * (_seconds(partial(run, read, more)) - first) / (more - fewer)
            seconds = first + max(per_draw, 0.0) * (n_resamples - fewer)
    refuse_costly(f"All pairs of {n:,} systems", seconds, size, max_seconds, "Keep fewer systems, reduce `n_resamples`")


def _seconds(call: Callable[[], Any]) -> float:
    """Seconds that a call takes; those of the processors where these have other work to do."""
    begin, on_processors = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    return min(time.perf_counter() - begin, time.process_time() - on_processors)
