"""Numbers as people write them: "64.7%", "$1,299.00", "1 234,5 ms". Understood on request, never by guess."""

from __future__ import annotations

__all__ = ["parse_numbers"]

import re
from collections.abc import Hashable, Sequence

import pandas as pd

from copa_nb import checks
from copa_nb.tables.frames import any_frame

_SHOWN = 3
_SPACES = " \u00a0\u2009\u202f"
# What stands before or behind a number; signs that change what it says ("<5", "~3") are not part of a unit.
_UNIT = r"[^\d\s.,'’_+\-−<>~=≤≥≈±()\[\]*#?!]*"
_VALUE = re.compile(
    rf"(?P<sign>[+−-]?)\s*(?P<before>{_UNIT})\s*(?P<digits>[.,]?\d(?:[\d.,]|['’_{_SPACES}](?=\d))*)"
    rf"(?P<exponent>[eE][+-]?\d+)?\s*(?P<after>{_UNIT})"
)
_ALWAYS_GROUPS = re.compile(rf"['’_{_SPACES}]")


@any_frame
def parse_numbers(
    frame: pd.DataFrame, columns: Hashable | Sequence[Hashable], *, decimal: str | None = None
) -> pd.DataFrame:
    """Turn columns of text such as "64.7%", "$1,299" or "1.234,5 ms" into numbers.

    One sign of a unit is dropped, which has to be the same in every value of a column but 0: "64.7%" becomes 64.7.
    The decimal mark, a comma or a point, is detected from the column: it is the last of the two, or the one that
    occurs once and is not followed by three digits. If the values do not determine it, as in "1,234", `decimal` must
    be given.

    Parameters
    ----------
    frame : DataFrame
        A table; it is not changed.
    columns : label or list of labels
        Columns to parse. Those of numbers stay as they are, empty cells stay missing.
    decimal : {".", ","}, optional
        The decimal mark; the other one then separates thousands.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        Naming the values that are not numbers, with their rows (from 1), and what to do.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> table = pd.DataFrame({"accuracy": ["64.7%", "9%"], "price": ["1.299,50 €", "80 €"]})
    >>> copa_nb.parse_numbers(table, ["accuracy", "price"])
       accuracy   price
    0      64.7  1299.5
    1       9.0    80.0
    """
    return parse_columns(checks.frame(frame), columns, decimal=decimal, argument="columns")


def parse_columns(
    frame: pd.DataFrame, columns: Hashable | Sequence[Hashable], *, decimal: str | None, argument: str
) -> pd.DataFrame:
    """Do the work of :func:`parse_numbers`; errors name the columns as those of `argument`."""
    if decimal is not None:
        checks.one_of("decimal", decimal, (".", ","))
    names = list(columns) if isinstance(columns, list | pd.Index) else [columns]
    parsed = frame.copy(deep=False)
    for name in names:
        parsed[name] = _parsed(
            checks.column(frame, name, argument), decimal, f"{checks.called(argument)} names {name!r}"
        )
    return parsed


def _parsed(values: pd.Series, decimal: str | None, where: str) -> pd.Series:
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(f"{where}, whose values are true or false, not numbers.")
    if pd.api.types.is_complex_dtype(values):
        raise ValueError(f"{where}, whose values are complex numbers, which have no order.")
    if pd.api.types.is_numeric_dtype(values):
        return values
    found_codes, found_texts = pd.factorize(values.map(str, na_action="ignore"))
    codes, distinct = found_codes.tolist(), [str(text) for text in found_texts]
    matches = [_VALUE.fullmatch(text.strip()) for text in distinct]
    wrong = [code for code, match in enumerate(matches) if match is None]
    if wrong:
        raise ValueError(f"{where}, which contains values that are not numbers: {_shown(wrong, codes, distinct)}.")
    found = [match for match in matches if match is not None]
    digits = [_ALWAYS_GROUPS.sub("", match["digits"]) for match in found]
    mark = decimal or _decimal_mark(digits, codes, distinct, where)
    number = re.compile(rf"(?:\d+|\d{{1,3}}(?:{re.escape('.' if mark == ',' else ',')}\d{{3}})+)?(?:\{mark}\d*)?")
    wrong = [code for code, text in enumerate(digits) if not number.fullmatch(text)]
    if wrong:
        raise ValueError(
            f"{where}, whose decimal mark is {mark!r}, but which contains {_shown(wrong, codes, distinct)}; set "
            f"{checks.called('decimal')} if the mark is another."
        )
    plain = [text.replace("." if mark == "," else ",", "").replace(mark, ".") for text in digits]
    numbers = [
        float(f"{'-' if match['sign'] in ('-', '−') else ''}{text}{match['exponent'] or ''}")
        for match, text in zip(found, plain, strict=True)
    ]
    units = [(match["before"], match["after"]) for match in found]
    _refuse_several_units(units, numbers, codes, distinct, where)
    return pd.Series(pd.Series(numbers, dtype=float).reindex(codes).to_numpy(), index=values.index, name=values.name)


def _decimal_mark(digits: Sequence[str], codes: Sequence[int], distinct: Sequence[str], where: str) -> str:
    """Return the mark that the values of a column show to be the decimal one, or refuse to guess."""
    shown: dict[str, int] = {}
    open_to_both = None
    for code, text in enumerate(digits):
        marks = [character for character in text if character in ".,"]
        if len(set(marks)) == 2:
            mark = marks[-1]
        elif len(marks) > 1:
            mark = "." if marks[0] == "," else ","
        elif marks and not re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", text):
            mark = marks[0]
        else:
            open_to_both = code if marks and open_to_both is None else open_to_both
            continue
        shown.setdefault(mark, code)
    if len(shown) == 2:
        raise ValueError(
            f"{where}, which mixes decimal marks: {_shown(list(shown.values()), codes, distinct)}; use one of them."
        )
    if not shown and open_to_both is not None:
        raise ValueError(
            f"{where}, in which {_shown([open_to_both], codes, distinct)} may be a whole number or a fraction; set "
            f'{checks.called("decimal")} to "." or ",".'
        )
    return next(iter(shown), ".")


def _refuse_several_units(
    units: Sequence[tuple[str, str]],
    numbers: Sequence[float],
    codes: Sequence[int],
    distinct: Sequence[str],
    where: str,
) -> None:
    firsts: dict[tuple[str, str], int] = {}
    for code, unit in enumerate(units):
        if numbers[code] or unit != ("", ""):
            firsts.setdefault(unit, code)
    if len(firsts) > 1:
        raise ValueError(
            f"{where}, which mixes units: {_shown(list(firsts.values()), codes, distinct)}; convert them to one unit."
        )


def _shown(wrong: Sequence[int], codes: Sequence[int], distinct: Sequence[str]) -> str:
    """Quote a few values, each with its first row."""
    rows = {code: row for row, code in reversed(list(enumerate(codes, start=1)))}
    shown = ", ".join(f"{distinct[code]!r} in row {rows[code]}" for code in wrong[:_SHOWN])
    return shown + (f", … ({len(wrong):,} different ones)" if len(wrong) > _SHOWN else "")
