"""Eight classifiers on sixteen UCI data sets."""

from __future__ import annotations

import pandas as pd

from copa_nb import checks
from copa_nb.datasets import registry
from copa_nb.datasets.bundle import load_bundled

OBJECTIVES = {"accuracy": "max", "auc": "max", "brier_score": "min"}


def load_uci_classifiers(source: str = "auto", *, level: str = "means") -> pd.DataFrame:
    """Load three metrics of eight classifiers on 16 UCI data sets.

    Parameters
    ----------
    source : {"auto", "bundled", "real"}
        "bundled" reads the bundled means, "real" the public file. For means both hold
        the same numbers, so "auto" is "bundled"; folds come from the public file only.
    level : {"means", "folds"}
        Means over 10 folds, or the folds.

    Returns
    -------
    DataFrame
        One row per ``dataset`` and ``classifier`` (128), and ``fold`` (1 to 10) for folds (1,280). Objectives:
        ``accuracy`` and ``auc`` (max), ``brier_score`` (min).

    Raises
    ------
    ValueError
        For an unknown option, or for bundled folds.
    DataUnavailableError
        When the public file is requested and not available.

    Notes
    -----
    Source: Blocher, Schollmeyer, Nalenz and Jansen, Comparing Machine Learning Algorithms by Union-Free
    Generic Depth (2024), https://github.com/hannahblo/Comparing_Algorithms_Using_UFG_Depth.

    Examples
    --------
    >>> table = load_uci_classifiers()
    >>> table["classifier"].nunique(), table["dataset"].nunique(), len(table)
    (8, 16, 128)
    """
    checks.one_of("source", source, ("auto", "bundled", "real"))
    checks.one_of("level", level, ("means", "folds"))
    if level == "folds" and source == "bundled":
        raise ValueError('`source` is "bundled", but only means are bundled; use level="means" or source="real".')
    if level == "means" and source != "real":
        return load_bundled("uci_classifier_means")
    raw = pd.read_csv(registry.fetch("uci_classifiers"), sep=";", decimal=",")
    folds = (
        raw.rename(columns={"method": "classifier"})
        .replace({"metric": {"acc": "accuracy"}})
        .pivot_table(index=["dataset", "classifier", "fold"], columns="metric", values="val")
        .rename_axis(columns=None)[list(OBJECTIVES)]
        .reset_index()
    )
    table = folds if level == "folds" else average_classifier_folds(folds)
    return registry.describe_public(table, "uci_classifiers", objectives=OBJECTIVES)


def average_classifier_folds(folds: pd.DataFrame) -> pd.DataFrame:
    """Average the metrics over folds.

    Parameters
    ----------
    folds : DataFrame
        As ``load_uci_classifiers("real", level="folds")`` returns it.

    Returns
    -------
    DataFrame
        As :func:`load_uci_classifiers` returns it.
    """
    return folds.groupby(["dataset", "classifier"], as_index=False)[list(OBJECTIVES)].mean()
