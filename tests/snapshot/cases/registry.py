"""The cases by name, and how one is computed: without public files, without a network, warnings kept."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import pandas as pd

import copa_nb
import tests.asked
from copa_nb.accessor import VERBS
from copa_nb.errors import NotCompiledWarning
from tests import simplest
from tests.snapshot import tables
from tests.snapshot.encoding import ABSOLUTE, RELATIVE, Rows, attributes_of, rows_of_case


@dataclass(frozen=True)
class Case:
    """Numbers that a function of the snapshot computes through the public interface.

    Parameters
    ----------
    function : callable
        Gives a mapping of part to what was found.
    covers : tuple of str
        Public names that it covers.
    relative, absolute : float
        How exactly its numbers must be met.
    """

    function: Callable[[], dict[str, Any]]
    covers: tuple[str, ...]
    relative: float
    absolute: float


CASES: dict[str, Case] = {}


def case(*covers: str, relative: float = RELATIVE, absolute: float = ABSOLUTE) -> Callable[..., Any]:
    """Enter a function among the cases, under its own name."""

    def enter(function: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
        name = function.__name__
        if name in CASES and CASES[name].function.__module__ != function.__module__:
            raise ValueError(f"two cases are called {name}.")
        CASES[name] = Case(function, covers, relative, absolute)
        return function

    return enter


_IN_NOTEBOOKS = ("explore", "plot")
# Tests hold these against a definition in plain Python, scipy, statsmodels, moocore or numbers worked out by hand:
# fronts and layers in `tests/pareto`, scales and populations in `tests/ranking`, choices, paths and criteria in
# `tests/selection`, mean ranks in `tests/comparisons`, tests and audits in `tests/significance`, gaps in
# `tests/generalization`, orders and their depths in `tests/partial_orders`, descriptions in `tests/tables`. Tables in
# pieces must give what the whole table gives: `tests/dask`, `tests/streams`.
HELD_BY_DEFINITIONS = {
    "front", "layers", "hypervolume", "Hypervolume", "normalize", "Reference", "copa", "Selection", "Navigation",
    "Criteria", "mean_ranks", "MeanRanks", "FriedmanTest", "hv_test", "HypervolumeTest", "audit", "Audit", "gap",
    "Gap", "posets", "PosetSample", "DepthResult", "Agreement", "Objectives",
}  # fmt: skip


def enter_the_rest() -> None:
    """Enter the simplest call of every verb that no case covers; explorers and plots answer in a notebook."""
    covered = {name for one in CASES.values() for name in one.covers}
    for verb in {*VERBS} - {*_IN_NOTEBOOKS} - HELD_BY_DEFINITIONS - covered:
        if simplest.can_be_called(verb):
            CASES[verb] = Case(partial(_simplest, verb), (verb, *simplest.returned(verb)), RELATIVE, ABSOLUTE)


def _simplest(verb: str) -> dict[str, Any]:
    result = simplest.call(verb, tables.system_runs().query("task == 'sort'"), tables.costs(2))
    return {"result": attributes_of(result, "table") if hasattr(result, "table") else result}


def computed(name: str) -> Rows:
    """Return what a case gives now, as it would be stored, with the kinds of the package's warnings on the way."""
    with tempfile.TemporaryDirectory() as empty, patch.dict(os.environ):
        # Whoever has the public files must get the numbers of those who have not.
        os.environ.pop("COPA_NB_DATA", None)
        os.environ |= {"COPA_NB_OFFLINE": "1", "COPA_NB_CACHE": empty}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            parts = CASES[name].function()
    kinds = [one.category.__name__ for one in caught if _is_ours(one.category)]
    return rows_of_case(name, parts | {"warnings": kinds})


def _is_ours(category: type[Warning]) -> bool:
    """Whether a warning is the package's, or about its arithmetic; libraries also announce what they will drop.

    That nothing is compiled is no matter of the numbers, and said once per process.
    """
    is_of_package = category.__module__.split(".")[0] == "copa_nb" and category is not NotCompiledWarning
    return category is RuntimeWarning or is_of_package


def called(verb: str, frame: pd.DataFrame, *args: Any, objectives: Any, bound: bool = True, **options: Any) -> Any:
    """Ask a verb of a frame that is described for the call, and of one that remembers it, which must say the same.

    Objectives that are no columns of the frame cannot be remembered.
    """
    result = tests.asked.ask(verb, frame, *args, objectives=objectives, **options)
    if bound:
        other = tests.asked.ask(verb, copa_nb.moo(frame, objectives), *args, **options)
        if repr(other) != repr(result):
            raise AssertionError(f"{verb} gives {result!r} described for the call, {other!r} before it")
    return result
