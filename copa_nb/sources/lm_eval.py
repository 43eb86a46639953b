"""The Language Model Evaluation Harness: result files, with directions and standard errors."""

from __future__ import annotations

__all__ = ["from_lm_eval"]

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described
from copa_nb.sources.documents import Scores, check_shape, laid_out, number, read_documents
from copa_nb.sources.formats import source


@source("results of lm-evaluation-harness", directions="in the files", key="results", has_flag=True)
def from_lm_eval(results: Any, *, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """Make a table of results of the Language Model Evaluation Harness: one row per model.

    Parameters
    ----------
    results : path, dict or list of these
        A ``results_*.json``, a folder with such files, or what ``simple_evaluate`` returns.
    metrics : list of str, optional
        Which metrics are objectives, e.g. ``["acc_norm"]``; by default the first of each task whose direction is
        stated.

    Returns
    -------
    DataFrame
        Indexed by model. A column "task/metric" for each score, with its filter where there is one
        ("gsm8k/exact_match,strict-match"), and its standard error ("..._stderr").

        All metrics and filters of a task score the same items, and a group's score is made of those of its tasks; so
        that nothing counts twice, only one metric, the first filter and the group are objectives. The others are
        columns; ``attrs["notes"]`` says which.

    Raises
    ------
    ValueError
        If there is no result, no score, an unknown metric, or files that disagree on whether more is better.

    Examples
    --------
    >>> import copa_nb
    >>> higher = {"arc_easy": {"acc": True}, "wikitext": {"bits_per_byte": False}}
    >>> results = [
    ...     {"model_name": model, "higher_is_better": higher, "results": {
    ...         "arc_easy": {"acc,none": acc, "acc_stderr,none": 0.01}, "wikitext": {"bits_per_byte,none": bits}}}
    ...     for model, acc, bits in [("small", 0.61, 0.9), ("large", 0.74, 0.7), ("odd", 0.7, 0.8)]
    ... ]
    >>> copa_nb.from_lm_eval(results).moo.front()
           arc_easy/acc  wikitext/bits_per_byte  arc_easy/acc_stderr
    model
    large          0.74                     0.7                 0.01
    """
    documents = read_documents(results, "results", "results*.json", ["results"], "result of the harness")
    documents.sort(key=lambda named: number(named[1].get("date")))  # stable; without dates in the order given
    scores, unknown = Scores(), set()
    first: dict[str, str] = {}
    others: dict[str, None] = {}
    objectives: dict[str, str] = {}
    columns: dict[str, str] = {}
    for name, document in documents:
        check_shape(document["results"], Mapping, Mapping, "results", name)
        with laid_out("results", name, "config"):
            model = _model(document, name)
        for task, metric, chosen, value, error in _measured(document):
            column = f"{task}/{metric}" + ("" if chosen == "none" else f",{chosen}")
            columns[column] = metric
            values = {column: value} | ({} if error is None else {f"{column}_stderr": error})
            scores.add(model, column, values)
            with laid_out("results", name, f"the direction or group of {column!r}"):
                higher = _higher_is_better(document, task, metric)
                counts = _counts(document, task, metric, chosen)
                in_group = _is_part(document, task)
            if higher is None:
                unknown.add(column)
            elif counts and metrics is None and (in_group or first.setdefault(task, metric) != metric):
                others[column] = None
            elif counts and (metrics is None or metric in metrics):
                _agree(objectives, column, "max" if higher else "min", name)
    if not columns:
        raise ValueError(f"{checks.called('results')} contains no scores: the harness wrote no metric for any task.")
    for metric in metrics or ():
        checks.one_of("metrics", metric, set(columns.values()))
    notes = scores.notes()
    if unknown:
        notes.append(
            "No objectives were set, because the files do not state whether more or less is better for "
            f"{checks.listed(sorted(unknown), 3)}."
        )
    if others:
        notes.append(
            f"Only one metric of a task is an objective; {checks.listed(others, 3)} "
            f"{'is a column' if len(others) == 1 else 'are columns'}. Choose others with `metrics`."
        )
    return described(scores.table(list(columns)), objectives, name="lm-evaluation-harness", rows="models", notes=notes)


def _measured(document: Mapping[str, Any]) -> list[tuple[str, str, str, float, float | None]]:
    """Task, metric, filter, score and standard error of each score."""
    found = []
    for task, scores in document["results"].items():
        for key, value in scores.items():
            metric, _, chosen = key.partition(",")
            if metric.endswith("_stderr") or not isinstance(value, int | float) or not (chosen or _is_old(key, scores)):
                continue
            error_key = f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr"
            error = number(scores[error_key]) if error_key in scores else None
            found.append((task, metric, chosen or "none", number(value), error))
    return found


def _is_old(key: str, scores: Mapping[str, Any]) -> bool:
    """Tell a metric of the harness before 0.4, which has no filter, from other entries."""
    return f"{key}_stderr" in scores


def _higher_is_better(document: Mapping[str, Any], task: str, metric: str) -> bool | None:
    stated = ((document.get("higher_is_better") or {}).get(task) or {}).get(metric)
    if stated is None:
        listed = ((document.get("configs") or {}).get(task) or {}).get("metric_list") or []
        stated = next((entry.get("higher_is_better") for entry in listed if entry.get("metric") == metric), None)
    return stated if isinstance(stated, bool) else None


def _counts(document: Mapping[str, Any], task: str, metric: str, chosen: str) -> bool:
    """Whether a score is not counted by another one: of the first filter, and not of a part of a group."""
    keys = document["results"][task]
    first = next((key for key in keys if key.partition(",")[0] == metric), f"{metric},{chosen}")
    return (first.partition(",")[2] or "none") == chosen and not _is_part(document, task, metric)


def _is_part(document: Mapping[str, Any], task: str, metric: str | None = None) -> bool:
    """Whether a task is part of a group that has a score of its own, in one metric or in any."""
    groups = document.get("group_subtasks") or {}
    scored = {group for group in document.get("groups") or {} if _has_score(document, group, metric)}
    return any(task in parts for group, parts in groups.items() if group in scored and group != task)


def _has_score(document: Mapping[str, Any], task: str, metric: str | None) -> bool:
    measured = {name for _, name, *_ in _measured({"results": {task: document["results"].get(task, {})}})}
    return bool(measured) if metric is None else metric in measured


def _agree(objectives: dict[str, str], column: str, direction: str, name: str) -> None:
    if objectives.setdefault(column, direction) != direction:
        raise ValueError(
            f"{checks.called('results')} disagree on {column!r}: more is better in some files, less in {name!r}; "
            "read them separately."
        )


def _model(document: Mapping[str, Any], name: str) -> str:
    """The name of the model: as the file has it, or what was loaded."""
    config = document.get("config") or {}
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    loaded = next((arguments[key] for key in ("pretrained", "model") if key in arguments), None) if arguments else None
    return str(document.get("model_name") or loaded or config.get("model") or name)
