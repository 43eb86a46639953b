"""The random search on German credit: the program, and the table that it made."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.datasets import load_bundled, load_german_credit_predictions, load_german_credit_runs
from copa_nb.datasets.german_credit import pack_predictions, read_german_credit, unpack_predictions
from copa_nb.papers.gap import german_credit_search as search
from tests.experiments import german_credit, german_credit_authors

needs_sklearn = pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed")


@pytest.fixture
def credit_file(tmp_path):
    """A small table in the form of the UCI file; bad credit goes with long durations."""
    rng = np.random.default_rng(0)
    bad = rng.random(150) < 0.3
    table = pd.DataFrame(rng.integers(1, 5, (150, 20)), columns=range(1, 21))
    codes = [1, 3, 4, 6, 7, 9, 10, 12, 14, 15, 17, 19, 20]
    table[codes] = "A" + table[codes].astype(str)
    table[2], table[5] = rng.integers(6, 24, 150) + 20 * bad, rng.integers(300, 9000, 150)
    table["credit"] = np.where(bad, 2, 1)
    path = tmp_path / "german.data"
    path.write_text("\n" + table.to_csv(sep=" ", header=False, index=False))
    return path


@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_packed_predictions_come_back(labels):
    packed = pack_predictions(np.array(labels))
    assert unpack_predictions(packed, len(labels)).tolist() == labels


def test_configurations_stay_in_the_search_spaces_of_the_paper():
    rng = np.random.default_rng(0)
    forests = pd.DataFrame([search.sample_forest(rng) for _ in range(2000)])
    assert set(forests["criterion"]) == {"gini", "entropy"}
    assert set(forests["bootstrap"]) == {True, False}
    assert forests["max_features"].between(0, 1).all()
    assert (forests["min_samples_split"].min(), forests["min_samples_split"].max()) == (2, 20)
    assert (forests["min_samples_leaf"].min(), forests["min_samples_leaf"].max()) == (1, 20)
    linear = pd.DataFrame([search.sample_linear(rng) for _ in range(2000)])
    assert set(linear["penalty"]) == {"l2", "l1", "elasticnet"}
    assert linear["alpha"].between(1e-6, 1e-2).all()
    assert linear["eta0"].between(1e-7, 1e-1).all()
    assert linear["l1_ratio"].between(0, 1).all()
    for weights in (forests["positive_class_weight"], linear["positive_class_weight"]):
        assert weights.between(2**-7 * 0.999, 2**7 * 1.001).all()
        # Even on the logarithmic scale: half of them below 1.
        assert (weights < 1).mean() == pytest.approx(0.5, abs=0.05)


@needs_sklearn
def test_split_is_stratified_disjoint_and_fitted_on_training_rows(credit_file):
    credit = read_german_credit(credit_file)
    split = search.split_german_credit(credit, 1, normal=True)
    sizes = {part: len(labels) for part, labels in split.labels.items()}
    assert sizes == {"train": 90, "validation": 30, "test": 30}
    for labels in split.labels.values():
        assert labels.mean() == pytest.approx(credit["bad"].mean(), abs=0.03)
    raw = search.split_german_credit(credit, 1, normal=False)
    amounts = [raw.features[part][:, -7:] for part in raw.features]
    original = credit.select_dtypes("number").drop(columns="bad").to_numpy(dtype=float)
    pooled = np.vstack(amounts)
    assert sorted(map(tuple, pooled)) == sorted(map(tuple, original))
    assert np.abs(split.features["train"][:, -7:].mean()) < 0.5


@needs_sklearn
def test_our_split_for_seed_1337_is_the_authors(public_data):
    features, labels = german_credit_authors.read(public_data / "german.data")
    assert features.notna().all().all(), "every code has a name"
    ours = search.split_german_credit(read_german_credit(), german_credit_authors.SEED, normal=False)
    theirs = german_credit_authors.split(features, labels)
    amounts = {"a2": -7, "a5": -6}  # the numbers come last, in their order
    for part, (rows, truth) in theirs.items():
        assert ours.labels[part].tolist() == truth.tolist()
        for name, column in amounts.items():
            assert ours.features[part][:, column].tolist() == rows[name].tolist()


@pytest.mark.slow
@needs_sklearn
def test_a_longer_search_starts_with_the_shorter_one(credit_file):
    short = search.german_credit_search(credit_file, n_configurations=3, repeats=[7])
    long = search.german_credit_search(credit_file, n_configurations=5, repeats=[7])
    merged = long[long["configuration"] < 3].reset_index(drop=True)
    pd.testing.assert_frame_equal(merged, short)
    assert len(long) == 10
    other = search.german_credit_search(credit_file, n_configurations=3, repeats=[8], systems=["linear model"])
    assert not other["alpha"].equals(short.loc[short["model"] == "linear model", "alpha"].reset_index(drop=True))


@needs_sklearn
def test_program_writes_both_tables(credit_file, tmp_path, capsys):
    arguments = ["--data", str(credit_file), "--configurations", "2", "--seeds", "3", "--jobs", "1"]
    german_credit.main(["search", *arguments, "--families", "linear model", "--out", str(tmp_path)])
    runs = pd.read_csv(tmp_path / "german_credit_runs.csv.gz", dtype={"test_predictions": str})
    labels = pd.read_csv(tmp_path / "german_credit_runs_labels.csv", dtype={"test_labels": str})
    assert runs["configuration"].tolist() == [0, 1]
    assert "2 rows written" in capsys.readouterr().out
    n = int(labels["n_test"].iloc[0])
    truth = unpack_predictions(labels["test_labels"].iloc[0], n)
    for row in runs.to_dict("records"):
        _check_row(row, unpack_predictions(row["test_predictions"], n), truth)


def test_unknown_models_and_sizes_are_refused(credit_file):
    with pytest.raises(ValueError, match="`systems` is 'forest'"):
        search.german_credit_search(credit_file, systems=["forest"])
    with pytest.raises(ValueError, match="`n_configurations` is 0"):
        search.german_credit_search(credit_file, n_configurations=0)


def test_bundled_table_is_complete_and_its_scores_follow_from_its_predictions():
    runs = load_german_credit_runs(predictions=True)
    assert runs.groupby(["model", "seed"]).size().tolist() == [500] * 20
    assert runs.attrs["moo"]["objectives"] == {"precision": "max", "recall": "max"}
    scores = runs[["val_precision", "val_recall", "test_precision", "test_recall"]]
    assert scores.notna().all().all()
    assert ((scores >= 0) & (scores <= 1)).all().all()
    sampled = runs.sample(200, random_state=0)
    for model, seed in (("random forest", 1337), ("linear model", 4)):
        predictions, truth = load_german_credit_predictions(model, seed)
        part = sampled[(sampled["model"] == model) & (sampled["seed"] == seed)].set_index("configuration")
        assert len(part)
        for configuration, row in part.iterrows():
            _check_row(row, predictions.loc[configuration].to_numpy(), truth)
    with pytest.raises(ValueError, match="`repeat` is 77"):
        load_german_credit_predictions("random forest", 77)


def _check_row(row, predicted, truth):
    hits = int((predicted & truth).sum())
    assert row["test_recall"] == pytest.approx(hits / truth.sum())
    assert row["test_precision"] == pytest.approx(hits / predicted.sum() if predicted.any() else 0.0)


@needs_sklearn
def test_every_row_is_tested_once_on_folds_and_bundled_scores_are_those_of_the_program():
    credit = read_german_credit()
    stored = load_bundled("german_credit_folds")
    assert stored.groupby(["model", "fold"])["configuration"].nunique().tolist() == [100] * 10
    for name, family in search.FAMILIES.items():
        splits = german_credit.five_folds(credit, 1337, normal=family.normal)
        for part in ("validation", "test"):
            assert sum(len(split.labels[part]) for split in splits) == len(credit)
            assert sum(split.labels[part].sum() for split in splits) == credit["bad"].sum()
        assert {len(split.labels["train"]) for split in splits} == {600}
        drawn = german_credit.configurations(family, 3, 1337)
        runs = load_german_credit_runs().query("seed == 1337")
        runs = runs[runs["model"] == name]
        assert [one["positive_class_weight"] for one in drawn] == runs["positive_class_weight"].head(3).tolist()
    # Forests depend on the release of scikit-learn; the linear model is as exact as its table.
    scores = search.score("linear model", splits[2], drawn[1], 1337)
    row = stored.query("model == 'linear model' and fold == 2 and configuration == 1").iloc[0]
    for column in ("val_precision", "val_recall", "test_precision", "test_recall"):
        assert scores[column] == pytest.approx(row[column], abs=1e-5)
