"""Choosing: COPA's decision, its paths and rivals, weights in words, questions and answers, mean_ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import plain, said, summary

SELECTION = ("best", "tied", "scores", "ordered", "ranks", "weights", "p", "normalize", "position", "population_size",
             "n_omitted", "candidates", "normalized")  # fmt: skip


def _told(selection: copa_nb.results.Selection) -> dict[str, Any]:
    return said(selection, *SELECTION, "table", counts=selection.counts(), sums=selection.rank_sums())


def _briefly(selection: copa_nb.results.Selection) -> dict[str, Any]:
    return said(selection, "tied", "scores", table=selection.table.head(3))


@case("copa", "Selection")
def copa() -> dict[str, Any]:
    models = tables.models()
    return {
        f"p = {p}": _told(called("copa", models, objectives=tables.THREE, p=p, weights={"accuracy": 0.5}))
        for p in (1, 2, "inf")
    }


@case("copa")
def copa_with_weights() -> dict[str, Any]:
    models = tables.models(rows=14)
    given = {
        "one": {"co2": 0.8},
        "all": {"accuracy": 2, "co2": 1, "latency": 1},
        "in order": [0.2, 0.3, 0.5],
        "none for one": {"accuracy": 0.0},
        "all for one": {"accuracy": 1.0, "co2": 0.0, "latency": 0.0},
    }
    return {
        f"{name}, p = {p}": _briefly(called("copa", models, objectives=tables.THREE, weights=weights, p=p))
        for name, weights in given.items()
        for p in (1, 3.5, "inf")
    }


@case("copa")
def copa_under_constraints() -> dict[str, Any]:
    models = tables.models()
    where = {
        "expression": "co2 <= 2 and latency < 20",
        "text": "family == 'birch' or f1 > 0.7",
        "mask": (models["latency"] > 10).to_numpy(),
        "series": models["family"].isin(["ash"]),
        "function": lambda frame: frame["accuracy"].rank(ascending=False) > 4,
    }
    return {
        name: _briefly(called("copa", models, objectives=tables.THREE, where=one, p=2)) for name, one in where.items()
    }


@case("copa")
def copa_on_other_scales() -> dict[str, Any]:
    models = tables.models(rows=14)
    fitted = copa_nb.Reference.fit(tables.models(seed=23), objectives=tables.THREE)
    parts = {
        f"{how}, p = {p}": _briefly(called("copa", models, objectives=tables.THREE, normalize=how, p=p))
        for how in ("minmax", "relative")
        for p in (1, "inf")
    }
    scores = {"accuracy": "max", "f1": "max"}
    return parts | {
        "none": _briefly(called("copa", models, objectives=scores, normalize="none", p=2)),
        "relative to a row": _briefly(
            called("copa", models, objectives=tables.THREE, normalize="relative", reference="m02", p=1)
        ),
        "frozen population": _told(called("copa", models, objectives=tables.THREE, reference=fitted, p=2)),
        "frozen, min-max": _briefly(asked.copa(models, reference=fitted, normalize="minmax", p=1)),
    }


@case("copa")
def copa_with_gaps_and_infinities() -> dict[str, Any]:
    gappy, boundless = tables.gappy(), tables.boundless()
    return {
        "omit": _told(called("copa", gappy, objectives=tables.THREE, nan_policy="omit", p=2)),
        "worst": _told(called("copa", gappy, objectives=tables.THREE, nan_policy="worst", p=2)),
        "infinite": _told(called("copa", boundless, objectives=tables.THREE, p=1)),
        "names of columns": _told(
            asked.copa(
                tables.models(rows=6).rename(columns={"accuracy": "score", "co2": "rank"}),
                objectives={"score": "max", "rank": "min"},
            )
        ),
    }


@case("copa")
def copa_by_group() -> dict[str, Any]:
    grouped = called("copa", tables.models(), objectives=tables.THREE, by="family", p=1)
    several = asked.copa(tables.system_runs(2), objectives=tables.costs(2), by=["task", "seed"])
    masked = asked.copa(
        tables.models(), objectives=tables.TWO, by="family", where=(tables.models()["latency"] > 8).to_numpy()
    )
    return {
        "family": said(grouped, "best", "table"),
        "task and seed": said(several, "best"),
        "words": {str(group): one.explain() for group, one in grouped.items()},
        "constraint": said(masked, "best", sizes=masked.collect(lambda one: one.counts())),
    }


@case("copa")
def copa_on_bundled_tables() -> dict[str, Any]:
    leaderboard = datasets.load_open_llm_leaderboard()
    chosen = leaderboard.moo.copa(weights={"co2_kg": 0.5})
    long = asked.copa(tables.many(15, 12_000, 3, 3), objectives=tables.costs(3), p=2)
    return {
        "leaderboard": said(chosen, "best", "ordered", "scores", table=summary(chosen.table)),
        "leaderboard, p = 1": plain(leaderboard.moo.copa(p=1).table.head(5)),
        "domainbed": _told(datasets.load_domainbed().moo.copa(p=4)),
        "cityscapes": _told(datasets.load_mtl_cityscapes().moo.copa(p=8)),
        "fairness": _briefly(datasets.load_german_credit_fairness().moo.copa(where="equal_opportunity_gap <= 0.05")),
        "long": said(long, "best", "tied", "ordered", "ranks", "scores", table=summary(long.table)),
    }


@case("PossibleChoices")
def copa_whatever_is_missing() -> dict[str, Any]:
    found = called("copa", tables.gappy(), objectives=tables.THREE, nan_policy="bounds", p=2)
    return said(found, "certain", "possible", "n_missing", "table")


@case("Navigation")
def navigate() -> dict[str, Any]:
    models = tables.models()
    attributes = ("objective", "path", "n_distinct", "positions", "front", "evenness", "table")
    paths = {
        "three": called("copa", models, objectives=tables.THREE).navigate("co2"),
        "p = 1": called("copa", models, objectives=tables.THREE, p=1).navigate("co2", importances=21),
        "p = 2, constraint": called("copa", models, objectives=tables.TWO, p=2, where="co2 > 1").navigate(
            "accuracy", importances=11
        ),
        "chosen steps": called("copa", models, objectives=tables.THREE).navigate(
            "latency", importances=[0.1, 0.3, 0.35, 0.9]
        ),
        "min-max": called("copa", models, objectives=tables.TWO, normalize="minmax", p=1).navigate(
            "co2", importances=11
        ),
        "relative": called("copa", models, objectives=tables.TWO, normalize="relative").navigate("co2", importances=11),
        "infinite": called("copa", tables.boundless(), objectives=tables.TWO).navigate("co2", importances=11),
        "omit": called("copa", tables.gappy(), objectives=tables.THREE, nan_policy="omit").navigate(
            "co2", importances=11
        ),
    }
    return {name: said(path, *attributes, at=path.at(0.42)) for name, path in paths.items()}


@case()
def navigate_bundled_tables() -> dict[str, Any]:
    leaderboard = datasets.load_open_llm_leaderboard()
    curve = datasets.synthetic_front(400)
    fitted = copa_nb.Reference.fit(leaderboard)
    grouped = asked.copa(leaderboard.moo(average="max", co2_kg="min"), by="precision").each(
        "navigate", "co2_kg", importances=21
    )
    found = {
        "leaderboard": leaderboard.moo.copa().navigate("co2_kg", importances=51),
        "leaderboard, p = 2": leaderboard.moo.copa(p=2).navigate("co2_kg", importances=21),
        "frozen": leaderboard.iloc[:200].moo.copa(reference=fitted).navigate("co2_kg", importances=21),
        "curve": curve.moo.copa().navigate("y1"),
        "curve, p = 1": curve.moo.copa(p=1).navigate("y1"),
    }
    return {name: said(path, "n_distinct", "evenness", "table") for name, path in found.items()} | {
        "by precision": {group: said(path, "evenness", "table") for group, path in grouped.items()}
    }


@case("Criteria")
def criteria() -> dict[str, Any]:
    models = tables.models(rows=14)
    every = ["mean", "relative", "minmax", 1, 2, "4", "inf", "borda", "topsis", "weighted sum", "f1"]
    fitted = copa_nb.Reference.fit(tables.models(seed=24), objectives=tables.FIVE)
    comparisons = {
        "default": called("copa", models, objectives=tables.THREE).criteria(),
        "all": called("copa", models, objectives=tables.FIVE).criteria(every),
        "weights": called("copa", models, objectives=tables.FIVE, weights={"f1": 0.7}).criteria(every),
        "frozen": called("copa", models, objectives=tables.FIVE, reference=fitted).criteria(every),
        "against a row": called(
            "copa", models, objectives=tables.THREE, normalize="relative", reference="m03"
        ).criteria(["relative", 1]),
        "omit": called("copa", tables.gappy(), objectives=tables.THREE, nan_policy="omit").criteria(["mean", 1, "inf"]),
        "infinite": called("copa", tables.boundless(), objectives=tables.TWO).criteria([1, "inf"]),
        "domainbed": datasets.load_domainbed().moo.copa().criteria(["mean", "minmax", 1, 2, "inf"]),
        "qm9": datasets.load_mtl_qm9()
        .moo.copa(normalize="relative", reference="STL")
        .criteria(["relative", 1, 2, 4, 8, "inf"]),
    }
    attributes = ("ranks", "scores", "weights", "agreement", "table")
    parts = {name: said(one, *attributes, winners=one.winners()) for name, one in comparisons.items()}
    grouped = called("copa", tables.models(), objectives=tables.TWO, by="family").each("criteria", ["mean", 1])
    return parts | {"by family": plain(grouped.table)}


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
        parts[name] = said(found, "weights", "ranges", "undecided", "statements", best=chosen.best)
    try:
        copa_nb.results.Preferences.from_statements(
            models.moo.description["objectives"],
            "accuracy counts 2x f1",
            "f1 counts as much as accuracy",
            "co2 has 20%",
        )
    except copa_nb.errors.ConflictError as error:
        parts["conflict"] = {"words": str(error), "conflicts": plain(error.conflicts)}
    return parts


@case("Elicitation")
def elicitation() -> dict[str, Any]:
    start = copa_nb.results.Elicitation.of(asked.copa(tables.models(), objectives=tables.THREE), n_draws=200, rng=5)
    steps, now = {}, start
    for number, choice in enumerate(("first", "second", "equal", "unsure", "first")):
        question = now.ask()
        steps[f"step {number}"] = said(
            now, "best", "share", "converged", "potentially_optimal", "weight_ranges", draws=now.draws
        )
        if question is None:
            break
        asked_now = [question.first, question.second, question.gain, question.share, *question.rows]
        steps[f"question {number}"] = {"asked": plain(asked_now), "answer": choice}
        now = now.answer(choice, question)
    steps["end"] = said(
        now, "best", "weights", "weight_ranges", "potentially_optimal", answers=[str(one) for one in now.answers]
    )
    steps["withdrawn"] = said(now.withdraw(0), "best", "share", "weight_ranges")
    steps["selection"] = said(start.selection(), "best", "weights")
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
        "question": plain([question.first, question.second, question.gain, question.share]),
        "clash": said(clash, "conflict", "converged"),
        "mended": said(clash.withdraw(1), "conflict", "best", "weight_ranges"),
        "tolerant": said(
            copa_nb.results.Elicitation.of(asked.copa(tables.models(), objectives=tables.THREE), tolerance=0.3,
                                   confidence_level=0.7, n_draws=100)
            .answer("equal")
            .answer("second"),
            "best", "share", "converged",
        ),
    }  # fmt: skip


@case("mean_ranks", "MeanRanks", "FriedmanTest")
def mean_ranks() -> dict[str, Any]:
    results = datasets.load_amlb(problem_type="multiclass", time_limit="1h")
    standing = asked.mean_ranks(results, system="framework", item="task", baseline="RandomForest")
    table = tables.benchmark()
    options = {"system": "optimiser", "item": "problem"}
    two = called("mean_ranks", table, objectives={"error": "min", "steps": "min"}, **options)
    alone = called("mean_ranks", table, objectives={"error": "min"}, baseline="opt c", **options)
    gaps = table.assign(error=np.where(table.index % 7 == 3, np.nan, table["error"]))
    omitted = called("mean_ranks", gaps, objectives={"error": "min"}, nan_policy="omit", **options)
    attributes = ("ccdf", "values", "scaled", "table")
    return {
        "multiclass": said(standing, *attributes),
        "two objectives": said(two, "ccdf", "values", "table"),
        "against a baseline": said(alone, *attributes),
        "omit": said(omitted, "ccdf", "table", "n_omitted"),
        "in pairs": said(omitted.board(nan_policy="pairwise", n_resamples=200), "table"),
        "Friedman test": said(alone.friedman(), "table", "statistic", "p_value", "critical_difference"),
        "when every group counts": said(alone.values.moo.copa(p=2), "best", "scores"),
    }
