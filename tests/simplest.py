"""The simplest call of a verb, read from its signature: for verbs that no list of tests calls in a special way."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pandas as pd

import copa_nb

# What an option without a default is, in a table with the columns "system" and "seed".
ANSWERS = {"system": "system", "item": "seed", "repeat": "seed", "by": "seed"}
# Quick, and quiet.
ALWAYS = {"n_resamples": 20, "progress": False}
# Verbs that refuse so few.
RESAMPLES: dict[str, int] = {}


def needed(verb: str) -> list[str]:
    """Names of the options that must be given, after the frame."""
    parameters = list(inspect.signature(getattr(copa_nb, verb)).parameters.values())[1:]
    return [one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]


def can_be_called(verb: str) -> bool:
    """Whether the options that must be given are known by their names."""
    return set(needed(verb)) <= ANSWERS.keys() | {"objective", "cost", "new", "baseline"}


def returned(verb: str) -> set[str]:
    """Public names in what a verb says that it returns."""
    named = re.findall(r"\w+", str(inspect.signature(getattr(copa_nb, verb)).return_annotation))
    return {*named} & {*copa_nb.results.__all__}


def call(verb: str, frame: pd.DataFrame, objectives: dict[Any, str]) -> Any:
    """Call a verb with the options that it needs."""
    function = getattr(copa_nb, verb)
    # Frames of other libraries are called as well.
    systems = list(dict.fromkeys(frame["system"])) if "system" in list(frame.columns) else []
    new, *_, baseline = [*systems, "A", "B"] if len(systems) < 2 else systems
    answers = {**ANSWERS, **dict.fromkeys(("objective", "cost"), next(iter(objectives), "acc"))}
    answers |= {"new": new, "baseline": baseline}
    options = {name: answers[name] for name in needed(verb)}
    options |= {name: value for name, value in ALWAYS.items() if name in inspect.signature(function).parameters}
    if verb in RESAMPLES:
        options["n_resamples"] = RESAMPLES[verb]
    return function(frame, objectives=objectives, **options)
