"""Tables that come with the package or are simulated by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from copa_nb import datasets
from tests.snapshot.cases.registry import case


def _told(table: pd.DataFrame) -> dict[str, Any]:
    """A table's columns, its objectives, and what it says of its source that hangs on no place in the package."""
    source = table.attrs.get("source", {})
    # The hash of a simulated table hangs on the last bit of a logarithm.
    kept = ("name", "kind", "license", *(["sha256"] if source.get("kind") == "bundled" else []))
    return {"table": table, "described": table.attrs.get("moo"), "source": {name: source.get(name) for name in kept}}


@case()
def loaders() -> dict[str, Any]:
    return {
        "acs_income": _told(datasets.load_acs_income()),
        "agents 0409": _told(datasets.load_agents("0409")),
        "agents 0613": _told(datasets.load_agents("0613")),
        "amlb": _told(datasets.load_amlb()),
        "amlb, chosen": _told(datasets.load_amlb(problem_type="regression", time_limit="4h")),
        "amlb folds": _told(datasets.load_amlb_folds(problem_type="binary")),
        "bbob 5": _told(datasets.load_bbob(dimension=5)),
        "bbob all": _told(datasets.load_bbob(dimension="all", optimizers="all")),
        "bbob chosen": _told(datasets.load_bbob(dimension=2, optimizers=["BFGS", "PSO"])),
        "deepobs": _told(datasets.load_deepobs()),
        "domainbed": _told(datasets.load_domainbed()),
        "domainbed all": _told(datasets.load_domainbed(datasets="all")),
        "fairness": _told(datasets.load_german_credit_fairness()),
        "moea": _told(datasets.load_moea()),
        "mteb": _told(datasets.load_mteb()),
        "mteb, complete": _told(datasets.load_mteb(complete=True)),
        "cityscapes": _told(datasets.load_mtl_cityscapes()),
        "qm9": _told(datasets.load_mtl_qm9()),
        "classifiers": _told(datasets.load_uci_classifiers()),
        "credit runs": _told(datasets.load_german_credit_runs()),
    }


@case()
def simulated_tables() -> dict[str, Any]:
    leaderboard = datasets.load_open_llm_leaderboard()
    predictions, truth = datasets.load_german_credit_predictions("linear model", 3)
    return {
        "leaderboard": _told(leaderboard),
        "whole leaderboard": _told(datasets.load_open_llm_leaderboard(available=False)),
        "first models": leaderboard[list(leaderboard.attrs["moo"]["objectives"])].head(3),
        "synthetic": _told(datasets.synthetic_front(200, rng=5)),
        "curve": datasets.synthetic_curve(np.linspace(0.02, 0.2, 9)),
        "predictions": {"ones": predictions.sum(axis=1), "truth": truth},
    }


@case()
def list_of_data() -> dict[str, Any]:
    listed = datasets.list_data()
    return {"columns": listed.columns, "tables": listed[["kind", "rows", "bytes", "license", "where"]]}
