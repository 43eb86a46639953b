"""What analyses return besides their answer, for the cells of notebooks."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.analyses import select
from copa_nb.analyses.board import BoardAnalysis
from copa_nb.analyses.cheaper import CheaperAnalysis
from copa_nb.analyses.front import Front
from copa_nb.analyses.gap import GapAnalysis
from copa_nb.analyses.gsd import Gsd
from copa_nb.analyses.posets import Posets
from copa_nb.analyses.select import Select
from copa_nb.analyses.significance import Significance
from tests import asked

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.7, 0.6], "ms": [9.0, 5.0, 4.0, None]}, index=pd.Index(list("abcd"), name="model")
)
RUNS = pd.DataFrame(
    {
        "tool": ["new"] * 4 + ["old"] * 4, "run": [1, 2, 3, 4] * 2,
        "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    }
)  # fmt: skip


def _select(**given):
    return Select(
        table=MODELS, maximize=["accuracy"], minimize=["ms"], nan_policy="omit", n_resamples=20, **given
    ).run()


def test_rows_that_are_left_out_are_not_among_the_models():
    found = _select()
    assert found.rows.index.tolist() == ["a", "b", "c"]
    assert found.models.front().index.tolist() == ["a", "b", "c"]


def test_the_swept_objective_is_that_of_the_largest_weight():
    assert _select(weights={"ms": 0.7}).swept == "ms"
    assert _select(weights={"ms": 0.7}, sweep="accuracy").swept == "accuracy"
    assert _select(weights={"ms": 0.7}).criterion == "p = ∞, weights accuracy 0.3, ms 0.7"


def test_criteria_without_min_max_where_a_column_is_constant():
    table = pd.DataFrame({"accuracy": [0.5, 0.6], "ms": [1.0, 1.0]}, index=["a", "b"])
    found = Select(table=table, maximize=["accuracy"], minimize=["ms"], n_resamples=20, where="ms < 2").run()
    comparison, notes = found.compare(["minmax", 1])
    assert list(comparison.ranks) == [1]
    assert [note.split()[0] for note in notes] == ["Min-max"]


@pytest.mark.parametrize("large", [False, True])
def test_criteria_have_the_limit_of_the_choice(monkeypatch, large):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"accuracy": rng.random(60), "ms": rng.random(60)}, index=[f"m{row}" for row in range(60)])
    if large:
        monkeypatch.setattr(select, "_LARGE", 50)
    asked = Select(table=table, maximize=["accuracy"], minimize=["ms"], n_resamples=20, where="ms < 0.3 and ms > 0.1")
    found = asked.run()
    comparison, _ = found.comparison
    assert comparison.winners()["p = ∞"] == found.choice.best
    assert set(comparison.ranks.index) <= set(found.choice.table.index)
    for p in (1, 2):
        own = table.moo(accuracy="max", ms="min").copa(p=p, where=asked.where)
        assert comparison.winners()[f"p = {p}"] == own.best


@pytest.mark.parametrize(
    "divided", [{}, {"system": "model"}, {"repeat": "seed"}, {"system": "model", "repeat": "seed"}]
)
def test_single_gaps_are_those_of_the_verb(divided):
    columns = {"model": list("aabb"), "seed": [1, 2, 1, 2]}
    scores = {"val_x": [1.0, 2, 3, 4], "val_y": [4.0, 3, 2, 1], "test_x": [1.0, 2, 2, 4], "test_y": [4.0, 3, 1, 1]}
    frame = pd.DataFrame(columns | scores)
    found = GapAnalysis(table=frame, maximize=["x", "y"], reference={"x": 0, "y": 0}, **divided).run()
    names = list(divided.values())
    by = names if len(names) > 1 else names[0] if names else None
    expected = asked.gap(frame, objectives={"x": "max", "y": "max"}, by=by, reference={"x": 0, "y": 0})
    expected = dict(expected.items()) if names else {"all rows": expected}
    assert {name: gap.gap for name, gap in found.single.items()} == pytest.approx(
        {name: gap.gap for name, gap in expected.items()}
    )
    assert len(found.hypervolumes) == len(found.sizes) == len(expected)


def test_numbers_of_gaps_in_words():
    frame = pd.DataFrame({"seed": [1, 2], "val_x": [1.0, 2], "val_y": [2.0, 1], "test_x": [1.0, 2], "test_y": [2.0, 1]})
    found = GapAnalysis(table=frame, maximize=["x", "y"], repeat="seed", budgets=[1]).run()
    assert found.first_name == "seed 1"
    assert found.budgets == [1]
    assert "relative_gap" not in found.hypervolumes, "no reference point was stated"


def test_the_reference_point_may_be_a_multiple_of_the_worst_values():
    found = Significance(
        table=RUNS, system=["tool"], repeat=["run"], maximize=["accuracy"], minimize=["cost"], worst_multiple=True,
        reference_margin=0.25,
    ).run()  # fmt: skip
    assert found.audit.references[None] == pytest.approx(
        {"accuracy": 0.75 * RUNS["accuracy"].min(), "cost": 1.25 * RUNS["cost"].max()}
    )
    frame = pd.DataFrame({"val_x": [1.0, 2], "val_y": [2.0, 1], "test_x": [0.5, 2], "test_y": [2.0, 1]})
    one = GapAnalysis(table=frame, maximize=["x", "y"], worst_multiple=True).run()
    assert one.first.reference == pytest.approx({"x": 0.45, "y": 0.9})


@pytest.mark.parametrize("analysis", [GapAnalysis, Significance])
def test_a_reference_point_and_a_rule_that_finds_one_exclude_each_other(analysis):
    needed = {"system": ["tool"]} if analysis is Significance else {}
    with pytest.raises(ValueError, match=r"`worst_multiple` is given with `reference`"):
        analysis(table=RUNS, maximize=["accuracy"], reference={"accuracy": 0}, worst_multiple=True, **needed).run()


def test_the_least_certain_claim_and_its_summary():
    found = Significance(table=RUNS, system=["tool"], repeat=["run"], maximize=["accuracy"], minimize=["cost"]).run()
    assert found.least_certain.new == ("new",)
    assert found.claims["new"].tolist() == ["new"]
    assert set(found.claim_titles) == set(found.claims)
    assert "difference" in found.claims, "a gain is a share only of a stated reference point"
    assert found.summary.loc["p of fronts", "value"] == "0.02857", "the smallest p of 70 permutations: 2 / 70"
    assert len(found.effects) >= 3


def test_few_systems_are_drawn_in_many_small_diagrams():
    frame = pd.DataFrame({"tool": list("ab") * 3, "task": [1, 1, 2, 2, 3, 3], "x": [1, 2, 2, 1, 1, 2.0]})
    found = Posets(table=frame, system="tool", item="task", maximize=["x"]).run()
    assert found.diagrams == {"most": 12, "size": (1.7, 1.9)}
    assert not Posets(table=frame, system="tool", item="task", maximize=["x"], review=False).run().reviews
    assert found.reviews


def test_a_test_that_rejects_nothing_withstands_nothing():
    frame = pd.DataFrame({"tool": list("ab") * 3, "task": [1, 1, 2, 2, 3, 3], "x": [1, 2, 2, 1, 1, 2.0]})
    found = Gsd(table=frame, system="tool", item="task", maximize=["x"], n_resamples=20).run()
    assert list(found.numbered) == [""]
    assert found.withstood(found.tests[0])["contaminated"].isna().all()
    assert found.items == "tasks"


def test_long_names_are_numbered():
    long = RUNS.assign(tool=RUNS["tool"] + " " * 3 + "x" * 30)
    options = {"repeat": "run", "maximize": ["accuracy"], "minimize": ["cost"], "log": ["cost"]}
    assert Front(table=RUNS, system="tool", **options).run().key is False
    found = Front(table=long, system="tool", **options).run()
    assert found.key == list(found.tiers.table.index)
    assert found.logged == ["cost"]
    assert len(found.tiers.table) == 2


def test_a_choice_among_unknown_values_is_that_of_the_verb():
    found = Select(
        table=MODELS, maximize=["accuracy"], minimize=["ms"], nan_policy="bounds", bounds={"ms": "0:10"}, p="2"
    ).run()
    models = MODELS.moo(accuracy="max", ms="min", nan_policy="bounds", bounds={"ms": (0, 10)})
    expected = models.copa(p=2)
    assert found.choice.table.equals(expected.table)
    values = found.answer.values
    assert (values["certain"], values["possible"]) == (expected.certain, expected.possible)
    front = models.front()
    assert values["front_certain"] == front.index[front["certain"]].tolist()
    assert values["front_possible"] == front.index.tolist()
    assert "3 of 4 rows are on the Pareto front whatever the missing value is; 4 may be." in found.answer.lines
    assert found.under_other_norms([2]).loc["2", "possible"] == len(expected.possible)


def test_a_front_of_unknown_values_is_that_of_the_verb():
    table = MODELS.reset_index()
    asked = {"table": table, "system": "model", "maximize": ["accuracy"], "minimize": ["ms"], "nan_policy": "bounds"}
    open_ended, narrow = Front(**asked).run(), Front(**asked, bounds={"ms": [6, None]}).run()
    assert open_ended.answer.values["certain"] == ["a", "b", "c"]
    assert open_ended.answer.values["possible"] == ["a", "b", "c", "d"]
    assert narrow.answer.values["possible"] == ["a", "b", "c"]
    assert narrow.answer.headline == "a, b and c are on the front whatever the 1 missing value is; up to 3 of 4 may be"
    with pytest.raises(ValueError, match="several rows"):
        Front(**(asked | {"table": pd.concat([table, table])})).run()
    with pytest.raises(ValueError, match="`known` is given"):
        Front(**asked, known=["ms"]).run()


@pytest.mark.parametrize(
    ("kind", "given"), [(Front, {}), (CheaperAnalysis, {"than": "m0", "margin": {"score": 0.5}}), (BoardAnalysis, {})]
)
def test_missing_scores_are_compared_as_the_verbs_do(kind, given):
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.random((40, 3)) + np.array([0, 0.2, 0.8]), columns=["m0", "m1", "m2"]).rename_axis("item")
    frame = scores.melt(ignore_index=False, var_name="model", value_name="score").reset_index()
    frame["price"] = frame["model"].map({"m0": 3.0, "m1": 1.0, "m2": 2.0})
    frame = frame[rng.random(120) > 0.05]
    asked = {"table": frame, "system": "model", "item": "item", "maximize": ["score"], "minimize": ["price"],
             "known": ["price"], **given}  # fmt: skip
    answers = {
        bounds: kind(**asked, nan_policy="bounds", bounds={"score": bounds}).run().answer.to_dict()
        for bounds in ("0:2", "0.9:1")
    }
    assert answers["0:2"] != answers["0.9:1"]
    text = " ".join([*answers["0:2"]["lines"], answers["0:2"]["certainty"]])
    assert "score between 0 and 2" in text
    if kind is CheaperAnalysis:  # a range of scores by itself
        ranged, free = (kind(**asked, nan_policy="pairwise", bounds=one).run().answer for one in ({"score": "0:2"}, {}))
        assert ranged.values["routes"][""]["pvalue"] != free.values["routes"][""]["pvalue"]
        return
    paired, free = (kind(**asked, nan_policy="pairwise", bounds=one).run().answer for one in ({"score": "0:2"}, {}))
    assert paired.to_dict() == free.to_dict()  # what a missing score may be matters where all it may be is considered


@pytest.mark.parametrize("wrong", ["1", "0:1:2", "a:b", [1], 3])
def test_ends_that_are_no_pair_are_refused(wrong):
    with pytest.raises(ValueError, match="`bounds` of 'ms' is"):
        Select(table=MODELS, minimize=["ms"], nan_policy="bounds", bounds={"ms": wrong}).run()


@pytest.mark.parametrize(("repeats", "said"), [(4, ("4", "0")), (20, ("100%", "0%"))])
def test_few_repetitions_are_counted_and_many_in_percent(repeats, said):
    columns = {"model": list("aabb") * repeats, "seed": sorted([*range(repeats)] * 4)}
    scores = {"val_x": [3.0, 1, 2, 1], "val_y": [3.0, 1, 2, 1], "test_x": [3.0, 1, 2, 1], "test_y": [3.0, 1, 2, 1]}
    frame = pd.DataFrame(columns | {name: values * repeats for name, values in scores.items()})
    asked = GapAnalysis(table=frame, maximize=["x", "y"], system="model", repeat="seed", reference={"x": 0, "y": 0})
    verdicts = asked.run().verdicts
    of_a, of_b, _ = verdicts.loc[("a / b", "hypervolume")]
    assert (of_a, of_b) == said
