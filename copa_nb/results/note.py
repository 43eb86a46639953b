"""A sentence in the place of a result, where there is nothing to show."""

from __future__ import annotations

from typing import Any


class Note(str):
    """What a method returns if it has nothing to show: one sentence, which can be asked what a result is asked.

    Notebooks and programs that look at a result need no condition: its plot, table and explanation are the sentence.

    Examples
    --------
    >>> note = Note("With one objective, there is nothing to trade.")
    >>> note
    With one objective, there is nothing to trade.
    >>> note.plot(), note.table, note.explain() == note
    (With one objective, there is nothing to trade., With one objective, there is nothing to trade., True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)

    @property
    def table(self) -> Note:
        """The sentence."""
        return self

    def explain(self) -> str:
        """Return the sentence."""
        return str(self)

    def plot(self, *args: Any, **options: Any) -> Note:
        """Return the sentence; nothing is drawn."""
        return self

    # What else notebooks ask of results.
    budgets = explore = overtuning = power = reporting = plot


class NothingToShowError(ValueError):
    """There is nothing to draw, or nothing to compute it from: a note says so where no Axes wait for a drawing."""
