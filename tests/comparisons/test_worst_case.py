"""Systems compared whatever their missing values are: with all values that matter, and against missing for a reason."""

import itertools

import numpy as np
import pandas as pd
import pytest

from copa_nb.comparisons.arrays.incomplete import from_items_at_worst
from copa_nb.comparisons.arrays.uncertainty import from_items
from copa_nb.comparisons.measurements import remaining_at_worst
from copa_nb.results.sentences import say
from tests import asked
from tests.said import sentence

KNOWN = np.zeros(1, dtype=bool)
ASKED = {"system": "system", "item": "item", "objectives": {"score": "max"}}


def long_table(values):
    system, item = np.indices(values.shape).reshape(2, -1)
    frame = pd.DataFrame({"system": system, "item": item, "score": values.ravel()})
    return frame.dropna()


def right_or_wrong(seed, skills, n_items=60):
    rng = np.random.default_rng(seed)
    return (rng.random((len(skills), n_items)) < np.array(skills)[:, None]).astype(float), rng


def without(values, rng, share):
    values = values.copy()
    values[rng.random(values.shape) < share] = np.nan
    return values


def test_each_pair_is_compared_at_its_worst():
    values, rng = right_or_wrong(0, [0.9, 0.5, 0.3])
    costs = 1 - without(values, rng, 0.1).T[:, :, None]
    ends = np.zeros(1), np.ones(1)
    found = from_items_at_worst(costs, KNOWN, *ends, n_resamples=500, rng=np.random.default_rng(0)).ends
    missing = np.isnan(costs[:, :, 0])
    for i, j in itertools.permutations(range(3), 2):
        worst = np.where(missing[:, j], 0.0, costs[:, j, 0]) - np.where(missing[:, i], 1.0, costs[:, i, 0])
        assert found.differences[0, i, 3 + j] == pytest.approx(worst.mean())
        assert found.squares[0, i, 3 + j] == pytest.approx((worst**2).sum())


def test_nothing_missing_is_the_usual_test():
    values, _ = right_or_wrong(1, [0.9, 0.7, 0.5, 0.3])
    costs = 1 - values.T[:, :, None]
    active = ~np.eye(4, dtype=bool)[None]
    worst = from_items_at_worst(costs, KNOWN, np.zeros(1), np.ones(1), n_resamples=999, rng=np.random.default_rng(0))
    usual = from_items(costs[:, None], KNOWN, n_resamples=999, rng=np.random.default_rng(0))
    assert (worst.tested(active, 0.05) == usual.tested(active, 0.05)).all()
    frame = long_table(values)
    same = [asked.board(frame, **ASKED, nan_policy=policy).table for policy in ("raise", "bounds")]
    assert same[0].equals(same[1])


def test_what_is_ahead_in_the_worst_case_is_ahead_however_the_gaps_are_filled():
    values, rng = right_or_wrong(2, [0.95, 0.6, 0.5, 0.2], n_items=120)
    gaps = without(values, rng, 0.06)
    worst = asked.board(long_table(gaps), **ASKED, nan_policy="bounds").table.sort_index()
    assert (worst["low"] > 1).any()
    for _ in range(20):
        filled = np.where(np.isnan(gaps), (rng.random(gaps.shape) < rng.random((4, 1))).astype(float), gaps)
        table = asked.board(long_table(filled), **ASKED).table.sort_index()
        assert (worst["low"] <= table["low"]).all()
        assert (worst["high"] >= table["high"]).all()


def test_lacking_failures_does_not_help():
    """Of two equal systems one reports only what it does well: pairs are misled, the worst case is not."""
    values, _ = right_or_wrong(3, [0.7, 0.7], n_items=200)
    values[1, np.flatnonzero(values[1] == 0)[:40]] = np.nan
    pairs, worst = (asked.board(long_table(values), **ASKED, nan_policy=p) for p in ("pairwise", "bounds"))
    assert pairs.may_be_first == [1]
    assert set(worst.may_be_first) == {0, 1}
    remaining = remaining_at_worst("pairs", remaining=0, total=1, behind=0, not_first=1)
    assert say(remaining) in pairs.guarantee.remarks
    assert "hold whatever these are" in worst.explain()
    assert "score between 0 and 1" in worst.explain()


def test_narrow_bounds_decide_more():
    rng = np.random.default_rng(4)
    values = without(rng.normal([[0.6], [0.5], [0.4]], 0.03, (3, 40)), rng, 0.2)
    frame = long_table(values)
    wide = asked.board(frame, **ASKED, nan_policy="bounds", bounds={"score": (0, 1)})
    narrow = asked.board(frame, **ASKED, nan_policy="bounds", bounds={"score": (0.45, 0.55)})
    assert wide.n_ordered < narrow.n_ordered == 3
    half_open = asked.board(frame, **ASKED, nan_policy="bounds", bounds={"score": (0, None)})
    assert f"score between 0 and {np.nanmax(values):.4g}" in half_open.explain()


def test_runs_that_were_stopped_may_have_taken_longer_than_all_others():
    rng = np.random.default_rng(7)
    seconds = rng.gamma(20, [[1.0], [1.3], [2.4]], (3, 80))
    gaps = np.where(seconds > 60, np.nan, seconds)  # none of the first two, and some of the last
    assert 0 < np.isnan(gaps).sum() < 40
    words = {"system": "system", "item": "item", "objectives": {"score": "min"}}
    stopped = {"nan_policy": "bounds", "bounds": {"score": (60, 90)}}
    worst = asked.board(long_table(gaps), **words, **stopped).table.sort_index()
    assert worst["low"].tolist() == [1, 2, 3]
    for filling in (60.0, 90.0, seconds, rng.uniform(60, 90, gaps.shape)):
        table = asked.board(long_table(np.where(np.isnan(gaps), filling, gaps)), **words).table.sort_index()
        assert (worst["low"] <= table["low"]).all()
        assert (worst["high"] >= table["high"]).all()
    with pytest.raises(
        ValueError, match=r"`bounds` gives \(60, None\) for 'score', beyond all values observed, with an open"
    ):
        asked.board(long_table(gaps), **words, nan_policy="bounds", bounds={"score": (60, None)})


def test_clusters_and_prices():
    values, rng = right_or_wrong(5, [0.95, 0.4], n_items=80)
    frame = long_table(without(values, rng, 0.05))
    frame = frame.assign(passage=frame["item"] // 5, price=np.where(frame["system"] == 0, 2.0, 1.0))
    found = asked.board(
        frame, system="system", item="item", cluster="passage", known="price", nan_policy="bounds",
        objectives={"score": "max", "price": "min"},
    )  # fmt: skip
    assert found.table["price"].sort_index().tolist() == [2.0, 1.0]
    assert found.measured == "80 items in 16 passages"
    assert len(found.may_be_first) == 2  # the better one is dearer


def with_costs(values, costs):
    frame = long_table(values)
    return frame.assign(cost=np.array(costs)[frame["system"]])


TWO = {**ASKED, "known": "cost", "objectives": {"score": "max", "cost": "min"}}


@pytest.mark.parametrize("cluster", [None, "passage"])
def test_verdicts_in_the_worst_case_hold_however_the_gaps_are_filled(cluster):
    values, rng = right_or_wrong(7, [0.95, 0.6, 0.5, 0.1], n_items=150)
    gaps = without(values, rng, 0.06)
    options = {**TWO, "cluster": cluster}

    def front_of(filled, **policy):
        frame = with_costs(filled, [3.0, 2.0, 2.0, 2.5])
        return asked.confident_front(frame.assign(passage=frame["item"] // 3), **options, **policy)

    worst = front_of(gaps, nan_policy="bounds").table["verdict"].sort_index()
    assert worst[0] == "on the front"
    assert worst[3] == "dominated"
    decided = worst[worst != "undecided"]
    for _ in range(10):
        filled = np.where(np.isnan(gaps), (rng.random(gaps.shape) < rng.random((4, 1))).astype(float), gaps)
        verdicts = front_of(filled).table["verdict"]
        assert (verdicts[decided.index] == decided).all()


def test_a_front_in_pairs_says_which_verdicts_survive():
    values, rng = right_or_wrong(8, [0.95, 0.62, 0.1], n_items=150)
    frame = with_costs(without(values, rng, 0.12), [3.0, 2.0, 2.5])
    pairs, worst = (asked.confident_front(frame, **TWO, nan_policy=p) for p in ("pairwise", "bounds"))
    table = pairs.table.sort_index()
    same = table["verdict"] == worst.table["verdict"].sort_index()
    decided = table["verdict"] != "undecided"
    assert table["survives"][decided].tolist() == same[decided].tolist()
    assert table["survives"][~decided].isna().all()
    left, total = int(same[decided].sum()), int(decided.sum())
    assert total == 3
    assert say(remaining_at_worst("verdicts", remaining=left, total=total)) in pairs.guarantee.remarks
    assert "survives" not in worst.table
    assert "survives" not in asked.confident_front(with_costs(values, [3.0, 2.0, 2.5]), **TWO).table


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_an_equivalent_in_the_worst_case_is_one_however_the_gaps_are_filled(cluster):
    values, rng = right_or_wrong(9, [0.9, 0.9, 0.9], n_items=400)
    gaps = values.copy()
    gaps[1, rng.random(400) < 0.02] = np.nan
    gaps[2, rng.random(400) < 0.4] = np.nan
    options = {**TWO, "than": 0, "margin": {"score": 0.12}, "cluster": cluster}

    def equivalents(filled, **policy):
        frame = with_costs(filled, [3.0, 2.0, 1.0])
        return asked.cheaper(frame.assign(passage=frame["item"] // 4), cost="cost", **options, **policy)

    worst, pairs = (equivalents(gaps, nan_policy=policy).table for policy in ("bounds", "pairwise"))
    assert worst["equivalent"].to_dict() == {2: False, 1: True}
    assert pairs["equivalent"].all()
    assert pairs["holm_at_worst"].to_numpy() == pytest.approx(worst["holm"].to_numpy())
    remaining = sentence(equivalents(gaps, nan_policy="pairwise"), "missing_values.details.remaining")["what"]
    assert (remaining["remaining"], remaining["total"], remaining["named"]) == (1, 2, ["1"])
    for _ in range(5):
        filled = np.where(np.isnan(gaps), (rng.random(gaps.shape) < rng.random((3, 1))).astype(float), gaps)
        assert equivalents(filled).table.loc[1, "equivalent"]


def test_groups_share_alpha_in_the_worst_case_too():
    values, rng = right_or_wrong(10, [0.9, 0.9], n_items=200)
    frame = with_costs(without(values, rng, 0.02), [2.0, 1.0])
    options = {**TWO, "than": 0, "margin": {"score": 0.2}, "nan_policy": "pairwise"}
    alone = asked.cheaper(frame, cost="cost", **options).table
    both = pd.concat([frame.assign(kind=kind) for kind in "ab"])
    grouped = asked.cheaper(both, cost="cost", by="kind", **options)["a"].table
    assert grouped["holm_at_worst"].tolist() == pytest.approx((2 * alone["holm_at_worst"]).tolist())


def test_bounds_beside_all_values_are_refused():
    values, rng = right_or_wrong(6, [0.9, 0.5])
    with pytest.raises(ValueError, match="give the bounds in the unit of the column"):
        asked.board(long_table(without(values, rng, 0.1)), **ASKED, nan_policy="bounds", bounds={"score": (2, 3)})
