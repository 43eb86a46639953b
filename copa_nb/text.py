"""What results look like in a notebook: small, self-contained, escaped HTML."""

from __future__ import annotations

import html
import numbers
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

_STYLE = (
    "border-collapse:collapse;font-size:90%;margin:.4em 0",
    "padding:.2em .7em;text-align:right;border-bottom:1px solid #8884",
    "padding:.2em .7em;text-align:right;border-bottom:2px solid #888a",
)


def escape(text: object) -> str:
    """Make any label safe to stand in HTML."""
    return html.escape(str(text), quote=True)


def number(value: object, digits: int = 4) -> str:
    """Write a number with a few significant digits, anything else as text."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return str(value)
    if isinstance(value, numbers.Integral):
        return f"{int(value)}"
    return f"{float(value):.{digits}g}"


def percent(share: float) -> str:
    """Write a share as a percentage that says "less than 1 %" rather than "0 %"."""
    if 0 < share < 0.01:
        return "less than 1 %"
    return f"{100 * share:.0f} %"


def label(name: object) -> str:
    """Write a row's label for people: the parts of a compound label with commas between them."""
    return ", ".join(str(part) for part in name) if isinstance(name, tuple) else str(name)


def listing(names: Iterable[object]) -> str:
    """Join names as in a sentence: "a, b and c"."""
    words = [str(name) for name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


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
        What to write instead of a column's label, e.g. ``"accuracy ↑"``.
    most : int
        Rows shown; the count of the rest is stated.

    Returns
    -------
    str
    """
    headers = headers or {}
    table, cell, head = _STYLE
    columns = [escape(headers.get(column, column)) for column in frame.columns]
    index_names = [escape(name) if name is not None else "" for name in frame.index.names]
    rows = [_row("th", head, index_names + columns)]
    for label, values in zip(frame.index[:most], frame.head(most).itertuples(index=False, name=None), strict=True):
        labels = label if isinstance(label, tuple) and frame.index.nlevels > 1 else (label,)
        rows.append(_row("td", cell, [escape(part) for part in labels] + [escape(number(v)) for v in values]))
    if len(frame) > most:
        caption = f"{caption} First {most} of {len(frame):,} rows.".strip()
    foot = f'<caption style="caption-side:bottom;text-align:left;opacity:.75">{escape(caption)}</caption>'
    return f'<table style="{table}">{foot if caption else ""}{"".join(rows)}</table>'


def card(title: str, sentences: Sequence[str], *tables: str) -> str:
    """Wrap a headline, sentences (plain text) and tables (HTML) into one block."""
    text = "".join(f"<p style='margin:.3em 0'>{escape(sentence)}</p>" for sentence in sentences)
    return f"<div style='max-width:60em'><strong>{escape(title)}</strong>{text}{''.join(tables)}</div>"


def _row(tag: str, style: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{style}">{text}</{tag}>' for text in cells) + "</tr>"
