"""Make the bundled tables of German credit again: the random search, its first part on folds, and the fairness sweep.

    python -m tests.experiments.german_credit search --out FOLDER
    python -m tests.experiments.german_credit folds --out FOLDER --configurations 100
    python -m tests.experiments.german_credit fairness --out FOLDER

All need the extra ``[experiments]``. The options make smaller or larger tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb.datasets.german_credit import pack_predictions, read_german_credit
from copa_nb.papers.copa import fairness_sweep as sweep
from copa_nb.papers.gap import german_credit_search as search


def write_search(folder: Path, data: str | None = None, *, n_jobs: int = 2, **options: object) -> pd.DataFrame:
    """Run the random search and write the configurations and the true labels of the test rows."""
    runs = search.german_credit_search(data, n_jobs=n_jobs, progress=True, **options)
    # No time stamp in the archive, so that the same search gives the same file.
    runs.to_csv(folder / "german_credit_runs.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})
    labels = true_labels(data, seeds=options.get("repeats", search.SEEDS))
    labels.to_csv(folder / "german_credit_runs_labels.csv", index=False)
    return runs


def write_folds(
    folder: Path, data: str | None = None, *, n_configurations: int = 100, seed: int = 1337, n_jobs: int = 2
) -> pd.DataFrame:
    """Score the first configurations of the search on five folds, each of which is test once and validation once."""
    import joblib

    credit = read_german_credit(data)
    jobs = [
        (model, fold, number, split, parameters)
        for model, family in search.FAMILIES.items()
        for fold, split in enumerate(five_folds(credit, seed, normal=family.normal))
        for number, parameters in enumerate(configurations(family, n_configurations, seed))
    ]
    scored = joblib.Parallel(n_jobs=n_jobs, verbose=1)(
        joblib.delayed(search.score)(model, split, parameters, seed) for model, _, _, split, parameters in jobs
    )
    rows = [
        {"model": model, "fold": fold, "configuration": number} | scores
        for (model, fold, number, _, _), scores in zip(jobs, scored, strict=True)
    ]
    runs = pd.DataFrame(rows).drop(columns="test_predictions")
    runs.to_csv(
        folder / "german_credit_folds.csv.gz",
        index=False,
        float_format="%.6g",
        compression={"method": "gzip", "mtime": 0},
    )
    return runs


def five_folds(credit: pd.DataFrame, seed: int, *, normal: bool) -> list[search.ThreeParts]:
    """Cut the rows into five folds: each is test once, the next one validation, and three train."""
    from sklearn.model_selection import StratifiedKFold

    features, labels = credit.drop(columns="bad"), credit["bad"]
    cuts = [rows for _, rows in StratifiedKFold(5, shuffle=True, random_state=seed).split(features, labels)]
    splits = []
    for place, test in enumerate(cuts):
        validation = cuts[(place + 1) % len(cuts)]
        train = np.setdiff1d(np.arange(len(credit)), np.concatenate([test, validation]))
        rows = {"train": train, "validation": validation, "test": test}
        parts = {part: (features.iloc[taken], labels.iloc[taken]) for part, taken in rows.items()}
        splits.append(search.encode_parts(parts, normal=normal))
    return splits


def configurations(family: search.Family, count: int, seed: int) -> list[dict[str, object]]:
    """Draw the first configurations of the search with a seed."""
    rng = np.random.default_rng([seed, family.number])
    return [family.sample(rng) for _ in range(count)]


def write_sweep(folder: Path, data: str | None = None, **options: object) -> pd.DataFrame:
    """Run the fairness sweep and write its models."""
    models = sweep.fairness_sweep(data, progress=True, **options)
    models.to_csv(folder / "german_credit_fairness.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})
    return models


def true_labels(data: str | Path | None = None, *, seeds: Sequence[int] = search.SEEDS) -> pd.DataFrame:
    """Return the labels of every seed's test rows, packed like the predictions.

    Returns
    -------
    DataFrame
        ``seed``, ``n_test`` and ``test_labels`` (hexadecimal digits; 1 is bad credit).
    """
    credit = read_german_credit(data)
    rows = []
    for seed in seeds:
        labels = search.split_german_credit(credit, seed, normal=False).labels["test"]
        rows.append({"seed": seed, "n_test": len(labels), "test_labels": pack_predictions(labels)})
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the three and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=("search", "folds", "fairness"))
    parser.add_argument("--data", help="the UCI file german.data; the bundled copy if omitted")
    parser.add_argument("--families", nargs="+", help="model families; all by default")
    parser.add_argument("--seeds", type=int, nargs="+", help="those of the bundled tables by default")
    parser.add_argument("--configurations", type=int, default=search.N_CONFIGURATIONS, help="per family and seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes to train in")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the tables")
    options = parser.parse_args(arguments)
    if options.experiment == "search":
        made = write_search(
            options.out, options.data, n_jobs=options.jobs, n_configurations=options.configurations,
            systems=options.families or list(search.FAMILIES), repeats=options.seeds or search.SEEDS,
        )  # fmt: skip
    elif options.experiment == "folds":
        made = write_folds(options.out, options.data, n_configurations=options.configurations, n_jobs=options.jobs)
    else:
        families, seeds = options.families or sweep.FAMILIES, options.seeds or sweep.SEEDS
        made = write_sweep(options.out, options.data, families=families, repeats=seeds)
    print(f"{len(made):,} rows written to {options.out}")


if __name__ == "__main__":
    main()
