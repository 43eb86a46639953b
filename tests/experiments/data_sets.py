"""Random searches on binary tasks of the data sets that scikit-learn ships.

    python -m tests.experiments.data_sets --out FOLDER

Section 7 of "Mind the Gap" (Feurer et al., IDA 2023) plans to measure the gap on more data sets. Search spaces, splits
(60/20/20, stratified) and models are those of the German credit search; scikit-learn must be installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.papers.gap.german_credit_search import FAMILIES, ThreeParts

SEEDS = tuple(range(10))
N_CONFIGURATIONS = 100
_TEST = _VALIDATION = 0.2


@dataclass(frozen=True)
class Task:
    """A binary task: features, labels (1: positive) and, where there are two groups of people, their groups."""

    features: np.ndarray
    labels: np.ndarray
    groups: np.ndarray | None = None


def breast_cancer() -> Task:
    """Malignant or benign tumors."""
    from sklearn.datasets import load_breast_cancer

    features, target = load_breast_cancer(return_X_y=True)
    return Task(features, (target == 0).astype(int))


def diabetes() -> Task:
    """The 30% of the patients whose disease progresses most; groups are the two sexes."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False, as_frame=True)
    high = data.target > data.target.quantile(0.7)
    return Task(data.data.to_numpy(), high.to_numpy(dtype=int), (data.data["sex"] == 2).to_numpy())


def digits() -> Task:
    """Handwritten eights or threes."""
    from sklearn.datasets import load_digits

    features, target = load_digits(return_X_y=True)
    kept = np.isin(target, [3, 8])
    return Task(features[kept], (target[kept] == 8).astype(int))


def iris() -> Task:
    """Versicolor or another iris."""
    from sklearn.datasets import load_iris

    features, target = load_iris(return_X_y=True)
    return Task(features, (target == 1).astype(int))


def wine() -> Task:
    """Wines of the third grower or of another."""
    from sklearn.datasets import load_wine

    features, target = load_wine(return_X_y=True)
    return Task(features, (target == 2).astype(int))


TASKS: dict[str, Callable[[], Task]] = {
    "breast cancer": breast_cancer,
    "diabetes": diabetes,
    "digits 3 and 8": digits,
    "iris": iris,
    "wine": wine,
}


def split_task(task: Task, seed: int, *, normal: bool) -> tuple[ThreeParts, dict[str, np.ndarray | None]]:
    """Split a task in three stratified parts, with numbers as they are or transformed to a normal distribution."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import QuantileTransformer

    rows = np.arange(len(task.labels))
    size = round(_TEST * len(rows))
    rest, test = train_test_split(rows, test_size=size, stratify=task.labels, random_state=seed)
    train, validation = train_test_split(
        rest, test_size=round(_VALIDATION * len(rows)), stratify=task.labels[rest], random_state=seed
    )
    parts = {"train": train, "validation": validation, "test": test}
    features = {part: task.features[chosen].astype(float) for part, chosen in parts.items()}
    if normal:
        transform = QuantileTransformer(n_quantiles=len(train), output_distribution="normal").fit(features["train"])
        features = {part: transform.transform(values) for part, values in features.items()}
    groups = {part: None if task.groups is None else task.groups[chosen] for part, chosen in parts.items()}
    return ThreeParts(features, {part: task.labels[chosen] for part, chosen in parts.items()}), groups


def scores(labels: np.ndarray, predicted: np.ndarray, groups: np.ndarray | None) -> dict[str, float]:
    """Return true and false positive rate, accuracy, and by how much the true positive rates of two groups differ."""
    positive = labels == 1
    found = {
        "tpr": predicted[positive].mean(),
        "fpr": predicted[~positive].mean(),
        "accuracy": (predicted == labels).mean(),
        "tpr_difference": np.nan
        if groups is None
        else abs(predicted[positive & groups].mean() - predicted[positive & ~groups].mean()),
    }
    return {name: round(float(value), 6) for name, value in found.items()}


def search(names: Sequence[str], seed: int, n_configurations: int = N_CONFIGURATIONS) -> pd.DataFrame:
    """Run the random searches of one seed: the seed decides splits, configurations and training."""
    return pd.DataFrame([row for name in names for row in _rows(name, seed, n_configurations)])


def _rows(name: str, seed: int, n_configurations: int) -> Iterator[dict[str, Any]]:
    task, place = TASKS[name](), list(TASKS).index(name)
    for model, family in FAMILIES.items():
        split, groups = split_task(task, seed, normal=family.normal)
        rng = np.random.default_rng([seed, family.number, place])
        for number in range(n_configurations):
            trained = family.train(split, family.sample(rng), seed)
            row: dict[str, Any] = {"data": name, "model": model, "seed": seed, "configuration": number}
            for prefix, part in (("val", "validation"), ("test", "test")):
                found = scores(split.labels[part], trained.predict(split.features[part]), groups[part])
                row |= {f"{prefix}_{score}": value for score, value in found.items()}
            yield row


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the searches and write one table, after each seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=TASKS, default=list(TASKS), help="data sets")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--configurations", type=int, default=N_CONFIGURATIONS, help="per data set, model and seed")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the table")
    options = parser.parse_args(arguments)
    done: list[pd.DataFrame] = []
    for seed in options.seeds:
        done.append(search(options.data, seed, options.configurations))
        runs = pd.concat(done).sort_values(["data", "model", "seed", "configuration"], kind="stable")
        # No time stamp in the archive, so that the same search gives the same file.
        file = options.out / "sklearn_data_sets_runs.csv.gz"
        runs.to_csv(file, index=False, compression={"method": "gzip", "mtime": 0})
        print(f"seed {seed}: {len(runs):,} rows in {file}", flush=True)


if __name__ == "__main__":
    main()
