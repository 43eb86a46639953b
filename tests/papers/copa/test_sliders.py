"""Where COPA's slider leads, on tables small enough to see what must come out."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb import datasets
from copa_nb.papers.copa import sliders as claims


def _front(**columns):
    """A front in two objectives to minimize, as claims about the synthetic front know it."""
    return pd.DataFrame(columns).moo.define(dict.fromkeys(columns, "min"))


def _paths(table, swept):
    return {how: table.moo.copa(normalize=how).navigate(swept) for how in ("none", "minmax", "cdf")}


def _trade_off(scores):
    """Eleven models, of which each emits more than the one before."""
    table = pd.DataFrame({claims.CO2: np.arange(1.0, 12.0), claims.AVERAGE_SCORE: scores}, index=list("abcdefghijk"))
    return table.moo.define({claims.CO2: "min", claims.AVERAGE_SCORE: "max"})


def test_the_front_has_487_of_2148_models():
    # The second objective improves up to row 486 only; the rows after it are dominated by it.
    offered = _front(a=np.arange(2148.0), b=-np.minimum(np.arange(2148.0), 486))
    assert len(offered.moo.front()) == 487
    assert claims.front_size(offered, offered).holds
    found = claims.front_size(offered.iloc[:400], offered)
    assert not found.holds
    assert found.reason == "the paper is in error"
    assert claims.front_size(offered.iloc[:400], offered.iloc[:400]).reason == "not found"


@pytest.mark.parametrize(("scores", "holds"), [([*[50] * 10, 51], True), (np.arange(11.0), False)])
def test_the_choice_at_half_is_among_the_best_18_percent(scores, holds):
    choice = _trade_off(scores).moo.copa(weights={claims.CO2: 0.5}, p="inf")
    found = claims.among_the_best_at_half(choice)
    assert found.holds is holds
    assert str(choice.best) in found.found


def test_other_normalizations_stay_at_one_end():
    straight = _trade_off(np.arange(11.0))
    # Evenly spaced values: min-max moves as evenly as ranks do.
    assert not claims.others_stay_at_one_end(_paths(straight, claims.CO2)).holds
    # One model emits and scores far more than all others, so that min-max stays at the others' end.
    skewed = straight.assign(**{name: [*straight[name].iloc[:10] / 1e3, 100] for name in straight})
    paths = _paths(skewed.moo.define(straight.moo.description["objectives"]), claims.CO2)
    assert claims.others_stay_at_one_end({how: paths[how] for how in ("minmax", "cdf")}).holds


def test_the_choices_of_normalizations_stand_in_a_table():
    table = _trade_off(np.arange(11.0))
    choices = {how: table.moo.copa(normalize=how) for how in ("minmax", "cdf")}
    shown = claims.choices_by_normalization(_paths(table, claims.CO2), choices)
    assert shown["model"].tolist() == ["f", "f"]
    assert shown[f"share better in {claims.CO2}"].tolist() == pytest.approx([5 / 11, 5 / 11])
    stability = choices["cdf"].stability(n_resamples=20, rng=0)
    answer = claims.normalizations_answer(_paths(table, claims.CO2), choices, stability)
    assert answer.headline.startswith("At α = 0.5 COPA selects a model that emits 6 kg")


def test_with_the_maximum_a_weight_is_a_direction():
    rng = np.random.default_rng(0)
    models = _trade_off(np.arange(11.0)).assign(**{claims.AVERAGE_SCORE: rng.permutation(11) + 0.0})
    table = pd.concat([models, models * 1.5 + 0.3]).reset_index(drop=True)
    table = table.moo.define({claims.CO2: "min", claims.AVERAGE_SCORE: "max"})
    check = claims.ranks_make_the_weight_a_direction
    found = check(table.moo.copa(p="inf").navigate(claims.CO2))
    assert found.holds, found
    assert "101 of 101" in found.found
    # A sum of ranks jumps over models that the ray passes, and so do values in their own units.
    curved = _trade_off(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.0]))
    assert not check(curved.moo.copa(p=1).navigate(claims.CO2)).holds
    assert not check(curved.moo.copa(p="inf", normalize="none").navigate(claims.CO2)).holds


def test_ranks_are_those_of_the_objective_swept_and_the_other():
    path = _trade_off(np.arange(11.0)).assign(one=1).moo.copa(p="inf").navigate(claims.CO2)
    ranks = claims.models_by_ranks(path)
    assert ranks["u1"].tolist() == pytest.approx(np.arange(11) / 11)
    assert ranks["1 - u2"].tolist() == pytest.approx(1 - np.arange(10, -1, -1) / 11)
    assert ranks["front"].all()
    other = claims.models_by_ranks(_trade_off(np.zeros(11)).moo.copa(p="inf").navigate(claims.AVERAGE_SCORE))
    assert other["front"].tolist() == [True] + [False] * 10
    assert other["u1"].tolist() == [0] * 11


def _curve(y1):
    """Points on a falling line."""
    return _front(**{claims.Y1: y1, claims.Y2: 4 - np.asarray(y1)})


def test_without_normalization_the_choice_stays_until_three_quarters():
    def found(scale):
        points = _front(**{claims.Y1: [0.1, 0.2], claims.Y2: [2.0 * scale, 1.0 * scale]})
        return claims.naive_stays_at_one_end(points.moo.copa(normalize="none").navigate(claims.Y1))

    # The maximum is (1 - alpha) y2, smallest at the second point, until alpha y1 is larger.
    assert found(10).holds
    assert not found(0.05).holds


def test_ranks_lead_to_the_flat_stretch():
    near = _paths(_curve(np.linspace(0, 0.2, 41)), claims.Y1)
    assert claims.ranks_lead_to_the_flat_stretch(near).holds
    far = _paths(_curve(np.linspace(1, 2, 41)), claims.Y1)
    assert not claims.ranks_lead_to_the_flat_stretch(far).holds
    assert "far from the flat stretch" in claims.flat_stretch_answer(far, 0.5).headline
    assert "near the flat stretch" in claims.flat_stretch_answer(near, 0.5).headline


def test_only_ranks_may_move_along_the_whole_front():
    check = claims.only_ranks_navigate_the_front
    # On a straight line min-max is as even as ranks.
    straight = check(_paths(_curve(np.linspace(0, 0.2, 41)), claims.Y1))
    assert not straight.holds
    assert "minmax" in straight.ours
    # Most points are near one end, and the range of the values ends far away.
    skewed = _paths(_curve([*np.linspace(0, 0.01, 60), 1.5, 3.0]), claims.Y1)
    assert check(skewed).holds
    assert not check({name: path for name, path in skewed.items() if path.normalize != "cdf"}).holds


@pytest.mark.slow
def test_the_evenness_of_the_printed_front_is_that_of_other_code():
    y1, y2 = datasets.synthetic_front(1000, rng=0)[["y1", "y2"]].to_numpy().T
    front = [k for k in range(1000) if not ((y1 < y1[k]) & (y2 <= y2[k]) | (y1 <= y1[k]) & (y2 < y2[k])).any()]
    scaled = {
        "none": (y1, y2),
        "relative": tuple((y - y.min()) / y.min() for y in (y1, y2)),
        "minmax": tuple((y - y.min()) / np.ptp(y) for y in (y1, y2)),
        "cdf": tuple(np.searchsorted(np.sort(y), y) / 1000 for y in (y1, y2)),
    }
    expected = {"none": 0.18, "relative": 0.58, "minmax": 0.85, "cdf": 0.94}
    points = _front(**{claims.Y1: y1, claims.Y2: y2})
    places = dict(zip(front, (stats.rankdata(y1[front]) - 0.5) / len(front), strict=True))
    for how, (first, second) in scaled.items():
        visited = []
        for alpha in np.linspace(0, 1, 101):
            score = np.maximum(alpha * first, (1 - alpha) * second)
            visited.append(places[min(front, key=lambda k, score=score: (round(score[k], 12), first[k] + second[k]))])
        assert 1 - stats.kstest(visited, "uniform").statistic == pytest.approx(expected[how], abs=0.005)
        found = points.moo.copa(normalize=how, p="inf").navigate(claims.Y1)
        assert found.evenness == pytest.approx(expected[how], abs=0.005)


def test_the_synthetic_front_falls_where_it_should_rise():
    found = claims.synthetic_front_rises(_front(**{claims.Y1: [0.02, 0.2], claims.Y2: [3.49, 0.93]}))
    assert not found.holds
    assert "0.5 to 3.0" in found.note


def test_the_sum_stays_at_the_ends():
    # A front that bulges towards the worse side: no weights reach its middle with p = 1.
    line = np.linspace(0, 1, 21)
    bulging = _front(**{claims.Y1: line, claims.Y2: 1 - line})
    paths = {f"p = {p}": bulging.moo.copa(p=p).navigate(claims.Y1) for p in (1, "inf")}
    found = claims.sum_stays_at_the_ends(*paths.values())
    assert found.holds
    assert not claims.sum_stays_at_the_ends(*reversed(paths.values())).holds
    spread = claims.spread_by_order(paths)
    assert spread["points selected"].iloc[1] == 21
    assert claims.orders_answer(paths).headline.endswith("with p = inf 21")


def test_ranks_of_a_front_add_up_to_one_unless_many_points_are_dominated():
    front = _paths(_curve(np.linspace(0, 1, 50)), claims.Y1)
    found = claims.ranks_add_up_to_one(front)
    assert found.holds
    # Half of the points are worse in both: they push the ranks of the others together.
    worse = np.linspace(2, 3, 50)
    crowded = _front(**{claims.Y1: [*np.linspace(0, 1, 50), *worse], claims.Y2: [*np.linspace(1, 0, 50), *worse]})
    assert not claims.ranks_add_up_to_one(_paths(crowded, claims.Y1)).holds
