"""Suites of problems and consensus rankings, against brute force."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb import datasets
from copa_nb.partial_orders.arrays.consensus import borda_scores
from copa_nb.partial_orders.arrays.relations import relations_from_costs
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.results.note import Note
from tests import asked
from tests.said import said_by, sentence


def sample_of(seed, n_groups=8, n_items=4, n_criteria=2):
    relations = relations_from_costs(np.random.default_rng(seed).random((n_groups, n_items, n_criteria)))[0]
    return PosetSample(relations, pd.Index([f"m{i}" for i in range(n_items)]), pd.RangeIndex(n_groups, name="task"))


def test_borda_is_the_usual_count_on_linear_orders():
    order = np.array([[2, 0, 1, 3], [0, 1, 2, 3], [3, 2, 0, 1]])
    chains = order[:, :, None] < order[:, None, :]
    usual = (3 - order).mean(axis=0)
    np.testing.assert_allclose(borda_scores(chains), 2 * usual - 3)


@pytest.mark.parametrize("against", [0, 1, 2])
def test_a_consensus_counts_the_pairs_that_it_contradicts(against):
    above = np.array([[0, 1], [0, 0]], dtype=bool)
    sample = PosetSample(np.stack([above] * 3 + [above.T] * against), ["a", "b"], list(range(3 + against)))
    found = sample.consensus()
    assert sentence(found, "consensus.reasons.contradicts") == {"n": against}
    assert sentence(found, "consensus.headline.first") == {"names": ["a", "b"]}


def test_consensus_beside_the_most_central_order():
    sample = asked.posets(datasets.load_bbob(), system="optimizer", item="function")
    merged = sample.consensus()
    depths = sample.depth()
    assert merged.central == 10
    assert merged.depths.depth["most central: 10"] == pytest.approx(depths.depth[10])
    places = merged.table["kemeny"].loc[sample.systems].to_numpy()
    counts = sample.pair_counts.to_numpy()
    assert merged.disagreements == counts[places[:, None] > places[None, :]].sum()
    central = sample.relation(10)
    for _, row in merged.contradicted.iterrows():
        assert central.loc[row["above"], row["below"]]
        ranks = merged.table[row["ranking"].lower()]
        assert ranks[row["below"]] < ranks[row["above"]]
    assert sentence(merged, "consensus.reasons.contradicts") == {"n": merged.disagreements}


def test_review_says_what_leaving_out_does():
    sample = sample_of(4)
    review = sample.review(k=2)
    whole = sample.depth()
    center = whole.agreement(2).shared
    pd.testing.assert_frame_equal(review.center, center)
    for group in sample.items:
        left = sample.without([group]).depth()
        assert review.table.loc[group, "center_kept"] == left.agreement(2).shared.equals(center)
        before = whole.depth.drop(group)
        change = (left.depth / left.depth.sum() - before / before.sum()).abs().max()
        assert review.table.loc[group, "change"] == pytest.approx(change)
    assert list(review.table.index) == list(whole.order)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_what_can_be_left_out_together_keeps_the_centre(seed):
    sample = sample_of(seed, n_groups=7)
    review = sample.review()
    left = sample.without(review.removable)
    assert left.depth().agreement(review.k).shared.equals(review.center)


def test_nearest_neighbour_is_the_order_that_differs_least():
    sample = sample_of(7, n_groups=6)
    table = sample.review().table
    for group in sample.items:
        others = {
            other: (sample.relation(group) ^ sample.relation(other)).to_numpy().sum() / 12
            for other in sample.items
            if other != group
        }
        assert table.loc[group, "distance"] == pytest.approx(min(others.values()))
        assert others[table.loc[group, "nearest"]] == pytest.approx(min(others.values()))


def test_review_needs_something_to_leave_out():
    nothing = sample_of(0, n_groups=2).review()
    assert isinstance(nothing, Note)
    assert "has 2" in nothing
    with pytest.raises(ValueError, match="`k` is 8"):
        sample_of(0).review(k=8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "options", "method"),
    [(25, {}, "sample"), (25, {"method": "auto"}, "sample"), (25, {"method": "exact"}, "exact"), (24, {}, "exact")],
)
def test_depths_of_large_suites_are_estimated_in_a_review_and_it_says_so(n, options, method):
    review = sample_of(0, n_groups=n, n_items=3).review(n_samples=200, **options)
    assert review.depths.method == method
    assert ("suite_review.certainty.estimated" in said_by(review)) == (method == "sample")


def test_exact_depths_of_a_review_are_exact_in_all_of_its_parts_or_in_none():
    sample = sample_of(0, n_groups=20)
    with copa_nb.options(max_seconds=0):
        estimated = sample.review(method="auto", n_samples=200)
    assert estimated.depths.method == "sample"
    assert sample.review(method="auto").depths.method == "exact"


def test_a_suite_compared_with_itself_is_the_same():
    sample = sample_of(3)
    found = sample.compare(sample, names=("A", "B"), rng=0, n_resamples=200)
    assert found.statistic == pytest.approx(0)
    assert found.pvalue == 1
    assert (found.shares == 0).all(axis=None)
    np.testing.assert_allclose(found.depths["depth in A"], found.depths["depth in B"])


def test_suites_that_disagree_are_told_apart_and_halves_are_not():
    rng = np.random.default_rng(0)
    quality = np.array([0.0, 1.0, 2.0, 3.0])[None, :, None]
    make = lambda sign: relations_from_costs(sign * quality + rng.normal(size=(15, 4, 2)))[0]  # noqa: E731
    items, groups = pd.Index(list("abcd")), pd.RangeIndex(15)
    one, other, same = (PosetSample(make(sign), items, groups) for sign in (1, -1, 1))
    apart = one.compare(other, rng=0, n_resamples=500)
    assert apart.pvalue < 0.01
    assert apart.table.loc["first", "mean depth in first"] > apart.table.loc["first", "mean depth in second"]
    assert "suite_comparison.headline.differ" in said_by(apart)
    assert one.compare(same, rng=0, n_resamples=500).pvalue > 0.05
    again = one.compare(other, n_resamples=500)
    assert (again.pvalue, again.statistic) == (apart.pvalue, apart.statistic)


@pytest.mark.slow
def test_p_values_of_halves_are_not_too_small():
    small = []
    for seed in range(100):
        sample = sample_of(seed, n_groups=12)
        halves = sample.only(range(6)), sample.only(range(6, 12))
        small.append(halves[0].compare(halves[1], rng=seed, n_resamples=99).pvalue <= 0.1)
    # Level .1: more than 20 of 100 would happen once in a thousand times.
    assert sum(small) <= 20


def test_suites_need_the_same_items_and_two_names():
    sample = sample_of(3)
    with pytest.raises(ValueError, match="`other` compares"):
        sample.compare(sample_of(3, n_items=5))
    with pytest.raises(ValueError, match="two different names"):
        sample.compare(sample, names=("A", "A"))


def test_indifferent_items_speak_for_neither_ranking():
    relations = np.zeros((3, 3, 3), dtype=bool)
    relations[:, :2, 2] = True
    relations[:, 0, 1] = relations[:, 1, 0] = True
    merged = PosetSample(relations, pd.Index(list("abc")), pd.Index([1, 2, 3]), "preorder").consensus()
    assert merged.disagreements == 0
    assert merged.contradicted.empty
    assert merged.table.loc[["a", "b"], "borda"].tolist() == [1, 1]
    assert merged.table.loc["c", "above"] == 2


def test_opposite_orders_leave_kemeny_open_whatever_the_order_of_rows():
    relations = np.zeros((2, 2, 2), dtype=bool)
    relations[0, 0, 1] = relations[1, 1, 0] = True
    for items, orders in (("ab", relations), ("ba", relations[:, ::-1, ::-1])):
        merged = PosetSample(orders, pd.Index(list(items)), pd.Index([1, 2])).consensus()
        assert merged.kemeny == ["a", "b"]
        assert merged.unique is False
        assert merged.optima == [["a", "b"], ["b", "a"]]
        assert (merged.n_optima, merged.counted) == (2, True)
        assert merged.open_pairs.to_numpy().tolist() == [["a", "b"]]
        assert merged.table[["kemeny_from", "kemeny_to"]].to_numpy().tolist() == [[1, 2], [1, 2]]
        found = sentence(merged, "consensus.certainty.several")
        assert (found["n"], [(pair["above"], pair["below"]) for pair in found["pairs"]]) == (2, [("a", "b")])


def test_a_unique_ranking_says_so():
    merged = asked.posets(datasets.load_moea(), system="algorithm", item="problem").consensus()
    assert merged.unique is True
    assert merged.open_pairs.empty
    assert merged.optima == [merged.kemeny]
    assert "consensus.certainty.unique" in said_by(merged)


@pytest.fixture
def times():
    rng = np.random.default_rng(6)
    rows = [(system, problem) for system in "abcdef" for problem in range(9)]
    table = pd.DataFrame(rows, columns=["system", "problem"])
    return table.assign(time=rng.random(len(rows)), memory=rng.random(len(rows)))


def _orders(times, systems):
    ways = {"time": "min", "memory": "min"}
    return asked.posets(times[times["system"].isin(list(systems))], system="system", item="problem", objectives=ways)


def test_each_newcomer_joins_alone(times):
    sample, everyone = _orders(times, "abcd"), _orders(times.sample(frac=1, random_state=1), "abcdef")
    review = sample.review(newcomers=everyone)
    assert list(review.newcomers.index) == list("fe") or list(review.newcomers.index) == list("ef")
    before = sample.depth()
    for joined, line in review.newcomers.iterrows():
        alone = _orders(times, f"abcd{joined}").depth()
        pairs = list(itertools.combinations(before.depth.index, 2))
        signs = np.array([[np.sign(one[a] - one[b]) for a, b in pairs] for one in (before.depth, alone.depth)])
        tau = (signs[0] * signs[1]).sum() / np.sqrt((signs[0] != 0).sum() * (signs[1] != 0).sum())
        assert line["agreement"] == pytest.approx(tau)
        assert line["deepest_kept"] == bool({*alone.deepest} & {*before.deepest})
    assert sentence(review, "suite_review.details.newcomers")["n"] == 2
    assert sample.review().newcomers is None
    assert "suite_review.details.newcomers" not in said_by(sample.review())


def test_newcomers_are_ordered_together_with_the_sample(times):
    sample = _orders(times, "abcd")
    with pytest.raises(ValueError, match="lacks the system 'a'"):
        sample.review(newcomers=_orders(times, "bcdef"))
    with pytest.raises(ValueError, match="lacks the problem 3"):
        sample.review(newcomers=_orders(times[times["problem"] != 3], "abcdef"))
    with pytest.raises(ValueError, match="no system that is not in the sample"):
        sample.review(newcomers=sample)
