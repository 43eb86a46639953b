"""What each tab shows: of settings, an answer in words, an explorer or plots, and the calls that give them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copa_nb.control_panel.settings import Settings
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.explorers.constants import WEIGHT_DECIMALS
from copa_nb.explorers.widget import RowExplorer
from copa_nb.results.result import Grouped
from copa_nb.selection.copa import Selection
from copa_nb.tables.description import cautions

_MOST_PLOTS = 4


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
    calls : sequence of str
        Lines of Python that give the answer, of a ``table`` with its objectives.
    """

    sentences: tuple[str, ...]
    results: Sequence[Any]
    explorer: RowExplorer | None
    calls: Sequence[str]


@dataclass(frozen=True)
class Tab:
    """A tab: a question.

    Parameters
    ----------
    title : str
        Its heading.
    analyses : dict of str to str
        The analysis that answers it, for each kind of table that allows the question; "errors" are systems with
        standard errors.
    explores : bool
        Whether it shows an explorer instead of plots.
    refines : tuple of str
        Methods of a choice whose answers it shows instead of the choice.
    """

    title: str
    analyses: Mapping[str, str]
    explores: bool = False
    refines: tuple[str, ...] = ()

    def analysis(self, settings: Settings) -> str:
        """Return the analysis of a table; nothing if it does not allow the question."""
        kind = "errors" if settings.kind == "systems" and settings.standard_errors else settings.kind
        return self.analyses.get(kind, "")

    def answer(self, settings: Settings, opened: RowExplorer | None = None) -> Shown:
        """Answer the question; an explorer of the same table that is open moves there."""
        asked = settings.asked(self.analysis(settings))
        table, found = asked.run()
        refines = self.refines if isinstance(found, Selection) else ()
        results = [getattr(found, name)() for name in refines] or [found]
        if isinstance(found, Selection):
            sentences = [one.explain() for one in results]
        else:
            answer = found.to_answer()
            sentences = [f"{answer.headline}.", *answer.lines, answer.certainty, *cautions(table)]
        if settings.where and "where" not in asked.analysis.parameters():
            sentences.append(f"The limits ({settings.where}) are for a choice; everything is compared here.")
        if isinstance(found, Selection) and isinstance(opened, ChoiceExplorer):
            _move(opened, found, settings)
        return Shown(
            sentences=tuple(filter(None, sentences)),
            results=_drawn(results),
            explorer=(opened or _explorer(found)) if self.explores else None,
            calls=asked.calls(*refines),
        )


def _drawn(results: Sequence[Any]) -> list[Any]:
    """What can be drawn; of several groups, each is."""
    single = [one for result in results for one in (result.values() if isinstance(result, Grouped) else [result])]
    return [one for one in single if hasattr(one, "plot")][:_MOST_PLOTS]


def _explorer(result: Any) -> RowExplorer | None:
    """The explorer of a result; a sentence that says why there is none is no explorer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left out is in the sentences
        made = result.explore()
    return made if isinstance(made, RowExplorer) else None


def _move(explorer: ChoiceExplorer, choice: Selection, settings: Settings) -> None:
    explorer.move(
        weights=[round(float(weight), WEIGHT_DECIMALS) for weight in choice.weights.values()],
        p="inf" if choice.p == float("inf") else choice.p,
        normalize=choice.normalize,
        ranges=[list(settings.limits.get(str(name), (None, None))) for name in choice.objectives],
    )


# Items are compared one by one; runs as fronts. A board needs to know how exact its values are.
_CHOOSES = dict.fromkeys(("systems", "errors", "items", "runs"), "select")
TABS = {
    "choose": Tab("Choose", _CHOOSES, explores=True),
    "sure": Tab("How sure", _CHOOSES, refines=("stability", "sensitivity", "criteria")),
    "two": Tab("Compare two", {"items": "compare", "runs": "audit"}),
    "board": Tab("Board", dict.fromkeys(("errors", "items", "runs"), "board")),
    "gap": Tab("Gap", {"search": "gap"}, explores=True),
}


def allowed(settings: Settings) -> list[str]:
    """Return the tabs that a table allows, by name."""
    return [name for name, tab in TABS.items() if tab.analysis(settings)]
