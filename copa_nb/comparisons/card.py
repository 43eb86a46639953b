"""The card of a leaderboard that prints ties: JSON, Markdown, a badge, and what changed since the last one."""

from __future__ import annotations

__all__ = ["BoardChanges", "Card"]

import json
import os
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.forecast import Forecast
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.result import Result, drawn

_FORMAT, _VERSION = "copa_nb.card", 1
_SCHEMA = Path(__file__).with_name("card.schema.json")
_JSON_TYPES: dict[str, Any] = {
    "object": Mapping, "array": list, "string": str, "boolean": bool, "integer": int, "number": int | float,
    "null": type(None),
}  # fmt: skip
_MOST_NAMED, _LONGEST_NAMES = 5, 60
# Where scores are missing, on how many items a system was measured.
_ITEMS = "items"
# Signs that Markdown would read: those of tables, links, emphasis, code, HTML and mathematics.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|$~#])")
# Widths in pixels at 11 px of a common sans serif; other letters count as the widest.
_WIDTHS = {"ijl.,:;'|!": 3.2, "frt()[]-/ I": 4.4, "mwMW%@": 10.2}
_WIDTH, _LONGEST_BADGE = 7.0, 28


@dataclass(frozen=True, repr=False, eq=False)
class Card(Result):
    """What a leaderboard publishes: tiers, possible ranks, and who may rank first.

    Parameters
    ----------
    table : DataFrame
        One row per system, best first: means of the objectives, ``rank``, ``low`` and ``high`` ends of the interval of
        the rank, ``tier`` and ``may_be_first``; see :class:`Board`.
    ahead : DataFrame of bool, systems × systems
        Whether the system of the row is significantly ahead of that of the column.
    objectives : dict of objective to {"max", "min"}
        Directions.
    alpha : float
        Probability, over new samples, that any true rank is outside its interval.
    measured : str
        How the precision is known.
    guarantee : Guarantee
        What was sampled, how exactly `alpha` holds, and what this table gives to doubt it.
    title, date : str
        What the board is called, and the state of its scores in ISO format.
    forecast : Forecast, optional
        What more items would resolve.
    """

    paper = "mogstad2024ranks"

    _internals = frozenset(("ahead", "files", "printed", "schema"))

    table: pd.DataFrame
    ahead: pd.DataFrame
    objectives: Mapping[Hashable, str]
    alpha: float
    measured: str
    guarantee: Guarantee
    title: str = ""
    date: str = ""
    forecast: Forecast | None = None

    def __repr__(self) -> str:
        named = " ".join(self.title.split()) or "a board"
        first = len(self.may_be_first)
        return f"<Card of {named}: {first} of {len(self.table)} systems may rank first; α = {self.alpha:g}>"

    @property
    def may_be_first(self) -> list[Hashable]:
        """Systems that may rank first; see :attr:`Board.may_be_first`."""
        return self.table.index[self.table["may_be_first"]].tolist()

    @property
    def n_ordered(self) -> int:
        """Pairs of systems of which one is significantly ahead."""
        return int(self.ahead.to_numpy().sum())

    @property
    def n_pairs(self) -> int:
        """Pairs of systems."""
        return len(self.table) * (len(self.table) - 1) // 2

    @property
    def headline(self) -> str:
        """Who may rank first, in a few words."""
        first, n = self.may_be_first, len(self.table)
        names = text.listing(map(text.label, first))
        if len(first) == 1:
            return f"{names} ranks first of {n:,}"
        if len(first) <= _MOST_NAMED and len(names) <= _LONGEST_NAMES:
            return f"{names} may rank first of {n:,}"
        systems = text.plural(self.table.index.name, "systems")
        return f"{f'All {n:,}' if len(first) == n else f'{len(first):,} of {n:,}'} {systems} may rank first"

    def explain(self) -> str:
        """Report who may rank first, how many pairs are resolved, and what more items would resolve."""
        return " ".join(self._paragraphs())

    def _paragraphs(self) -> list[str]:
        found = (
            f"{self.headline} ({self.measured}). One system is significantly ahead in {self.n_ordered:,} of "
            f"{self.n_pairs:,} pairs."
        )
        more = self.forecast.explain() if self.forecast else ""
        return list(filter(None, [found, more, self.guarantee.explain()]))

    plot = Offered()

    def _card(self) -> str:
        shown = self.printed
        # An interval is not broken over lines.
        shown = shown.assign(rank=shown["rank"].str.replace("–", "\u2060–\u2060"))
        date = f", {self.date}" if self.date else ""
        table = text.html_table(shown, caption=self._legend(), most=30)
        return text.card(f"{self.title or 'Tiers'}{date}", self._paragraphs(), table)

    # ------------------------------------------------------------------------------------------------------- writing

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the card as JSON; :meth:`schema` describes it, and :meth:`read` reads it.

        Parameters
        ----------
        path : path, optional
            File to write to.

        Returns
        -------
        str
        """
        return _write(path, json.dumps(self._document(), ensure_ascii=False, indent=1, allow_nan=False) + "\n")

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the card as Markdown: headline, table and how to read it, for a README or a release note.

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
        date = f" State: {_markdown(self.date)}." if self.date else ""
        body = [f"**{_markdown(self.headline)}.**{date}", "", table, "", f"{self._legend()}", ""]
        return _write(path, "\n".join([*heading, *body, _markdown(self.explain()), ""]))

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
        resolved = f"{text.amount(self.n_ordered / max(self.n_pairs, 1), self.n_pairs)} pairs resolved"
        return _write(path, _badge([left, right, resolved], f"{self.headline}; {resolved}"))

    def write(self, folder: str | os.PathLike[str], name: str = "board") -> list[Path]:
        """Write all forms: ``board.json``, ``board.md``, ``board.svg`` and ``board.html``.

        Parameters
        ----------
        folder : path
            Made if it is missing.
        name : str
            Of the files, without ending.

        Returns
        -------
        list of Path
        """
        made = {Path(folder) / f"{name}{ending}": content for ending, content in self.files().items()}
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path, content in made.items():
            _write(path, content)
        return list(made)

    def files(self) -> dict[str, str]:
        """Return the contents of all forms by the endings of their files."""
        return {
            ".json": self.to_json(), ".md": self.to_markdown(), ".svg": self.to_svg(), ".html": self.to_html(),
        }  # fmt: skip

    @staticmethod
    def schema() -> dict[str, Any]:
        """Return the JSON Schema of :meth:`to_json`.

        Examples
        --------
        >>> import copa_nb
        >>> copa_nb.results.Card.schema()["properties"]["version"]
        {'const': 1, 'description': 'Version of this schema.'}
        """
        return dict(_schema())

    # ------------------------------------------------------------------------------------------------------- reading

    @classmethod
    def read(cls, source: str | os.PathLike[str] | Mapping[str, Any]) -> Card:
        """Read a card from a file that :meth:`to_json` wrote, or from its contents.

        Parameters
        ----------
        source : path or mapping

        Returns
        -------
        Card

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or it is no card of this schema.
        """
        document, name = (source, "the card") if isinstance(source, Mapping) else (_parsed(source), os.fspath(source))
        _check(document, name)
        systems = document["systems"]
        labels = pd.Index([one["system"] for one in systems], name=document["system"], tupleize_cols=False)
        keys = [
            "rank",
            "score",
            "low",
            "high",
            "tier",
            "may_be_first",
            *([_ITEMS] if all(_ITEMS in one for one in systems) else []),
        ]
        columns = {key: [one[key] for one in systems] for key in keys}
        values = {objective: [one["values"][objective] for one in systems] for objective in document["objectives"]}
        ahead = np.zeros((len(labels), len(labels)), dtype=bool)
        for number, one in enumerate(systems):
            ahead[number, one["ahead_of"]] = True
        further = document["forecast"]
        return cls(
            table=pd.DataFrame(values | columns, index=labels),
            ahead=pd.DataFrame(ahead, index=labels, columns=labels),
            objectives=dict(document["objectives"]),
            forecast=None
            if further is None
            else Forecast(
                pd.DataFrame(further["sizes"]).set_index("times"),
                len(labels) * (len(labels) - 1) // 2, further["n_simulations"], further["more_of"],
            ),
            **{key: document[key] for key in ("alpha", "measured", "title", "date")},
            guarantee=Guarantee.from_dict(document["guarantee"]),
        )  # fmt: skip

    def since(self, earlier: Card | str | os.PathLike[str]) -> BoardChanges:
        """Compare with an earlier card: systems that are new or gone, tiers that changed, pairs that were resolved.

        Parameters
        ----------
        earlier : Card or path
            The earlier card, or the JSON of it.

        Returns
        -------
        BoardChanges

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or it is no card of this schema, or it has other objectives.
        """
        before = earlier if isinstance(earlier, Card) else Card.read(earlier)
        now, then = ({str(name): way for name, way in one.objectives.items()} for one in (self, before))
        if now != then:
            raise ValueError(
                f"{checks.called('since')} is a card of other objectives ({_ways(then)}) than this one ({_ways(now)}); "
                "compare cards of the same board."
            )
        return _changes(self, before)

    # -------------------------------------------------------------------------------------------------------- helpers

    def _legend(self) -> str:
        share = text.percent(1 - self.alpha)
        return (
            f"Ranks are intervals that hold simultaneously at {share}. No system of a tier is significantly behind the "
            "first of the tier."
        )

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
            f"{text.spoken(name)} {arrows[self.objectives[name]]}": ordered[column]
            for name, column in zip(self.objectives, self.table.columns, strict=False)
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
        table, names = self.table, list(self.objectives)
        values = table.iloc[:, : len(names)].to_numpy(dtype=float)
        ahead = self.ahead.to_numpy()
        systems = [
            {
                "system": text.label(label),
                **{key: int(table[key].iloc[row]) for key in ("tier", "rank", "low", "high")},
                "score": float(table["score"].iloc[row]),
                "may_be_first": bool(table["may_be_first"].iloc[row]),
                "values": {str(name): float(value) for name, value in zip(names, values[row], strict=True)},
                "ahead_of": np.flatnonzero(ahead[row]).tolist(),
                **({_ITEMS: int(table[_ITEMS].iloc[row])} if _ITEMS in table else {}),
            }
            for row, label in enumerate(table.index)
        ]
        more = self.forecast
        sizes = [] if more is None else more.table.reset_index().to_dict("records")
        return {
            "format": _FORMAT, "version": _VERSION, "title": self.title, "date": self.date,
            "objectives": {str(name): way for name, way in self.objectives.items()},
            "system": str(table.index.name or "system"), "alpha": self.alpha,
            "measured": self.measured, "guarantee": self.guarantee.to_dict(),
            "pairs": {"all": self.n_pairs, "resolved": self.n_ordered},
            "systems": systems,
            "forecast": None if more is None else {
                "more_of": more.what, "n_simulations": more.n_simulations,
                "sizes": [{key: int(value) for key, value in row.items()} for row in sizes],
            },
        }  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class BoardChanges(Result):
    """What changed between two cards of a board.

    Parameters
    ----------
    table : DataFrame
        One row per system of the later card, then those that are gone: ``change`` ("new", "gone", "up", "down" a tier,
        or empty), and ``tier``, ``rank``, ``low`` and ``high`` now and, with ``_before``, in the earlier card.
    resolved, unresolved, reversed : list of pairs of labels
        Pairs of systems in both cards of which one is now significantly ahead, and was not, or was and is not any more,
        or the other way around; the one ahead comes first.
    date, before : str
        Dates of the two cards.
    """

    paper = "mogstad2024ranks"

    table: pd.DataFrame
    resolved: list[tuple[Hashable, Hashable]]
    unresolved: list[tuple[Hashable, Hashable]]
    reversed: list[tuple[Hashable, Hashable]]
    date: str = ""
    before: str = ""

    def __repr__(self) -> str:
        return f"<BoardChanges: {self._counts()}>"

    def _of(self, change: str) -> list[Hashable]:
        return self.table.index[self.table["change"] == change].tolist()

    def _counts(self) -> str:
        new, gone = len(self._of("new")), len(self._of("gone"))
        counted = [
            f"{_counted(new, 'system')} new",
            *([f"{gone:,} gone"] if gone else []),
            f"{_counted(len(self.resolved), 'pair')} newly resolved",
            *([f"{len(self.unresolved):,} no longer"] if self.unresolved else []),
            *([f"{len(self.reversed):,} reversed"] if self.reversed else []),
        ]
        return ", ".join(counted)

    def explain(self) -> str:
        """Report which systems are new or gone, which changed their tier, and which pairs were resolved."""
        since = f"Since {self.before}" if self.before else "Since the earlier card"
        moved = [
            f"{text.label(label)} from tier {int(row['tier_before'])} to {int(row['tier'])}"
            for label, row in self.table.iterrows()
            if row["change"] in ("up", "down")
        ]
        sentences = [
            f"{since}: {self._counts()}.",
            _named("New", self._of("new")),
            _named("Gone", self._of("gone")),
            _named("Now significantly ahead", [f"{text.label(a)} of {text.label(b)}" for a, b in self.resolved]),
            _named("Moved", moved),
        ]
        return " ".join(filter(None, sentences))

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the intervals of the ranks now; systems that are new or in another tier are in color.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        from copa_nb.plotting.rows import draw_rows

        now = self.table[self.table["change"] != "gone"]
        return draw_rows(
            now["rank"], "rank, with the interval of the true rank; in color: new, or in another tier", ax=ax,
            intervals=now[["low", "high"]], marked=now["change"] != "",
        )  # fmt: skip


def _changes(now: Card, before: Card) -> BoardChanges:
    names, old_names = ([text.label(one) for one in card.table.index] for card in (now, before))
    columns = ["tier", "rank", "low", "high"]
    later, earlier = (
        card.table[columns].set_axis(pd.Index(labels), axis="index")
        for card, labels in ((now, names), (before, old_names))
    )
    table = later.join(earlier.add_suffix("_before"), how="outer").astype("Int64")
    table = table.reindex([*names, *(one for one in old_names if one not in set(names))])
    change = np.select(
        [
            table["tier_before"].isna(), table["tier"].isna(), (table["tier"] < table["tier_before"]).fillna(False),
            (table["tier"] > table["tier_before"]).fillna(False),
        ],
        ["new", "gone", "up", "down"], default="",
    )  # fmt: skip
    table.insert(0, "change", change)
    both = [one for one in names if one in set(old_names)]
    after, then = (
        card.ahead.to_numpy()[np.ix_(rows := [labels.index(one) for one in both], rows)]
        for card, labels in ((now, names), (before, old_names))
    )
    decided, decided_then = after | after.T, then | then.T

    def pairs(mask: np.ndarray) -> list[tuple[Hashable, Hashable]]:
        return [(both[i], both[j]) for i, j in np.argwhere(mask)]

    return BoardChanges(
        table.rename_axis(str(now.table.index.name or "system")),
        pairs(after & ~decided_then), pairs(then & ~decided), pairs(after & then.T), now.date, before.date,
    )  # fmt: skip


def _write(path: str | os.PathLike[str] | None, content: str) -> str:
    if path is not None:
        if Path(path).is_dir():
            raise ValueError(f"`path` is {os.fspath(path)!r}, a folder; name a file in it.")
        Path(path).write_text(content, encoding="utf-8", newline="\n")
    return content


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
            "earlier card."
        ) from None


def _check(document: Any, name: str) -> None:
    """Refuse what is no card of this schema: another format, another version, or parts that are missing or wrong."""
    is_card = isinstance(document, Mapping) and document.get("format") == _FORMAT
    if not is_card:
        raise ValueError(f'{name} is not a card: it has no "format": {_FORMAT!r}. Card.to_json writes cards.')
    if document.get("version") != _VERSION:
        raise ValueError(
            f"{name} is a card of schema {document.get('version')!r}, and this version of copa_nb reads schema "
            f"{_VERSION}. Make the card again from its scores, or use the version of copa_nb that wrote it."
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
        raise ValueError(f"{name} is a damaged card: {problem}. Make it again from its scores.")


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


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _named(what: str, names: Sequence[Hashable]) -> str:
    if not names:
        return ""
    shown = text.listing([text.label(one) for one in names[:_MOST_NAMED]]) if len(names) <= _MOST_NAMED else (
        ", ".join(text.label(one) for one in names[:_MOST_NAMED]) + f" and {len(names) - _MOST_NAMED:,} more"
    )  # fmt: skip
    return f"{what}: {shown}."


@describes(BoardChanges.plot)
def _changes_in_words(result: BoardChanges) -> Picture:
    return Picture(
        finding=repr(result)[1:-1].partition(": ")[2].capitalize(),
        caption="Rank of each system now (markers) and the interval of its true rank (lines); in color: systems that "
        "are new or in another tier.",
        alt=f"Intervals of the ranks of {int((result.table['change'] != 'gone').sum()):,} systems.",
        data=result.table,
        height=min(4.05, max(2.4, 0.2 * len(result.table) + 1)),
    )
