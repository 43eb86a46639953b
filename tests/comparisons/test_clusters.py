"""Items in clusters: variances against statsmodels, signs against brute force, and what must not change an answer."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.comparisons.arrays.uncertainty import from_items, significantly_better
from tests import asked
from tests.asked import measurements

OBJECTIVES = {"right": "max", "cost": "min"}
READING = {"system": "model", "item": "question", "objectives": OBJECTIVES}
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=8)


def table_of(seed, sizes=(1, 3, 5, 5, 8, 2, 4, 6), n_systems=4):
    """Scores with levels of items that all systems share, and effects of each system in each cluster."""
    rng = np.random.default_rng(seed)
    passage = np.repeat(np.arange(len(sizes)), sizes)
    n = len(passage)
    effects = rng.normal(0, 0.5, size=(n_systems, len(sizes), 2))[:, passage]
    means = rng.normal(0, 1, size=(n_systems, 1, 2))
    means[0, 0, 1] += 2  # the reference of `cheaper` is dear
    values = means + rng.standard_normal((1, n, 2)) + effects + 0.3 * rng.standard_normal((n_systems, n, 2))
    frame = pd.DataFrame(values.reshape(-1, 2), columns=list(OBJECTIVES))
    frame["model"] = np.repeat([f"m{k}" for k in range(n_systems)], n)
    frame["question"], frame["passage"] = np.tile(np.arange(n), n_systems), np.tile(passage, n_systems)
    return frame


def answers(frame, **options):
    """What the three verbs compute, per system."""
    reading = {**READING, **options}
    front = asked.confident_front(frame, **reading, n_resamples=150).table
    ranks = asked.board(frame, **reading, n_resamples=150).table
    cheaper = asked.cheaper(frame, "m0", cost="cost", margin={"right": 0.3}, **reading).table
    return pd.concat(
        [
            front[["right", "cost", "share", "verdict"]],
            ranks[["rank", "score", "low", "high", "tier"]],
            cheaper[["pvalue", "equivalent"]],
        ],
        axis=1,
    ).sort_index()


def uncertainty_of(frame, **options):
    return measurements(frame, **READING, **options).uncertainty(100, np.random.default_rng(0))


@few
@given(seed=seeds)
def test_variances_are_those_of_a_regression_with_errors_robust_to_clusters(seed):
    api = pytest.importorskip("statsmodels.api", reason="the package to compare with is not installed")
    frame = table_of(seed)
    found = uncertainty_of(frame, cluster="passage").variances()
    models = sorted(frame["model"].unique())
    for (k, name), (i, j) in itertools.product(enumerate(OBJECTIVES), itertools.combinations(range(len(models)), 2)):
        wide = frame.pivot(index=["passage", "question"], columns="model", values=name)
        differences = wide[models[i]] - wide[models[j]]
        groups = differences.index.get_level_values("passage").to_numpy()
        fit = api.OLS(differences.to_numpy(), np.ones(len(differences))).fit(
            cov_type="cluster", cov_kwds={"groups": groups}
        )
        assert found[k, i, j] == pytest.approx(fit.bse[0] ** 2, rel=1e-10)


@few
@given(seed=seeds, shift=st.floats(0, 2))
def test_two_systems_are_compared_under_all_signs_of_the_clusters(seed, shift):
    """Nine clusters have 512 signs: the difference is significant if no more than 5% of them reach it."""
    frame = table_of(seed, sizes=(3, 5, 4, 2, 6, 3, 4, 5, 4), n_systems=2)
    frame["right"] += shift * (frame["model"] == "m0")
    scores = -frame.pivot(index="question", columns="model", values="right").to_numpy()
    passages = frame[frame["model"] == "m0"].sort_values("question")["passage"].to_numpy()
    measured = from_items(
        scores[:, None, :, None], np.array([False]), clusters=passages, n_resamples=600, rng=np.random.default_rng(0)
    )
    sums = pd.Series(scores[:, 1] - scores[:, 0]).groupby(passages).sum().to_numpy()
    signs = np.array(list(itertools.product([1, -1], repeat=len(sums))))
    pvalue = (np.abs(signs @ sums) >= abs(sums.sum()) * (1 - 1e-9)).mean()
    if not measured.skewed.any():
        assert significantly_better(measured, alpha=0.05).any() == (pvalue <= 0.05)
    else:  # one further cluster as extreme as the largest: never more significant
        assert significantly_better(measured, alpha=0.05).any() <= (pvalue <= 0.05)


@few
@given(seed=seeds)
def test_one_item_per_cluster_is_no_cluster(seed):
    frame = table_of(seed)
    names = np.random.default_rng(seed).permutation(frame["question"].nunique())
    alone = frame.assign(passage=names[frame["question"]])
    pd.testing.assert_frame_equal(answers(alone, cluster="passage"), answers(frame))


@few
@given(seed=seeds)
def test_names_and_order_of_clusters_mean_nothing(seed):
    frame = table_of(seed)
    names = np.random.default_rng(seed).permutation(frame["passage"].nunique())
    renamed = frame.assign(passage=[f"p{names[one]}" for one in frame["passage"]]).sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(answers(renamed, cluster="passage"), answers(frame, cluster="passage"))


@few
@given(seed=seeds)
def test_means_are_those_over_items(seed):
    frame = table_of(seed)
    found = answers(frame, cluster="passage")[list(OBJECTIVES)]
    expected = frame.groupby("model")[list(OBJECTIVES)].mean()
    pd.testing.assert_frame_equal(found, expected, check_names=False)


def test_resamples_draw_whole_clusters():
    """The spread of means over resamples is the cluster-robust error, not that of independent items."""
    frame = table_of(1, sizes=(5,) * 40)
    read = measurements(frame, **READING, cluster="passage")
    draws = read.uncertainty(4000, np.random.default_rng(0)).draws
    measured = uncertainty_of(frame, cluster="passage")
    spread = (draws[:, 0, 0] - draws[:, 0, 1]).var()
    assert spread == pytest.approx(measured.variances()[0, 0, 1], rel=0.15)
    assert spread > 2 * uncertainty_of(frame).variances()[0, 0, 1]


def test_copies_of_items_add_nothing():
    """Every item four times, in a cluster of its own: the same intervals as without the copies."""
    frame = table_of(3, sizes=(1,) * 24)
    copies = pd.concat([frame.assign(question=frame["question"] * 4 + k) for k in range(4)])
    copies["original"] = copies["question"] // 4
    kept = ["right", "cost", "verdict", "low", "high", "pvalue", "equivalent"]
    found = answers(copies, cluster="original")[kept]
    pd.testing.assert_frame_equal(found, answers(frame)[kept])


def test_of_nested_columns_the_outermost_counts():
    frame = table_of(2)
    frame["book"] = frame["passage"] // 2
    expected = answers(frame, cluster="book")
    pd.testing.assert_frame_equal(answers(frame, cluster=["passage", "book"]), expected)
    pd.testing.assert_frame_equal(answers(frame, cluster=["book", "passage"]), expected)
    assert "in 4 books" in asked.board(frame, **READING, cluster=["book", "passage"]).explain()


def test_seeds_that_all_items_share_are_tested_with_clusters():
    """Two-way tests of items in clusters and seeds never find more than those of independent items."""
    frame = pd.concat([table_of(4, sizes=(6,) * 12).assign(seed=seed) for seed in range(3)])
    rng = np.random.default_rng(0)
    frame["right"] += rng.normal(0, 0.2, len(frame))
    frame["cost"] += rng.normal(0, 0.2, len(frame))
    wide, narrow = (
        asked.board(frame, **READING, repeat="seed", **cluster).table for cluster in ({"cluster": "passage"}, {})
    )
    assert (wide["high"] - wide["low"]).sum() > (narrow["high"] - narrow["low"]).loc[wide.index].sum()


def test_words():
    frame = table_of(5)
    said = asked.board(frame, **READING, cluster="passage").explain()
    assert "34 questions in 8 passages" in said
    assert "samples of independent passages" in said
    few_of_them = frame[frame["passage"].isin([1, 2, 3, 4])]
    said = asked.confident_front(few_of_them, **READING, cluster="passage").explain()
    assert "With 4 passages, no difference can be significant at 5" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"item": None, "repeat": "question", "cluster": "passage"}, "`cluster` is 'passage', without `item`"),
        ({"cluster": "page"}, "`cluster` names 'page', which is not a column"),
        ({"cluster": []}, "`cluster` is an empty list"),
        ({"cluster": "model"}, "item 0 is in more than one cluster"),
        ({"cluster": "all"}, "has one value for all 34 complete items"),
        ({"cluster": ["passage", "odd"]}, "are not nested"),
        ({"item": "number", "cluster": "passage"}, r"name these columns with `item`: \['passage', 'number'\]"),
    ],
)
def test_what_is_no_cluster_is_refused(options, message):
    frame = table_of(6)
    frame["all"], frame["odd"] = 1, frame["question"] % 2
    frame["number"] = frame["question"] - frame.groupby("passage")["question"].transform("min")
    with pytest.raises(ValueError, match=message):
        asked.board(frame, **{**READING, **options})
