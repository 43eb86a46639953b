"""What the report on MTEB says, on tables small enough to see what must come out."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.papers.copa import leaderboard as claims
from copa_nb.papers.copa.leaderboard import neighbors_by_bootstrap
from tests import asked


def board(distance, n_tasks=30, n_models=6):
    """Models in a row, each better than the next by the same distance."""
    scores = np.random.default_rng(0).normal(-distance * np.arange(n_models), 1, size=(n_tasks, n_models))
    wide = pd.DataFrame(scores, columns=[f"m{k}" for k in range(n_models)]).rename_axis("task")
    return wide.melt(ignore_index=False, var_name="model", value_name="score").reset_index()


def ranked(distance):
    return asked.board(
        board(distance), system="model", item="task", objectives={"score": "max"}, n_resamples=200
    )  # fmt: skip


def test_intervals_of_neighbors_are_those_of_scipys_bootstrap():
    scores = board(0.5)
    found = neighbors_by_bootstrap(scores, n_resamples=5000, seed=0)
    wide = scores.pivot(index="task", columns="model", values="score")
    assert len(found) == 5
    for row in found.itertuples():
        difference = (wide[row.model] - wide[row.next]).to_numpy()
        assert row.difference == pytest.approx(difference.mean())
        interval = stats.bootstrap((difference,), np.mean, method="percentile", n_resamples=5000, rng=1)
        assert (row.low, row.high) == pytest.approx(tuple(interval.confidence_interval), abs=0.03)
        assert row.separable == (row.low > 0 or row.high < 0)


@pytest.mark.parametrize(("distance", "holds"), [(0.0, True), (5.0, False)])
def test_neighbors_are_not_separable(distance, holds):
    found = claims.neighbors_are_not_separable(neighbors_by_bootstrap(board(distance), n_resamples=500, seed=0))
    assert found.holds == holds
    assert "of 5 differences" in found.found


@pytest.mark.parametrize(("distance", "holds"), [(0.0, False), (1.0, True)])
def test_pairs_are_ordered(distance, holds):
    found = claims.many_pairs_are_ordered(ranked(distance))
    assert found.holds == holds
    assert "of 15 pairs" in found.found


@pytest.mark.parametrize(("scale", "holds"), [("none", True), ("minmax", False)])
def test_the_choice_stays_without_dominated_models(scale, holds):
    # Only with e, which b dominates, the range of y is so large that b seems nearly as good as a there.
    frame = pd.DataFrame({"x": [0.0, 4, 10, 10], "y": [1.0, 0.4, 0, 10]}, index=list("abce"))
    choice = frame.moo(x="min", y="min").copa(normalize=scale, p=1)
    found = claims.choice_stays_without_dominated_models(choice.stability(over="others", dominated=True))
    assert found.holds == holds
    assert "one of the 1 dominated rows" in found.found


def test_the_answer_counts_models_that_may_rank_first():
    apart, together = ranked(3.0), ranked(0.0)
    answer = claims.leaderboard_with_confidence_answer(apart, together)
    assert answer.headline == "1 of 6 models may rank first"
    assert "100% of the pairs" in answer.lines[0]
    assert f"{len(together.may_be_first)} of 6 may rank first" in " ".join(answer.lines)
