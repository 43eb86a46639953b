"""Hypervolumes and gap over the budget, against measuring every prefix on its own."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked

OBJECTIVES = {"a": "max", "b": "min"}
REFERENCE = {"a": -1.0, "b": 9.0}


@pytest.fixture
def runs():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 8, (120, 4)), columns=["val_a", "val_b", "test_a", "test_b"])
    return table.assign(model=["x", "y"] * 60, seed=np.repeat([1, 2], 60), step=np.tile(np.repeat(range(30), 2), 2))


@pytest.mark.parametrize("keep", ["all", "first"])
def test_every_budget_equals_the_gap_of_the_prefix(runs, keep):
    run = runs.iloc[:40]
    found = asked.gap(run, objectives=OBJECTIVES, reference=REFERENCE, keep=keep).budgets([5, 40])
    assert found.curves["evaluations"].tolist() == list(range(1, 41))
    for n, line in zip(range(1, 41), found.curves.itertuples(), strict=True):
        gap = asked.gap(run.iloc[:n], objectives=OBJECTIVES, reference=REFERENCE, keep=keep)
        assert (line.validation, line.pessimistic, line.optimistic, line.gap) == pytest.approx(
            (gap.hv_validation, gap.hv_pessimistic, gap.hv_optimistic, gap.gap)
        )
        assert line.n_front == len(gap.validation_front)
    assert list(found.table.columns) == [5, 40]
    assert list(found.table.index) == ["validation", "pessimistic", "optimistic", "gap"]


def test_budgets_of_a_short_run_end_with_it(runs):
    found = asked.gap(runs[:60], objectives=OBJECTIVES).budgets()
    assert found.budgets == (40, 50, 60)
    assert found.table.equals(asked.gap(runs[:60], objectives=OBJECTIVES).budgets([40, 50, 60]).table)
    assert asked.gap(runs[:7], objectives=OBJECTIVES).budgets().budgets == (7,)


def test_order_groups_and_repetitions(runs):
    options = {"objectives": OBJECTIVES, "reference": REFERENCE}
    roles = {"order": "step", "by": "model", "repeat": "seed"}
    shuffled = runs.sample(frac=1, random_state=0)
    found = asked.gap(shuffled, **roles, **options).budgets([10, 30])
    levels = asked.gap(shuffled.set_index(["model", "seed", "step"]), **roles, **options).budgets([10, 30])
    pd.testing.assert_frame_equal(levels.curves, found.curves)
    assert len(found.curves) == 120
    for model in ("x", "y"):
        for seed in (1, 2):
            part = runs[(runs["model"] == model) & (runs["seed"] == seed)].iloc[:10]
            gap = asked.gap(part, **options)
            assert found.of_repeat(seed)[(model, 10)]["gap"] == pytest.approx(gap.gap)
    mean = (found.of_repeat(1) + found.of_repeat(2)) / 2
    pd.testing.assert_frame_equal(found.table, mean[found.table.columns], check_like=True)
    spread = (found.of_repeat(1) - found.of_repeat(2)).abs() / np.sqrt(2)
    pd.testing.assert_frame_equal(found.spread, spread[found.spread.columns], check_like=True)
    assert "mean over seed" in repr(found)
    assert "x 10" in found._repr_html_()
    with pytest.raises(ValueError, match="`repeat` is 3"):
        found.of_repeat(3)


def test_rows_kept_off_the_front_still_count_as_evaluations(runs):
    run = runs.iloc[:20].reset_index(drop=True).astype({"test_a": float})
    allowed = np.arange(20) % 3 == 2
    found = asked.gap(run, objectives=OBJECTIVES, reference=REFERENCE, where=allowed).budgets([20])
    assert found.curves["evaluations"].tolist() == list(range(1, 21))
    assert found.curves["n_front"].iloc[:2].tolist() == [0, 0]
    for n in range(3, 21):
        gap = asked.gap(run.iloc[:n][allowed[:n]], objectives=OBJECTIVES, reference=REFERENCE)
        assert found.curves["gap"].iloc[n - 1] == pytest.approx(gap.gap)
    run.loc[~allowed, "test_a"] = np.nan
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        omitted = asked.gap(run, objectives=OBJECTIVES, reference=REFERENCE, nan_policy="omit").budgets([20])
    pd.testing.assert_frame_equal(omitted.curves, found.curves)


def test_a_group_without_any_allowed_row_stays_at_zero(runs):
    found = asked.gap(runs, objectives=OBJECTIVES, reference=REFERENCE, by="model", where="model == 'x'").budgets([60])
    assert (found.table["y"] == 0).all().all()
    assert found.table[("x", 60)]["validation"] > 0


@pytest.mark.parametrize(
    ("budgets", "options", "error", "words"),
    [
        ([61], {"by": "model"}, ValueError, "asks for 61 evaluations, but the shortest run has 60"),
        ([0], {}, ValueError, "`numbers` is 0"),
        ([], {}, TypeError, "`numbers` is"),
        ("40", {}, TypeError, "`numbers` is '40'"),
        ([5], {"order": "step"}, ValueError, "contains 0 more than once within a run"),
        ([5], {"order": "stage"}, ValueError, "`order` names 'stage'"),
        ([5], {"repeat": "sead"}, ValueError, "`repeat` names 'sead'"),
    ],
)
def test_bad_arguments_are_named(runs, budgets, options, error, words):
    with pytest.raises(error, match=words):
        asked.gap(runs, objectives=OBJECTIVES, **options).budgets(budgets)


def test_single_repetition_needs_a_repeat_column(runs):
    with pytest.raises(ValueError, match="`of_repeat`"):
        asked.gap(runs, objectives=OBJECTIVES).budgets([5]).of_repeat(1)
