"""Attainment surfaces and their differences against counts by definition and moocore's own data."""

import itertools
import warnings

import moocore
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import asked

DIRECTIONS = {"x": "min", "y": "max"}


def draw(seed, counts, size=5, most=20):
    rng = np.random.default_rng(seed)
    rows = [
        (system, run, *rng.integers(0, most, 2).astype(float))
        for system, n in counts.items()
        for run in range(n)
        for _ in range(size)
    ]
    return pd.DataFrame(rows, columns=["system", "run", "x", "y"])


def share_by_definition(frame, system, x, y):
    rows = frame[frame["system"] == system][["run", "x", "y"]].to_numpy()
    runs = {run: rows[rows[:, 0] == run, 1:] for run in rows[:, 0]}
    return np.mean([any(a <= x and b >= y for a, b in points) for points in runs.values()])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]), st.integers(1, 6))
def test_shuffled_rows_have_the_surfaces_of_ordered_ones(seed, n_objectives, n_runs):
    frame = draw(seed, {"a": n_runs}, size=4, most=6).assign(z=lambda table: table["x"] * 5 % 7)
    sides = {"x": "min", "y": "max", "z": "min"}
    objectives = dict(list(sides.items())[:n_objectives])
    shuffled = frame.sample(frac=1, random_state=seed)
    ordered, mixed = (
        asked.attainment(table, system="system", repeat="run", objectives=objectives) for table in (frame, shuffled)
    )
    levels = [count / n_runs for count in range(1, n_runs + 1)]
    pd.testing.assert_frame_equal(mixed.surfaces(levels), ordered.surfaces(levels))
    signs = [1 if way == "min" else -1 for way in objectives.values()]
    runs = [table[list(objectives)].to_numpy() * signs for _, table in frame.groupby("run")]
    for point in itertools.product(range(-6, 7, 2), repeat=n_objectives):
        share = np.mean([(costs <= point).all(axis=1).any() for costs in runs])
        values = {name: cost * sign for name, cost, sign in zip(objectives, point, signs, strict=True)}
        assert mixed.attained("a", values) == pytest.approx(share)
        for level in levels:
            reached = (mixed.surface("a", level) <= point).all(axis=1).any()
            assert reached == (share >= level - 1e-12)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_differences_cover_just_the_places_where_shares_differ(seed, n_first, n_second):
    frame = draw(seed, {"a": n_first, "b": n_second}, size=2, most=4).sample(frac=1, random_state=seed)
    found = asked.attainment(frame.moo(DIRECTIONS), system="system", repeat="run").differences("a", "b")
    for x, y in itertools.product(np.arange(-0.5, 4.5), repeat=2):
        inside = (found["x from"] < x) & (x < found["x to"]) & (found["y to"] < y) & (y < found["y from"])
        difference = share_by_definition(frame, "a", x, y) - share_by_definition(frame, "b", x, y)
        assert found["difference"][inside].tolist() == pytest.approx([difference] if abs(difference) > 1e-9 else [])


@pytest.mark.parametrize("points", [[(1, 1)], [(1, 2), (2, 1), (3, 3)]])
def test_systems_that_attain_the_same_have_no_differences(points):
    rows = [(system, run, *point) for system in "ab" for run in (1, 2) for point in points]
    frame = pd.DataFrame(rows, columns=["system", "run", "x", "y"])
    for first, second in [("a", "b"), ("a", "a")]:
        found = asked.attainment(frame.moo(x="min", y="min"), system="system", repeat="run").differences(first, second)
        assert len(found) == 0
        assert list(found) == ["x from", "x to", "y from", "y to", "difference"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_vorobev_is_its_definition(seed, n_runs):
    frame = draw(seed, {"a": n_runs, "b": 2}, size=2, most=5).sample(frac=1, random_state=seed)
    view = frame.moo(x="min", y="min")
    found = asked.attainment(view, system="system", repeat="run").vorobev("a", reference={"x": 4, "y": 4})
    # Values are whole numbers: a hypervolume is a number of unit cells, here those of 0 to 4.
    cells = np.array(list(itertools.product(range(4), repeat=2)))
    runs = [table[["x", "y"]].to_numpy() for _, table in frame[frame["system"] == "a"].groupby("run")]
    attained = np.array([[(points <= cell).all(axis=1).any() for cell in cells] for points in runs])
    shares, mean = attained.mean(axis=0), attained.sum(axis=1).mean()
    levels = [k / n_runs for k in range(1, n_runs + 1)]
    expected = max(level for level in levels if (shares >= level - 1e-12).sum() >= mean - 1e-12)
    inside = shares >= expected - 1e-12
    corners = found["surface"][["x", "y"]].to_numpy()
    assert found["level"] == expected
    assert [(corners <= cell).all(axis=1).any() for cell in cells] == inside.tolist()
    assert found["hypervolume"] == pytest.approx(inside.sum())
    assert found["mean_hypervolume"] == pytest.approx(mean)
    assert found["deviation"] == pytest.approx((attained != inside).sum(axis=1).mean(), abs=1e-9)


def test_vorobev_on_the_data_of_moocore():
    data = moocore.get_dataset("CPFs.txt.xz")
    frame = pd.DataFrame(data, columns=["first", "second", "set"]).assign(method="all")
    view = frame.moo(first="min", second="min")
    result = asked.attainment(view, system="method", repeat="set")
    found = result.vorobev("all", reference={"first": 2, "second": 200})
    # The mean hypervolume as printed in moocore's documentation; its bisection ends at .44140625, that is at the
    # surface of 45 of the 100 runs, which is smaller than the mean.
    assert found["mean_hypervolume"] == pytest.approx(8943.333191728081)
    assert found["level"] == 0.44
    sizes = [moocore.hypervolume(result.surface("all", level), ref=(2, 200)) for level in (0.44, 0.45)]
    assert sizes[0] > found["mean_hypervolume"] > sizes[1]
    assert found["hypervolume"] == pytest.approx(sizes[0])
    np.testing.assert_array_equal(found["surface"].to_numpy(), result.surface("all", 0.44))


def test_equal_runs_are_their_own_expectation():
    rows = [(run, *point) for run in range(7) for point in [(0.1, 0.7), (0.3, 0.2)]]
    frame = pd.DataFrame(rows, columns=["run", "x", "y"]).assign(system="a")
    found = asked.attainment(frame.moo(x="min", y="min"), system="system", repeat="run").vorobev(
        "a", reference={"x": 1, "y": 1}
    )
    assert found["level"] == 1
    assert found["deviation"] == pytest.approx(0, abs=1e-12)
    assert found["deviation"] >= 0
    assert found["hypervolume"] == pytest.approx(found["mean_hypervolume"])


def test_renamed_and_rescaled_objectives_have_the_same_attainment():
    frame = draw(8, {"a": 4, "b": 3})
    other = frame.assign(x=3 * frame["x"] + 7, y=frame["y"] / 4).rename(columns={"x": "loss", "y": "score"})
    first = asked.attainment(frame.moo(x="min", y="max"), system="system", repeat="run")
    second = asked.attainment(other.moo(loss="min", score="max"), system="system", repeat="run")
    surfaces, moved = first.surfaces(), second.surfaces()
    np.testing.assert_allclose(moved["loss"], 3 * surfaces["x"] + 7)
    np.testing.assert_allclose(moved["score"], surfaces["y"] / 4)
    np.testing.assert_allclose(second.differences("a", "b")["difference"], first.differences("a", "b")["difference"])
    one, two = first.vorobev("a"), second.vorobev("a")
    assert two["level"] == one["level"]
    for name in ("hypervolume", "mean_hypervolume", "deviation"):
        assert two[name] == pytest.approx(one[name] * 3 / 4)


def test_ranks_do_not_know_units():
    frame = draw(3, {"a": 4, "b": 4})
    other = frame.assign(x=np.exp(frame["x"]), y=frame["y"] ** 3)
    first, second = (
        asked.attainment(one.moo(DIRECTIONS), system="system", repeat="run", normalize="cdf").surfaces()
        for one in (frame, other)
    )
    pd.testing.assert_frame_equal(first, second)
    assert first.index.tolist() == list(range(len(first)))  # numbered through all systems and levels
    assert first[["x", "y"]].to_numpy().min() >= 0
    assert first[["x", "y"]].to_numpy().max() < 1


def test_three_objectives_have_surfaces_but_no_picture():
    frame = draw(4, {"a": 3}).assign(z=lambda table: table["x"] * 7 % 5)
    found = asked.attainment(frame.moo(x="min", y="max", z="min"), system="system", repeat="run")
    assert set(found.surfaces([0.5]).columns) == {"system", "level", "x", "y", "z"}
    with pytest.raises(ValueError, match="two"):
        found.plot()
    with pytest.raises(ValueError, match="two objectives"):
        found.differences("a", "a")


def test_what_is_refused():
    frame = draw(6, {"a": 3})
    with pytest.raises(ValueError, match="two or three"):
        asked.attainment(frame, system="system", repeat="run", objectives={"x": "min"})
    with pytest.raises(ValueError, match="infinite"):
        asked.attainment(frame.assign(x=np.inf), system="system", repeat="run", objectives=DIRECTIONS)
    found = asked.attainment(frame.moo(DIRECTIONS), system="system", repeat="run")
    with pytest.raises(ValueError, match="`levels`"):
        found.surfaces([0])
    with pytest.raises(ValueError, match="`system` is 'z'"):
        found.attained("z", {"x": 1, "y": 1})
    with pytest.raises(ValueError, match="`normalize`"), warnings.catch_warnings():
        asked.attainment(frame, system="system", repeat="run", objectives=DIRECTIONS, normalize="log")


def test_tuples_are_names_of_single_columns():
    names = [("s", 1), ("seed", 1), ("x", 1), ("y", 1)]
    runs = pd.DataFrame({"s": list("aabb"), "seed": [0, 1] * 2, "x": [1.0, 2.0, 3.0, 4.0], "y": [4.0, 3.0, 2.0, 1.0]})
    plain = asked.attainment(runs, system="s", repeat="seed", objectives={"x": "min", "y": "max"}).table
    runs.columns = pd.Index(names, tupleize_cols=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        directions = {names[2]: "min", names[3]: "max"}
        found = asked.attainment(runs, system=[names[0]], repeat=[names[1]], objectives=directions).table
    assert found.columns.tolist() == ["system", "level", *names[2:]]
    assert found.to_numpy().tolist() == plain.to_numpy().tolist()
