"""Accuracy against fairness on German credit: a sweep over model families and fairness strengths.

Every model predicts good credit from the UCI table without ``personal_status``, from which the protected
attribute (sex) is taken, and is evaluated on held-out data by its accuracy and by the equal-opportunity gap:
the difference of the true positive rates of women and men. The bundled table was made by
``tests/experiments/german_credit.py``.

The report ``copa/figure_5``, which the package ships, runs this sweep again with ``rerun``: it is part of the product.

A seed decides the split (half the rows train, stratified by label and sex), the training and the draws of
randomized predictors, so the same seed gives the same models.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets.german_credit import fairness_labels, read_german_credit
from copa_nb.papers.gap.german_credit_search import encoder, needs_extra
from copa_nb.tables.description import define

SEEDS = (0, 1, 2, 3, 4)
OBJECTIVES = {"accuracy": "max", "equal_opportunity_gap": "min"}
FAMILIES = ("logistic regression", "naive Bayes", "decision tree", "random forest", "gradient boosting")

TPR_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2)
ODDS_BOUNDS = (0.02, 0.05, 0.1)
MULTIPLIERS = tuple(np.round(np.linspace(-0.8, 0.8, 9), 3))
GAP_PENALTIES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

_PERSONAL_STATUS = "a9"
_WOMEN = ("A92", "A95")
_REDUCTION_ROUNDS = 15
_THRESHOLDS = np.round(np.arange(0.2, 0.855, 0.01), 3)


@dataclass(frozen=True)
class TwoParts:
    """German credit in two parts, encoded on the training part alone.

    Parameters
    ----------
    train, test : ndarray of float64, shape (n_part, n_features)
        Features without the protected attribute.
    train_label, test_label : ndarray of int, shape (n_part,)
        1 for good credit.
    train_woman, test_woman : ndarray of bool, shape (n_part,)
        The protected attribute.
    """

    train: np.ndarray
    test: np.ndarray
    train_label: np.ndarray
    test_label: np.ndarray
    train_woman: np.ndarray
    test_woman: np.ndarray


def fairness_sweep(
    data: str | Path | None = None,
    *,
    families: Sequence[str] = FAMILIES,
    repeats: Sequence[int] = SEEDS,
    progress: bool = False,
) -> pd.DataFrame:
    """Train and evaluate models of several families with fairness methods of several strengths.

    Per family and seed: the model as it is; exponentiated gradient under a bound on the difference of
    true positive rates, and under a bound on equalized odds; a grid of Lagrange multipliers for the true
    positive rates (all from fairlearn); and thresholds per sex, chosen on out-of-fold predictions to
    maximize accuracy minus a penalty times the gap.

    Parameters
    ----------
    data : path, optional
        The UCI file ``german.data``; the bundled copy if omitted.
    families : sequence of str
        Model families out of `FAMILIES`; fewer make a smaller sweep.
    repeats : sequence of int
        One repetition each.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        One row per model, labeled as in :func:`~copa_nb.datasets.load_german_credit_fairness`: ``family``,
        ``method``, ``strength`` (bound, multiplier or penalty; 0 for the plain model), ``seed``, and on held-out data
        the objectives ``accuracy`` (max) and ``equal_opportunity_gap`` (min: |difference of true positive rates|),
        with ``tpr_women`` and ``tpr_men``.

    Raises
    ------
    ValueError
        For an unknown family, or if there is no family or no seed.
    ImportError
        If fairlearn or scikit-learn is missing; the message gives the command to install them.
    """
    for family in families:
        checks.one_of("families", family, FAMILIES)
    for name, given in (("families", families), ("repeats", repeats)):
        if len(given) == 0:
            raise ValueError(f"`{name}` is empty; pass at least one, or leave it out for all.")
    with needs_extra("the fairness sweep"):
        import fairlearn  # noqa: F401
        import sklearn  # noqa: F401
    from tqdm.auto import tqdm

    credit = read_german_credit(data)
    rows: list[dict[str, Any]] = []
    jobs = [(seed, family) for seed in repeats for family in families]
    for seed, family in tqdm(jobs, desc="families × repeats", disable=not progress):
        split = split_by_label_and_sex(credit, seed)
        for method, strength, predicted in _predictions(split, family, seed):
            rows.append(
                {"family": family, "method": method, "strength": strength, "seed": seed}
                | judge(split.test_label, predicted, split.test_woman)
            )
    models = pd.DataFrame(rows)
    models.index = fairness_labels(models)
    models.attrs["source"] = {
        "name": "fairness sweep, trained again",
        "kind": "own",
        "sha256": "",
        "origin": "copa_nb.papers.copa.fairness_sweep",
    }
    return define(models, OBJECTIVES)


def split_by_label_and_sex(credit: pd.DataFrame, seed: int) -> TwoParts:
    """Split the table in half with equal shares of label and sex, and encode the features.

    Parameters
    ----------
    credit : DataFrame
        From :func:`~copa_nb.datasets.german_credit.read_german_credit`.
    seed : int
        Seed of the split.

    Returns
    -------
    TwoParts
    """
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    woman = credit[_PERSONAL_STATUS].isin(_WOMEN).to_numpy()
    good = 1 - credit["bad"].to_numpy()
    features = credit.drop(columns=["bad", _PERSONAL_STATUS])
    parts = train_test_split(features, good, woman, test_size=0.5, random_state=seed, stratify=2 * good + woman)
    train, test, train_label, test_label, train_woman, test_woman = parts
    encode = encoder(train, StandardScaler()).transform
    return TwoParts(encode(train), encode(test), train_label, test_label, train_woman, test_woman)


def judge(label: np.ndarray, predicted: np.ndarray, woman: np.ndarray) -> dict[str, float]:
    """Measure accuracy and the equal-opportunity gap.

    Parameters
    ----------
    label, predicted : ndarray of int, shape (n,)
        1 for good credit.
    woman : ndarray of bool, shape (n,)
        The protected attribute; both sexes must have rows with good credit.

    Returns
    -------
    dict of str to float
        Rounded to 6 digits: the tables are small and the counts are exact.

    Examples
    --------
    >>> label, predicted = np.array([1, 1, 1, 1, 0]), np.array([1, 0, 1, 1, 0])
    >>> judge(label, predicted, np.array([True, True, False, False, False]))
    {'accuracy': 0.8, 'equal_opportunity_gap': 0.5, 'tpr_women': 0.5, 'tpr_men': 1.0}
    """
    women = predicted[(label == 1) & woman].mean()
    men = predicted[(label == 1) & ~woman].mean()
    measured = {
        "accuracy": (predicted == label).mean(),
        "equal_opportunity_gap": abs(women - men),
        "tpr_women": women,
        "tpr_men": men,
    }
    return {name: round(float(value), 6) for name, value in measured.items()}


def gap_penalized_thresholds(
    probability: np.ndarray, label: np.ndarray, woman: np.ndarray, penalty: float
) -> tuple[float, float]:
    """Choose one threshold for women and one for men: best accuracy minus `penalty` times the gap.

    Parameters
    ----------
    probability : ndarray of float64, shape (n,)
        Predicted probability of good credit, out of fold.
    label : ndarray of int, shape (n,)
        1 for good credit.
    woman : ndarray of bool, shape (n,)
        The protected attribute.
    penalty : float
        Loss of accuracy that a gap of 1 is worth.

    Returns
    -------
    tuple of float
        Thresholds for women and for men.
    """
    right, rate = {}, {}
    for sex, rows in ((True, woman), (False, ~woman)):
        predicted = probability[rows] >= _THRESHOLDS[:, None]
        right[sex] = (predicted == (label[rows] == 1)).sum(axis=1)
        rate[sex] = predicted[:, label[rows] == 1].mean(axis=1)
    accuracy = (right[True][:, None] + right[False]) / len(label)
    value = accuracy - penalty * np.abs(rate[True][:, None] - rate[False])
    women, men = np.unravel_index(int(value.argmax()), value.shape)
    return float(_THRESHOLDS[women]), float(_THRESHOLDS[men])


def _predictions(split: TwoParts, family: str, seed: int) -> Iterator[tuple[str, float, np.ndarray]]:
    estimator = _estimator(family, seed)
    plain = estimator().fit(split.train, split.train_label)
    yield "plain", 0.0, plain.predict(split.test)
    yield from _exponentiated_gradient(split, estimator, seed)
    yield from _multiplier_grid(split, estimator)
    yield from _thresholds(split, estimator, plain, seed)


def _exponentiated_gradient(
    split: TwoParts, estimator: Callable[[], Any], seed: int
) -> Iterator[tuple[str, float, np.ndarray]]:
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient, TruePositiveRateParity

    for method, constraint, bounds in (
        ("equal opportunity bound", TruePositiveRateParity, TPR_BOUNDS),
        ("equalised odds bound", EqualizedOdds, ODDS_BOUNDS),
    ):
        for bound in bounds:
            reduction = ExponentiatedGradient(
                estimator(), constraint(difference_bound=bound), eps=bound, max_iter=_REDUCTION_ROUNDS
            )
            with _quiet():
                reduction.fit(split.train, split.train_label, sensitive_features=split.train_woman)
            yield method, bound, reduction.predict(split.test, random_state=seed)


def _multiplier_grid(split: TwoParts, estimator: Callable[[], Any]) -> Iterator[tuple[str, float, np.ndarray]]:
    from fairlearn.reductions import GridSearch, TruePositiveRateParity

    constraint = TruePositiveRateParity()
    with _quiet():
        constraint.load_data(split.train, split.train_label, sensitive_features=split.train_woman)
        # Two groups leave one free multiplier; its sign says which group is given more weight.
        direction = constraint.pos_basis[0] - constraint.neg_basis[0]
        grid = pd.DataFrame({k: value * direction for k, value in enumerate(MULTIPLIERS)}).clip(lower=0)
        search = GridSearch(estimator(), TruePositiveRateParity(), grid=grid)
        search.fit(split.train, split.train_label, sensitive_features=split.train_woman)
    for multiplier, predictor in zip(MULTIPLIERS, search.predictors_, strict=True):
        if multiplier != 0:
            yield "multiplier grid", float(multiplier), predictor.predict(split.test)


def _thresholds(
    split: TwoParts, estimator: Callable[[], Any], plain: Any, seed: int
) -> Iterator[tuple[str, float, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    inside = cross_val_predict(estimator(), split.train, split.train_label, cv=folds, method="predict_proba")[:, 1]
    outside = plain.predict_proba(split.test)[:, 1]
    for penalty in GAP_PENALTIES:
        women, men = gap_penalized_thresholds(inside, split.train_label, split.train_woman, penalty)
        yield "thresholds per sex", penalty, (outside >= np.where(split.test_woman, women, men)).astype(int)


@contextmanager
def _quiet() -> Iterator[None]:
    # A reweighted copy of the problem may be degenerate (all rounds together are judged), and some releases
    # of fairlearn use what pandas deprecates.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _estimator(family: str, seed: int) -> Callable[[], Any]:
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    makers: dict[str, Callable[[], Any]] = {
        "logistic regression": lambda: LogisticRegression(C=0.1, max_iter=1000),
        "naive Bayes": lambda: GaussianNB(var_smoothing=0.1),
        "decision tree": lambda: DecisionTreeClassifier(max_depth=5, min_samples_leaf=10, random_state=seed),
        "random forest": lambda: RandomForestClassifier(40, min_samples_leaf=4, random_state=seed),
        "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=40, subsample=0.8, random_state=seed),
    }
    return makers[family]
