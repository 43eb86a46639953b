"""The random searches on data of scikit-learn: the program, and the table that it made."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

from copa_nb import datasets
from tests.experiments import data_sets

needs_sklearn = pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed")
RATES = ["tpr", "fpr", "accuracy"]


@needs_sklearn
def test_rates_are_those_of_scikit_learn():
    from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

    rng = np.random.default_rng(0)
    labels, predicted, groups = rng.integers(0, 2, (3, 80))
    found = data_sets.scores(labels, predicted, groups == 1)
    true_negative, false_positive, *_ = confusion_matrix(labels, predicted).ravel()
    by_group = [recall_score(labels[groups == g], predicted[groups == g]) for g in (0, 1)]
    assert found == pytest.approx(
        {
            "tpr": recall_score(labels, predicted), "fpr": false_positive / (true_negative + false_positive),
            "accuracy": accuracy_score(labels, predicted), "tpr_difference": abs(by_group[0] - by_group[1]),
        },
        abs=1e-6,
    )  # fmt: skip
    assert np.isnan(data_sets.scores(labels, predicted, None)["tpr_difference"])


@needs_sklearn
@pytest.mark.parametrize("name", data_sets.TASKS)
def test_parts_are_stratified_and_share_no_row(name):
    task = data_sets.TASKS[name]()
    n = len(task.labels)
    numbered = data_sets.Task(np.arange(n, dtype=float)[:, None], task.labels, np.arange(n) % 2 == 0)
    split, groups = data_sets.split_task(numbered, 3, normal=False)
    rows = {part: values[:, 0].astype(int) for part, values in split.features.items()}
    assert sorted(np.concatenate(list(rows.values()))) == list(range(n))
    for part, share in {"train": 0.6, "validation": 0.2, "test": 0.2}.items():
        assert len(rows[part]) == pytest.approx(share * n, abs=1.5)
        assert split.labels[part].sum() == pytest.approx(task.labels.mean() * len(rows[part]), abs=1)
        assert (task.labels[rows[part]] == split.labels[part]).all()
        assert (groups[part] == (rows[part] % 2 == 0)).all()


@needs_sklearn
def test_the_program_gives_the_table():
    again = data_sets.search(["iris", "wine"], 0, 2)
    bundled = datasets.load_sklearn_runs()
    both = again.merge(bundled, on=["data", "model", "seed", "configuration"], suffixes=("", " bundled"))
    assert len(both) == len(again) == 8
    linear = both[both["model"] == "linear model"]
    for score in RATES:
        for part in ("val", "test"):
            np.testing.assert_allclose(linear[f"{part}_{score}"], linear[f"{part}_{score} bundled"], atol=1e-6)


def test_every_search_is_complete_and_every_rate_is_one():
    runs = datasets.load_sklearn_runs()
    assert runs.attrs["moo"]["objectives"] == {"val_tpr": "max", "val_fpr": "min"}
    assert set(runs.groupby(["data", "model", "seed"]).size()) == {100}
    assert runs.groupby(["data", "model"])["seed"].nunique().nunique() == 1
    scores = runs.filter(regex="^(val|test)_")
    assert scores.drop(columns=["val_tpr_difference", "test_tpr_difference"]).notna().all(axis=None)
    assert (scores.isna() | ((scores >= 0) & (scores <= 1))).all(axis=None)
    assert set(runs.loc[runs["val_tpr_difference"].notna(), "data"]) == {"diabetes"}
    # The share of positives follows from the three rates, and is that of the stratified part.
    wine = runs[(runs["data"] == "wine") & (runs["test_tpr"] + runs["test_fpr"]).ne(1)]
    share = (wine["test_accuracy"] - 1 + wine["test_fpr"]) / (wine["test_tpr"] - 1 + wine["test_fpr"])
    assert np.allclose(share, share.iloc[0], atol=1e-3)
    assert share.iloc[0] == pytest.approx(48 / 178, abs=0.03)
    assert pd.api.types.is_integer_dtype(runs["configuration"])
