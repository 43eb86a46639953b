"""What the tabs of the panel show: of settings, a sentence, plots or an explorer, and the calls that give them."""

from __future__ import annotations

import base64
import inspect
import io
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import plots
from copa_nb.analyses.base import Analysis
from copa_nb.analyses.registry import analyses
from copa_nb.analyses.select import Select
from copa_nb.control_panel.settings import Settings
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.explorers.constants import MOST_PINNED
from copa_nb.explorers.widget import RowExplorer
from copa_nb.plotting.axes import panels
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import report_style
from copa_nb.ranking.normalize import rows_named
from copa_nb.results.note import Note
from copa_nb.results.offered import plot_of
from copa_nb.results.result import Grouped
from copa_nb.tables.description import cautions, in_call
from copa_nb.tables.missing_values import BOUNDS
from copa_nb.text import attribute, escape

_MOST_PLOTS = 4
_PHONE = 600  # pixels

Drawn: TypeAlias = tuple[Callable[..., Any], Any, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a tab shows.

    Parameters
    ----------
    sentences : tuple of str
        The answer in words.
    drawn : tuple of (plot, result, options)
        Plots.
    explorer : RowExplorer, optional
        In the place of plots.
    result : Result, optional
        What an offline page is made of where there is no explorer.
    calls : tuple of str
        Lines of Python that give the answer, of a ``table`` with its objectives; empty: the analysis as a whole.
    """

    sentences: tuple[str, ...]
    drawn: tuple[Drawn, ...] = ()
    explorer: RowExplorer | None = None
    result: Any = None
    calls: tuple[str, ...] = ()

    def pictures(self) -> str:
        """Draw the plots, as HTML."""
        return "".join(picture(plot, result, **options) for plot, result, options in self.drawn)

    def page(self) -> str:
        """Write what is shown as a page that needs neither a kernel nor a network."""
        if self.explorer is not None:
            return self.explorer.to_page()
        page: str = self.result.to_html()
        return page


@dataclass(frozen=True)
class View:
    """A tab.

    Parameters
    ----------
    title : str
        Its heading.
    analysis : callable
        Returns the name of the analysis for settings.
    show : callable
        Returns what is shown, for settings and their analysis.
    """

    title: str
    analysis: Callable[[Settings], str]
    show: Callable[[Settings, Any], Shown]


def _of_choice(show: Callable[[Settings, Any], Shown]) -> Callable[[Settings, Any], Shown]:
    """Let a tab of the choice show the analysis as a whole where missing values are bounded: there is no one choice."""

    def shown(settings: Settings, asked: Select) -> Shown:
        return show_any(settings, asked) if asked.nan_policy == BOUNDS else show(settings, asked)

    return shown


def _copa_call(asked: Select) -> str:
    return f"choice = table.moo.copa({in_call(asked.options_of_verb)})"


def _picked(settings: Settings, table: pd.DataFrame) -> list[Hashable]:
    return [one for one in settings.picked if len(rows_named(table.index, one))]


@_of_choice
def show_choice(settings: Settings, asked: Select) -> Shown:
    """Show the explorer of the choice."""
    _, choice = asked.run()
    calls = (_copa_call(asked), "print(choice.explain())")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explorer = choice.explore() if len(choice.objectives) > 1 else None
    if not isinstance(explorer, RowExplorer):
        return Shown(sentences=(choice.explain(),), drawn=((plot_of(choice), choice, {}),), result=choice, calls=calls)
    return Shown(sentences=(choice.explain(),), explorer=explorer, result=choice, calls=calls)


@_of_choice
def show_front(settings: Settings, asked: Select) -> Shown:
    """Show the front, the pairs of objectives, and how values become ranks."""
    _, choice = asked.run()
    drawn: list[Drawn] = []
    picked = _picked(settings, choice.inputs.frame)
    if len(choice.objectives) == 2:
        drawn.append((plots.plot_front, choice, {"labels": [choice.best, *picked]}))
    elif len(choice.objectives) > 2:
        drawn += [(plot_of(choice, "pairs"), choice, {}), (plots.plot_parallel, choice, {"highlight": picked})]
    drawn.append((plot_of(choice, "distributions"), choice, {"highlight": picked}))
    allowed, total = choice.counts()
    sentence = (
        f"{len(choice.front):,} of {allowed:,} rows are Pareto-optimal: no other row is at least as good in every "
        "objective and better in one."
    )
    limited = f"The limits allow {allowed:,} of {total:,} rows." if allowed < total else ""
    calls = (_copa_call(asked), "print(len(choice.front))", "print(table.moo.front().index.tolist())")
    return Shown(sentences=tuple(filter(None, (sentence, limited))), drawn=tuple(drawn), result=choice, calls=calls)


@_of_choice
def show_stability(settings: Settings, asked: Select) -> Shown:
    """Show how often other rows and other weights choose the same."""
    _, choice = asked.run()
    stability = choice.stability()
    sentences = [stability.explain()]
    drawn: list[Drawn] = [(plot_of(stability), stability, {})]
    calls = [_copa_call(asked), "stability = choice.stability()", "print(stability.explain())"]
    if len(choice.objectives) > 1:
        sensitivity = choice.sensitivity()
        sentences.append(sensitivity.explain())
        drawn.append((plot_of(sensitivity), sensitivity, {}))
        calls.append("print(choice.sensitivity().explain())")
    return Shown(sentences=tuple(sentences), drawn=tuple(drawn), result=stability, calls=tuple(calls))


@_of_choice
def show_criteria(settings: Settings, asked: Select) -> Shown:
    """Show what other criteria choose."""
    _, choice = asked.run()
    criteria = choice.criteria()
    picked = [row for row in _picked(settings, choice.inputs.frame) if row in criteria.ranks.index]
    return Shown(
        sentences=(criteria.explain(),),
        drawn=(
            (plot_of(criteria), criteria, {"most": 10, "highlight": picked or 4}),
            (plot_of(criteria, "agreement"), criteria, {}),
        ),
        result=criteria,
        calls=(_copa_call(asked), "criteria = choice.criteria()", "print(criteria.explain())"),
    )


def show_gap(settings: Settings, asked: Any) -> Shown:
    """Show fronts on validation data, and what is left of them on test data."""
    table, gap = asked.run()
    explorer = gap.explore()
    if isinstance(explorer, RowExplorer):
        return Shown(sentences=_said(table, gap), explorer=explorer, result=gap)
    return _shown(table, gap)


def show_test(settings: Settings, asked: Any) -> Shown:
    """Show whether a new system is better than a baseline."""
    table, found = asked.run()
    test = getattr(found, "least_certain", None)
    if test is None or isinstance(test, Note):
        return _shown(table, found)
    drawn: tuple[Drawn, ...] = ((plot_of(test, "runs"), test, {}), (plot_of(test), test, {}))
    return Shown(sentences=_said(table, found), drawn=drawn, result=test)


def show_any(settings: Settings, asked: Analysis) -> Shown:
    """Show the answer of any analysis, and its plot."""
    return _shown(*asked.run())


def _shown(table: pd.DataFrame, found: Any) -> Shown:
    # Of several groups, each is drawn.
    results = [one for one in (found.values() if isinstance(found, Grouped) else [found]) if hasattr(one, "plot")]
    drawn: tuple[Drawn, ...] = tuple((plot_of(one), one, {}) for one in results[:_MOST_PLOTS])
    return Shown(sentences=_said(table, found), drawn=drawn, result=results[0] if results else None)


def _said(table: pd.DataFrame, found: Any) -> tuple[str, ...]:
    answer = found.to_answer()
    return tuple(filter(None, (f"{answer.headline}.", *answer.lines, answer.certainty, *cautions(table))))


def _of_two_systems(settings: Settings) -> str:
    """Items are compared one by one; runs as fronts."""
    return "compare" if settings.roles.get("item") else "audit"


VIEWS = (
    View("Choose", lambda _: "select", show_choice),
    View("Front", lambda _: "select", show_front),
    View("How sure", lambda _: "select", show_stability),
    View("Compare criteria", lambda _: "select", show_criteria),
    View("Validation to test", lambda _: "gap", show_gap),
    View("New against old", _of_two_systems, show_test),
)


def view_of(analysis: str) -> View:
    """Return the tab of an analysis that has none of its own."""
    return View(analyses()[analysis].title, lambda _: analysis, show_any)


def others() -> dict[str, str]:
    """Return the analyses without a tab of their own, by title."""
    own = {"select", "gap", "compare", "audit"}
    return {one.title: name for name, one in analyses().items() if name not in own}


def picture(plot: Callable[..., Any], result: Any, **options: Any) -> str:
    """Draw a plot for a page and for a phone, as HTML with its caption and alternative text."""
    words = picture_of(plot, result, **options)
    if words is None:
        return ""
    wide = _png(plot, result, narrow=False, height=words.height, options=options)
    try:
        narrow = _png(plot, result, narrow=True, height=words.narrow_height or words.height, options=options)
    except UserWarning:  # names leave no room for the axes
        narrow = wide
    return (
        f"<figure style='margin:.6em 0'><picture><source media='(max-width:{_PHONE}px)' srcset='{narrow}'>"
        f"<img alt='{attribute(words.alt)}' src='{wide}' style='max-width:100%;background:#fff'></picture>"
        f"<figcaption><strong>{escape(words.finding)}.</strong> {escape(words.caption)}</figcaption></figure>"
    )


def _png(plot: Callable[..., Any], result: Any, *, narrow: bool, height: float, options: dict[str, Any]) -> str:
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    try:
        with report_style(narrow=narrow, own_colors=True):
            warnings.filterwarnings("error" if narrow else "ignore", message="constrained_layout not applied")
            if "ax" in inspect.signature(plot).parameters:
                figure, ax = panels(height=height)
                plot(result, ax=ax, **options)
            else:
                figure = plot(result, **options)
            figure.savefig(buffer, format="png", dpi=110)
    finally:
        plt.close()
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def moved(settings: Settings, explorer: RowExplorer) -> Settings:
    """Return the settings after the controls of an explorer were moved.

    Rows that are picked count in all tabs; weights, p, normalization and limits are those of a choice. Picked rows that
    the explorer does not have, such as rows outside the limits, stay picked.

    Parameters
    ----------
    settings : Settings
        Before.
    explorer : RowExplorer
        The explorer.
    """
    elsewhere = [label for label in settings.picked if label not in explorer.labels]
    settings = replace(settings, picked=(*elsewhere, *explorer.picked)[-MOST_PINNED:])
    if not isinstance(explorer, ChoiceExplorer):
        return settings
    state = explorer.state
    names = [str(name) for name in explorer.matrix.objectives]
    even = np.allclose(state["weights"], 1 / len(names), atol=1e-3)
    weights = {} if even else dict(zip(names, state["weights"], strict=True))
    p = state["p"] if isinstance(state["p"], str) else f"{state['p']:g}"
    limits = {name: (low, high) for name, (low, high) in zip(names, state["ranges"], strict=True)}
    kept = {name: bounds for name, bounds in limits.items() if bounds != (None, None)}
    return replace(settings, limits=kept).with_options("select", weights=weights, p=p, normalize=state["normalize"])
