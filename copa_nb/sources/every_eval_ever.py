"""Every Eval Ever: the shared format of evaluation results, read from its JSON."""

from __future__ import annotations

__all__ = ["from_every_eval_ever"]

from collections.abc import Mapping
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described
from copa_nb.sources.documents import Scores, check_shape, number, read_documents
from copa_nb.sources.formats import source

_UNKNOWN_LEVEL = -1


@source("records of Every Eval Ever", directions="in the records", key="evaluation_results", has_flag=True)
def from_every_eval_ever(folder: Any) -> pd.DataFrame:
    """Make a table of results in the format of Every Eval Ever: one row per model, one column per evaluation.

    Parameters
    ----------
    folder : path, dict or list of these
        A folder with records, as in ``data/{benchmark}/{developer}/{model}/``, or single ones. Files of single samples
        (``*.jsonl``) are passed over.

    Returns
    -------
    DataFrame
        Indexed by the id of the model. Evaluations have their names, with the metric's where there are several
        ("mmlu/f1"), and the directions of their records; standard errors and numbers of samples stand in
        "..._stderr" and "..._n". Where a model was evaluated several times, the latest record counts.

    Raises
    ------
    ValueError
        If the folder contains no records, or records that disagree on whether more is better.

    Examples
    --------
    >>> import copa_nb
    >>> def result(name, score, lower):
    ...     config, details = {"lower_is_better": lower}, {"score": score}
    ...     return {"evaluation_name": name, "metric_config": config, "score_details": details}
    >>> records = [
    ...     {"model_info": {"id": model}, "evaluation_results": [result("GPQA", x, False), result("toxic", y, True)]}
    ...     for model, x, y in [("a/one", 0.4, 0.1), ("b/two", 0.3, 0.2)]
    ... ]
    >>> copa_nb.from_every_eval_ever(records).moo.front()
           GPQA  toxic
    model
    a/one   0.4    0.1
    """
    keys = ["model_info", "evaluation_results"]
    records = read_documents(folder, "folder", "*.json", keys, "record of Every Eval Ever")
    records.sort(key=lambda named: number(named[1].get("retrieved_timestamp")))  # stable; the latest last
    metrics: dict[str, set[str]] = {}
    for name, record in records:
        check_shape(record["evaluation_results"], list, Mapping, "folder", name)
        check_shape(record["model_info"], Mapping, object, "folder", name)
        for result in record["evaluation_results"]:
            part: Any = result
            for key in ("score_details", "uncertainty", "standard_error"):
                check_shape([part := part.get(key) or {}], list, Mapping, "folder", name)
            check_shape([result.get("metric_config") or {}], list, Mapping, "folder", name)
            metrics.setdefault(_evaluation(result), set()).add(_metric(result))
    scores = Scores()
    objectives: dict[str, str] = {}
    for name, record in records:
        model = str(record["model_info"].get("id") or record["model_info"].get("name") or name)
        for result in record["evaluation_results"]:
            evaluation = _evaluation(result)
            column = evaluation if len(metrics[evaluation]) == 1 else f"{evaluation}/{_metric(result)}"
            direction = _direction(result, column, name)
            if objectives.setdefault(column, direction) != direction:
                raise ValueError(
                    f"{checks.called('folder')} contains records that disagree on {column!r}: more is better in "
                    "some, less in others, "
                    f"e.g. {name!r}; read them separately."
                )
            scores.add(model, column, _values(result, column))
    return described(
        scores.table(list(objectives)), objectives, name="Every Eval Ever", rows="models", notes=scores.notes()
    )


def _evaluation(result: Mapping[str, Any]) -> str:
    return str(result.get("evaluation_name") or result.get("evaluation_result_id") or "score")


def _metric(result: Mapping[str, Any]) -> str:
    config = result.get("metric_config") or {}
    return str(config.get("metric_name") or config.get("metric_id") or config.get("evaluation_description") or "score")


def _direction(result: Mapping[str, Any], column: str, name: str) -> str:
    lower = (result.get("metric_config") or {}).get("lower_is_better")
    if not isinstance(lower, bool):
        raise ValueError(
            f"{checks.called('folder')} contains {name!r}, which does not state for {column!r} whether lower is better."
        )
    return "min" if lower else "max"


def _values(result: Mapping[str, Any], column: str) -> dict[str, float]:
    details = result.get("score_details") or {}
    score = number(details.get("score"))
    if result["metric_config"].get("has_unknown_level") and score == _UNKNOWN_LEVEL:
        score = float("nan")
    uncertainty = details.get("uncertainty") or {}
    values = {column: score}
    if "standard_error" in uncertainty:
        values[f"{column}_stderr"] = number((uncertainty["standard_error"] or {}).get("value"))
    if "num_samples" in uncertainty:
        values[f"{column}_n"] = number(uncertainty["num_samples"])
    return values
