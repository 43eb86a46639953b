"""Every Eval Ever: the shared format of evaluation results, read from its JSON."""

from __future__ import annotations

__all__ = ["from_every_eval_ever"]

import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described
from copa_nb.sources.documents import Damaged, Scores, check_shape, laid_out, number, read_documents, read_lines
from copa_nb.sources.formats import source
from copa_nb.sources.items import (
    CLUSTER,
    CONTENT,
    ID,
    PROMPT,
    REPEAT,
    TASK,
    Part,
    chosen_tasks,
    fingerprint,
    flattened,
    long_table,
    need_clusters,
    need_items,
)

_UNKNOWN_LEVEL = -1
_OF_ITEMS = ("tokens", "seconds")


@source("records of Every Eval Ever", directions="in the records", key="evaluation_results", has_flag=True)
@shared_parameters
def from_every_eval_ever(
    folder: Any,
    *,
    items: bool = False,
    tasks: Sequence[str] | None = None,
    cluster: str | None = None,
    damaged: str = "raise",
    progress: bool = True,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of results in the format of Every Eval Ever: one row per model, or per model and sample.

    Parameters
    ----------
    folder : path, dict or list of these
        A folder with records, as in ``data/{benchmark}/{developer}/{model}/``, or single ones.
    items : bool
        Whether to read the files of single samples (``*.jsonl``): one row per model and sample.
    %(tasks_of_items)s
    %(cluster_of_items)s
    %(damaged)s
    %(progress)s
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by the id of the model. Evaluations have their names, with the metric's where there are several
        ("mmlu/f1"), and the directions of their records; standard errors and numbers of samples stand in
        "..._stderr" and "..._n". Where a model was evaluated several times, the latest record counts.

        With `items`, columns "system", "item", "task", "cluster" if asked for, "repeat", the scores under the names
        above, and "tokens" and "seconds" where they are logged. What differs in the settings, and samples that are not
        common to all models, are in ``attrs["notes"]`` and in a warning.

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
    skipped = Damaged(damaged)
    if items:
        return _items(folder, tasks, cluster, skipped, objectives, progress=progress)
    need_items(tasks=tasks, cluster=cluster)
    records, metrics = _records(folder, skipped)
    scores = Scores()
    directions: dict[str, str] = {}
    for name, record in records:
        model = _model(record, name)
        for result in record["evaluation_results"]:
            evaluation = _evaluation(result)
            column = evaluation if len(metrics[evaluation]) == 1 else f"{evaluation}/{_metric(result)}"
            _agree(directions, column, _direction(result, column, name), name)
            scores.add(model, column, _values(result, column))
    notes = [*scores.notes(), *skipped.notes()]
    return described(
        scores.table(list(directions)), directions, name="Every Eval Ever", rows="models", notes=notes,
        objectives=objectives,
    )  # fmt: skip


def _records(folder: Any, damaged: Damaged) -> tuple[list[tuple[str, Mapping[str, Any]]], dict[str, set[str]]]:
    """Read the records, the latest last, and the metrics of each evaluation."""
    keys = ["model_info", "evaluation_results"]
    records = read_documents(folder, "folder", "*.json", keys, "record of Every Eval Ever", damaged)
    whole = []
    metrics: dict[str, set[str]] = {}
    for name, record in records:
        with damaged.file(name):
            _check_record(record, name)
            whole.append((name, record))
    whole.sort(key=lambda named: number(named[1].get("retrieved_timestamp")))  # stable; the latest last
    for _, record in whole:
        for result in record["evaluation_results"]:
            metrics.setdefault(_evaluation(result), set()).add(_metric(result))
    return whole, metrics


def _check_record(record: Mapping[str, Any], name: str) -> None:
    check_shape(record["evaluation_results"], list, Mapping, "folder", name)
    check_shape(record["model_info"], Mapping, object, "folder", name)
    for result in record["evaluation_results"]:
        part: Any = result
        for key in ("score_details", "uncertainty", "standard_error"):
            check_shape([part := part.get(key) or {}], list, Mapping, "folder", name)
        check_shape([result.get("metric_config") or {}], list, Mapping, "folder", name)


def _model(record: Mapping[str, Any], name: str) -> str:
    return str(record["model_info"].get("id") or record["model_info"].get("name") or name)


def _agree(objectives: dict[str, str], column: str, direction: str, name: str) -> None:
    if objectives.setdefault(column, direction) != direction:
        raise ValueError(
            f"{checks.called('folder')} contains records that disagree on {column!r}: more is better in "
            "some, less in others, "
            f"e.g. {name!r}; read them separately."
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


# ------------------------------------------------------------------------------------------------------------- items


def _items(
    folder: Any,
    tasks: Sequence[str] | None,
    cluster: str | None,
    damaged: Damaged,
    objectives: Mapping[Any, str] | None,
    *,
    progress: bool,
) -> pd.DataFrame:
    from tqdm import tqdm

    files = list(_sample_files(folder))
    if not files:
        raise ValueError(
            f"{checks.called('folder')} is {str(folder)!r}, which contains no files of single samples (*.jsonl)."
        )
    records, metrics = _records_if_any(folder, damaged)
    known = _Known(records, metrics)
    found: dict[tuple[str, str, str], _RecordRows] = {}
    size = sum(file.stat().st_size for file in files)
    with tqdm(total=size, unit="B", unit_scale=True, desc="samples", leave=False, delay=1, disable=not progress) as bar:
        for file in files:
            with damaged.file(file):
                of_file = _read_file(file, known, cluster, bar.update)
                for key, rows in of_file.items():
                    found[key] = found[key].joined(rows) if key in found else rows
    chosen = chosen_tasks([[task] for _, task, _ in found], tasks)
    found = {key: rows for (key, rows), is_chosen in zip(found.items(), chosen, strict=True) if is_chosen}
    latest: dict[tuple[str, str], str] = {}
    for model, task, run in sorted(found, key=lambda key: known.time_of(key[2])):
        latest[model, task] = run
    parts = [
        Part(model, task, rows.frame(), settings=known.settings.get((run, task), {}))
        for (model, task, run), rows in found.items()
        if latest[model, task] == run
    ]
    need_clusters(parts, cluster)
    notes = []
    if len(found) > len(parts):
        count = len(found) - len(parts)
        were = "evaluation was" if count == 1 else "evaluations were"
        notes.append(f"{count:,} {were} repeated; the latest of each model is used.")
    columns = {str(column) for part in parts for column in part.frame}
    if unknown := sorted(columns - {*known.objectives, ID, CONTENT, PROMPT, REPEAT, CLUSTER, *_OF_ITEMS}):
        notes.append(f"No record states whether more or less is better for {checks.listed(unknown, 3)}.")
    return long_table(
        parts, known.objectives, name="Every Eval Ever", rows="samples", notes=[*notes, *damaged.notes()],
        chosen=objectives,
    )  # fmt: skip


def _sample_files(folder: Any) -> Iterator[Path]:
    if isinstance(folder, str | os.PathLike):
        path = Path(folder)
        if not path.exists():
            raise FileNotFoundError(
                f"{checks.called('folder')} is {str(folder)!r}, but there is no such file or folder."
            )
        if path.is_dir():
            yield from sorted(path.rglob("*.jsonl*"))
        elif path.suffix == ".json":
            yield from sorted(path.parent.glob(f"{path.stem}*.jsonl*"))
        else:
            yield path
    elif isinstance(folder, Sequence):
        for one in folder:
            yield from _sample_files(one)
    else:
        raise TypeError(
            f"{checks.called('folder')} must be a file, a folder or a list of these to read items, not "
            f"{type(folder).__name__}."
        )


def _records_if_any(folder: Any, damaged: Damaged) -> tuple[list[tuple[str, Mapping[str, Any]]], dict[str, set[str]]]:
    """Read the records next to the files of samples."""
    sources = folder if isinstance(folder, Sequence) and not isinstance(folder, str) else [folder]
    places = [path if (path := Path(one)).suffix == ".json" or path.is_dir() else path.parent for one in sources]
    try:
        return _records(places, damaged)
    except ValueError as error:
        if "contains no record of" not in str(error):
            raise
        return [], {}


class _Known:
    """What the records state about evaluations: names of their scores, directions, times and settings."""

    def __init__(self, records: Sequence[tuple[str, Mapping[str, Any]]], metrics: Mapping[str, set[str]]) -> None:
        self.objectives: dict[str, str] = {}
        self.settings: dict[tuple[str, str], dict[str, Any]] = {}
        self._columns: dict[tuple[str, str], str] = {}
        self._times: dict[str, float] = {}
        for name, record in records:
            run = str(record.get("evaluation_id"))
            self._times[run] = number(record.get("retrieved_timestamp"))
            for result in record["evaluation_results"]:
                evaluation = _evaluation(result)
                column = evaluation if len(metrics[evaluation]) == 1 else f"{evaluation}/{_metric(result)}"
                _agree(self.objectives, column, _direction(result, column, name), name)
                self._columns[run, str(result.get("evaluation_result_id"))] = column
                with laid_out("folder", name, "the settings"):
                    self.settings[run, evaluation] = flattened(
                        {
                            "eval_library": record.get("eval_library") or {},
                            "generation_config": result.get("generation_config") or {},
                            "dataset": (result.get("source_data") or {}).get("dataset_name"),
                        }
                    )

        # Samples that do not state their metric go by the name of the evaluation.
        ways: dict[str, set[str]] = {}
        for name, record in records:
            for result in record["evaluation_results"]:
                ways.setdefault(_evaluation(result), set()).add(_direction(result, _evaluation(result), name))
        for evaluation, of in ways.items():
            if len(of) == 1:
                self.objectives.setdefault(evaluation, *of)

    def column(self, sample: Mapping[str, Any]) -> str:
        """Return the name of a sample's score."""
        key = (str(sample.get("evaluation_id")), str(sample.get("evaluation_result_id")))
        return self._columns.get(key, str(sample["evaluation_name"]))

    def time_of(self, run: str) -> float:
        """Return when a run was retrieved; 0 if no record says."""
        time = self._times.get(run, 0.0)
        return 0.0 if np.isnan(time) else time


class _RecordRows:
    """Samples of one model and evaluation; those that occur several times are repetitions."""

    def __init__(self) -> None:
        self._row_of: dict[tuple[str, int], int] = {}
        self._prints = array("Q")
        self._clusters: list[str | None] = []
        self._values: dict[str, array[float]] = {}
        self._has_clusters = False

    def add(self, sample: Mapping[str, Any], column: str, cluster: str | None) -> None:
        """Enter a line: a score of a sample."""
        item, repeat = str(sample["sample_id"]), 1
        scores = self._values.setdefault(column, array("d"))
        while (
            (row := self._row_of.get((item, repeat))) is not None and row < len(scores) and scores[row] == scores[row]
        ):
            repeat += 1
        if row is None:
            row = self._row_of[item, repeat] = len(self._row_of)
            text = sample.get("sample_hash")
            self._prints.append(fingerprint(text) if isinstance(text, str) else 0)
            self._clusters.append(self._cluster(sample, cluster))
        values = {column: sample["evaluation"]["score"]} | _costs(sample)
        for name, value in values.items():
            of_name = self._values.setdefault(name, array("d"))
            of_name.extend([float("nan")] * (row + 1 - len(of_name)))
            of_name[row] = number(value)

    def _cluster(self, sample: Mapping[str, Any], cluster: str | None) -> str | None:
        if cluster is None:
            return None
        self._has_clusters = True
        task = str(sample["evaluation_name"])
        value = (sample.get("metadata") or {}).get(cluster)
        return task if cluster == TASK else None if value is None else f"{task}/{value}"

    def joined(self, other: _RecordRows) -> _RecordRows:
        """Return these samples with those of another file of the same evaluation."""
        start = len(self._row_of)
        for (item, repeat), row in other._row_of.items():
            while (item, repeat) in self._row_of:
                repeat += 1
            self._row_of[item, repeat] = start + row
        self._prints.extend(other._prints)
        self._clusters += other._clusters
        self._has_clusters |= other._has_clusters
        for name, values in other._values.items():
            own = self._values.setdefault(name, array("d"))
            own.extend([float("nan")] * (start - len(own)))
            own.extend(values)
        return self

    def frame(self) -> pd.DataFrame:
        """Return the samples as :class:`copa_nb.sources.items.Part` has them."""
        n = len(self._row_of)
        columns: dict[str, Any] = {
            ID: [item for item, _ in self._row_of], CONTENT: np.asarray(self._prints), PROMPT: 0,
            REPEAT: [repeat for _, repeat in self._row_of],
        }  # fmt: skip
        if self._has_clusters:
            columns[CLUSTER] = pd.array(self._clusters, dtype="str")
        for name in sorted(self._values, key=lambda name: name in _OF_ITEMS):
            values = np.asarray(self._values[name])
            columns[name] = np.append(values, np.full(n - len(values), np.nan))
        return pd.DataFrame(columns)


def _costs(sample: Mapping[str, Any]) -> dict[str, Any]:
    tokens = (sample.get("token_usage") or {}).get("total_tokens")
    performance = sample.get("performance") or {}
    time = performance.get("latency_ms") or performance.get("generation_time_ms")
    found = {} if tokens is None else {"tokens": tokens}
    return found if time is None else found | {"seconds": number(time) / 1000}


def _read_file(
    file: Path, known: _Known, cluster: str | None, advance: Callable[[int], object]
) -> dict[tuple[str, str, str], _RecordRows]:
    """Read the samples of a file by model, evaluation and run."""
    found: dict[tuple[str, str, str], _RecordRows] = {}
    for place, sample in enumerate(read_lines(file, "folder", advance), start=1):
        with laid_out("folder", str(file), f"sample {place:,}"):
            key = (str(sample["model_id"]), str(sample["evaluation_name"]), str(sample.get("evaluation_id")))
            found.setdefault(key, _RecordRows()).add(sample, known.column(sample), cluster)
    if not found:
        raise ValueError(f"`folder` contains {str(file)!r}, which has no samples.")
    return found
