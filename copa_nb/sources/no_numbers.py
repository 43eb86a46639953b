"""Objectives that a file does not have as numbers: which rows stop it, and what to do about them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import pandas as pd

from copa_nb.checks import called, column
from copa_nb.sources.parse_numbers import parse_numbers

_SHOWN = 3


def need_numbers(frame: pd.DataFrame, names: Iterable[Hashable], decimal: str | None = None) -> None:
    """Refuse all objectives at once that are no columns of numbers, each with its rows and what to do."""
    refused = []
    for name in names:
        try:
            _need_numbers(column(frame, name, "objectives"), decimal)
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise ValueError("\n".join(refused))


def _need_numbers(values: pd.Series, decimal: str | None) -> None:
    """Refuse a column that is not one of numbers, with the rows and what to do."""
    named = f"{called('objectives')} names {values.name!r}"
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(
            f"{named}, whose values are true or false, not numbers; write 1 and 0 if one of them is better."
        )
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values):
        return
    text = values.map(str, na_action="ignore")
    wrong = (text.notna() & pd.to_numeric(text, errors="coerce").isna()).to_numpy().nonzero()[0]
    count = len(wrong)
    examples = ", ".join(f"{text.iloc[i]!r} in row {i + 1}" for i in wrong[:_SHOWN])
    are_not = "is not a number" if count == 1 else "are not numbers"
    reason, fix = f"{count:,} of its {len(values):,} values {are_not} ({examples})", "use plain numbers"
    if not count:
        reason, fix = f"its type is {values.dtype}", "store it as numbers"
    elif parsing := _parsing(values, decimal):
        fix = parsing
    elif count < len(values) and not text.iloc[wrong].str.contains(r"\d").any():
        fix = f"leave these cells empty and set {called('nan_policy')}"
    elif text.iloc[wrong].str.fullmatch(r"[^/]*\d[^/]*/[^/]*\d[^/]*").any():
        fix += ", one in a cell"
    elif count > len(values) / 2:
        fix += ", without units or thousands separators"
    else:
        fix += f", or leave these cells empty and set {called('nan_policy')}"
    raise ValueError(f"{named}, which is not a numeric column: {reason}; {fix}.")


def _parsing(values: pd.Series, decimal: str | None) -> str:
    """Describe how a column of text can be read as numbers, if it can."""
    for mark in (decimal, ".", ","):
        try:
            parse_numbers(values.to_frame(), [values.name], decimal=mark)
        except ValueError:
            continue
        which = "" if mark == decimal else f", and set {called('decimal')}: with {mark!r} all of them are numbers"
        return f"list it in {called('parse')}, which reads such values{which}"
    return ""
