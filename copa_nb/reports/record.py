"""``reports.Record``: figures, tables, claims and data sources that travel inside the notebook."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

import pandas as pd

from copa_nb.checks import nearest, one_of
from copa_nb.reports import payloads
from copa_nb.reports.claims import PAPERS, Claim
from copa_nb.reports.sources import described, source_sentence
from copa_nb.text import as_frame, cell_text, csv_text, escape, html_table, is_numeric, latex_text, with_index

LIBRARIES = ("copa_nb", "numpy", "pandas", "scipy", "matplotlib", "moocore")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class Record:
    """Records what a notebook shows, so that a report can be made of it.

    Every call displays something readable in any notebook front end and lays the same thing down as
    data in the output of the cell: figures as PNG, SVG and PDF with their numbers as CSV, tables as
    CSV and LaTeX, claims and data sources as JSON. Nothing is written to disk and nothing is kept
    elsewhere: the executed notebook is the report.

    Parameters
    ----------
    paper : {"COPA", "Mind the Gap", "HV test", "Partial rankings"}, optional
        The paper whose item is reproduced; None for an analysis of one's own.
    item : str, optional
        The figure, table or section, e.g. ``"Figure 1"``.

    Examples
    --------
    >>> report = Record(paper="COPA", item="Figure 1")
    >>> report.claim("copa-fig1-half", says="two is more than one", found="2 > 1", holds=2 > 1)
    reproduced: copa-fig1-half
    >>> report.claims[0].verdict
    'reproduced'
    """

    def __init__(self, *, paper: str | None = None, item: str = "") -> None:
        if paper is not None:
            one_of("paper", paper, PAPERS)
        self.paper = paper
        self.item = item
        self.claims: list[Claim] = []
        self.sources: list[dict[str, str]] = []
        self._figure_names: list[str] = []
        self._without_glyph: set[str] = set()
        self._table_names: list[str] = []

    def __repr__(self) -> str:
        what = ", ".join(part for part in (self.paper, self.item) if part) or "own analysis"
        return (
            f"<Record of {what}: {len(self._figure_names)} figures, {len(self._table_names)} tables, "
            f"{len(self.claims)} claims, {len(self.sources)} data sources>"
        )

    @property
    def stand_in(self) -> bool:
        """Whether any data recorded so far stands in for the paper's."""
        return any(source["kind"] == "stand-in" for source in self.sources)

    def data(self, source: pd.DataFrame | Mapping[str, object]) -> None:
        """Record and show where data comes from.

        Parameters
        ----------
        source : DataFrame or mapping
            A frame as a loader of ``copa_nb.datasets`` returns it (``attrs["source"]``), or that
            mapping itself: ``name``, ``kind`` ("real", "stand-in", "bundled", "simulated" or "own"), ``sha256`` and
            ``origin``.
        """
        origin = described(source)
        if origin in self.sources:
            return
        self.sources.append(origin)
        text = source_sentence(origin)
        weight = "font-weight:600" if origin["kind"] == "stand-in" else ""
        html = f"<p style='opacity:.85;{weight}'>{escape(text)}</p>"
        payloads.emit(origin, kind=payloads.DATA, text=text, html=html)

    def figure(
        self,
        figure: object,
        *,
        name: str,
        caption: str,
        alt: str,
        data: object = None,
        stand_in: bool | None = None,
    ) -> None:
        """Show a figure and lay it down as PNG, SVG, PDF, with its numbers as CSV; close it.

        Parameters
        ----------
        figure : Figure, Axes or array of Axes
            What was drawn.
        name : str
            File name without ending: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the figure shows, in one or a few sentences.
        alt : str
            What a reader who cannot see it must know.
        data : DataFrame, Series, mapping of columns or result with ``to_frame()``, optional
            The numbers drawn.
        stand_in : bool, optional
            Whether it shows stand-in data; by default, whether any was recorded.
        """
        import matplotlib.pyplot as plt

        from copa_nb.reports.figures import figure_of, missing_glyphs, render

        self._take_name(name, self._figure_names)
        _need_text("caption", caption)
        _need_text("alt", alt)
        drawn = figure_of(figure)
        shows_stand_in = self.stand_in if stand_in is None else stand_in
        if shows_stand_in:
            drawn.text(1, -0.01, "stand-in data", ha="right", va="top", fontsize=7, color="0.35", style="italic")
        rendered = render(drawn, salt=name)
        plt.close(drawn)
        if unknown := set(rendered.missing) - self._without_glyph:
            self._without_glyph |= unknown
            print(missing_glyphs(unknown))
        payload = {
            "name": name,
            "caption": caption,
            "alt": alt,
            "stand_in": shows_stand_in,
            "width": rendered.width,
            "height": rendered.height,
            "svg": rendered.svg.decode("utf-8"),
            "pdf": base64.b64encode(rendered.pdf).decode("ascii"),
            "csv": None if data is None else csv_text(as_frame(data, "data")),
        }
        size = {"width": rendered.width, "height": rendered.height, "alt": alt}
        payloads.emit(
            payload,
            kind=payloads.FIGURE,
            metadata={"image/png": size},
            png=rendered.png,
            text=f"Figure {name!r}: {alt}",
        )
        number = len(self._figure_names)
        payloads.emit(
            metadata=payloads.FOR_NOTEBOOKS_ONLY,
            html=f"<p><strong>Figure {number}.</strong> {escape(caption)}</p>",
            text=f"Figure {number}. {caption}",
        )

    def table(
        self,
        frame: object,
        *,
        name: str,
        caption: str,
        headers: Mapping[object, str] | None = None,
        digits: int = 4,
        decimals: int | None = None,
        most: int = 25,
        stand_in: bool | None = None,
    ) -> None:
        """Show a table and lay it down as CSV (full precision) and LaTeX (booktabs).

        Parameters
        ----------
        frame : DataFrame, Series, mapping of columns or result with ``to_frame()``
            What to show; a named or labelled index becomes the first columns.
        name : str
            File name without ending: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the table holds.
        headers : mapping of column to str, optional
            What to write instead of a column's label, e.g. ``"accuracy ↑"``.
        digits : int
            Significant digits shown.
        decimals : int, optional
            Decimals of every number that is not whole by type, instead of `digits`: for columns of one scale.
        most : int
            Rows shown and set in LaTeX; the CSV has all of them.
        stand_in : bool, optional
            Whether it shows stand-in data; by default, whether any was recorded.
        """
        self._take_name(name, self._table_names)
        _need_text("caption", caption)
        given = as_frame(frame, "frame")
        flat = with_index(given)
        named = {key: str(label) for key, label in (headers or {}).items()}
        _known_columns(named, flat, given)
        labels = [named.get(column, column) for column in flat.columns]
        shown = flat.head(most)
        titles = [", ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in labels]
        shows_stand_in = self.stand_in if stand_in is None else stand_in
        rows = [[cell_text(v, digits, decimals) for v in row] for row in shown.itertuples(index=False, name=None)]
        payload = {
            "name": name,
            "caption": caption,
            "stand_in": shows_stand_in,
            "columns": titles,
            "numeric": [is_numeric(flat.iloc[:, position]) for position in range(flat.shape[1])],
            "rows": rows,
            "total": len(flat),
            "csv": csv_text(given),
            "latex": latex_text(
                shown.set_axis(titles, axis="columns"),
                caption=caption,
                label=f"tab:{name}",
                digits=digits,
                decimals=decimals,
            ),
        }
        number = len(self._table_names)
        cells = pd.DataFrame(rows, columns=titles, dtype=object)
        rest = f" First {most} of {len(flat):,} rows." if len(flat) > most else ""
        note = f"Table {number}. {caption}{rest}"
        html = html_table(cells.set_axis([""] * len(cells)), caption=note, most=most)
        payloads.emit(payload, kind=payloads.TABLE, html=html, text=f"{note}\n{cells.to_string(index=False)}")

    def claim(
        self,
        id: str,
        *,
        says: str,
        found: str,
        holds: bool | None,
        note: str = "",
        stand_in: bool | None = None,
    ) -> None:
        """State what the paper says and what came out.

        Parameters
        ----------
        id : str
            The claim's name in the ledger, e.g. ``"copa-fig1-half"``.
        says, found : str
            The paper's statement in short; the numbers found.
        holds : bool or None
            Computed from the numbers; None if it cannot be checked.
        note : str
            Why it differs or cannot be checked.
        stand_in : bool, optional
            Whether it was looked at on other data than the paper's; by default, whether any data
            recorded so far is a stand-in.
        """
        if any(known.id == id for known in self.claims):
            raise ValueError(f"`id` {id!r} was claimed before in this report; every claim has one verdict.")
        on_stand_in = self.stand_in if stand_in is None else stand_in
        claim = Claim(id, self.paper, str(says), str(found), holds, str(note), on_stand_in)
        self.claims.append(claim)
        payloads.emit(claim.payload(), kind=payloads.CLAIM, html=claim.to_html(), text=f"{claim.verdict}: {claim.id}")

    def close(self) -> None:
        """Draw the table of claims and the footer: versions, data and their hashes."""
        if self.claims:
            payloads.emit(
                metadata=payloads.FOR_NOTEBOOKS_ONLY,
                html=self._claims_html(),
                text="\n".join(f"{claim.verdict}: {claim.id}" for claim in self.claims),
            )
        versions = {"python": python_version()} | {name: _version(name) for name in LIBRARIES}
        payload = {"paper": self.paper, "item": self.item, "versions": versions, "data": self.sources}
        written = ", ".join(f"{name} {number}" for name, number in versions.items())
        lines = [source_sentence(source) for source in self.sources] + [f"Made with {written}."]
        html = "<hr>" + "".join(f"<p style='opacity:.75;margin:.2em 0'>{escape(line)}</p>" for line in lines)
        payloads.emit(payload, kind=payloads.PROVENANCE, html=html, text="\n".join(lines))

    def _claims_html(self) -> str:
        drawn = pd.DataFrame([claim.payload() for claim in self.claims]).set_index("id")
        drawn.index.name = "claim"
        columns: dict[object, str] = {
            "says": "the paper says",
            "found": "found",
            "verdict": "verdict",
            "note": "note",
        }
        return html_table(drawn[list(columns)], headers=columns, caption="Claims.", most=len(drawn))

    def _take_name(self, name: str, taken: list[str]) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(
                f"`name` is {name!r}; it becomes a file name: letters, digits, hyphens and underscores only."
            )
        if name in taken:
            raise ValueError(f"`name` {name!r} is taken in this report; choose another.")
        taken.append(name)


def _need_text(argument: str, text: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"`{argument}` is {text!r}; a report needs one: say what is to be seen.")


def _known_columns(named: Mapping[object, str], flat: pd.DataFrame, given: pd.DataFrame) -> None:
    for column in named:
        if column not in flat.columns and column not in given.columns:
            raise ValueError(f"`headers` names {column!r}, which is not a column.{nearest(column, flat.columns)}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed as a package"
