"""The simplest call of a verb, read from its signature: for verbs that no list of tests calls in a special way."""

from __future__ import annotations

import inspect
import re
from typing import Any

import copa_nb
from copa_nb.accessor import PandasMoo
from tests import asked

# What columns of a table with the columns "system" and "seed" are to a verb.
_RUNS = {"system": "system", "repeat": "seed"}
_ITEMS = {"system": "system", "item": "seed"}
ROLES = {
    **dict.fromkeys(("board", "confident_front", "hv_test", "audit", "attainment"), _RUNS),
    **dict.fromkeys(("compare", "mean_ranks", "posets", "gsd_front"), _ITEMS),
}
# Quick.
ALWAYS = {"n_resamples": 20}
# Verbs that refuse so few.
RESAMPLES = {"board": 100, "confident_front": 100}


def needed(verb: str) -> list[str]:
    """Names of the options that must be given."""
    parameters = list(inspect.signature(getattr(PandasMoo, verb)).parameters.values())[1:]
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in kinds]


def can_be_called(verb: str) -> bool:
    """Whether the options that must be given are known by their names."""
    return set(needed(verb)) <= {"new", "baseline"}


def returned(verb: str) -> set[str]:
    """Public names in what a verb says that it returns."""
    named = re.findall(r"\w+", str(inspect.signature(getattr(PandasMoo, verb)).return_annotation))
    return {*named} & {*copa_nb.results.__all__}


def call(verb: str, frame: Any, objectives: dict[Any, str]) -> Any:
    """Call a verb with the options that it needs."""
    known = inspect.signature(getattr(PandasMoo, verb)).parameters
    # Frames of other libraries are called as well.
    systems = list(dict.fromkeys(frame["system"])) if "system" in list(frame.columns) else []
    new, *_, baseline = [*systems, "A", "B"] if len(systems) < 2 else systems
    answers = {"new": new, "baseline": baseline}
    options = {name: answers[name] for name in needed(verb)}
    options |= {name: value for name, value in ALWAYS.items() if name in known}
    if verb in RESAMPLES:
        options["n_resamples"] = RESAMPLES[verb]
    return asked.ask(verb, frame, objectives=objectives, **ROLES.get(verb, {}), **options)
