"""How time grows: exponents fitted over rows, objectives, seeds and posets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from benchmarks.speed.measure import as_table, costs, median_milliseconds
from benchmarks.speed.posets import exact_run, random_orders, warm_up
from benchmarks.speed.seeds import seconds_of_test

_VERBS: dict[str, Callable[[pd.DataFrame], object]] = {
    "front": lambda table: table.moo.front(),
    "layers(1)": lambda table: table.moo.layers(1),
    "navigate": lambda table: table.moo.copa().navigate(table.columns[0]),
    "copa": lambda table: table.moo.copa().table,
}


def growth(
    rows: Sequence[int], objectives: Sequence[int] = (2, 3, 5, 7), seeds: Sequence[int] = (10, 20, 40),
    posets: Sequence[int] = (20, 40, 80), pairs: int = 3,
) -> pd.DataFrame:  # fmt: skip
    """Exponents b of time = a · size^b, fitted to medians; 1 is linear.

    Over N at the most objectives and over K at the most rows, on correlated data; over the seeds of each of two
    systems in ``hv_test``, in two and three objectives; over the number of posets of five items, whose depth is no
    power law (the number of sets visited is what grows), so that its exponent holds for these sizes alone.

    Parameters
    ----------
    rows, objectives, seeds, posets : sequence of int
        Sizes, of each at least two to fit, or none to leave it out.
    pairs : int
        Calls at every size.

    Returns
    -------
    DataFrame
        ``verb``, ``over``, ``from``, ``to``, ``exponent`` and the milliseconds at the largest size.
    """
    found = []
    for name, verb in _VERBS.items():
        by_rows = [(n, max(objectives)) for n in rows]
        by_objectives = [(max(rows), k) for k in objectives] if rows else []
        found += _fitted(name, "N, rows", rows, [partial(_seconds, verb, *case, pairs) for case in by_rows])
        found += _fitted(
            name, "K, objectives", objectives, [partial(_seconds, verb, *case, pairs) for case in by_objectives]
        )
    for k in (2, 3):
        calls = [partial(seconds_of_test, k, n, pairs) for n in seeds]
        found += _fitted(f"hv_test, K = {k}", "seeds of each system", seeds, calls)
    if posets:
        warm_up()
    calls = [partial(_seconds_of_depth, n, pairs) for n in posets]
    return pd.DataFrame(found + _fitted("depth, 5 items", "posets", posets, calls))


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Slope of the line through logarithms.

    Examples
    --------
    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def _fitted(
    verb: str, over: str, sizes: Sequence[int], calls: Sequence[Callable[[], float]]
) -> list[dict[str, object]]:
    if len(calls) < 2:
        return []
    times = [call() for call in calls]
    largest = 1e3 * times[int(np.argmax(sizes))]
    return [
        {
            "verb": verb,
            "over": over,
            "from": min(sizes),
            "to": max(sizes),
            "exponent": exponent(sizes, times),
            "milliseconds": largest,
        }
    ]


def _seconds(verb: Callable[[pd.DataFrame], object], rows: int, objectives: int, repeats: int) -> float:
    table = as_table(costs("correlated", rows, objectives))
    verb(table)
    return median_milliseconds(lambda: verb(table), repeats) / 1e3


def _seconds_of_depth(n_posets: int, repeats: int) -> float:
    return exact_run(random_orders(n_posets, 5, 2, 3), repeats).wall
