"""The cheapest that is not worse, per kind of task: one error rate over all groups, and JSON for a router."""

import json

import numpy as np
import pandas as pd
import pytest

from tests import asked
from tests.said import said_by, sentence

OBJECTIVES = {"accuracy": "max", "cost": "min"}
MARGIN = {"accuracy": 0.1}
ITEMS = {"system": "model", "item": "question", "objectives": OBJECTIVES, "margin": MARGIN}


def _scores(n_groups=3, n_items=120, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"kind {g}", name, f"{g}/{question}", skill + 0.1 * rng.normal(), cost * rng.lognormal(0, 0.2))
        for g in range(n_groups)
        for name, skill, cost in [("large", 0.8, 5.0), ("small", 0.8 - 0.3 * (g == 0), 1.0), ("tiny", 0.3, 0.1)]
        for question in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["kind", "model", "question", *OBJECTIVES])


def test_each_group_is_answered_alone_but_for_the_adjustment():
    frame = _scores()
    found = asked.cheaper(frame, "large", cost="cost", by="kind", **ITEMS)
    assert list(found) == ["kind 0", "kind 1", "kind 2"]
    assert [one.best for one in found.values()] == [None, "small", "small"]
    for kind, one in found.items():
        alone = asked.cheaper(frame[frame["kind"] == kind], "large", cost="cost", **ITEMS)
        assert one.table["pvalue"].tolist() == alone.table["pvalue"].tolist()
        assert one.table["holm"].tolist() == np.minimum(3 * alone.table["holm"], 1).tolist()
        assert (one.table["equivalent"] == (one.table["holm"] <= 0.05)).all()
        assert sentence(one, "cheaper.details.groups") == {"groups": 3}
        assert "cheaper.details.groups" not in said_by(alone)


def test_single_values_have_no_noise_to_adjust_for():
    means = _scores().groupby(["kind", "model"])[[*OBJECTIVES]].mean().reset_index("kind")
    found = asked.cheaper(means, "large", cost="cost", by="kind", objectives=OBJECTIVES, margin=MARGIN)
    assert [one.best for one in found.values()] == [None, "small", "small"]
    assert found["kind 1"].table["holm"].isna().all()


def test_routes_are_json_with_a_default():
    found = asked.cheaper(_scores(), "large", cost="cost", by="kind", **ITEMS)
    document = json.loads(json.dumps(found.routes(), allow_nan=False))
    assert document["default"] == "large"
    assert document["by"] == ["kind"]
    assert (document["margin"], document["alpha"], document["cost"]) == (MARGIN, 0.05, "cost")
    assert {kind: one["system"] for kind, one in document["routes"].items()} == {
        "kind 0": "large", "kind 1": "small", "kind 2": "small",
    }  # fmt: skip
    assert document["routes"]["kind 0"] == {"system": "large", "saving": 0.0, "pvalue": None}
    row = found["kind 1"].table.loc["small"]
    assert document["routes"]["kind 1"]["saving"] == pytest.approx(row["saving"])
    assert document["routes"]["kind 1"]["pvalue"] == pytest.approx(row["holm"])


def test_one_answer_is_one_route():
    one = asked.cheaper(_scores(1), "large", cost="cost", **ITEMS)
    assert list(one.routes()["routes"]) == [""]


def test_all_groups_compare_with_what_is_the_most_expensive_in_all_of_them():
    frame = _scores()
    # In one kind of task, another system is dearer.
    frame.loc[(frame["kind"] == "kind 0") & (frame["model"] == "small"), "cost"] *= 7
    alone = asked.cheaper(frame[frame["kind"] == "kind 0"], **ITEMS)
    found = asked.cheaper(frame, by="kind", **ITEMS)
    assert {one.than for one in found.values()} == {asked.cheaper(frame, **ITEMS).than} == {"large"}
    assert alone.than == "small"


def test_a_group_without_the_system_compared_with_is_named():
    frame = _scores().query("kind != 'kind 1' or model != 'large'")
    with pytest.raises(ValueError, match=r"in group 'kind 1' of `by`='kind': `than` is 'large'"):
        asked.cheaper(frame, "large", cost="cost", by="kind", **ITEMS)
