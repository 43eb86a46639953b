"""Tests and audits over partitions are pandas', p-value by p-value."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked
from tests.agreement import outcome, same_frame
from tests.dask.partitioned import cut

pytest.importorskip("copa_nb.dask", reason="needs the extra: pip install 'copa_nb[dask]'")

OBJECTIVES = {"accuracy": "max", "cost": "min"}


def runs(seed=0, systems="ABC", seeds=5, tasks=("x", "y")):
    rng = np.random.default_rng(seed)
    rows = [
        {"task": task, "system": s, "run": r, "accuracy": 0.6 + 0.1 * i + 0.05 * rng.standard_normal(),
         "cost": np.exp(0.2 * rng.standard_normal() - 0.3 * i)}
        for task in tasks for i, s in enumerate(systems) for r in range(seeds)
    ]  # fmt: skip
    frame = pd.DataFrame(rows).sample(frac=1, random_state=seed)
    return frame.reset_index(drop=True)


def same_test(found, expected):
    np.testing.assert_array_equal(found.null_distribution, expected.null_distribution)
    assert found.pvalue == expected.pvalue
    assert found.reference == expected.reference
    assert found.guarantee == expected.guarantee
    same_frame(found.table, expected.table)
    same_frame(found.runs, expected.runs)


@pytest.mark.parametrize("options", [
    {}, {"paired": True}, {"log": ["cost"]}, {"unit": "mean"},
    {"reference": {"accuracy": 0.0, "cost": 9.0}}, {"new": ["B", "C"]}, {"n_resamples": 50},
])  # fmt: skip
@pytest.mark.parametrize("cuts", [[], [3, 3, 9], [1, 14, 15]])
def test_hv_test(options, cuts):
    frame = runs(tasks=("x",))
    settings = {"system": "system", "repeat": "run", "new": "B", "baseline": "A", "objectives": OBJECTIVES, **options}
    same_test(asked.hv_test(cut(frame, cuts), **settings), asked.hv_test(frame, **settings))


def test_systems_named_by_several_columns():
    frame = runs()
    settings = {"system": ["task", "system"], "repeat": "run", "new": ("x", "B"), "baseline": ("y", "A")}
    expected = asked.hv_test(frame, objectives=OBJECTIVES, **settings)
    same_test(asked.hv_test(cut(frame, [7, 20]), objectives=OBJECTIVES, **settings), expected)


def test_missing_values_as_in_pandas():
    frame = runs(tasks=("x",))
    frame.loc[[0, 6, 7, 11], "cost"] = np.nan
    settings = {"system": "system", "repeat": "run", "new": "C", "baseline": "A", "objectives": OBJECTIVES}
    parts = cut(frame, [5, 8])
    refused = outcome(lambda: asked.hv_test(frame, **settings))
    assert outcome(lambda: asked.hv_test(parts, **settings)) == refused
    assert "4 of 15 rows" in refused[1][1]
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning, match="4 of 15"):
        found = asked.hv_test(parts, **settings, nan_policy="omit")
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        same_test(found, asked.hv_test(frame, **settings, nan_policy="omit"))


def test_unknown_systems_are_named():
    with pytest.raises(ValueError, match="`new` names 'Z'"):
        asked.hv_test(cut(runs(), [9]), system="system", new="Z", baseline="A", objectives=OBJECTIVES)
    with pytest.raises(ValueError, match="`system` names 'sytem', which is not a column"):
        asked.hv_test(cut(runs(), [9]), system="sytem", new="B", baseline="A", objectives=OBJECTIVES)


def same_audit(found, expected):
    same_frame(found.table, expected.table)
    assert found.references == expected.references
    assert len(found.tests) == len(expected.tests)
    for one, other in zip(found.tests, expected.tests, strict=True):
        same_test(one, other)
    assert found.verdict == expected.verdict


CLAIMS = pd.DataFrame({"task": ["y", "x", "y"], "new": ["C", "B", "B"], "baseline": ["A", "A", "A"]})


@pytest.mark.parametrize("claims", [None, [("B", "A"), ("C", "A")], CLAIMS, CLAIMS[["new", "baseline"]].iloc[:2]])
@pytest.mark.parametrize("cuts", [[], [4, 4, 11, 25]])
def test_audit_by_domain(claims, cuts):
    frame = runs(seed=2)
    settings = {"system": "system", "repeat": "run", "by": "task", "claims": claims, "objectives": OBJECTIVES,
                "n_resamples": 60}  # fmt: skip
    same_audit(asked.audit(cut(frame, cuts), **settings), asked.audit(frame, **settings))


def test_audit_of_named_claims():
    frame = runs(tasks=("x",))
    settings = {
        "system": "system",
        "repeat": "run",
        "claims": [("B", "A"), (["C", "B"], "A")],
        "objectives": OBJECTIVES,
    }
    same_audit(asked.audit(cut(frame, [2, 9]), **settings), asked.audit(frame, **settings))


def test_systems_may_be_the_index():
    frame = runs(seed=4)
    indexed = frame.set_index("system")
    settings = {"repeat": "run", "by": "task", "objectives": OBJECTIVES, "n_resamples": 40}
    found = asked.audit(cut(indexed, [3, 17]), system="system", **settings)
    same_frame(found.table, asked.audit(frame, system="system", **settings).table)


def test_audit_gathers_only_the_systems_that_claims_name():
    frame = runs(seed=3, systems="ABCDEFGH", seeds=20)
    found = asked.audit(
        cut(frame, [40, 100]),
        system="system",
        repeat="run",
        by="task",
        claims=[("C", "B")],
        objectives=OBJECTIVES,
        n_resamples=40,
    )
    # The runs of two of eight systems, and at most one row for each end of each objective.
    assert len(found.tests[0].inputs.frame) <= 2 * 20 + 4


def test_audit_of_everything_says_what_it_needs():
    with pytest.raises(copa_nb.dask.WholeTableNeededError, match=r"\.by\('task'\)"):
        asked.audit(cut(runs(), [9]), system="system", objectives=OBJECTIVES)


def test_audit_refuses_unknown_domains_as_pandas_does():
    frame = runs()
    settings = {"system": "system", "by": "task", "claims": CLAIMS.replace("y", "z"), "objectives": OBJECTIVES}
    parts = cut(frame, [9])
    refused = outcome(lambda: asked.audit(frame, **settings))
    assert refused[1] is not None
    assert outcome(lambda: asked.audit(parts, **settings)) == refused


def test_an_audit_of_no_runs_is_refused_as_by_pandas():
    settings = {"system": "system", "by": "task", "objectives": OBJECTIVES}
    with pytest.raises(ValueError, match=r"^`frame` has no rows"):
        asked.audit(cut(runs()[:0], [0]), **settings)
