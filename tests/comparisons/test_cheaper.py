"""Who is as good and cheaper: tests against scipy's, a definition on points, and the rate of wrong claims."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.comparisons.arrays.betting import betting_pvalue
from tests import asked
from tests.said import said_by, sentence

OBJECTIVES = {"accuracy": "max", "cost": "min"}
ON_ITEMS = {"system": "model", "item": "question", "objectives": OBJECTIVES}
MODELS = pd.DataFrame(
    {"accuracy": [0.910, 0.905, 0.80, 0.95], "cost": [10.0, 1.6, 1.0, 20.0]}, index=["large", "small", "tiny", "huge"]
).moo.define(OBJECTIVES)


def scores(rng, accuracy, cost, n_items=200):
    rows = [
        (name, question, a + 0.1 * rng.standard_normal(), cost[name] * rng.lognormal(0, 0.2))
        for name, a in accuracy.items()
        for question in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["model", "question", "accuracy", "cost"])


def test_by_default_the_most_expensive_is_compared_by_the_only_objective_that_is_minimized():
    told = MODELS.moo.cheaper("huge", cost="cost", margin={"accuracy": 0.01})
    found = MODELS.moo.cheaper(margin={"accuracy": 0.01})
    assert (found.than, found.cost) == ("huge", "cost")
    pd.testing.assert_frame_equal(found.table, told.table)
    with pytest.raises(ValueError, match="`cost` is missing, and cost and ms are minimized"):
        MODELS.assign(ms=1.0).moo(accuracy="max", cost="min", ms="min").cheaper()
    with pytest.raises(ValueError, match="no objective is minimized"):
        MODELS.moo({"accuracy": "max"}).cheaper()


def test_points_are_compared_by_definition():
    found = MODELS.moo.cheaper("large", cost="cost", margin={"accuracy": 0.01})
    assert found.table.index.tolist() == ["tiny", "small"]
    assert found.table["equivalent"].tolist() == [False, True]
    assert found.best == "small"
    taken = sentence(found, "cheaper.headline.found_within")
    assert (taken["best"], taken["cost"], taken["saving"]["share"]) == ("small", "cost", pytest.approx(0.84))
    (compared,) = sentence(found, "cheaper.reasons.compared")["differences"]
    assert (compared["margin"], compared["difference"]["value"]) == (0.01, pytest.approx(-0.005))
    assert "guarantee.details.no_level" in said_by(found)


def test_nobody_may_be_as_good():
    found = MODELS.moo.cheaper("large", cost="cost")
    assert found.best is None
    assert sentence(found, "cheaper.headline.none") == {"than": "large"}
    assert sentence(found, "cheaper.reasons.candidates")["n"] == 2
    assert sentence(MODELS.moo.cheaper("tiny", cost="cost"), "cheaper.headline.cheapest") == {"than": "tiny"}


def test_pvalue_is_near_the_largest_of_paired_t_tests():
    """With many items the share of random weights is Student's p, but for the further item as bad as the worst."""
    frame = scores(np.random.default_rng(1), {"a": 0.8, "b": 0.795}, {"a": 2.0, "b": 1.0}, n_items=1000)
    found = asked.cheaper(frame, "a", cost="cost", margin={"accuracy": 0.01}, **ON_ITEMS)
    wide = frame.pivot(index="question", columns="model")
    cheaper = stats.ttest_rel(wide["cost", "b"], wide["cost", "a"], alternative="less").pvalue
    as_good = stats.ttest_rel(wide["accuracy", "b"] + 0.01, wide["accuracy", "a"], alternative="greater").pvalue
    assert max(cheaper, as_good) <= found.table.loc["b", "pvalue"] <= 1.5 * max(cheaper, as_good) + 0.01


def test_p_is_never_zero_for_what_was_sampled():
    frame = scores(np.random.default_rng(1), {"a": 0.1, "b": 0.9}, {"a": 2.0, "b": 1.0})
    found = asked.cheaper(frame, "a", cost="cost", **ON_ITEMS)
    assert 0 < found.table.loc["b", "pvalue"] < 0.001
    assert 0 < sentence(found, "cheaper.reasons.tested")["pvalue"] < 0.001
    answer = found.to_answer()
    assert len(answer.headline.split()) <= 14
    assert len(" ".join([*answer.lines, answer.certainty]).split()) <= 70


def test_candidates_are_adjusted_for_their_number():
    rng = np.random.default_rng(3)
    names = "abcdef"
    frame = scores(rng, dict.fromkeys(names, 0.8), {name: 2.0 - k / 10 for k, name in enumerate(names)}, n_items=60)
    found = asked.cheaper(frame, "a", cost="cost", margin={"accuracy": 0.04}, **ON_ITEMS)
    assert (found.table["holm"] >= found.table["pvalue"]).all()
    assert (found.table["equivalent"] == (found.table["holm"] <= 0.05)).all()
    smallest = found.table["pvalue"].min()
    assert found.table["holm"].min() == pytest.approx(min(1, 5 * smallest))


def test_standard_errors_give_a_z_test():
    models = MODELS.assign(se=0.004)
    found = asked.cheaper(models.moo(OBJECTIVES),
        "large", cost="cost", margin={"accuracy": 0.02}, standard_error={"accuracy": "se"}
    )  # fmt: skip
    expected = stats.norm.sf((0.02 - 0.005) / (0.004 * np.sqrt(2)))
    assert found.table.loc["small", "pvalue"] == pytest.approx(expected)


@pytest.mark.slow
def test_who_is_just_not_as_good_is_called_equivalent_rarely():
    """At the edge of the margin the test is at its level: .05, here in 300 simulations of 40 items."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(300):
        frame = scores(rng, {"a": 0.82, "b": 0.80}, {"a": 2.0, "b": 1.0}, n_items=40)
        found = asked.cheaper(frame, "a", cost="cost", margin={"accuracy": 0.02}, **ON_ITEMS)
        wrong += found.best == "b"
    assert stats.binom.cdf(wrong, 300, 0.05) > 1e-3
    assert stats.binom.sf(wrong - 1, 300, 0.05) > 1e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": "accuracy", "than": "large"}, "maximized"),
        ({"cost": "price", "than": "large"}, "`cost`"),
        ({"cost": "cost", "than": "larg"}, "large"),
        ({"cost": "cost", "than": "large", "margin": {"accuracy": -1}}, "at least 0"),
        ({"cost": "cost", "than": "large", "margin": {"cost": 1}}, "must be cheaper"),
        ({"cost": "cost", "than": "large", "margin": {"speed": 1}}, "`margin`"),
        (
            {"cost": "cost", "than": "large", "bounds": {"accuracy": (0, 1)}},
            "`bounds` gives a range for 'accuracy', which is for scores on items",
        ),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        asked.cheaper(MODELS, **options)


@pytest.mark.parametrize("n_items", [3, 4])
def test_a_few_items_below_the_margin_show_nothing(n_items):
    """All of 3 or 4 symmetric losses are below their mean with a probability of 1 in 8 or 16."""
    frame = pd.DataFrame(
        [
            (name, k, loss + 0.01 * k, price)
            for name, loss, price in (("a", 0, 2), ("b", 0.2, 1))
            for k in range(n_items)
        ],
        columns=["model", "question", "loss", "cost"],
    )
    found = asked.cheaper(
        frame, "a", cost="cost", margin={"loss": 1}, system="model", item="question", known="cost",
        objectives={"loss": "min", "cost": "min"},
    )  # fmt: skip
    assert found.best is None
    assert found.table.loc["b", "pvalue"] == 0.5**n_items
    assert "at least 5 are needed" in found.explain()


@pytest.mark.parametrize("nan_policy", ["raise", "pairwise", "bounds"])
def test_a_range_finds_equivalents_with_every_policy_on_missing_values(nan_policy):
    rng = np.random.default_rng(0)
    n = 400
    level = rng.uniform(0.4, 0.6, n)
    frame = pd.DataFrame({
        "model": np.repeat(["large", "small"], n), "question": [*range(n)] * 2, "cost": np.repeat([2.0, 1.0], n),
        "accuracy": np.concatenate([level, level + rng.uniform(-0.02, 0.02, n)]),
    })  # fmt: skip
    if nan_policy != "raise":
        frame.loc[[3, 500], "accuracy"] = np.nan
    found = asked.cheaper(
        frame, "large", cost="cost", **ON_ITEMS, known="cost", margin={"accuracy": 0.05}, nan_policy=nan_policy,
        bounds={"accuracy": (0, 1)},
    )  # fmt: skip
    assert found.best == "small"
    losses = frame["accuracy"][:n].to_numpy() - frame["accuracy"][n:].to_numpy()
    losses = losses[~np.isnan(losses)]
    if nan_policy != "bounds":
        assert found.table.loc["small", "pvalue"] == pytest.approx(betting_pvalue(losses, 0.05, -1, 1, 0.05))


def test_runs_that_are_all_alike_do_not_show_that_a_system_is_as_good():
    """Twenty right answers of each system: how much runs vary is not seen."""
    rows = [(name, run, 1.0, price) for name, price in (("small", 1.0), ("large", 2.0)) for run in range(20)]
    frame = pd.DataFrame(rows, columns=["system", "run", "accuracy", "price"])
    options = {"than": "large", "margin": {"accuracy": 0.05}, "system": "system", "repeat": "run", "known": ["price"]}
    objectives = {"accuracy": "max", "price": "min"}
    found = asked.cheaper(frame, cost="price", **options, objectives=objectives)
    assert found.best is None
    assert found.table.loc["small", "pvalue"] == 1
    frame.loc[[3, 27], "accuracy"] = 0.99
    assert asked.cheaper(frame, cost="price", **options, objectives=objectives).best == "small"
