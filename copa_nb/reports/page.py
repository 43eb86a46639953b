"""From an executed notebook to one HTML page: nbconvert with the package's template, nothing from a network.

nbconvert is slow to import: import this module where a page is drawn, not at the top of a module.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from nbconvert import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from traitlets import Bool
from traitlets.config import Config

from copa_nb.claims.ledger import count_verdicts
from copa_nb.reports.catalog import heading
from copa_nb.reports.parameters import in_words, read_cell
from copa_nb.reports.record import (
    ANSWER,
    CLAIM,
    DATA,
    FIGURE,
    FILES,
    PROVENANCE,
    TABLE,
    TEXT,
    answer,
    answered,
    payloads,
    provenance,
)
from copa_nb.results.templates import page_head, shipped_folder, template_text
from copa_nb.text import escape, minus

TEMPLATE = "copa_report"

_LARGEST_SVG = 1_500_000  # characters; beyond that the PNG scrolls better
_CONTENTS = "<!-- contents -->"
_FEWEST_CONTENTS = 3  # headings
_HEADING = re.compile(r"<h2>(.*?)</h2>", re.DOTALL)
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
_COLOR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MIME_TYPES = {"json": "application/json", "svg": "image/svg+xml", "html": "text/html", "md": "text/markdown"}
_one_at_a_time = threading.Lock()

_PROSE = {
    FIGURE: ("finding", "caption"),
    TABLE: ("caption",),
    CLAIM: ("says", "place", "found", "printed", "ours", "tolerance", "other_data", "reason", "note"),
}


def to_html(notebook: Any, *, vector: bool = False, single_file: bool = False) -> str:
    """Draw an executed notebook as one self-contained page.

    Parameters
    ----------
    notebook : NotebookNode
        With the payloads that :class:`~copa_nb.reports.Record` stores; other outputs are shown as well.
    vector : bool
        Every figure as SVG, for print.
    single_file : bool
        One page to send: downloads are embedded, and nothing links to other files.

    Returns
    -------
    str
    """
    # A worker warms up in a thread, and what prepares a notebook remembers which one.
    with _one_at_a_time:
        page, _ = _exporter(vector, single_file).from_notebook_node(notebook)
    return _with_contents(page)


def _with_contents(page: str) -> str:
    """Give the headings of a page anchors, and list them where the template asks for that and there are several."""
    links: list[str] = []

    def anchored(heading: re.Match[str]) -> str:
        text = re.sub("<.*?>", "", heading[1])
        anchor = f"section-{re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')}"
        while f'#{anchor}"' in "".join(links):
            anchor += "-again"
        links.append(f'<li><a href="#{anchor}">{text}</a></li>')
        return f'<h2 id="{anchor}">{heading[1]}</h2>'

    page = _HEADING.sub(anchored, page)
    listed = f'<nav class="contents" aria-label="Contents"><ul>{"".join(links)}</ul></nav>'
    return page.replace(_CONTENTS, listed if len(links) >= _FEWEST_CONTENTS else "", 1)


@lru_cache(maxsize=4)
def _exporter(vector: bool, single_file: bool) -> HTMLExporter:
    config = Config()
    config.PagePreprocessor.vector = vector
    config.PagePreprocessor.single_file = single_file
    config.HTMLExporter.exclude_anchor_links = True
    return HTMLExporter(
        config=config, template_name=TEMPLATE, extra_template_basedirs=[str(shipped_folder("templates"))]
    )


def _has_frames(nb: Any) -> bool:
    """Whether a cell shows an explorer, as an output of its own or as the twin of a widget."""
    outputs = [output.get("data", {}) for cell in nb.cells for output in cell.get("outputs", [])]
    return any("srcdoc=" in "".join(data.get("text/html", "")) for data in outputs)


def _scripts_of_frames(nb: Any) -> list[str]:
    """Return the script of framed explorers: the policy of a page also applies in its frames."""
    if not _has_frames(nb):
        return []
    from copa_nb.explorers.widget import page_script

    return [page_script()]


class PagePreprocessor(Preprocessor):
    """Prepares a notebook for the template ``copa_report``; nbconvert finds it through the template.

    It takes the first heading and the parameters out of the cells and puts them, with the numbered figures and
    tables, the claims and the provenance, where the template reads them: ``nb.metadata.copa_page`` and
    ``output.copa_page``.
    """

    vector = Bool(False, help="Show every figure as SVG, for print, however large.").tag(config=True)
    single_file = Bool(False, help="Put what can be downloaded into the page.").tag(config=True)

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        """Prepare the whole notebook.

        Parameters
        ----------
        nb : NotebookNode
            As executed; it is not changed.
        resources : dict
            nbconvert's resources.
        """
        nb = deepcopy(nb)
        ours = nb.metadata.get("copa_nb", {})
        title, _ = heading(nb)
        closing = provenance(nb)
        claims, sources = payloads(nb, CLAIM), payloads(nb, DATA)
        own_title, script = answered(title or "Report", answer(nb)), template_text(f"{TEMPLATE}/points.js")
        self._files = bool(ours.get("files")) and not self.single_file
        nb.metadata["copa_page"] = {
            "head": page_head(own_title, styles=[f"{TEMPLATE}/report.css"], scripts=[script, *_scripts_of_frames(nb)]),
            "title": own_title,
            "heading": title if answer(nb) else "",
            "answer": _in_prose(answer(nb)),
            "script": script,
            "paper": closing.get("paper"),
            "item": closing.get("item"),
            "parameters": parameter_rows(nb),
            "claims": claims,
            "verdicts": count_verdicts(claims),
            "firsts": {claim["verdict"]: claim["id"] for claim in reversed(claims)},
            "sources": sources,
            "versions": closing.get("versions", {}),
            "cite": closing.get("cite", ""),
            "bibtex": closing.get("bibtex", ""),
            "failure": ours.get("failure"),
            "files": self._files,
            "name": ours.get("name", ""),
            "notebook": ours.get("notebook", ""),
        }
        self._prepare_cells(nb)
        return nb, resources

    def _prepare_cells(self, nb: Any) -> None:
        kept: list[Any] = []
        for cell in nb.cells:
            if {"papermill-error-cell-tag", "injected-parameters", "parameters"} & set(cell.metadata.get("tags", [])):
                continue
            if cell.cell_type == "markdown":
                _leave_out_unshown(kept)
                is_first = not any(other.cell_type == "markdown" for other in kept)
                cell.source = kept_together(_without_title(cell.source) if is_first else cell.source)
            if cell.cell_type == "code":
                cell.outputs = _joined_streams([output for output in cell.outputs if _is_for_the_page(output)])
                for output in cell.outputs:
                    self._prepare_output(output)
                if kept and _is_silent_code(kept[-1]):
                    # One "Code" to open, not one for every cell that shows nothing.
                    cell.source = f"{kept.pop().source}\n\n{cell.source}"
            kept.append(cell)
        _leave_out_unshown(kept)
        if len(kept) > 1 and _is_silent_code(kept[-1]) and kept[-2].cell_type == "code":
            # What only closes the report belongs to the code before it: no last "Code" that leads to nothing.
            closing = kept.pop()
            kept[-1].source = f"{kept[-1].source}\n\n{closing.source}"
        nb.cells = kept

    def _prepare_output(self, output: Any) -> None:
        if output.output_type in ("error", "stream"):
            text = "\n".join(output.traceback) if output.output_type == "error" else output.text
            output["copa_page"] = _COLOR_CODES.sub("", text)
            return
        for kind, fields in _PROSE.items():
            for field in fields if kind in output.data else ():
                output.data[kind][field] = kept_together(output.data[kind].get(field, ""))
        if TEXT in output.data:
            output.data[TEXT] = _in_prose(output.data[TEXT])
        if FIGURE in output.data:
            output["copa_page"] = self._figure(output.data)
        elif TABLE in output.data:
            table = output.data[TABLE]
            kinds = {"CSV": (".csv", "text/csv", table["csv"]), "LaTeX": (".tex", "application/x-tex", table["latex"])}
            links = self._downloads(table["name"], "tables", kinds)
            output["copa_page"] = {**_table_layout(table), "downloads": links}
        elif FILES in output.data:
            output["copa_page"] = {"downloads": self._links(output.data[FILES]["contents"])}
        elif "text/html" in output.data:
            output["copa_page"] = {"width": width_class(_widest_row(output.data["text/html"]))}

    def _figure(self, data: Mapping[str, Any]) -> dict[str, Any]:
        figure, png = data[FIGURE], "".join(data.get("image/png", "").split())
        narrow = figure.get("narrow")
        points = {"wide": figure.get("points"), "narrow": narrow and narrow["points"]}
        kinds = {
            "PDF": (".pdf", "application/pdf", base64.b64decode(figure["pdf"])),
            "SVG": (".svg", "image/svg+xml", figure["svg"]),
            "PNG": (".png", "image/png", base64.b64decode(png)),
            "Data": (".csv", "text/csv", figure["csv"]),
        }
        return {
            "image": self._image(figure["svg"], png),
            "narrow": self._image(narrow["svg"], "") if narrow else "",
            # "</" would end the element that holds it.
            "points": json.dumps(points, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
            "has_points": any(found and found["points"] for found in points.values()),
            "downloads": self._downloads(figure["name"], "figures", kinds),
        }

    def _downloads(self, name: str, folder: str, kinds: Mapping[str, tuple[str, str, Any]]) -> list[dict[str, str]]:
        """Return the downloads: links to other files, embedded files, or none."""
        links = []
        for label, (ending, mime, content) in kinds.items():
            if not content or not (self._files or self.single_file):
                continue
            inside = content if isinstance(content, bytes) else content.encode("utf-8")
            href = (
                f"data:{mime};base64,{base64.b64encode(inside).decode('ascii')}"
                if self.single_file
                else f"{folder}/{name}{ending}"
            )
            links.append({"label": label, "href": href, "file": f"{name}{ending}" if self.single_file else ""})
        return links

    def _links(self, contents: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the downloads of files for other programs, each under its own name."""
        found = []
        for name, content in contents.items():
            stem, _, ending = name.rpartition(".")
            mime = _MIME_TYPES.get(ending, "text/plain")
            found += self._downloads(stem, "files", {name: (f".{ending}", mime, content)})
        return found

    def _image(self, svg: str, png: str) -> str:
        """Return a figure as a data URL: as SVG, or as PNG where that is too large for a screen."""
        if self.vector or not png or len(svg) <= _LARGEST_SVG:
            return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"
        return f"data:image/png;base64,{png}"


def parameter_rows(nb: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return name, value, default and explanation of every parameter of an executed notebook."""
    sources = {tag: "".join(cell["source"]) for cell in nb["cells"] for tag in cell["metadata"].get("tags", [])}
    injected = read_cell(sources.get("injected-parameters", ""))
    rows = []
    for name, parameter in read_cell(sources.get("parameters", "")).items():
        value = injected.get(name, parameter).default
        rows.append(
            {
                "name": name,
                "value": in_words(value),
                "default": in_words(parameter.default),
                "changed": value != parameter.default,
                "help": parameter.help,
            }
        )
    return rows


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


def _leave_out_unshown(cells: list[Any]) -> None:
    """Drop the last text that is there only for what its code shows, if this showed nothing."""
    if len(cells) > 1 and _is_silent_code(cells[-1]) and "if-shown" in cells[-2].metadata.get("tags", []):
        silent = cells.pop()
        cells.pop()
        if cells and cells[-1].cell_type == "code":
            cells[-1].source = f"{cells[-1].source}\n\n{silent.source}"
        else:
            cells.append(silent)


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


def _in_prose(said: Any) -> Any:
    r"""Keep numbers together in all texts of a payload, and leave out the marks of code, which prose does not have.

    Examples
    --------
    >>> _in_prose({"lines": ["5 kg with `reference`"], "level": 0.05})
    {'lines': ['5\xa0kg with reference'], 'level': 0.05}
    """
    if isinstance(said, str):
        return kept_together(said.replace("`", ""))
    if isinstance(said, Mapping):
        return {name: _in_prose(value) for name, value in said.items()}
    return [_in_prose(one) for one in said] if isinstance(said, list) else said


def width_class(n_columns: int) -> str:
    """Return the CSS class that sets how a table with this many columns is printed."""
    bounds = ((7, ""), (10, "wide"), (13, "wider"))
    return next((name for most, name in bounds if n_columns <= most), "widest")


def _table_layout(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of a table with their line breaks, and which columns hold long labels."""
    columns, rows = table["columns"], table["rows"]
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
        "width": width_class(len(columns)),
    }


def _decimals(text: str) -> int:
    """Return how many characters a number has from its decimal point on."""
    found = re.fullmatch(r"[-−]?[\d,]+(\.\d+)?", text)
    return len(found[1] or "") if found else 0


def _padding(text: str, places: int) -> str:
    """Return unseen digits that bring the decimal points of a column below one another."""
    lacking = places - _decimals(text)
    unseen = ("." + "0" * places)[-lacking:] if _decimals(text) else "." + "0" * (places - 1)
    return f'<span class="pad" aria-hidden="true">{unseen}</span>' if lacking else ""


def _widest_row(html: str) -> int:
    return max((len(re.findall(r"<t[dh]\b", row)) for row in re.split(r"<tr\b", html)), default=0)


def _joined_streams(outputs: list[Any]) -> list[Any]:
    """Join consecutive printed outputs into one block, and drop blocks of blank lines."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream" and last is not None and last.get("name") == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return [out for out in joined if out.output_type != "stream" or out.text.strip()]


def _is_silent_code(cell: Any) -> bool:
    return cell.cell_type == "code" and not cell.outputs


def _is_for_the_page(output: Any) -> bool:
    if output.output_type == "stream" and output.name == "stderr":
        return False  # warnings are for whoever runs the notebook, where they stay
    if output.output_type not in ("display_data", "execute_result"):
        return True
    return not output.metadata.get("copa_nb", {}).get("notebook_only") and not {ANSWER, DATA, PROVENANCE} & set(
        output.data
    )


def _without_title(source: str) -> str:
    first, _, rest = source.strip().partition("\n")
    return rest.strip() if first.startswith("# ") else source
