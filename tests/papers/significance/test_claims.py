"""Claims of the paper on significance, on results small enough to see what must come out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.papers.significance import claims
from tests import asked

DIRECTIONS = {"accuracy": "max", "cost": "min"}


def _runs(spread=0.01, n=5):
    """Three agents: A is better than C beyond doubt, B is better than C by nearly nothing."""
    runs = pd.DataFrame({"system": np.repeat(list("ABC"), n), "run": [*range(n)] * 3})
    means = np.repeat([(0.9, 1.0), (0.5001, 2.999), (0.5, 3.0)], n, axis=0)
    runs[["accuracy", "cost"]] = means + np.random.default_rng(0).normal(0, spread, means.shape)
    return runs


def _audits(claimed=(("A", "C"), ("B", "C")), **options):
    audit = asked.audit(
        _runs(**options), system="system", repeat="run", objectives=DIRECTIONS, claims=list(claimed), progress=False
    )
    return {("0409", "accuracy, cost"): audit}


def _power(rejected, n_runs, n_simulations=1000, noise=0.01, distribution="normal", **columns):
    """A power study with the shares of rejections given, one for each number of runs."""
    table = pd.DataFrame({"n_runs": n_runs, "power": rejected, "low": rejected, "high": rejected, **columns})
    table = table.assign(effect=0.05, exact=True, n_simulations=n_simulations)
    model = copa_nb.results.NoiseModel(noise**2 * np.eye(2), "by hand", distribution=distribution)
    made = copa_nb.power(noise=model, n_simulations=1, n_runs=2)
    return replace(made, table=table)


@pytest.mark.parametrize(
    ("points", "printed", "area"),
    [
        ([(1, 3), (2, 1)], 7.0, 7.0),
        ([(1, 1), (2, 3), (3, 0.5)], 7.5, 9.5),  # the second is dominated
        ([(1, 3), (2, 1), (5, 0.5)], 7.0, 7.0),  # the last one is no better than the reference point
        ([(1, 3), (2, 1), (0.5, 4)], 7.0, 7.0),
        ([(1, 3), (2, 1), (4, 0.1)], 7.0, 7.0),
    ],
)
def test_the_listing_subtracts_area_for_dominated_points_alone(points, printed, area):
    points = np.array(points, dtype=float)
    assert claims.printed_hypervolume_2d(points, (4, 4)) == printed
    assert claims.counted_area(points, (4, 4)) == area


def test_the_listing_is_compared_with_the_test():
    compared = claims.compare_with_listing(4, 3, np.random.default_rng(0))
    # 20 permutations of three runs each: p counts of them, at least the observed one and its mirror image.
    assert (np.isclose(compared * 20, (compared * 20).round())[:, 2:]).all()
    assert compared["printed p"].between(0.1, 1).all()


@pytest.mark.parametrize(("printed", "holds"), [(7.5, False), (9.5, True)])
def test_the_listing_must_give_the_area(printed, holds):
    values = pd.Series({"printed listing": printed, "counted cells": 9.5})
    compared = pd.DataFrame({"difference": 1.0, "printed difference": [1.0, 2.0], "p": 0.01, "printed p": [0.01, 0.2]})
    found = claims.printed_listing_is_right(values, compared, alpha=0.05)
    assert found.holds is holds
    assert found.found.count("50") == 2
    said = claims.definition_answer(values, compared, n_runs=5, alpha=0.05)
    assert f"{printed:g} for an area of 9.5" in said.headline


def test_p_counts_permutations():
    test = asked.hv_test(_runs(), system="system", new="A", baseline="C", objectives=DIRECTIONS, n_resamples=9, rng=1)
    by_hand = replace(test, null_distribution=np.array([-5.0, 0.1, 5.0]), statistic=1.0, pvalue=3 / 4)
    assert claims.pvalue_follows_the_formula(by_hand).holds
    assert not claims.pvalue_follows_the_formula(replace(by_hand, pvalue=2 / 4)).holds
    # One difference of three is at least 1, and two are at most 1: twice (1 + 1) / 4.
    assert claims.counted_pvalues(by_hand).tolist() == [3 / 4, 3 / 4, 1.0]


def test_claims_are_counted_by_one_rule():
    counts = claims.count_claims(_audits()).iloc[0]
    assert counts["claims"] == counts["tested"] == 2
    assert (counts["significant"], counts["not_distinguishable"], counts["fronts_alike"]) == (1, 1, 1)
    assert claims.undecided_claims(_audits())["new"].tolist() == ["B"]
    said = claims.agents_answer(_audits())
    assert "1 of 2 claims" in said.headline


def test_claims_with_few_runs_are_not_counted_as_failing():
    counts = claims.count_claims(_audits(n=3)).iloc[0]
    assert (counts["untestable"], counts["tested"], counts["fronts_alike"]) == (2, 0, 0)
    found = claims.share_of_failing_claims(_audits(n=3))
    assert found.holds is None
    assert "2 with too few runs" in found.found


def test_other_benchmarks_than_coding_are_not_available():
    found = claims.claims_on_other_benchmarks({("made", "accuracy, cost"): None, ("made", "accuracy, time"): None})
    assert found.holds is None
    assert found.found == "runs of coding agents only, in 2 audits of accuracy, cost and time"


def test_few_failing_claims_decide_nothing():
    found = claims.failing_claims_are_small(_audits())
    assert found.holds is None
    assert "With 1 failing claims, a single one can decide this" in found.note


def test_failing_claims_are_small_against_the_spread(monkeypatch):
    monkeypatch.setattr(claims, "_FEWEST_FAILING", 1)
    assert claims.failing_claims_are_small(_audits()).holds
    assert claims.failing_claims_are_small(_audits([("A", "C")])).holds is None
    audits = _audits()
    (audit,) = audits.values()
    failing = audit.table["pvalue"] > 0.05
    large = audit.table.assign(relative=audit.table["relative"].where(~failing, 50 * audit.table["relative"].abs()))
    # A difference of the fronts that is large while single runs hardly spread.
    large["spread"] = 1e-9
    assert not claims.failing_claims_are_small({key: replace(audit, table=large) for key in audits}).holds


@pytest.mark.parametrize(("difference", "holds"), [(0.001, True), (-0.02, False)])
def test_random_permutations_must_agree(difference, holds):
    compared = pd.DataFrame({"difference": [0.0, difference], "allowed": 0.01})
    assert claims.random_permutations_agree(compared).holds is holds


def test_power_is_shown_for_both_kinds_of_noise():
    studies = {
        "all runs": _power([0.8, 0.94], [5, 10]),
        "means": _power([0.81, 0.99], [5, 10], noise=0.017),
        "all runs, uniform noise": _power([0.81, 0.992], [5, 10], distribution="uniform"),
    }
    ten = claims.power_of_ten_runs(studies, effect=0.05)
    assert ten.holds is None
    assert "0.940 with normal" in ten.ours
    assert "0.992 with uniform" in ten.ours
    assert "Uniform noise gives both printed numbers." in ten.note
    alike = {**studies, "all runs, uniform noise": studies["all runs"]}
    assert "Neither" in claims.power_of_ten_runs(alike, effect=0.05).note
    assert "0.810" in claims.power_of_five_runs(studies, effect=0.05).found
    assert "five runs: 0.80" in claims.power_answer(studies, _power([0.1], [5]), effect=0.05, target=0.81).headline
    assert claims.compare_powers(studies)["noise"].tolist() == pytest.approx([0.01, 0.01, 0.017, 0.017, 0.01, 0.01])


def test_titles_of_power_say_what_is_drawn():
    study = _power([0.0, 0.8, 0.94], [3, 5, 10])
    words = claims.power_over_runs(study, 0.05)
    assert "0.00 with 3 runs" in words
    assert "0.94 with 10" in words
    assert claims.power_over_gaps(study, 5).startswith("With 5 runs, the power is 0.80 for a gain of ")


@pytest.mark.parametrize(("rejected", "holds"), [(0.05, True), (0.02, True), (0.09, False)])
def test_the_level_is_kept_within_the_error(rejected, holds):
    # At 1,000 simulations three standard errors of 0.05 are 0.02.
    size = claims.rejections({"equal": _power([rejected, 0.04], [5, 10])})
    assert claims.level_is_kept(size, alpha=0.05).holds is holds


@pytest.mark.parametrize(("fronts", "runs", "holds"), [(0.57, 0.05, True), (0.08, 0.05, False), (0.57, 0.2, False)])
def test_only_fronts_are_misled_by_noise(fronts, runs, holds):
    noisier = _power([0.1, fronts], [5, 10], power_runs=[0.05, runs], power_both=[0.01, 0.02])
    equal = _power([0.04, 0.05], [5, 10], power_runs=0.05, power_both=0.01)
    compared = claims.compare_rejections({"equal": equal, "noisier": noisier})
    assert compared.loc[("noisier", claims.FRONT), "10 runs"] == fronts
    assert claims.noise_alone_is_not_significant(compared, alpha=0.05, n_simulations=1000).holds is holds
    size = claims.rejections({"equal": equal})
    said = claims.size_answer(size, compared, alpha=0.05)
    assert "57" in said.lines[0] or fronts != 0.57


def test_scores_of_questions():
    # 75 of 100 right, where 50 would be by chance, is a score of 50.
    assert claims.fits_questions(pd.Series([50.0, 0.0]), questions=100, chance=0.5)
    assert not claims.fits_questions(pd.Series([50.5]), questions=100, chance=0.5)
    expected = 100 * np.sqrt(0.75 * 0.25 / 100) / 0.5
    assert claims.binomial_error(pd.Series([50.0]), questions=100, chance=0.5).item() == pytest.approx(expected)


def test_pairing_is_counted_by_kind_of_front_and_by_domain():
    runs = pd.concat([_runs().assign(task=task, framework=lambda table: table["system"]) for task in ("x", "y")])
    audits = {
        (unit, paired): asked.audit(
            runs, system="framework", repeat="run", by="task", objectives=DIRECTIONS, claims=[("A", "C"), ("B", "C")],
            unit=unit, paired=paired, progress=False,
        )
        for unit in ("run", "mean")
        for paired in (False, True)
    }  # fmt: skip
    totals = claims.count_rejected(audits)
    assert (totals["claims"] == 4).all()
    # Five matched runs have 32 permutations: no p is below 2 / 32.
    assert totals.loc[("means", "within folds"), "rejected"] == 0
    assert totals.loc[("means", "over all folds"), "rejected"] == 2
    by_task = claims.count_rejected_by_domain(audits)
    assert by_task.index.tolist() == ["x", "y", "all"]
    assert by_task.loc["x", "means, over all folds"] == 1
    said = claims.pairing_answer(audits, runs, {"D": ["x", "y"]})
    assert "D on x and y" in said.certainty
