"""FairGrad on the Adult data: the program, and the table that it made."""

import os

import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from tests.experiments import adult_fairgrad

FOLDER = os.environ.get("COPA_NB_ADULT")


@pytest.fixture(scope="module")
def unfair():
    """People in whose data fewer of the women with a high income have the feature that shows it."""
    rng = np.random.default_rng(0)
    n = 4000
    label, woman = rng.integers(0, 2, n), rng.random(n) < 0.4
    shown = label * np.where(woman, 1.0, 3.0) + rng.normal(size=n)
    features = np.column_stack([(shown - shown.mean()) / shown.std(), woman - woman.mean(), np.ones(n)])
    return adult_fairgrad.Part(features, label, woman)


def _positives(part):
    return [((part.label == 1) & group).sum() for group in (part.woman, ~part.woman)]


def test_constants_give_the_difference_of_rates():
    rng = np.random.default_rng(1)
    label, woman, wrong = rng.integers(0, 2, (3, 500)).astype(bool)
    groups = [label & woman, label & ~woman]
    constants = adult_fairgrad._constants(np.array([group.mean() for group in groups]))
    fairness = constants @ [wrong[group].mean() for group in groups]
    right = ~wrong
    assert fairness == pytest.approx([right[group].mean() - right[label].mean() for group in groups])


def test_with_nothing_to_correct_it_is_a_logistic_regression(unfair):
    sklearn = pytest.importorskip("sklearn.linear_model")
    model = adult_fairgrad.train_fairgrad(unfair, 1.0)
    plain = sklearn.LogisticRegression(C=1e9, fit_intercept=False).fit(unfair.features, unfair.label)
    np.testing.assert_allclose(model, plain.coef_[0], atol=0.02)


def test_the_violation_stays_within_what_is_allowed(unfair):
    free = adult_fairgrad.judge(unfair, adult_fairgrad.train_fairgrad(unfair, 1.0))
    assert free["violation"] > 0.15
    for allowed in (0.0, 0.03):
        held = adult_fairgrad.judge(unfair, adult_fairgrad.train_fairgrad(unfair, allowed, n_steps=3000))
        # Women are the minority, whose rate is the one farther from the overall one.
        overall = np.average([held["tpr_women"], held["tpr_men"]], weights=_positives(unfair))
        assert abs(held["tpr_women"] - overall) <= allowed + 0.01
        assert held["accuracy"] <= free["accuracy"]


def test_the_table_has_every_strength_and_seed_and_counts_its_people():
    models = datasets.load_adult_fairgrad()
    assert models.attrs["moo"]["objectives"] == {"accuracy": "max", "violation": "min"}
    assert models.index.is_unique
    assert sorted(set(models["strength"])) == pytest.approx(adult_fairgrad.STRENGTHS)
    assert set(models.groupby("strength")["seed"].agg(tuple)) == {adult_fairgrad.SEEDS}
    counts = models["accuracy"] * adult_fairgrad.N_TEST
    np.testing.assert_allclose(counts, counts.round(), atol=0.02)
    np.testing.assert_allclose(models["violation"], (models["tpr_women"] - models["tpr_men"]).abs(), atol=2e-6)
    # The more is allowed, the more is used.
    means = models.groupby("strength")["violation"].mean()
    assert (means.diff().dropna() > 0).all()


@pytest.mark.skipif(FOLDER is None, reason="COPA_NB_ADULT does not name a folder with the Adult data")
def test_the_program_gives_the_table():
    people = adult_fairgrad.read_adult(FOLDER)
    assert len(people) == 45_222
    again = adult_fairgrad.sweep(people, strengths=[0.0, 0.05], seeds=[3])
    bundled = pd.DataFrame(datasets.load_adult_fairgrad()).reset_index(drop=True)
    both = again.merge(bundled, on=["strength", "seed"], suffixes=("", " bundled"))
    assert len(both) == 2
    for column in ("accuracy", "violation", "tpr_women", "tpr_men"):
        np.testing.assert_allclose(both[column], both[f"{column} bundled"], atol=1e-3)
