"""Inspect AI: the logs of evaluations."""

from __future__ import annotations

__all__ = ["from_inspect"]

import json
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described, given_directions
from copa_nb.sources.documents import Damaged, number
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
    systems_of,
)
from copa_nb.tables.objectives import DirectionLike

_COSTS = {"total_tokens": "tokens", "total_time": "seconds"}
_OF_ITEMS = ("tokens", "seconds", "cost")
# What Inspect calls answers: correct, partly correct, incorrect, none.
_POINTS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_SETTINGS = ("task_version", "solver", "solver_args", "task_args", "scorers", "model_generate_config")
_LIMITS = (
    "limit", "sample_id", "epochs", "epochs_reducer", "message_limit", "token_limit", "turn_limit", "time_limit",
    "working_limit", "cost_limit",
)  # fmt: skip
_COMPARED = 200  # characters of a question; Inspect's summaries shorten it


@source("logs of Inspect", library="inspect_ai", has_flag=True)
@shared_parameters
def from_inspect(
    logs: Any,
    objectives: Mapping[str, str] | None = None,
    /,
    *,
    epochs: bool = False,
    items: bool = False,
    tasks: Sequence[str] | None = None,
    cluster: str | None = None,
    damaged: str = "raise",
    progress: bool = True,
    **directions: DirectionLike,
) -> pd.DataFrame:
    """Make a table of Inspect logs: one row per model, the headline score of each task as a column; or one per sample.

    Inspect stores no directions: give them, of tasks, of "tokens" and of "seconds".

    Parameters
    ----------
    logs : path, EvalLog or list of these
        A folder of logs, log files, or what ``inspect_ai.eval`` returns.
    objectives : mapping of column to {"max", "min"}, optional
        Directions, for names that are not identifiers.
    epochs : bool
        Whether to make one row per model and epoch, in a column "epoch", for ``hv_test`` and ``stability``: scores are
        then means over the samples ("C" counts 1, "P" 0.5, "I" and "N" 0).
    items : bool
        Whether to make one row per model, sample and epoch.
    %(tasks_of_items)s
    %(cluster_of_items)s
    %(damaged)s
    %(progress)s
    **directions : {"max", "min"}
        Directions as keywords: ``gpqa="max", tokens="min"``.

    Returns
    -------
    DataFrame
        Indexed by model. Each task's standard error is "..._stderr"; "tokens" and "seconds" are means per sample,
        summed over the tasks. Evaluations that did not succeed are left out and counted; of several of one model and
        task the latest counts.

        With `items`, columns "system", "item", "task", "cluster" if asked for, "repeat" (the epoch), a column for each
        task, or "task/scorer" if a task has several scorers, and "tokens", "seconds" and "cost" where they are logged.
        A model that several of the sources evaluated on the same task is named after its source as well. What differs
        in the settings, and samples that are not common to all models, are in ``attrs["notes"]`` and in a warning.

    Raises
    ------
    ImportError
        Without Inspect.
    ValueError
        If there are no logs, or for a direction of what is not there.
    """
    try:
        from inspect_ai.analysis import evals_df, samples_df
    except ImportError as error:
        raise checks.needs("Inspect", "inspect-ai", f"{checks.called('logs')}") from error
    skipped = Damaged(damaged)
    if items:
        return _items(logs, _Chosen(objectives, directions, tasks, cluster), skipped, progress=progress)
    need_items(tasks=tasks, cluster=cluster)
    if damaged == "skip":
        logs = [log for log, *_ in _headers(logs, skipped)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what Inspect asks of pandas
        try:
            evals, samples = evals_df(logs, quiet=True), samples_df(logs, quiet=True)
        except Exception as error:  # whatever Inspect makes of a damaged log
            raise _unreadable(logs, error) from error
    if evals.empty:
        raise ValueError(
            f"{checks.called('logs')} is {logs!r}, which contains no logs of Inspect; give another file or folder."
        )
    succeeded = evals["status"].astype(str).eq("success")
    left_out = Counter(evals.loc[~succeeded, "status"].astype(str))
    if not succeeded.any() or samples.empty:
        lacking = "samples" if succeeded.any() else f"successful evaluations, only {dict(left_out)}"
        raise ValueError(
            f"{checks.called('logs')} is {logs!r}, which contains no {lacking}. A log may be truncated or edited."
        )
    kept = evals[succeeded].sort_values("created", kind="stable").drop_duplicates(["model", "task_name"], keep="last")
    n_repeated = int(succeeded.sum()) - len(kept)
    were = "evaluation was" if n_repeated == 1 else "evaluations were"
    notes = [f"{n_repeated} {were} repeated; the latest of each model and task is used."] if n_repeated else []
    samples = samples.merge(kept[["eval_id", "model", "task_name", "score_headline_name"]])
    samples = samples.assign(epoch=samples["epoch"].astype(int))
    rows = ["model", "epoch"] if epochs else ["model"]
    costs = samples.groupby([*rows, "task_name"])[list(_COSTS)].mean().groupby(rows).sum().rename(columns=_COSTS)
    table = pd.concat([_scores_by_epoch(samples) if epochs else _headlines(kept), costs], axis="columns")
    table = (table.reset_index("epoch") if epochs else table).rename_axis(index="model", columns=None)
    tasks = list(dict.fromkeys(kept["task_name"].sort_values()))
    chosen = given_directions(objectives, directions, [*tasks, *_COSTS.values()], source="Inspect")
    return described(
        table.astype({name: float for name in table.columns if name != "epoch"}),
        chosen,
        name="Inspect AI",
        left_out=left_out,
        n_kept=int(succeeded.sum()),
        rows="evaluations",
        repeated=epochs,
        words={"system": "model", "repeat": "epoch"} if epochs else {"standard_error": "_stderr"},
        notes=[*notes, *skipped.notes()],
    )


def _unreadable(log: Any, error: Exception) -> ValueError:
    reason = str(error) or type(error).__name__
    return ValueError(
        f"{checks.called('logs')} is {log!r}, which Inspect cannot read: {reason}. A log may be truncated or edited."
    )


def _headlines(evals: pd.DataFrame) -> pd.DataFrame:
    indexed = evals.set_index(["model", "task_name"])
    values, errors = (indexed[f"score_headline_{kind}"].unstack("task_name") for kind in ("value", "stderr"))  # noqa: PD010
    return pd.concat([values, errors.add_suffix("_stderr")], axis="columns")


def _scores_by_epoch(samples: pd.DataFrame) -> pd.DataFrame:
    scores = [
        _POINTS.get(str(score), number(score))
        for score in (row.get(f"score_{row['score_headline_name']}") for row in samples.to_dict("records"))
    ]
    scored = samples.assign(score=pd.Series(scores, samples.index, dtype=float))
    return scored.pivot_table(index=["model", "epoch"], columns="task_name", values="score")


# ------------------------------------------------------------------------------------------------------------- items


def _headers(logs: Any, damaged: Damaged) -> Iterator[tuple[Any, Any, int, str]]:
    """Yield each log or its file, its header, the number of the source, and what the source is called."""
    from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

    several = isinstance(logs, Sequence) and not isinstance(logs, str)
    for side, given in enumerate(logs if several else [logs]):
        if isinstance(given, EvalLog):
            yield given, given, side, given.location or f"log {side + 1}"
            continue
        name = os.fspath(getattr(given, "name", given))
        with damaged.file(name):
            if "://" not in name and not Path(name).exists():
                raise FileNotFoundError(f"{checks.called('logs')} is {name!r}, but there is no such file or folder.")
            files = [one.name for one in list_eval_logs(name, descending=False)] if Path(name).is_dir() else [name]
        for file in files:
            header = None
            with damaged.file(file):
                try:
                    header = read_eval_log(file, header_only=True)
                except Exception as error:  # whatever Inspect makes of a damaged log
                    raise _unreadable(file, error) from error
            if header is not None:
                yield file, header, side, name


@dataclass(frozen=True)
class _Chosen:
    """What the user asks for, as :func:`from_inspect` takes it."""

    objectives: Mapping[str, str] | None
    directions: Mapping[str, DirectionLike]
    tasks: Sequence[str] | None
    cluster: str | None


def _items(logs: Any, asked: _Chosen, damaged: Damaged, *, progress: bool) -> pd.DataFrame:
    from tqdm import tqdm

    found = list(_headers(logs, damaged))
    if not found:
        raise ValueError(
            f"{checks.called('logs')} is {logs!r}, which contains no logs of Inspect; give another file or folder."
        )
    chosen = chosen_tasks([[header.eval.task] for _, header, *_ in found], asked.tasks)
    found = [one for one, is_chosen in zip(found, chosen, strict=True) if is_chosen]
    left_out = Counter(str(header.status) for _, header, *_ in found if header.status != "success")
    kept = [one for one in found if one[1].status == "success"]
    systems = _systems(kept)
    latest: dict[tuple[str, str], tuple[Any, Any]] = {}
    for (log, header, *_), system in sorted(zip(kept, systems, strict=True), key=lambda pair: pair[0][1].eval.created):
        latest[system, header.eval.task] = (log, header)
    parts, without = [], 0
    order = sorted(latest, key=lambda key: systems.index(key[0]))
    for system, task in tqdm(order, desc="logs", leave=False, delay=1, disable=not progress):
        log, header = latest[system, task]
        with damaged.file(getattr(log, "location", log)):
            part = _part(system, header, _samples(log), asked.cluster)
            without += int(part.frame.drop(columns=[*_OF_ITEMS, CLUSTER], errors="ignore").isna().any(axis=1).sum())
            parts.append(part)
    need_clusters(parts, asked.cluster)
    measured = _named(parts)
    notes = damaged.notes()
    if n_repeated := len(kept) - len(latest):
        were = "evaluation was" if n_repeated == 1 else "evaluations were"
        notes.append(f"{n_repeated} {were} repeated; the latest of each model and task is used.")
    if without:
        have, they = ("1 sample has", "it") if without == 1 else (f"{without:,} samples have", "they")
        notes.append(f"{have} no score, e.g. because {they} ended with an error.")
    ways = given_directions(asked.objectives, asked.directions, [*measured, *_OF_ITEMS], source="Inspect")
    return long_table(
        parts, ways, name="Inspect AI", rows="evaluations", left_out=left_out, n_kept=len(kept), notes=notes
    )


def _systems(kept: Sequence[tuple[Any, Any, int, str]]) -> list[str]:
    """Name the system of each log; where sources have the same model, by what solved the tasks, or by the source."""
    places = {side: place for *_, side, place in kept}
    solvers = {side: str(header.eval.solver) for _, header, side, _ in kept}
    if len(set(solvers.values())) == len(solvers) > 1:
        places = solvers
    names = [places.get(side, "") for side in range(max(places, default=-1) + 1)]
    models = [str(header.eval.model) for _, header, *_ in kept]
    return systems_of(models, [header.eval.task for _, header, *_ in kept], [side for *_, side, _ in kept], names)


def _samples(log: Any) -> Sequence[Any]:
    """Return the samples of a log, without what was said; of a file, only the summaries are read."""
    from inspect_ai.log import read_eval_log_sample_summaries

    if getattr(log, "samples", None):
        samples: Sequence[Any] = log.samples
        return samples
    try:
        return read_eval_log_sample_summaries(getattr(log, "location", log))
    except Exception as error:  # whatever Inspect makes of a damaged log
        raise _unreadable(log, error) from error


def _part(system: str, header: Any, samples: Sequence[Any], cluster: str | None) -> Part:
    task = header.eval.task
    rows = []
    for sample in samples:
        usage = (sample.model_usage or {}).values()
        costs = [one.total_cost for one in usage if getattr(one, "total_cost", None) is not None]
        row = {
            ID: sample.id,
            CONTENT: fingerprint(f"{_text(sample.input)[:_COMPARED]}\0{_text(sample.target)[:_COMPARED]}"),
            PROMPT: 0,
            REPEAT: int(sample.epoch),
            "tokens": float(sum(one.total_tokens for one in usage)) if usage else None,
            "seconds": sample.total_time,
            "cost": sum(costs) if costs else None,
        }
        if cluster is not None:
            value = task if cluster == TASK else (sample.metadata or {}).get(cluster)
            row[CLUSTER] = None if value is None else task if cluster == TASK else f"{task}/{value}"
        for scorer, score in (sample.scores or {}).items():
            row |= _values(f"{task}/{scorer}", score.value)
        rows.append(row)
    if not rows:
        raise ValueError(
            f"{checks.called('logs')} contains {header.location!r}, which contains no samples. A log may be truncated "
            "or edited."
        )
    frame = pd.DataFrame(rows)
    frame[CONTENT] = frame[CONTENT].astype("uint64")
    for name in _OF_ITEMS:
        frame[name] = frame[name].astype(float)
    return Part(system, task, frame.dropna(axis="columns", how="all"), settings=_settings(header))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(one if isinstance(one, str) else str(getattr(one, "text", one)) for one in value)


def _values(column: str, value: Any) -> dict[str, float]:
    """Return the numbers in a score: one, or one for each part of it."""
    if isinstance(value, Mapping):
        return {
            name: found
            for key, part in value.items()
            for name, found in _values(f"{column}/{key}", part).items()
        }  # fmt: skip
    if isinstance(value, list | tuple):
        return {}
    return {column: _POINTS.get(str(value), number(value))}


def _named(parts: Sequence[Part]) -> list[str]:
    """Call the score of a task by the name of the task where there is only one; return the names of all scores."""
    names: dict[str, dict[str, None]] = {}
    for part in parts:
        scores = [str(name) for name in part.frame if str(name).startswith(f"{part.task}/")]
        names.setdefault(part.task, {}).update(dict.fromkeys(scores))
    called = {next(iter(of)): task for task, of in names.items() if len(of) == 1}
    for part in parts:
        part.frame = part.frame.rename(columns=called)
    return [called.get(name, name) for of in names.values() for name in of]


def _settings(header: Any) -> dict[str, Any]:
    known = header.eval.model_dump(mode="json", exclude_none=True)
    config = known.get("config") or {}
    found: dict[str, Any] = {name: known.get(name) for name in _SETTINGS}
    found |= {name: config.get(name) for name in _LIMITS}
    found["dataset"] = (known.get("dataset") or {}).get("name")
    found["packages"] = known.get("packages")
    found["commit"] = (known.get("revision") or {}).get("commit")
    steps = header.plan.steps if header.plan else []
    found["solvers"] = [step.solver for step in steps]
    for step in steps:
        found[step.solver] = json.loads(json.dumps(step.params, default=str))
    return flattened(found)
