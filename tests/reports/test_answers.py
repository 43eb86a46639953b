"""Answers: headline, reasons, question and certainty of each kind, in the words that a reader sees first."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.reports.answers import (
    beside,
    check_values,
    front_answer,
    gap_answer,
    gsd_answer,
    posets_answer,
    select_answer,
    settings,
    significance_answer,
)
from copa_nb.reports.catalogue import find
from copa_nb.reports.parameters import declared

SHOWN = pd.DataFrame({"size_mb": [1.5, 2.0, 3.0], "made by": ["us", "them", None]}, index=list("abc"))


def saying(words="So it is.", **more):
    return SimpleNamespace(explain=lambda: words, **more)


def test_a_choice_is_named_with_those_it_ties_with():
    models = pd.DataFrame({"acc": [0.9, 0.8, 0.8], "co2_kg": [9.0, 1.0, 1.0]}, index=list("abc"))
    pick = models.moo(acc="max", co2_kg="min").copa()
    answer = select_answer(pick, saying("In 9 of 10."), shown=SHOWN)
    assert answer.headline == "b (tied with 1 more)"
    assert answer.question == "Which of 3 rows is the best compromise between acc and CO₂ (kg)?"
    assert (answer.certainty, answer.used) == ("In 9 of 10.", "copa")
    assert "co2_kg" not in " ".join(answer.lines), "columns are called as people say them"
    assert "CO₂ (kg)" in answer.lines[0]
    assert answer.lines[-1] == "b: size mb 2, made by them."
    alone = select_answer(models[:2].moo(acc="max", co2_kg="min").copa(weights={"acc": 1}), saying())
    assert alone.headline == "a"
    assert len(alone.lines) == len(answer.lines) - 1


def gap(value, front="ab", dominated=()):
    return saying(gap=value, validation_front=list(front), dominated=list(dominated), optimistic=list(front))


def test_gaps_of_one_table_and_of_several_methods():
    one = gap_answer({"all": gap(0.12345, dominated="b")})
    assert one.headline == "Gap 0.123: 1 of the 2 rows chosen are dominated on test"
    assert one.lines == ["So it is."]
    assert one.certainty == "One table gives one gap: repeat the split to learn how sure it is."
    assert gap_answer({"all": gap(0.5)}).headline == "Gap 0.5: none of the 2 rows chosen are dominated on test"
    three = gap_answer({"u": gap(0.5), ("v", 1): gap(0.25), "w": gap(0.1)}, saying("u is better."))
    assert three.headline == "Gap 0.5 (u), 0.25 (v, 1), 0.1 (w)"
    assert three.lines == ["u: So it is.", "v, 1: So it is.", "u is better."]
    assert three.question == "What is the front that was chosen on validation worth on test?"


def test_gaps_of_repetitions_are_means():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(rng.random((12, 4)), columns=["val_a", "test_a", "val_b", "test_b"]).assign(fold=[0, 1, 2] * 4)
    repeats = copa_nb.gap(runs, objectives={"a": "max", "b": "max"}, repeat="fold")
    answer = gap_answer({"all": repeats})
    mean = np.mean([one.gap for one in repeats.gaps.values()])
    assert answer.headline == f"Mean gap {mean:.3g}"
    assert answer.certainty.startswith("Random splits of one data set share rows, which makes the intervals")


def audit(*tests, notes=("n",), within=()):
    options = SimpleNamespace(alpha=0.05)
    return SimpleNamespace(tests=tests, within_noise=within, verdict="V.", notes=notes, options=options)


def claim(pvalue, significant):
    return SimpleNamespace(
        pvalue=pvalue, significant=significant, verdict="V.", new=["a"], baseline=["c"], caveats=["One.", "Two."]
    )


@pytest.mark.parametrize(
    ("pvalue", "significant", "headline"),
    [
        (0.01234, True, "p = 0.0123, more than noise"),
        (0.05, False, "p = 0.05, rare under permutation, but not established"),
        (0.0501, False, "p = 0.0501, not distinguishable from noise"),
    ],
)
def test_one_claim_is_more_than_noise_or_not(pvalue, significant, headline):
    answer = significance_answer(audit(claim(pvalue, significant)), shown=SHOWN)
    assert answer.headline == headline
    assert answer.certainty == "One. Two."
    assert answer.lines[0] == "V."
    assert len(answer.lines) == 2
    assert answer.question == "Are the improvements larger than the noise of repeated runs?"


def test_several_claims_are_counted():
    several = significance_answer(audit(claim(0.1, False), claim(0.2, False), claim(0.01, True), within=["x", "y"]))
    assert several.headline == "Within noise: 2 of 3 claims"
    assert (several.lines, several.certainty) == (["V."], "n")
    assert significance_answer(audit()).headline == "No claim to test"


def depths(values, deepest, shallowest, method="exact"):
    table = pd.DataFrame({"depth": values}, index=[f"t{k}" for k in range(len(values))])
    return saying("Depths.", table=table, deepest=deepest, shallowest=shallowest, method=method)


@pytest.mark.parametrize(
    ("values", "deepest", "headline"),
    [
        ([0.5, 0.4, 0.1], ["t0"], "t0 is the most typical, t2 the most outlying"),
        ([0.5, 0.5, 0.1], ["t0", "t1"], "t0 and t1 are the most typical, t2 the most outlying"),
        ([0.5, 0.5, 0.5], ["t0", "t1", "t2"], "None is more typical than another"),
        ([0.5], ["t0"], "None is more typical than another"),
        ([0.5, 0.5, 0.5, 0.1], ["t0", "t1", "t2"], "t0, t1 and t2 are the most typical, t2 the most outlying"),
        (
            [0.5] * 5 + [0.1],
            [f"t{k}" for k in range(5)],
            "t0, t1 and 3 more are the most typical, t2 the most outlying",
        ),
    ],
)
def test_the_ends_of_a_suite_are_named_unless_all_are_alike(values, deepest, headline):
    sample = saying("Orders.", groups=pd.Index([], name="task"))
    answer = posets_answer(sample, depths(values, deepest, ["t2"]))
    assert answer.headline == headline
    assert answer.lines == ["Orders.", "Depths."]
    assert answer.question == f"Which of {len(values)} tasks are typical, which are outliers?"
    assert answer.certainty == "Depths are exact for these tasks."
    estimated = posets_answer(sample, depths(values, deepest, ["t2"], method="sample"))
    assert estimated.certainty == "Depths are estimated from random sets, with intervals."


def front(names, n=9):
    return saying(front=list(names), items=pd.RangeIndex(n, name="agent"))


@pytest.mark.parametrize(
    ("names", "tests", "headline"),
    [
        ("a", [("a", True)], "a is on the front of 9, a significantly"),
        ("ab", [("a", False)], "a and b are on the front of 9, a not significantly"),
        ("abc", [("a", False), ("b", False)], "a, b and c are on the front of 9, none of those tested significantly"),
        ("abcd", [("a", True), ("b", True), ("c", False)], "4 of 9 are on the front, a and b significantly"),
    ],
)
def test_the_front_and_what_its_tests_show(names, tests, headline):
    answer = gsd_answer(front(names), [saying(f"{item}!", item=item, on_front=on) for item, on in tests])
    assert answer.headline == headline
    assert answer.question == "Which agents does no other beat under every utility? Is that chance?"
    assert answer.certainty == " ".join(f"{item}!" for item, _ in tests)
    assert answer.lines == ["So it is."]


@pytest.mark.parametrize(
    ("sure", "headline"),
    [
        ([], "None of 9 is on the front for sure, 2 of 9 may be"),
        (["A"], "A is on the front for sure, 2 of 9 may be"),
        (["A", "B"], "A and B are on the front for sure, 2 of 9 may be"),
        (["A" * 40, "B" * 40], "2 of 9 are on the front for sure, 2 of 9 may be"),
    ],
)
def test_who_is_on_the_front_for_sure_is_named_as_long_as_names_are_short(sure, headline):
    table = pd.DataFrame(index=pd.RangeIndex(9, name="agent"))
    answer = front_answer(saying(conservative=sure, optimistic=["A", "B"], table=table))
    assert answer.headline == headline
    assert answer.lines[0] == "So it is."
    assert answer.question == "Which of 9 agents are on the front, given their noise?"


def test_columns_beside_a_table_and_of_groups():
    table = pd.DataFrame({"rank": [1, 2], "size_mb": [7, 8]}, index=["c", "a"])
    with_more = beside(table, SHOWN, ["size_mb", "made by"])
    assert with_more.columns.tolist() == ["rank", "size_mb", "made by"]
    assert with_more["size_mb"].tolist() == [7, 8], "those it has stay"
    assert with_more.loc["a", "made by"] == "us"
    runs = pd.DataFrame({"s": ["x", "x", "y", "y"], "lr": [0.1, 0.1, 0.1, 0.2], "n": [1, 1, 2, 2]})
    found = settings(runs, "s", ["lr", "n"])
    assert found["lr"].tolist() == [0.1, "varies"]
    assert found["n"].tolist() == [1, 2]
    assert found.index.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("report", "given", "said"),
    [
        (
            "yours/select",
            {"normalize": "rank"},
            "`normalize` is 'rank'; allowed are 'cdf', 'minmax', 'relative', 'none",
        ),
        ("yours/gap", {"keep": "some"}, "`keep` is 'some'; allowed are 'all', 'first'."),
        ("yours/partial_orders", {"ties": "none"}, "`ties` is 'none'; allowed are 'incomparable', 'drop', 'preorder'."),
        ("yours/partial_orders", {"n_samples": 99}, "`n_samples` is 99; it must be a whole number of at least 100."),
        ("yours/partial_orders", {"k": -1}, "`k` is -1; it must be a whole number of at least 0."),
        ("yours/partial_orders", {"max_seconds": -0.5}, "`max_seconds` is -0.5; it must be a number of at least 0."),
        ("yours/significance", {"alpha": 1.0}, "`alpha` is 1.0; it must be a number strictly between 0 and 1."),
        ("yours/significance", {"simulations": 0}, "`simulations` is 0; it must be a whole number of at least 1."),
        ("yours/significance", {"level": 0.9}, "`level` is 0.9; allowed are 'seeds', 'mean'."),
        ("yours/gap", {"budgets": ["3", "0"]}, "`budgets` is 0; it must be a whole number of at least 1."),
        ("yours/gap", {"budgets": ["x"]}, "`budgets` is 'x'; it must be a whole number of at least 1."),
        ("yours/select", {"seed": -1}, "`seed` is -1; it must be a whole number of at least 0."),
    ],
)
def test_values_out_of_range_are_refused(report, given, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        check_values(report, defaults(report) | given)


REPORTS = ["yours/select", "yours/gap", "yours/significance", "yours/partial_orders", "yours/gsd"]


def defaults(report):
    return {name: parameter.default for name, parameter in declared(find(report).path).items()}


@pytest.mark.parametrize("report", [*REPORTS, "yours/confident_front"])
def test_the_defaults_are_in_range(report):
    check_values(report, defaults(report))


@pytest.mark.parametrize(
    ("report", "given"),
    [
        ("yours/significance", {"margin": 0.0, "simulations": 1, "n_resamples": 1}),
        ("yours/partial_orders", {"n_samples": 100, "k": 0, "max_seconds": 0}),
        ("yours/gap", {"budgets": ["1", 2], "level": 0.9}),
        ("yours/select", {"resamples": 1, "seed": 0}),
    ],
)
def test_values_at_the_end_of_their_range_pass(report, given):
    check_values(report, defaults(report) | given)
