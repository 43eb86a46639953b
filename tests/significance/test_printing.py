"""What reports print of audits: headline, verdict and certainty, the systems, the claims and the test in numbers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.note import Note
from copa_nb.results.sentences import say
from copa_nb.significance.printing import headline_of_many
from tests.said import said_by

RUNS = pd.DataFrame(
    {
        "tool": ["new"] * 4 + ["old"] * 4, "run": [1, 2, 3, 4] * 2,
        "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    }
)  # fmt: skip
WAYS = {"accuracy": "max", "cost": "min"}


def audited(runs=RUNS, *claims, words=(), **options):
    return runs.moo(WAYS, system="tool", repeat="run", **dict(words)).audit(list(claims) or None, **options)


def many(*claims):
    """An audit of claims with these results, each a pair with its p-value and whether it survives the correction."""
    named = ("new", "baseline", "runs_pvalue", "significant")
    table = pd.DataFrame(claims, columns=named).assign(holm=lambda rows: (6 * rows["runs_pvalue"]).clip(upper=1))
    return SimpleNamespace(
        tests=claims, significant=table[table["significant"]], suggested=True,
        significant_unadjusted=table[table["runs_pvalue"] <= 0.05],
    )  # fmt: skip


def test_several_claims_are_counted_after_the_correction_and_named():
    several = headline_of_many(many(("a", "c", 0.1, False), ("a", "c", 0.2, False), ("G", "c", 0.001, True)))
    assert (several["say"], several["significant"], several["total"]) == ("audit.headline.some", 1, 3)
    assert several["named"] == {"say": "audit.phrases.named", "new": "G", "baselines": ["c"]}
    every = headline_of_many(many(("a", "x", 0.002, True), ("G", "c", 0.001, True)))
    assert (every["say"], every["named"]["new"], every["named"]["more"]) == ("audit.headline.all", "G", 1)
    alone = headline_of_many(many(("G", "H", 0.01, False), ("G", "I", 0.02, False), ("a", "c", 0.3, False)))
    assert (alone["say"], alone["named"]["baselines"]) == ("audit.headline.none_but_alone", ["H", "I"])
    none = headline_of_many(many(("a", "c", 0.1, False), ("a", "c", 0.3, False)))
    assert none["say"] == "audit.headline.none"


@pytest.mark.parametrize(
    ("names", "alternative", "said"),
    [
        ({}, "two-sided", "test.headline.better"),
        ({"accuracy": 0.8, "cost": 2.0}, "two-sided", "test.headline.no_difference"),
        ({"tool": ["old"] * 4 + ["new"] * 4}, "greater", "test.headline.not_better"),
        ({}, "less", "test.headline.not_worse"),
    ],
)
def test_one_claim_is_answered_as_its_test_is(names, alternative, said):
    found = audited(RUNS.assign(**names), ("new", "old"), alternative=alternative)
    (test,) = found.tests
    assert test.parts()[0]["say"] == said
    assert found.parts()[0] == test.parts()[0]
    assert found.to_answer().headline == test.to_answer().headline
    values = said_by(test)["test.reasons.means"]["means"]
    sides = test.runs.groupby("side")["accuracy"].mean()
    assert (values[0]["value"], values[0]["baseline"]) == (sides["new"], sides["baseline"])


def test_a_claim_that_would_be_significant_alone_has_one_verdict():
    found = audited()
    (test,) = found.tests
    assert test.significant
    corrected = replace(found, table=found.table.assign(significant=False), n_comparisons=6)
    assert corrected.parts()[0]["say"] == "audit.headline.corrected"
    assert sum(".headline." in one["say"] for one in corrected.parts()) == 1


def test_without_a_claim_the_answer_says_so():
    found = audited(pd.concat([RUNS.assign(tool="a"), RUNS.assign(tool="b")]))
    assert found.to_answer().headline == say(found.parts()[0])
    assert found.parts()[0]["say"] == "audit.headline.no_claim"


def test_headlines_of_real_audits_name_what_the_table_has():
    rng = np.random.default_rng(3)
    runs = pd.DataFrame(
        [(s, r, 0.5 + 0.05 * (s == "G") + 0.03 * rng.normal(), 1 - 0.05 * (s == "G") + 0.03 * rng.normal())
         for s in "GHI" for r in range(5)], columns=["tool", "run", "accuracy", "cost"],
    )  # fmt: skip
    found = audited(runs)
    table, headline = found.table, found.parts()[0]
    survive = table[table["holm"] <= 0.05]
    assert len(table) > 1
    assert (headline["total"], headline.get("significant", 0)) == (len(table), len(survive))
    alone = survive.empty and (table["runs_pvalue"] <= 0.05).any()
    assert (headline["say"] == "audit.headline.none_but_alone") == alone
    for name in (survive if len(survive) else table[table["runs_pvalue"] <= 0.05])["new"].unique()[:1]:
        assert headline["named"]["new"] == name
    assert len(found.to_answer().values["tests"]) == len(table)


def test_an_audit_prints_its_systems_and_claims():
    systems, claims = audited().printed_tables()
    assert systems.frame["runs"].to_dict() == {"new": 4, "old": 4}
    assert systems.frame.loc["new", "accuracy ↑"] == "0.815\u00a0±\u00a00.013"
    assert claims.frame["new"].tolist() == ["new"]
    assert set(claims.headers) <= set(claims.frame.columns)
    assert "difference" in claims.frame, "a gain is a share only of a stated reference point"
    _, stated = audited(reference={"accuracy": 0, "cost": 5}).printed_tables()
    assert "relative" in stated.frame


def test_an_audit_by_domain_prints_the_domain_of_each_system():
    runs = pd.concat([RUNS.assign(task=task) for task in ("p", "q")])
    found = runs.moo(WAYS, system="tool", repeat="run").by("task").audit()
    systems, claims = found.printed_tables()
    assert systems.frame.index.names == ["task", "system"]
    assert claims.frame["task"].tolist() == ["p", "q"]


def test_the_least_certain_test_is_told_in_numbers():
    runs = pd.concat([RUNS, RUNS[RUNS["tool"] == "old"].assign(tool="older", cost=lambda t: t["cost"] + 0.1)])
    found = audited(runs)
    test = found.least_certain
    assert test.pvalue == found.table["pvalue"].max()
    (summary,) = test.printed_tables()
    assert summary.frame.loc["p of fronts", "value"] == f"{test.pvalue:.4g}"
    study = test.power([0.1, "observed"], 3, pooled=True, n_simulations=2, n_resamples=9)
    assert study.table["effect"].tolist() == sorted([0.1, float(f"{abs(test.relative):.2g}")])
    (logged,) = audited(words={"log": ["cost"]}).least_certain.printed_tables()
    assert "reference point: cost" in logged.frame.index


def test_without_a_claim_a_sentence_answers_whatever_is_asked_of_its_test():
    found = audited(RUNS[RUNS["tool"] == "new"])
    none = found.least_certain
    assert isinstance(none, Note)
    assert none.plot("runs") == none.reporting() == none.power([0.1], [4]) == none
    assert [one.name for one in found.printed_tables()] == ["systems"]


def test_systems_of_several_columns_are_named_as_they_are_written():
    runs = RUNS.assign(version=1)
    columns = ["tool", "version"]
    asked = runs.moo(WAYS, system=columns, repeat="run")
    written, by_label = asked.audit([("new / 1", "old / 1")]), asked.audit([(("new", 1), ("old", 1))])
    pd.testing.assert_frame_equal(written.table, by_label.table)
    with pytest.raises(ValueError, match="'new / 2', which is not a system"):
        asked.audit([("new / 2", "old / 1")])
