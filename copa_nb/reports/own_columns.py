"""Whether a table of one's own has what a report asks of it, said before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.checks import column, listed, one_of
from copa_nb.objectives import NAN_POLICIES
from copa_nb.reports.catalogue import Entry
from copa_nb.reports.own_tables import read_table
from copa_nb.reports.parameters import declared

SELECT, GAP, SIGNIFICANCE, POSETS = "yours/select", "yours/gap", "yours/significance", "yours/partial_orders"
# Parameters that name columns, beside the objectives; those a report cannot do without come first.
_LABELS = {
    SELECT: ((), ("index",)),
    GAP: ((), ("index", "method", "repeat", "order")),
    SIGNIFICANCE: (("system",), ("seed",)),
    POSETS: (("item", "by"), ()),
}
_SHOWN = 3


def check_own_table(entry: Entry, parameters: Mapping[str, Any], folder: Path | str = ".") -> None:
    """Refuse a table that lacks columns, holds text where numbers are wanted, or lacks values.

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
        With the column, what was found in it, and what helps.
    """
    report = entry.name
    if report not in _LABELS or not parameters.get("table"):
        return
    parameters = {name: parameter.default for name, parameter in declared(entry.path).items()} | dict(parameters)
    table = _table(Path(folder) / parameters["table"], parameters["table"])
    needed, optional = _LABELS[report]
    for argument in needed:
        if not parameters.get(argument):
            raise ValueError(f"`{argument}` is empty; name a column, one of {listed(table.columns)}.")
    for argument in (*needed, *optional):
        value = parameters.get(argument) or []
        for name in [value] if isinstance(value, str) else value:
            column(table, name, argument)
    measured = _measured(report, parameters, table)
    gaps = pd.Series(False, index=table.index)
    for argument, name in measured:
        values = column(table, name, argument)
        _need_numbers(values, argument)
        gaps |= values.isna()
    _judge_gaps(table, measured, gaps, str(parameters["nan_policy"]))
    for name in parameters.get("weights", ()):
        column(table[[known for _, known in measured]], name, "weights")
    for name in parameters.get("log_scale", ()):
        _need_positive(column(table[[known for _, known in measured]], name, "log_scale"))
    if parameters.get("where"):
        from copa_nb.candidates import candidate_mask

        candidate_mask(table, parameters["where"])


def _measured(report: str, parameters: Mapping[str, Any], table: pd.DataFrame) -> list[tuple[str, str]]:
    """Pairs of argument and column that hold numbers."""
    maximise, minimise = (list(parameters.get(argument, ())) for argument in ("maximise", "minimise"))
    both = sorted(set(maximise) & set(minimise))
    if both:
        raise ValueError(f"`maximise` and `minimise` both name {both[0]!r}; keep it in one of them.")
    names = [("maximise", name) for name in maximise] + [("minimise", name) for name in minimise]
    prefixes = (parameters["validation"], parameters["test"]) if report == GAP else ("",)
    if not names:
        wanted = "scores, without their prefix" if report == GAP else "columns"
        numeric = [str(name) for name in table.select_dtypes("number").columns]
        raise ValueError(
            f"`maximise` and `minimise` are both empty; say of which {wanted} more or less is better. Columns with "
            f"numbers are {listed(numeric) or 'none'}."
        )
    return [(argument, f"{prefix}{name}") for argument, name in names for prefix in prefixes]


def _need_numbers(values: pd.Series, argument: str) -> None:
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(
            f"`{argument}` names {values.name!r}, which holds yes and no, not numbers; write 1 and 0 if one of them is "
            "better."
        )
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values):
        return
    text = values.map(str, na_action="ignore")
    wrong = text.notna() & pd.to_numeric(text, errors="coerce").isna()
    examples = ", ".join(f"{text.iloc[i]!r} in row {i + 1}" for i in wrong.to_numpy().nonzero()[0][:_SHOWN])
    count = int(wrong.sum())
    found = (
        f"{count:,} of its {len(values):,} values {'is not a number' if count == 1 else 'are not numbers'} ({examples})"
    )
    cure = (
        "write plain numbers, without units or thousands separators"
        if count > len(values) / 2
        else "write plain numbers, or leave the cells empty and say with `nan_policy` what that means"
    )
    if not count:
        found, cure = f"its type is {values.dtype}", "store it as numbers"
    raise ValueError(f"`{argument}` names {values.name!r}, which is not a column of numbers: {found}; {cure}.")


def _need_positive(values: pd.Series) -> None:
    low = values[values <= 0]
    if len(low):
        raise ValueError(
            f"`log_scale` names {values.name!r}, which has {_counted(len(low), 'value')} of 0 or less, e.g. "
            f"{low.iloc[0]:g}; only positive numbers have a logarithm: leave it out of `log_scale`, or mend the table."
        )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _judge_gaps(table: pd.DataFrame, measured: Sequence[tuple[str, str]], gaps: pd.Series, nan_policy: str) -> None:
    one_of("nan_policy", nan_policy, NAN_POLICIES)
    if nan_policy == "worst" or not gaps.any():
        return
    if nan_policy == "omit":
        if gaps.all():
            raise ValueError(
                f'`nan_policy` is "omit", which would leave no row: each of the {len(table):,} lacks a value in '
                f'{listed(name for _, name in measured)}. Fill them in, or use "worst".'
            )
        return
    holes = [(argument, table[name]) for argument, name in measured if table[name].isna().any()]
    argument, values = holes[0]
    rows = values.isna().to_numpy().nonzero()[0] + 1
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", …" if len(rows) > _SHOWN else "")
    rows_are = f"row{'s' * (len(rows) > 1)} {shown}"
    also = f", as have {listed(other.name for _, other in holes[1:])}" if holes[1:] else ""
    raise ValueError(
        f"`{argument}` names {values.name!r}, which has {_counted(len(rows), 'missing value')} ({rows_are})"
        f'{also}, and `nan_policy` is "raise". Fill them in, or set `nan_policy` to "omit", which leaves out '
        f'{int(gaps.sum()):,} of {len(table):,} rows, or to "worst", which counts a gap as worse than any value.'
    )


def _table(path: Path, written: str) -> pd.DataFrame:
    if not path.is_file():
        where = "" if Path(written).is_absolute() else f" in {path.parent.resolve()}"
        raise FileNotFoundError(f"`table` is {written!r}; there is no such file{where}.")
    state = path.stat()
    return _read_once(str(path), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _read_once(path: str, changed: int, size: int) -> pd.DataFrame:
    """Read a table once for all runs that vary something else."""
    return read_table(path)
