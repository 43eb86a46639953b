import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from copa_nb.datasets import load_german_credit_fairness
from copa_nb.datasets.german_credit import read_german_credit
from copa_nb.papers.copa import fairness_sweep as sweep


def test_the_bundled_sweep_is_complete():
    models = load_german_credit_fairness()
    settings = models.groupby(["family", "method", "strength"]).size()
    assert len(models) == 600
    assert set(models["family"]) == set(sweep.FAMILIES)
    assert (settings == len(sweep.SEEDS)).all()
    # The table is what these settings give: one that is changed has the table made anew.
    assert {method: tuple(sorted(set(part))) for method, part in models.groupby("method")["strength"]} == {
        "plain": (0,),
        "equal opportunity bound": sweep.TPR_BOUNDS,
        "equalised odds bound": sweep.ODDS_BOUNDS,
        "multiplier grid": tuple(value for value in sweep.MULTIPLIERS if value),
        "thresholds per sex": sweep.GAP_PENALTIES,
    }
    assert models.index.is_unique
    gap = (models["tpr_women"] - models["tpr_men"]).abs()
    np.testing.assert_allclose(models["equal_opportunity_gap"], gap, atol=2e-6)
    # Accuracies are multiples of one in 500 held-out rows.
    np.testing.assert_allclose(models["accuracy"] * 500, (models["accuracy"] * 500).round(), atol=1e-3)
    assert models.attrs["moo"]["objectives"] == sweep.OBJECTIVES


def test_judge_agrees_with_fairlearn():
    fairlearn = pytest.importorskip("fairlearn.metrics")
    rng = np.random.default_rng(0)
    label, predicted = rng.integers(0, 2, (2, 200))
    woman = rng.random(200) < 0.3
    measured = sweep.judge(label, predicted, woman)
    expected = fairlearn.equal_opportunity_difference(label, predicted, sensitive_features=woman)
    assert measured["equal_opportunity_gap"] == pytest.approx(expected, abs=1e-6)
    assert measured["accuracy"] == pytest.approx((label == predicted).mean())


@pytest.mark.parametrize("penalty", [0.0, 0.5, 5.0])
def test_thresholds_are_the_best_of_all_pairs(penalty):
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, 300)
    woman = rng.random(300) < 0.4
    probability = np.clip(0.5 * label + rng.random(300) * 0.6, 0, 1)
    chosen = sweep.gap_penalized_thresholds(probability, label, woman, penalty)

    def value(women, men):
        predicted = (probability >= np.where(woman, women, men)).astype(int)
        rates = [predicted[(label == 1) & sex].mean() for sex in (woman, ~woman)]
        return (predicted == label).mean() - penalty * abs(rates[0] - rates[1])

    every = [value(women, men) for women in sweep._THRESHOLDS for men in sweep._THRESHOLDS]
    assert value(*chosen) == pytest.approx(max(every))


@pytest.mark.slow
def test_the_same_seed_makes_the_bundled_rows_again():
    pytest.importorskip("fairlearn")
    again = sweep.fairness_sweep(families=["naive Bayes"], repeats=[1])
    bundled = load_german_credit_fairness().query("family == 'naive Bayes' and seed == 1")
    pd.testing.assert_frame_equal(again, bundled, check_like=True, atol=0.01)
    identical = (again["accuracy"].to_numpy() == bundled["accuracy"].to_numpy()).mean()
    assert identical > 0.9


@pytest.mark.parametrize(("option", "message"), [({"families": ["naive bayes"]}, "Did you mean 'naive Bayes'"),
                                                 ({"repeats": []}, "`repeats` is empty")])  # fmt: skip
def test_bad_options_are_refused(option, message):
    with pytest.raises(ValueError, match=message):
        sweep.fairness_sweep(**option)


def test_halves_have_equal_shares_of_label_and_sex():
    pytest.importorskip("sklearn")
    credit = read_german_credit()
    assert credit.columns.tolist() == [*(f"a{k}" for k in range(1, 21)), "bad"]
    split = sweep.split_by_label_and_sex(credit, 1)
    good, woman = credit["bad"] == 0, credit["a9"].isin(["A92", "A95"])
    for label, sex in ((split.train_label, split.train_woman), (split.test_label, split.test_woman)):
        assert len(label) == len(sex) == 500
        for is_good in (0, 1):
            for is_woman in (0, 1):
                half = ((good == is_good) & (woman == is_woman)).sum() / 2
                assert abs(((label == is_good) & (sex == is_woman)).sum() - half) <= 0.5 + (half % 1 > 0)
    # Indicators of codes, then numbers, standardised by the training half; nothing tells the sex but for its traces.
    numbers, codes = credit.drop(columns="a9").select_dtypes("number").shape[1] - 1, split.train.shape[1]
    np.testing.assert_allclose(split.train[:, -numbers:].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.train[:, -numbers:].std(axis=0), 1)
    assert set(np.unique(split.train[:, : codes - numbers])) == {0.0, 1.0}
    assert (split.train[:, : codes - numbers].sum(axis=1) == 20 - 1 - numbers).all()
    assert not np.array_equal(split.train_label, sweep.split_by_label_and_sex(credit, 2).train_label)


def test_a_sweep_has_a_row_for_each_seed_family_and_setting(monkeypatch):
    monkeypatch.setitem(sys.modules, "fairlearn", SimpleNamespace())
    calls = []

    def predictions(split, family, seed):
        calls.append((seed, family))
        yield "plain", 0.0, split.test_label
        yield "opposite", 0.5, 1 - split.test_label

    monkeypatch.setattr(sweep, "_predictions", predictions)
    pytest.importorskip("sklearn")
    rows = sweep.fairness_sweep(families=["naive Bayes", "decision tree"], repeats=[1, 2])
    assert calls == [(1, "naive Bayes"), (1, "decision tree"), (2, "naive Bayes"), (2, "decision tree")]
    assert rows[["seed", "family"]].drop_duplicates().apply(tuple, axis="columns").tolist() == calls
    assert rows["method"].tolist() == ["plain", "opposite"] * 4
    assert rows["strength"].tolist() == [0.0, 0.5] * 4
    assert rows["accuracy"].tolist() == [1.0, 0.0] * 4
    assert rows["tpr_women"].tolist() == rows["tpr_men"].tolist() == [1.0, 0.0] * 4
    assert rows.index[1] == "naive Bayes, opposite 0.5, seed 1"
    assert rows.attrs["moo"]["objectives"] == sweep.OBJECTIVES
    assert rows.attrs["source"]["kind"] == "own"


def test_thresholds_are_chosen_within_and_used_outside():
    """Out-of-fold probabilities choose, those of the model fitted on all of the training half are cut."""
    pytest.importorskip("sklearn")
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    label, woman = rng.integers(0, 2, (2, 200)), rng.random((2, 200)) < 0.4
    features = rng.normal(size=(2, 200, 2)) + label[:, :, None]
    split = sweep.TwoParts(features[0], features[1], label[0], label[1], woman[0], woman[1])
    plain = GaussianNB().fit(features[0], label[0])
    found = list(sweep._thresholds(split, GaussianNB, plain, 3))
    assert [(method, penalty) for method, penalty, _ in found] == [
        ("thresholds per sex", penalty) for penalty in sweep.GAP_PENALTIES
    ]
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    inside = cross_val_predict(GaussianNB(), features[0], label[0], cv=folds, method="predict_proba")[:, 1]
    for _, penalty, predicted in found:
        women, men = sweep.gap_penalized_thresholds(inside, label[0], woman[0], penalty)
        outside = plain.predict_proba(features[1])[:, 1]
        assert predicted.tolist() == [
            int(one >= (women if is_woman else men)) for one, is_woman in zip(outside, woman[1], strict=True)
        ]
