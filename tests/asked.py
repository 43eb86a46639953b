"""Verbs asked of a table that is described in the same call: ``asked.board(frame, item="task", alpha=0.1)``.

Tests of many descriptions are shorter so; each goes through the public door, ``copa_nb.moo(frame, ...).board(...)``.
"""

from collections.abc import Callable
from typing import Any

import copa_nb
from copa_nb.accessor import VERBS, Moo
from copa_nb.generalization.gap import gap as gap_of
from copa_nb.tables.description import WORDS

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
    if type(table).__module__.split(".")[0] == "dask" or type(table).__name__ == "DaskMoo":
        return getattr(getattr(table, "moo", table), verb)(*args, **options)  # whose methods take the words
    words = {word: options.pop(word) for word in WORDS if word in options and is_word(word, verb, options)}
    objectives, by = options.pop("objectives", None), options.pop("by", None)
    if verb == "gap" and not isinstance(words.get("test", ""), str):  # scores of the same rows in another table
        frame = table._table().frame if isinstance(table, Moo) else table
        if objectives is None and isinstance(table, Moo):
            objectives = table.description["objectives"]
        return gap_of(frame, *args, objectives=objectives, by=by, **words, **options)
    moo = table if isinstance(table, Moo) else copa_nb.moo(table)
    if objectives is not None or words:
        moo = moo(objectives, **words)
    with copa_nb.options(progress=options.pop("progress", True)):
        return getattr(moo if by is None else moo.by(by), verb)(*args, **options)


def is_word(word: str, verb: str, options: dict[str, Any]) -> bool:
    """Whether an option says what the table is."""
    return word != "bounds" or verb not in RANGES_OF or options.get("nan_policy") == "bounds"
