import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests.said import said_by, sentence


def table(n, k, seed, levels=None):
    rng = np.random.default_rng(seed)
    values = rng.random((n, k)) if levels is None else rng.integers(0, levels, size=(n, k))
    frame = pd.DataFrame(values, columns=[f"o{i}" for i in range(k)], index=[f"m{i}" for i in range(n)])
    return frame.moo.define(dict.fromkeys(frame.columns, "min"))


@pytest.mark.parametrize("p", [1, 2, "inf"])
def test_two_objectives_agree_with_navigation(p):
    frame = table(50, 2, 0)
    result = frame.moo.copa(p=p).sensitivity()
    path = frame.moo.copa(p=p).navigate("o0", importances=997).path
    for alpha, name in path["selected"].items():
        inside = result.regions[(result.regions["low"] <= alpha + 1e-9) & (alpha - 1e-9 <= result.regions["high"])]
        assert name in inside.index
    assert result.regions["share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("p", [1, 4, "inf"])
@pytest.mark.parametrize("levels", [None, 5])
def test_just_inside_the_choice_stays_and_just_outside_it_changes(p, levels):
    frame = table(60, 4, 2, levels)
    choice = frame.moo.copa(p=p, weights={"o1": 0.4})
    result = choice.sensitivity()
    for name, row in result.intervals.iterrows():
        others = {o: w for o, w in choice.weights.items() if o != name}
        scale = sum(others.values())

        def chosen(alpha, name=name, others=others, scale=scale):
            weights = {name: alpha} | {o: (1 - alpha) * w / scale for o, w in others.items()}
            return frame.moo.copa(p=p, weights=weights).best

        assert row["low"] <= row["weight"] <= row["high"]
        if row["low"] > 0:
            assert chosen(row["low"] + 1e-7) == choice.best
            assert chosen(row["low"] - 1e-7) == row["below"] != choice.best
        if row["high"] < 1:
            assert chosen(row["high"] - 1e-7) == choice.best
            assert chosen(row["high"] + 1e-7) == row["above"] != choice.best


def test_the_rival_wins_just_beyond_its_weights():
    frame = table(60, 3, 4)
    result = frame.moo.copa(p=2).sensitivity()
    beyond = {
        name: moved * (moved * 3) ** 0.001 for name, moved in result.rival_weights.items()
    }  # a little further in the same direction, from even weights
    assert result.factor > 1
    assert frame.moo.copa(p=2, weights=beyond).best == result.rival
    assert str(result.rival) in result.explain()


def test_a_rival_that_has_drawn_level_already_is_said_to():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0]}, index=list("xyz")).moo.define(a="min", b="min")
    choice = frame.moo.copa(p=1)
    assert choice.tied == list("xyz")
    assert "choice.certainty.weights_level" in said_by(choice.sensitivity())


def test_three_objectives_shares_are_areas():
    # Three rows, each perfect in one objective: by symmetry each owns a third of the triangle.
    frame = pd.DataFrame(1.0 - np.eye(3), columns=list("abc"), index=list("xyz")).moo.define(a="min", b="min", c="min")
    result = frame.moo.copa(p=1).sensitivity()
    assert result.regions["share"].to_dict() == pytest.approx(dict.fromkeys("xyz", 1 / 3), abs=0.01)
    assert result.weights.shape == (10_000, 3)


def test_constraints_are_kept():
    frame = table(60, 2, 7)
    result = frame.moo.copa(where="o0 > 0.5").sensitivity()
    assert (frame.loc[result.regions.index, "o0"] > 0.5).all()


def test_a_zero_weight_stays_in_its_place():
    frame = table(30, 3, 8)
    result = frame.moo.copa(weights={"o0": 1.0, "o1": 0.0, "o2": 0.0}).sensitivity()
    assert result.intervals.loc["o0", "weight"] == 1.0
    assert result.factor == np.inf
    assert {"sensitivity.headline.any", "choice.certainty.weights_any"} == said_by(result).keys()


def test_refusals():
    assert table(5, 1, 0).moo.copa().sensitivity() == "With one objective, there is nothing to trade."
    frame = table(9, 2, 0)
    with pytest.raises(ValueError, match="better than the reference row"):
        frame.moo.copa(normalize="relative", reference="m3").sensitivity()


@pytest.mark.parametrize("k", [2, 3])
def test_labels_need_not_be_unique_or_known(k):
    frame = table(40, k, 3)
    for labels in (["same"] * 40, [np.nan] * 40):
        result = frame.set_axis(labels).moo.copa().sensitivity()
        assert result.best_share == pytest.approx(frame.moo.copa().sensitivity().best_share)
        assert sentence(result, "sensitivity.headline.share")["share"] == result.best_share
        result.plot()


def test_the_share_of_the_choice_is_in_the_regions():
    choice = table(40, 3, 3).moo.copa()
    result = choice.sensitivity()
    assert result.best_share == pytest.approx(result.regions.loc[choice.best, "share"])


@pytest.mark.parametrize("k", [2, 3, 4])
def test_acceptability_in_the_terms_of_smaa(k):
    result = table(30, k, 3).moo.copa().sensitivity(n_weights=3000)
    smaa = result.acceptability(n_resamples=200, most=30)
    central = smaa[[name for name in smaa if name.startswith("central_")]]
    assert smaa["acceptability"].sum() == pytest.approx(1.0)
    assert smaa["acceptability"].is_monotonic_decreasing
    np.testing.assert_allclose(central.sum(axis=1), 1.0)
    # All weights together have their mean in the middle.
    np.testing.assert_allclose(smaa["acceptability"] @ central, 1 / k, atol=0.02)
    name = smaa.index[0]
    again = table(30, k, 3).moo.copa(weights=central.iloc[0].to_list()).stability(n_resamples=200, rng=0)
    assert smaa["confidence"].iloc[0] == pytest.approx(again.share[name])
    for row, share in result.regions.groupby(level=0)["share"].sum().items():
        assert smaa.loc[row, "acceptability"] == pytest.approx(share)


def test_acceptability_against_a_frozen_population_is_certain():
    frame = table(20, 2, 4)
    reference = copa_nb.Reference.fit(frame)
    assert set(frame.moo.copa(reference=reference).sensitivity().acceptability()["confidence"]) <= {0.0, 1.0}
