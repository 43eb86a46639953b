"""What has to be said before there is an answer: a sentence, and buttons that say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from copa_nb.analyses.registry import analyses
from copa_nb.control_panel.settings import Settings
from copa_nb.control_panel.table import ARROWS, ROLES
from copa_nb.tables.candidates import allowed_mask
from copa_nb.tables.description import Description
from copa_nb.tables.objectives import Objectives
from copa_nb.tables.proposals import has_gaps
from copa_nb.text import listing, spoken

_SHOWN = 3  # rows that are named


@dataclass(frozen=True)
class OpenQuestion:
    """What a user must answer before a table can be analyzed.

    Parameters
    ----------
    text : str
        What is asked, in words.
    answers : dict of str to Settings
        The settings that each button gives.
    """

    text: str
    answers: Mapping[str, Settings]


def of_columns(settings: Settings) -> OpenQuestion | None:
    """Ask what columns are: what is good, what decimal marks mean, and what names the systems."""
    table, proposed = settings.table, settings.table.proposed
    if not settings.directions:
        proposed = {name: use for name, use in proposed.items() if use not in settings.roles}
        offered = {_in_words(proposed): replace(settings, uses={**proposed, **settings.uses})} if proposed else {}
        return OpenQuestion(
            "What is good? Say for each column that counts whether more or less of it is better."
            f"{' The names suggest this; check it:' if offered else ''}",
            offered,
        )
    try:
        settings.numbers  # noqa: B018 - another column may settle what an open decimal mark is
    except ValueError:
        for name in settings.parse:
            if table.columns[name].kind == "open":
                return OpenQuestion(
                    f"Which numbers are in {name}?",
                    {text: replace(settings, decimal=mark) for mark, text in table.readings(name).items()},
                )
        raise
    measured = {name: use for name, use in proposed.items() if use in ROLES}
    suggests = {"item", "repeat"} & {*measured.values()}
    if suggests and not settings.roles and not {*measured} <= {*settings.uses}:
        return OpenQuestion(
            f"Rows seem to be measurements of fewer names ({_in_words(measured)}). Are they?",
            {
                "Yes, they are": replace(settings, uses={**measured, **settings.uses}),
                "No, each row stands for itself": replace(settings, uses=dict.fromkeys(measured, "") | settings.uses),
            },
        )
    if settings.kind in ("items", "runs") and "system" not in settings.roles:
        texts = [one.name for one in table.columns.values() if one.kind == "text" and one.name not in settings.uses]
        return OpenQuestion(
            "Rows are measurements, of which a name has several. Which column has the names?",
            {name: settings.using(name, "system") for name in texts},
        )
    return None


def of_rows(settings: Settings, analysis: str) -> OpenQuestion | None:
    """Ask what missing values are worth, which rows to compare, and what else the rows leave open."""
    frame = settings.numbers
    limits_rows = "where" in analyses()[analysis].parameters() and settings.kind in ("systems", "search")
    if settings.where and limits_rows and not allowed_mask(frame, settings.where).any():
        return OpenQuestion("No row is within all limits.", {"Take the limits away": replace(settings, limits={})})
    if not settings.policy(analysis) and (question := _of_missing(settings, analysis, frame)):
        return question
    unnamed = analysis == "compare" and not {"new", "baseline"} <= settings.options.keys()
    if unnamed and frame[settings.roles["system"]].nunique() > 2:
        return OpenQuestion("Which two? Choose them in the form, under “Compare”.", {})
    return None


def _of_missing(settings: Settings, analysis: str, frame: pd.DataFrame) -> OpenQuestion | None:
    known = analyses()[analysis].parameters()["nan_policy"].choices
    lacking = frame[frame[[*settings.directions]].isna().any(axis="columns")]
    described = Description(Objectives.of(settings.directions), settings.roles)
    if settings.kind == "items":
        if not has_gaps(frame, described):
            return None
        text = "Not every name has a value for every item."
    elif lacking.empty:
        return None
    else:
        text = f"{_rows(settings, lacking)} {'lacks' if len(lacking) == 1 else 'lack'} a value that counts."
    ways = {
        "pairwise": "Compare each two on what both have",
        "omit": f"Leave {'this row' if len(lacking) == 1 else f'these {len(lacking):,} rows'} out",
        "worst": "Count a missing value as the worst",
        "bounds": "Say what holds whatever they are",
    }
    if not len(lacking):
        del ways["omit"]
    return OpenQuestion(
        f"{text} What are missing values worth?",
        {
            words: replace(settings, missing=(policy, *settings.missing))
            for policy, words in ways.items()
            if policy in known
        },
    )


def _rows(settings: Settings, rows: pd.DataFrame) -> str:
    """Name a few rows: by their system, or by their place in the file."""
    proposed = {use: name for name, use in settings.table.proposed.items()}
    name = settings.roles.get("system", proposed.get("system"))
    if name and settings.kind == "systems":
        named = rows[name].astype(str).tolist()
    else:
        named = [f"row {place + 1}" for place in rows.index.tolist()]
    rest = [f"{len(named) - _SHOWN:,} more"] if len(named) > _SHOWN + 1 else []
    return listing([*(named[:_SHOWN] if rest else named), *rest])


def _in_words(uses: Mapping[str, str]) -> str:
    """Say what columns would be."""
    said = [f"{spoken(name)} {ARROWS[use]}" for name, use in uses.items() if use in ARROWS]
    said += [f"{name}: {ROLES[use]}" for name, use in uses.items() if use in ROLES]
    return ", ".join(said)
