"""Answers: headline, reasons, question and certainty of each analysis, in the words that a reader sees first."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb.analyses.base import settings
from copa_nb.analyses.front import Front, FrontFindings
from copa_nb.analyses.gap import GapAnalysis, GapFindings
from copa_nb.analyses.gsd import Gsd, GsdFindings
from copa_nb.analyses.posets import Posets, PosetsFindings
from copa_nb.analyses.select import Select, SelectFindings
from copa_nb.analyses.significance import SYSTEM, Significance, SignificanceFindings
from tests import asked

SHOWN = pd.DataFrame({"size_mb": [1.5, 2.0, 3.0], "made by": ["us", "them", None]}, index=list("abc"))


def saying(words="So it is.", **more):
    return SimpleNamespace(explain=lambda: words, in_short=lambda: words, **more)


def again(words, best):
    """What resamples say of a choice."""
    table = pd.DataFrame({"share": [1.0]}, index=[best])
    return saying(words, is_firm=True, share=table["share"], best_row=0, table=table, over="population", n_resamples=10)


def select_answer(table, words="So it is.", **options):
    asked = Select(table=table, maximize=["acc"], minimize=["co2_kg"], **options)
    choice = table.moo(acc="max", co2_kg="min").copa(weights=asked.weights or None)
    found = SelectFindings(
        analysis=asked, table=table, choice=choice, stability=again(words, choice.best), n_resamples=10
    )
    return found.answer


def test_a_choice_is_named_with_those_it_ties_with():
    models = pd.DataFrame({"acc": [0.9, 0.8, 0.8], "co2_kg": [9.0, 1.0, 1.0]}, index=list("abc"))
    answer = select_answer(models.join(SHOWN), "In 9 of 10.", show=["size_mb", "made by"])
    assert answer.headline == "b and c tie for first place"
    assert answer.question == "Which of 3 rows is the best compromise between acc and CO₂ (kg)?"
    certain = "One of these 2 is chosen in 100% of 10 resamples of the population."
    assert (answer.certainty, answer.used) == (certain, "copa")
    assert "co2_kg" not in " ".join(answer.lines), "columns are called as people say them"
    assert "CO₂ (kg)" in answer.lines[0]
    assert answer.lines[-1] == "b: size mb 2, made by them; c: size mb 3, made by –."
    alone = select_answer(models[:2], weights={"acc": 1})
    assert alone.headline == "a: best in acc"
    assert alone.certainty == "So it is."
    assert len(alone.lines) == len(answer.lines) - 1


def gap_answer(gaps, comparison=None, repeat=""):
    comparisons = {} if comparison is None else {"pair": comparison}
    return GapFindings(
        analysis=GapAnalysis(repeat=repeat), table=pd.DataFrame(), measured=gaps, gaps=gaps, comparisons=comparisons
    ).answer


def gap(promised, low, high):
    summary = pd.Series({"hv_validation": promised, "hv_pessimistic": low, "hv_optimistic": high}, dtype=object)
    searches = pd.DataFrame([summary.astype(float)]).assign(gap=high - low)
    return saying(searches=searches, optimistic=["a"])


def test_gaps_have_their_scale():
    one = gap_answer({"all": gap(0.82, 0.74, 0.77)})
    assert one.headline == "The front keeps 0.74–0.77 of the promised 0.82 on test"
    assert one.lines == ["So it is."]
    assert one.certainty == "The uncertainty of a single split is unknown: repeat the split to estimate it."
    assert gap_answer({"all": gap(0.82, 0.7, 0.7)}).headline == "The front keeps 0.7 of the promised 0.82 on test"
    assert gap_answer({"all": gap(0.7, 0.7, 0.8)}).headline == "The front has 0.7–0.8, promised 0.7, on test"
    three = gap_answer({"u": gap(0.9, 0.5, 0.6), ("v", 1): gap(0.8, 0.5, 0.5)}, saying("u is better."))
    assert three.headline == "On test, u keeps 0.5–0.6 of the promised 0.9; v, 1 keeps 0.5 of the promised 0.8"
    assert three.lines == ["u: So it is.", "v, 1: So it is.", "u is better."]
    assert three.question == "How does the front that was chosen on validation data perform on test data?"


def test_gaps_of_repetitions_are_means():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(rng.random((12, 4)), columns=["val_a", "test_a", "val_b", "test_b"]).assign(fold=[0, 1, 2] * 4)
    repeats = asked.gap(runs, objectives={"a": "max", "b": "max"}, repeat="fold")
    answer = gap_answer({"all": repeats}, repeat="fold")
    promised, low, high = (
        np.mean([getattr(one, f"hv_{name}") for one in repeats.gaps.values()])
        for name in ("validation", "pessimistic", "optimistic")
    )
    assert answer.headline == f"On average the front keeps {low:.3g}–{high:.3g} of the promised {promised:.3g} on test"
    assert answer.certainty.startswith("If repetitions are random splits of one data set")


def significance_answer(audit, show=()):
    table = SHOWN.assign(**{SYSTEM: SHOWN.index})
    return SignificanceFindings(analysis=Significance(show=list(show)), table=table, audit=audit).answer


def audit(*tests, notes="n", alternative="two-sided"):
    options = SimpleNamespace(alpha=0.05, alternative=alternative)
    named = ("new", "baseline", "pvalue", "runs_pvalue", "holm", "significant")
    table = pd.DataFrame([[getattr(test, name) for name in named] for test in tests], columns=named)
    table[["new", "baseline"]] = table[["new", "baseline"]].map(" + ".join)
    return SimpleNamespace(
        tests=tests, significant=table[table["significant"].astype(bool)],
        significant_unadjusted=table[table["runs_pvalue"] <= 0.05], suggested=True, n_comparisons=6,
        verdict="V.", guarantee=SimpleNamespace(explain=lambda: notes), options=options, table=table,
    )  # fmt: skip


def claim(pvalue, significant, runs_pvalue=None, new="a", baseline="c"):
    of_runs = pvalue if runs_pvalue is None else runs_pvalue
    return SimpleNamespace(
        pvalue=pvalue,
        per_run=SimpleNamespace(pvalue=of_runs),
        runs_pvalue=of_runs,
        holm=min(1.0, 6 * of_runs),
        significant=significant,
        verdict="Alone.",
        new=[new],
        baseline=[baseline],
        guarantee=SimpleNamespace(explain=lambda: "Runs. One. Two.", sentences=lambda: ["Runs.", "One.", "Two."]),
    )


@pytest.mark.parametrize(
    ("pvalue", "runs", "significant", "headline", "verdict"),
    [
        (0.01234, None, True, "p = 0.0123 by single runs, significant", "Alone."),
        (0.0002, None, True, "p < 0.001 by single runs, significant", "Alone."),
        (0.05, 0.2, False, "p = 0.2 by single runs, not significant", "Alone."),
        (0.0501, None, False, "p = 0.0501 by single runs, not significant", "Alone."),
        (0.02, None, False, "p = 0.02 by single runs, not significant after the correction for 6 comparisons", "V."),
    ],
)
def test_one_claim_is_more_than_noise_or_not(pvalue, runs, significant, headline, verdict):
    answer = significance_answer(audit(claim(pvalue, significant, runs)), show=["size_mb"])
    assert answer.headline == f"a over c: {headline}"
    assert answer.certainty == "Runs. One. Two."
    assert answer.lines[0] == verdict
    assert len(answer.lines) == 2
    assert answer.question == "Are the improvements larger than the noise of repeated runs?"


def test_several_claims_are_counted_after_the_correction_and_named():
    several = significance_answer(audit(claim(0.1, False), claim(0.2, False), claim(0.001, True, new="G")))
    assert several.headline == "1 of 3 improvements survives the correction: G over c"
    every = significance_answer(audit(claim(0.002, True, baseline="x"), claim(0.001, True, new="G")))
    assert every.headline == "All 2 improvements survive the correction: G over c, and 1 more"
    alone = audit(
        claim(0.01, False, new="G", baseline="H"), claim(0.02, False, new="G", baseline="I"), claim(0.3, False)
    )
    assert significance_answer(alone).headline == (
        "None of 3 improvements survives the correction; G over H and I would alone, p ≤ 0.02"
    )
    none = significance_answer(audit(claim(0.1, False), claim(0.3, False)))
    assert none.headline == "None of 2 improvements survives the correction"
    one_sided = significance_answer(audit(claim(0.9, False), alternative="greater"))
    assert one_sided.headline == "a over c: p = 0.9 by single runs, no evidence of a difference"
    assert (several.lines, several.certainty) == (["V."], "n")
    assert significance_answer(audit()).headline == "No pair of systems suggests a claim to test"


def test_headlines_of_real_audits_name_what_the_table_has():
    rng = np.random.default_rng(3)
    runs = pd.DataFrame(
        [(s, r, 0.5 + 0.05 * (s == "G") + 0.03 * rng.normal(), 1 - 0.05 * (s == "G") + 0.03 * rng.normal())
         for s in "GHI" for r in range(5)], columns=["agent", "run", "acc", "cost"],
    )  # fmt: skip
    found = Significance(table=runs, system=["agent"], repeat=["run"], maximize=["acc"], minimize=["cost"]).run()
    table, headline = found.audit.table, found.answer.headline
    survive = table[table["holm"] <= 0.05]
    assert len(table) > 1
    assert f"{'None' if survive.empty else f'{len(survive)} '}" in headline or len(survive) == len(table)
    assert ("would alone" in headline) == (survive.empty and (table["runs_pvalue"] <= 0.05).any())
    for name in (survive if len(survive) else table[table["runs_pvalue"] <= 0.05])["new"].unique()[:1]:
        assert f"{name} over" in headline


def posets_answer(sample, depths):
    table = pd.DataFrame({"task": depths.table.index})
    return PosetsFindings(analysis=Posets(item="task"), table=table, sample=sample, depths=depths).answer


def depths(values, deepest, shallowest, method="exact"):
    table = pd.DataFrame({"depth": values}, index=[f"t{k}" for k in range(len(values))])
    return saying("Depths.", table=table, deepest=deepest, shallowest=shallowest, method=method)


@pytest.mark.parametrize(
    ("values", "deepest", "headline"),
    [
        ([0.5, 0.4, 0.1], ["t0"], "Most typical: t0. Most outlying: t2"),
        ([0.5, 0.5, 0.1], ["t0", "t1"], "Most typical: t0 and t1. Most outlying: t2"),
        ([0.5, 0.5, 0.5], ["t0", "t1", "t2"], "All tasks are equally typical"),
        ([0.5], ["t0"], "All tasks are equally typical"),
        ([0.5, 0.5, 0.5, 0.1], ["t0", "t1", "t2"], "Most typical: t0, t1 and t2. Most outlying: t2"),
        (
            [0.5] * 5 + [0.1],
            [f"t{k}" for k in range(5)],
            "Most typical: t0, t1 and 3 more. Most outlying: t2",
        ),
    ],
)
def test_the_ends_of_a_suite_are_named_unless_all_are_alike(values, deepest, headline):
    sample = saying("Orders.", items=pd.Index([], name="task"))
    answer = posets_answer(sample, depths(values, deepest, ["t2"]))
    assert answer.headline == headline
    assert answer.lines == ["Orders.", "Depths."]
    assert answer.question == f"Which of {len(values)} tasks are typical, and which are outliers?"
    assert answer.certainty == "The depths are exact for these tasks."
    estimated = posets_answer(sample, depths(values, deepest, ["t2"], method="sample"))
    assert estimated.certainty == "The depths are estimated from random sets, with intervals."


def gsd_answer(front, tests):
    table = pd.DataFrame({"agent": front.systems})
    return GsdFindings(analysis=Gsd(system="agent"), table=table, front=front, tests=tests).answer


def front(names, n=9):
    return saying(front=list(names), systems=pd.RangeIndex(n, name="agent"))


@pytest.mark.parametrize(
    ("names", "tests", "headline"),
    [
        ("a", [("a", True)], "a is significantly on the front of 9"),
        ("a", [("a", False)], "a is on the front of 9, but not significantly"),
        ("ab", [("a", False)], "a and b are on the front of 9, a not significantly"),
        ("abc", [("a", False), ("b", False)], "a, b and c are on the front of 9, none of those tested significantly"),
        ("abcd", [("a", True), ("b", True), ("c", False)], "4 of 9 are on the front, a and b significantly"),
    ],
)
def test_the_front_and_what_its_tests_show(names, tests, headline):
    answer = gsd_answer(front(names), [saying(f"{item}!", system=item, on_front=on, pvalue=0.5) for item, on in tests])
    assert answer.headline == headline
    assert answer.question == "Which agents are not beaten by another under every utility? Is the result significant?"
    assert answer.certainty == " ".join(f"{item}!" for item, _ in tests)
    assert answer.lines == ["So it is."]


@pytest.mark.parametrize(
    ("sure", "headline"),
    [
        ([], "None of 9 is significantly on the front; up to 2 of 9 may be"),
        (["A"], "A is significantly on the front; up to 2 of 9 may be"),
        (["A", "B"], "A and B are significantly on the front; up to 2 of 9 may be"),
        (["A" * 40, "B" * 40], "2 of 9 are significantly on the front; up to 2 of 9 may be"),
    ],
)
def test_systems_on_the_front_are_named_as_long_as_names_are_short(sure, headline):
    table = pd.DataFrame(index=pd.RangeIndex(9, name="agent"))
    front = saying(conservative=sure, optimistic=["A", "B"], table=table, outcome="So it is.", certainty="Mostly.")
    rows = pd.DataFrame({"agent": table.index})
    answer = FrontFindings(analysis=Front(system="agent"), table=rows, front=front).answer
    assert answer.headline == headline
    assert (answer.lines, answer.certainty) == (["So it is."], "Mostly.")
    assert answer.question == "Which of 9 agents are on the front, given their noise?"


def test_further_columns_of_a_table_and_of_groups():
    table = pd.DataFrame({"rank": [1, 2], "size_mb": [7, 8]}, index=["c", "a"])
    asked = Select(table=SHOWN, show=["size_mb", "made by"])
    with_more = SelectFindings(analysis=asked, table=SHOWN, choice=None, stability=None, n_resamples=1).with_shown(
        table
    )
    assert with_more.columns.tolist() == ["rank", "size_mb", "made by"]
    assert with_more["size_mb"].tolist() == [7, 8], "those it has stay"
    assert with_more.loc["a", "made by"] == "us"
    runs = pd.DataFrame({"s": ["x", "x", "y", "y"], "lr": [0.1, 0.1, 0.1, 0.2], "n": [1, 1, 2, 2]})
    found = settings(runs, "s", ["lr", "n"])
    assert found["lr"].tolist() == [0.1, "varies"]
    assert found["n"].tolist() == [1, 2]
    assert found.index.tolist() == ["x", "y"]
