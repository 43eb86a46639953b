"""Columns of text that are numbers beyond doubt, by their units: what `read` understands without being asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Hashable, Mapping

import pandas as pd

from copa_nb import checks
from copa_nb.sources.parse_numbers import Texts
from copa_nb.sources.placeholders import is_placeholder

# Currencies by their codes, and units behind a number; "7B" and "3d" may be names of models as well.
_CURRENCIES = {"usd", "us$", "eur", "gbp", "jpy", "chf", "cny", "cad", "aud", "inr", "krw"}
_UNITS = {
    "%", "‰", "pp", "ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "min", "mins", "h", "hr", "hrs", "kb", "mb", "gb",
    "tb", "kib", "mib", "gib", "tib", "mg", "g", "kg", "w", "kw", "wh", "kwh", "mwh", "j", "kj", "mj", "tok", "tokens",
    "fps", "db", "ct", "cents", "seconds", "minutes", "hours", "days", "req", "img", "it", "samples", "flops", "gflops",
    "tflops", "mhz", "ghz",
}  # fmt: skip
# A first look at a column, before all of its values are taken apart.
_GLANCED = 20
_SHOWN = 6
_GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[.,'’ \u00a0\u2009\u202f])\d{3})(?:(?P=mark)\d{3})*(?:[.,]\d*)?|[\d.,]*")


def read_units(
    frame: pd.DataFrame,
    *,
    decimal: str | None = None,
    shown: Mapping[str, Hashable] | None = None,
    spared: Collection[Hashable] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Read columns of text as numbers where their units leave no doubt, such as "$0.0034", "1,450 ms" and "64.7%".

    Parameters
    ----------
    frame : DataFrame
        A table as it was read; it is not changed.
    decimal : {".", ","}, optional
        The decimal mark; by default, the one that some column shows.
    shown : mapping of mark to column, optional
        Decimal marks of columns that are numbers already.
    spared : collection of labels
        Columns to leave alone.

    Returns
    -------
    frame : DataFrame
    notes : list of str
        One sentence about all columns that are read, and one for each that cannot be, with the line to write.
    """
    texts = {name: one for name, one in numbers_in_disguise(frame).items() if name not in spared and is_certain(one)}
    marks = dict(shown or {})
    for name, one in texts.items():
        for mark in one.marks_shown:
            marks.setdefault(mark, name)
    read, notes, left = frame.copy(deep=False), [], []
    for name, one in texts.items():
        try:
            read[name] = _numbers(one, decimal, marks)
        except ValueError as error:
            left.append(f"Column {name!r} stays text{error}")
        else:
            is_mark = (one.values.isna() & frame[name].notna()).to_numpy()
            missing = f", {frame[name][is_mark].iloc[0]!r} missing" if is_mark.any() else ""
            notes.append(f"{name!r} ({one.first!r} is {read[name].dropna().iloc[0]:g}{missing})")
    if not notes:
        return read, left
    more = f" and {len(notes) - _SHOWN} more" if len(notes) > _SHOWN else ""
    settled = [name for name in texts if name in read.select_dtypes("number") and _is_settled(texts[name], decimal)]
    return read, [f"Text is read as numbers in {', '.join(notes[:_SHOWN])}{more}.{_why(settled, marks)}", *left]


def _why(settled: Collection[Hashable], marks: Mapping[str, Hashable]) -> str:
    """Say, as a sentence, which column settles the decimal mark of others; nothing if there are none."""
    if not settled:
        return ""
    ((mark, name),) = marks.items()
    return f" The decimal mark is a {'point' if mark == '.' else 'comma'} in {checks.listed(settled)}, as in {name!r}."


def _numbers(texts: Texts, decimal: str | None, marks: Mapping[str, Hashable]) -> pd.Series:
    """The numbers of a column, or an error if columns have different decimal marks."""
    if not decimal and len(marks) > 1 and _has_marks(texts):
        raise ValueError(
            f": the decimal mark is '.' in {marks['.']!r} and ',' in {marks[',']!r}; set "
            f'{checks.called("decimal")} to "." or ",".'
        )
    return texts.numbers(decimal, marks)


def _is_settled(texts: Texts, decimal: str | None) -> bool:
    """Whether another column says what the decimal mark of this one is."""
    return not decimal and _has_marks(texts) and not texts.marks_shown


def _has_marks(texts: Texts) -> bool:
    return any(mark in text for text in texts.digits for mark in ".,")


def numbers_in_disguise(frame: pd.DataFrame) -> dict[Hashable, Texts]:
    """Columns of text all of whose values are numbers with a unit or separators, by name."""
    found: dict[Hashable, Texts] = {}
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if not pd.api.types.is_string_dtype(values.dtype) or not _looks_like_numbers(values.dropna().head(_GLANCED)):
            continue
        one = Texts.of(values.mask(is_placeholder(values)))
        if one.distinct and not one.wrong:
            found[name] = one
    return found


def is_certain(texts: Texts) -> bool:
    """Whether a column can be nothing but numbers: by its units, or by groups of three digits.

    Examples
    --------
    >>> [is_certain(Texts.of(pd.Series(values))) for values in (["$0.1", "$2"], ["9 ms"], ["1,450", "80"], ["7B"])]
    [True, True, True, False]
    """
    if not all(_GROUPED.fullmatch(match["digits"]) for match in texts.matches if match is not None):
        return False
    units = texts.units
    if units <= {("", "")}:
        # "0,1" may be a list, "0012" a name, and plain numbers with marks such as "-" are read elsewhere.
        return any("," in text for text in texts.digits) and "," not in texts.marks_shown
    return all(_is_unit(before, after) for before, after in units)


def _is_unit(before: str, after: str) -> bool:
    behind = after.partition("/")[0]
    if before:
        return _is_currency(before) and not behind
    return _is_currency(behind) or behind.casefold() in _UNITS


def _is_currency(sign: str) -> bool:
    return sign.casefold() in _CURRENCIES or (len(sign) == 1 and unicodedata.category(sign) == "Sc")


def _looks_like_numbers(values: pd.Series) -> bool:
    texts = values[~is_placeholder(values)]
    return bool(len(texts)) and all(any(c.isdigit() for c in str(text)) for text in texts)
