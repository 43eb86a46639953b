"""SWE-bench: a folder with one submission in each folder, as the public experiments have it."""

from __future__ import annotations

__all__ = ["from_swe_bench"]

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.sources.documents import read_documents
from copa_nb.sources.formats import source
from copa_nb.sources.items import table_of_items

_FILE = Path("results") / "results.json"


@source("submissions to SWE-bench, a folder each", directions="the benchmark's", has_flag=True)
def from_swe_bench(folder: Any, /, *, objectives: Mapping[Any, str] | None = None) -> pd.DataFrame:
    """Make a table of submissions to SWE-bench, such as ``evaluation/verified`` of its experiments.

    Parameters
    ----------
    folder : path
        With a folder for each submission, in which ``results/results.json`` lists the instances that are resolved.
    objectives : mapping of column to {"max", "min"}, optional
        Other objectives.

    Returns
    -------
    DataFrame
        One row per submission and instance: "system", "item", and "resolved" (1 or 0). The instances are all that any
        submission names; where only resolved ones are listed, those that nobody resolves are not among them, which
        changes no difference between submissions.

    Raises
    ------
    FileNotFoundError, ValueError
        For a folder without submissions.
    """
    files = sorted(Path(folder).glob(f"*/{_FILE}"))
    if not files:
        raise ValueError(
            f"{checks.called('folder')} is {str(folder)!r}, in which no folder has {_FILE.as_posix()!r}; name the "
            "folder with the submissions, e.g. 'experiments/evaluation/verified'."
        )
    submissions = {}
    for file in files:
        ((_, document),) = read_documents(file, "folder", file.name, ("resolved",), "list of resolved instances")
        submissions[file.parent.parent.name] = document
    lists = (names for one in submissions.values() for names in one.values() if isinstance(names, list))
    instances = sorted({str(name) for names in lists for name in names})
    rows = [
        {"system": system, "item": instance, "resolved": float(instance in resolved)}
        for system, document in submissions.items()
        for resolved in [set(map(str, document["resolved"]))]
        for instance in instances
    ]
    return table_of_items(rows, {"resolved": "max"}, name="SWE-bench", left_out={}, objectives=objectives)
