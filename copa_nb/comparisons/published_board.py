"""What is published of a board that prints ties: JSON that is read back, Markdown, a badge, and what has changed."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.board_changes import BoardChanges, changes_of
from copa_nb.comparisons.forecast import Forecast
from copa_nb.ranking.criterion import Criterion
from copa_nb.ranking.ranking import Ranking
from copa_nb.results.files import Files
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.note import Note
from copa_nb.results.result import Worded, write_file
from copa_nb.results.sentences import part, say
from copa_nb.tables.objectives import to_minimization

_FORMAT, _VERSION = "copa_nb.board", 1
_SCHEMA = Path(__file__).with_name("board.schema.json")
_JSON_TYPES: dict[str, Any] = {
    "object": Mapping, "array": list, "string": str, "boolean": bool, "integer": int, "number": int | float,
    "null": type(None),
}  # fmt: skip
# Where scores are missing, on how many items a system was measured.
_ITEMS = "items"
# Signs that Markdown would read: those of tables, links, emphasis, code, HTML and mathematics.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|$~#])")
# Widths in pixels at 11 px of a common sans serif; other letters count as the widest.
_WIDTHS = {"ijl.,:;'|!": 3.2, "frt()[]-/ I": 4.4, "mwMW%@": 10.2}
_WIDTH, _LONGEST_BADGE = 7.0, 28


@dataclass(frozen=True, repr=False, eq=False)
class PublishedBoard(Worded):
    """What a board is without what it was computed from: what files hold, and are read back to.

    Parameters
    ----------
    table, choice, alpha, measured, guarantee, ahead, title, date, projection
        See :class:`copa_nb.results.Board`.
    """

    paper = "mogstad2024ranks"

    table: pd.DataFrame
    choice: Ranking
    alpha: float
    measured: str
    guarantee: Guarantee
    ahead: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    title: str = ""
    date: str = ""
    projection: Forecast | None = None

    @property
    def may_be_first(self) -> list[Hashable]:
        """Systems that may rank first.

        With one objective, each system is tested alone against all others (multiple comparisons with the best): one
        that is truly the best is among these with a probability of at least ``1 - alpha``. Of several that are equally
        good this holds for each, not for all at once. The intervals of ranks hold for all systems at once, and so keep
        more. With several objectives: systems whose interval
        includes rank 1.
        """
        return self.table.index[self.table["may_be_first"]].tolist()

    @property
    def n_ordered(self) -> int:
        """Pairs of systems of which one is significantly ahead."""
        return int((self.table["low"] - 1).sum())

    @property
    def n_pairs(self) -> int:
        """Pairs of systems."""
        return len(self.table) * (len(self.table) - 1) // 2

    def _card(self) -> str:
        shown = self.printed
        # An interval is not broken over lines.
        shown = shown.assign(rank=shown["rank"].str.replace("–", "\u2060–\u2060"))
        date = f", {self.date}" if self.date else ""
        table = text.html_table(shown, caption=self._legend(), most=30)
        return text.card(f"{self.title}{date}" if self.title else repr(self)[1:-1], [self.explain()], table)

    # ------------------------------------------------------------------------------------------------------- writing

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the board as JSON; :meth:`schema` describes it, and :meth:`read` reads it.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        written = json.dumps(self._document(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        return write_file(path, written, "board.json")

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the board as Markdown: headline, table and how to read it, for a README or a release note.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        shown = self.printed.reset_index()
        sides = ["---:" if text.is_numeric(shown[name]) else "---" for name in shown.columns]
        cells = [text.column_texts(shown[name]) for name in shown.columns]
        rows = [map(str, shown.columns), sides, *zip(*cells, strict=True)]
        table = "\n".join(
            f"| {' | '.join(row if number == 1 else map(_markdown, row))} |" for number, row in enumerate(rows)
        )
        heading = [f"## {_markdown(self.title)}", ""] if self.title else []
        date = f" {say(part('board.page.state', date=_markdown(self.date)))}" if self.date else ""
        body = [f"**{_markdown(self.headline)}.**{date}", "", table, "", f"{self._legend()}", ""]
        return write_file(path, "\n".join([*heading, *body, _markdown(self.explain()), ""]), "board.md")

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write a badge: who ranks first, or how many systems may.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        left, right = "rank 1", f"{len(self.may_be_first):,} of {len(self.table):,} systems"
        if len(self.may_be_first) == 1:
            name = text.label(self.may_be_first[0])
            right = name if len(name) <= _LONGEST_BADGE else f"{name[: _LONGEST_BADGE - 1]}…"
        share = text.amount(self.n_ordered / max(self.n_pairs, 1), self.n_pairs)
        resolved = say(part("board.page.badge", resolved=share))
        return write_file(path, _badge([left, right, resolved], f"{self.headline}; {resolved}"), "badge.svg")

    def files(self, name: str = "board") -> Files:
        """Return all forms as files: as JSON, as Markdown, as a badge and as a page.

        Parameters
        ----------
        name : str
            Of the files, without ending.

        Returns
        -------
        Files
            Links in a notebook; ``write(folder)`` writes them.
        """
        contents = {
            f"{name}.json": self.to_json(), f"{name}.md": self.to_markdown(), f"{name}.svg": self.to_svg(),
            f"{name}.html": self.to_html(),
        }  # fmt: skip
        return Files(contents, "The board for other programs, a README, a badge, and a page:")

    @staticmethod
    def schema() -> dict[str, Any]:
        """Return the JSON Schema of :meth:`to_json`.

        Examples
        --------
        >>> import copa_nb
        >>> copa_nb.results.Board.schema()["properties"]["version"]
        {'const': 1, 'description': 'Version of this schema.'}
        """
        return dict(_schema())

    # ------------------------------------------------------------------------------------------------------- reading

    @classmethod
    def read(cls, source: str | os.PathLike[str] | Mapping[str, Any]) -> Self:
        """Read a board from a file that :meth:`to_json` wrote, or from its contents; what it was computed from is gone.

        Parameters
        ----------
        source : path or mapping

        Returns
        -------
        Board

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or it is no board of this schema.
        """
        document, name = (source, "the board") if isinstance(source, Mapping) else (_parsed(source), os.fspath(source))
        _check(document, name)
        systems = document["systems"]
        labels = pd.Index([one["system"] for one in systems], name=document["system"], tupleize_cols=False)
        keys = ["rank", "score", "low", "high", "tier", "may_be_first"]
        keys += [_ITEMS] if all(_ITEMS in one for one in systems) else []
        columns = {key: [one[key] for one in systems] for key in keys}
        values = {objective: [one["values"][objective] for one in systems] for objective in document["objectives"]}
        ahead = np.zeros((len(labels), len(labels)), dtype=bool)
        for number, one in enumerate(systems):
            ahead[number, one["ahead_of"]] = True
        means = pd.DataFrame(values, index=labels)
        costs = to_minimization(means, document["objectives"])
        further = document["forecast"]
        return cls(
            table=pd.DataFrame(values | columns, index=labels),
            choice=Ranking.of(costs, Criterion.of(costs.objectives, document["p"], document["weights"])),
            ahead=pd.DataFrame(ahead, index=labels, columns=labels),
            projection=None
            if further is None
            else Forecast(
                pd.DataFrame(further["sizes"]).set_index("times"),
                len(labels) * (len(labels) - 1) // 2, further["n_simulations"], further["more_of"],
            ),
            **{key: document[key] for key in ("alpha", "measured", "title", "date")},
            guarantee=Guarantee.from_dict(document["guarantee"]),
        )  # fmt: skip

    def since(self, earlier: Self | str | os.PathLike[str] | None) -> BoardChanges:
        """Compare with an earlier board: systems that are new or gone, tiers that changed, pairs that were resolved.

        Parameters
        ----------
        earlier : Board or path or None
            The earlier board, or the JSON of it; None if there is none.

        Returns
        -------
        BoardChanges
            Without an earlier board, a sentence in its place.

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or it is no board of this schema, or it has other objectives.
        """
        if earlier is None:
            return cast("BoardChanges", Note(say(part("board.page.nothing_before"))))
        before = earlier if isinstance(earlier, PublishedBoard) else type(self).read(earlier)
        now, then = (
            {str(name): way for name, way in one.choice.objectives.to_dict().items()} for one in (self, before)
        )
        if now != then:
            raise ValueError(
                f"{checks.called('since')} is a board of other objectives ({_ways(then)}) than this one "
                f"({_ways(now)}); compare states of the same board."
            )
        return changes_of(self, before)

    # -------------------------------------------------------------------------------------------------------- helpers

    def _directions(self) -> dict[str, str]:
        return {str(name): way for name, way in self.choice.objectives.to_dict().items()}

    def _legend(self) -> str:
        return say(part("board.page.legend", level=1 - self.alpha))

    @property
    def printed(self) -> pd.DataFrame:
        """The table as it is printed: by tier, with ranks as intervals, and directions of the objectives."""
        ordered = self.table.sort_values("tier", kind="stable")
        ranks = [
            f"{low}" if low == high else f"{low}–{high}"
            for low, high in zip(ordered["low"], ordered["high"], strict=True)
        ]
        arrows = {"max": "↑", "min": "↓"}
        values = {
            f"{text.spoken(name)} {arrows[way]}": ordered[column]
            for (name, way), column in zip(self.choice.objectives.to_dict().items(), self.table.columns, strict=False)
        }
        names = [text.label(name) for name in ordered.index]
        system = text.spoken(self.table.index.name or "system")
        shown = {"tier": ordered["tier"].to_numpy(), system: names, "rank": ranks} | {
            name: column.to_numpy() for name, column in values.items()
        }
        if _ITEMS in ordered:
            shown[_ITEMS] = ordered[_ITEMS].to_numpy()
        return pd.DataFrame(shown).set_index("tier")

    def _document(self) -> dict[str, Any]:
        table, names = self.table, list(self.choice.objectives)
        labels = list(map(text.label, table.index))
        if len(set(labels)) < len(labels):
            twice = next(one for one in labels if labels.count(one) > 1)
            raise ValueError(f"two systems are both called {twice!r} on a board; rename one of them.")
        values = table.iloc[:, : len(names)].to_numpy(dtype=float)
        ahead = self.ahead.to_numpy()
        systems = [
            {
                "system": label,
                **{key: int(table[key].iloc[row]) for key in ("tier", "rank", "low", "high")},
                "score": float(table["score"].iloc[row]),
                "may_be_first": bool(table["may_be_first"].iloc[row]),
                "values": {str(name): float(value) for name, value in zip(names, values[row], strict=True)},
                "ahead_of": np.flatnonzero(ahead[row]).tolist(),
                **({_ITEMS: int(table[_ITEMS].iloc[row])} if _ITEMS in table else {}),
            }
            for row, label in enumerate(labels)
        ]
        more = self.projection
        sizes = [] if more is None else more.table.reset_index().to_dict("records")
        return {
            "format": _FORMAT, "version": _VERSION, "title": self.title, "date": self.date,
            "objectives": self._directions(),
            "weights": {str(name): float(weight) for name, weight in self.choice.weights.items()},
            "p": self.choice.p if math.isfinite(self.choice.p) else "inf",
            "system": str(table.index.name or "system"), "alpha": self.alpha,
            "measured": self.measured, "guarantee": self.guarantee.to_dict(),
            "pairs": {"all": self.n_pairs, "resolved": self.n_ordered},
            "systems": systems,
            "forecast": None if more is None else {
                "more_of": more.what, "n_simulations": more.n_simulations,
                "sizes": [{key: int(value) for key, value in row.items()} for row in sizes],
            },
        }  # fmt: skip


def _markdown(words: object) -> str:
    """Escape what Markdown would read; a label is one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(words).split()))


def _badge(parts: Sequence[str], words: str) -> str:
    """Draw parts of one line next to each other, the first two as a pair: label and answer."""
    sizes = [sum(_width(letter) for letter in part) for part in parts]
    boxes = [round(size + 16) for size in sizes]
    starts = np.concatenate([[0], np.cumsum(boxes)[:-1]])
    shapes = "".join(
        f'<rect x="{x}" width="{w}" height="22" fill="{color}"/>'
        for x, w, color in zip(starts, boxes, ("#444", "#0072B2", "#666"), strict=True)
    )
    letters = "".join(
        f'<text x="{x + w / 2:g}" y="15" textLength="{size:.0f}">{text.attribute(part)}</text>'
        for x, w, size, part in zip(starts, boxes, sizes, parts, strict=True)
    )
    total = sum(boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="22" viewBox="0 0 {total} 22" role="img" '
        f'aria-label="{text.attribute(words)}"><title>{text.attribute(words)}</title>'
        f'<clipPath id="round"><rect width="{total}" height="22" rx="4"/></clipPath>'
        f'<g clip-path="url(#round)">{shapes}</g>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f"{letters}</g></svg>\n"
    )


def _width(letter: str) -> float:
    known = next((width for letters, width in _WIDTHS.items() if letter in letters), _WIDTH)
    return known if letter.isascii() or letter in "…–" else 11.0


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    return found


def _parsed(path: str | os.PathLike[str]) -> Any:
    if not Path(path).is_file():
        raise FileNotFoundError(f"{checks.called('since')} is {os.fspath(path)!r}, but there is no such file.")
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{checks.called('since')} is {os.fspath(path)!r}, which is not JSON ({error}); name the board.json of an "
            "earlier board."
        ) from None


def _check(document: Any, name: str) -> None:
    """Refuse what is no board of this schema: another format, another version, or parts that are missing or wrong."""
    is_board = isinstance(document, Mapping) and document.get("format") == _FORMAT
    if not is_board:
        raise ValueError(f'{name} is not a board: it has no "format": {_FORMAT!r}. Board.to_json writes boards.')
    if document.get("version") != _VERSION:
        raise ValueError(
            f"{name} is a board of schema {document.get('version')!r}, and this version of copa_nb reads schema "
            f"{_VERSION}. Make the board again from its scores, or use the version of copa_nb that wrote it."
        )
    problem = _problem(document, _schema(), "")
    n, systems = len(document.get("systems", ())), document.get("systems", ())
    if not problem and any(not 0 <= place < n for one in systems for place in one["ahead_of"]):
        problem = f'"ahead_of" names a system that is not among the {n:,}'
    if not problem and len({one["system"] for one in systems}) < n:
        problem = '"systems" has two systems of one name'
    if not problem and any(set(one["values"]) != set(document["objectives"]) for one in systems):
        problem = '"values" of a system are not those of "objectives"'
    if problem:
        raise ValueError(f"{name} is a damaged board: {problem}. Make it again from its scores.")


def _problem(value: Any, schema: Mapping[str, Any], place: str) -> str:
    """Return what is wrong with a value, as far as types and needed names go; empty if it fits."""
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds or []
    fits = [
        isinstance(value, _JSON_TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds
    ]
    if kinds and not any(fits):
        return f'"{place}" is {str(value)[:40]!r}, not of type {" or ".join(kinds)}'
    if isinstance(value, Mapping):
        for key in schema.get("required", ()):
            if key not in value:
                return f'"{key}" is missing' + (f" in {place!r}" if place else "")
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        parts = [(key, inner, known.get(key, rest)) for key, inner in value.items()]
    else:
        parts = [(place, inner, schema.get("items")) for inner in (value if isinstance(value, list) else ())]
    found = (_problem(inner, rule, key) for key, inner, rule in parts if isinstance(rule, Mapping))
    return next(filter(None, found), "")


def _ways(objectives: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {way}" for name, way in objectives.items())
