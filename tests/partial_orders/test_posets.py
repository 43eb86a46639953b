"""Samples of partial orders: from frames, with their counts, agreement and depth, against printed numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb import datasets
from copa_nb.partial_orders.posets import ItemsOmittedWarning, PosetSample
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked
from tests.said import said_by, sentence

BOTH = {"error": "min", "score": "max"}


def rows(values, tasks=("t1", "t2"), models="abc"):
    """One row per task and model, values as (error, score) in that order."""
    index = pd.MultiIndex.from_product([tasks, list(models)], names=["task", "model"])
    return pd.DataFrame(values, index=index, columns=["error", "score"], dtype=float).reset_index()


PLAIN = rows([(1, 9), (2, 8), (3, 9), (1, 5), (1, 5), (0, 4)])


@pytest.fixture(scope="module")
def bbob():
    return datasets.load_bbob(dimension=2)


def test_an_item_stands_above_what_it_dominates():
    sample = asked.posets(PLAIN, system="model", item="task", objectives=BOTH)
    assert list(sample.systems) == ["a", "b", "c"]
    assert list(sample.items) == ["t1", "t2"]
    assert sample.items.name == "task"
    expected = pd.DataFrame(False, index=list("abc"), columns=list("abc"))
    expected.loc["a", ["b", "c"]] = True
    pd.testing.assert_frame_equal(sample.relation("t1"), expected, check_names=False)
    assert not sample.relation("t2").to_numpy().any()
    assert list(sample.tied_items) == ["t2"]
    assert sample.intersection.to_numpy().sum() == 0
    assert sample.pair_counts.to_numpy().sum() == sample.union.to_numpy().sum() == 2


def test_rows_in_any_order_index_levels_and_several_group_columns_give_the_same():
    sample = asked.posets(PLAIN, system="model", item="task", objectives=BOTH)
    indexed = asked.posets(PLAIN.set_index(["task", "model"]), system="model", item="task", objectives=BOTH)
    shuffled = asked.posets(PLAIN.sample(frac=1, random_state=3), system="model", item=["task"], objectives=BOTH)
    for group in sample.items:
        expected = sample.relation(group)
        pd.testing.assert_frame_equal(indexed.relation(group), expected)
        pd.testing.assert_frame_equal(shuffled.relation(group).loc[list("abc"), list("abc")], expected)
    pairs = asked.posets(PLAIN.assign(size=1), system="model", item=["task", "size"], objectives=BOTH)
    assert pairs.items.tolist() == [("t1", 1), ("t2", 1)]
    pd.testing.assert_frame_equal(pairs.relation(("t1", 1)), sample.relation("t1"))
    sized = asked.posets(PLAIN.assign(size=1), system=["model", "size"], item="task", objectives=BOTH)
    assert sized.systems.tolist() == [("a", 1), ("b", 1), ("c", 1)]
    np.testing.assert_array_equal(sized.relations, sample.relations)
    with pytest.raises(ValueError, match="`item` is 't1', which is not in the sample"):
        pairs.relation("t1")


def test_ties_can_be_dropped_or_kept_as_indifference():
    with pytest.warns(ItemsOmittedWarning, match="left out of 2 items: 't2' because systems are equal"):
        dropped = asked.posets(PLAIN, system="model", item="task", objectives=BOTH, ties="drop")
    assert list(dropped.items) == ["t1"]
    assert list(dropped.left_out) == ["t2"]
    kept = asked.posets(PLAIN, system="model", item="task", objectives=BOTH, ties="preorder")
    assert kept.relation("t2").loc["a", "b"]
    assert kept.relation("t2").loc["b", "a"]
    assert "posets.details.ties_preorder" in said_by(kept)
    with pytest.raises(ValueError, match="no unique reduction"):
        kept.reduction("t2")
    everything_tied = PLAIN[PLAIN["task"] == "t2"]
    with pytest.raises(ValueError, match="no item is left"):
        asked.posets(everything_tied, system="model", item="task", objectives=BOTH, ties="drop")


def test_missing_values_follow_the_policy():
    holed = PLAIN.copy()
    holed.loc[0, "error"] = np.nan
    with pytest.raises(ValueError, match="missing values in objective 'error'"):
        asked.posets(holed, system="model", item="task", objectives=BOTH)
    with pytest.warns(RowsOmittedWarning), pytest.warns(ItemsOmittedWarning, match="'t1' because data are missing"):
        sample = asked.posets(holed, system="model", item="task", objectives=BOTH, nan_policy="omit")
    assert list(sample.items) == ["t2"]
    assert sentence(sample, "left_out.details.missing") == {"names": ["t1"]}
    worst = asked.posets(holed, system="model", item="task", objectives=BOTH, nan_policy="worst")
    # Without an error, a still has the best score: below nothing that is no better there.
    assert not worst.relation("t1").loc["a"].any()
    assert worst.relation("t1").loc["c", "a"]


def test_items_without_a_row_follow_the_policy():
    short = PLAIN.drop(index=[2])
    with pytest.raises(ValueError, match=r"1 of 6 pairs .* have no row, e\.g\. 'c' on 't1'"):
        asked.posets(short, system="model", item="task", objectives=BOTH)
    with pytest.warns(ItemsOmittedWarning):
        sample = asked.posets(short, system="model", item="task", objectives=BOTH, nan_policy="omit")
    assert list(sample.items) == ["t2"]
    worst = asked.posets(short, system="model", item="task", objectives=BOTH, nan_policy="worst")
    assert worst.relation("t1")["c"].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"system": "modle"}, "`system` names 'modle', which is not a column.*Did you mean 'model'"),
        ({"item": []}, "`item` is an empty list"),
        ({"item": "nothing"}, "`item` names 'nothing'"),
        ({"ties": "keep"}, "`ties` is 'keep'"),
        ({"system": "same"}, "`system` names 'same', which holds only one system"),
        ({"item": "same"}, "several rows have `item` .*; average repeats first"),
        ({"item": "holed"}, "`item` column 'holed' is missing in 1 of 6 rows"),
    ],
)
def test_bad_arguments_are_named(change, match):
    frame = PLAIN.assign(same="x", holed=["t"] * 5 + [None])
    with pytest.raises(ValueError, match=match):
        asked.posets(frame, **{"system": "model", "item": "task", "objectives": BOTH, **change})


def test_a_sample_checks_what_it_is_given():
    relation = np.zeros((1, 3, 3), dtype=bool)
    relation[0, 0, 1] = relation[0, 1, 2] = True
    with pytest.raises(ValueError, match="item 'g' is not a partial order"):
        PosetSample(relation, pd.Index(list("abc")), pd.Index(["g"]))
    with pytest.raises(ValueError, match="`systems` repeats 'a'"):
        PosetSample(relation & False, pd.Index(list("aab")), pd.Index(["g"]))
    with pytest.raises(ValueError, match="`relations` has shape"):
        PosetSample(relation, pd.Index(list("ab")), pd.Index(["g"]))
    mutual = np.zeros((1, 2, 2), dtype=bool)
    mutual[0, 0, 1] = mutual[0, 1, 0] = True
    with pytest.raises(ValueError, match="not a partial order"):
        PosetSample(mutual, pd.Index(list("ab")), pd.Index(["g"]))
    PosetSample(mutual, pd.Index(list("ab")), pd.Index(["g"]), "preorder")
    with pytest.raises(ValueError, match="read-only"):
        PosetSample(relation & False, pd.Index(list("abc")), pd.Index(["g"])).relations[0, 0, 1] = True


def test_parts_of_a_sample(bbob):
    sample = asked.posets(bbob, system="optimizer", item="function")
    part = sample.only([10, 22])
    assert list(part.items) == [10, 22]
    assert list(sample.without([10, 22]).items) == [g for g in range(1, 25) if g not in (10, 22)]
    reduced = sample.reduction(22).to_numpy()
    assert reduced.sum() < sample.relation(22).to_numpy().sum()
    assert sample.distinct["multiplicity"].sum() == len(sample) == 24
    assert sample.distinct.loc[10, "items"] == [10, 11]
    assert sample.table["multiplicity"].tolist() == [2 if g in (10, 11) else 1 for g in range(1, 25)]
    n = len(sample.systems)
    both = sample.relations | sample.relations.transpose(0, 2, 1)
    expected = [n * (n - 1) // 2 - np.triu(relation).sum() for relation in both]
    assert sample.table["incomparable"].tolist() == expected


# Known answers, as the authors' programs give them.


def test_deepobs():
    result = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").depth()
    expected = [0.62085308, 0.6492891, 0.6492891, 0.52606635, 0.6492891, 0.37914692, 0.2985782, 0.29383886]
    np.testing.assert_allclose(result.depth, expected, atol=5e-9)
    assert result.deepest == ["P2", "P3", "P5"]
    assert result.shallowest == ["P8"]
    assert result.table["rank"].tolist() == [1, 1, 1, 4, 5, 6, 7, 8]


def test_evolutionary_algorithms():
    result = asked.posets(datasets.load_moea(), system="algorithm", item="problem").depth()
    summary = result.summary
    assert summary["max"] == pytest.approx(0.390968080293946, abs=1e-12)
    assert summary["min"] == pytest.approx(0.172789668572607, abs=1e-12)
    assert summary["mean"] == pytest.approx(0.215757043699037, abs=1e-12)
    assert summary["sd"] == pytest.approx(0.0593808305591688, abs=1e-12)
    assert result.n_generic == result.sizes.sum() == 1029


@pytest.mark.parametrize(
    ("direction", "largest", "smallest", "n_generic"),
    [("min", 0.212861265902417, 0.110568635692095, 73_700), ("max", 0.24000464, 0.10782457, 23_528)],
)
def test_bbob_in_two_dimensions_under_both_signs(bbob, direction, largest, smallest, n_generic):
    kept = bbob[~bbob["function"].isin([1, 18, 24])]
    sample = asked.posets(
        kept, system="optimizer", item="function", objectives={"ert": "min", "n_precisions": direction}, ties="drop"
    )
    result = sample.depth()
    assert len(sample) == 21
    assert result.depth.max() == pytest.approx(largest, abs=5e-9)
    assert result.depth.min() == pytest.approx(smallest, abs=5e-9)
    assert (result.deepest, result.shallowest) == ([10, 11], [22])
    assert result.n_generic == n_generic


def test_bbob_in_all_dimensions_leaves_out_two_functions():
    with pytest.warns(ItemsOmittedWarning, match="18, 24 because systems are equal"):
        sample = asked.posets(datasets.load_bbob(dimension="all"), system="optimizer", item="function", ties="drop")
    assert list(sample.left_out) == [18, 24]
    assert len(sample) == 22


# Depth, its options and results.


def test_depth_of_other_orders(bbob):
    sample = asked.posets(bbob, system="optimizer", item="function")
    whole = sample.depth()
    as_sample = sample.depth(orders=sample.only([22, 10]))
    assert as_sample.depth.to_dict() == pytest.approx(whole.depth[[22, 10]].to_dict())
    reordered = PosetSample(sample.relations[:, ::-1, ::-1], sample.systems[::-1], sample.items)
    np.testing.assert_allclose(sample.depth(orders=reordered).depth, whole.depth, rtol=1e-12)
    np.testing.assert_allclose(sample.depth(orders=sample.relations).depth, whole.depth, rtol=1e-12)
    named = sample.depth(orders={"typical": sample.relation(10).sample(frac=1, random_state=0)})
    assert named.depth["typical"] == pytest.approx(whole.depth[10])
    assert sample.depth(orders=sample.relation(10)).depth["given"] == pytest.approx(whole.depth[10])
    with pytest.raises(ValueError, match="`orders` compares"):
        sample.depth(orders=asked.posets(datasets.load_deepobs(), system="optimizer", item="problem"))
    with pytest.raises(ValueError, match="`orders` must give each order as a DataFrame"):
        sample.depth(orders={"wrong": sample.relation(10).iloc[:3, :3]})


def test_agreement_is_the_intersection_of_the_deepest(bbob):
    sample = asked.posets(bbob, system="optimizer", item="function")
    result = sample.depth()
    for which, order in (("deepest", result.order), ("shallowest", result.order[::-1])):
        found = result.agreement(5, which=which)
        relations = np.stack([sample.relation(group).to_numpy() for group in order[:5]])
        assert list(found.items) == list(order[:5])
        np.testing.assert_array_equal(found.shared, relations.all(axis=0))
        np.testing.assert_array_equal(found.absent, ~relations.any(axis=0) & ~np.eye(11, dtype=bool))
        assert len(found.pairs) == relations.all(axis=0).sum()
        assert list(found.table.itertuples(index=False, name=None)) == found.pairs
    with pytest.raises(ValueError, match="`k` is 25; it must be at most 24"):
        result.agreement(25)


def random_sample(seed, n_tasks, n_models, **further):
    """Orders of random values in two objectives, and in further ones that are named."""
    ways = BOTH | further
    values = np.random.default_rng(seed).random((n_tasks * n_models, len(ways)))
    frame = pd.DataFrame(values, columns=list(ways))
    frame["task"], frame["model"] = np.divmod(np.arange(n_tasks * n_models), n_models)
    return asked.posets(frame, system="model", item="task", objectives=ways)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_sampling_covers_the_exact_depths(seed):
    sample = random_sample(seed, 30, 5)
    exact = sample.depth()
    estimate = sample.depth(method="sample", n_samples=5000, rng=seed, confidence_level=1 - 1e-9)
    assert (estimate.low <= exact.depth + 1e-12).all()
    assert (estimate.high >= exact.depth - 1e-12).all()
    assert (estimate.high - estimate.low).max() < 0.1


@pytest.mark.slow
def test_intervals_of_sampling_cover_as_often_as_they_say():
    sample = random_sample(5, 36, 5)
    exact = sample.depth().depth
    covered = []
    for seed in range(80):
        found = sample.depth(method="sample", n_samples=2000, rng=seed, confidence_level=0.8)
        covered.append(((found.low <= exact) & (exact <= found.high)).mean())
    # The mean over 80 repeats of a share that should be .8; depths of one repeat hang together.
    assert 0.72 < np.mean(covered) < 0.88


def test_more_items_than_the_depth_is_computed_for_are_refused_with_the_way_out():
    sample = random_sample(0, 2, 65)
    with pytest.raises(ValueError, match=r"65 systems; .* at most 64. Keep the systems of interest"):
        sample.depth()
    with pytest.raises(ValueError, match="65 items; the depth is computed for at most 64"):
        sample.forecast()


@pytest.mark.slow
def test_a_run_that_would_take_long_is_refused_with_a_forecast_and_auto_samples():
    sample = random_sample(1, 300, 6, time="min")
    assert sample.forecast().seconds > 3600
    with pytest.raises(ValueError, match=r'forecast to take .*method="sample"'):
        sample.depth()
    estimate = sample.depth(method="auto", rng=0, n_samples=20_000)
    assert estimate.method == "sample"
    assert (estimate.high - estimate.low).max() < 0.05
    assert sample.depth(max_card=3).max_card == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "fast"}, "`method` is 'fast'"),
        ({"max_card": 1}, "`max_card` is 1"),
        ({"method": "sample", "rng": "x"}, "`rng` is 'x'"),
        ({"method": "sample", "n_samples": 5}, "`n_samples` is 5"),
        ({"confidence_level": 1.0}, "`confidence_level` is 1.0"),
    ],
)
def test_bad_options_of_depth_are_named(options, match):
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    with pytest.raises(ValueError, match=match):
        sample.depth(**options)


def test_equal_orders_have_depth_0_and_it_is_said():
    frame = rows([(1, 9), (2, 8), (3, 7), (1, 5), (2, 4), (3, 3)])
    result = asked.posets(frame, system="model", item="task", objectives=BOTH).depth()
    assert (result.depth == 0).all()
    assert "depths.reasons.all_equal" in said_by(result)


def test_two_orders_with_none_between_have_depth_0_and_are_not_called_equal():
    relations = np.zeros((2, 3, 3), dtype=bool)
    relations[1, 0, 1] = True
    sample = PosetSample(relations, pd.Index(list("abc")), pd.Index(["one", "other"]))
    for method in ("exact", "sample"):
        result = sample.depth(method=method, rng=0)
        assert (result.depth == 0).all()
        assert "depths.reasons.none_between" in said_by(result)


@pytest.mark.parametrize("max_card", [1, 2.5, "3"])
def test_a_forecast_names_a_wrong_largest_size(max_card):
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    with pytest.raises((ValueError, TypeError), match=r"`max_card` is .*whole number of at least 2"):
        sample.forecast(max_card=max_card)


def test_estimates_are_the_same_twice_unless_asked_otherwise():
    sample = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    options = {"method": "sample", "n_samples": 400}
    one, same = sample.depth(**options), sample.depth(**options)
    pd.testing.assert_series_equal(one.depth, same.depth)
    pd.testing.assert_series_equal(one.depth, sample.depth(rng=np.random.default_rng(0), **options).depth)
    assert not one.depth.equals(sample.depth(rng=None, **options).depth)


def with_rows_missing(seed, share=0.3):
    """Five systems on twelve items by two criteria; some rows and some single values are missing."""
    rng = np.random.default_rng(seed)
    item, system = np.indices((12, 5)).reshape(2, -1)
    frame = pd.DataFrame({"task": item, "model": [f"m{k}" for k in system]})
    frame[["error", "seconds"]] = rng.integers(0, 4, (60, 2)).astype(float)
    frame.loc[rng.random(60) < share / 2, "seconds"] = np.nan
    return frame[rng.random(60) > share / 2]


@pytest.mark.parametrize("ties", ["incomparable", "preorder"])
@pytest.mark.parametrize("seed", range(3))
def test_orders_of_the_systems_that_are_there_are_those_of_single_items(seed, ties):
    options = {"system": "model", "item": "task", "objectives": {"error": "min", "seconds": "min"}, "ties": ties}
    frame = with_rows_missing(seed)
    sample = asked.posets(frame, **options, nan_policy="pairwise")
    complete = frame.dropna()
    counts = pd.DataFrame(0, index=sample.systems, columns=sample.systems)
    together = counts.copy()
    for task, rows in complete.groupby("task"):
        together.loc[rows["model"], rows["model"]] += 1
        if len(rows) < 2:
            assert task not in sample.items
            continue
        alone = asked.posets(rows, **options).relation(task)
        found = sample.relation(task)
        assert set(found.index) == set(rows["model"])
        assert found.loc[alone.index, alone.columns].equals(alone)
        counts.loc[alone.index, alone.columns] += alone.astype(int)
        assert sample.table.loc[task, ["pairs", "systems"]].tolist() == [alone.to_numpy().sum(), len(rows)]
    assert (sample.pair_counts == counts).all(axis=None)
    off = ~np.eye(5, dtype=bool)
    kept = complete[complete["task"].isin(sample.items)]
    wide = (kept.groupby(["model", "task"]).size().unstack(fill_value=0).loc[sample.systems] > 0).astype(int)
    assert (sample.common_items.to_numpy() == wide.to_numpy() @ wide.to_numpy().T).all()
    everywhere = (counts.to_numpy() == sample.common_items.to_numpy()) & (counts.to_numpy() > 0) & off
    assert (sample.intersection.to_numpy() == everywhere).all()


def test_gaps_change_nothing_where_there_are_none():
    options = {"system": "model", "item": "task", "objectives": BOTH}
    complete, pairs = asked.posets(PLAIN, **options), asked.posets(PLAIN, **options, nan_policy="pairwise")
    assert pairs.present is None
    assert (complete.relations == pairs.relations).all()
    assert complete.explain() == pairs.explain()
    assert pairs.depth().depth.equals(complete.depth().depth)


def test_equal_relations_of_other_systems_are_distinct():
    frame = pd.DataFrame(
        {"task": [1, 1, 2, 2, 2], "model": list("ababc"), "error": [1.0, 1, 1, 1, 1], "seconds": [1.0, 1, 1, 1, 1]}
    )
    sample = asked.posets(
        frame, system="model", item="task", objectives={"error": "min", "seconds": "min"}, nan_policy="pairwise"
    )
    assert len(sample.distinct) == 2
    assert sample.table["incomparable"].tolist() == [1, 3]


@pytest.mark.parametrize("verb", ["depth", "forecast", "consensus", "review"])
def test_what_is_defined_for_the_same_systems_is_refused(verb):
    """Systems that are missing would count as incomparable, so that orders of few systems would be deep."""
    options = {"system": "model", "item": "task", "objectives": {"error": "min", "seconds": "min"}}
    sample = asked.posets(with_rows_missing(0), **options, nan_policy="pairwise")
    with pytest.raises(ValueError, match=r"a missing system is unknown.*nan_policy=.omit.*is missing from \d+ items"):
        getattr(sample, verb)()
    complete = asked.posets(with_rows_missing(0, share=0.0), **options)
    with pytest.raises(ValueError, match="a missing system is unknown"):
        complete.compare(sample)
    with pytest.raises(ValueError, match="a missing system is unknown"):
        complete.depth(sample)
    assert sample.plot() is not None
    assert sample.plot_hasse(sample.items[0]) is not None
    assert sentence(sample, "posets.reasons.all_distinct_of_some")["total"] == 5
