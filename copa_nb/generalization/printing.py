"""The tables that reports print of a gap, with captions: of one search, of repetitions and of groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb.generalization.answers import is_repeated
from copa_nb.generalization.volumes import point_text
from copa_nb.results.printed import PrintedTable
from copa_nb.tables.columns import as_names
from copa_nb.text import label, spoken

if TYPE_CHECKING:
    from copa_nb.generalization.result import Gap

_FEW = 6  # lines of a table that a page shows unfolded
_HYPERVOLUMES = {
    "hv_validation": "validation",
    "hv_optimistic": "optimistic",
    "hv_pessimistic": "pessimistic",
    "hv_test": "best on test",
    "gap": "gap",
    "relative_gap": "relative gap",
}
_SIZES = ["n_rows", "n_validation_front", "n_optimistic", "n_pessimistic", "n_dominated"]
_FALLS = {"average": "all candidates", "winners_curse": "winner's curse", "low": "from", "high": "to"}
_SPREAD = {"sd": "std. dev.", "low": "from", "high": "to", "min": "smallest", "max": "largest"}
_QUANTITIES = {
    "hv_validation": "hypervolume on validation",
    "hv_optimistic": "optimistic hypervolume",
    "hv_pessimistic": "pessimistic hypervolume",
    "relative_gap": "relative gap",
    "optimism": "optimism (validation − optimistic)",
}


def tables_of(gaps: Mapping[Hashable, Gap], by: Any = None) -> list[PrintedTable]:
    """Falls from validation to test, hypervolumes, sizes of fronts, and what there is over repetitions.

    Parameters
    ----------
    gaps : mapping of label to Gap
        By system or group; one for a gap without groups.
    by : label or list of labels, optional
        The columns that made the groups.
    """
    if any(hasattr(one, "ways") for one in gaps.values()):
        return [_ranges(gaps, by)]
    tables = [_falls(gaps, by)] if all(map(_has_falls, gaps.values())) else []
    tables += _of_searches(gaps, by)
    return [*tables, _spread(gaps, by)] if is_repeated(gaps) else tables


def front_of_search(gap: Gap) -> PrintedTable:
    """The rows of the validation front of one search."""
    whose = f" ({name})" if (name := name_of_search(gap)) else ""
    return PrintedTable(
        frame=gap.table.assign(dominated_by=gap.table["dominated_by"].fillna("")),
        name="validation-front",
        caption=f"Rows of the validation front{whose}: scores, which fronts on test they are on, which other row "
        "dominates them, and changes of order.",
        headers={"dominated_by": "dominated by"},
        folded=True,
    )


def name_of_search(gap: Gap) -> str:
    """Which of several searches a gap is of: "linear model, seed 1337"; nothing for the only one."""
    within = {} if gap._searches is None else gap._searches.within
    # A number alone does not say what it numbers.
    return ", ".join(
        value if isinstance(value, str) else f"{spoken(column)} {label(value)}" for column, value in within.items()
    )


def _has_falls(one: Gap) -> bool:
    """Whether every search has all its rows, and chose among them itself."""
    is_resampled = hasattr(one, "gaps") and one.kind == "bootstrap"
    return not is_resampled and one.first_search.scores.stands_for is None


def _falls(gaps: Mapping[Hashable, Gap], by: Any) -> PrintedTable:
    falls = _together({name: one.falls() for name, one in gaps.items()}, by, "score")
    return PrintedTable(
        frame=falls.dropna(axis="columns", how="all").rename(columns=_FALLS).rename(index=spoken, level=-1),
        name="falls",
        caption="How far scores fall from validation to test (negative: they rise): on average over all candidates, "
        "and for the one chosen for this score on validation, or for the hypervolume of the front. The difference is "
        "the winner's curse.",
    )


def _of_searches(gaps: Mapping[Hashable, Gap], by: Any) -> list[PrintedTable]:
    """Hypervolumes and sizes of fronts, with a line for each search."""
    numbers = _together({name: _numbers(one) for name, one in gaps.items()}, by)
    first = next(iter(gaps.values())).first_search
    # A share depends on the reference point, so that there is none under one that was found in the data.
    shown = [name for name in _HYPERVOLUMES if name != "relative_gap" or first.reference_given]
    return [
        PrintedTable(
            frame=numbers[shown].astype(float),
            name="gaps",
            caption="Hypervolumes of the front on validation, of its optimistic and pessimistic front on test, and of "
            "the best front on test; the approximation gap. Reference point: "
            f"{point_text(first.reference)}; rows of equal scores: keep {first.keep}.",
            headers={name: _HYPERVOLUMES[name] for name in shown},
            folded=len(numbers) > _FEW,
        ),
        PrintedTable(
            frame=numbers[_SIZES].astype(int),
            name="sizes",
            caption="Numbers of rows: in all, on the validation front, on its optimistic and its pessimistic front, "
            "and those of it that another one dominates on test.",
            folded=True,
        ),
    ]


def _numbers(one: Gap) -> pd.DataFrame:
    """All numbers of each search of a gap; of resamples, those of the search that they are of."""
    if not hasattr(one, "gaps") or one.estimate is not None:
        return pd.DataFrame([one.first_search.summary], index=pd.Index(["all rows"], name="rows"))
    return pd.DataFrame([gap.summary for gap in one.gaps.values()], index=one.gaps.collect("gap").index)


def _spread(gaps: Mapping[Hashable, Gap], by: Any) -> PrintedTable:
    frame = _together({name: one.repeats() for name, one in gaps.items()}, by, "quantity")
    return PrintedTable(
        frame=frame.rename(index=_QUANTITIES, level=-1),
        name="repetitions",
        caption="Mean, standard deviation, 95% interval of the mean (from, to) and range over the repetitions.",
        folded=True,
        headers=_SPREAD,
        most=40,
    )


def _ranges(gaps: Mapping[Hashable, Gap], by: Any) -> PrintedTable:
    return PrintedTable(
        frame=_together({name: one.table for name, one in gaps.items()}, by).rename(index=_QUANTITIES, level=-1),
        name="gaps",
        caption="Smallest and largest values over all ways to keep one of the rows with equal validation scores, and "
        "the values if the first of them is kept.",
    )


def _together(tables: Mapping[Hashable, pd.DataFrame], by: Any, rows: str = "") -> pd.DataFrame:
    """Put the tables of all groups below each other; without groups there is one."""
    named = {name: table.rename_axis(rows) if rows else table for name, table in tables.items()}
    if by is None:
        (only,) = named.values()
        return only
    several = len(as_names(by)) > 1
    found = pd.concat(
        named if several else {label(name): table for name, table in named.items()}, names=[*map(str, as_names(by))]
    )
    # A single search of each group has no name but that of the group.
    return found.droplevel("rows") if "rows" in found.index.names and not rows else found
