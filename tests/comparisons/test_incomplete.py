"""Missing cells: pairs against pandas and brute force, means against a regression, and what must not change."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.comparisons.arrays.incomplete import AdditiveFit, adjusted_means, from_incomplete_items
from copa_nb.comparisons.arrays.uncertainty import from_items, significantly_better
from tests import asked
from tests.said import sentence

READING = {"system": "model", "item": "task", "objectives": {"score": "max"}}
PAIRWISE = {**READING, "nan_policy": "pairwise", "n_resamples": 150}
KNOWN = np.zeros(1, dtype=bool)
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15)


def wide_table(seed, n_items=12, n_systems=5, missing=0.3, spread=1.0):
    """Scores of systems that differ, on items of shared difficulty, some missing; every system has two at least."""
    rng = np.random.default_rng(seed)
    values = spread * rng.standard_normal(n_systems) + rng.standard_normal((n_items, 1))
    values = values + rng.standard_normal((n_items, n_systems))
    gaps = rng.random(values.shape) < missing
    gaps[:2] = False
    return pd.DataFrame(np.where(gaps, np.nan, values), columns=[f"m{k}" for k in range(n_systems)])


def long_table(wide):
    frame = wide.rename_axis(index="task", columns="model").stack(future_stack=True)
    return frame.rename("score").reset_index()


def measured_of(wide, clusters=None, n_resamples=600):
    scores = -wide.to_numpy()[:, :, None]
    rng = np.random.default_rng(0)
    return from_incomplete_items(scores, KNOWN, clusters=clusters, n_resamples=n_resamples, rng=rng)


@few
@given(seed=seeds)
def test_pairs_are_compared_on_their_common_items(seed):
    wide = wide_table(seed)
    found = measured_of(wide)
    for (i, one), (j, other) in itertools.permutations(enumerate(wide), 2):
        differences = (wide[one] - wide[other]).dropna()
        assert found.sums[0, i, j] == pytest.approx(differences.sum(), abs=1e-12)
        assert found.squares[0, i, j] == pytest.approx((differences**2).sum())
        assert found.common[0, i, j] == len(differences)


@few
@given(seed=seeds)
def test_clusters_of_pairs_are_sums_over_common_items(seed):
    wide = wide_table(seed)
    clusters = np.arange(len(wide)) // 3
    found = measured_of(wide, clusters)
    sums = (wide["m1"] - wide["m3"]).groupby(clusters).sum()
    assert found.squares[0, 1, 3] == pytest.approx((sums**2).sum())
    assert found.sums[0, 1, 3] == pytest.approx(sums.sum())


@few
@given(seed=seeds, in_clusters=st.booleans())
def test_the_largest_statistic_of_each_draw_is_that_of_a_loop_over_pairs(seed, in_clusters):
    wide = wide_table(seed, n_items=10, n_systems=4)
    clusters = np.arange(10) // 2 if in_clusters else np.arange(10)
    found = measured_of(wide, clusters, n_resamples=50)
    weights = np.divide(1, found.squares, out=np.zeros(found.squares.shape), where=found.squares > 0)
    largest, places = found._largest(found.signs, weights)
    scores = {name: column.to_numpy() for name, column in wide.items()}
    for signs, largest_of, place in zip(found.signs, largest, places, strict=True):
        pairs = {}
        for (i, one), (j, other) in itertools.permutations(enumerate(wide), 2):
            flipped = np.nansum((scores[one] - scores[other]) * signs[clusters])
            pairs[i * 4 + j] = max(flipped, 0) ** 2 * weights[0, i, j]
        assert largest_of == pytest.approx(max(pairs.values()))
        assert pairs[place] == pytest.approx(largest_of)


@few
@given(seed=seeds)
def test_two_systems_are_compared_under_all_signs_of_their_common_items(seed):
    wide = wide_table(seed, n_items=11, n_systems=2, spread=1.5)
    measured = measured_of(wide, n_resamples=3000)
    differences = (wide["m0"] - wide["m1"]).dropna().to_numpy()
    signs = np.array(list(itertools.product([1, -1], repeat=len(differences))))
    pvalue = (np.abs(signs @ differences) >= abs(differences.sum()) * (1 - 1e-9)).mean()
    found = significantly_better(measured, alpha=0.05).any()
    same_sign = np.sign(differences.sum()) == np.sign(measured.differences[0, 0, 1])
    expected = pvalue <= 0.05 and same_sign
    assert found <= expected if measured.skewed.any() else found == expected


@few
@given(seed=seeds)
def test_means_are_those_of_a_regression_on_systems_and_items(seed):
    wide = wide_table(seed).dropna(how="all")
    cells = long_table(wide).dropna()
    systems, items = pd.get_dummies(cells["model"], dtype=float), pd.get_dummies(cells["task"], dtype=float)
    design = np.hstack([systems, items])
    effects = np.linalg.lstsq(design, cells["score"], rcond=None)[0]
    expected = effects[: systems.shape[1]] + effects[systems.shape[1] :].mean()
    np.testing.assert_allclose(adjusted_means(wide.to_numpy()), expected, atol=1e-9)


@few
@given(seed=seeds)
def test_without_gaps_everything_is_as_for_complete_items(seed):
    wide = wide_table(seed, missing=0.0)
    scores = -wide.to_numpy()
    complete = from_items(scores[:, None, :, None], KNOWN, n_resamples=600, rng=np.random.default_rng(0))
    found = measured_of(wide)
    np.testing.assert_allclose(found.means, complete.means, atol=1e-11)
    np.testing.assert_allclose(found.squares, complete.squares)
    np.testing.assert_allclose(found.sums, complete.differences * len(wide), atol=1e-12)
    assert found.skewed.tolist() == complete.skewed.tolist()
    pd.testing.assert_frame_equal(
        asked.board(long_table(wide), **PAIRWISE).table,
        asked.board(long_table(wide), **READING, n_resamples=150).table,
    )


@few
@given(seed=seeds)
def test_ranks_lie_in_their_intervals_and_rows_in_any_order_without_the_gaps_mean_the_same(seed):
    frame = long_table(wide_table(seed, n_items=30))
    found = asked.board(frame, **PAIRWISE).table
    assert (found["low"] <= found["rank"]).all()
    assert (found["rank"] <= found["high"]).all()
    assert found["tier"].min() == 1
    rows = frame.dropna().sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(asked.board(rows, **PAIRWISE).table, found)


def test_an_item_without_values_is_none():
    frame = long_table(wide_table(0))
    empty = pd.DataFrame({"model": ["m0", "m1"], "task": ["last", "last"]})
    found = asked.board(pd.concat([frame, empty]), **PAIRWISE)
    pd.testing.assert_frame_equal(found.table, asked.board(frame, **PAIRWISE).table)


@few
@given(seed=seeds)
def test_one_item_per_cluster_is_no_cluster(seed):
    frame = long_table(wide_table(seed))
    found = asked.board(frame.assign(family="f" + frame["task"].astype(str)), **PAIRWISE, cluster="family")
    pd.testing.assert_frame_equal(found.table, asked.board(frame, **PAIRWISE).table)


def test_systems_without_a_chain_of_common_items_are_undecided():
    """Two halves of the table that share nothing: clear within, open between."""
    wide = wide_table(0, n_items=40, n_systems=4, missing=0)
    wide["m0"] += 20
    wide["m2"] += 20
    wide.loc[:19, ["m2", "m3"]] = np.nan
    wide.loc[20:, ["m0", "m1"]] = np.nan
    result = asked.board(long_table(wide), **PAIRWISE)
    assert result.table.loc[["m0", "m1", "m2", "m3"], ["low", "high"]].to_numpy().tolist() == [
        [1, 3], [2, 4], [1, 3], [2, 4]
    ]  # fmt: skip
    assert result.table["tier"].loc[["m0", "m1", "m2", "m3"]].tolist() == [1, 2, 1, 2]
    assert "4 of 6 comparisons have fewer than 6 tasks in common and stay undecided" in result.explain()


def test_a_system_is_not_rewarded_for_the_hard_items_that_it_lacks():
    """The better one lacks the easy items: its plain mean is lower, its adjusted mean is not."""
    rng = np.random.default_rng(1)
    level = np.linspace(-5, 5, 40)
    wide = pd.DataFrame({"better": level + 1, "worse": level, "third": level - 1}) + rng.normal(0, 0.3, (40, 3))
    wide.loc[20:, "better"] = np.nan
    assert wide["better"].mean() < wide["worse"].mean()
    table = asked.board(long_table(wide), **PAIRWISE).table
    assert table.index.tolist() == ["better", "worse", "third"]
    assert table["low"].tolist() == table["high"].tolist() == [1, 2, 3]
    assert table["score (value)"].tolist() == pytest.approx([1, 0, -1], abs=0.2)


def test_equivalents_are_sought_among_common_items():
    rng = np.random.default_rng(2)
    wide = pd.DataFrame({"a": rng.normal(0, 1, 60)})
    wide["b"] = wide["a"] + rng.normal(0, 0.3, 60)
    wide["c"] = wide["a"] - 2
    wide.loc[:9, "b"] = np.nan
    wide.loc[50:, "a"] = np.nan
    frame = long_table(wide)
    frame["price"] = frame["model"].map({"a": 3.0, "b": 1.0, "c": 2.0})
    options = {
        "than": "a", "margin": {"score": 0.3}, "known": "price", "system": "model", "item": "task",
        "objectives": {"score": "max", "price": "min"},
    }  # fmt: skip
    found = asked.cheaper(frame, cost="price", **options, nan_policy="pairwise")
    pair = frame[frame["model"].isin(["a", "b"]) & frame["task"].between(10, 49)]
    alone = asked.cheaper(pair, cost="price", **options)
    assert found.best == "b"
    assert found.table.loc["b", "pvalue"] == pytest.approx(alone.table.loc["b", "pvalue"], abs=0.005)
    assert "20 of 360 values (6" in found.explain()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"item": None, "repeat": "task"}, "`nan_policy` is 'pairwise', which compares systems on the items that both"),
        ({"nan_policy": "raise"}, "missing values"),
        ({"nan_policy": "worst"}, "pairwise"),
        ({"repeat": "seed"}, "`repeat` has values that all items share, and .* values are missing"),
    ],
)
def test_what_cannot_be_compared_in_pairs_is_refused(options, message):
    frame = pd.concat([long_table(wide_table(4)).assign(seed=seed) for seed in range(3)])
    frame = frame if "repeat" in options else frame[frame["seed"] == 0]
    with pytest.raises(ValueError, match=message):
        asked.board(frame, **{**PAIRWISE, **options})


def test_a_system_without_values_is_refused():
    wide = wide_table(4).assign(m1=np.nan)
    with pytest.raises(ValueError, match="`system` m1 has no value of 'score'"):
        asked.board(long_table(wide), **PAIRWISE)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
def test_skewed_scores_are_tested_as_complete_ones_are(clusters):
    """Without missing values, both ways of testing reject the same, also where a few items weigh much."""
    shared = np.random.default_rng(2).normal(size=(60, 1))
    costs = np.exp(np.random.default_rng(3).normal(np.linspace(0, 2, 6), 0.6, size=(60, 6)) + shared)
    options = {"clusters": clusters, "n_resamples": 500}
    known, active = np.zeros(1, dtype=bool), ~np.eye(6, dtype=bool)[None]
    complete = from_items(costs[:, None, :, None], known, rng=np.random.default_rng(0), **options)
    pairs = from_incomplete_items(costs[:, :, None], known, rng=np.random.default_rng(0), **options)
    assert complete.skewed.all()
    assert pairs.skewed.all()
    found = complete.tested(active, 0.05)
    assert found.any()
    assert (pairs.tested(active, 0.05) == found).all()


@few
@given(seed=seeds)
def test_resampled_means_without_gaps_are_those_of_the_drawn_items(seed):
    wide = wide_table(seed, missing=0.0)
    counts = np.random.default_rng(seed).multinomial(12, np.full(12, 1 / 12), size=5).astype(float)
    expected = counts @ wide.to_numpy() / 12
    assert AdditiveFit.of(wide.to_numpy()).resampled(counts) == pytest.approx(expected)


def test_resampled_means_with_gaps_are_near_those_of_a_new_fit():
    """One step of the fit follows a whole new fit of the drawn items."""
    wide = wide_table(7, n_items=200, n_systems=6, missing=0.3)
    counts = np.random.default_rng(0).multinomial(200, np.full(200, 1 / 200), size=40)
    refitted = np.array([adjusted_means(np.repeat(wide.to_numpy(), count, axis=0)) for count in counts])
    fit = AdditiveFit.of(wide.to_numpy())
    assert fit.resampled(np.ones((1, 200)))[0] == pytest.approx(fit.means)
    moved, expected = fit.resampled(counts.astype(float)) - fit.means, refitted - fit.means
    assert (moved - expected).std() < 0.1 * expected.std()
    assert moved.std() == pytest.approx(expected.std(), rel=0.05)


def test_items_of_apart_systems_are_resampled_apart():
    """Systems without common items keep the items that each was measured on."""
    scores = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, 5.0], [np.nan, 9.0]])
    fit = AdditiveFit.of(scores)
    assert fit.means == pytest.approx([2.0, 7.0])
    drawn = fit.resampled(np.array([[2.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 3.0]]))
    assert drawn == pytest.approx(np.array([[1.0, 7.0], [2.0, 8.0]]))


def test_a_front_with_gaps_agrees_with_pairwise_tiers():
    """With one objective, who is ahead of all others is on the front, and who is behind any is dominated."""
    frame = long_table(wide_table(3, n_items=60, spread=2.0))
    front, ranks = asked.confident_front(frame, **PAIRWISE), asked.board(frame, **PAIRWISE)
    ahead = ranks.ahead
    dominated = ahead.columns[ahead.any(axis=0)]
    assert set(front.table.index[front.table["verdict"] == "dominated"]) == set(dominated)
    alone = ahead.index[ahead.sum(axis=1) == len(ahead) - 1].tolist()
    assert front.conservative == alone
    assert front.table.loc[dominated, "share"].max() < 0.05
    assert front.means["score"].sort_index().equals(ranks.table["score (value)"].sort_index().rename("score"))


def few_items_on_top():
    """Systems that differ, and one with an excellent mean that is known from two items only."""
    wide = wide_table(5, n_items=30, n_systems=5, missing=0.0, spread=3.0)
    wide["lucky"] = wide.max(axis=1) + 5
    wide.loc[2:, "lucky"] = np.nan
    return wide


def test_a_system_of_few_items_does_not_top_the_table():
    wide = few_items_on_top()
    found = asked.board(long_table(wide), **PAIRWISE)
    table = found.table
    assert table["rank"].idxmin() == "lucky"
    assert table.loc["lucky", ["low", "high", "tier", "items"]].tolist() == [1, 6, 1, 2]
    assert table["items"].drop("lucky").tolist() == [30] * 5
    assert table.index[0] != "lucky"
    assert table["tier"].is_monotonic_increasing
    assert all(part["high"].is_monotonic_increasing for _, part in table.groupby("tier"))
    assert (found.ahead.to_numpy().sum(axis=0) == table["low"] - 1).all()
    assert repr(found).endswith(f"best guaranteed rank {table.index[0]!r}>")
    assert sentence(found, "board.headline.tied_two")["tied"] == found.may_be_first
    assert sentence(found, "board.reasons.guaranteed") == {"best": table.index[0]}
    lucky = sentence(found, "board.reasons.best_mean_of_few")
    assert lucky.pop("leads")["name"] == "score"
    assert lucky == {"best": "lucky", "low": 1, "high": 6, "measured": 2, "n_items": 30, "items": "tasks"}
    complete = asked.board(long_table(wide.drop(columns="lucky")), **READING, n_resamples=150)
    assert "items" not in complete.table
    assert complete.table["rank"].is_monotonic_increasing


def test_files_and_pictures_print_the_number_of_items():
    found = asked.board(long_table(few_items_on_top()), **PAIRWISE)
    read = copa_nb.results.Board.read(json.loads(found.to_json()))
    for one in (found, read):
        assert one.printed["items"].tolist() == found.table["items"].tolist()
        assert one.printed["model"].tolist() == found.table.index.tolist()
    labels = [label.get_text() for label in found.plot().get_yticklabels()]
    assert labels == [f"{name} ({n})" for name, n in found.table["items"].items()]
    draws = found.with_fewer_systems(leave_out=0.3, n_resamples=3)
    assert (draws["best"] == "lucky").all()
