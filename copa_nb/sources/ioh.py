"""IOHprofiler: runs of optimizers that IOHexperimenter logged."""

from __future__ import annotations

__all__ = ["from_ioh"]

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described, plain
from copa_nb.sources.documents import check_shape, number, read_documents
from copa_nb.sources.formats import source

_KEYS = ("function_id", "maximization", "scenarios")
_PROBLEM = ["function", "dimension"]
_VALUE = "raw_y"


@source("logs of IOHprofiler", directions="in the logs", key="scenarios", has_flag=True)
@shared_parameters
def from_ioh(
    folder: Any,
    *,
    targets: Sequence[float] = (),
    runs: bool = False,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of experiments of IOHprofiler: one row per algorithm and problem, a function in a dimension.

    Parameters
    ----------
    folder : path or list of paths
        What ``ioh.logger.Analyzer`` wrote: a folder with ``IOHprofiler_*.json`` and data files, at any depth.
    targets : list of float, optional
        Values to be reached. Each makes a column ``ert_TARGET``, the expected running time: all evaluations until the
        target, or until the end of a run that missed it, over the number of runs that reached it; missing if none did.
    runs : bool
        Whether to make one row per run instead, with ``instance`` and ``run``, a number for each repetition; targets
        then make columns ``evaluations_TARGET``, missing where a run did not reach them.
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by algorithm: the problem, ``best`` (final value, the mean over the runs), minimized or maximized as the
        logs say, and ``evaluations``, minimized unless targets tell how fast an algorithm was.

    Raises
    ------
    ValueError
        If the folder contains no finished experiment, functions to be maximized and others to be minimized, or a data
        file that does not have the runs of its description.

    Examples
    --------
    >>> import copa_nb
    >>> def experiment(algorithm, y, evaluations):
    ...     runs = [{"instance": 1, "evals": evaluations, "best": {"evals": 9, "y": y}}]
    ...     scenarios = [{"dimension": 5, "path": "data_f1_Sphere/IOHprofiler_f1_DIM5.dat", "runs": runs}]
    ...     return {"function_id": 1, "function_name": "Sphere", "maximization": False,
    ...             "algorithm": {"name": algorithm}, "scenarios": scenarios}
    >>> copa_nb.from_ioh([experiment("CMA-ES", 1e-8, 900), experiment("random", 2.5, 5000)]).moo.front()
                       best  evaluations function  dimension
    algorithm
    CMA-ES     1.000000e-08        900.0   Sphere          5
    """
    levels = _numbers(targets)
    documents = read_documents(folder, "folder", "*.json", _KEYS, "finished experiment of IOHprofiler")
    ways = {bool(document["maximization"]) for _, document in documents}
    if len(ways) > 1:
        raise ValueError(
            f"{checks.called('folder')} contains functions to be maximized and others to be minimized, which cannot "
            "share a column; read them separately."
        )
    read: set[Path] = set()
    rows = [row for name, document in documents for row in _runs(name, document, levels, read)]
    if not rows:
        raise ValueError(
            f"{checks.called('folder')} contains only experiments without runs, e.g. {documents[0][0]!r}; give another "
            "folder."
        )
    table = pd.DataFrame(rows).set_index("algorithm")
    table.insert(3, "run", table.groupby(["algorithm", *_PROBLEM]).cumcount() + 1)
    times = {f"evaluations_{level:g}": f"ert_{level:g}" for level in levels}
    hits = list(times if runs else times.values())
    if not runs:
        table = _means(table, times)
    directions = {"best": "max" if ways.pop() else "min"} | dict.fromkeys(hits or ["evaluations"], "min")
    lost = _without_description(folder, read)
    notes = [f"Left out: {checks.listed(lost, 3)}, which no finished experiment describes."] if lost else []
    words = {"system": "algorithm", "item": _PROBLEM, "repeat": "run"}
    return described(
        table, directions, name="IOHprofiler", repeated=True, notes=notes, objectives=objectives, words=words
    )


def _numbers(targets: Any) -> list[float]:
    try:
        levels = [float(target) for target in ([] if isinstance(targets, str) else targets)]
    except (TypeError, ValueError):
        levels = [np.nan]
    if isinstance(targets, str) or not np.isfinite(levels).all():
        raise ValueError(f"`targets` is {targets!r}; it must be a list of numbers, e.g. [0.1, 0.001].")
    return levels


def _runs(
    name: str, document: Mapping[str, Any], targets: Sequence[float], read: set[Path]
) -> Iterator[dict[str, Any]]:
    """Yield the runs of a description, one row each."""
    check_shape(document["scenarios"], list, Mapping, "folder", name)
    algorithm = document.get("algorithm") or {}
    check_shape([algorithm], list, Mapping, "folder", name)
    for scenario in document["scenarios"]:
        runs = scenario.get("runs")
        check_shape(runs, list, Mapping, "folder", name)
        file = Path(name).parent / str(scenario.get("path"))
        read.add(file)
        hits = _hits(file, len(runs), targets, bool(document["maximization"])) if targets else [[]] * len(runs)
        for run, hit in zip(runs, hits, strict=True):
            check_shape([run.get("best")], list, Mapping, "folder", name)
            yield {
                "algorithm": str(algorithm.get("name") or name),
                "function": str(document.get("function_name") or document["function_id"]),
                "dimension": plain(scenario.get("dimension")),
                "instance": plain(run.get("instance")),
                "best": number(run["best"].get("y")),
                "evaluations": number(run.get("evals")),
            } | {f"evaluations_{target:g}": found for target, found in zip(targets, hit, strict=True)}


def _hits(file: Path, count: int, targets: Sequence[float], maximized: bool) -> list[list[float]]:
    """Evaluations until each target, of each run in a data file; a line of names starts a run."""
    if not file.is_file():
        raise FileNotFoundError(
            f"`targets` needs the data file {str(file)!r}, which does not exist; add it, or leave out `targets`."
        )
    found: list[list[float]] = []
    column = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if _VALUE in words:
            column = words.index(_VALUE)
            found.append([float("nan")] * len(targets))
        elif words and found:
            value = number(words[column]) if len(words) > column else float("nan")
            for place, target in enumerate(targets):
                if np.isnan(found[-1][place]) and (value >= target if maximized else value <= target):
                    found[-1][place] = number(words[0])
    if len(found) != count:
        raise ValueError(
            f"{checks.called('folder')} contains {str(file)!r} with {len(found)} of the {count} runs described; the "
            "file may be truncated."
        )
    return found


def _means(table: pd.DataFrame, running_times: Mapping[str, str]) -> pd.DataFrame:
    """Sum up the runs of each algorithm on each problem; runs that miss a target count with all their evaluations."""
    by = ["algorithm", *_PROBLEM]
    reached = table.groupby(by, sort=False)[list(running_times)].count()
    filled = {hit: table[hit].fillna(table["evaluations"]) for hit in running_times}
    grouped = table.assign(**filled).groupby(by, sort=False)
    means = grouped[["best", "evaluations"]].mean()
    for hit, name in running_times.items():
        means[name] = grouped[hit].sum() / reached[hit].where(reached[hit] > 0)
    return means.reset_index(_PROBLEM)


def _without_description(folder: Any, read: set[Path]) -> list[str]:
    """Data files that no description names: their experiment was not finished."""
    folders = [
        Path(one) for one in ([folder] if isinstance(folder, str | Path) else folder) if isinstance(one, str | Path)
    ]
    found = {file for one in folders if one.is_dir() for file in one.rglob("IOHprofiler_*.dat")}
    return sorted(map(str, found - read))
