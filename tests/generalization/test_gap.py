"""The verb ``gap``: the shapes of tables it understands, its numbers, its words and its errors."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import copa_nb
from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.results import Gap
from copa_nb.results.result import Grouped
from tests import asked
from tests.said import said_by, sentence

OBJECTIVES = {"precision": "max", "recall": "max"}
ORIGIN = {"precision": 0.0, "recall": 0.0}


@pytest.fixture
def runs():
    return pd.DataFrame(
        {
            "val_precision": [0.9, 0.6, 0.4, 0.3],
            "val_recall": [0.2, 0.5, 0.8, 0.3],
            "test_precision": [0.7, 0.3, 0.4, 1.0],
            "test_recall": [0.3, 0.5, 0.6, 0.9],
        },
        index=["careful", "middle", "eager", "lucky"],
    )


def numbers(result):
    return [result.hv_validation, result.hv_pessimistic, result.hv_optimistic, result.hv_test]


def test_numbers_by_hand(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    assert list(result.validation_front) == ["careful", "middle", "eager"]
    assert list(result.optimistic) == ["careful", "eager"]
    assert list(result.pessimistic) == ["careful", "middle"]
    assert list(result.test_front) == ["lucky"]
    # Rectangles from the origin: heights add up over the sorted precisions.
    assert result.hv_validation == pytest.approx(0.9 * 0.2 + 0.6 * 0.3 + 0.4 * 0.3)
    assert result.hv_optimistic == pytest.approx(0.7 * 0.3 + 0.4 * 0.3)
    assert result.hv_pessimistic == pytest.approx(0.7 * 0.3 + 0.3 * 0.2)
    assert result.hv_test == pytest.approx(0.9)
    assert result.gap == pytest.approx(0.33 - 0.27)
    assert result.relative_gap == pytest.approx(0.06 / 0.33)
    assert result.optimism == pytest.approx(0.48 - 0.33)
    assert result.leakage == pytest.approx(0.9 - 0.33)
    assert list(result.dominated) == ["middle"]
    assert result.reference == ORIGIN


def test_table_names_who_dominates_and_who_changed_order(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    table = result.table
    assert list(table.index) == ["careful", "middle", "eager"]
    assert table.loc["middle", "dominated_by"] == "eager"
    assert pd.isna(table.loc["eager", "dominated_by"])
    assert table["dominates"].tolist() == [0, 0, 1]
    # Only middle and eager change places, in precision.
    assert table["swaps"].tolist() == [0, 1, 1]
    assert list(result.reordered) == ["middle", "eager"]
    assert result.order["swapped"].to_dict() == {"precision": 1, "recall": 0}
    assert result.order["pairs"].tolist() == [3, 3]
    assert table["validation precision"].tolist() == [0.9, 0.6, 0.4]
    assert table["test recall"].tolist() == [0.3, 0.5, 0.6]


def test_percentages_of_hypervolume_are_given_under_a_stated_reference_point_only(runs):
    default = asked.gap(runs, objectives=OBJECTIVES)
    assert "%" not in default.explain()
    assert "reference_point.details.no_share" in said_by(default)
    assert sentence(default, "gap.details.gap")["gap"] == default.gap
    with default.explore() as explorer:
        assert "% of the optimistic" not in explorer.to_html()


def test_words_say_the_numbers(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    assert sentence(result, "gap.details.front") == {"front": 3, "rows": 4}
    gap = sentence(result, "gap.details.gap_share")
    assert (gap["gap"], gap["share"]) == pytest.approx((0.06, 0.06 / 0.33))
    dominated = sentence(result, "gap.details.dominated")
    assert (dominated["lost"]["n"], dominated["lost"]["front"], dominated["rows"]) == (1, 3, ["middle"])
    assert sentence(result, "gap.details.reordered") == {"swapped": 1, "pairs": 6}
    numbered = asked.gap(runs.reset_index(drop=True).rename_axis("trial"), objectives=OBJECTIVES, reference=ORIGIN)
    rows = sentence(numbered, "gap.details.dominated")["rows"]
    assert rows[0].startswith("trial "), "a number alone does not say what it numbers"
    kept = sentence(result, "gap.reasons.kept")
    assert (kept["promised"], kept["kept"]["high"]) == pytest.approx((0.48, 0.33))
    assert repr(result).startswith("<Gap 0.06 between optimistic 0.33 and pessimistic 0.27")
    assert "precision = 0, recall = 0" in result._repr_html_()


def test_three_shapes_of_table_and_the_accessor_agree(runs):
    expected = numbers(asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN))
    validation = runs[["val_precision", "val_recall"]].set_axis(list(OBJECTIVES), axis=1)
    test = runs[["test_precision", "test_recall"]].set_axis(list(OBJECTIVES), axis=1)
    shuffled = test.loc[["lucky", "eager", "careful", "middle"]]
    parts_first = pd.concat({"val": validation, "test": test}, axis=1)
    objectives_first = parts_first.swaplevel(axis=1)
    defined = validation.moo.define(OBJECTIVES)
    prefixed = runs.moo.define(val_precision="max", val_recall="max")
    behind = runs.rename(columns=lambda c: "_".join(reversed(c.split("_"))))
    assert "precision_val" in behind
    for result in (
        asked.gap(validation, test=test, objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(validation, test=shuffled, objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(parts_first, objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(objectives_first, validation="val", test="test", objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(defined, test=test, reference=ORIGIN),
        prefixed.moo.gap(reference=ORIGIN),
        runs.moo(val_precision="max", val_recall="max").gap(reference=ORIGIN),
        asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(
            runs.rename(columns=lambda c: c.replace("test_", "holdout.")),
            test="holdout.",
            objectives=OBJECTIVES,
            reference=ORIGIN,
        ),
        asked.gap(behind, objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(behind, validation="_val", test="_test", objectives=OBJECTIVES, reference=ORIGIN),
        asked.gap(behind, validation="val", test="test", objectives=OBJECTIVES, reference=ORIGIN),
        behind.moo(precision_val="max", recall_test="max").gap(reference=ORIGIN),
        asked.gap(
            behind.rename(columns=lambda c: c.replace("_val", " (val)").replace("_test", "")).moo(
                precision="max", recall="max"
            ),
            validation=" (val)",
            test="",
            reference=ORIGIN,
        ),
    ):
        assert numbers(result) == expected
        assert list(result.optimistic) == ["careful", "eager"]


def test_a_prefix_that_fits_exactly_wins_over_a_suffix(runs):
    expected = numbers(asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN))
    both = runs.assign(precision_val=0.0, precision_test=0.0)
    assert numbers(asked.gap(both, objectives=OBJECTIVES, reference=ORIGIN)) == expected


def test_mixed_directions_equal_negated_columns():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.integers(0, 8, (60, 6)), columns=["val_a", "val_b", "val_c", "test_a", "test_b", "test_c"])
    mixed = asked.gap(table, objectives={"a": "max", "b": "min", "c": "min"}, reference={"a": -1, "b": 9, "c": 9})
    negated = table.assign(val_a=-table["val_a"], test_a=-table["test_a"])
    costs = asked.gap(negated, objectives={"a": "min", "b": "min", "c": "min"}, reference={"a": 1, "b": 9, "c": 9})
    assert numbers(mixed) == numbers(costs)
    assert mixed.pessimistic.equals(costs.pessimistic)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["all", "first"]))
def test_order_of_hypervolumes_and_zero_gap(seed, k, keep):
    rng = np.random.default_rng(seed)
    names = list("abcde"[:k])
    n = int(rng.integers(1, 20))
    table = pd.DataFrame(
        rng.integers(0, 5, (n, 2 * k)), columns=[f"val_{c}" for c in names] + [f"test_{c}" for c in names]
    )
    directions = {c: str(rng.choice(["max", "min"])) for c in names}
    result = asked.gap(table, objectives=directions, keep=keep)
    assert result.hv_test >= result.hv_optimistic >= result.hv_pessimistic >= 0
    # The default reference point lies beyond all points, so that a gap shows exactly when a row is dominated.
    assert (result.gap == 0) == (len(result.dominated) == 0)
    assert set(result.optimistic) <= set(result.validation_front)
    assert set(result.pessimistic) <= set(result.validation_front)


def test_first_of_equal_rows_is_what_the_authors_keep():
    table = pd.DataFrame(
        {"val_a": [1.0, 1.0], "val_b": [1.0, 1.0], "test_a": [0.5, 0.9], "test_b": [0.5, 0.9]}, index=["x", "y"]
    )
    everything = asked.gap(table, objectives={"a": "max", "b": "max"}, reference={"a": 0, "b": 0})
    first = asked.gap(table, objectives={"a": "max", "b": "max"}, reference={"a": 0, "b": 0}, keep="first")
    assert list(everything.validation_front) == ["x", "y"]
    assert everything.gap == pytest.approx(0.81 - 0.25)
    assert list(first.validation_front) == ["x"]
    assert first.gap == 0


def test_one_row():
    table = pd.DataFrame({"val_a": [1.0], "val_b": [2.0], "test_a": [1.0], "test_b": [1.0]})
    result = asked.gap(table, objectives={"a": "max", "b": "max"})
    assert result.gap == 0
    assert len(result.validation_front) == 1
    assert "gap.details.reordered" not in said_by(result)
    assert result.order["share"].tolist() == [0.0, 0.0]


def test_front_beyond_the_reference_point_has_no_volume(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference={"precision": 1.0, "recall": 0.95})
    assert numbers(result) == [0, 0, 0, 0]
    assert result.relative_gap == 0
    assert list(result.dominated) == ["middle"]


def test_worst_reference_looks_at_validation_and_test(runs):
    result = asked.gap(runs, objectives=OBJECTIVES)
    # Precision runs from 0.3 to 1.0 over both parts, recall from 0.2 to 0.9.
    assert result.reference == pytest.approx({"precision": 0.3 - 0.07, "recall": 0.2 - 0.07})


def test_infinite_values_are_ordered_and_an_infinite_volume_is_refused():
    table = pd.DataFrame({"val_a": [1.0, 2.0], "val_b": [2.0, np.inf], "test_a": [1.0, 2.0], "test_b": [np.inf, 1.0]})
    result = asked.gap(table, objectives={"a": "min", "b": "min"}, reference={"a": 3, "b": 3})
    assert list(result.validation_front) == [0]
    assert result.hv_optimistic == 0
    with pytest.raises(ValueError, match="infinitely good"):
        asked.gap(table, objectives={"a": "min", "b": "max"}, reference={"a": 3, "b": 0})
    with pytest.raises(ValueError, match="infinite worst value"):
        asked.gap(table, objectives={"a": "min", "b": "min"})


def test_missing_test_scores_are_refused_left_out_or_worst(runs):
    runs.loc["middle", "test_recall"] = np.nan
    with pytest.raises(ValueError, match=r"'test_recall' in 1 of 4 rows \('middle'\)"):
        asked.gap(runs, objectives=OBJECTIVES)
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning, match="1 of 4 rows"):
        omitted = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN, nan_policy="omit")
    assert list(omitted.validation_front) == ["careful", "eager"]
    assert sentence(omitted, "gap.details.omitted") == {"n": 1}
    worst = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN, nan_policy="worst")
    assert list(worst.validation_front) == ["careful", "middle", "eager"]
    assert list(worst.dominated) == ["middle"]


def test_omitted_rows_keep_groups_in_step(runs):
    doubled = pd.concat([runs, runs]).assign(method=["a"] * 4 + ["b"] * 4)
    doubled.iloc[0, 0] = np.nan
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        by = asked.gap(doubled, objectives=OBJECTIVES, reference=ORIGIN, by="method", nan_policy="omit")
    assert list(by["a"].validation_front) == ["middle", "eager"]
    assert list(by["b"].validation_front) == ["careful", "middle", "eager"]


def test_groups_share_the_reference_point(runs):
    doubled = pd.concat([runs, runs * 0.5]).assign(method=["a"] * 4 + ["b"] * 4)
    by = asked.gap(doubled, objectives=OBJECTIVES, by="method")
    assert list(by) == ["a", "b"]
    assert all(isinstance(result, Gap) for result in by.values())
    assert by["a"].reference == by["b"].reference
    lowest = doubled[["val_precision", "test_precision"]].to_numpy().min()
    assert by["a"].reference["precision"] < lowest


def test_index_with_repeated_labels_is_matched_by_place(runs):
    twice = runs.set_axis(["m", "m", "n", "n"])
    result = asked.gap(twice, objectives=OBJECTIVES, reference=ORIGIN)
    assert list(result.optimistic) == ["m", "n"]
    assert result.hv_optimistic == pytest.approx(0.33)


def test_caller_frame_is_untouched_and_table_is_a_copy(runs):
    before = runs.copy(deep=True)
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    mine = result.table
    mine["dominated_by"] = None
    pd.testing.assert_frame_equal(runs, before)
    assert list(result.dominated) == ["middle"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"objectives": {"accuracy": "max"}}, ValueError, "'val_accuracy' and 'test_accuracy' are missing"),
        ({"objectives": OBJECTIVES, "test": "tst_"}, ValueError, "'tst_precision'.* is missing"),
        ({"objectives": OBJECTIVES, "test": "val_"}, ValueError, "`validation` and `test` are both 'val_'"),
        ({"objectives": OBJECTIVES, "validation": 3}, TypeError, "`validation` must be how the columns of these"),
        ({"objectives": OBJECTIVES, "keep": "last"}, ValueError, "`keep` is 'last'"),
        ({"objectives": OBJECTIVES, "reference": {"precision": 0}}, ValueError, "`reference` lacks 'recall'"),
        ({"objectives": OBJECTIVES, "by": "nothing"}, ValueError, "names 'nothing'"),
        ({"objectives": {"precision": "up", "recall": "max"}}, ValueError, "'up' as the direction"),
        (
            {"objectives": {"val_precision": "max", "test_precision": "min"}},
            ValueError,
            "two directions for 'precision'",
        ),
        ({}, ValueError, "directions are never guessed"),
    ],
)
def test_bad_arguments_are_named(runs, options, error, words):
    with pytest.raises(error, match=words):
        asked.gap(runs, **options)


def test_two_levels_without_the_parts_are_refused(runs):
    validation = runs[["val_precision", "val_recall"]].set_axis(list(OBJECTIVES), axis=1)
    both = pd.concat({"dev": validation, "test": validation}, axis=1)
    with pytest.raises(ValueError, match="are not labels of one level"):
        asked.gap(both, objectives=OBJECTIVES)
    three = pd.concat({"x": both}, axis=1)
    with pytest.raises(ValueError, match="3 levels of columns"):
        asked.gap(three, objectives=OBJECTIVES)


def test_groups_in_a_table_of_two_levels(runs):
    validation = runs[["val_precision", "val_recall"]].set_axis(list(OBJECTIVES), axis=1)
    test = runs[["test_precision", "test_recall"]].set_axis(list(OBJECTIVES), axis=1)
    both = pd.concat({"val": validation, "test": test}, axis=1)
    both[("method", "")] = ["a", "a", "b", "b"]
    by = asked.gap(both, objectives=OBJECTIVES, reference=ORIGIN, by="method")
    assert list(by["b"].validation_front) == ["eager"]
    assert list(by["a"].validation_front) == ["careful", "middle"]


def test_where_keeps_rows_off_every_front(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN, where="val_recall < 0.6")
    assert list(result.validation_front) == ["careful", "middle"]
    assert list(result.test_front) == ["lucky"]
    by_function = asked.gap(runs, objectives=OBJECTIVES, where=lambda frame: frame["val_recall"] < 0.6)
    # The worst values are those of the whole table, so that the constraint moves no reference point.
    assert by_function.reference == asked.gap(runs, objectives=OBJECTIVES).reference
    with pytest.raises(ValueError, match="excludes all 4 rows"):
        asked.gap(runs, objectives=OBJECTIVES, where="val_recall > 2")
    runs.loc["careful", "test_recall"] = np.nan
    with (
        pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning),
        pytest.raises(ValueError, match="every row that `where` allows"),
    ):
        asked.gap(runs, objectives=OBJECTIVES, where=runs.index == "careful", nan_policy="omit", reference=ORIGIN)


def test_hypervolumes_that_are_not_exact_are_said_to_be_approximated(runs):
    result = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    assert "gap.details.approximate" not in said_by(result)
    assert "gap.details.approximate" in said_by(replace(result, exact=False))


def test_resamples_of_a_test_set_have_no_report_of_their_own(runs):
    gap = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    resampled = GapOfRepeats(Grouped({0: gap}, "resample"), "bootstrap", estimate=gap)
    with pytest.raises(ValueError, match=r"^resamples of a test set have no table .*estimate\.report"):
        resampled.report()


def equal_candidates(n=200, seed=0, shift=0.0, repeats=1):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(0.6 + 0.05 * rng.normal(size=(n * repeats, 4)),
                         columns=["val_a", "val_b", "test_a", "test_b"])  # fmt: skip
    table[["test_a", "test_b"]] -= shift
    return table.assign(seed=np.repeat(range(repeats), n))


UNIT = {"objectives": {"a": "max", "b": "max"}, "reference": {"a": 0, "b": 0}}


def test_a_shift_of_all_candidates_is_no_selection():
    table = equal_candidates()
    table[["test_a", "test_b"]] = table[["val_a", "val_b"]].to_numpy() - [0.1, 0.02]
    falls = asked.gap(table, **UNIT).falls()
    assert falls["winners_curse"].to_numpy() == pytest.approx([0, 0, 0], abs=1e-12)
    assert falls["average"].to_numpy()[:2] == pytest.approx([0.1, 0.02])
    assert "gap.details.no_curse" in said_by(asked.gap(table + 0.0, **UNIT)) or falls["winners_curse"].iloc[-1] > 0


def test_selection_is_what_is_left_of_the_fall_of_the_hypervolume():
    found = asked.gap(equal_candidates(shift=0.03), **UNIT)
    front = found.table
    means = [(found.scores.validation - found.scores.test)[:, k].mean() * -1 for k in (0, 1)]
    moved = front[["validation a", "validation b"]].to_numpy() - means
    moved = moved[np.argsort(-moved[:, 0])]
    best = np.concatenate([[0], np.maximum.accumulate(moved[:, 1])])
    area = sum(x * max(0, y - before) for (x, y), before in zip(moved, best, strict=False))
    row = found.falls().loc["hypervolume"]
    assert row["average"] == pytest.approx(found.hv_validation - area)
    assert row["chosen"] == pytest.approx(found.optimism)
    assert row["winners_curse"] > row["average"] > 0
    share = row["winners_curse"] / row["chosen"]
    assert sentence(found, "gap.details.curse_share")["share"] == pytest.approx(share)


def test_the_fall_of_the_best_of_a_few_candidates():
    found = asked.gap(equal_candidates(), **UNIT)
    one = found.falls(1)
    assert one["chosen"].to_numpy() == pytest.approx(one["average"].to_numpy())
    assert "hypervolume" not in one.index
    assert (found.falls(100)["chosen"] > found.falls(5)["chosen"]).all()
    with pytest.raises(ValueError, match="`n` is 201, but there are only 200 candidates"):
        found.falls(201)


def test_falls_of_repetitions_are_means_with_students_interval():
    found = asked.gap(equal_candidates(60, shift=0.02, repeats=8), repeat="seed", **UNIT)
    falls, each = found.falls(), [one.falls() for one in found.gaps.values()]
    curses = np.array([one.loc["hypervolume", "winners_curse"] for one in each])
    assert falls.loc["a", "chosen"] == pytest.approx(np.mean([one.loc["a", "chosen"] for one in each]))
    expected = stats.t.interval(0.95, 7, curses.mean(), stats.sem(curses))
    assert falls.loc["hypervolume", ["low", "high"]].tolist() == pytest.approx(expected)
    moved = sentence(found, "gap.details.moved_on_average")["moved"]
    assert (moved["say"], moved["value"]) == ("gap.phrases.falls", falls.loc["hypervolume", "chosen"])


def test_few_candidates_and_infinite_scores_say_nothing_of_selection():
    table = equal_candidates(9)
    assert not {"gap.details.moved", "gap.details.no_curse"} & said_by(asked.gap(table, **UNIT)).keys()
    table = equal_candidates(30)
    table.loc[:, "test_a"] = -np.inf
    found = asked.gap(table, **UNIT)
    assert found.falls().loc["a"].isna().all()
    assert not {"gap.details.moved", "gap.details.no_curse"} & said_by(found).keys()
