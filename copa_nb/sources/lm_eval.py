"""The Language Model Evaluation Harness: result files, with directions and standard errors."""

from __future__ import annotations

__all__ = ["from_lm_eval"]

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described
from copa_nb.sources.documents import Damaged, Scores, check_shape, laid_out, number, read_documents
from copa_nb.sources.formats import source
from copa_nb.sources.items import chosen_tasks, long_table, need_clusters, need_items, systems_of
from copa_nb.sources.lm_eval_samples import RESULTS, Samples, find_samples, groups_of, read_part, tasks_of_groups


@source("results of lm-evaluation-harness", directions="in the files", key="results", has_flag=True)
@shared_parameters
def from_lm_eval(
    results: Any,
    *,
    metrics: Sequence[str] | None = None,
    items: bool = False,
    tasks: Sequence[str] | None = None,
    cluster: str | None = None,
    damaged: str = "raise",
    progress: bool = True,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of results of the Language Model Evaluation Harness: one row per model, or per model and item.

    Parameters
    ----------
    results : path, dict or list of these
        A ``results_*.json``, a folder with such files, or what ``simple_evaluate`` returns. With `items` also a
        ``samples_*.jsonl``; models that have the same name in several sources are named after their sources.
    metrics : list of str, optional
        Which metrics are objectives, e.g. ``["acc_norm"]``; by default the first of each task whose direction is
        stated.
    items : bool
        Whether to read the samples that ``lm_eval --log_samples`` writes: one row per model and item.
    %(tasks_of_items)s
    %(cluster_of_items)s
    %(damaged)s
    %(progress)s
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by model. A column "task/metric" for each score, with its filter where there is one
        ("gsm8k/exact_match,strict-match"), and its standard error ("..._stderr").

        All metrics and filters of a task score the same items, and a group's score is made of those of its tasks; so
        that nothing counts twice, only one metric, the first filter and the group are objectives. The others are
        columns; ``attrs["notes"]`` says which.

        With `items`, columns "system", "item", "task", "group" if tasks are part of groups, "cluster" if asked for,
        "repeat", and the metrics of each item under the names above; those of a group's tasks share the column of the
        group. What differs in the settings, and items that are not common to all models, are in ``attrs["notes"]``
        and in a warning. Of a perplexity, items have the logarithm.

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
    skipped = Damaged(damaged)
    if items:
        return _items(results, metrics, tasks, cluster, skipped, objectives, progress=progress)
    need_items(tasks=tasks, cluster=cluster)
    documents = read_documents(results, "results", RESULTS, ["results"], "result of the harness", skipped)
    documents.sort(key=lambda named: number(named[1].get("date")))  # stable; without dates in the order given
    scores = Scores()
    found = _Directions(metrics)
    for name, document in documents:
        with skipped.file(name):
            model, values = _read(document, name)
            found.add(document, name)
            for column, of_column in values.items():
                scores.add(model, column, of_column)
    if not found.columns:
        raise ValueError(f"{checks.called('results')} contains no scores: the harness wrote no metric for any task.")
    notes = [*scores.notes(), *found.notes(), *skipped.notes()]
    return described(
        scores.table(list(found.columns)), found.objectives, name="lm-evaluation-harness", rows="models", notes=notes,
        objectives=objectives, words={"standard_error": "_stderr"},
    )  # fmt: skip


def _read(document: Mapping[str, Any], name: str) -> tuple[str, dict[str, dict[str, float]]]:
    """Return the model of a document, and its scores with their standard errors by column."""
    check_shape(document["results"], Mapping, Mapping, "results", name)
    with laid_out("results", name, "config"):
        model = _model(document, name)
    return model, {
        _column(task, metric, chosen): {_column(task, metric, chosen): value}
        | ({} if error is None else {f"{_column(task, metric, chosen)}_stderr": error})
        for task, metric, chosen, value, error in _measured(document)
    }


def _column(task: str, metric: str, chosen: str) -> str:
    return f"{task}/{metric}" + ("" if chosen == "none" else f",{chosen}")


class _Directions:
    """Which scores are objectives, and why others are not, gathered from documents."""

    def __init__(self, metrics: Sequence[str] | None) -> None:
        self._metrics = metrics
        self._unknown: set[str] = set()
        self._others: dict[str, None] = {}
        self._first: dict[str, str] = {}
        self.objectives: dict[str, str] = {}
        self.columns: dict[str, str] = {}

    def add(self, document: Mapping[str, Any], name: str) -> None:
        """Enter the scores of a document."""
        for task, metric, chosen, *_ in _measured(document):
            column = _column(task, metric, chosen)
            self.columns[column] = metric
            with laid_out("results", name, f"the direction or group of {column!r}"):
                higher = _higher_is_better(document, task, metric)
                counts = _counts(document, task, metric, chosen)
                in_group = _is_part(document, task)
            if higher is None:
                self._unknown.add(column)
            elif counts and self._metrics is None and (in_group or self._first.setdefault(task, metric) != metric):
                self._others[column] = None
            elif counts and (self._metrics is None or metric in self._metrics):
                _agree(self.objectives, column, "max" if higher else "min", name)

    def keep(self, columns: Set[str]) -> None:
        """Forget scores that single items do not have."""
        self._others = {column: None for column in self._others if _logarithm(column) in columns}
        self._unknown &= {column for column in self._unknown if _logarithm(column) in columns}

    def notes(self) -> list[str]:
        """Report which scores have no direction, and which do not count."""
        for metric in self._metrics or ():
            checks.one_of("metrics", metric, set(self.columns.values()))
        notes = []
        if self._unknown:
            notes.append(
                "No objectives were set, because the files do not state whether more or less is better for "
                f"{checks.listed(sorted(self._unknown), 3)}."
            )
        if self._others:
            notes.append(
                f"Only one metric of a task is an objective; {checks.listed(self._others, 3)} "
                f"{'is a column' if len(self._others) == 1 else 'are columns'}. Choose others with `metrics`."
            )
        return notes


# ------------------------------------------------------------------------------------------------------------- items


def _items(
    results: Any,
    metrics: Sequence[str] | None,
    tasks: Sequence[str] | None,
    cluster: str | None,
    damaged: Damaged,
    chosen: Mapping[Any, str] | None,
    *,
    progress: bool,
) -> pd.DataFrame:
    from tqdm import tqdm

    found = find_samples(results, damaged)
    names = []
    for one in found:
        with laid_out("results", one.origin, "the groups of tasks"):
            names.append([one.task, *groups_of(one.document, one.task)])
    found = [one for one, chosen in zip(found, chosen_tasks(names, tasks), strict=True) if chosen]
    models = _models(results, found)
    latest: dict[tuple[str, str], Samples] = {}
    for samples, model in sorted(zip(found, models, strict=True), key=lambda pair: pair[0].date):
        latest[model, samples.task] = samples
    directions = _Directions(metrics)
    without = [samples for samples in latest.values() if not samples.document]
    for document in {id(one.document): one.document for one in latest.values() if one.document}.values():
        check_shape(document["results"], Mapping, Mapping, "results", "results")
        directions.add(document, "results")
    parts = []
    order = sorted(latest, key=lambda key: (latest[key].side, models.index(key[0])))
    size = sum(samples.size for samples in latest.values())
    with tqdm(total=size, unit="B", unit_scale=True, desc="samples", leave=False, delay=1, disable=not progress) as bar:
        for key in order:
            with damaged.file(latest[key].origin):
                parts.append(read_part(latest[key], key[0], cluster, bar.update))
    need_clusters(parts, cluster)
    notes = [note for samples in latest.values() for note in samples.notes]
    if len(found) > len(latest):
        count = len(found) - len(latest)
        files = "1 older file of samples was" if count == 1 else f"{count:,} older files of samples were"
        notes.append(f"{files} passed over; the latest of each model and task is used.")
    if without:
        notes.append(
            f"Directions and settings are unknown for {checks.listed([one.origin for one in without], 3)}, because "
            "there are no results of the same run next to it."
        )
    objectives = {_logarithm(column): way for column, way in directions.objectives.items()}
    directions.keep({str(column) for part in parts for column in part.frame})
    return long_table(
        parts, objectives, name="lm-evaluation-harness", rows="samples",
        notes=[*notes, *directions.notes(), *damaged.notes()], chosen=chosen,
    )  # fmt: skip


def _models(results: Any, found: Sequence[Samples]) -> list[str]:
    """Name the system of each file."""
    names = []
    for samples in found:
        with laid_out("results", samples.origin, "config"):
            names.append(_model(samples.document, Path(samples.origin).parent.name))
    places = [str(one) if isinstance(one, str | Path) else f"source {k}" for k, one in enumerate(_sources(results), 1)]
    return systems_of(names, [one.task for one in found], [one.side for one in found], places)


def _sources(results: Any) -> Sequence[Any]:
    return results if isinstance(results, Sequence) and not isinstance(results, str) else [results]


def _logarithm(column: str) -> str:
    """Return what a column is called for items, which have the logarithm of a perplexity."""
    task, _, metric = column.rpartition("/")
    return f"{task}/log({metric})" if metric in ("perplexity", "word_perplexity", "byte_perplexity") else column


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
    scored = {group for group in document.get("groups") or {} if _has_score(document, group, metric)}
    return any(task in parts for group, parts in tasks_of_groups(document).items() if group in scored and group != task)


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
