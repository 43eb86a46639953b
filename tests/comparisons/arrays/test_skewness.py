"""When differences between means are too skewed for tests of this many items, clusters or runs."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.comparisons.arrays.skewness import skewness_of_runs
from copa_nb.comparisons.arrays.uncertainty import from_runs
from tests import asked
from tests.asked import scores_after_choice


def cost(rng, sigma, n):
    return np.exp(sigma * rng.normal(size=n))


def test_runs_that_are_skewed_alike_have_means_whose_differences_are_not():
    rng = np.random.default_rng(0)
    alike = rng.exponential(size=20)
    assert not skewness_of_runs([alike, alike + 1]).is_much
    assert skewness_of_runs([cost(rng, 1.5, 20), cost(rng, 0.2, 20)]).is_much
    # Of unequal numbers of runs, the mean of the fewer is the more skewed.
    assert skewness_of_runs([alike, np.tile(alike, 20)]).is_much


@pytest.mark.parametrize(("n_right", "doubtful"), [((14, 12), False), ((20, 18), True)])
def test_runs_that_are_right_or_wrong_are_doubtful_near_an_end(n_right, doubtful):
    runs = [(np.arange(20) < n).astype(float)[:, None] for n in n_right]
    measured = from_runs(runs, np.array([False]), n_resamples=100, rng=np.random.default_rng(0))
    assert measured.doubtful.tolist() == [doubtful]


def in_clusters(n_apart, n_wrong):
    """Twenty clusters of three questions, wrong as wholes; the new system is right in some that the other is not."""
    wrong = np.arange(20) < n_wrong
    answers = {"old": ~wrong, "new": ~wrong | (np.arange(20) < n_apart)}
    rows = [
        (system, 3 * cluster + question, cluster, float(right[cluster]))
        for system, right in answers.items() for cluster in range(20) for question in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "question", "passage", "score"])


@pytest.mark.parametrize(
    ("n_apart", "n_wrong", "expected"),
    [(4, 10, ["skewed"]), (5, 10, []), (5, 9, ["skewed"]), (5, 15, []), (5, 16, ["skewed"])],
)
def test_clusters_of_right_answers_that_differ_are_counted(n_apart, n_wrong, expected):
    """As few as five differ, are wrong, and are right; all of them the same way, which is skewed in any case."""
    found = asked.compare(
        in_clusters(n_apart, n_wrong), new="new", baseline="old", system="system", item="question", cluster="passage",
        objectives={"score": "max"},
    )  # fmt: skip
    assert [one.name for one in found.guarantee.warnings if one.name == "skewed"] == expected


def test_the_two_ends_of_one_system_are_not_compared():
    """Steady scores of which some are missing: what is filled in is far from the others, for either end."""
    rng = np.random.default_rng(3)
    rows = [(f"s{i}", item, rng.normal()) for i in range(6) for item in range(60)]
    frame = pd.DataFrame(rows, columns=["system", "item", "score"]).sample(frac=0.97, random_state=0)
    options = {"system": "system", "item": "item", "objectives": {"score": "min"}, "nan_policy": "bounds"}
    found = asked.board(frame, **options, bounds={"score": (-4, 4)}, n_resamples=100)
    assert [one.name for one in found.guarantee.warnings] == []


def test_runs_that_are_right_or_wrong_have_the_intervals_of_items():
    answers = np.repeat([[1.0, 0.0]], 20, axis=0)
    answers[:6, 0], answers[:9, 1] = 0.0, 1.0
    rows = [(f"s{i}", run, answers[run, i]) for i in range(2) for run in range(20)]
    frame = pd.DataFrame(rows, columns=["system", "run", "score"])
    options = {"system": "system", "objectives": {"score": "max"}}
    runs = scores_after_choice(frame, **options, repeat="run")
    items = scores_after_choice(frame, **options, item="run")
    assert runs.best == items.best == "s0"
    naive = ["naive_low", "naive_high"]
    assert runs.table.loc["score", naive].tolist() == pytest.approx(items.table.loc["score", naive].tolist(), abs=0.01)
    assert 0.4 < runs.table.loc["score", "low"] < runs.table.loc["score", "high"] < 0.9
    assert runs.guarantee.warnings == ()
