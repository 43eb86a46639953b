"""The AutoML Benchmark: its file of results."""

from __future__ import annotations

__all__ = ["from_amlb"]

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described
from copa_nb.sources.files import read_table
from copa_nb.sources.formats import source
from copa_nb.tables.frames import to_pandas

_NEEDED = ("task", "framework", "fold", "result")
_MACHINE = r"(?<=[hms])\d+c(_\w+)?$"


@source("results of the AutoML Benchmark", directions="`result` is maximized", has_flag=True)
@shared_parameters
def from_amlb(
    results: Any,
    *,
    folds: bool = False,
    baseline: str = "constantpredictor",
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of results of the AutoML Benchmark: one row per framework, one column per task.

    The benchmark's ``result`` is always to be maximized: it negates errors, unlike its raw columns such as ``logloss``.

    Parameters
    ----------
    results : path or DataFrame
        ``results.csv`` as the benchmark writes it.
    folds : bool
        Whether to make one row per framework, task and fold instead, with ``result`` to be maximized and
        ``training_duration`` and ``predict_duration`` to be minimized.
    baseline : str
        The framework whose result of the same task and fold a failed fold takes.
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by framework, with the time limit if there are several. The number of failed folds is in
        ``attrs["notes"]``; where the baseline did not run, they are missing.

    Raises
    ------
    ValueError
        If a column of the benchmark's results is missing, or a fold is there twice.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> results = pd.DataFrame({
    ...     "task": ["adult", "adult", "car", "car"], "framework": ["A", "B", "A", "B"], "constraint": "1h",
    ...     "fold": 0, "result": [0.93, 0.92, -0.2, -0.1],
    ... })
    >>> copa_nb.from_amlb(results).moo.front()
               adult  car
    framework
    A           0.93 -0.2
    B           0.92 -0.1
    """
    frame = read_table(results) if isinstance(results, str | Path) else checks.frame(to_pandas(results), "results")
    for name in _NEEDED:
        checks.column_position(frame, name, "results")
    wrong = frame.loc[frame["result"].notna() & pd.to_numeric(frame["result"], errors="coerce").isna(), "result"]
    if len(wrong):
        counted = f"{len(wrong)} values in column 'result' that are not numbers"
        if len(wrong) == 1:
            counted = "1 value in column 'result' that is not a number"
        raise ValueError(
            f"{checks.called('results')} has {counted}, e.g. {wrong.iloc[0]!r}; correct such values, or leave the "
            "cells empty if the folds failed."
        )
    # "1h8c_gp3" names the time limit and the machine, which differ for frameworks that are compared with each other.
    limits = frame["constraint"].astype(str).str.replace(_MACHINE, "", regex=True) if "constraint" in frame else "none"
    frame = frame.assign(constraint=limits)
    _refuse_repeated(frame)
    split = ["task", "fold"]
    constants = frame[frame["framework"] == baseline].dropna(subset="result").drop_duplicates(split)
    constant = constants.set_index(split)["result"]
    failed = frame["result"].isna()
    of_the_same = constant.reindex(pd.MultiIndex.from_frame(frame[split])).to_numpy()
    frame["result"] = frame["result"].where(~failed, pd.Series(of_the_same, frame.index))
    if len(frame["constraint"].unique()) > 1:
        frame["framework"] = frame["framework"] + " (" + frame["constraint"] + ")"
    notes = []
    if failed.any():
        filled = int((failed & frame["result"].notna()).sum())
        notes.append(
            f"{int(failed.sum()):,} of {len(frame):,} folds failed; {filled:,} of them are given the result of "
            f"{baseline!r}."
        )
    if folds:
        times = [name for name in ("training_duration", "predict_duration") if name in frame]
        columns = ["task", "fold", "constraint", "result", *times]
        words = {"system": "framework", "item": "task", "repeat": "fold"}
        directions = {"result": "max"} | dict.fromkeys(times, "min")
        table = frame.set_index("framework")[columns]
    else:
        table = frame.groupby(["framework", "task"], sort=False)["result"].agg(_mean).unstack("task", sort=False)  # noqa: PD010
        table.columns.name = None
        words = {}
        directions = dict.fromkeys(table.columns, "max")
    return described(
        table, directions, name="AutoML Benchmark", repeated=folds, notes=notes, objectives=objectives, words=words
    )


def _refuse_repeated(frame: pd.DataFrame) -> None:
    repeated = frame[frame.duplicated(["task", "framework", "constraint", "fold"])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(
            f"{checks.called('results')} has several rows of {first['framework']!r} on fold {first['fold']} of "
            f"{first['task']!r}; "
            "keep one of them, e.g. the latest: drop_duplicates(..., keep='last')."
        )


def _mean(values: pd.Series) -> float:
    return float(values.mean(skipna=False))
