"""Accuracy against fairness: published runs on ACSIncome, and the German credit data."""

from __future__ import annotations

import warnings

import pandas as pd

from copa_nb.datasets import registry
from copa_nb.datasets.bundle import load_bundled
from copa_nb.datasets.provenance import FallbackWarning, check_source

OBJECTIVES = {"accuracy": "max", "violation": "min"}

_SETTINGS = {
    "method/name": "method",
    "method/statistic": "statistic",
    "method/fairness_strength": "strength",
    "method/reconstruction_strength": "reconstruction",
}
_MEASURES = {
    "test/accuracy": "accuracy",
    "test/hard/binary/eq_opp": "violation",
    "val/accuracy": "val_accuracy",
    "val/hard/binary/eq_opp": "val_violation",
    "test/auroc": "auroc",
    "test/f1_score": "f1",
    "training_time": "training_s",
}
_GERMAN_CREDIT_COLUMNS = (
    "checking_status",
    "duration_months",
    "credit_history",
    "purpose",
    "credit_amount",
    "savings",
    "employment_since",
    "installment_rate_pct",
    "personal_status",
    "other_debtors",
    "residence_since",
    "property",
    "age_years",
    "other_installment_plans",
    "housing",
    "existing_credits",
    "job",
    "people_liable",
    "telephone",
    "foreign_worker",
)


def load_acs_income(source: str = "auto") -> pd.DataFrame:
    """Load accuracy and equal-opportunity violation of fairness methods on ACSIncome.

    Parameters
    ----------
    source : {"auto", "real", "bundled"}
        "real" gives the single runs of the public file; "bundled" gives the means over seeds that the
        package carries; "auto" tries the first, then the second with a :class:`FallbackWarning`.

    Returns
    -------
    DataFrame
        "real": 325 rows, one per run, indexed by ``model`` (method, statistic, strength and seed). Columns:
        ``method``, ``statistic`` (what is equalised), ``strength`` (of the fairness term, or the tolerance
        for ``error_parity``), ``reconstruction`` (``laftr`` only), ``seed``, the objectives ``accuracy`` (max)
        and ``violation`` (min: relative gap of true-positive rates between two groups, 0 is fair),
        and ``val_accuracy``, ``val_violation`` (NaN for 50 runs of ``laftr``), ``auroc``, ``f1``, ``training_s``.

        "bundled": 65 rows, one per setting, without ``seed`` and with ``n_seeds``, ``accuracy_sd`` and
        ``violation_sd``.

    Raises
    ------
    DataUnavailableError
        With ``source="real"`` when the file cannot be had.

    Notes
    -----
    Source: Defrance, Buyl and De Bie, ABCFair (NeurIPS 2024), https://github.com/aida-ugent/abcfair. Kept are
    the 425 runs with a binary sensitive attribute, less the 100 that have no result.

    Examples
    --------
    >>> settings = load_acs_income("bundled")
    >>> len(settings), settings.attrs["moo"]["objectives"]
    (65, {'accuracy': 'max', 'violation': 'min'})
    """
    check_source(source, "auto", "real", "bundled")
    if source == "bundled":
        return load_bundled("acs_income_means")
    try:
        file = registry.fetch("acs_income")
    except registry.DataUnavailableError as error:
        if source == "real":
            raise
        warnings.warn(f"means over seeds take the place of the runs: {error}", FallbackWarning, stacklevel=2)
        return load_bundled("acs_income_means")
    raw = pd.read_csv(file, usecols=["seed", "data/main_sens_format", *_SETTINGS, *_MEASURES])
    runs = raw[raw["data/main_sens_format"] == "binary"].dropna(subset=list(_MEASURES)[:2])
    runs = runs.rename(columns=_SETTINGS | _MEASURES)[[*_SETTINGS.values(), "seed", *_MEASURES.values()]]
    runs.index = setting_labels(runs) + " seed=" + runs["seed"].astype(str)
    return registry.describe_public(runs.rename_axis("model").sort_index(), "acs_income", objectives=OBJECTIVES)


def average_seeds(runs: pd.DataFrame) -> pd.DataFrame:
    """Average runs over seeds.

    Parameters
    ----------
    runs : DataFrame
        As ``load_acs_income("real")`` returns it.

    Returns
    -------
    DataFrame
        As ``load_acs_income("bundled")`` returns it.
    """
    grouped = runs.groupby(list(_SETTINGS.values()), dropna=False)
    means = grouped[list(_MEASURES.values())].mean()
    means.insert(0, "n_seeds", grouped.size())
    means["accuracy_sd"] = grouped["accuracy"].std()
    means["violation_sd"] = grouped["violation"].std()
    means = means.reset_index()
    means.index = pd.Index(setting_labels(means), name="model")
    return means.sort_index()


def setting_labels(table: pd.DataFrame) -> pd.Series:
    """Name each row by its method and what was set: ``fairret_norm tpr 0.1``."""
    statistic = table["statistic"].fillna("")
    reconstruction = table["reconstruction"].map("rec={:g}".format, na_action="ignore").fillna("")
    strength = table["strength"].map("{:g}".format)
    label = table["method"] + " " + statistic + " " + strength + " " + reconstruction
    return label.str.replace(r"\s+", " ", regex=True).str.strip()


def load_german_credit() -> pd.DataFrame:
    """Load the Statlog German credit data of the UCI repository.

    Returns
    -------
    DataFrame
        1,000 rows: 20 attributes as in the file (13 are codes such as "A93", described by UCI; 7 are whole
        numbers) and ``bad`` (1 for the 300 bad credits, 0 for the 700 good ones). There are no objectives:
        this is training data. ``personal_status`` holds sex: A92 and A95 are women.

    Raises
    ------
    DataUnavailableError
        When the file is neither in the mirror nor in the cache and cannot be downloaded.

    Notes
    -----
    Source: Hofmann, Statlog (German Credit Data), UCI Machine Learning Repository, CC BY 4.0. The file has
    space-separated codes, a blank first line and 1 (good) or 2 (bad) in the last column.

    Examples
    --------
    >>> credit = load_german_credit()  # doctest: +SKIP
    >>> credit["bad"].sum()  # doctest: +SKIP
    300
    """
    raw = pd.read_csv(
        registry.fetch("german_credit"), sep=r"\s+", header=None, names=[*_GERMAN_CREDIT_COLUMNS, "class"]
    )
    credit = raw.drop(columns="class").assign(bad=(raw["class"] == 2).astype(int))
    return registry.describe_public(credit, "german_credit", objectives={})


def load_german_credit_fairness() -> pd.DataFrame:
    """Load the package's own sweep of accuracy against fairness on German credit.

    Returns
    -------
    DataFrame
        600 models, one per row, indexed by ``model`` (family, method, strength and seed): ``family`` (five
        model families), ``method`` (plain, three ways of constraining the training with fairlearn, thresholds
        per sex), ``strength`` (bound, multiplier or penalty), ``seed`` (0 to 4; decides the split), and on
        held-out data the objectives ``accuracy`` (max) and ``equal_opportunity_gap`` (min: by how much the
        true positive rates of women and men differ), with ``tpr_women`` and ``tpr_men``.

    Notes
    -----
    Made by :mod:`copa_nb.datasets.fairness_sweep`, which makes it again.

    Examples
    --------
    >>> models = load_german_credit_fairness()
    >>> len(models), models.groupby(["family", "method", "strength"]).ngroups, models["seed"].nunique()
    (600, 120, 5)
    """
    models = load_bundled("german_credit_fairness")
    strengths = models["strength"].map("{:g}".format)
    models.index = pd.Index(
        models["family"] + ", " + models["method"] + " " + strengths + ", seed " + models["seed"].astype(str),
        name="model",
    )
    return models
