"""One call for all sources, which detects the format."""

from __future__ import annotations

__all__ = ["read"]

import inspect
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks, sources
from copa_nb.discovery import import_all
from copa_nb.sources import boards
from copa_nb.sources.bundled import PREFIX
from copa_nb.sources.documents import read_lines
from copa_nb.sources.files import read_table
from copa_nb.sources.formats import SOURCES, UNKNOWN_DIRECTIONS, Format
from copa_nb.sources.items import SYSTEM, told_apart
from copa_nb.sources.no_numbers import need_numbers
from copa_nb.sources.optuna import is_study
from copa_nb.sources.table_descriptions import TableDescription, is_description, read_description
from copa_nb.sources.wandb import is_export
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import WORDS, Description, define, with_system
from copa_nb.tables.frames import read_frame
from copa_nb.tables.objectives import Objectives, spelled

import_all(sources)
_FILES = "CSV, Excel, JSON, Parquet"
# Sorted: a reader that was imported by itself, before the others, is registered first.
FORMATS = {"table": Format(read_table, _FILES, UNKNOWN_DIRECTIONS), **dict(sorted(SOURCES.items()))}
# Words of columns that say what a row is, of which a system has several.
_SEVERAL_ROWS = {"item", "repeat", "order"}
_DATABASES = (".db", ".sqlite", ".sqlite3")
# Of the URLs of databases, which may name a driver, as in mysql+pymysql://; files may begin with the same words.
_STUDY_SCHEMES = ("sqlite", "mysql", "mariadb", "postgresql", "redis")


@checks.briefly
def read(
    source: Any,
    objectives: Mapping[Any, str] | None = None,
    /,
    *,
    format: str | None = None,
    system: str | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Read a table from anything that copa_nb knows: a file, a study, a search, logs, a frame of another library.

    Parameters
    ----------
    source : path or object
        A table (CSV, Excel, JSON, Parquet), a YAML file that names a table and describes it, an Optuna study or its
        storage, a fitted search of scikit-learn, results of lm-evaluation-harness, logs of
        Inspect, records of Every Eval Ever, experiments of IOHprofiler, or a frame of pandas, polars, pyarrow or
        duckdb. With ``items=True`` logs of evaluations have a row per item; files that have nothing else always do.
    objectives : mapping of column to {"max", "min"}, optional
        Directions, where the source does not know them, or other ones than it knows.
    format : str, optional
        Which source it is, where it does not show: the name of its function without ``from_``, or "table".
    system : str, optional
        The column that names the rows, of a file or a frame. By default the first column of a file does if it is text
        that differs between most rows; other rows of files are called by their numbers, from "row 1". Where each row
        is one evaluation of a search, with a validation and a test score, and several rows share a system, it is the
        word for the method that searched. With ``item``, ``repeat`` or ``order``, also if they are None, it is the
        word for what the rows belong to.
    **options
        Directions as keywords, ``accuracy="max"``, ``max=["val/acc", "f1"]``, ``objectives={...}``; words that say what
        other columns are, ``item="task"`` (see ``df.moo.define()``); ``wide=True`` for a file with a column for each
        item, ``join=["cost.csv"]`` for further files with the same systems and items; and options of the function that
        reads the source: :func:`copa_nb.from_optuna` and so on.

    Returns
    -------
    DataFrame
        With directions where the source knows them; what was left out is in ``attrs["notes"]``.

    Raises
    ------
    TypeError, ValueError, FileNotFoundError
        For an unknown source, with its type.

    Examples
    --------
    >>> import copa_nb
    >>> results = {"params": [{"C": 1}, {"C": 10}], "mean_test_score": [0.8, 0.9]}
    >>> copa_nb.read(results).moo.copa().best
    'C=10'
    """
    if format is not None:
        checks.one_of("format", format, FORMATS)
    options, directions = _apart(options)
    objectives = spelled(objectives, directions) or None
    if is_description(source):
        return _read_described(read_description(source), objectives, {"format": format, "system": system, **options})
    kind = format or _kind(source)
    wide, join = options.pop("wide", False), options.pop("join", ())
    words, options = _words_apart(options, FORMATS[kind].read if kind in FORMATS else _labeled)
    if wide or join:
        return _read_board(source, objectives, {"system": system, **words}, options, wide=wide, join=join)
    words, system = with_system(words, system)
    # Where columns say what a row is, none of them names the rows.
    naming = {} if _SEVERAL_ROWS & words.keys() else {"system": ""}
    frame = _read(source, kind, objectives, system, options, naming)
    if system is not None and kind in ("table", "frame") and _is_of_searches(frame, objectives, words):
        unnamed = _read(source, kind, objectives, None, options, {"system": ""})
        if system in unnamed.columns and unnamed[system].duplicated().any():
            words, frame = {"system": system, **words}, unnamed
    if kind == "table":
        described = _described(frame, objectives, words)
        need_numbers(frame, described.scores(frame), options.get("decimal"))
    return define(frame, objectives, **words) if objectives or words else frame


def _read_board(
    source: Any,
    objectives: Mapping[Any, str] | None,
    words: Mapping[str, Any],
    reading: Mapping[str, Any],
    *,
    wide: bool,
    join: Sequence[str],
) -> pd.DataFrame:
    """Read a board whose columns are items, or that is in several files, as one row per system and item."""
    if not objectives:
        raise ValueError(f"{checks.called('objectives')} is missing; say which metrics there are: accuracy='max'.")
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"`wide` and `join` are for files, and `source` is a {type(source).__name__}.")
    path = Path(source)
    frame = read_table(path, **reading)
    texts = [str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
    system = words.get("system") or (texts[0] if texts else str(frame.columns[0]))
    item = words.get("item") or boards.ITEM
    layout = boards.BoardLayout(
        list(map(str, objectives)), str(system), str(item), str(words.get("cluster") or ""),
        [str(name) for name in as_names(words.get("show"))], reading,
    )  # fmt: skip
    found = boards.arranged(frame, path, layout, wide=wide, join=[join] if isinstance(join, str) else list(join))
    others = {word: value for word, value in words.items() if word not in ("system", "item")}
    return define(found, objectives, system=system, item=item, **others)


def _is_of_searches(
    frame: pd.DataFrame, objectives: Mapping[Any, str] | None, words: Mapping[str, Any]
) -> bool:  # fmt: skip
    """Whether rows are evaluations on validation and test data, of which several may belong to each system."""
    return _described(frame, objectives, words).is_scored_twice(frame)


def _described(
    frame: pd.DataFrame, objectives: Mapping[Any, str] | None, words: Mapping[str, Any]
) -> Description:  # fmt: skip
    """What a table remembers, and what is said of it."""
    return Description.of_frame(frame).saying(Objectives.of(objectives) if objectives else None, **words)


def _read_described(
    described: TableDescription, objectives: Mapping[Any, str] | None, options: Mapping[str, Any]
) -> pd.DataFrame:
    """Read the table that a YAML file describes, with what the file says where nothing else is given."""
    words = described.words_about(objectives)
    given = {name: value for name, value in options.items() if value is not None}
    return read(described.path, words.pop("objectives", None), **{**words, **described.reading, **given})


def _read(
    source: Any,
    kind: str,
    objectives: Mapping[Any, str] | None,
    system: str | None,
    options: dict[str, Any],
    naming: dict[str, Any],
) -> pd.DataFrame:
    """Read a source of a known kind."""
    if kind == "frame":
        return _labeled(source, system, options)
    if system is not None:
        if kind != "table":
            raise ValueError(
                f"`system` names the rows of files and frames, but {kind!r} has names of its own; leave it out."
            )
        options = {"system": system} | options
    elif kind == "table":
        options = naming | options
    function = FORMATS[kind].read
    if FORMATS[kind].has_items and _is_of_items(source):
        options = {"items": True} | options
    if objectives and "objectives" in inspect.signature(function).parameters:
        return function(source, objectives=objectives, **options)
    frame: pd.DataFrame = function(source, **options)
    return frame


def _words_apart(options: Mapping[str, Any], function: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take words that describe the table out of the options, but for those that the source has itself."""
    own = inspect.signature(function).parameters
    words = {word: value for word, value in options.items() if word in WORDS and word not in own}
    return words, {name: value for name, value in options.items() if name not in words}


def _apart(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take directions, such as ``accuracy="max"`` or ``min=["cost"]``, out of the options."""
    named = {
        name
        for name, value in options.items()
        if name in ("objectives", "max", "min") or (isinstance(value, str) and value in ("max", "min"))
    }
    return (
        {name: value for name, value in options.items() if name not in named},
        {name: value for name, value in options.items() if name in named},
    )


def read_pair(
    new: Any, baseline: Any, objectives: Mapping[Any, str] | None = None, /, **options: Any
) -> tuple[pd.DataFrame, str, str]:
    """Read the logs of two systems as one long table, one row per system and item.

    Parameters
    ----------
    new, baseline : path or object
        Two logs of one kind, each of one system: folders of lm-evaluation-harness, Inspect or Every Eval Ever, or
        tables in files with one row per item, whose systems are then called by the names of the files.
    objectives : mapping of column to {"max", "min"}, optional
        Directions, where the logs do not state them.
    **options
        Of the function that reads the logs.

    Returns
    -------
    DataFrame, str, str
        The table, and the names of the two systems in its column "system".

    Raises
    ------
    ValueError
        If a log has several systems, or the logs are of different kinds.
    """
    kinds = [_kind(one) for one in (new, baseline)]
    if kinds[0] != kinds[1]:
        raise ValueError(f"The logs are of different kinds, {kinds[0]!r} and {kinds[1]!r}; compare logs of one kind.")
    if kinds[0] == "table":
        table = _two_tables(new, baseline, objectives, options)
    elif FORMATS[kinds[0]].has_items:
        table = read([new, baseline], objectives, format=kinds[0], items=True, **options)
    else:
        raise ValueError(
            f"{str(new)!r} is of the kind {kinds[0]!r}, which does not state results of single items; give logs of "
            "lm-evaluation-harness (--log_samples), Inspect or Every Eval Ever, or tables with one row per item."
        )
    systems = list(dict.fromkeys(table[SYSTEM]))
    if len(systems) != 2:
        raise ValueError(
            f"The logs have {len(systems)} systems, {checks.listed(systems)}, but each must have one. Read them with "
            "copa_nb.read(..., items=True), and name the two systems to compare."
        )
    return table, systems[0], systems[1]


def _two_tables(
    new: Any, baseline: Any, objectives: Mapping[Any, str] | None, options: Mapping[str, Any]
) -> pd.DataFrame:
    frames = [read_table(one, **options) for one in (new, baseline)]
    names = told_apart([str(new), str(baseline)])
    table = pd.concat(
        [frame.assign(**{SYSTEM: name}) for frame, name in zip(frames, names, strict=True)], ignore_index=True
    )
    table.attrs = {"source": frames[0].attrs["source"], "notes": []}
    return define(table, objectives) if objectives else table


def _labeled(source: Any, system: str | None, options: Mapping[str, Any]) -> pd.DataFrame:
    if options:
        raise TypeError(f"`{next(iter(options))}` is not an option for a frame; the only option is `system`.")
    foreign = read_frame(source, system=system)
    if foreign is not None:
        frame: pd.DataFrame = foreign.pandas
        return frame
    checks.frame(source, "source")
    if system is None:
        return source.copy(deep=False)
    checks.column_position(source, system, "system")
    labeled: pd.DataFrame = source.set_index(system)
    return labeled


def _kind(source: Any) -> str:
    """Return the format of a source by its type or content; frames are "frame"."""
    if isinstance(source, str | os.PathLike):
        return kind_of_file(str(source))
    libraries = {base.__module__.partition(".")[0] for base in type(source).__mro__}
    known = [name for name, one in FORMATS.items() if one.library in libraries]
    if known:
        return known[0]
    if hasattr(source, "cv_results_"):
        return "cv_results"
    if isinstance(source, Mapping):
        return _kind_of_document(source) or _unknown(source)
    if isinstance(source, Sequence) and len(source):
        kinds = {_kind(one) for one in source}
        if len(kinds) > 1:
            raise ValueError(
                f"{checks.called('source')} is a list of different kinds ({', '.join(sorted(kinds))}); read them "
                "separately."
            )
        return kinds.pop()
    if isinstance(source, pd.DataFrame) or read_frame(source) is not None:
        return "frame"
    return _unknown(source)


def _unknown(source: Any) -> str:
    checks.frame(source, "source")  # which says what to do with an array, a lazy frame and the like
    raise AssertionError


def kind_of_file(name: str) -> str:
    """Return the format of a file or folder by its name and its beginning; "table" by default."""
    if name.startswith(PREFIX):
        return "dataset"
    path = Path(name)
    scheme, is_url, _ = name.partition("://")
    if is_url and scheme.partition("+")[0] in _STUDY_SCHEMES:
        return "optuna"
    if path.is_dir():
        return _kind_of_folder(path)
    if path.suffix == ".eval":
        return "inspect"
    if path.suffix in _DATABASES or (path.is_file() and is_study(path)):
        return "optuna"
    if path.suffix == ".csv" and path.is_file() and is_export(path):
        return "wandb"
    if path.suffix == ".json" and path.is_file():
        return _kind_of_document(_document(path)) or "table"
    if _is_of_lines(path):
        return _kind_of_document(_first_line(path)) or "table"
    return "table"


def _kind_of_folder(folder: Path) -> str:
    if any(folder.rglob("*.eval")):
        return "inspect"
    if any(folder.glob("*/results/results.json")):
        return "swe_bench"
    if any(folder.glob("*/meta.yaml")):
        raise ValueError(
            f"{checks.called('source')} is {str(folder)!r}, a store of MLflow; pass its runs: "
            "copa_nb.from_mlflow(mlflow.search_runs(...)), after mlflow.set_tracking_uri."
        )
    for file in folder.rglob("*.json"):
        kind = _kind_of_document(_document(file))
        if kind:
            return kind
    for file in folder.rglob("*.jsonl*"):
        kind = _kind_of_document(_first_line(file)) if _is_of_lines(file) else None
        if kind:
            return kind
    raise ValueError(
        f"{checks.called('source')} is the folder {str(folder)!r}, which contains no results of "
        "lm-evaluation-harness, promptfoo or DeepEval, logs of Inspect, records of Every Eval Ever, submissions to "
        "SWE-bench or finished experiments of IOHprofiler; name a file, or set `format`."
    )


def _document(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):  # the function that reads the file says what is wrong with it
        return None


def _is_of_lines(path: Path) -> bool:
    return path.name.endswith((".jsonl", ".jsonl.gz")) and path.is_file()


def _first_line(file: Path) -> Any:
    try:
        return next(read_lines(file, "source", lambda _: None), None)
    except ValueError:  # the function that reads the file says what is wrong with it
        return None


def _is_of_items(source: Any) -> bool:
    """Whether files have results of single items only, so that nothing else can be read."""
    if isinstance(source, Sequence) and not isinstance(source, str):
        return bool(source) and all(map(_is_of_items, source))
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    if path.is_dir():
        return not any(map(_kind_of_document, map(_document, path.rglob("*.json")))) and not any(path.rglob("*.eval"))
    return _is_of_lines(path)


def _kind_of_document(document: Any) -> str | None:
    if not isinstance(document, Mapping):
        return None
    if {"doc_id", "doc"} <= document.keys():
        return "lm_eval"
    if {"evaluation_name", "sample_id", "evaluation"} <= document.keys():
        return "every_eval_ever"
    if "evalId" in document and isinstance(document.get("results"), Mapping):
        return "promptfoo"
    if "params" in document and any(str(key).startswith("mean_test_") for key in document):
        return "cv_results"
    if isinstance(document.get("eval"), Mapping) and "status" in document:
        return "inspect"
    found = [name for name, one in FORMATS.items() if one.key and one.key in document]
    if found == ["lm_eval"] and not isinstance(document["results"], Mapping):
        return None  # of records, as many programs write them
    return found[0] if found else None
