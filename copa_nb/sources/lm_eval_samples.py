"""Samples that the Language Model Evaluation Harness logs: what belongs to a run, and one line after the other."""

from __future__ import annotations

import math
import re
import reprlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.sources.documents import Damaged, laid_out, number, read_documents, read_lines
from copa_nb.sources.items import CLUSTER, CONTENT, GROUP, ID, PROMPT, REPEAT, TASK, Part, fingerprint, flattened

RESULTS, SAMPLES = "results*.json", "samples_*.jsonl*"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d:.-]+)\.jsonl(\.gz)?$")
# What a line has besides the values of the metrics.
_FIELDS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
}  # fmt: skip
# Metrics whose items have a log-likelihood and the length that it is divided by.
_WEIGHTED = ("word_perplexity", "byte_perplexity", "bits_per_byte")
# Settings of a run and of a task, in the order in which they are compared. The rest of a task's configuration follows.
_OF_TASK = {"num_fewshot": "n-shot", "version": "versions"}
_OF_RUN = (
    "chat_template", "system_instruction", "fewshot_as_multiturn", "lm_eval_version", "transformers_version",
)  # fmt: skip
_OF_CONFIG = ("limit", "gen_kwargs", "fewshot_seed")
# Names of the task and of files, what the harness repeats, and what the texts of the items show.
_NOT_COMPARED = ("task", "metadata", "num_fewshot", "dataset_kwargs", "fewshot_config", "metric_list")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONGEST_LABEL = 80  # characters of a cluster's name


@dataclass
class Samples:
    """The samples of one model on one task, not yet read.

    Parameters
    ----------
    origin : str
        The file, or what stands for it.
    task, date : str
        Of the name of the file.
    document : mapping
        The results of the same run; empty if there are none.
    lines : Path or list of mappings
        The samples, in a file that is read line by line or in memory.
    side : int
        Which of several sources it comes from.
    size : int
        Bytes.
    """

    origin: str
    task: str
    date: str
    document: Mapping[str, Any]
    lines: Path | Iterable[Mapping[str, Any]]
    side: int = 0
    size: int = 0
    notes: list[str] = field(default_factory=list)


def find_samples(source: Any, damaged: Damaged, side: int = 0) -> list[Samples]:
    """Find the samples in a folder, a file, what ``simple_evaluate`` returns, or a list of these.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        If there are none.
    """
    if isinstance(source, Mapping):
        found = list(_in_memory(source, side))
    elif isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise FileNotFoundError(
                f"{checks.called('results')} is {str(source)!r}, but there is no such file or folder."
            )
        found = list(_in_files(path, damaged, side))
    elif isinstance(source, Sequence):
        return [one for number, each in enumerate(source) for one in find_samples(each, damaged, number)]
    else:
        raise TypeError(
            f"{checks.called('results')} must be a file, a folder, a dict or a list of these, not "
            f"{type(source).__name__}."
        )
    if not found:
        name = "dict" if isinstance(source, Mapping) else str(source)
        raise ValueError(
            f"{checks.called('results')} is {name!r}, which contains no samples; run lm_eval with --log_samples, which "
            "writes samples_*.jsonl next to the results."
        )
    return found


def _in_memory(document: Mapping[str, Any], side: int) -> Iterator[Samples]:
    samples = document.get("samples") or {}
    with laid_out("results", "dict", "samples"):
        for task, rows in samples.items():
            yield Samples(f"samples of {task}", str(task), "", document, rows, side)


def _in_files(path: Path, damaged: Damaged, side: int) -> Iterator[Samples]:
    if path.is_dir():
        files = sorted(path.rglob(SAMPLES))
    elif path.name.startswith("results"):
        date = path.stem.partition("_")[2]
        files = [file for file in sorted(path.parent.glob(SAMPLES)) if _named(file)[1] == date]
    else:
        files = [path]
    documents: dict[Path, Mapping[str, Any]] = {}
    for file in files:
        task, date = _named(file)
        beside = path if path.name.startswith("results") and path.is_file() else file.with_name(f"results_{date}.json")
        if beside not in documents:
            documents[beside] = {}
            if beside.is_file():
                with damaged.file(beside):
                    documents[beside] = read_documents(beside, "results", RESULTS, ["results"], "result")[0][1]
        yield Samples(str(file), task, date, documents[beside], file, side, file.stat().st_size)


def _named(file: Path) -> tuple[str, str]:
    """Return the task and the date that the name of a file states."""
    found = _NAME.match(file.name)
    return (found["task"], found["date"]) if found else (file.name.removeprefix("samples_").partition(".jsonl")[0], "")


# -------------------------------------------------------------------------------------------------------- one by one


def read_part(samples: Samples, system: str, cluster: str | None, advance: Callable[[int], object]) -> Part:
    """Read the samples of one model and task; only numbers and names are kept.

    Raises
    ------
    ValueError
        For a file that is cut or has another structure, with its name.
    """
    table = _SampleRows(samples, cluster)
    lines = read_lines(samples.lines, "results", advance) if isinstance(samples.lines, Path) else samples.lines
    for sample in lines:
        with laid_out("results", samples.origin, f"sample {len(table.row_of) + 1:,}"):
            table.add(sample)
    with laid_out("results", samples.origin, "the configuration"):
        groups = groups_of(samples.document, samples.task)
        settings = _settings(samples.document, samples.task)
        table.check_number(((samples.document.get("n-samples") or {}).get(samples.task) or {}).get("effective"))
        top = top_group(samples.document, samples.task)
    frame = table.frame(top)
    if cluster in (TASK, GROUP):
        frame[CLUSTER] = samples.task if cluster == TASK or not groups else groups[0]
    return Part(system, samples.task, frame, groups[0] if groups else "", settings)


class _SampleRows:
    """Items in the order of the file, with the values of each metric and filter."""

    def __init__(self, samples: Samples, cluster: str | None) -> None:
        self._samples = samples
        self._field = None if cluster in (None, TASK, GROUP) else cluster
        self.row_of: dict[Any, int] = {}
        self._ids: list[Any] = []
        self._prints = array("Q")
        self._prompts = array("Q")
        self._clusters: list[str | None] = []
        self._values: dict[str, array[float]] = {}
        self._filters: dict[Any, str] = {}
        self._repeated = 0
        self._without: dict[str, None] = {}

    def add(self, sample: Mapping[str, Any]) -> None:
        """Enter a line: an item, and its values under one filter."""
        item = sample["doc_id"]
        if isinstance(item, bool) or not isinstance(item, int | str):
            raise TypeError(f"doc_id is {item!r}")
        row = self.row_of.setdefault(item, len(self.row_of))
        if row == len(self._ids):
            self._ids.append(item)
            self._prints.append(_fingerprint(sample.get("doc_hash")))
            self._prompts.append(_fingerprint(sample.get("prompt_hash")))
            if self._field:
                self._clusters.append(self._cluster(sample.get("doc")))
        chosen = str(sample.get("filter") or "none")
        metrics = sample.get("metrics")
        for metric in [name for name in sample if name not in _FIELDS] if metrics is None else metrics:
            name, value = item_value(metric, sample.get(metric))
            if value is None:
                self._without[f"{self._samples.task}/{metric}"] = None
                continue
            column = name if chosen == "none" else f"{name},{chosen}"
            values = self._values.setdefault(column, array("d"))
            self._repeated += row < len(values) and not math.isnan(values[row])
            values.extend([math.nan] * (row + 1 - len(values)))
            values[row] = value

    def _cluster(self, doc: Any) -> str | None:
        value = doc.get(self._field) if isinstance(doc, Mapping) else None
        if value is None:
            return None
        text = str(value)
        return f"{self._samples.task}/{text if len(text) <= _LONGEST_LABEL else format(fingerprint(text), 'x')}"

    def check_number(self, expected: Any) -> None:
        """Refuse a file with fewer items than the results count."""
        if isinstance(expected, int) and 0 <= len(self._ids) < expected:
            raise ValueError(
                f"`results` contains {self._samples.origin!r}, which has {len(self._ids):,} of {expected:,} items; it "
                "may be cut."
            )
        if not self._ids:
            raise ValueError(f"`results` contains {self._samples.origin!r}, which has no samples.")

    def frame(self, prefix: str) -> pd.DataFrame:
        """Return the items; metrics have the name of the task, or of the group whose score counts."""
        if self._repeated:
            self._samples.notes.append(
                f"{self._repeated:,} scores in {self._samples.origin!r} are there more than once; the last ones count."
            )
        if self._without:
            self._samples.notes.append(
                f"{checks.listed(self._without, 3)} {'is' if len(self._without) == 1 else 'are'} left out, because "
                "single items have no score."
            )
        n = len(self._ids)
        columns: dict[str, Any] = {
            ID: self._ids, CONTENT: np.asarray(self._prints), PROMPT: np.asarray(self._prompts), REPEAT: 1
        }  # fmt: skip
        if self._field:
            columns[CLUSTER] = pd.array(self._clusters, dtype="str")
        for column, values in self._values.items():
            columns[f"{prefix}/{column}"] = np.append(np.asarray(values), np.full(n - len(values), np.nan))
        return pd.DataFrame(columns)


def _fingerprint(text: Any) -> int:
    return fingerprint(text) if isinstance(text, str) else 0


def item_value(metric: str, value: Any) -> tuple[str, float | None]:
    """Return what a value of an item is called, and as a number; None if items have no score of their own.

    Examples
    --------
    >>> item_value("acc", True), item_value("inst_level_strict_acc", [True, False]), item_value("mcc", [0, 1])
    (('acc', 1.0), ('inst_level_strict_acc', 0.5), ('mcc', None))

    Of a perplexity, the harness logs the log-likelihood and the number of words.

    >>> item_value("word_perplexity", [-30.0, 10])
    ('log(word_perplexity)', 3.0)
    """
    metric = str(metric)
    if isinstance(value, list | tuple):
        if metric in _WEIGHTED and len(value) == 2:
            rate = -number(value[0]) / (number(value[1]) or math.nan)
            return (metric, rate / math.log(2)) if metric == "bits_per_byte" else (f"log({metric})", rate)
        judged = bool(value) and all(isinstance(one, bool) for one in value)
        return metric, sum(value) / len(value) if judged else None
    if metric == "perplexity":
        return f"log({metric})", -number(value)
    return metric, number(value) if value is None or isinstance(value, bool | int | float | str) else None


# ------------------------------------------------------------------------------------------------------------ groups


def tasks_of_groups(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the tasks that each group consists of; a single one may stand as text, without a list.

    Raises
    ------
    TypeError
        For anything but a mapping of lists or texts.
    """
    given = document.get("group_subtasks") or {}
    if not isinstance(given, Mapping):
        raise TypeError(f"`group_subtasks` is {reprlib.repr(given)}, but must map groups to lists of tasks")
    return {group: [parts] if isinstance(parts, str) else list(parts or ()) for group, parts in given.items()}


def groups_of(document: Mapping[str, Any], task: str) -> list[str]:
    """Return the groups that a task is part of, the nearest first."""
    parts_of = tasks_of_groups(document)
    found: list[str] = []
    name = task
    while above := next(
        (group for group, parts in parts_of.items() if name in parts and group not in (task, *found)), None
    ):
        found.append(above)
        name = above
    return found


def top_group(document: Mapping[str, Any], task: str) -> str:
    """Return the outermost group of a task that has a score of its own, or the task."""
    scores = document.get("groups") or {}
    scored = [
        group for group in groups_of(document, task)
        if any("," in key and isinstance(value, int | float) for key, value in (scores.get(group) or {}).items())
    ]  # fmt: skip
    return scored[-1] if scored else task


def _settings(document: Mapping[str, Any], task: str) -> dict[str, Any]:
    config = document.get("config") or {}
    found = {name: (document.get(key) or {}).get(task) for name, key in _OF_TASK.items()}
    found |= {name: document.get(name) for name in _OF_RUN} | {name: config.get(name) for name in _OF_CONFIG}
    own = (document.get("configs") or {}).get(task) or {}
    if found["num_fewshot"] is None:
        found["num_fewshot"] = own.get("num_fewshot")
    if not found["num_fewshot"]:
        found.pop("fewshot_seed")
    if found.get("transformers_version") == "N/A":
        found.pop("transformers_version")
    found |= {name: value for name, value in own.items() if name not in _NOT_COMPARED}
    settings = flattened(found)
    return {name: _ADDRESS.sub("", value) if isinstance(value, str) else value for name, value in settings.items()}
