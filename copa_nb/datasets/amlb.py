"""The AutoML Benchmark of 2021: means per task from the package, folds from the public files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets import registry
from copa_nb.datasets.bundle import describe, load_bundled, stand_in_for

PROBLEMS = ("all", "binary", "multiclass", "regression")
TIME_LIMITS = ("all", "1h", "4h")
BASELINE = "constantpredictor"

_PUBLIC_NAMES = ("amlb_classification", "amlb_regression")
_LIMITS = {"1h8c_gp3": "1h", "4h8c": "4h", "4h8c_gp3": "4h"}
_KEY = ["task", "problem", "metric", "framework", "time_limit"]
_N_FOLDS = 10
_STAND_IN_SEED = 2021
_BEST_POSSIBLE = {"auc": 1.0, "neg_logloss": 0.0, "neg_rmse": 0.0}
# Median over tasks of the correlation between two frameworks' results across folds, as measured.
_FOLD_CORRELATION = 0.83


def load_amlb(source: str = "auto", *, problem: str = "all", time_limit: str = "all") -> pd.DataFrame:
    """Load results of the AutoML Benchmark (2021 Q3), averaged over folds.

    Parameters
    ----------
    source : {"auto", "bundled", "real"}
        "bundled" reads the bundled means; "real" recomputes them from the public
        files. Both hold the same numbers, so "auto" is "bundled".
    problem : {"all", "binary", "multiclass", "regression"}
        Kind of task.
    time_limit : {"all", "1h", "4h"}
        Training time that frameworks were given.

    Returns
    -------
    DataFrame
        One row per task, framework and time limit: 104 tasks (71 classification, 33 regression), 13
        frameworks (``autosklearn2`` does classification only; ``constantpredictor`` and ``RandomForest`` are
        references). Columns: ``task``, ``problem``, ``metric`` (auc, neg_logloss or neg_rmse),
        ``framework``, ``time_limit``, the objective ``result`` (max: errors are negated), ``result_sd`` over
        folds, ``n_failed`` (folds of 10 that failed) and ``training_s`` (mean training time of the folds that
        did not fail, NaN where none did).

    Raises
    ------
    ValueError
        For an unknown option.
    DataUnavailableError
        With ``source="real"`` when a file is not available.

    Notes
    -----
    Failed folds (729 without result, and one that is missing) take the constant predictor's result of the
    same task, fold and time limit; then results are averaged over the 10 folds.

    Source: Gijsbers et al., AMLB: an AutoML Benchmark (JMLR 2024), results of 2021 as published in
    https://github.com/Coorsaa/automlbenchmark_shiny_app. COPA used the results of 2023.

    Examples
    --------
    >>> results = load_amlb(problem="regression", time_limit="1h")
    >>> results["task"].nunique(), results["framework"].nunique(), results.attrs["moo"]["objectives"]
    (33, 12, {'result': 'max'})
    """
    checks.one_of("source", source, ("auto", "bundled", "real"))
    if source != "real":
        return _chosen(load_bundled("amlb_means"), problem, time_limit)
    means = average_folds(_read_folds([registry.fetch(name) for name in _PUBLIC_NAMES]))
    return _chosen(_described(means, "amlb"), problem, time_limit)


def load_amlb_folds(source: str = "auto", *, problem: str = "all", time_limit: str = "all") -> pd.DataFrame:
    """Load results of the AutoML Benchmark (2021 Q3) fold by fold, for matched comparisons.

    Parameters
    ----------
    source : {"auto", "real", "stand-in"}
        "real" takes the public files; "stand-in" draws folds from the bundled means and standard
        deviations; "auto" tries the first, then the second with a :class:`StandInWarning`.
    problem, time_limit : str
        As in :func:`load_amlb`.

    Returns
    -------
    DataFrame
        One row per task, framework, time limit and ``fold`` (0 to 9; the same fold is the same split for
        every framework). Columns as in :func:`load_amlb`, with ``failed`` (bool) in the place of ``n_failed``
        and without ``result_sd``.

    Raises
    ------
    ValueError
        For an unknown option.
    DataUnavailableError
        With ``source="real"`` when a file is not available.

    Notes
    -----
    The stand-in keeps each mean and standard deviation (but for results cut off at the best possible
    value) and lets frameworks share fold effects: half of the tasks have a correlation between frameworks
    above 0.83 in the real results, and 0.83 is used for all. It marks no fold as failed.

    Examples
    --------
    >>> folds = load_amlb_folds("stand-in", problem="regression", time_limit="1h")
    >>> folds.groupby(["task", "framework"]).size().unique().tolist()
    [10]
    """
    checks.one_of("source", source, ("auto", "real", "stand-in"))
    if source == "stand-in":
        return _chosen(_simulated_folds(), problem, time_limit)
    try:
        files = [registry.fetch(name) for name in _PUBLIC_NAMES]
    except registry.DataUnavailableError as error:
        stand_in_for(source, "the folds of the AutoML Benchmark", error)
        return _chosen(_simulated_folds(), problem, time_limit)
    return _chosen(_described(_read_folds(files), "amlb_folds"), problem, time_limit)


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
    grouped = folds.groupby(_KEY, sort=True)
    return grouped.agg(
        result=("result", "mean"),
        result_sd=("result", "std"),
        n_failed=("failed", "sum"),
        training_s=("training_s", "mean"),
    ).reset_index()


def _read_folds(files: list[Path]) -> pd.DataFrame:
    columns = ["task", "framework", "constraint", "fold", "type", "metric", "result", "training_duration"]
    raw = pd.concat([pd.read_csv(file, usecols=columns) for file in files], ignore_index=True)
    raw["time_limit"] = raw["constraint"].map(_LIMITS)
    raw["framework"] = raw["framework"].str.removesuffix("_benchmark")
    raw = raw.rename(columns={"type": "problem", "training_duration": "training_s"})
    complete = raw[_KEY].drop_duplicates().merge(pd.DataFrame({"fold": range(_N_FOLDS)}), how="cross")
    folds = complete.merge(raw[[*_KEY, "fold", "result", "training_s"]], how="left", on=[*_KEY, "fold"])
    constant = folds.loc[folds["framework"] == BASELINE, ["task", "time_limit", "fold", "result"]]
    folds = folds.merge(constant.rename(columns={"result": "constant"}), how="left", on=["task", "time_limit", "fold"])
    folds["failed"] = folds["result"].isna()
    folds["result"] = folds["result"].fillna(folds["constant"])
    return folds.drop(columns="constant").sort_values([*_KEY, "fold"], ignore_index=True)


def _simulated_folds() -> pd.DataFrame:
    means = load_bundled("amlb_means")
    generator = np.random.default_rng(_STAND_IN_SEED)
    tasks, task_codes = np.unique(means["task"] + means["time_limit"], return_inverse=True)
    shared = generator.standard_normal((len(tasks), _N_FOLDS))[task_codes]
    own = generator.standard_normal((len(means), _N_FOLDS))
    effects = np.sqrt(_FOLD_CORRELATION) * shared + np.sqrt(1 - _FOLD_CORRELATION) * own
    effects -= effects.mean(axis=1, keepdims=True)
    effects /= effects.std(axis=1, ddof=1, keepdims=True)
    results = means["result"].to_numpy()[:, None] + means["result_sd"].to_numpy()[:, None] * effects
    folds = means[[*_KEY, "training_s"]].loc[means.index.repeat(_N_FOLDS)].reset_index(drop=True)
    best = folds["metric"].map(_BEST_POSSIBLE).to_numpy(dtype=float)
    folds["result"] = np.minimum(results.ravel(), best)
    folds["fold"] = np.tile(np.arange(_N_FOLDS), len(means))
    folds["failed"] = False
    return describe(
        folds[[*_KEY, "fold", "result", "training_s", "failed"]],
        objectives={"result": "max"},
        name="amlb_folds (stand-in)",
        kind="stand-in",
        origin="simulated from means and standard deviations of the AutoML Benchmark",
        licence="BSD-3-Clause",
        sha256=means.attrs["source"]["sha256"],
    )


def _described(table: pd.DataFrame, called: str) -> pd.DataFrame:
    return registry.describe_public(table, *_PUBLIC_NAMES, objectives={"result": "max"}, called=called)


def _chosen(table: pd.DataFrame, problem: str, time_limit: str) -> pd.DataFrame:
    checks.one_of("problem", problem, PROBLEMS)
    checks.one_of("time_limit", time_limit, TIME_LIMITS)
    if problem != "all":
        table = table[table["problem"] == problem]
    if time_limit != "all":
        table = table[table["time_limit"] == time_limit]
    return table.reset_index(drop=True)
