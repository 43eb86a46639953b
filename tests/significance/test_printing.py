"""What reports print of audits: headline, verdict and certainty, the systems, the claims and the test in numbers."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb.results.note import Note
from copa_nb.significance.printing import answer_of

RUNS = pd.DataFrame(
    {
        "tool": ["new"] * 4 + ["old"] * 4, "run": [1, 2, 3, 4] * 2,
        "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    }
)  # fmt: skip
WAYS = {"accuracy": "max", "cost": "min"}


def audited(runs=RUNS, *claims, words=(), **options):
    return runs.moo(WAYS, system="tool", repeat="run", **dict(words)).audit(list(claims) or None, **options)


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
        guarantee=SimpleNamespace(explain=lambda: "Runs. One. Two."),
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
    answer = answer_of(audit(claim(pvalue, significant, runs)))
    assert answer.headline == f"a over c: {headline}"
    assert (answer.lines, answer.certainty) == ([verdict], "Runs. One. Two.")


def test_several_claims_are_counted_after_the_correction_and_named():
    several = answer_of(audit(claim(0.1, False), claim(0.2, False), claim(0.001, True, new="G")))
    assert several.headline == "1 of 3 improvements survives the correction: G over c"
    every = answer_of(audit(claim(0.002, True, baseline="x"), claim(0.001, True, new="G")))
    assert every.headline == "All 2 improvements survive the correction: G over c, and 1 more"
    alone = audit(
        claim(0.01, False, new="G", baseline="H"), claim(0.02, False, new="G", baseline="I"), claim(0.3, False)
    )
    assert answer_of(alone).headline == (
        "None of 3 improvements survives the correction; G over H and I would alone, p ≤ 0.02"
    )
    none = answer_of(audit(claim(0.1, False), claim(0.3, False)))
    assert none.headline == "None of 2 improvements survives the correction"
    one_sided = answer_of(audit(claim(0.9, False), alternative="greater"))
    assert one_sided.headline == "a over c: p = 0.9 by single runs, no evidence of a difference"
    assert (several.lines, several.certainty) == (["V."], "n")
    assert answer_of(audit()).headline == "No pair of systems suggests a claim to test"


def test_headlines_of_real_audits_name_what_the_table_has():
    rng = np.random.default_rng(3)
    runs = pd.DataFrame(
        [(s, r, 0.5 + 0.05 * (s == "G") + 0.03 * rng.normal(), 1 - 0.05 * (s == "G") + 0.03 * rng.normal())
         for s in "GHI" for r in range(5)], columns=["tool", "run", "accuracy", "cost"],
    )  # fmt: skip
    found = audited(runs)
    table, headline = found.table, found.to_answer().headline
    survive = table[table["holm"] <= 0.05]
    assert len(table) > 1
    assert f"{'None' if survive.empty else f'{len(survive)} '}" in headline or len(survive) == len(table)
    assert ("would alone" in headline) == (survive.empty and (table["runs_pvalue"] <= 0.05).any())
    for name in (survive if len(survive) else table[table["runs_pvalue"] <= 0.05])["new"].unique()[:1]:
        assert f"{name} over" in headline
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
