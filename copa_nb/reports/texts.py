"""Tables as text for other programs: CSV that a spreadsheet cannot mistake, LaTeX in booktabs style."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from copa_nb.text import number

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = (int, float, np.integer, np.floating)
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "α": r"$\alpha$", "β": r"$\beta$",
    "Δ": r"$\Delta$", "ω": r"$\omega$", "û": r"$\hat{u}$", "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$",
    "≠": r"$\neq$", "±": r"$\pm$", "×": r"$\times$", "−": r"$-$", "–": "--", "—": "---", "…": r"\ldots{}",
    "₂": r"$_2$", "²": r"$^2$", "→": r"$\rightarrow$", "≈": r"$\approx$", "ε": r"$\varepsilon$",
    "\u00a0": "~", "\u202f": r"\,", "≻": r"$\succ$", "≺": r"$\prec$", "∥": r"$\parallel$",
}  # fmt: skip


def as_frame(table: object, argument: str) -> pd.DataFrame:
    """Return a frame, series or result with ``to_frame()`` as a frame; refuse anything else."""
    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "to_frame"):
        return table.to_frame()
    if isinstance(table, dict):
        return pd.DataFrame(table)
    raise TypeError(
        f"`{argument}` must be a pandas DataFrame or Series, or a result with .to_frame(), not {type(table).__name__}."
    )


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn the index into columns, unless it only counts the rows."""
    counts_rows = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if counts_rows:
        return frame
    labels = frame.index.to_frame(index=False)
    labels.columns = pd.Index(["" if name is None else str(name) for name in frame.index.names], dtype=object)
    rest = frame.reset_index(drop=True)
    rest.columns = pd.Index([_heading(column) for column in frame.columns], dtype=object)
    return pd.concat([labels, rest], axis="columns")


def csv_text(frame: pd.DataFrame) -> str:
    """Write a frame as CSV whose text cells no spreadsheet takes for a formula.

    Text that starts with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an apostrophe in
    front; numbers are written in full precision and are left alone.

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
    if decimals is not None and isinstance(value, float | np.floating):
        return f"{value:.{decimals}f}"
    return number(value, digits)


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
        0.5 \\
        \bottomrule
      \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    flat = with_index(frame)
    columns = [flat.iloc[:, position] for position in range(flat.shape[1])]
    alignment = "".join("r" if is_numeric(values) else "l" for values in columns)
    heading = " & ".join(latex_escape(_heading(column)) for column in flat.columns)
    rows = [
        " & ".join(latex_escape(cell_text(value, digits, decimals)) for value in values)
        for values in flat.itertuples(index=False, name=None)
    ]
    body = "\n".join(f"    {row} \\\\" for row in rows)
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}[tb]\n  \\centering\n"
        f"  \\caption{{{latex_escape(caption)}}}\n  \\label{{{label}}}\n"
        f"  \\begin{{tabular}}{{{alignment}}}\n    \\toprule\n    {heading} \\\\\n    \\midrule\n"
        f"{body}{chr(10) if body else ''}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
    )


def latex_escape(text: object) -> str:
    """Escape what LaTeX would read as a command, and name the symbols that its fonts lack."""
    return re.sub(r"\s+", " ", "".join(_LATEX.get(character, character) for character in str(text)))


def _guard(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def _heading(column: object) -> str:
    return ", ".join(str(part) for part in column) if isinstance(column, tuple) else str(column)
