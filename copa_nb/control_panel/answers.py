"""What each tab shows: of settings, an answer in words, an explorer or plots, and the calls that give them."""

from __future__ import annotations

import base64
import inspect
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pandas as pd

from copa_nb.analyses.base import Request
from copa_nb.analyses.registry import analyses
from copa_nb.control_panel.settings import Settings
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.explorers.constants import WEIGHT_DECIMALS
from copa_nb.explorers.widget import RowExplorer
from copa_nb.plotting.axes import panels
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import report_style
from copa_nb.results.offered import plot_of
from copa_nb.results.result import Grouped
from copa_nb.selection.copa import Selection
from copa_nb.tables.description import cautions, in_call
from copa_nb.text import attribute, escape

_MOST_PLOTS = 4
_PHONE = 600  # pixels


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a tab shows.

    Parameters
    ----------
    sentences : tuple of str
        The answer in words.
    results : sequence of Result
        What is drawn, and what an offline page is made of, where there is no explorer.
    explorer : RowExplorer, optional
        In the place of plots.
    calls : tuple of str
        Lines of Python that give the answer, of a ``table`` with its objectives; empty: the analysis as a whole.
    """

    sentences: tuple[str, ...]
    results: Sequence[Any] = ()
    explorer: RowExplorer | None = None
    calls: tuple[str, ...] = ()

    def pictures(self) -> str:
        """Draw the results, as HTML."""
        return "".join(picture(plot_of(one), one) for one in self.results)

    def page(self) -> str:
        """Write what is shown as a page that needs neither a kernel nor a network."""
        page: str = self.results[0].to_html() if self.explorer is None else self.explorer.to_page()
        return page


Show: TypeAlias = Callable[[Settings, Request, "RowExplorer | None"], Shown]


@dataclass(frozen=True)
class Tab:
    """A tab: a question.

    Parameters
    ----------
    title : str
        Its heading.
    analysis : callable
        Returns the name of the analysis, for settings; nothing if the table does not allow the question.
    show : callable
        Returns what is shown, for settings, their analysis, and the explorer of the same table that is open, if any.
    """

    title: str
    analysis: Callable[[Settings], str]
    show: Show


def show_choice(settings: Settings, asked: Request, opened: RowExplorer | None) -> Shown:
    """Show the explorer of the choice; one that is open moves there."""
    table, choice = asked.run()
    if not isinstance(choice, Selection):
        return _shown(table, choice)
    if isinstance(opened, ChoiceExplorer):
        limits = [list(settings.limits.get(str(name), (None, None))) for name in choice.objectives]
        weights = [round(float(weight), WEIGHT_DECIMALS) for weight in choice.weights.values()]
        p = "inf" if choice.p == float("inf") else choice.p
        opened.move(weights=weights, p=p, normalize=choice.normalize, ranges=limits)
    calls = (_copa_call(asked), "print(choice.explain())")
    shown = Shown(sentences=(choice.explain(),), results=[choice], calls=calls)
    return replace(shown, explorer=opened or _explorer(choice))


def show_stability(settings: Settings, asked: Request, opened: RowExplorer | None) -> Shown:
    """Show how often other rows, other weights and other criteria choose the same."""
    table, choice = asked.run()
    if not isinstance(choice, Selection):
        return _shown(table, choice)
    refined = ["stability", *(["sensitivity"] if len(choice.objectives) > 1 else []), "criteria"]
    results = [getattr(choice, name)() for name in refined]
    calls = (_copa_call(asked), *(f"print(choice.{name}().explain())" for name in refined))
    return Shown(sentences=tuple(one.explain() for one in results), results=results, calls=calls)


def show_gap(settings: Settings, asked: Request, opened: RowExplorer | None) -> Shown:
    """Show fronts on validation data, and what is left of them on test data."""
    table, gap = asked.run()
    return replace(_shown(table, gap), explorer=opened or _explorer(gap))


def show_any(settings: Settings, asked: Request, opened: RowExplorer | None) -> Shown:
    """Show the answer of any analysis, and its plot."""
    return _shown(*asked.run())


def _shown(table: pd.DataFrame, found: Any) -> Shown:
    answer = found.to_answer()
    said = (f"{answer.headline}.", *answer.lines, answer.certainty, *cautions(table))
    # Of several groups, each is drawn.
    results = [one for one in (found.values() if isinstance(found, Grouped) else [found]) if hasattr(one, "plot")]
    return Shown(sentences=tuple(filter(None, said)), results=results[:_MOST_PLOTS])


def _explorer(result: Any) -> RowExplorer | None:
    """The explorer of a result; a sentence that says why there is none is no explorer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left out is in the sentences
        made = result.explore()
    return made if isinstance(made, RowExplorer) else None


def _copa_call(asked: Request) -> str:
    return f"choice = table.moo.copa({in_call(asked.options)})"


def _of_rows(settings: Settings) -> str:
    return "" if settings.kind == "search" else "select"


def _of_two(settings: Settings) -> str:
    """Items are compared one by one; runs as fronts."""
    return {"items": "compare", "runs": "audit"}.get(settings.kind, "")


def _of_board(settings: Settings) -> str:
    is_precise = settings.kind in ("items", "runs") or bool(settings.standard_errors)
    return "board" if is_precise and settings.kind != "search" else ""


TABS = {
    "choose": Tab("Choose", _of_rows, show_choice),
    "sure": Tab("How sure", _of_rows, show_stability),
    "two": Tab("Compare two", _of_two, show_any),
    "board": Tab("Board", _of_board, show_any),
    "gap": Tab("Gap", lambda settings: "gap" if settings.kind == "search" else "", show_gap),
}


def allowed(settings: Settings) -> list[str]:
    """Return the tabs that a table allows, by name."""
    return [name for name, tab in TABS.items() if tab.analysis(settings)]


def beyond_limits(settings: Settings, analysis: str) -> str:
    """Say that an answer has no limits, where there are some."""
    if not settings.limits or "where" in analyses()[analysis].parameters():
        return ""
    return f"The limits ({settings.where}) are for a choice; everything is compared here."


def picture(plot: Callable[..., Any], result: Any) -> str:
    """Draw a plot for a page and for a phone, as HTML with its caption and alternative text."""
    words = picture_of(plot, result)
    if words is None:
        return ""
    wide = _png(plot, result, narrow=False, height=words.height)
    try:
        narrow = _png(plot, result, narrow=True, height=words.narrow_height or words.height)
    except UserWarning:  # names leave no room for the axes
        narrow = wide
    return (
        f"<figure><picture><source media='(max-width:{_PHONE}px)' srcset='{narrow}'>"
        f"<img alt='{attribute(words.alt)}' src='{wide}'></picture>"
        f"<figcaption><strong>{escape(words.finding)}.</strong> {escape(words.caption)}</figcaption></figure>"
    )


def _png(plot: Callable[..., Any], result: Any, *, narrow: bool, height: float) -> str:
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    try:
        with report_style(narrow=narrow, own_colors=True):
            warnings.filterwarnings("error" if narrow else "ignore", message="constrained_layout not applied")
            if "ax" in inspect.signature(plot).parameters:
                figure, ax = panels(height=height)
                plot(result, ax=ax)
            else:
                figure = plot(result)
            figure.savefig(buffer, format="png", dpi=160)
    finally:
        plt.close()
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"
