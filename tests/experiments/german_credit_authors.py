"""Run the search of "Mind the Gap" (Feurer et al., IDA 2023) exactly as the authors' program does.

    python tests/experiments/german_credit_authors.py --data german.data --out FOLDER

It writes the bundled table ``german_credit_authors_search``, which gives 31 of the 32 numbers of the paper's Table 1 to
all four digits. The same draws and the same trained models need the releases of that time, so that this program
imports nothing of copa_nb and runs in an environment of its own (13 minutes on two cores):

    Python 3.9, ConfigSpace==0.6.0, scikit-learn==1.1.3, numpy==1.23.5, pandas==1.5.3

Four choices of the authors' program decide the numbers. Each budget is a search of its own: all configurations are
drawn in one call, and fewer draws are no prefix of more. The nominal values have the names of the data set's version
on OpenML: their alphabetical order is the order of the indicator columns, from which a forest draws features. The
order and the names of the hyperparameters, constants among them, decide the draws. And ``bootstrap`` is passed to the
forest as the text "True" or "False": both are true in Python, so that every forest resamples its rows.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

SEED = 1337
SEARCHES = {"random forest": (40, 50, 100, 200, 500), "linear model": (50, 100, 200, 500)}
SHARES = {"train": 0.6, "validation": 0.2}
# What OpenML calls the codes of the UCI file, by attribute.
NAMES = {
    1: {"A11": "<0", "A12": "0<=X<200", "A13": ">=200", "A14": "no checking"},
    3: {
        "A30": "no credits/all paid", "A31": "all paid", "A32": "existing paid", "A33": "delayed previously",
        "A34": "critical/other existing credit",
    },
    4: {
        "A40": "new car", "A41": "used car", "A42": "furniture/equipment", "A43": "radio/tv",
        "A44": "domestic appliance", "A45": "repairs", "A46": "education", "A47": "vacation", "A48": "retraining",
        "A49": "business", "A410": "other",
    },
    6: {"A61": "<100", "A62": "100<=X<500", "A63": "500<=X<1000", "A64": ">=1000", "A65": "no known savings"},
    7: {"A71": "unemployed", "A72": "<1", "A73": "1<=X<4", "A74": "4<=X<7", "A75": ">=7"},
    9: {
        "A91": "male div/sep", "A92": "female div/dep/mar", "A93": "male single", "A94": "male mar/wid",
        "A95": "female single",
    },
    10: {"A101": "none", "A102": "co applicant", "A103": "guarantor"},
    12: {"A121": "real estate", "A122": "life insurance", "A123": "car", "A124": "no known property"},
    14: {"A141": "bank", "A142": "stores", "A143": "none"},
    15: {"A151": "rent", "A152": "own", "A153": "for free"},
    17: {
        "A171": "unemp/unskilled non res", "A172": "unskilled resident", "A173": "skilled",
        "A174": "high qualif/self emp/mgmt",
    },
    19: {"A191": "none", "A192": "yes"},
    20: {"A201": "yes", "A202": "no"},
}  # fmt: skip


def read(file: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return the attributes, nominal ones under OpenML's names, and the label (1: bad credit)."""
    table = pd.read_csv(file, sep=r"\s+", header=None)
    attributes = {
        number: table[number - 1].map(NAMES[number]).astype("category") if number in NAMES else table[number - 1]
        for number in range(1, 21)
    }
    return pd.DataFrame(attributes).add_prefix("a"), (table[20] == 2).astype(int)


def split(features: pd.DataFrame, labels: pd.Series) -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Cut off the training rows, then the validation rows, each time stratified; the rest is the test set."""
    from sklearn.model_selection import train_test_split

    parts, n_rows = {}, len(features)
    for part, share in SHARES.items():
        taken, features, taken_labels, labels = train_test_split(
            features, labels, train_size=int(share * n_rows), stratify=labels, random_state=SEED
        )
        parts[part] = (taken, taken_labels)
    parts["test"] = (features, labels)
    return parts


def forest_space() -> Any:
    """Return the search space of the random forest (appendix A)."""
    import ConfigSpace as cs

    space = cs.ConfigurationSpace(seed=SEED)
    space.add_hyperparameters(
        [
            cs.CategoricalHyperparameter("criterion", ["gini", "entropy"]),
            cs.CategoricalHyperparameter("bootstrap", ["True", "False"]),
            cs.UniformFloatHyperparameter("max_features", 0.0, 1.0),
            cs.UniformIntegerHyperparameter("min_samples_split", 2, 20),
            cs.UniformIntegerHyperparameter("min_samples_leaf", 1, 20),
            cs.UniformFloatHyperparameter("pos_class_weight", -7, 7),
            cs.Constant("max_depth", "None"),
            cs.Constant("min_weight_fraction_leaf", 0.0),
            cs.Constant("max_leaf_nodes", "None"),
            cs.Constant("min_impurity_decrease", 0.0),
        ]
    )
    return space


def linear_space() -> Any:
    """Return the search space of the linear model (appendix A)."""
    import ConfigSpace as cs

    space = cs.ConfigurationSpace(seed=SEED)
    space.add_hyperparameters(
        [
            cs.Constant("loss", "log_loss"),
            cs.CategoricalHyperparameter("penalty", ["l2", "l1", "elasticnet"]),
            cs.UniformFloatHyperparameter("alpha", 1e-6, 1e-2, log=True),
            cs.UniformFloatHyperparameter("l1_ratio", 0.0, 1.0),
            cs.CategoricalHyperparameter("fit_intercept", ["True", "False"]),
            cs.UniformFloatHyperparameter("pos_class_weight", -7, 7),
            cs.Constant("tol", 1e-3),
            cs.Constant("shuffle", "True"),
            cs.Constant("learning_rate", "adaptive"),
            cs.UniformFloatHyperparameter("eta0", 1e-7, 1e-1, log=True),
            cs.Constant("early_stopping", "False"),
            cs.Constant("validation_fraction", 0.1),
            cs.Constant("n_iter_no_change", 5),
            cs.Constant("warm_start", "False"),
            cs.Constant("average", "False"),
        ]
    )
    return space


def forest(options: dict[str, Any]) -> tuple[Any, Any]:
    """Return an untrained forest and what its numbers go through; "True" and "False" stay text, as the authors do."""
    from sklearn.ensemble import RandomForestClassifier

    options = {name: None if value == "None" else value for name, value in options.items()}
    return RandomForestClassifier(random_state=SEED, **options), "passthrough"


def linear(options: dict[str, Any]) -> tuple[Any, Any]:
    """Return an untrained linear model, and what its numbers go through."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import QuantileTransformer

    options = {name: {"True": True, "False": False}.get(value, value) for name, value in options.items()}
    return SGDClassifier(random_state=SEED, **options), QuantileTransformer(output_distribution="normal")


def score(model: str, configuration: Any, parts: dict[str, tuple[pd.DataFrame, pd.Series]]) -> dict[str, float]:
    """Train one configuration and return its precision and recall on validation and test."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.metrics import precision_score, recall_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    options = dict(configuration)
    options["class_weight"] = {0: 1, 1: 2 ** options.pop("pos_class_weight")}
    estimator, numbers = {"random forest": forest, "linear model": linear}[model](options)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        (numbers, make_column_selector(dtype_exclude="category")),
    )
    trained = make_pipeline(encode, estimator).fit(*parts["train"])
    scores = {}
    for prefix, part in (("val", "validation"), ("test", "test")):
        features, labels = parts[part]
        predicted = trained.predict(features)
        scores[f"{prefix}_precision"] = precision_score(labels, predicted, zero_division=0)
        scores[f"{prefix}_recall"] = recall_score(labels, predicted)
    return scores


def search(file: Path) -> pd.DataFrame:
    """Return one row per configuration of the nine searches."""
    parts = split(*read(file))
    spaces = {"random forest": forest_space, "linear model": linear_space}
    rows = []
    for model, sizes in SEARCHES.items():
        for size in sizes:
            for number, configuration in enumerate(spaces[model]().sample_configuration(size=size), start=1):
                found = score(model, configuration, parts)
                rows.append({"model": model, "search": size, "evaluation": number, **found})
    return pd.DataFrame(rows)


def main() -> None:
    """Run the searches and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the UCI file german.data")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the table")
    options = parser.parse_args()
    # Configurations that do not converge, or that never predict bad credit, belong to the search.
    warnings.simplefilter("ignore")
    text = search(options.data).round(15).to_csv(index=False, lineterminator="\n")
    # No time stamp in the archive, so that the same search gives the same file.
    (options.out / "german_credit_authors_search.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
