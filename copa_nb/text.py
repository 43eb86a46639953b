"""Numbers, labels and tables as text: HTML, LaTeX and CSV, each escaped here and nowhere else.

HTML is small and self-contained; CSV cannot be mistaken for formulas by a spreadsheet; LaTeX is in booktabs style.
"""

from __future__ import annotations

import html
import math
import numbers
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

_STYLE = (
    "border-collapse:collapse;font-size:90%;margin:.4em 0",
    "padding:.2em .7em;text-align:{};border-bottom:1px solid #8884",
    "padding:.2em .7em;text-align:{};border-bottom:2px solid #888a",
)
# The start of a word in a cell; neither 1e-05 nor inf is one. Columns of words are aligned to the left.
_WORDS = re.compile(r"(?<![\w.])(?!(inf|nan)\b)[^\W\d_]")
# Names of columns whose whole numbers count nothing, and numbers that are read as years.
_IDENTIFIER, _YEARS = re.compile(r"(?:^|[\s_])(?:id|seed)s?$", re.IGNORECASE), range(1900, 2101)
# Names of columns of p-values, as results have them and as pages write them, and the smallest one that is written.
_PVALUES = re.compile(r"p|(?!smallest)\w*p_?value|holm|adjusted|benjamini_\w+|adjusted p|p (?:of|after) .*")
SMALLEST_P = 0.001
# What a spreadsheet takes for a formula, also full-width, also after space, and in a line of its own.
_FORMULA = re.compile(r"\A(?=[\t\n]|\s*[=+\-@＝＋－＠])|(?<=\n)(?=\s*[=@＝＠])")
# Last parts of names that are units, and how they are written.
_UNITS = {
    unit: unit for unit in ("kg", "ms", "s", "h", "min", "kWh", "MB", "GB")
} | {"usd": "$", "eur": "€", "pct": "%", "percent": "%"}  # fmt: skip
_MONEY = ("$", "€")
# Characters: of a line of a LaTeX page, and, in a wider table, of a heading's line and of a column of sentences.
_LATEX_LINE, _LATEX_HEAD, _LATEX_COLUMN = 95, 10, 36
# A hyphen that stands for a minus: before a number of its own, or in an exponent.
_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)|(?<=\de)-(?=\d\d)")
# Shares of fewer things are written as counts.
FEWEST_FOR_PERCENT = 20
_NUMBERS = (int, float, np.integer, np.floating)
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "û": r"$\hat{u}$", "∞": r"$\infty$",
    "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "±": r"$\pm$", "×": r"$\times$", "÷": r"$\div$", "−": r"$-$",
    "–": "--", "—": "---", "…": r"\ldots{}", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "≈": r"$\approx$",
    "ε": r"$\varepsilon$", "√": r"$\surd$", "\u00a0": "~", "\u202f": r"\,", "≻": r"$\succ$", "≺": r"$\prec$",
    "∥": r"$\parallel$", "⁻": "$^-$", "●": r"$\bullet$", "◆": r"$\diamond$", "★": r"$\star$", "▲": r"$\bigtriangleup$",
    "▼": r"$\bigtriangledown$",
}  # fmt: skip
_LATEX |= {digit: f"$_{value}$" for value, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_LATEX |= {digit: f"$^{value}$" for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_GREEK = (
    "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon varphi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_LATEX |= {
    letter: f"$\\{name}$" for letter, name in zip("αβγδζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", _GREEK.split(), strict=True)
}


def escape(text: object) -> str:
    """Make any label safe to stand in HTML, also where MathJax reads along.

    JupyterLab typesets whatever is between two dollar signs, but not across the borders of elements.

    Examples
    --------
    >>> escape("<cost> ($)")
    '&lt;cost&gt; (<span>$</span>)'
    """
    return re.sub(r"[$\\]", r"<span>\g<0></span>", attribute(text))


def attribute(text: object) -> str:
    """Make any label safe to stand in an attribute of an HTML element."""
    return html.escape(str(text), quote=True)


def number(value: object, digits: int = 4) -> str:
    """Write a number with a few significant digits, anything else as text.

    Examples
    --------
    >>> number(0.12345), number(12345.6), number(3)
    ('0.1235', '12,346', '3')
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return str(value)
    if isinstance(value, numbers.Integral):
        return f"{int(value)}"
    # Whole and with commas where the digits would not reach the decimal point.
    return f"{float(value):{',.0f' if 10**digits - 0.5 <= abs(float(value)) < 1e9 else f'.{digits}g'}}"


def minus(text: str) -> str:
    """Write hyphens before numbers as the longer minus, for people to read; files keep what programs read.

    Examples
    --------
    >>> minus("-0.5 to 3e-05, gpt-4 of 2025-01"), minus("[-1, -.5]")
    ('−0.5 to 3e−05, gpt-4 of 2025-01', '[−1, −.5]')
    """
    return _HYPHEN.sub("−", text)


def told_apart(*values: float) -> list[str]:
    """Write the numbers of a sentence: three significant digits, or more where different values would look equal.

    Examples
    --------
    >>> told_apart(0.63824, 0.57213), told_apart(0.63824, 0.63811)
    (['0.638', '0.572'], ['0.6382', '0.6381'])
    """
    digits = digits_apart(*values)
    return [number(value, digits) for value in values]


def digits_apart(*values: float) -> int:
    """Return how many significant digits tell the numbers of a sentence apart: three, or up to six.

    Examples
    --------
    >>> digits_apart(0.63824, 0.57213), digits_apart(0.63824, 0.63811)
    (3, 4)
    """
    distinct = {digits: len({number(value, digits) for value in values}) for digits in range(3, 7)}
    return next(digits for digits, count in distinct.items() if count == distinct[6])


def percent(share: float, *, first: bool = False) -> str:
    """Write a share as a percentage: "less than 1%" and "more than 99%" where rounding would give 0% or 100%.

    Parameters
    ----------
    share : float
        From 0 to 1.
    first : bool
        Whether a sentence begins with it.

    Examples
    --------
    >>> percent(0.44), percent(0.001), percent(0.999, first=True)
    ('44%', 'less than 1%', 'More than 99%')
    """
    if 0 < share < 0.01:
        return "Less than 1%" if first else "less than 1%"
    if 0.995 <= share < 1:
        return "More than 99%" if first else "more than 99%"
    return f"{100 * share:.0f}%"


def ordinal(number: int) -> str:
    """Write a rank: "1st", "2nd", "11th".

    Examples
    --------
    >>> ordinal(2), ordinal(11), ordinal(1043)
    ('2nd', '11th', '1,043rd')
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def amount(share: float, total: int) -> str:
    """Write a share of a number of things: as a count where these are fewer than 20, as a percentage otherwise.

    Examples
    --------
    >>> amount(0.7, 10), amount(1.0, 10), amount(0.44, 500)
    ('7 of 10', 'all 10', '44% of 500')
    """
    if total >= FEWEST_FOR_PERCENT:
        return f"{percent(share)} of {total:,}"
    count = round(share * total)
    return f"all {total}" if count == total > 1 else f"{count} of {total}"


def portion(share: float, total: int) -> str:
    """Write a share of things whose number the sentence states: as a count if fewer than 20, otherwise in percent.

    Examples
    --------
    >>> portion(0.7, 10), portion(0.44, 500)
    ('7', '44%')
    """
    return percent(share) if total >= FEWEST_FOR_PERCENT else f"{round(share * total)}"


def duration(seconds: float) -> str:
    """Write a forecast of seconds in the largest unit of which it is at least two.

    Examples
    --------
    >>> duration(90.0), duration(7200.0), duration(1e6)
    ('90 seconds', '2 hours', '12 days')
    """
    for size, unit in ((86400.0 * 365, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} seconds"


def pvalue(value: float) -> str:
    """Write a p-value; what was estimated from a sample is never 0.

    Examples
    --------
    >>> pvalue(0.01234), pvalue(1e-9)
    ('p = 0.0123', 'p < 0.001')
    """
    return f"p < {SMALLEST_P}" if value < SMALLEST_P else f"p = {number(value, 3)}"


def are_pvalues(name: object) -> bool:
    """Tell whether a column has p-values, by its name or by what people call it.

    Examples
    --------
    >>> are_pvalues("runs_pvalue"), are_pvalues("p after Holm"), are_pvalues("smallest_pvalue"), are_pvalues("price")
    (True, True, False, False)
    """
    return _PVALUES.fullmatch(str(name)) is not None


def label(name: object) -> str:
    """Write a row's label for people: the parts of a compound label with commas between them."""
    return ", ".join(str(part) for part in name) if isinstance(name, tuple) else str(name)


def row_name(name: object, index_name: object = None, *, first: bool = False) -> str:
    """Name a row in a sentence: a number by what it numbers, so that none is read as a count.

    Parameters
    ----------
    name : label
        Of the row.
    index_name : label, optional
        Of the index, such as "trial".
    first : bool
        Whether the sentence begins with it.

    Examples
    --------
    >>> row_name(45, "trial"), row_name(45, first=True), row_name("phi-3"), row_name(("phi", 3))
    ('trial 45', 'Row 45', 'phi-3', 'phi, 3')
    """
    if not isinstance(name, numbers.Integral) or isinstance(name, bool):
        return label(name)
    named = f"{'row' if index_name is None else index_name} {name}"
    return named[:1].upper() + named[1:] if first else named


def listing(names: Iterable[object], conjunction: str = "and") -> str:
    """Join names as in a sentence: "a, b and c"."""
    words = [str(name) for name in names]
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def html_table(
    frame: pd.DataFrame, *, caption: str = "", headers: Mapping[object, str] | None = None, most: int = 12
) -> str:
    """Draw a frame as an HTML table without scripts, classes or ids that could clash.

    Parameters
    ----------
    frame : DataFrame
        What to show; labels and values are escaped.
    caption : str
        Plain text under the table.
    headers : mapping of column to str, optional
        What to write instead of a column's label, e.g. ``"accuracy ↑"``; other labels are written as people say them.
    most : int
        Rows shown; the count of the rest is stated.

    Returns
    -------
    str
    """
    headers = headers or {}
    table, cell, head = _STYLE
    frame = spoken_index(frame)
    named = zip(frame.columns, spoken_columns(frame), strict=True)
    columns = [escape(headers.get(column, title)) for column, title in named]
    index_names = [escape(spoken(name)) if name is not None else "" for name in frame.index.names]
    # In a column of names nothing is missing that was measured: there is no such row.
    is_name = [not pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    is_p = list(map(are_pvalues, frame.columns))
    cells = []
    for label, values in zip(frame.index[:most], frame.head(most).itertuples(index=False, name=None), strict=True):
        labels = label if isinstance(label, tuple) and frame.index.nlevels > 1 else (label,)
        cells.append([*labels, *map(_cell, values, is_name, is_p)])
    sides = _sides(cells) or ["right"] * len(index_names + columns)
    rows = [_row("th", head, index_names + columns, sides)]
    rows += [_row("td", cell, [escape(part) for part in line], sides) for line in cells]
    if len(frame) > most:
        caption = f"{caption} First {most} of {len(frame):,} rows.".strip()
    foot = f'<caption style="caption-side:bottom;text-align:left;opacity:.75">{escape(caption)}</caption>'
    return f'<table style="{table}">{foot if caption else ""}{"".join(rows)}</table>'


def card(title: str, sentences: Sequence[str], *tables: str) -> str:
    """Wrap a headline, sentences (plain text) and tables (HTML) into one block."""
    text = "".join(f"<p style='margin:.3em 0'>{escape(sentence)}</p>" for sentence in sentences)
    return f"<div style='max-width:60em'><strong>{escape(title)}</strong>{text}{''.join(tables)}</div>"


def _cell(value: object, is_name: bool, is_p: bool) -> str:
    if is_name and (value is None or value is pd.NA or value != value):
        return "–"
    if is_p and _is_tiny(value):
        return f"< {SMALLEST_P}"
    return value if isinstance(value, str) else minus(number(value))


def _sides(rows: Sequence[Sequence[object]]) -> list[str]:
    """Align columns of words to the left and columns of numbers to the right."""
    columns = zip(*rows, strict=True)
    return ["left" if any(_WORDS.search(str(cell)) for cell in column) else "right" for column in columns]


def _row(tag: str, style: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    written = (f'<{tag} style="{style.format(side)}">{cell}</{tag}>' for cell, side in zip(cells, sides, strict=True))
    return f"<tr>{''.join(written)}</tr>"


def as_frame(table: object, argument: str) -> pd.DataFrame:
    """Return a frame, a series, or the table of a result as a frame; refuse anything else."""
    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, pd.Series):
        return table.to_frame()
    if isinstance(table, dict):
        return pd.DataFrame(table)
    of_result = getattr(table, "table", None)
    if isinstance(of_result, pd.DataFrame):
        return of_result
    raise TypeError(
        f"`{argument}` must be a pandas DataFrame or Series, or a result with a .table, not {type(table).__name__}."
    )


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn the index into columns, unless it only counts the rows."""
    counts_rows = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if counts_rows:
        return frame
    # Levels may have the same name.
    levels = range(frame.index.nlevels)
    labels = pd.DataFrame({level: frame.index.get_level_values(level) for level in levels})
    labels.columns = pd.Index(["" if name is None else str(name) for name in frame.index.names], dtype=object)
    rest = frame.reset_index(drop=True)
    rest.columns = pd.Index([_heading(column) for column in frame.columns], dtype=object)
    return pd.concat([labels, rest], axis="columns")


def csv_text(frame: pd.DataFrame) -> str:
    """Write a frame as CSV whose text cells no spreadsheet takes for a formula.

    Text that starts with ``=``, ``+``, ``-`` or ``@`` (full-width ones too, and after spaces), a tab or the end of a
    line gets an apostrophe in front, as do further lines with ``=`` or ``@``; numbers are written in full precision
    and are left alone.

    Examples
    --------
    >>> print(csv_text(pd.DataFrame({"model": ["=1+1", "plain"], "loss": [-0.5, 0.1]})))
    model,loss
    '=1+1,-0.5
    plain,0.1
    <BLANKLINE>
    """
    flat = with_index(frame)
    guarded = {position: [_guard(value) for value in flat.iloc[:, position]] for position in range(flat.shape[1])}
    safe = pd.DataFrame(guarded, dtype=object)
    return safe.to_csv(
        index=False, header=[str(_guard(_heading(column))) for column in flat.columns], lineterminator="\n"
    )


def cell_text(value: object, digits: int = 4, decimals: int | None = None) -> str:
    """Write one value as a reader sees it: few digits or fixed decimals, a dash for what is missing.

    Examples
    --------
    >>> cell_text(0.617), cell_text(0.617, decimals=4), cell_text(27, decimals=4)
    ('0.617', '0.6170', '27')
    """
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if decimals is not None and isinstance(value, float | np.floating):
        return f"{value:.{decimals}f}"
    return number(value, digits)


def column_texts(values: Iterable[object], digits: int = 3, decimals: int | None = None) -> list[str]:
    """Write a column: at most this many significant digits, and the same number of decimals wherever that keeps them.

    Numbers of very different size keep their digits instead, and the page aligns them at the decimal point. Whole
    numbers are grouped by thousands, as in sentences, unless they are years or the name of the Series says that they
    are identifiers. Of small p-values it says that they are below 0.001: what is estimated from a sample is never 0.

    Examples
    --------
    >>> column_texts([0.98, 0.5123, 0.0734])
    ['0.980', '0.512', '0.073']
    >>> column_texts([12.96, 2.5, None]), column_texts([33.05, 0.46953]), column_texts([1234.5, 7.0])
    (['13.0', '2.5', '–'], ['33.0', '0.470'], ['1,234', '7'])
    >>> column_texts([1.0, 0.98765, 0.0])
    ['1.000', '0.988', '0.000']
    >>> column_texts([2148, 73700]), column_texts([1999, 2026]), column_texts(pd.Series([40981], name="task_id"))
    (['2,148', '73,700'], ['1999', '2026'], ['40981'])
    >>> column_texts(pd.Series([1e-9, 0.0123], name="pvalue"))
    ['< 0.001', '0.0123']
    """
    column = list(values)
    if are_pvalues(getattr(values, "name", "")) and any(map(_is_tiny, column)):
        rest = iter(column_texts([value for value in column if not _is_tiny(value)], digits, decimals))
        return [f"< {SMALLEST_P}" if _is_tiny(value) else next(rest) for value in column]
    whole = [int(value) for value in column if isinstance(value, numbers.Integral)]
    grouped = not _IDENTIFIER.search(str(getattr(values, "name", ""))) and not all(n in _YEARS for n in whole)
    signed = [float(v) for v in column if isinstance(v, float | np.floating) and np.isfinite(v)]
    floats = [abs(v) for v in signed if v]
    if decimals is None and floats:
        # A share of 1 has the decimals of the other shares.
        largest = (
            max([v for v in floats if 0.1 <= v < 1], default=1.0)
            if max(floats) == 1 and min(signed) >= 0
            else max(floats)
        )
        shared = max(0, digits - 1 - math.floor(math.log10(largest)))
        # The smallest keeps two digits at least, or as many as it has.
        if all(round(v, shared) == v or v >= 10 ** (1 - shared) for v in floats) and max(floats) < 10_000:
            decimals = shared
    return [_in_column(value, digits, decimals, grouped) for value in column]


def _is_tiny(value: object) -> bool:
    return isinstance(value, float | np.floating) and bool(0 <= value < SMALLEST_P)


def _in_column(value: object, digits: int, decimals: int | None, grouped: bool) -> str:
    if grouped and isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return f"{int(value):,}"
    if not isinstance(value, float | np.floating) or not np.isfinite(value):
        return cell_text(value, digits)
    size = abs(float(value))
    if decimals is None and size >= 1e-5:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return cell_text(value, digits) if decimals is None else f"{value:,.{decimals}f}"


def spoken(name: object) -> str:
    """Write a column's name for reading: with symbols, and units in parentheses.

    Examples
    --------
    >>> spoken("co2_kg"), spoken("time_s"), spoken("CO2 in kg ↓"), spoken(("test", "domain_net"))
    ('CO₂ (kg)', 'time (s)', 'CO₂ in kg ↓', 'test, domain net')
    """
    if isinstance(name, tuple):
        return ", ".join(map(spoken, name))
    text = re.sub(r"(?<![A-Za-z0-9])co2(?![A-Za-z0-9])", "CO₂", str(name), flags=re.IGNORECASE)
    if re.search(r"\s", text) or not re.fullmatch(r"[\w₂]+", text):
        return text
    *words, last = text.split("_")
    if words and last in _UNITS:
        return f"{' '.join(words)} ({_UNITS[last]})"
    return " ".join([*words, last])


def name_and_unit(name: object) -> tuple[str, str]:
    """Split what a column is called into its name and its unit, so that a sentence can write "CO₂: 3.1 kg".

    Examples
    --------
    >>> name_and_unit("co2_kg"), name_and_unit("Accuracy (%)"), name_and_unit("recall (macro)")
    (('CO₂', 'kg'), ('Accuracy', '%'), ('recall (macro)', ''))
    """
    called = spoken(name)
    found = re.fullmatch(r"(.+) \(([^()]+)\)", called)
    return (found[1], found[2]) if found and found[2] in _UNITS.values() else (called, "")


def with_unit(value: float, unit: str, digits: int = 3) -> str:
    """Write a number with its unit.

    Examples
    --------
    >>> with_unit(3.1, "kg"), with_unit(89.0, "%"), with_unit(-0.4, "$"), with_unit(3.8, "points"), with_unit(0.89, "")
    ('3.1 kg', '89%', '-$0.40', '3.8 points', '0.89')
    """
    written = number(float(value), digits)
    if unit in _MONEY:
        amount = written.removeprefix("-")
        cents = "0" if re.fullmatch(r"\d+\.\d", amount) else ""
        return f"{'-' * (written != amount)}{unit}{amount}{cents}"
    return f"{written}{unit}" if unit in ("", "%") else f"{written} {unit}"


def spoken_columns(frame: pd.DataFrame) -> list[str]:
    """Write the names of all columns for reading; of several levels, one after the other."""
    return list(map(spoken, frame.columns))


def spoken_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the names of rows for reading where these are objectives."""
    return frame.rename(index=spoken) if frame.index.name == "objective" else frame


def plural(name: object, otherwise: str) -> str:
    """Write what a column names as a sentence counts it, or the other word where the column's name is not one.

    Examples
    --------
    >>> plural("Dataset", "groups"), plural("category", "groups"), plural("species", "groups")
    ('data sets', 'categories', 'species')
    >>> plural("Model name", "items"), plural("LLM", "items"), plural("id", "items"), plural(None, "items")
    ('models', 'LLMs', 'items', 'items')
    """
    word = re.sub(" (name|id)$", "", spoken(name)) if isinstance(name, str) else ""
    if not re.fullmatch("(?!(name|label|index|key)$)[A-Za-z][A-Za-z -]{2,}", word):
        return otherwise
    word = (word.lower() if word[1:].islower() else word).replace("dataset", "data set")
    word = re.sub("(?<=[^aeiou])y$", "ie", re.sub("(?<=ss|ch|sh)$|(?<=x)$", "e", word))
    return word if re.search("[^s]s$", word) else f"{word}s"


def is_numeric(values: pd.Series) -> bool:
    """Tell whether a column should be set flush right: it holds numbers, even where they are kept as objects.

    Examples
    --------
    >>> is_numeric(pd.Series([0.5, 3, None], dtype=object)), is_numeric(pd.Series([True, False]))
    (True, False)
    """
    if values.dtype == object:
        known = values.dropna()
        return len(known) > 0 and all(isinstance(value, _NUMBERS) and not isinstance(value, bool) for value in known)
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)


def latex_text(frame: pd.DataFrame, *, caption: str, label: str, digits: int = 4, decimals: int | None = None) -> str:
    r"""Write a frame as a LaTeX table in booktabs style, with every label escaped.

    Examples
    --------
    >>> print(latex_text(pd.DataFrame({"CO₂ ↓": [0.5]}), caption="Cost & gain.", label="tab:cost"))
    % needs \usepackage{booktabs}
    \begin{table}[tb]
      \centering
      \caption{Cost \& gain.}
      \label{tab:cost}
      \begin{tabular}{r}
        \toprule
        CO$_2$ $\downarrow$ \\
        \midrule
        0.5000 \\
        \bottomrule
      \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    flat = with_index(frame)
    columns = [flat.iloc[:, position] for position in range(flat.shape[1])]
    sides = ["r" if is_numeric(values) else "l" for values in columns]
    texts = [column_texts(values, digits, decimals) for values in columns]
    widest = [max(map(len, column), default=0) for column in texts]
    headings = [_heading(column) for column in flat.columns]
    wide = sum(2 + max(len(heading), width) for heading, width in zip(headings, widest, strict=True)) > _LATEX_LINE
    heads = [
        _stacked(heading, max(width, _LATEX_HEAD, len(heading) // 4), side) if wide else latex_escape(heading)
        for heading, width, side in zip(headings, widest, sides, strict=True)
    ]
    alignment = "".join(
        rf"p{{{_LATEX_COLUMN // 2}em}}" if wide and side == "l" and width > _LATEX_COLUMN else side
        for side, width in zip(sides, widest, strict=True)
    )
    cells = [
        [latex_escape(minus(text) if side == "r" else text) for text in column]
        for column, side in zip(texts, sides, strict=True)
    ]
    body = "".join(f"    {' & '.join(row)} \\\\\n" for row in zip(*cells, strict=True))
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}[tb]\n  \\centering\n"
        f"  \\caption{{{latex_escape(caption)}}}\n  \\label{{{label}}}\n"
        f"  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n    {' & '.join(heads)} \\\\\n    \\midrule\n"
        f"{body}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
    )


def _stacked(heading: str, width: int, side: str) -> str:
    """Break a heading into lines one above the other."""
    lines = textwrap.wrap(heading, width, break_long_words=False, break_on_hyphens=False)
    stacked = r" \\ ".join(map(latex_escape, lines))
    return rf"\shortstack[{side}]{{{stacked}}}" if len(lines) > 1 else stacked


def latex_escape(text: object) -> str:
    """Escape what LaTeX would read as a command, and name the symbols that its fonts lack."""
    return re.sub(r"\s+", " ", "".join(_LATEX.get(character, character) for character in str(text)))


def _guard(value: object) -> object:
    if not isinstance(value, str):
        return value
    # A bare carriage return is not quoted, but ends the line for those who read it.
    return _FORMULA.sub("'", value.replace("\r\n", "\n").replace("\r", "\n"))


def _heading(column: object) -> str:
    return ", ".join(str(part) for part in column) if isinstance(column, tuple) else str(column)
