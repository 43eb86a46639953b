"""Claims of Mind the Gap, on tables small enough to see what must come out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.claims.findings import checked_by
from copa_nb.generalization.one_search import GapOfSearch
from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.papers.gap import claims
from copa_nb.results.result import Grouped
from tests import asked
from tests.generalization.test_ties import dominates, on_test

OPTIONS = {"objectives": {"p": "max", "r": "max"}, "reference": {"p": 0, "r": 0}}
# As printed: the sums agree, and so do text and table.
PRINTED = pd.DataFrame(
    {
        "validation": [0.5, 0.6, 0.7, 0.8, 0.4, 0.5, 0.5, 0.55],
        "pessimistic": [0.3, 0.4, 0.6, 0.5, 0.5, 0.4, 0.4, 0.4],
        "optimistic": [0.4, 0.5, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5],
        "gap": [0.1] * 8,
    },
    index=pd.MultiIndex.from_product([claims.MODELS, [50, 100, 200, 500]], names=["model", "evaluations"]),
)


class Searches:
    """Searches whose hypervolumes are given."""

    def __init__(self, numbers=PRINTED):
        self.summary = numbers.rename(columns=claims.MEASURES).rename_axis(["model", "search"])


def _curves(test=(0.3, 0.2, 0.4), validation=(0.1, 0.2, 0.3), budgets=(1, 2, 3)):
    """Two models over two seeds: `test` holds both hypervolumes at each budget."""
    rows = [
        {"model": model, "seed": seed, "evaluations": n, "validation": before, "pessimistic": after,
         "optimistic": after, "gap": 0.1}
        for model in claims.MODELS for seed in (1337, 1)
        for n, before, after in zip(budgets, validation, test, strict=True)
    ]  # fmt: skip
    objectives = copa_nb.tables.objectives.Objectives((("p", "max"), ("r", "max")))
    return copa_nb.results.GapBudgets(pd.DataFrame(rows), (1, 3), {"p": 0, "r": 0}, objectives, ["model"], ["seed"])


def _changed(**values):
    """The printed table with one number of one model and budget changed."""
    numbers = PRINTED.copy()
    for measure, ((model, evaluations), value) in values.items():
        numbers.loc[(model, evaluations), measure] = value
    return numbers


def _gap(test, validation=((0.9, 0.3), (0.5, 0.8))):
    columns = ["val_p", "val_r", "test_p", "test_r"]
    rows = [[*before, *after] for before, after in zip(validation, test, strict=True)]
    return asked.gap(pd.DataFrame(rows, columns=columns), **OPTIONS)


def test_misprints_are_numbers_that_differ_after_rounding():
    assert claims.misprints(PRINTED, Searches(PRINTED + 0.00004)).empty
    found = _changed(optimistic=(("linear model", 50), 0.59))
    (where,) = claims.misprints(PRINTED, Searches(found)).index
    assert where == ("linear model", 50, "optimistic")


def test_sums_may_be_off_by_what_rounding_allows():
    assert claims.check_sums(PRINTED)["consistent"].all()
    assert claims.check_sums(_changed(gap=(("random forest", 100), 0.1001)))["consistent"].all()
    off = _changed(optimistic=(("linear model", 50), 0.601))
    assert claims.printed_gaps_follow(PRINTED, Searches()).holds
    found = claims.printed_gaps_follow(off, Searches())
    assert (found.holds, found.ours) == (False, "7 of 8 columns")
    assert "31 of the 32" in found.note
    assert "0.6010 − 0.5000 = 0.1010" in found.found


def test_a_longer_search_is_told_by_its_falls():
    curves = _curves(budgets=(50, 100, 500))  # the hypervolumes on test fall once, that on validation never
    said = claims.budgets_answer(curves)
    assert said.headline.endswith("in 4 of 4 searches")
    assert said.lines[0].startswith("On validation data this happens in none of them.")
    assert said.lines[1].endswith("in 0 of 4 searches.")
    curves.curves["optimistic"] = curves.curves["pessimistic"] = np.tile([0.1, 0.2, 0.3], 4)
    assert claims.budgets_answer(curves).headline.endswith("in 0 of 4 searches")


def test_the_validation_hypervolume_must_never_fall():
    assert claims.validation_never_falls(Searches(), _curves()).holds
    assert not claims.validation_never_falls(Searches(), _curves(validation=(0.1, 0.3, 0.2))).holds
    fallen = _changed(validation=(("random forest", 500), 0.1))
    assert not claims.validation_never_falls(Searches(fallen), _curves()).holds


def test_test_must_fall_in_both_experiments():
    assert claims.test_can_fall(Searches(), _curves()).holds
    assert not claims.test_can_fall(Searches(), _curves(test=(0.1, 0.2, 0.3))).holds
    rising = PRINTED.assign(optimistic=np.tile([0.1, 0.2, 0.3, 0.4], 2))
    assert not claims.test_can_fall(Searches(rising), _curves()).holds


@pytest.mark.parametrize(("forest", "holds"), [(0.6, True), (0.5, False)])
def test_a_short_forest_beats_a_long_linear_model(forest, holds):
    curves = _curves(budgets=(100, 200, 500))
    numbers = _changed(validation=(("random forest", 100), forest))
    assert claims.short_forest_beats_long_linear(Searches(numbers), curves).holds is holds


def _bounds(forest=((0.5, 0.5),), linear=((0.3, 0.3),)):
    """For each budget, two models with one point of validation scores, and one or several test scores for it."""
    rows = {claims.MODELS[0]: forest, claims.MODELS[1]: linear}
    return {
        (model, size): _gap_of_ties(*([0.5, 0.5, *one] for one in tests))
        for model, tests in rows.items()
        for size in claims.SAID
    }


def test_a_tenth_is_enough():
    tenth = PRINTED.assign(gap=0.0999, optimistic=1.0)

    def check(numbers, defined):
        return claims.gap_reaches_a_tenth(Searches(numbers), _curves(), Searches(defined), _bounds())

    assert not check(tenth, tenth).holds
    reached = tenth.copy()
    reached.loc[("linear model", 200), "gap"] = 0.1
    found = check(reached, tenth)
    assert found.holds
    assert found.note.startswith("It holds by the rule of the authors' program")
    assert check(reached, reached).note == ""


def test_ties_must_change_numbers_and_a_verdict():
    kept = _changed(pessimistic=(("random forest", 200), 0.65), optimistic=(("linear model", 200), 0.6))
    tied = _changed(optimistic=(("linear model", 200), 0.7), gap=(("linear model", 200), 0.3))

    def check(all_kept, bounds):
        return claims.ties_change_the_table(kept, Searches(kept), Searches(all_kept), bounds)

    found = check(tied.assign(pessimistic=kept["pessimistic"]), _bounds())
    assert found.holds
    assert found.ours == "2 against 0 of 32 numbers; 1 verdict"
    assert "differs at 200" in found.found
    assert "one value each" in found.found
    assert not check(kept, _bounds()).holds
    slightly = kept + 0.0001
    assert not check(slightly, _bounds()).holds, "rounding is no difference"
    same_verdict = kept.assign(gap=0.3)
    assert not check(same_verdict, _bounds()).holds, "numbers alone are no verdict"
    apart = _gap_of_ties([0.9, 0.2, 0.9, 0.2], [0.5, 0.5, 0.1, 0.1], [0.5, 0.5, 0.95, 0.5])
    assert "random forest at 50: 0.1700 to 0.2950" in check(tied, _bounds() | {("random forest", 50): apart}).found


def _gap_of_ties(*rows):
    return asked.gap(pd.DataFrame(rows, columns=["val_p", "val_r", "test_p", "test_r"]), keep="bounds", **OPTIONS)


def test_verdicts_are_counted_over_the_ways_to_keep_equal_rows():
    ways = claims.verdicts_by_ties(_bounds(forest=((0.5, 0.5), (0.2, 0.2))))
    assert ways.loc[(50, "hypervolume")].tolist() == [1, 1, 0]
    assert ways.loc[(500, "robustness")].tolist() == [0, 0, 2]


def test_the_gap_grows_and_can_fall_on_the_way():
    curves = _curves(budgets=(50, 100, 500))
    curves.curves["gap"] = np.tile([0.1, 0.05, 0.2], 4)
    found = PRINTED.assign(gap=np.tile([0.1, 0.05, 0.1, 0.2], 2))
    grows = claims.gap_grows(Searches(found), curves, _with_gaps(curves, 0.2, 0.1, 0.1))
    falls = claims.gap_can_fall(Searches(found), curves, Searches(PRINTED.assign(gap=0.1)))
    assert "with all configurations of equal validation scores: never falls" in falls.found
    assert "if configurations with precision and recall 0 stay, in 0" in grows.found
    assert (grows.holds, grows.ours) == (True, "4 of 4 searches")
    assert (falls.holds, falls.ours) == (True, "0.1000 then 0.0500 (random forest)")
    level = PRINTED.assign(gap=0.1)
    assert not claims.gap_grows(Searches(level), curves, curves).holds
    assert not claims.gap_can_fall(Searches(level), curves, Searches()).holds
    curves.curves.loc[[0, 3], "gap"] = 0.3
    assert not claims.gap_grows(Searches(found), curves, curves).holds
    curves.curves["gap"] = 0.1
    assert not claims.gap_can_fall(Searches(found), curves, Searches()).holds


def _with_gaps(curves, *gaps):
    return replace(curves, curves=curves.curves.assign(gap=np.tile(gaps, 4)))


def test_the_pessimistic_hypervolume_falls_in_more_searches():
    curves = _curves(budgets=(50, 100, 500))
    curves.curves["pessimistic"] = np.tile([0.3, 0.1, 0.2], 4)
    curves.curves["optimistic"] = np.tile([0.1, 0.2, 0.3], 4)
    falls = claims.count_falls(Searches(), curves)
    assert falls["falls at a larger budget"].tolist() == [0, 4, 0, 0]
    assert falls["ends lower than it began"].tolist() == [0, 4, 0, 0]
    assert falls["authors' searches"].tolist()[0] == "never falls"
    assert claims.pessimistic_falls_more(Searches(), curves).holds
    curves.curves["optimistic"] = np.tile([0.5, 0.2, 0.4], 4)
    assert not claims.pessimistic_falls_more(Searches(), curves).holds
    # Falls between the budgets of the table do not count.
    curves.curves["evaluations"] = curves.curves["evaluations"].replace(50, 60)
    assert claims.count_falls(Searches(), curves)["falls at a larger budget"].sum() == 0


def test_verdicts_are_those_of_the_text():
    said = PRINTED.copy()
    said["pessimistic"] = [0.1, 0.1, 0.6, 0.1, 0.5, 0.1, 0.1, 0.1]
    said["optimistic"] = [0.4, 0.6, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5]
    assert claims.better_by_print(said) == claims.SAID
    assert claims.verdicts_of_the_table(said, Searches(PRINTED)).holds
    theirs = claims.verdicts_of_the_search(Searches(said), Searches(PRINTED), _bounds())
    assert (theirs.holds, theirs.ours) == (True, "linear, –, forest, – (4 of 4)")
    assert "with all configurations of equal validation scores: linear model at 50" in theirs.found
    assert "ties decide no verdict" in theirs.found
    tied = _bounds(forest=((0.5, 0.5), (0.2, 0.2)))
    decided = claims.verdicts_of_the_search(Searches(said), Searches(PRINTED), tied)
    assert "ties decide the verdict at 50, 100, 200 and 500" in decided.found
    said.loc[("random forest", 100), "pessimistic"] = 0.55
    found = claims.verdicts_of_the_search(Searches(said), Searches(said), _bounds())
    assert (found.holds, found.ours) == (False, "linear, forest, forest, – (3 of 4)")
    assert "at 100 the random forest has at least 0.5500 on test, the other at most 0.5000" in found.found
    assert checked_by(claims.verdicts_of_the_table).of == checked_by(claims.verdicts_of_the_search).id == "gap-verdicts"


def _others(**gaps):
    return Grouped(gaps, "seed")


def test_a_gap_must_be_positive_here_and_in_most_searches():
    opened, closed = _gap([(0.9, 0.8), (0.5, 0.6)]), _gap([(0.8, 0.3), (0.5, 0.7)])
    options = {"whose": "a search", "budget": 2}
    assert claims.gap_is_positive(opened, _others(a=opened, b=opened, c=closed), **options).holds
    assert not claims.gap_is_positive(opened, _others(a=opened, b=closed), **options).holds
    assert not claims.gap_is_positive(closed, _others(a=opened), **options).holds
    assert claims.hypervolumes_are_ordered(opened, _others(a=closed), **options).holds


def test_hypervolumes_must_be_in_order_everywhere():
    one = _gap([(0.8, 0.3), (0.5, 0.7)])
    wrong = GapOfSearch(**{**vars(one), "hv_optimistic": 2.0})
    assert not claims.hypervolumes_are_ordered(one, _others(a=wrong), whose="a search", budget=2).holds
    assert not claims.hypervolumes_are_ordered(wrong, _others(a=one), whose="a search", budget=2).holds


def test_ordered_hypervolumes_without_dominance():
    def compared(first, second):
        pair = [_gap(test) for test in (first, second)]
        repeats = [GapOfRepeats(Grouped({1: one}, "seed"), "repetitions") for one in pair]
        return [one.compare(other, names=claims.MODELS) for one, other in (pair, repeats)]

    def tied(forest, linear):
        pair = [_gap_of_ties(*([0.5, 0.5, *test] for test in tests)) for tests in (forest, linear)]
        return pair[0].compare(pair[1], names=claims.MODELS)

    undecided = compared([(0.9, 0.2), (0.6, 0.9)], [(0.9, 0.2), (0.6, 0.9)])[0]
    ties = tied([(0.5, 0.5), (0.2, 0.2)], [(0.2, 0.2)])

    crossing = compared([(0.9, 0.2), (0.6, 0.9)], [(0.95, 0.1), (0.3, 0.5)])
    found = claims.ordered_without_dominance(*crossing, undecided, ties, whose="a search")
    assert found.holds
    assert found.note.startswith("It holds by the rule of the authors' program")
    assert "in 1 of the 2 ways to keep one of them" in found.found
    assert not claims.ordered_without_dominance(*crossing, crossing[0], ties, whose="a search").note
    dominating = compared([(0.9, 0.4), (0.6, 0.9)], [(0.5, 0.1), (0.3, 0.5)])
    assert not claims.ordered_without_dominance(*dominating, dominating[0], ties, whose="a search").holds
    overlapping = compared([(0.9, 0.2), (0.6, 0.9)], [(0.9, 0.2), (0.6, 0.9)])
    found = claims.ordered_without_dominance(*overlapping, undecided, ties, whose="a search")
    assert not found.holds
    assert "premise" in found.note


def test_answers_follow_the_numbers():
    answer = claims.shifts_answer
    moved, fallen = _gap([(0.8, 0.3), (0.5, 0.7)]), _gap([(0.9, 0.8), (0.5, 0.6)])
    assert "Only domination" in answer({"the front moves": moved, "points are dominated": fallen}).headline
    assert answer({"the front moves": fallen, "points are dominated": fallen}).headline == (
        "2 of three shifts open an approximation gap"
    )
    first = claims.front_answer(moved, _others(a=moved), moved, system="random forest", budget=2, whose="a search")
    assert "No configuration is left out." in first.lines
    table = claims.table_answer(PRINTED, Searches(), Searches(), _curves())
    assert table.headline == "32 of the 32 numbers of Table 1 are reproduced to four digits"


def test_searches_are_the_authors_or_ours():
    assert len(claims.rows_of_search("authors", 40, 0, systems=["random forest"])) == 40
    assert claims.rows_of_search("ours", 40, 3)["seed"].unique().tolist() == [3]
    with pytest.raises(ValueError, match="`budget` is 40"):
        claims.rows_of_search("authors", 40, 0)
    with pytest.raises(ValueError, match="`repeat` is 10"):
        claims.rows_of_search("ours", 40, 10)
    with pytest.raises(ValueError, match="`search` is"):
        claims.rows_of_search("theirs", 40, 1)


def test_scores_of_configurations_in_both_tables_are_compared():
    keys = {"model": "linear model", "seed": 1, "configuration": [0, 1]}
    runs = pd.DataFrame({**keys, **dict.fromkeys(SCORES, 0.5)})
    bundled = runs.assign(val_recall=[0.5, 0.6])
    equal = claims.compare_scores(runs, bundled)["share of equal scores"]
    assert equal.to_dict() == {
        "precision, validation": 1, "recall, validation": 0.5, "precision, test": 1, "recall, test": 1
    }  # fmt: skip
    answer = claims.experiment_answer
    assert answer(_others(), runs, bundled, missing="").headline.startswith("At least 50")
    assert answer(_others(), runs, runs, missing="").headline.startswith("All scores of 2")
    assert "has none of them" in answer(_others(), runs, bundled.assign(seed=2), missing="").headline


def _searched(**gaps):
    """Searches on some data by one model: a gap, the hypervolume on validation and that of the optimistic front."""
    results = {}
    for name, rows in gaps.items():
        one = _gap([(0.9, 0.8), (0.5, 0.6)])
        made = {
            seed: GapOfSearch(
                **{**vars(one), "hv_validation": before, "hv_optimistic": after, "hv_pessimistic": after - gap}
            )
            for seed, (gap, before, after) in enumerate(rows)
        }
        results[name, "forest"] = GapOfRepeats(Grouped(made, "seed"), "repetitions")
    return results


SCORES = ["val_precision", "val_recall", "test_precision", "test_recall"]


def _gap_by_other_code(rows):
    """The gap of rows of scores; of equal ones on validation the first stays."""
    kept = list({tuple(row[:2]): tuple(row) for row in rows[::-1] if row[0] or row[1] if row[2] or row[3]}.values())
    front = [row for row in kept if not any(dominates(other[:2], row[:2]) for other in kept)]
    low, high = on_test([row[2:] for row in front])
    return high - low


def test_gaps_over_folds_are_those_of_other_code():
    folds = datasets.load_bundled("german_credit_folds")
    means = folds.groupby(["model", "configuration"])[SCORES].mean()
    options = {"where": datasets.nondegenerate, "keep": "first", "reference": {"precision": 0, "recall": 0}}
    single = folds.moo.by("model").gap(**options)
    of_means = means.reset_index().moo.define(repeat=None).moo.by("model").gap(**options)
    compared = claims.compare_folds(single, of_means)
    for model in claims.MODELS:
        each = [
            _gap_by_other_code(rows[SCORES].to_numpy().tolist())
            for _, rows in folds[folds["model"] == model].groupby("fold")
        ]
        row = compared.loc[model]
        assert row[["mean of folds", "smallest", "largest"]].tolist() == pytest.approx(
            [np.mean(each), min(each), max(each)]
        )
        assert row["gap of mean scores"] == pytest.approx(_gap_by_other_code(means.loc[model].to_numpy().tolist()))
    assert not claims.means_over_folds_have_a_smaller_gap(compared).holds
    lower = claims.means_over_folds_have_a_smaller_gap(compared.assign(**{"gap of mean scores": 0.0}))
    assert (lower.holds, lower.ours, lower.note) == (True, "smaller for 2 of 2 models", "")


def test_a_gap_is_seen_on_most_other_data_sets_or_not():
    some = _searched(iris=[(0.1, 0.9, 0.8), (0.0, 0.9, 0.8)], wine=[(0.2, 0.9, 0.8)])
    found = claims.gap_on_other_data(some)
    assert (found.holds, found.ours, found.found) == (True, "2 of 2 data sets", "iris: 1 of 2; wine: 1 of 1")
    half = _searched(iris=[(0.1, 0.9, 0.8), (0.0, 0.9, 0.8)], wine=[(0.0, 0.9, 0.8)])
    assert not claims.gap_on_other_data(half).holds
    table = claims.summarize_data_sets(some)
    assert table["searches with a gap"].tolist() == [1, 1]
    answer = claims.data_sets_answer(some, {"forest": some["wine", "forest"]})
    assert answer.headline.startswith("2 of 3 searches")
    assert any("largest on wine (0.200" in line for line in answer.lines)


def test_no_gap_is_no_promise():
    found = claims.zero_gap_still_falls_short(_searched(iris=[(0.0, 0.9, 0.8), (0.0, 0.9, 0.7), (0.3, 0.5, 0.9)]))
    assert (found.holds, found.ours) == (True, "2 of 2 searches")
    kept = _searched(iris=[(0.0, 0.8, 0.9), (0.0, 0.9, 0.7)])
    assert not claims.zero_gap_still_falls_short(kept).holds
    assert not claims.zero_gap_still_falls_short(_searched(iris=[(0.3, 0.5, 0.4)])).holds
