"""Verbs asked of a table that is described in the same call: ``asked.board(frame, item="task", alpha=0.1)``.

Tests of many descriptions are shorter so; each goes through the public door, ``copa_nb.moo(frame, ...).board(...)``.
"""

import functools
from collections.abc import Callable
from typing import Any

import pandas as pd

import copa_nb
from copa_nb.accessor import VERBS, Moo
from copa_nb.comparisons import intervals, read_measurements
from copa_nb.significance import runs
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import WORDS, words_among

# Options of these verbs, and words of a table only where a value may be anything in them.
RANGES_OF = ("compare", "cheaper")


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in VERBS:
        raise AttributeError(name)

    def verb(table: Any, /, *args: Any, **options: Any) -> Any:
        return ask(name, table, *args, **options)

    verb.__name__ = name
    return verb


def ask(verb: str, table: Any, /, *args: Any, **options: Any) -> Any:
    """Describe a table, or one that is described already, for one call of a verb."""
    words = {word: options.pop(word) for word in WORDS if word in options and is_word(word, verb, options)}
    objectives, by = options.pop("objectives", None), options.pop("by", None)
    if verb == "gap" and isinstance(words.get("test"), pd.DataFrame):
        objectives = objectives or copa_nb.moo(table).description["objectives"]
        table = joined(table, words.pop("test"), objectives)
    moo = table if isinstance(table, Moo) else table.moo if is_of_dask(table) else copa_nb.moo(table)
    if objectives is not None or words:
        moo = moo(objectives, **words)
    with copa_nb.options(progress=options.pop("progress", True)):
        return getattr(moo if by is None else moo.by(by), verb)(*args, **options)


def joined(validation: pd.DataFrame, test: pd.DataFrame, objectives: Any) -> pd.DataFrame:
    """Put the test scores of the same rows, which are in another table, beside those on validation."""
    found = validation.rename(columns={name: f"val_{name}" for name in objectives})
    for name in objectives:
        column = test[name] if test.index.equals(found.index) else test[name].reindex(found.index)
        found[f"test_{name}"] = column.to_numpy()
    return found


def is_of_dask(table: Any) -> bool:
    """Whether this is a frame of Dask, which has its own accessor."""
    return type(table).__module__.split(".")[0] == "dask"


def is_word(word: str, verb: str, options: dict[str, Any]) -> bool:
    """Whether an option says what the table is."""
    return word != "bounds" or verb not in RANGES_OF or options.get("nan_policy") == "bounds"


def described(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function behind verbs, of a table that is described in the same call."""

    @functools.wraps(function)
    def asked(frame: Any, *args: Any, objectives: Any = None, **given: Any) -> Any:
        words, options = words_among(given)
        return function(DescribedFrame.of(frame, objectives, **words), *args, **options)

    return asked


gather_runs = described(runs.gather_runs)
measurements = described(read_measurements.measurements)
scores_after_choice = described(intervals.scores_after_choice)
