"""The AutoML Benchmark of 2021: its folds, and means per task."""

from __future__ import annotations

import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import load_bundled, round_means
from copa_nb.tables.description import define

PROBLEMS = ("all", "binary", "multiclass", "regression")
TIME_LIMITS = ("all", "1h", "4h")
BASELINE = "constantpredictor"

_KEY = ["task", "problem", "metric", "framework", "time_limit"]


def load_amlb(*, problem_type: str = "all", time_limit: str = "all") -> pd.DataFrame:
    """Load results of the AutoML Benchmark (2021 Q3), averaged over folds.

    Parameters
    ----------
    problem_type : {"all", "binary", "multiclass", "regression"}
        Kind of task.
    time_limit : {"all", "1h", "4h"}
        Training time of the frameworks.

    Returns
    -------
    DataFrame
        One row per task, framework and time limit: 104 tasks (71 classification, 33 regression), 13
        frameworks (``autosklearn2`` does classification only; ``constantpredictor`` and ``RandomForest`` are
        references). Columns: ``task``, ``problem``, ``metric`` (auc, neg_logloss or neg_rmse),
        ``framework``, ``time_limit``, the objective ``result`` (max; errors are negated), ``result_sd`` over
        folds, ``n_failed`` (folds of 10 that failed) and ``training_s`` (mean training time of the folds that
        did not fail, NaN if all failed).

    Raises
    ------
    ValueError
        For an unknown option.

    Notes
    -----
    Failed folds (729 without result, and one that is missing) take the constant predictor's result of the
    same task, fold and time limit; then results are averaged over the 10 folds and
    rounded to nine significant digits.

    Source: Gijsbers et al., AMLB: an AutoML Benchmark (JMLR 2024), results of 2021 as published in
    https://github.com/Coorsaa/automlbenchmark_shiny_app. COPA used the results of 2023.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> results = datasets.load_amlb(problem_type="regression", time_limit="1h")
    >>> results["task"].nunique(), results["framework"].nunique(), results.attrs["moo"]["objectives"]
    (33, 12, {'result': 'max'})
    """
    folds = load_amlb_folds(problem_type=problem_type, time_limit=time_limit)
    means = average_folds(folds)
    means.attrs = folds.attrs
    return define(means, repeat=None)


def load_amlb_folds(*, problem_type: str = "all", time_limit: str = "all") -> pd.DataFrame:
    """Load results of the AutoML Benchmark (2021 Q3) fold by fold, for matched comparisons.

    Parameters
    ----------
    problem_type, time_limit : str
        As in :func:`load_amlb`.

    Returns
    -------
    DataFrame
        One row per task, framework, time limit and ``fold`` (0 to 9; the same fold is the same split for
        every framework). Columns as in :func:`load_amlb`, with ``failed`` (bool) instead of ``n_failed``
        and without ``result_sd``.

    Raises
    ------
    ValueError
        For an unknown option.

    Notes
    -----
    A failed fold takes the constant predictor's result, see :func:`load_amlb`.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> folds = datasets.load_amlb_folds(problem_type="regression", time_limit="1h")
    >>> folds.groupby(["task", "framework"]).size().unique().tolist()
    [10]
    """
    checks.one_of("problem_type", problem_type, PROBLEMS)
    checks.one_of("time_limit", time_limit, TIME_LIMITS)
    folds = fill_failed(load_bundled("amlb_folds"))
    chosen = (problem_type == "all") | (folds["problem"] == problem_type)
    chosen &= (time_limit == "all") | (folds["time_limit"] == time_limit)
    return folds[chosen].reset_index(drop=True)


def fill_failed(folds: pd.DataFrame) -> pd.DataFrame:
    """Give folds without a result that of the constant predictor, and mark them in a column ``failed``.

    Parameters
    ----------
    folds : DataFrame
        The bundled table ``amlb_folds``, or rows of it with every ``constantpredictor`` they need.

    Returns
    -------
    DataFrame
        The same rows.
    """
    split = ["task", "time_limit", "fold"]
    constant = folds.loc[folds["framework"] == BASELINE].set_index(split)["result"]
    failed = folds["result"].isna()
    filled = folds.assign(failed=failed)
    filled.loc[failed, "result"] = constant.reindex(pd.MultiIndex.from_frame(folds.loc[failed, split])).to_numpy()
    return filled


def average_folds(folds: pd.DataFrame) -> pd.DataFrame:
    """Average results over folds.

    Parameters
    ----------
    folds : DataFrame
        As :func:`load_amlb_folds` returns it.

    Returns
    -------
    DataFrame
        As :func:`load_amlb` returns it.
    """
    means = folds.groupby(_KEY, sort=True).agg(
        result=("result", "mean"),
        result_sd=("result", "std"),
        n_failed=("failed", "sum"),
        training_s=("training_s", "mean"),
    )
    return round_means(means.reset_index())
