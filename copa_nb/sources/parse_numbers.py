"""Numbers as people write them: "64.7%", "$1,299.00", "1 234,5 ms". Understood on request, never by guess."""

from __future__ import annotations

__all__ = ["parse_numbers"]

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

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
    occurs once and is not followed by three digits. If its values do not determine it, as in "1,234", the other
    columns to parse do, or else `decimal` must be given.

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
    found = {name: checks.column(frame, name, argument) for name in names}
    wheres = {name: f"{checks.called(argument)} names {name!r}" for name in found}
    texts = {name: Texts.of(values, wheres[name]) for name, values in found.items() if not _is_number(values)}
    for name in texts:
        _refuse_other_types(found[name], wheres[name])
    elsewhere = {mark for one in texts.values() if not one.wrong for mark in one.marks_shown}
    parsed = frame.copy(deep=False)
    for name, one in texts.items():
        parsed[name] = one.numbers(decimal, elsewhere)
    return parsed


def _is_number(values: pd.Series) -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(values) and not types.is_bool_dtype(values) and not types.is_complex_dtype(values)


def _refuse_other_types(values: pd.Series, where: str) -> None:
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(f"{where}, whose values are true or false, not numbers.")
    if pd.api.types.is_complex_dtype(values):
        raise ValueError(f"{where}, whose values are complex numbers, which have no order.")


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of text whose values may be numbers.

    Parameters
    ----------
    values : Series
        The column.
    codes : list of int
        Which of the distinct values each row has; -1 for a missing one.
    distinct : list of str
        The distinct values.
    matches : list of re.Match or None
        What each of them is made of; None for one that is no number.
    where : str
        The beginning of the sentence of an error.
    """

    values: pd.Series
    codes: Sequence[int]
    distinct: Sequence[str]
    matches: Sequence[re.Match[str] | None]
    where: str

    @classmethod
    def of(cls, values: pd.Series, where: str = "") -> Texts:
        """Take a column apart."""
        codes, texts = pd.factorize(values.map(str, na_action="ignore"))
        distinct = [str(text) for text in texts]
        return cls(values, codes.tolist(), distinct, [_VALUE.fullmatch(text.strip()) for text in distinct], where)

    @property
    def wrong(self) -> list[int]:
        """The distinct values that are no numbers."""
        return [code for code, match in enumerate(self.matches) if match is None]

    @property
    def digits(self) -> list[str]:
        """The digits of all values with their marks, without what always separates thousands."""
        return [_ALWAYS_GROUPS.sub("", match["digits"]) for match in self.matches if match is not None]

    @property
    def units(self) -> set[tuple[str, str]]:
        """What stands before and behind the numbers, but for that of plain zeros."""
        found = [match for match in self.matches if match is not None]
        return {(match["before"], match["after"]) for match in found if match["digits"].strip("0.,") or match["after"]}

    @property
    def marks_shown(self) -> dict[str, int]:
        """The marks that can only be decimal ones, each with the first value that shows it."""
        return _marks_shown(self.digits)[0]

    @property
    def first(self) -> str:
        """The first value."""
        return self.distinct[0]

    def numbers(self, decimal: str | None, elsewhere: Collection[str] = ()) -> pd.Series:
        """Return the numbers, or an error that says which values prevent it.

        Parameters
        ----------
        decimal : {".", ","}, optional
            The decimal mark.
        elsewhere : collection of {".", ","}
            What other columns of the same table show to be decimal marks, which settles open cases if it is one.
        """
        if self.wrong:
            raise ValueError(f"{self.where}, which contains values that are not numbers: {self._shown(self.wrong)}.")
        digits = self.digits
        mark = decimal or self._decimal_mark(digits, elsewhere)
        number = re.compile(rf"(?:\d+|\d{{1,3}}(?:{re.escape('.' if mark == ',' else ',')}\d{{3}})+)?(?:\{mark}\d*)?")
        wrong = [code for code, text in enumerate(digits) if not number.fullmatch(text)]
        if wrong:
            raise ValueError(
                f"{self.where}, whose decimal mark is {mark!r}, but which contains {self._shown(wrong)}; set "
                f"{checks.called('decimal')} if the mark is another."
            )
        plain = [text.replace("." if mark == "," else ",", "").replace(mark, ".") for text in digits]
        found = [match for match in self.matches if match is not None]
        numbers = [
            float(f"{'-' if match['sign'] in ('-', '−') else ''}{text}{match['exponent'] or ''}")
            for match, text in zip(found, plain, strict=True)
        ]
        self._refuse_several_units([(match["before"], match["after"]) for match in found], numbers)
        read = pd.Series(numbers, dtype=float).reindex(list(self.codes)).to_numpy()
        return pd.Series(read, index=self.values.index, name=self.values.name)

    def _decimal_mark(self, digits: Sequence[str], elsewhere: Collection[str]) -> str:
        """Return the mark that the values of a column show to be the decimal one, or refuse to guess."""
        shown, open_to_both = _marks_shown(digits)
        if len(shown) == 2:
            raise ValueError(
                f"{self.where}, which mixes decimal marks: {self._shown(list(shown.values()))}; use one of them."
            )
        if not shown and open_to_both is not None:
            if len(elsewhere) == 1:
                return next(iter(elsewhere))
            raise ValueError(
                f"{self.where}, in which {self._shown([open_to_both])} may be a whole number or a fraction; set "
                f'{checks.called("decimal")} to "." or ",".'
            )
        return next(iter(shown), ".")

    def _refuse_several_units(self, units: Sequence[tuple[str, str]], numbers: Sequence[float]) -> None:
        firsts: dict[tuple[str, str], int] = {}
        for code, unit in enumerate(units):
            if numbers[code] or unit != ("", ""):
                firsts.setdefault(unit, code)
        if len(firsts) > 1:
            raise ValueError(
                f"{self.where}, which mixes units: {self._shown(list(firsts.values()))}; convert them to one unit."
            )

    def _shown(self, wrong: Sequence[int]) -> str:
        """Quote a few values, each with its first row."""
        rows = {code: row for row, code in reversed(list(enumerate(self.codes, start=1)))}
        shown = ", ".join(f"{self.distinct[code]!r} in row {rows[code]}" for code in wrong[:_SHOWN])
        return shown + (f", … ({len(wrong):,} different ones)" if len(wrong) > _SHOWN else "")


def _marks_shown(digits: Sequence[str]) -> tuple[dict[str, int], int | None]:
    """Find marks that can only be decimal ones, and the first value whose mark may also separate thousands."""
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
    return shown, open_to_both
