"""``reports.Record``: figures, tables, claims and data sources, kept in the outputs of the notebook itself.

Each is stored as JSON under a MIME type of our own. JupyterLab, GitHub and nbconvert ignore types that they do not
know and show the HTML or PNG stored with it, so an executed notebook can be read without this package; the runner
unpacks the payloads into files.
"""

from __future__ import annotations

import base64
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb.checks import nearest, one_of
from copa_nb.claims.collection import installed
from copa_nb.claims.findings import Finding, checked_by
from copa_nb.claims.ledger import LedgerEntry, check_tolerance, listed_claim, written
from copa_nb.plotting.pictures import Picture, picture_of
from copa_nb.reports.catalog import plain
from copa_nb.reports.payloads import (
    ANSWER,
    CLAIM,
    DATA,
    EXPLORER,
    FIGURE,
    FILES,
    PROVENANCE,
    TABLE,
    TEXT,
    emit,
    installed_versions,
)
from copa_nb.results import citing
from copa_nb.results.answer import Answer as Answer
from copa_nb.results.offered import plot_of
from copa_nb.text import (
    as_frame,
    column_texts,
    csv_text,
    escape,
    html_table,
    is_numeric,
    latex_text,
    spoken_columns,
    with_index,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copa_nb.explorers.widget import Explorer

# Marks an output that repeats a payload for readers without our template (a caption, the table of claims); the
# template leaves it out.
FOR_NOTEBOOKS_ONLY = {"copa_nb": {"notebook_only": True}}

_KINDS_OF_DATA = {
    "real": "the public data",
    "bundled": "bundled with the package",
    "simulated": "simulated as described",
    "own": "your own table",
}
_LIBRARIES = ("copa_nb", "numpy", "pandas", "scipy", "matplotlib", "moocore")
_WIDEST = {1: 5, 2: 9, 3: 9}  # columns of a table of few rows
_MOST_ROWS = 20_000  # of a figure's numbers or a table, in the notebook and in files
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_WHOLE_FILE_NAME = re.compile(rf"{_FILE_NAME.pattern}\.[a-z0-9]+")


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
    >>> from copa_nb import reports
    >>> report = reports.Record(paper="COPA", item="Figure 1")
    >>> report.claim("copa-fig1-half", found="top 17%", ours=0.17, holds=0.17 <= 0.18)
    reproduced: copa-fig1-half
    >>> report.claims[0].printed, report.claims[0].place
    ('18%', 'Figure 1')
    """

    def __init__(self, *, paper: str | None = None, item: str = "") -> None:
        if paper is not None:
            one_of("paper", paper, tuple(installed().papers))
        self.paper = paper
        self.item = item
        self.claims: list[LedgerEntry] = []
        self.sources: list[dict[str, str]] = []
        self._answer: Answer | None = None
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
        self,
        figure: object,
        *,
        name: str,
        caption: str,
        alt: str,
        finding: str = "",
        data: object = None,
        height: float | None = None,
        narrow_height: float | None = None,
    ) -> None:
        """Show a figure, store it as PNG, SVG and PDF with its numbers as CSV, and close it.

        Parameters
        ----------
        figure : Figure, Axes, array of Axes, or function
            What was drawn; or a function that draws, which is called once in the width of the page and once in that
            of a phone, both in the style of reports. With `height` it is given Axes, as ``result.plot`` is; without, it
            makes a figure and returns it.
        name : str
            File name without extension: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the figure shows and how to read it, in one or a few sentences.
        alt : str
            The text alternative for readers who cannot see the figure.
        finding : str
            What the figure shows to be so, in one sentence: its title.
        data : DataFrame, Series, mapping of columns or result, whose table it is, optional
            The numbers drawn; their labels name the points under the pointer.
        height : float, optional
            Height in inches of the Axes that the function draws into.
        narrow_height : float, optional
            Their height on a phone; `height` if omitted.
        """
        from copa_nb.reports.figures import drawn_figures, missing_glyphs, points_of, render

        _take_name(name, self._figure_names)
        _need_text("caption", caption)
        _need_text("alt", alt)
        numbers = None if data is None else as_frame(data, "data")
        if numbers is not None and len(numbers) > _MOST_ROWS:
            step = -(-len(numbers) // _MOST_ROWS)
            caption = f"{caption} The data file contains one in every {step} of {len(numbers):,} rows."
            numbers = numbers.iloc[::step]
        payload: dict[str, Any] = {
            "name": name,
            "finding": str(finding),
            "caption": caption,
            "alt": alt,
            "narrow": None,
        }
        metadata: dict[str, object] = {}
        png = b""
        if height is not None and callable(figure):
            figure = partial(_in_axes, figure, height=height, narrow_height=narrow_height)
        for narrow, drawn in drawn_figures(figure):
            rendered = render(drawn, salt=f"{name}-narrow" if narrow else name, narrow=narrow)
            if missing := set(rendered.missing) - self._without_glyph:
                self._without_glyph |= missing
                self.text(missing_glyphs(missing))
            size = {"width": rendered.width, "height": rendered.height}
            shown = {**size, "svg": rendered.svg.decode("utf-8"), "points": points_of(drawn, rendered.area, numbers)}
            if narrow:
                payload["narrow"] = shown
                continue
            metadata, png = {"image/png": {**size, "alt": alt}}, rendered.png
            payload |= {**shown, "pdf": base64.b64encode(rendered.pdf).decode("ascii")}
        payload["csv"] = None if numbers is None else csv_text(numbers)
        if finding:
            emit(metadata=FOR_NOTEBOOKS_ONLY, html=f"<p><strong>{escape(finding)}</strong></p>", text=finding)
        emit(payload, kind=FIGURE, metadata=metadata, png=png, text=f"Figure {name!r}: {alt}")
        emit(metadata=FOR_NOTEBOOKS_ONLY, html=f"<p>{escape(caption)}</p>", text=caption)

    def show(
        self,
        result: object,
        plot: Callable[..., Any] | str = "",
        *,
        name: str = "",
        finding: str | None = None,
        caption: str | None = None,
        alt: str | None = None,
        data: object = None,
        height: float | None = None,
        narrow_height: float | None = None,
        **options: Any,
    ) -> None:
        """Show the plot of a result with its finding, caption, alternative text and numbers.

        The words are those of the plot, made of the result, unless others are given.

        Parameters
        ----------
        result : result with ``plot()``
            What is drawn.
        plot : str or callable, optional
            A kind of ``result.plot(kind)``, or a function that draws it, such as ``plots.plot_front``;
            ``result.plot()`` if omitted.
        name : str
            File name without extension; that of the plot if omitted.
        finding, caption, alt : str, optional
            Words in place of those of the plot.
        data, height, narrow_height
            As for :meth:`figure`, in place of those of the plot.
        **options
            Options of the plot.

        Raises
        ------
        ValueError
            If the plot has no words of its own and none are given.
        """
        draw = plot_of(result, plot) if isinstance(plot, str) else plot
        words = {"finding": finding, "caption": caption, "alt": alt}
        sizes = {"data": data, "height": height, "narrow_height": narrow_height}
        given: dict[str, Any] = {key: value for key, value in (words | sizes).items() if value is not None}
        described = picture_of(draw, result, **options)
        if described is None and (lacking := [key for key in words if key not in given]):
            raise ValueError(f"`{lacking[0]}` is missing, and {draw.__name__} has no default for it; pass it.")
        picture = Picture(**given) if described is None else replace(described, **given)
        sized = "ax" in inspect.signature(draw).parameters
        self.figure(
            partial(draw, result, **options),
            name=name or draw.__name__.removeprefix("plot_").replace("_", "-"),
            finding=picture.finding,
            caption=picture.caption,
            alt=picture.alt,
            data=picture.data,
            height=picture.height if sized else None,
            narrow_height=picture.narrow_height if sized else None,
        )

    def table(
        self,
        frame: object,
        *,
        name: str,
        caption: str,
        headers: Mapping[object, str] | None = None,
        digits: int = 3,
        decimals: int | None = None,
        most: int = 25,
        folded: bool = False,
    ) -> None:
        """Show a table and store it as CSV (full precision) and LaTeX (booktabs).

        Parameters
        ----------
        frame : DataFrame, Series, mapping of columns or result, whose table it is
            What to show; a named or labeled index becomes the first columns.
        name : str
            File name without extension: letters, digits, hyphens and underscores; unique in the report.
        caption : str
            What the table contains.
        headers : mapping of column to str, optional
            Header to write in place of a column's label; other labels are written as people say them, e.g.
            ``"CO₂ (kg)"`` for ``co2_kg``.
        digits : int
            Significant digits shown at most; a column has the same number of decimals where it can.
        decimals : int, optional
            Decimals of every number whose type is not an integer, instead of `digits`: for columns on one scale.
        most : int
            Rows shown and typeset in LaTeX; the CSV has all of them.
        folded : bool
            Whether the page shows only the caption until the reader opens the table: for evidence in full.
        """
        _take_name(name, self._table_names)
        _need_text("caption", caption)
        table = as_frame(frame, "frame")
        total = len(table)
        if total > _MOST_ROWS:
            caption = f"{caption} The files have the first {_MOST_ROWS:,} of {total:,} rows."
            table = table.head(_MOST_ROWS)
        flat = with_index(table)
        titles = _titles(flat, headers or {}, [*flat.columns, *table.columns])
        shown = flat.head(most)
        columns = [column_texts(shown.iloc[:, position], digits, decimals) for position in range(shown.shape[1])]
        rows = [list(row) for row in zip(*columns, strict=True)]
        numeric = [is_numeric(flat.iloc[:, position]) for position in range(flat.shape[1])]
        typeset = shown.set_axis(titles, axis="columns")
        if flat.shape[1] > _WIDEST.get(len(flat), flat.shape[1]):
            # Few rows are read from top to bottom; as lines their last columns would be out of sight.
            titles, *rows = [list(line) for line in zip(titles, *rows, strict=True)]
            numeric = [False] + [all(numeric[1:])] * (len(titles) - 1)
            typeset = pd.DataFrame(rows, columns=pd.Index(titles))
        latex = latex_text(
            typeset,
            caption=caption,
            label=f"tab:{name}",
            digits=digits,
            decimals=decimals,
        )
        payload = {
            "name": name,
            "caption": caption,
            "folded": bool(folded),
            "columns": titles,
            "numeric": numeric,
            "rows": rows,
            "total": total,
            "csv": csv_text(table),
            "latex": latex,
        }
        cells = pd.DataFrame(rows, columns=titles, dtype=object)
        rest = f" First {most} of {total:,} rows." if total > most else ""
        note = f"{caption}{rest}"
        html = html_table(cells.set_axis([""] * len(cells)), caption=note, most=most)
        emit(payload, kind=TABLE, html=html, text=f"{note}\n{cells.to_string(index=False)}")

    def explorer(self, explorer: Explorer, *, caption: str) -> None:
        """Let the reader of the page move an explorer, under the figure that it answers to.

        It works from disk, without a kernel and without a network. Print and readers without scripts have the figure.

        Parameters
        ----------
        explorer : Explorer
            What ``df.moo.explore()`` and its like return; it is closed.
        caption : str
            What the reader can find out with it; the line that opens it.
        """
        _need_text("caption", caption)
        html = f"<details><summary>{escape(caption)}</summary>{explorer.to_frame()}</details>"
        emit({"caption": caption}, kind=EXPLORER, html=html, text=repr(explorer))
        explorer.close()

    def files(self, contents: Mapping[str, str], *, caption: str) -> None:
        """Store files for other programs, in the folder ``files`` of the report, with links on the page.

        Parameters
        ----------
        contents : mapping of file name to text
            File names have letters, digits, hyphens and underscores, and one ending.
        caption : str
            What the files are for.
        """
        _need_text("caption", caption)
        for name in contents:
            if not _WHOLE_FILE_NAME.fullmatch(name):
                raise ValueError(f"`contents` names {name!r}; use letters, digits, - and _, and an ending: board.json.")
        links = f"{caption} {', '.join(contents)}"
        emit({"caption": caption, "contents": dict(contents)}, kind=FILES, html=f"<p>{escape(links)}</p>", text=links)

    def text(self, *parts: object, folded: str = "") -> None:
        """Show results in words, in the type of the page rather than as printed output.

        Parameters
        ----------
        *parts : str, result with ``explain()``, or list of str
            A paragraph each; a list becomes a bulleted list. Labels in them are shown as they are: nothing is read
            as markup.
        folded : str
            Words that the page shows until the reader opens the text, which can be copied there.
        """
        blocks = [block for part in parts for block in _blocks(part)]
        if not blocks:
            return
        html = "".join(
            f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in block)}</ul>"
            if isinstance(block, list)
            else f"<p>{escape(block)}</p>"
            for block in blocks
        )
        text = "\n".join(f"- {line}" for block in blocks for line in ([block] if isinstance(block, str) else block))
        payload = {"blocks": blocks, **({"folded": folded} if folded else {})}
        emit(payload, kind=TEXT, html=html, text=text if len(blocks) > 1 else text.removeprefix("- "))

    def note(self, sentence: str) -> None:
        """Say why there is nothing to show; a section that has nothing else loses its heading.

        Parameters
        ----------
        sentence : str
            The reason.
        """
        emit({"blocks": [sentence], "note": True}, kind=TEXT, html=f"<p>{escape(sentence)}</p>", text=sentence)

    def claim(
        self,
        id: str,
        *,
        found: str,
        holds: bool | None,
        ours: object = None,
        printed: object = None,
        tolerance: object = "",
        note: str = "",
        other_data: str = "",
        reason: str = "",
        says: str = "",
        of: str = "",
    ) -> None:
        """Compare a statement of the paper with the numbers found.

        The list of claims has under `id` what the paper says (in our words), where, the number printed and the
        tolerance. A claim that is not listed there is our own: it needs `says`, its verdict is
        "holds" or "fails", and it is counted apart.

        Parameters
        ----------
        id : str
            The claim's name in the ledger, e.g. ``"copa-fig1-half"``.
        found : str
            The numbers found, in a sentence.
        holds : bool or None
            Computed from the numbers; None if it cannot be checked: then `note` says why.
        ours, printed : number or str, optional
            The number found, and the one in the paper where it differs from the list's.
        tolerance : number or str, optional
            How far apart they may be, where it differs from the list's. If all three are numbers, a verdict that they
            contradict is refused.
        note : str
            Why it differs or cannot be checked.
        other_data : str
            Data other than the paper's on which it was checked, and why: the verdict becomes "holds on other data" or
            "fails on other data".
        reason : str
            Why it differs, where it does: "the paper is in error", "other random draws", "another state of the data",
            "unstated setting", or "not found" (the default). The ledger shows and counts it for this verdict only.
        says : str
            The statement, for a claim of our own.
        of : str
            The listed claim that this is, where one is checked more than once under ids of their own.

        Raises
        ------
        ValueError
            If the claim was made before, or is not in the list of claims.
        """
        if any(claim.id == id for claim in self.claims):
            raise ValueError(f"`id` is {id!r}, a claim that this report has checked already; check each claim once.")
        listed = listed_claim(id, says=says, of=of)
        check_tolerance(id, holds, ours, printed, tolerance)
        claim = LedgerEntry(
            id=id,
            paper=listed.get("paper", self.paper),
            says=listed.get("says", str(says)),
            found=str(found),
            holds=holds,
            note=str(note),
            place=listed.get("place", ""),
            printed=written(printed) or listed.get("printed", ""),
            ours=written(ours),
            tolerance=written(tolerance) or listed.get("tolerance", ""),
            other_data=str(other_data),
            own=not listed,
            reason=str(reason),
        )
        self.claims.append(claim)
        emit(claim.payload(), kind=CLAIM, html=claim.to_html(), text=f"{claim.verdict}: {claim.id}")

    def check(self, function: Callable[..., Finding], *results: Any, **options: Any) -> None:
        """Check a claim of a paper, or one of our own, by a function that has it by ``@claim``.

        Parameters
        ----------
        function : callable
            States the finding, e.g. one of :mod:`copa_nb.papers.copa.claims`.
        *results, **options
            What the function takes: results of public verbs, and tables.

        Raises
        ------
        TypeError
            For a function that checks no claim.
        ValueError
            If it was claimed before.
        """
        checked = checked_by(function)
        found = function(*results, **options)
        self.claim(checked.id, **vars(found), says=checked.says, of=checked.of)

    def answer(self, answer: Answer) -> None:
        """Record the answer of the analysis, in any cell: the page opens with it.

        Its headline becomes the title of the page and of its card in the index, with the notebook's own heading above.
        The command line prints the headline and the lines.

        Parameters
        ----------
        answer : Answer
            A report has one. For a report of a paper, ``copa_nb.papers`` has the function that writes it.

        Raises
        ------
        ValueError
            If an answer was given before.
        """
        if self._answer is not None:
            raise ValueError(f"`answer` was already given in this report: {self._answer.headline!r}; give it once.")
        self._answer = answer
        parts = [
            answer.question and f"<em>{escape(answer.question)}</em>",
            f"<strong>{escape(answer.headline)}</strong>",
        ]
        parts += map(escape, (*answer.lines, answer.certainty))
        html = "<br>".join(part for part in parts if part)
        emit(answer.to_dict(), kind=ANSWER, html=f"<p>{html}</p>", text=answer.headline)

    def close(self) -> None:
        """Show the footer: versions, data and their hashes."""
        versions = installed_versions(_LIBRARIES, missing="not installed as a package")
        used = [installed().papers[self.paper]["verb"]] if self.paper else []
        used += [self._answer.used] if self._answer and self._answer.used else []
        cited = [
            *dict.fromkeys(map(citing.reference, used)),
            *["the sources of the data"] * any(source["kind"] != "simulated" for source in self.sources),
            "copa_nb",
        ]
        payload = {
            "paper": self.paper,
            "item": self.item,
            "versions": versions,
            "data": self.sources,
            "cite": "; ".join(cited),
            "bibtex": citing.citations(*used or ["report"]),
        }
        made_with = ", ".join(f"{name} {number}" for name, number in versions.items())
        lines = [source_sentence(source) for source in self.sources]
        lines += [f"Cite {payload['cite']}.", f"Made with {made_with}."]
        html = "<hr>" + "".join(f"<p style='opacity:.75;margin:.2em 0'>{escape(line)}</p>" for line in lines)
        emit(payload, kind=PROVENANCE, html=html, text="\n".join(lines))


def source_sentence(source: Mapping[str, str]) -> str:
    """Describe in one sentence which data were used."""
    origin = f" from {plain(source['origin'])}" if source.get("origin") else ""
    digest = f" (sha256 {source['sha256'][:12]}…)" if source.get("sha256") else ""
    return f"Data: {source['name']}, {_KINDS_OF_DATA[source['kind']]}{origin}{digest}."


def _source(source: pd.DataFrame | Mapping[str, object]) -> dict[str, str]:
    """Return name, kind, hash and origin of a source, or refuse it."""
    origin = source.attrs.get("source") if isinstance(source, pd.DataFrame) else source
    if not isinstance(origin, Mapping):
        raise TypeError(
            "`source` must be a frame from copa_nb.datasets, whose attrs['source'] states its origin (merging loses "
            "it: record the frame as loaded), or a mapping with name, kind, sha256 and origin, not a "
            f"{type(source).__name__}{' without an origin' if origin is None else ''}."
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
    named = zip(flat.columns, spoken_columns(flat), strict=True)
    return [headers.get(column, title) for column, title in named]


def _blocks(part: object) -> list[str | list[str]]:
    """Return paragraphs and lists of lines, without blank ones."""
    if isinstance(part, list | tuple):
        lines = [str(line).strip() for line in part]
        return [[line for line in lines if line]] if any(lines) else []
    explain = getattr(part, "explain", None)
    words = explain() if callable(explain) else str(part)
    return [line.strip() for line in words.splitlines() if line.strip()]


def _in_axes(draw: Callable[..., object], **size: Any) -> Figure:
    import matplotlib.pyplot as plt

    from copa_nb.plotting.axes import panels

    figure, ax = panels(**size)
    try:
        draw(ax=ax)
    except BaseException:
        plt.close(figure)  # which the notebook would show
        raise
    return figure


def _take_name(name: str, taken: list[str]) -> None:
    if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise ValueError(f"`name` is {name!r}; it becomes a file name: letters, digits, hyphens and underscores only.")
    if name in taken:
        raise ValueError(f"`name` {name!r} is already used in this report; choose another.")
    taken.append(name)


def _need_text(argument: str, text: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"`{argument}` is {text!r}; describe what the figure shows.")
