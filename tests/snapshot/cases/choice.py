"""Choosing: what is missing may be anything, weights in words, questions and answers."""

from __future__ import annotations

from typing import Any

import copa_nb
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import attributes_of


@case("PossibleChoices")
def copa_whatever_is_missing() -> dict[str, Any]:
    found = called("copa", tables.gappy(), objectives=tables.THREE, nan_policy="bounds", p=2)
    return attributes_of(found, "certain", "possible", "n_missing", "table")


# What an optimiser returns is as exact as where it stopped.
@case("Preferences", relative=1e-6, absolute=1e-8)
def preferences() -> dict[str, Any]:
    models = tables.models().moo.define(tables.FIVE)
    groups = {"quality": ["accuracy", "f1"]}
    statements = {
        "nothing": (),
        "ratio": ("accuracy counts 3x co2", "f1 has 20%"),
        "bounds": (
            "accuracy counts at least 2 times co2",
            "latency and energy have at most 1/4",
            "f1 has at least 10%",
        ),
        "group": ("quality has 50%", "latency does not count"),
        "indifference": ("top 10% in co2 is worth top 30% in accuracy", "f1 counts as much as energy"),
        "exactly": ("`accuracy` counts exactly 2 times `energy`", "co2 counts at most 1.5 times latency"),
    }
    parts = {}
    for name, said_so in statements.items():
        found = copa_nb.results.Preferences.from_statements(
            models.moo.description["objectives"], *said_so, groups=groups
        )
        chosen = models.moo.copa(weights=found, p=1)
        parts[name] = attributes_of(found, "weights", "ranges", "undecided", "statements", best=chosen.best)
    try:
        copa_nb.results.Preferences.from_statements(
            models.moo.description["objectives"],
            "accuracy counts 2x f1",
            "f1 counts as much as accuracy",
            "co2 has 20%",
        )
    except copa_nb.errors.ConflictError as error:
        parts["conflict"] = {"words": str(error), "conflicts": error.conflicts}
    return parts


@case("Elicitation")
def elicitation() -> dict[str, Any]:
    start = copa_nb.results.Elicitation.of(asked.copa(tables.models(), objectives=tables.THREE), n_draws=200, rng=5)
    steps, now = {}, start
    for number, choice in enumerate(("first", "second", "equal", "unsure", "first")):
        question = now.ask()
        steps[f"step {number}"] = attributes_of(
            now, "best", "share", "converged", "potentially_optimal", "weight_ranges", draws=now.draws
        )
        if question is None:
            break
        asked_now = [question.first, question.second, question.gain, question.share, *question.rows]
        steps[f"question {number}"] = {"asked": asked_now, "answer": choice}
        now = now.answer(choice, question)
    steps["end"] = attributes_of(
        now, "best", "weights", "weight_ranges", "potentially_optimal", answers=[str(one) for one in now.answers]
    )
    steps["withdrawn"] = attributes_of(now.withdraw(0), "best", "share", "weight_ranges")
    steps["selection"] = attributes_of(start.selection(), "best", "weights")
    return steps


@case("Elicitation")
def elicitation_with_contradictions() -> dict[str, Any]:
    start = copa_nb.results.Elicitation.of(
        asked.copa(tables.models(), objectives=tables.TWO, p=2, where="latency > 6"), n_draws=100, rng=1
    )
    question = start.ask()
    turned = (question.second, question.first)
    clash = start.answer("first", question).answer("first", turned)
    return {
        "question": [question.first, question.second, question.gain, question.share],
        "clash": attributes_of(clash, "conflict", "converged"),
        "mended": attributes_of(clash.withdraw(1), "conflict", "best", "weight_ranges"),
        "tolerant": attributes_of(
            copa_nb.results.Elicitation.of(asked.copa(tables.models(), objectives=tables.THREE), tolerance=0.3,
                                   confidence_level=0.7, n_draws=100)
            .answer("equal")
            .answer("second"),
            "best", "share", "converged",
        ),
    }  # fmt: skip
