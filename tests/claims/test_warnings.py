"""A claim whose test carries a warning that its table calls for is undecided, unless the file accepts the warning."""

import json

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.claims.verdicts import FAILS, HOLDS, UNDECIDED
from tests import asked


def log(seed=0, n=60, costs=((1.0, 0.5), (2.0, 0.5))):
    """Two systems that are right about as often, with costs that vary evenly by a share of their mean."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{i}", question, float(rng.random() < 0.7), mean * (1 + spread * rng.uniform(-1, 1)))
        for i, (mean, spread) in enumerate(costs)
        for question in range(n)
    ]
    return pd.DataFrame(rows, columns=["system", "question", "accuracy", "cost"])


def log_of_few_differences(**options):
    """Both systems cost the same on two thirds of the questions: what they differ by is seen on few."""
    frame = log(costs=((1.0, 0.1), (9.0, 0.1)), **options)
    frame.loc[frame["question"] % 3 > 0, "cost"] = 2.0
    return frame


def check(*claims, frame=None, **settings):
    settings = {
        "objectives": {"accuracy": "max", "cost": "min"}, "system": "system", "item": "question", **settings
    }  # fmt: skip
    return copa_nb.check({"claims": list(claims), **settings}, log() if frame is None else frame)


CHEAPER = {"id": "cheaper", "better": ["s0", "s1"], "in": ["cost"]}


def test_a_warning_keeps_a_claim_undecided():
    found = check(CHEAPER, frame=log_of_few_differences())
    row = found.table.loc["cheaper"]
    assert (row["verdict"], row["warnings"]) == (UNDECIDED, "rare_failures")
    assert row["found"].endswith("without a warning it would hold")
    assert row["settle"].endswith("write `accept: [rare_failures]` in the file of claims")
    assert "have no known limit" in row["settle"]
    assert json.loads(found.to_json())["claims"][0]["warnings"] == "rare_failures"


def test_steady_costs_may_hide_failures_too():
    """A gate does not see what the table does not show: a cost without a limit needs 299 items, or consent."""
    steady = log(costs=((1.0, 0.1), (9.0, 0.1)))
    row = check(CHEAPER, frame=steady).table.loc["cheaper"]
    assert (row["verdict"], row["warnings"]) == (UNDECIDED, "rare_failures")
    assert "is absent from 60 with a probability of 55%" in row["settle"]
    assert check(CHEAPER, frame=steady, accept=["rare_failures"]).table.loc["cheaper", "verdict"] == HOLDS
    many = log(costs=((1.0, 0.1), (9.0, 0.1)), n=299)
    assert check(CHEAPER, frame=many).table.loc["cheaper", "verdict"] == HOLDS


def test_an_accepted_warning_is_repeated():
    found = check(CHEAPER, frame=log_of_few_differences(), accept=["rare_failures"])
    assert found.table.loc["cheaper", "verdict"] == HOLDS
    assert [one.name for one in found.guarantee.warnings] == ["rare_failures"]
    assert "have no known limit" in found.explain()


def test_warnings_about_other_objectives_do_not_count():
    frame = log_of_few_differences(n=201)
    frame["accuracy"] = np.where(frame["system"] == "s0", frame["question"] % 10 > 0, frame["question"] % 2).astype(
        float
    )
    claim = {"id": "a", "better": ["s0", "s1"]}
    assert check({**claim, "in": ["accuracy"]}, frame=frame).table.loc["a", "verdict"] == HOLDS
    assert check(claim, frame=frame).table.loc["a", "verdict"] == UNDECIDED


@pytest.mark.parametrize("claim", [
    {"rank": "s0", "weights": {"cost": 1.0}}, {"rank": "s1", "at_most": 1, "weights": {"cost": 1.0}},
    {"rank": "s1", "tier": 1, "weights": {"cost": 1.0}}, {"not_worse": ["s0", "s1"], "margin": {"cost": 3.0}},
    {"better": ["s1", "s0"], "in": "dominance"}, {"on_front": "s0"},
])  # fmt: skip
def test_every_kind_looks_at_its_warnings(claim):
    frame = log_of_few_differences()
    accepted = check({"id": "a", **claim}, frame=frame, accept=["rare_failures"]).table.loc["a", "verdict"]
    assert accepted in (HOLDS, FAILS)
    assert check({"id": "a", **claim}, frame=frame).table.loc["a", "verdict"] == UNDECIDED


def test_what_is_accepted_is_a_warning():
    with pytest.raises(ValueError, match=r"`accept` names 'skewd', which is no warning; .*Did you mean 'skewed'"):
        check(CHEAPER, accept=["skewd"])
    with pytest.raises(ValueError, match=r"`accept` is \{'skewed': True\}; it must be a list of warnings"):
        check(CHEAPER, accept={"skewed": True})


def test_equal_samples_of_costs_do_not_show_that_a_system_costs_no_less():
    """All costs are 0 in the sample; only declared prices are known to be equal."""
    frame = log(costs=((1.0, 0.1), (1.0, 0.1)))
    frame["cost"] = 0.0
    claim = {"id": "a", "not_worse": ["s0", "s1"], "margin": {"accuracy": 0.5}, "cheaper": "cost"}
    assert check(claim, frame=frame).table.loc["a", "verdict"] == UNDECIDED
    assert check(claim, frame=frame, known="cost").table.loc["a", "verdict"] == FAILS


def searches(rng, n_systems=20, n_repeats=6):
    """Searches of systems that are alike: validation scores are test scores plus noise."""
    rows = [
        (f"s{system}", repeat, *(test + 0.1 * rng.normal(size=2)), *test)
        for system in range(n_systems) for repeat in range(n_repeats) for test in rng.uniform(size=(15, 2))
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "seed", "val_a", "val_b", "test_a", "test_b"])


def test_a_gap_allows_for_the_system_having_been_picked_as_the_smallest():
    frame = searches(np.random.default_rng(0))
    settings = {"objectives": {"a": "max", "b": "max"}, "system": "system", "repeat": "seed", "item": None}
    gaps = {name: asked.gap(rows, objectives=settings["objectives"], repeat="seed").table["gap"].mean()
            for name, rows in frame.groupby("system")}  # fmt: skip
    smallest = min(gaps, key=gaps.get)
    found = asked.gap(frame[frame["system"] == smallest], objectives=settings["objectives"], repeat="seed")
    between = np.mean([found.interval("gap", confidence_level=level)[1] for level in (0.95, 0.9975)])
    claim = {"id": "a", "gap": float(between), "of": smallest}
    assert check(claim, frame=frame, **settings).table.loc["a", "verdict"] == UNDECIDED
    assert check({**claim, "planned": True}, frame=frame, **settings).table.loc["a", "verdict"] == HOLDS


def test_a_margin_is_undecided_where_a_rare_loss_may_not_have_been_seen():
    rng = np.random.default_rng(0)
    large = np.clip(0.7 + 0.1 * rng.normal(size=50), 0, 1)
    frame = pd.DataFrame(
        {
            "system": ["large"] * 50 + ["small"] * 50,
            "item": [*range(50)] * 2,
            "accuracy": np.concatenate([large, np.clip(large + 0.02 * rng.normal(size=50), 0, 1)]),
        }
    )
    claim = {"id": "a", "not_worse": ["small", "large"], "margin": {"accuracy": 0.018}}
    settings = {"item": "item", "objectives": {"accuracy": "max"}}
    row = check(claim, frame=frame, **settings).table.loc["a"]
    assert (row["verdict"], row["warnings"]) == (UNDECIDED, "rare_losses")
    wide = check({**claim, "margin": {"accuracy": 0.1}}, frame=frame, **settings).table.loc["a"]
    assert wide["verdict"] == HOLDS


@pytest.mark.slow
def test_a_missing_value_may_be_what_the_file_says():
    """What "better" rests on if missing answers may be anything, or are known to be near the others."""
    frame = log(costs=((1.0, 0.1), (1.2, 0.1)))
    frame.loc[[3, 7, 65], "cost"] = np.nan
    options = {"frame": frame, "nan_policy": "bounds", "accept": ["rare_failures", "skewed"]}
    assert check(CHEAPER, **options, bounds={"cost": [0, 2]}).table.loc["cheaper", "verdict"] == HOLDS
    wide = check(CHEAPER, **options, bounds={"cost": "0:50"})
    assert wide.table.loc["cheaper", "verdict"] == UNDECIDED
    with pytest.raises(ValueError, match="`bounds` of 'cost' is 3"):
        check(CHEAPER, **options, bounds={"cost": 3})
