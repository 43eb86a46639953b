"""DeepEval: test runs, one row for each test case."""

from __future__ import annotations

__all__ = ["from_deepeval"]

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.sources.documents import read_documents
from copa_nb.sources.formats import source
from copa_nb.sources.items import table_of_items

_DIRECTIONS = {"success": "max", "cost_usd": "min", "seconds": "min"}


@source("test runs of DeepEval (JSON)", directions="success up, cost and time down", key="testCases")
def from_deepeval(runs: Any, /, *, objectives: Mapping[Any, str] | None = None) -> pd.DataFrame:
    """Make a table of test runs of DeepEval: one row per system and test case.

    Parameters
    ----------
    runs : path, dict, or list of these
        Files that ``DEEPEVAL_RESULTS_FOLDER`` has collected, the folder, or their content.
    objectives : mapping of column to {"max", "min"}, optional
        Other objectives: scores of metrics, whose names do not say whether more is better.

    Returns
    -------
    DataFrame
        Columns "system" (the hyperparameter "model", or else the name of the file), "item", "repeat" where a system
        ran a case several times, "success" (1 or 0), "cost_usd", "seconds", and the score of each metric.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        For a file that is missing, or is no test run of DeepEval.

    Examples
    --------
    >>> import copa_nb
    >>> runs = [{"hyperparameters": {"model": name}, "testCases": [{"name": f"q{k}", "success": k > worst}
    ...          for k in range(3)]} for worst, name in enumerate(["new", "old"])]
    >>> copa_nb.from_deepeval(runs).groupby("system")["success"].mean().round(2).to_dict()
    {'new': 0.67, 'old': 0.33}
    """
    read = read_documents(runs, "runs", "*.json", ("testCases",), "test run of DeepEval")
    rows = [row for name, document in read for row in _rows(name, document)]
    return table_of_items(rows, _DIRECTIONS, name="DeepEval", left_out={}, objectives=objectives)


def _rows(name: str, document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    system = (document.get("hyperparameters") or {}).get("model") or document.get("identifier") or Path(name).stem
    for number, case in enumerate(document["testCases"], start=1):
        yield {
            "system": str(system),
            "item": str(case.get("name") or f"case {number}"),
            "success": float(bool(case.get("success"))),
            "cost_usd": case.get("tokenCost"),
            "seconds": case.get("completionTime"),
            **{metric["name"]: metric.get("score") for metric in case.get("metricsData") or ()},
        }
