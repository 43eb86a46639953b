"""Compute the bundled tables that are derived from public files.

Run ``python -m tests.experiments.derive_tables`` with the public files at hand (mirror, cache or
network); it writes the tables into the package. BBOB needs the extra ``[experiments]``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from copa_nb import datasets
from copa_nb.datasets import acs_income, agents, bbob
from copa_nb.datasets.bundle import FOLDER

_DIGITS = "%.9g"


def amlb_means() -> pd.DataFrame:
    """Mean result of every framework on every task of the AutoML Benchmark."""
    return datasets.load_amlb("real")


def acs_income_means() -> pd.DataFrame:
    """Mean over seeds of every fairness method and strength."""
    return average_seeds(datasets.load_acs_income("real")).reset_index()


def agents_summary() -> pd.DataFrame:
    """Means and standard deviations of the coding agents, without their names."""
    batches = [summarise_systems(datasets.load_agents(batch, "real"), batch) for batch in agents.BATCHES]
    return pd.concat(batches, ignore_index=True)


def bbob_criteria() -> pd.DataFrame:
    """Running time and reached precisions of every optimiser, function and dimension."""
    return bbob.derive_criteria(datasets.load_bbob_runs())


def uci_classifier_means() -> pd.DataFrame:
    """Mean over folds of every classifier, data set and metric."""
    return datasets.load_uci_classifiers("real")


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
    grouped = runs.groupby(list(acs_income.SETTINGS.values()), dropna=False)
    means = grouped[list(acs_income.MEASURES.values())].mean()
    means.insert(0, "n_seeds", grouped.size())
    means["accuracy_sd"] = grouped["accuracy"].std()
    means["violation_sd"] = grouped["violation"].std()
    means = means.reset_index()
    means.index = pd.Index(acs_income.setting_labels(means), name="model")
    return means.sort_index()


def summarise_systems(runs: pd.DataFrame, batch: str) -> pd.DataFrame:
    """Compute the means and standard deviations that the stand-in is drawn from.

    Parameters
    ----------
    runs : DataFrame
        As ``load_agents(batch, "real")`` returns it.
    batch : str
        Written into the first column.

    Returns
    -------
    DataFrame
        One row per system, in the order of `runs`, without its name.
    """
    logs = runs.assign(**{measure: np.log10(runs[measure]) for measure in agents.LOG_MEASURES})
    grouped = logs.groupby("system", sort=False)[["accuracy", *agents.LOG_MEASURES]]
    spread = grouped.std()
    spread = spread.fillna(spread.median())
    summary = grouped.mean().add_suffix("_mean").join(spread.add_suffix("_sd"))
    summary.insert(0, "batch", batch)
    summary.insert(1, "number", range(1, len(summary) + 1))
    summary.insert(2, "n_runs", grouped.size())
    return summary.reset_index(drop=True)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "acs_income_means": acs_income_means,
    "agents_summary": agents_summary,
    "amlb_means": amlb_means,
    "bbob_criteria": bbob_criteria,
    "uci_classifier_means": uci_classifier_means,
}


def main() -> None:
    """Write all tables."""
    for name, derive in TABLES.items():
        table = derive()
        table.to_csv(FOLDER / f"{name}.csv", index=False, float_format=_DIGITS, lineterminator="\n")
        print(f"{name}: {len(table):,} rows")


if __name__ == "__main__":
    main()
