"""Plain notebooks as reports: what a cell shows by itself becomes a part of the page.

An IPython extension, which a report loads into its kernel where the notebook makes no ``reports.Record`` of its own.
There a result is shown once, as the answer and its printed tables, its plot as a figure with caption and numbers, a
table with ``df.moo`` as the data that the page is made of, an explorer as its offline page. The same notebook, run by
hand, shows what it always does.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from copa_nb.reports.worth_showing import is_worth_printing, says_nothing
from copa_nb.results.note import NothingToShowError
from copa_nb.results.result import record_drawings
from copa_nb.tables.objectives import RowsOmittedWarning

_SHOWN_AS = {
    ("copa_nb.accessor.asked", "Asked"): "table",
    ("copa_nb.explorers.widget", "Explorer"): "explorer",
    ("copa_nb.results.files", "Files"): "files",
    ("copa_nb.results.note", "Note"): "note",
    ("copa_nb.results.result", "Grouped"): "result",
    ("copa_nb.results.result", "Result"): "result",
}


def load_ipython_extension(shell: Any) -> None:
    """Record what the cells of this kernel show."""
    warnings.simplefilter("ignore", RowsOmittedWarning)  # the notes on the table say so
    page = Page()
    formatter = shell.display_formatter.ipython_display_formatter
    for (module, kind), part in _SHOWN_AS.items():
        formatter.for_type_by_name(module, kind, getattr(page, part))
    record_drawings(page.drawing)


class Page:
    """What the cells of one notebook have shown so far; its record is made when there is something to record."""

    def __init__(self) -> None:
        self._record: Any = None
        self._is_answered = False
        self._names: set[str] = set()
        self._said: set[str] = set()
        # Results with what was shown of them, which keeps them alive: their places in memory are not given to others.
        self._shown: list[tuple[Any, Any, str]] = []

    @property
    def record(self) -> Any:
        """Where parts of the page are recorded."""
        if self._record is None:
            from copa_nb.reports.record import Record

            self._record = Record()
        return self._record

    def table(self, asked: Any) -> None:
        """Show where the data come from, what there is to know of them, and the first rows."""
        asked.show_in(self.record)

    def result(self, result: Any) -> None:
        """Show the answer, or in the words of the result what is not the first, and its tables."""
        if self._is_repeated(result):
            return
        if self._is_answered:
            self._explain(result)
        else:
            self._is_answered = True
            answer = result.to_answer()
            self._said.add(" ".join([f"{answer.headline}.", *answer.lines, answer.certainty, *answer.details]))
            self.record.answer(answer)
            self.record.close()
        for printed in filter(is_worth_printing, result.printed_tables()):
            self.record.table(**{**vars(printed), "name": self._free(printed.name)})

    def drawing(self, draw: Callable[..., Any], result: Any, options: Mapping[str, Any]) -> None:
        """Show a plot with its words and numbers."""
        from copa_nb.plotting.pictures import picture_of

        if self._is_repeated(result, draw, repr(options)):
            return
        described = picture_of(draw, result, **options) is not None
        what = repr(result).strip("<>")
        words = {} if described else {"finding": "", "caption": f"{what}.", "alt": f"Plot of {what}."}
        name = draw.__name__.removeprefix("plot_").replace("_", "-")
        try:
            self.record.show(result, _unless_bare(draw), name=self._free(name), **words, **options)
        except NothingToShowError as error:
            self.note(error)

    def explorer(self, explorer: Any) -> None:
        """Show the page of an explorer that works without a kernel."""
        self.record.explorer(explorer, caption=explorer.invitation)

    def files(self, files: Any) -> None:
        """Keep files for other programs beside the page."""
        self.record.files(files, caption=files.caption)

    def note(self, note: Any) -> None:
        """Say why there is nothing to show."""
        if str(note) not in self._said:
            self._said.add(str(note))
            self.record.note(str(note))

    def _explain(self, result: Any) -> None:
        """Show a result in its own words, unless the answer consists of the same."""
        explain = getattr(result, "explain", None)
        if explain is None or explain() not in self._said:
            self.record.text(result, folded=getattr(result, "_to_copy", ""))

    def _is_repeated(self, result: Any, draw: Any = None, options: str = "") -> bool:
        """Tell whether a result, or this plot of it, was shown before, which is then left out."""
        seen = any(one is result and (how, said) == (draw, options) for one, how, said in self._shown)
        self._shown.append((result, draw, options))
        return seen

    def _free(self, name: str) -> str:
        """Return a name for files that no other part of the page has."""
        found, number = name, 1
        while found in self._names:
            number += 1
            found = f"{name}-{number}"
        self._names.add(found)
        return found


def _unless_bare(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse to show what a plot has drawn if that says nothing."""

    @functools.wraps(draw)
    def checked(*args: Any, **options: Any) -> Any:
        import matplotlib.pyplot as plt

        from copa_nb.reports.figures import figure_of

        drawn = draw(*args, **options)
        if says_nothing(figure := figure_of(drawn)):
            plt.close(figure)
            raise NothingToShowError("A figure was left out that would have had two marks, or one color.")
        return drawn

    return checked
