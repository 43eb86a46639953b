"""The user's own tables: CSV, Parquet and JSON lines read with their origin, checked before a report runs.

What can be wrong is refused here, in a sentence and before a kernel starts: columns, their values, labels, choices.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.candidates import candidate_mask
from copa_nb.checks import column, listed, one_of
from copa_nb.objectives import ATTRS_KEY, NAN_POLICIES, resolve_objectives
from copa_nb.reports.answers import Answer, check_measured, check_values, quick_answer
from copa_nb.reports.catalogue import Entry
from copa_nb.reports.parameters import declared
from copa_nb.reports.store import file_hash, slug
from copa_nb.text import with_index

_PARQUET, _JSON_LINES = (".parquet", ".pq"), (".jsonl", ".ndjson", ".json")
_ENDINGS = (".csv", ".csv.gz", ".tsv", *_PARQUET, *_JSON_LINES)
# The commands for tables of the user's own, and their notebooks.
OWN_REPORTS = {
    "select": "yours/select",
    "gap": "yours/gap",
    "significance": "yours/significance",
    "posets": "yours/partial_orders",
}
# Parameters that name columns, beside the objectives: those a report needs, and those it can do without.
_LABELS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "yours/select": ((), ("index",)),
    "yours/gap": ((), ("index", "method", "repeat", "order")),
    "yours/significance": (("system",), ("seed",)),
    "yours/partial_orders": (("item", "by"), ()),
}
_SHOWN = 3
_MOST_NAMED = 100_000  # rows that are called "row 1" rather than 1, which takes memory


def read_table(path: str | Path, *, index: str | None = None) -> pd.DataFrame:
    """Read a table and note where it comes from.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in .csv, .csv.gz or .tsv, .parquet or .pq, .jsonl, .ndjson or .json.
    index : str, optional
        Column that names the rows; ``""`` takes the first column if it holds text and names most rows
        differently, and else numbers the rows from 1. Names that stand for several rows are told apart: "a", "a (2)".
        By default all columns stay columns.

    Returns
    -------
    DataFrame
        With ``attrs["source"]`` (kind "own"), for ``report.data(frame)``, and ``attrs["notes"]``, sentences
        about how its rows are named.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, empty, of another kind or cannot be read as what its name says, or if
        there is no such column.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"`table` is {str(path)!r}; there is no such file.")
    ending = next((ending for ending in _ENDINGS if file.name.lower().endswith(ending)), None)
    if ending is None:
        raise ValueError(f"`table` is {str(path)!r}; its name must end in one of {listed(_ENDINGS)}.")
    if not file.stat().st_size:
        raise ValueError(f"`table` is {str(path)!r}, an empty file; it must have a header and at least one row.")
    try:
        frame = _read(file, ending)
    except (ValueError, TypeError, AttributeError, OSError) as error:  # pandas' and pyarrow's errors are ValueErrors
        reason = str(error).strip().split("\n")[0]
        raise ValueError(f"`table` is {str(path)!r}, which cannot be read as {ending[1:]}: {reason}") from error
    if frame.empty:
        raise ValueError(f"`table` is {str(path)!r}, which has no {'rows' if len(frame.columns) else 'columns'}.")
    frame.columns = pd.Index([str(name).strip() for name in frame.columns])
    repeated = frame.columns[frame.columns.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"`table` is {str(path)!r}, which has several columns named {listed(repeated)}.")
    row_names = _first_text_column(frame) if index == "" else index
    if row_names:
        column(frame, row_names, "index")
        frame = frame.set_index(row_names)
    frame.attrs["notes"] = []
    if row_names:
        _tell_apart(frame)
    elif index == "" and isinstance(frame.index, pd.RangeIndex):
        frame.index = _row_numbers(len(frame))
    frame.attrs["source"] = {"name": file.name, "kind": "own", "sha256": file_hash(file), "origin": str(path)}
    return frame


def write_frame(frame: pd.DataFrame, folder: Path) -> Path:
    """Write a frame as JSON lines, every digit of it, to ``frame.jsonl``; labels of its rows become columns.

    Raises
    ------
    ValueError
        If two columns would have one name.
    """
    flat = with_index(_named(frame))
    names = [str(name).strip() for name in flat.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"`table` has several columns of one name: {listed(sorted(names))}; rename them.")
    plain = flat.astype(object).where(flat.notna().to_numpy(), None).set_axis(names, axis="columns")
    path = folder / "frame.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{json.dumps(record, default=_scalar)}\n" for record in plain.to_dict("records"))
    return path


def frame_parameters(entry: Entry, frame: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters for a report on a frame: its own directions and the names of its rows, unless given."""
    chosen = {name: value for name, value in parameters.items() if name != "table"}
    if not {"maximise", "minimise"} & set(chosen) and entry.name in _LABELS and ATTRS_KEY in frame.attrs:
        objectives = resolve_objectives(frame)
        for argument, way in (("maximise", "max"), ("minimise", "min")):
            chosen[argument] = [str(name) for name in objectives if objectives.direction(name) == way]
    labelled = not (isinstance(frame.index, pd.RangeIndex) and frame.index.name is None)
    if labelled and frame.index.nlevels == 1 and "index" in declared(entry.path):
        chosen.setdefault("index", str(_named(frame).index.name))
    return chosen


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Name the levels of an index that have no name, so that they can become columns."""
    names = [f"label {number}" if name is None else name for number, name in enumerate(frame.index.names, start=1)]
    return (
        frame if isinstance(frame.index, pd.RangeIndex) else frame.set_axis(frame.index.set_names(names), axis="index")
    )


def _scalar(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def own_folder(command: str, parameters: Mapping[str, Any]) -> str:
    """Return the default folder of a report on a user's table: the command and the table's name.

    Examples
    --------
    >>> own_folder("select", {"table": "data/my models.csv"})
    'select/my-models'
    """
    table = Path(str(parameters.get("table") or "example"))
    return f"{command}/{slug(table.name.split('.')[0])}"


def default_folder(entry: Entry, parameters: Mapping[str, Any]) -> str:
    """Return the folder of a report unless the user names one: that of the notebook, or the user's table."""
    return own_folder(entry.name.split("/")[1], parameters) if entry.area == "yours" else entry.name


def check_own_table(entry: Entry, parameters: Mapping[str, Any], folder: Path | str = ".") -> None:
    """Check that a user's table has what a report needs: its columns, numbers in them, and no missing values.

    Parameters
    ----------
    entry : Entry
        The notebook; those that do not read a table pass.
    parameters : mapping
        Checked parameters; what is not among them has the notebook's default.
    folder : Path or str
        What a relative path of the table starts from.

    Raises
    ------
    FileNotFoundError, ValueError
        With the column, what is wrong with it, and how to fix it.
    """
    if entry.name not in _LABELS:
        return
    parameters = with_defaults(entry, parameters)
    check_values(entry.name, parameters)
    if not parameters["table"]:
        return
    table = _table(Path(folder) / parameters["table"], parameters["table"])
    needed, optional = _LABELS[entry.name]
    for argument in (*needed, *optional):
        if argument in needed and not parameters.get(argument):
            raise ValueError(f"`{argument}` is empty; name a column, one of {listed(table.columns)}.")
        value = parameters.get(argument) or []
        for name in [value] if isinstance(value, str) else value:
            column(table, name, argument)
    objectives = _objective_columns(entry.name, parameters, table)
    for argument, name in objectives:
        _need_numbers(column(table, name, argument), argument)
    _check_missing(table, objectives, str(parameters["nan_policy"]))
    measured = table[[name for _, name in objectives]]
    for name in parameters.get("weights", ()):
        column(measured, name, "weights")
    for name in parameters.get("log_scale", ()):
        _need_positive(column(measured, name, "log_scale"))
    if parameters.get("sweep"):
        column(measured, parameters["sweep"], "sweep")
    if parameters.get("where"):
        candidate_mask(table, parameters["where"])
    check_measured(entry.name, table, parameters)


def with_defaults(entry: Entry, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of a notebook: those given, and the defaults of the others."""
    return {name: parameter.default for name, parameter in declared(entry.path).items()} | dict(parameters)


def quick_answer_of(entry: Entry, parameters: Mapping[str, Any]) -> Answer:
    """Return the answer of a report on a user's table without its notebook, once it is checked."""
    parameters = with_defaults(entry, parameters)
    return quick_answer(entry.name, read_table(parameters["table"], index=parameters.get("index")), parameters)


def _read(file: Path, ending: str) -> pd.DataFrame:
    if ending in _PARQUET:
        try:
            return pd.read_parquet(file)
        except ImportError as error:
            raise ValueError("reading Parquet needs pyarrow: pip install 'copa_nb[parquet]'") from error
    if ending in _JSON_LINES:
        text = file.read_text(encoding="utf-8").strip()
        records = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines() if line]
        return pd.DataFrame.from_records(records)
    return pd.read_csv(file, sep="\t" if ending == ".tsv" else ",")


def _first_text_column(frame: pd.DataFrame) -> str:
    is_numbered = isinstance(frame.index, pd.RangeIndex)
    first = frame.iloc[:, 0]
    is_text = pd.api.types.is_string_dtype(first) or isinstance(first.dtype, pd.CategoricalDtype)
    if not (is_numbered and is_text and frame.shape[1] > 1 and first.notna().all()):
        return ""
    # A column of few values says of what kind a row is, not what it is called.
    return str(frame.columns[0]) if 2 * first.nunique() > len(first) else ""


def _tell_apart(frame: pd.DataFrame) -> None:
    """Number the names that stand for several rows, and note it: "a", "a (2)"."""
    times = frame.groupby(level=0, sort=False, dropna=False).cumcount().to_numpy()
    repeated = frame.index[times > 0].unique()
    if not len(repeated):
        return
    taken, names = {str(name) for name in frame.index}, []
    for name, number in zip(frame.index, times, strict=True):
        new = name
        while number and (new := f"{name} ({number + 1})") in taken:
            number += 1
        names.append(new)
        taken.add(str(new))
    stand, example = "stands" if len(repeated) == 1 else "stand", names[int((times > 0).argmax())]
    frame.index = pd.Index(names, name=frame.index.name, tupleize_cols=False)
    frame.attrs["notes"] = [
        f"{listed(repeated, _SHOWN)} {stand} for several rows, told apart as {example!r} and so on."
    ]


def _row_numbers(n_rows: int) -> pd.Index:
    """Name rows that have no name by their numbers, from 1 as people count."""
    numbers = pd.RangeIndex(1, n_rows + 1, name="row")
    return numbers if n_rows > _MOST_NAMED else pd.Index([f"row {number}" for number in numbers])


def _table(path: Path, name: str) -> pd.DataFrame:
    if not path.is_file():
        where = "" if Path(name).is_absolute() else f" in {path.parent.resolve()}"
        raise FileNotFoundError(f"`table` is {name!r}; there is no such file{where}.")
    state = path.stat()
    return _read_once(str(path), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _read_once(path: str, changed: int, size: int) -> pd.DataFrame:
    """Read a table once for all runs that vary something else."""
    return read_table(path)


def _objective_columns(report: str, parameters: Mapping[str, Any], table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return pairs of an argument and a column that it names."""
    names = [(argument, name) for argument in ("maximise", "minimise") for name in parameters.get(argument, ())]
    both = sorted(set(parameters.get("maximise", ())) & set(parameters.get("minimise", ())))
    if both:
        raise ValueError(f"`maximise` and `minimise` both name {both[0]!r}; keep it in one of them.")
    if not names:
        what = "scores, without their prefix" if report == "yours/gap" else "columns"
        numeric = [str(name) for name in table.select_dtypes("number").columns]
        raise ValueError(
            f"`maximise` and `minimise` are both empty; name {what} of which more or less is better. Columns with "
            f"numbers are {listed(numeric) or 'none'}."
        )
    prefixes = (parameters["validation"], parameters["test"]) if report == "yours/gap" else ("",)
    return [(argument, f"{prefix}{name}") for argument, name in names for prefix in prefixes]


def _need_numbers(values: pd.Series, argument: str) -> None:
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(
            f"`{argument}` names {values.name!r}, which holds truth values, not numbers; write 1 and 0 if one of them "
            "is better."
        )
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values):
        return
    text = values.map(str, na_action="ignore")
    wrong = (text.notna() & pd.to_numeric(text, errors="coerce").isna()).to_numpy().nonzero()[0]
    count = len(wrong)
    examples = ", ".join(f"{text.iloc[i]!r} in row {i + 1}" for i in wrong[:_SHOWN])
    are_not = "is not a number" if count == 1 else "are not numbers"
    reason, fix = f"{count:,} of its {len(values):,} values {are_not} ({examples})", "write plain numbers"
    if not count:
        reason, fix = f"its type is {values.dtype}", "store it as numbers"
    elif count > len(values) / 2:
        fix += ", without units or thousands separators"
    else:
        fix += ", or leave the cells empty and say with `nan_policy` what that means"
    raise ValueError(f"`{argument}` names {values.name!r}, which is not a column of numbers: {reason}; {fix}.")


def _need_positive(values: pd.Series) -> None:
    low = values[values <= 0]
    if len(low):
        raise ValueError(
            f"`log_scale` names {values.name!r}, which has {_counted(len(low), 'value')} of 0 or less, e.g. "
            f"{low.iloc[0]:g}; only positive numbers have a logarithm: leave it out of `log_scale`, or fix the table."
        )


def _check_missing(table: pd.DataFrame, objectives: Sequence[tuple[str, str]], nan_policy: str) -> None:
    one_of("nan_policy", nan_policy, NAN_POLICIES)
    missing = table[list(dict.fromkeys(name for _, name in objectives))].isna()
    incomplete = missing.any(axis="columns")
    if nan_policy == "worst" or not incomplete.any():
        return
    if nan_policy == "omit":
        if incomplete.all():
            raise ValueError(
                f'`nan_policy` is "omit", which would leave no row: each of the {len(table):,} lacks a value in '
                f'{listed(missing.columns)}. Fill them in, or use "worst".'
            )
        return
    (argument, name), *others = [pair for pair in objectives if missing[pair[1]].any()]
    rows = missing[name].to_numpy().nonzero()[0] + 1
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", …" if len(rows) > _SHOWN else "")
    also = f", as have {listed(other for _, other in others)}" if others else ""
    raise ValueError(
        f"`{argument}` names {name!r}, which has {_counted(len(rows), 'missing value')} "
        f'(row{"s" * (len(rows) > 1)} {shown}){also}, and `nan_policy` is "raise". Fill them in, or set `nan_policy` '
        f'to "omit", which leaves out {int(incomplete.sum()):,} of {len(table):,} rows, or to "worst", which counts a '
        "missing value as worse than any other."
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
