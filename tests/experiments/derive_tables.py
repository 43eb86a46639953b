"""Compute the bundled tables that are derived from public files.

Run ``python -m tests.experiments.derive_tables`` with the public files at hand (mirror, cache or
network); it writes the tables into the package. BBOB needs the extra ``[experiments]``.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from copa_nb.datasets import agents, amlb, bbob, classifiers, fairness
from copa_nb.datasets.bundle import FOLDER

_DIGITS = "%.9g"


def amlb_means() -> pd.DataFrame:
    """Mean result of every framework on every task of the AutoML Benchmark."""
    return amlb.load_amlb("real")


def acs_income_means() -> pd.DataFrame:
    """Mean over seeds of every fairness method and strength."""
    return fairness.average_seeds(fairness.load_acs_income("real")).reset_index()


def agents_summary() -> pd.DataFrame:
    """Means and standard deviations of the coding agents, without their names."""
    batches = [agents.summarise_systems(agents.load_agents(batch, "real"), batch) for batch in agents.BATCHES]
    return pd.concat(batches, ignore_index=True)


def bbob_criteria() -> pd.DataFrame:
    """Running time and reached precisions of every optimiser, function and dimension."""
    return bbob.derive_criteria(bbob.load_bbob_runs())


def uci_classifier_means() -> pd.DataFrame:
    """Mean over folds of every classifier, data set and metric."""
    return classifiers.load_uci_classifiers("real")


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
