"""Accuracy against fairness: published runs on ACSIncome."""

from __future__ import annotations

import warnings

import pandas as pd

from copa_nb import checks
from copa_nb.datasets import registry
from copa_nb.datasets.bundle import FallbackWarning, load_bundled

OBJECTIVES = {"accuracy": "max", "violation": "min"}

SETTINGS = {
    "method/name": "method",
    "method/statistic": "statistic",
    "method/fairness_strength": "strength",
    "method/reconstruction_strength": "reconstruction",
}
MEASURES = {
    "test/accuracy": "accuracy",
    "test/hard/binary/eq_opp": "violation",
    "val/accuracy": "val_accuracy",
    "val/hard/binary/eq_opp": "val_violation",
    "test/auroc": "auroc",
    "test/f1_score": "f1",
    "training_time": "training_s",
}


def load_acs_income(source: str = "auto") -> pd.DataFrame:
    """Load accuracy and equal-opportunity violation of fairness methods on ACSIncome.

    Parameters
    ----------
    source : {"auto", "real", "bundled"}
        "real" gives the single runs of the public file; "bundled" gives the bundled means over seeds;
        "auto" tries the first, then the second with a :class:`FallbackWarning`.

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
        With ``source="real"`` when the file is not available.

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
    checks.one_of("source", source, ("auto", "real", "bundled"))
    if source == "bundled":
        return load_bundled("acs_income_means")
    try:
        file = registry.fetch("acs_income")
    except registry.DataUnavailableError as error:
        if source == "real":
            raise
        warnings.warn(f"means over seeds are loaded in place of the runs: {error}", FallbackWarning, stacklevel=2)
        return load_bundled("acs_income_means")
    raw = pd.read_csv(file, usecols=["seed", "data/main_sens_format", *SETTINGS, *MEASURES])
    runs = raw[raw["data/main_sens_format"] == "binary"].dropna(subset=list(MEASURES)[:2])
    runs = runs.rename(columns=SETTINGS | MEASURES)[[*SETTINGS.values(), "seed", *MEASURES.values()]]
    runs.index = setting_labels(runs) + " seed=" + runs["seed"].astype(str)
    return registry.describe_public(runs.rename_axis("model").sort_index(), "acs_income", objectives=OBJECTIVES)


def setting_labels(table: pd.DataFrame) -> pd.Series:
    """Name each row by its method and what was set: ``fairret_norm tpr 0.1``."""
    statistic = table["statistic"].fillna("")
    reconstruction = table["reconstruction"].map("rec={:g}".format, na_action="ignore").fillna("")
    strength = table["strength"].map("{:g}".format)
    label = table["method"] + " " + statistic + " " + strength + " " + reconstruction
    return label.str.replace(r"\s+", " ", regex=True).str.strip()
