"""``reports.Record``: figures, tables, claims and data sources, kept in the outputs of the notebook itself.

Each is stored as JSON under a MIME type of our own. JupyterLab, GitHub and nbconvert ignore types that they do not
know and show the HTML or PNG stored beside it, so an executed notebook can be read without this package; the runner
unpacks the payloads into files.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.checks import nearest, one_of
from copa_nb.reports.answers import Answer
from copa_nb.reports.catalogue import PAPERS
from copa_nb.text import as_frame, cell_text, csv_text, escape, html_table, is_numeric, latex_text, with_index

FIGURE = "application/vnd.copa-nb.figure+json"
TABLE = "application/vnd.copa-nb.table+json"
CLAIM = "application/vnd.copa-nb.claim+json"
DATA = "application/vnd.copa-nb.data+json"
ANSWER = "application/vnd.copa-nb.answer+json"
PROVENANCE = "application/vnd.copa-nb.provenance+json"
# Marks an output that repeats a payload for readers without our template (a caption, the table of claims); the
# template leaves it out.
FOR_NOTEBOOKS_ONLY = {"copa_nb": {"notebook_only": True}}

REPRODUCED, DIFFERS, STAND_IN, NOT_CHECKABLE = "reproduced", "differs", "stand-in", "not checkable"
VERDICTS = (REPRODUCED, DIFFERS, STAND_IN, NOT_CHECKABLE)
_KINDS_OF_DATA = {
    "real": "the public data",
    "bundled": "bundled with the package",
    "simulated": "simulated as described",
    "own": "your own table",
}
_LIBRARIES = ("copa_nb", "numpy", "pandas", "scipy", "matplotlib", "moocore")
_CLAIM_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class Record:
    """Records what a notebook shows, so that a report can be made of it.

    Every call displays something readable in any notebook front end and stores the same thing as data in the output
    of the cell: figures as PNG, SVG and PDF with their numbers as CSV, tables as CSV and LaTeX, claims and data
    sources as JSON. Nothing is written to disk: the executed notebook is the report.

    Parameters
    ----------
    paper : {"COPA", "Mind the Gap", "HV test", "Partial rankings"}, optional
        The paper whose item is reproduced; None for an analysis of your own.
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
        self._table_names: list[str] = []
        self._without_glyph: set[str] = set()

    def __repr__(self) -> str:
        what = ", ".join(filter(None, (self.paper, self.item))) or "own analysis"
        return (
            f"<Record of {what}: {len(self._figure_names)} figures, {len(self._table_names)} tables, "
            f"{len(self.claims)} claims, {len(self.sources)} data sources>"
        )

    def data(self, source: pd.DataFrame | Mapping[str, object]) -> None:
        """Record and show where data come from.

        Parameters
        ----------
        source : DataFrame or mapping
            A frame as returned by a loader of ``copa_nb.datasets`` (``attrs["source"]``), or that mapping itself:
            ``name``, ``kind`` ("real", "bundled", "simulated" or "own"), ``sha256`` and ``origin``.
        """
        origin = _source(source)
        if origin in self.sources:
            return
        self.sources.append(origin)
        text = source_sentence(origin)
        emit(origin, kind=DATA, text=text, html=f"<p style='opacity:.85'>{escape(text)}</p>")

    def figure(
        self, figure: object, *, name: str, caption: str, alt: str, data: object = None, stand_in: bool = False
    ) -> None:
        """Show a figure, store it as PNG, SVG and PDF with its numbers as CSV, and close it.

        Parameters
        ----------
        figure : Figure, Axes or array of Axes
            What was drawn.
        name : str
            File name without extension: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the figure shows, in one or a few sentences.
        alt : str
            The text alternative for readers who cannot see the figure.
        data : DataFrame, Series, mapping of columns or result with ``to_frame()``, optional
            The numbers drawn.
        stand_in : bool
            Whether it shows data that stand in for the paper's, which are not public.
        """
        import matplotlib.pyplot as plt

        from copa_nb.reports.figures import figure_of, missing_glyphs, render

        _take_name(name, self._figure_names)
        _need_text("caption", caption)
        _need_text("alt", alt)
        drawn = figure_of(figure)
        if stand_in:
            drawn.text(1, -0.01, "stand-in data", ha="right", va="top", fontsize=7, color="0.35", style="italic")
        rendered = render(drawn, salt=name)
        plt.close(drawn)
        if missing := set(rendered.missing) - self._without_glyph:
            self._without_glyph |= missing
            print(missing_glyphs(missing))
        size = {"width": rendered.width, "height": rendered.height}
        payload = {
            "name": name,
            "caption": caption,
            "alt": alt,
            "stand_in": stand_in,
            **size,
            "svg": rendered.svg.decode("utf-8"),
            "pdf": base64.b64encode(rendered.pdf).decode("ascii"),
            "csv": None if data is None else csv_text(as_frame(data, "data")),
        }
        metadata = {"image/png": {**size, "alt": alt}}
        emit(payload, kind=FIGURE, metadata=metadata, png=rendered.png, text=f"Figure {name!r}: {alt}")
        number = f"Figure {len(self._figure_names)}."
        html = f"<p><strong>{number}</strong> {escape(caption)}</p>"
        emit(metadata=FOR_NOTEBOOKS_ONLY, html=html, text=f"{number} {caption}")

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
        stand_in: bool = False,
    ) -> None:
        """Show a table and store it as CSV (full precision) and LaTeX (booktabs).

        Parameters
        ----------
        frame : DataFrame, Series, mapping of columns or result with ``to_frame()``
            What to show; a named or labelled index becomes the first columns.
        name : str
            File name without extension: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the table holds.
        headers : mapping of column to str, optional
            Header to write in place of a column's label, e.g. ``"accuracy ↑"``.
        digits : int
            Significant digits shown.
        decimals : int, optional
            Decimals of every number whose type is not an integer, instead of `digits`: for columns on one scale.
        most : int
            Rows shown and typeset in LaTeX; the CSV has all of them.
        stand_in : bool
            Whether it shows data that stand in for the paper's, which are not public.
        """
        _take_name(name, self._table_names)
        _need_text("caption", caption)
        table = as_frame(frame, "frame")
        flat = with_index(table)
        titles = _titles(flat, headers or {}, [*flat.columns, *table.columns])
        shown = flat.head(most)
        rows = [[cell_text(v, digits, decimals) for v in row] for row in shown.itertuples(index=False, name=None)]
        latex = latex_text(
            shown.set_axis(titles, axis="columns"),
            caption=caption,
            label=f"tab:{name}",
            digits=digits,
            decimals=decimals,
        )
        payload = {
            "name": name,
            "caption": caption,
            "stand_in": stand_in,
            "columns": titles,
            "numeric": [is_numeric(flat.iloc[:, position]) for position in range(flat.shape[1])],
            "rows": rows,
            "total": len(flat),
            "csv": csv_text(table),
            "latex": latex,
        }
        cells = pd.DataFrame(rows, columns=titles, dtype=object)
        rest = f" First {most} of {len(flat):,} rows." if len(flat) > most else ""
        note = f"Table {len(self._table_names)}. {caption}{rest}"
        html = html_table(cells.set_axis([""] * len(cells)), caption=note, most=most)
        emit(payload, kind=TABLE, html=html, text=f"{note}\n{cells.to_string(index=False)}")

    def claim(
        self, id: str, *, says: str, found: str, holds: bool | None, note: str = "", stand_in: bool = False
    ) -> None:
        """Compare a statement of the paper with the numbers found.

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
        stand_in : bool
            Whether it was checked on data other than the paper's.
        """
        if any(claim.id == id for claim in self.claims):
            raise ValueError(f"`id` {id!r} was claimed before in this report; every claim has one verdict.")
        claim = Claim(id, self.paper, str(says), str(found), holds, str(note), stand_in)
        self.claims.append(claim)
        emit(claim.payload(), kind=CLAIM, html=claim.to_html(), text=f"{claim.verdict}: {claim.id}")

    def answer(self, answer: Answer) -> None:
        """Record what came of the analysis: its headline joins the title, the command line prints its lines.

        Parameters
        ----------
        answer : Answer
            Of one of the functions in ``copa_nb.reports.answers``; a report has one.
        """
        payload = {"headline": answer.headline, "lines": list(answer.lines)}
        emit(payload, kind=ANSWER, metadata=FOR_NOTEBOOKS_ONLY, text=answer.headline)

    def close(self) -> None:
        """Show the table of claims and the footer: versions, data and their hashes."""
        if self.claims:
            text = "\n".join(f"{claim.verdict}: {claim.id}" for claim in self.claims)
            emit(metadata=FOR_NOTEBOOKS_ONLY, html=self._claims_html(), text=text)
        versions = installed_versions(_LIBRARIES, missing="not installed as a package")
        payload = {"paper": self.paper, "item": self.item, "versions": versions, "data": self.sources}
        made_with = ", ".join(f"{name} {number}" for name, number in versions.items())
        lines = [source_sentence(source) for source in self.sources] + [f"Made with {made_with}."]
        html = "<hr>" + "".join(f"<p style='opacity:.75;margin:.2em 0'>{escape(line)}</p>" for line in lines)
        emit(payload, kind=PROVENANCE, html=html, text="\n".join(lines))

    def _claims_html(self) -> str:
        claims = pd.DataFrame([claim.payload() for claim in self.claims]).set_index("id").rename_axis("claim")
        headers: dict[object, str] = {"says": "the paper says"}
        columns = ["says", "found", "verdict", "note"]
        return html_table(claims[columns], headers=headers, caption="Claims.", most=len(claims))


@dataclass(frozen=True)
class Claim:
    """One statement of a paper beside what was found; the verdict is computed, never typed in.

    Parameters
    ----------
    id : str
        Lower case words joined by hyphens, e.g. ``"copa-fig1-half"``.
    paper : str or None
        One of the four papers.
    says, found : str
        The statement, and the numbers for or against it.
    holds : bool or None
        Whether the numbers support it; None if that cannot be checked.
    note : str
        Why it differs or cannot be checked, or what else the reader must know.
    stand_in : bool
        Whether it was checked on data other than the paper's.
    """

    id: str
    paper: str | None
    says: str
    found: str
    holds: bool | None
    note: str = ""
    stand_in: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _CLAIM_ID.fullmatch(self.id):
            raise ValueError(f"`id` is {self.id!r}; it must be lower case words joined by hyphens.")
        if self.holds is not None and not isinstance(self.holds, bool | np.bool_):
            raise TypeError(
                f"`holds` is {self.holds!r}; it must be True, False or None: compare numbers, "
                "e.g. holds=abs(found - printed) < 0.005."
            )
        for argument in ("says", "found"):
            if not getattr(self, argument).strip():
                raise ValueError(f"`{argument}` of the claim {self.id!r} is empty.")

    @property
    def verdict(self) -> str:
        """``"reproduced"``, ``"differs"``, ``"stand-in"`` or ``"not checkable"``."""
        if self.holds is None:
            return NOT_CHECKABLE
        if self.stand_in:
            return STAND_IN
        return REPRODUCED if self.holds else DIFFERS

    def payload(self) -> dict[str, object]:
        """Return the claim with its verdict as JSON data."""
        holds = None if self.holds is None else bool(self.holds)
        note = self.note
        if self.stand_in and holds is not None:
            note = f"{'Holds' if holds else 'Does not hold'} on the stand-in data. {note}".strip()
        return asdict(self) | {"holds": holds, "note": note, "verdict": self.verdict}

    def to_html(self) -> str:
        """Return the claim in two lines for a notebook."""
        remark = self.payload()["note"]
        note = f"<br><em>{escape(remark)}</em>" if remark else ""
        return (
            "<p style='border-left:3px solid #8886;padding-left:.8em'>"
            f"<strong>{escape(self.verdict)}</strong> ({escape(self.id)}) The paper: {escape(self.says)}"
            f"<br>Found: {escape(self.found)}{note}</p>"
        )


def count_verdicts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the claims under each verdict that occurs, in the order of the verdicts."""
    verdicts = [claim["verdict"] for claim in claims]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}


def source_sentence(source: Mapping[str, str]) -> str:
    """Describe in one sentence which data were used."""
    origin = f" from {source['origin']}" if source.get("origin") else ""
    digest = f" (sha256 {source['sha256'][:12]}…)" if source.get("sha256") else ""
    return f"Data: {source['name']}, {_KINDS_OF_DATA[source['kind']]}{origin}{digest}."


def installed_versions(libraries: Iterable[str], *, missing: str) -> dict[str, str]:
    """Return the versions of Python and of libraries; `missing` for one that is not installed."""
    versions = {"python": python_version()}
    for name in libraries:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = missing
    return versions


def emit(
    payload: Mapping[str, object] | None = None,
    *,
    kind: str = "",
    metadata: Mapping[str, object] | None = None,
    text: str = "",
    html: str = "",
    png: bytes = b"",
) -> None:
    """Display a payload together with what readers without the template see.

    Parameters
    ----------
    payload : mapping, optional
        JSON data of our own; left out for outputs that only repeat a payload.
    kind : str
        MIME type of the payload.
    metadata : mapping, optional
        Metadata of the output.
    text, html, png
        What other front ends show.
    """
    from IPython import get_ipython
    from IPython.display import display

    if get_ipython() is None:
        print(text)
        return
    bundle: dict[str, object] = {"text/plain": text}
    if html:
        bundle["text/html"] = html
    if png:
        bundle["image/png"] = base64.b64encode(png).decode("ascii")
    if payload is not None:
        bundle[kind] = dict(payload)
    display(bundle, raw=True, metadata=dict(metadata or {}))


def bundles(notebook: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """Yield the outputs that hold a payload of one kind, in the order of the notebook, as dicts by MIME type."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if kind in output.get("data", {}):
                yield output["data"]


def payloads(notebook: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the payloads of one kind in the order of the notebook."""
    return [bundle[kind] for bundle in bundles(notebook, kind)]


def answer(notebook: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return headline and lines of the answer that a notebook recorded, None if it did not."""
    return next(iter(payloads(notebook, ANSWER)), None)


def answered(title: str, answer: Mapping[str, Any] | None) -> str:
    """Join a title and the headline of an answer.

    Examples
    --------
    >>> answered("Choose a model", {"headline": "ViT-B"}), answered("More than noise?", {"headline": "p = 0.01"})
    ('Choose a model: ViT-B', 'More than noise? p = 0.01')
    """
    if answer is None:
        return title
    return f"{title}{'' if title.endswith('?') else ':'} {answer['headline']}"


def provenance(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the paper, the item and the versions that a notebook closed with; empty if it did not get there."""
    return next(iter(payloads(notebook, PROVENANCE)), {})


def _source(source: pd.DataFrame | Mapping[str, object]) -> dict[str, str]:
    """Return name, kind, hash and origin of a source, or refuse it."""
    origin = source.attrs.get("source") if isinstance(source, pd.DataFrame) else source
    if not isinstance(origin, Mapping):
        raise TypeError(
            "`source` must be a frame from copa_nb.datasets, whose attrs['source'] says where it comes from (merging "
            "loses it: record the frame as loaded), or a mapping with name, kind, sha256 and origin, not "
            f"{type(source).__name__}{' without that' if origin is None else ''}."
        )
    lacking = [key for key in ("name", "kind") if not origin.get(key)]
    if lacking:
        raise ValueError(f"`source` lacks {lacking[0]!r}; it must have name, kind, sha256 and origin.")
    one_of("kind", origin["kind"], tuple(_KINDS_OF_DATA))
    return {key: str(origin.get(key) or "") for key in ("name", "kind", "sha256", "origin")}


def _titles(flat: pd.DataFrame, headers: Mapping[object, str], columns: list[Any]) -> list[str]:
    for column in headers:
        if column not in columns:
            raise ValueError(f"`headers` names {column!r}, which is not a column.{nearest(column, flat.columns)}")
    labels = [headers.get(column, column) for column in flat.columns]
    return [", ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in labels]


def _take_name(name: str, taken: list[str]) -> None:
    if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise ValueError(f"`name` is {name!r}; it becomes a file name: letters, digits, hyphens and underscores only.")
    if name in taken:
        raise ValueError(f"`name` {name!r} is taken in this report; choose another.")
    taken.append(name)


def _need_text(argument: str, text: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"`{argument}` is {text!r}; describe in it what there is to see.")
