"""What must not change an answer with confidence: order of rows, names, units, levels of items.

Every law holds for ``confident_front``, ``board`` and ``cheaper``, on items and on runs where it applies to
both, and for ``mean_ranks().board()``.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import asked

OBJECTIVES = {"right": "max", "cost": "min"}
SYSTEMS = [f"m{number}" for number in range(5)]
MARGIN = 0.25
ON = {"items": {"item": "question"}, "runs": {"repeat": "question"}}
seeds = st.integers(0, 2**32 - 1)
readings = pytest.mark.parametrize("reading", ON)
few = settings(max_examples=6)


def table_of(seed, n=16, *, binary=False):
    """Scores of five systems, some of them better than others; costs that the reference exceeds."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 0.8, size=(len(SYSTEMS), 2))
    means[0, 1] += 2  # the reference of `cheaper` is dear
    values = means[:, None] + rng.standard_normal((1, n, 2)) + 0.7 * rng.standard_normal((len(SYSTEMS), n, 2))
    frame = pd.DataFrame(values.reshape(-1, 2), columns=list(OBJECTIVES))
    if binary:
        frame["right"] = (frame["right"] > 0).astype(float)
    frame["model"], frame["question"] = np.repeat(SYSTEMS, n), np.tile(np.arange(n), len(SYSTEMS))
    return frame


def answers(frame, on, *, objectives=OBJECTIVES, system="model", than="m0", margin=MARGIN):
    """What the three verbs return, per system: verdict, share, interval of the rank, tier, p-value, equivalence."""
    first, cost = objectives
    options = {"system": system, "objectives": objectives, **on}
    front = asked.confident_front(frame, **options, n_resamples=150).table
    ranks = asked.board(frame, **options, n_resamples=150).table
    cheaper = asked.cheaper(frame, than, cost=cost, margin={first: margin}, **options).table
    return pd.concat(
        [
            front[["share", "on_front", "verdict", "dominated_by"]],
            ranks[["rank", "score", "low", "high", "tier"]],
            cheaper[["equivalent", "pvalue"]],
        ],
        axis=1,
    ).sort_index()


def assert_same(found, expected, **tolerances):
    """Equal, and floats up to rounding."""
    pd.testing.assert_frame_equal(found, expected, check_names=False, check_index_type=False, **tolerances)


@readings
@few
@given(seed=seeds)
def test_the_order_of_rows_means_nothing(reading, seed):
    frame = table_of(seed)
    shuffled = frame.sample(frac=1, random_state=seed)
    assert_same(answers(shuffled, ON[reading]), answers(frame, ON[reading]))


@readings
@few
@given(seed=seeds)
def test_names_mean_nothing(reading, seed):
    """Names that sort alike, so that systems and items are drawn in the same order."""
    frame = table_of(seed)
    names = {name: f"system {name.removeprefix('m')}" for name in SYSTEMS}
    renamed = frame.assign(model=frame["model"].map(names), question=frame["question"].map("q{:03d}".format))
    renamed = renamed.rename(columns={"right": "accuracy", "cost": "seconds", "model": "who", "question": "what"})
    on = {next(iter(ON[reading])): "what"}
    found = answers(renamed, on, objectives={"accuracy": "max", "seconds": "min"}, system="who", than="system 0")
    expected = answers(frame, ON[reading]).rename(index=names)
    expected["dominated_by"] = expected["dominated_by"].map(names, na_action="ignore")
    assert_same(found.fillna({"dominated_by": ""}), expected.fillna({"dominated_by": ""}), check_dtype=False)


@readings
@pytest.mark.parametrize("binary", [False, True], ids=["scores", "right or wrong"])
@few
@given(seed=seeds)
def test_units_mean_nothing(reading, binary, seed):
    """Percent instead of shares, minutes instead of seconds, a zero elsewhere: factors of two round nothing."""
    frame = table_of(seed, binary=binary)
    scaled = frame.assign(right=frame["right"] * 4 + 2, cost=frame["cost"] * 0.5)
    assert_same(answers(scaled, ON[reading], margin=4 * MARGIN), answers(frame, ON[reading]))


@readings
@few
@given(seed=seeds)
def test_directions_are_signs(reading, seed):
    """The share of errors, minimized, answers as the share of right answers does, maximized."""
    frame = table_of(seed, binary=True)
    mirrored = frame.assign(right=1 - frame["right"]).rename(columns={"right": "wrong"})
    found = answers(mirrored, ON[reading], objectives={"wrong": "min", "cost": "min"})
    assert_same(found, answers(frame, ON[reading]))


@pytest.mark.parametrize("size", [1.0, 1e3, 1e8])
@few
@given(seed=seeds)
def test_levels_that_all_systems_share_mean_nothing(size, seed):
    """Questions are hard or easy for everyone: only differences within questions count."""
    frame = table_of(seed)
    level = np.round(size * np.random.default_rng(seed).standard_normal(16))[frame["question"]]
    found = answers(frame.assign(right=frame["right"] + level), ON["items"])
    kept = ["verdict", "low", "high", "equivalent"]
    assert_same(found[kept], answers(frame, ON["items"])[kept])


@few
@given(seed=seeds)
def test_numbers_of_independent_runs_mean_nothing(seed):
    frame = table_of(seed)
    own = frame.assign(question=frame["model"] + "-" + frame["question"].map("{:03d}".format))
    assert_same(answers(own, ON["runs"]), answers(frame, ON["runs"]))


def agreed(frame):
    """The table with one more question that all systems answer alike, at the same cost."""
    return pd.concat([frame, pd.DataFrame({"right": 0.0, "cost": 0.0, "model": SYSTEMS, "question": 100})])


def places(frame, *, item="model", by="question", objective="right"):
    """Intervals of places over tasks, per system."""
    standing = asked.mean_ranks(frame, system=item, item=by, objectives={objective: "max"})
    return standing.board(n_resamples=600).table[["rank", "low", "high", "tier"]].sort_index()


def ranks(frame):
    """Intervals of ranks, per system."""
    found = asked.board(frame, system="model", item="question", objectives=OBJECTIVES, n_resamples=600)
    return found.table.sort_index()


@pytest.mark.parametrize("verb", [ranks, places])
def test_questions_on_which_all_agree_are_no_evidence_of_a_difference(verb):
    """Without a difference there is no sign to flip: all signs of the other questions are as likely as before."""
    frames = [table_of(seed, n=8) for seed in range(25)]
    before, after = ([verb(frame)[["low", "high"]] for frame in tables] for tables in (frames, map(agreed, frames)))
    assert any((table["low"] > 1).any() for table in before)
    for one, other in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(one, other)


@few
@given(seed=seeds)
def test_no_significant_p_value_falls_when_all_agree_once_more(seed):
    frame = table_of(seed, n=8)
    before, after = (
        asked.cheaper(table, "m0", cost="cost", system="model", item="question", objectives=OBJECTIVES).table["pvalue"]
        for table in (frame, agreed(frame))
    )
    significant = before[before <= 0.05]
    # Of 20,000 random weights, twice.
    error = np.sqrt(2 * significant / 20_000)
    assert (after.reindex(significant.index) >= significant - 5 * error).all()


@readings
@few
@given(seed=seeds)
def test_repeating_every_row_contradicts_nothing(reading, seed):
    """Copies look like new evidence to any verb that is not told of them; they reverse no verdict and move no mean."""
    frame = table_of(seed)
    twice = pd.concat([frame, frame.assign(question=frame["question"] + 1000)])
    before, after = answers(frame, ON[reading]), answers(twice, ON[reading])
    assert_same(after[["on_front", "rank", "score"]], before[["on_front", "rank", "score"]])
    pairs = set(zip(before["verdict"], after["verdict"], strict=True))
    assert not pairs & {("dominated", "on the front"), ("on the front", "dominated")}
    assert (after["low"] <= before["rank"]).all()
    assert (after["high"] >= before["rank"]).all()


@few
@given(seed=seeds)
def test_places_over_tasks_depend_on_the_order_within_each_task_alone(seed):
    frame = table_of(seed)
    expected = places(frame)
    assert_same(places(frame.sample(frac=1, random_state=seed)), expected)
    by_task = frame["question"].to_numpy() - 5.0
    assert_same(places(frame.assign(right=np.exp(frame["right"]) * np.abs(by_task + 0.5) + 100 * by_task)), expected)
    renamed = frame.rename(columns={"right": "auc", "model": "framework", "question": "task"})
    assert_same(places(renamed, item="framework", by="task", objective="auc"), expected)


@few
@given(seed=seeds)
def test_repeating_every_task_moves_no_place(seed):
    frame = table_of(seed)
    before, after = places(frame), places(pd.concat([frame, frame.assign(question=frame["question"] + 1000)]))
    assert (after["rank"] == before["rank"]).all()
    assert (after["low"] <= before["rank"]).all()
    assert (after["high"] >= before["rank"]).all()
