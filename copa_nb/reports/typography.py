"""Where lines of a page may be broken, how its numbers are written and aligned, and how wide its tables are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from copa_nb.text import escape, minus

_SHORTEST_BROKEN, _SHORTEST_CELL = 10, 14  # characters; a shorter heading or label in a cell is not broken at spaces
_LONG_LABEL = 24  # characters; columns with longer ones are not squeezed
# Spaces at which a line must not end, such as that before a unit.
_UNBREAKABLE = re.compile(
    r"(?<=\d) (?=kg\b)|(?<=\d,) (?=[−\d.]+\])|(?<=Figure) (?=\d)|(?<=Table) (?=\d)|(?<=Section) (?=\d)"
    # Around a relation to a number, a bracket or a letter of its own, and around the signs of arithmetic.
    r"|(?<=[\w)\]|}]) (?=[=≤≥<>] (?:[\d.∞−(\[{|#-]|[^\W\d_][₀-₉]?(?!\w)))"
    r"|(?<=[\w)\]|}] [=≤≥<>]) (?=[\d.∞−(\[{|#-]|[^\W\d_][₀-₉]?(?!\w))"
    r"|(?<=[\w)]) (?=[−+±×÷/] (?:[\w.(]{1,6}\b|[#|{(]))|(?<=[\w)] [−+±×÷/]) (?=[\w(#|{])"
)
# A list of numbers that is part of an equation.
_VECTOR = re.compile(r"(?<=[=≤≥<>][ \u00a0])\[[^\]\n]{1,40}\]")


def breakable(text: object, shortest: int = _SHORTEST_CELL) -> str:
    """Escape a label and mark where a long one may be broken: at spaces and after the marks that join names.

    Examples
    --------
    >>> breakable("models/small_<c>")
    'models/<wbr>small_<wbr>&lt;c&gt;'
    >>> breakable("co2_kg")
    'co2_kg'
    """
    # The arrow of a direction stays on the line of its objective.
    whole = _UNBREAKABLE.sub("\u00a0", re.sub(" (?=[↑↓]$)", "\u00a0", minus(str(text))))
    if len(whole) < shortest:
        whole = whole.replace(" ", "\u00a0")
    if len(whole) < _SHORTEST_BROKEN:
        return escape(whole)
    pieces = re.split(r"(?<=[-_/.,=:])(?=[^\s\d])", whole)
    return "<wbr>".join(escape(piece) for piece in pieces)


def kept_together(text: str) -> str:
    r"""Keep numbers with what belongs to them when a line is broken: ``5 kg``, ``p ≤ .05``; and write a minus as one.

    Examples
    --------
    >>> kept_together("5 kg of them, p = 0.05").replace("\u00a0", "~")
    '5~kg of them, p~=~0.05'
    >>> kept_together("-0.5 kg × 2, t-5").replace("\u00a0", "~")
    '−0.5~kg~×~2, t-5'
    >>> kept_together("weights ω = [α, (1 − α)/6, (1 − α)/6] and p = ∞, or α u₁ = (1 − α) u₂").replace("\u00a0", "~")
    'weights ω~=~[α,~(1~−~α)/6,~(1~−~α)/6] and p~=~∞, or α u₁~=~(1~−~α) u₂'
    >>> kept_together("`where = 5` is code")
    '`where = 5` is code'
    """
    pieces = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.DOTALL)
    return "".join(piece if piece.startswith("`") else _unbroken(minus(piece)) for piece in pieces)


def _unbroken(text: str) -> str:
    whole = _VECTOR.sub(lambda found: found.group().replace(" ", "\u00a0"), text)
    return _UNBREAKABLE.sub("\u00a0", whole)


def in_prose(said: Any) -> Any:
    r"""Keep numbers together in all texts of a payload, and leave out the marks of code, which prose does not have.

    Examples
    --------
    >>> in_prose({"lines": ["5 kg with `reference`"], "level": 0.05})
    {'lines': ['5\xa0kg with reference'], 'level': 0.05}
    """
    if isinstance(said, str):
        return kept_together(said.replace("`", ""))
    if isinstance(said, Mapping):
        return {name: in_prose(value) for name, value in said.items()}
    return [in_prose(one) for one in said] if isinstance(said, list) else said


def width_class(n_columns: int) -> str:
    """Return the CSS class that sets how a table with this many columns is printed."""
    bounds = ((7, ""), (10, "wide"), (13, "wider"))
    return next((name for most, name in bounds if n_columns <= most), "widest")


def table_layout(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of a table with their line breaks, and which columns hold long labels."""
    columns, rows = table["columns"], table["rows"]
    width = width_class(len(columns))
    long = [any(len(row[position]) > _LONG_LABEL for row in rows) for position in range(len(columns))]
    places = [max((_decimals(row[c]) for row in rows), default=0) for c in range(len(columns))]
    aligned = [
        [breakable(text) + (_padding(text, places[c]) if table["numeric"][c] else "") for c, text in enumerate(row)]
        for row in rows
    ]
    return {
        "columns": [breakable(title, _SHORTEST_BROKEN) for title in columns],
        "rows": aligned,
        "long": long,
        # Paper does not show what is folded, so it needs no page turned on its side.
        "width": "wider" if width == "widest" and table.get("folded") else width,
    }


def _decimals(text: str) -> int:
    """Return how many characters a number has from its decimal point on."""
    found = re.fullmatch(r"(?:[-−]|< )?[\d,]+(\.\d+)?", text)
    return len(found[1] or "") if found else 0


def _padding(text: str, places: int) -> str:
    """Return unseen digits that bring the decimal points of a column below one another."""
    lacking = places - _decimals(text)
    unseen = ("." + "0" * places)[-lacking:] if _decimals(text) else "." + "0" * (places - 1)
    return f'<span class="pad" aria-hidden="true">{unseen}</span>' if lacking else ""


def widest_row(html: str) -> int:
    """Return the number of cells of the longest row of a table."""
    return max((len(re.findall(r"<t[dh]\b", row)) for row in re.split(r"<tr\b", html)), default=0)
