"""COPA's statements about its criterion, on tables small enough to see what must come out."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.papers.copa import theory as claims


def _front(a, b):
    return pd.DataFrame({"a": a, "b": b}, index=[f"row {i}" for i in range(len(a))]).moo.define(a="min", b="min")


def _simulated(**options):
    return claims.simulate_ranks([0.2, 0.5], [10, 50], repeats=400, rng=np.random.default_rng(0), **options)


def test_simulated_ranks_have_the_moments_of_a_binomial():
    alone, counted = _simulated(), _simulated(counts_itself=True)
    assert np.allclose(alone["exact variance"], alone["u"] * (1 - alone["u"]) / alone["N"])
    # Of N - 1 others, (N - 1) u are better, of which a share of 1/N each is counted.
    others = counted["N"] - 1
    assert np.allclose(counted["exact bias"], others * counted["u"] / counted["N"] - counted["u"])
    assert np.allclose(counted["exact variance"], others * counted["u"] * (1 - counted["u"]) / counted["N"] ** 2)
    for found in (alone, counted):
        assert (found["bias"] - found["exact bias"]).abs().max() < 4 * found["bias_error"].max()
        assert (found["variance"] / found["exact variance"] - 1).abs().max() < 0.3


def test_ranks_are_unbiased_unless_their_means_or_variances_are_off():
    alone, counted = _simulated(), _simulated(counts_itself=True)

    def holds(found):
        return claims.ranks_are_unbiased(found, counted, 400).holds

    assert holds(alone)
    assert not holds(alone.assign(bias=alone["bias"] + 0.1))
    assert not holds(alone.assign(variance=2 * alone["variance"]))
    assert "at most 5 points" in claims.rank_precision_answer(alone, 400).headline  # 0.5 / √100


def test_tables_of_rank_errors():
    scaled = claims.times_size(_simulated(counts_itself=True))
    assert np.allclose(scaled["exact, −u"], -scaled.index.get_level_values("u"))
    assert claims.errors_by_size([100])["standard error at the median"].tolist() == [0.05]
    five = claims.intervals_of_five()
    # The best of five: its true rank has the distribution Beta(1, 5), with upper quantile 1 - 0.025 ** (1/5).
    assert five["exact, to"].iloc[0] == pytest.approx(1 - 0.025**0.2)
    assert five["û + 1.96 SE"].iloc[0] == 0


STEPS = np.linspace(0.1, 0.9, 9)


def _checked(models, orders, path):
    weights = np.column_stack([STEPS, 1 - STEPS])
    reach = claims.reach_of_weights(models, weights, orders)
    chosen = [models.moo.copa(p=p, weights=list(weight)).best for p in orders for weight in weights]
    return reach, claims.reached_by_own_weights(models), path, chosen


def _path(models):
    return models.moo.copa(p="inf").navigate("a", importances=list(STEPS))


def test_all_optimal_rows_are_reached_and_a_dominated_one_ties():
    # The last row equals the first in a, where both are worst, and is dominated by it.
    tied = _front([3, 2, 1, 3], [1, 2, 3, 1.5])
    reach, own_weights, path, chosen = _checked(tied, [1, 2, "inf"], _path(tied))
    assert own_weights.tolist() == [True, True, True]
    assert reach.table.loc["∞", claims.DOMINATED] > 0
    assert reach.table.loc[["1", "2"], claims.DOMINATED].sum() == 0
    assert list(reach.times_first) == ["1", "2", "inf"]
    assert claims.alphas_with_dominated(path) == reach.table.loc["∞", claims.DOMINATED]
    found = claims.choices_are_optimal(reach, own_weights, path, chosen)
    assert found.holds
    assert "with the tie rule only optimal" in found.found
    assert claims.optimal_models_answer(reach, own_weights, path, chosen).headline.startswith("With p = ∞ all 3 ")
    assert "never" in claims.optimal_models_answer(reach, own_weights, path, chosen).lines[0]


def test_a_row_that_is_missed_or_a_dominated_one_that_is_returned_contradicts():
    plain = _front([3, 2, 1, 4], [1, 2, 3, 4])
    reach, own_weights, path, chosen = _checked(plain, [1, "inf"], _path(plain))
    assert not claims.choices_are_optimal(reach, own_weights, path, chosen).holds  # nothing ties
    missed = own_weights.copy()
    missed.iloc[0] = False
    assert claims.optimal_models_answer(reach, missed, path, chosen).headline.startswith("With p = ∞ 2 of 3 ")
    found = claims.choices_are_optimal(reach, missed, path, [*chosen, "row 3"])
    assert "0 dominated" in found.found
    assert "not only optimal" in found.found


def test_weights_outside_the_power_are_roots_inside():
    points = _front(np.linspace(0, 1, 21), np.linspace(1, 0, 21))
    paths = claims.paths_by_place_of_weights(points, [1, 2, "inf"], 21)
    by_place = {key: part.reset_index(drop=True) for key, part in paths.groupby(["p", "weights"])}
    # With p = 1 both are the same sum; at p = ∞ every positive weight counts alike.
    assert by_place["1", "inside"]["a"].equals(by_place["1", "outside"]["a"])
    assert by_place["∞", "outside"]["a"].iloc[1:-1].nunique() == 1
    # At p = 2 and alpha = 0.8, weights of 0.8 and 0.2 outside are 2 to 1 inside: alpha = 2/3.
    outside = by_place["2", "outside"].set_index("α")["a"].loc[0.8]
    assert outside == points.loc[points.moo.copa(p=2, weights=[2, 1]).best, "a"]


def test_weights_outside_the_power_lose_their_effect():
    points = _front(np.linspace(0, 1, 21), np.linspace(1, 0, 21))
    reach = claims.reach_by_place(claims.paths_by_place_of_weights(points, [2, "inf"], 21))
    assert reach.loc[("2", "outside"), claims.RATIO] == 3
    found = claims.weights_outside_lose_their_effect(reach)
    assert found.holds
    assert found.ours == "0% of the front at p = ∞"
    swapped = reach.rename(index={"inside": "outside", "outside": "inside"}, level="weights")
    assert not claims.weights_outside_lose_their_effect(swapped).holds
    assert "weights outside 0%" in claims.place_of_weights_answer(reach, points).headline


def test_a_small_p_selects_sparse_ranks():
    # Ranks 0, 0, 5 have the smaller sum, and 2, 2, 2 the smaller maximum.
    costs = np.array([[0, 0, 9], [1, 1, 8], [2, 2, 2], [3, 3, 3], [8, 8, 1], [9, 9, 0]], dtype=float)
    models = pd.DataFrame(costs, columns=list("abc")).moo.define(a="min", b="min", c="min")
    ranks = models.moo.normalize().to_numpy()
    weights = np.array([[0.33, 0.34, 0.33], [0.34, 0.33, 0.33]])
    found = claims.sparsity_of_choices(models, weights, [1, "inf"])
    assert found.index.tolist() == ["1", "∞"]
    for p, row in zip(["1", "inf"], found.to_numpy(), strict=True):
        chosen = [ranks[models.index.get_loc(models.moo.copa(p=p, weights=list(weight)).best)] for weight in weights]
        root = np.sqrt(3)
        sparsity = [(root - values.sum() / np.linalg.norm(values)) / (root - 1) for values in chosen]
        assert row == pytest.approx(
            [np.mean(sparsity), np.mean([(v < 0.01).sum() for v in chosen]), np.mean([v.max() for v in chosen])]
        )
    assert claims.small_orders_are_sparse(found).holds


def test_ranks_without_any_better_row_are_not_sparse():
    models = pd.DataFrame({"a": [0.0, 1], "b": [0.0, 1]}).moo.define(a="min", b="min")
    found = claims.sparsity_of_choices(models, np.array([[0.5, 0.5]]), [1, 2])
    assert found[claims.SPARSITY].tolist() == [0, 0]
    assert not claims.small_orders_are_sparse(found).holds
    assert not claims.small_orders_are_sparse(found.iloc[:1]).holds


@pytest.mark.parametrize("p", [1.0, 2.0, 6.0])
def test_what_some_weights_put_first_is_what_a_grid_of_weights_finds(p):
    rng = np.random.default_rng(4)
    angles, beyond = rng.uniform(0, np.pi / 2, 80), np.r_[np.ones(20), rng.uniform(1.02, 1.8, 60)]
    costs = np.column_stack([np.cos(angles), np.sin(angles)]) * beyond[:, None]
    table = pd.DataFrame(costs, columns=["a", "b"]).moo.define(a="min", b="min")
    ranks = np.array([[(costs[:, k] < cost[k]).mean() for k in (0, 1)] for cost in costs])
    # Weights on a scale of their odds: those of high powers are far apart.
    odds = np.exp(np.linspace(-60, 60, 60_001))
    firsts = {int((one * ranks[:, 0] ** p + ranks[:, 1] ** p).argmin()) for one in odds}
    reached = claims.reached_at_any_weights(table, [p])[p]
    assert set(reached.index[reached]) == firsts | set(np.flatnonzero((ranks == 0).any(axis=1)))
    assert not reached.all()


def test_finite_orders_must_miss_some_and_larger_ones_fewer():
    reached = pd.DataFrame({1.0: [True, False, False], 2.0: [True, True, False]})
    assert claims.finite_orders_miss_optima(reached).holds
    assert claims.finite_orders_miss_optima(reached).ours == "2 of 3 (p = 1)"
    assert not claims.finite_orders_miss_optima(reached.assign(**{"2.0": True}).set_axis([1.0, 2.0, 3.0], axis=1)).holds
    assert not claims.finite_orders_miss_optima(reached[[2.0, 1.0]].set_axis([1.0, 2.0], axis=1)).holds
