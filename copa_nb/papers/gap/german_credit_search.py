"""Random search on German credit: how well validation scores of a search generalize to test data.

The experiment of "Mind the Gap: Measuring Generalization Performance Across Multiple Objectives"
(Feurer et al., IDA 2023; section 5 and appendix A): a random forest and a linear model are searched at
random, every configuration is scored by precision and recall of the minority class (bad credit) on
validation and on test data. The bundled tables were made by ``tests/experiments/german_credit.py``.

The report ``gap/experiment``, which the package ships, runs this search again at any size, on the user's machine:
it is part of the product. What made the bundled tables of it is not, and is not installed.

The first n configurations of a seed are a random search with a budget of n. The seed decides the split,
the configurations and the training, as in the authors' program; seed 1337 is theirs and gives their split.

These choices differ from the authors', so the configurations and scores are other draws of the same search:

- configurations come from numpy's generator instead of ConfigSpace;
- each budget is the beginning of one search of 500; the authors ran a separate search for each budget;
- indicator columns are sorted by the codes of the UCI file instead of OpenML's names, which changes the features that
  a forest draws;
- ``bootstrap`` is drawn as true or false, as in appendix A of the paper; the authors' program passes the texts "True"
  and "False", which are both true, so all their forests resample rows;
- ``l1_ratio`` and ``max_features`` are rounded to six digits.

``tests/experiments/german_credit_authors.py`` runs the authors' search itself, and
:func:`~copa_nb.datasets.load_german_credit_authors_search` loads its results.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets.german_credit import pack_predictions, read_german_credit

SEEDS = (1337, 1, 2, 3, 4, 5, 6, 7, 8, 9)
N_CONFIGURATIONS = 500
_SHARES = {"train": 0.6, "validation": 0.2, "test": 0.2}


@dataclass(frozen=True)
class ThreeParts:
    """German credit in three stratified parts, each with encoded features and a label (1: bad credit).

    Parameters
    ----------
    features : dict of str to ndarray of float64, shape (n_part, n_features)
        By part: "train", "validation" and "test".
    labels : dict of str to ndarray of int, shape (n_part,)
        By part.
    """

    features: Mapping[str, np.ndarray]
    labels: Mapping[str, np.ndarray]


def german_credit_search(
    data: str | Path | None = None,
    *,
    systems: Sequence[str] = ("random forest", "linear model"),
    n_configurations: int = N_CONFIGURATIONS,
    repeats: Sequence[int] = SEEDS,
    n_jobs: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Train and score random configurations of the paper's two model families.

    Parameters
    ----------
    data : path, optional
        The UCI file ``german.data``; the bundled copy if omitted.
    systems : sequence of {"random forest", "linear model"}
        Families to search.
    n_configurations : int
        Configurations per family and seed. The first n of a longer search are the search of length n.
    repeats : sequence of int
        Seeds of the repetitions, each with its own split, configurations and training.
    n_jobs : int
        Processes to train in; the result does not depend on it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        One row per configuration: ``model``, ``seed``, ``configuration``, the hyper-parameters of both
        families (missing where they do not apply), ``val_precision``, ``val_recall``,
        ``test_precision``, ``test_recall`` (all in [0, 1], larger is better; precision is 0 if no row
        is predicted to be bad credit) and ``test_predictions``: the labels predicted for the test rows,
        packed into hexadecimal digits (:func:`~copa_nb.datasets.german_credit.unpack_predictions`).

    Raises
    ------
    ImportError
        If scikit-learn is missing; the message gives the command to install it.
    """
    for model in systems:
        checks.one_of("systems", model, FAMILIES)
    checks.integer("n_configurations", n_configurations)
    with needs_extra("the random search"):
        import joblib
        import sklearn  # noqa: F401
    from tqdm.auto import tqdm

    credit = read_german_credit(data)
    jobs = list(_jobs(credit, systems, n_configurations, repeats))
    results = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(score)(model, split, parameters, seed) for model, split, parameters, seed, _ in jobs
    )
    bar = tqdm(results, total=len(jobs), desc="configurations", disable=not progress)
    rows = [
        {"model": model, "seed": seed, "configuration": number, **parameters, **scores}
        for (model, _, parameters, seed, number), scores in zip(jobs, bar, strict=True)
    ]
    return _ordered(pd.DataFrame(rows))


def split_german_credit(credit: pd.DataFrame, seed: int, *, normal: bool) -> ThreeParts:
    """Split 60/20/20, stratified, and encode; everything is fitted on the training part only.

    Parameters
    ----------
    credit : DataFrame
        From :func:`~copa_nb.datasets.german_credit.read_german_credit`.
    seed : int
        Decides the split.
    normal : bool
        Whether numbers go through a quantile transform to a normal distribution (the linear model).

    Returns
    -------
    ThreeParts
    """
    from sklearn.model_selection import train_test_split

    features, labels = credit.drop(columns="bad"), credit["bad"]
    parts = {}
    # Two cuts one after the other, each stratified: this order gives the authors' split for their seed.
    rest, rest_labels = features, labels
    for part in ("train", "validation"):
        size = int(_SHARES[part] * len(credit))
        taken, rest, taken_labels, rest_labels = train_test_split(
            rest, rest_labels, train_size=size, stratify=rest_labels, random_state=seed
        )
        parts[part] = (taken, taken_labels)
    parts["test"] = (rest, rest_labels)
    return encode_parts(parts, normal=normal)


def encode_parts(parts: Mapping[str, tuple[pd.DataFrame, pd.Series]], *, normal: bool) -> ThreeParts:
    """Encode features with what is fitted on the part "train" only; `parts` has features and labels of each.

    Parameters
    ----------
    parts : mapping of "train", "validation" and "test" to pair of DataFrame and Series
        Rows of :func:`~copa_nb.datasets.german_credit.read_german_credit`, and whether each is bad credit.
    normal : bool
        As for :func:`split_german_credit`.

    Returns
    -------
    ThreeParts
    """
    from sklearn.preprocessing import QuantileTransformer

    n_train = len(parts["train"][0])
    numbers = QuantileTransformer(n_quantiles=n_train, output_distribution="normal") if normal else "passthrough"
    encode = encoder(parts["train"][0], numbers).transform
    return ThreeParts(
        {part: np.ascontiguousarray(encode(taken), dtype=float) for part, (taken, _) in parts.items()},
        {part: taken_labels.to_numpy() for part, (_, taken_labels) in parts.items()},
    )


def encoder(train: pd.DataFrame, numbers: Any) -> Any:
    """Return a transformer fitted on the training rows: codes become indicators, numbers go through `numbers`."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (codes, make_column_selector(dtype_exclude=np.number)), (numbers, make_column_selector(dtype_include=np.number))
    ).fit(train)


def sample_forest(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a configuration of the random forest (appendix A of the paper)."""
    return {
        "criterion": str(rng.choice(["gini", "entropy"])),
        "bootstrap": bool(rng.integers(2)),
        # scikit-learn wants a share above 0; 1 - u lies in (0, 1].
        "max_features": max(_rounded(1.0 - rng.random()), 1e-6),
        "min_samples_split": int(rng.integers(2, 21)),
        "min_samples_leaf": int(rng.integers(1, 21)),
        "positive_class_weight": _rounded(2.0 ** rng.uniform(-7.0, 7.0)),
    }


def sample_linear(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a configuration of the linear model (appendix A of the paper)."""
    return {
        "penalty": str(rng.choice(["l2", "l1", "elasticnet"])),
        "alpha": _rounded(10.0 ** rng.uniform(-6.0, -2.0)),
        "l1_ratio": _rounded(rng.random()),
        "fit_intercept": bool(rng.integers(2)),
        "eta0": _rounded(10.0 ** rng.uniform(-7.0, -1.0)),
        "positive_class_weight": _rounded(2.0 ** rng.uniform(-7.0, 7.0)),
    }


def train_forest(split: ThreeParts, parameters: Mapping[str, Any], seed: int) -> Any:
    """Train a random forest; options outside the search space are scikit-learn's."""
    from sklearn.ensemble import RandomForestClassifier

    options = {name: value for name, value in parameters.items() if name != "positive_class_weight"}
    weights = {0: 1.0, 1: parameters["positive_class_weight"]}
    forest = RandomForestClassifier(random_state=seed, class_weight=weights, **options)
    return forest.fit(split.features["train"], split.labels["train"])


def train_linear(split: ThreeParts, parameters: Mapping[str, Any], seed: int) -> Any:
    """Train a linear model by stochastic gradient descent: logistic loss, adaptive learning rate."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import SGDClassifier

    options = {name: value for name, value in parameters.items() if name != "positive_class_weight"}
    weights = {0: 1.0, 1: parameters["positive_class_weight"]}
    linear = SGDClassifier(
        loss="log_loss", learning_rate="adaptive", random_state=seed, class_weight=weights, **options
    )
    with warnings.catch_warnings():
        # A configuration that does not converge is a legitimate, bad configuration of the search.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return linear.fit(split.features["train"], split.labels["train"])


@dataclass(frozen=True)
class Family:
    """A model family: how to draw a configuration and how to train it."""

    number: int
    sample: Callable[[np.random.Generator], dict[str, Any]]
    train: Callable[[ThreeParts, Mapping[str, Any], int], Any]
    normal: bool


FAMILIES = {
    "random forest": Family(0, sample_forest, train_forest, normal=False),
    "linear model": Family(1, sample_linear, train_linear, normal=True),
}


def _jobs(
    credit: pd.DataFrame, models: Sequence[str], n_configurations: int, seeds: Sequence[int]
) -> Iterator[tuple[str, ThreeParts, dict[str, Any], int, int]]:
    for seed in seeds:
        for model in models:
            family = FAMILIES[model]
            split = split_german_credit(credit, seed, normal=family.normal)
            rng = np.random.default_rng([seed, family.number])
            for number in range(n_configurations):
                yield model, split, family.sample(rng), seed, number


def score(model: str, split: ThreeParts, parameters: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Train a configuration of a family, and score it on validation and test."""
    from sklearn.metrics import precision_score, recall_score

    trained = FAMILIES[model].train(split, parameters, seed)
    scores: dict[str, Any] = {}
    for prefix, part in (("val", "validation"), ("test", "test")):
        predicted = trained.predict(split.features[part])
        scores[f"{prefix}_precision"] = precision_score(split.labels[part], predicted, zero_division=0.0)
        scores[f"{prefix}_recall"] = recall_score(split.labels[part], predicted)
    scores["test_predictions"] = pack_predictions(predicted)
    return scores


def _rounded(value: float) -> float:
    # Six digits, so that the table holds exactly what the model was trained with.
    return float(f"{value:.6g}")


def _ordered(runs: pd.DataFrame) -> pd.DataFrame:
    scores = ["val_precision", "val_recall", "test_precision", "test_recall", "test_predictions"]
    return runs[[column for column in runs if column not in scores] + scores]


@contextmanager
def needs_extra(what: str) -> Iterator[None]:
    """Explain how to install the packages of an experiment if an import fails."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"{what} needs packages that are not installed ({error}); install them with: pip install "
            '"copa_nb[experiments]"'
        ) from error
