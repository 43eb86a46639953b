"""From an executed notebook to one HTML page: nbconvert with the package's template, nothing from a network.

nbconvert is slow to import: import this module where a page is drawn, not at the top of a module.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise
from typing import Any

from nbconvert import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from traitlets import Bool
from traitlets.config import Config

from copa_nb.claims.ledger import count_verdicts
from copa_nb.reports.catalog import heading
from copa_nb.reports.figures import with_title
from copa_nb.reports.parameters import in_words, read_cell
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
    answer,
    answered,
    main_figure,
    payloads,
    provenance,
    source_line,
)
from copa_nb.reports.typography import in_prose, kept_together, table_layout, widest_row, width_class
from copa_nb.results.templates import page_head, shipped_folder, template_text

TEMPLATE = "copa_report"

_LARGEST_SVG = 1_500_000  # characters; beyond that the PNG scrolls better
_MOST_WORDS = 70  # of reasons and certainty in sight
_HIGHEST_BESIDE = 1.4  # widths; a figure that is higher on a phone stands below the headline, not beside it
# What a page finds, as opposed to the method and the data that it was found with.
_FOUND = {FIGURE, TABLE, CLAIM, EXPLORER, FILES}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])")
_COLOR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MIME_TYPES = {"json": "application/json", "svg": "image/svg+xml", "html": "text/html", "md": "text/markdown"}

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
    page: str
    page, _ = _exporter(vector, single_file).from_notebook_node(notebook)
    return page


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

    It takes the first heading, the parameters and the main figure out of the cells and puts them, with the claims and
    the provenance, where the template reads them: ``nb.metadata.copa_page``, ``cell.copa_page`` and
    ``output.copa_page``. The main figure is the first, or the first of the cell tagged ``main-figure``: it stands in
    the card of the answer, and what comes before the first thing found folds away there.
    """

    vector = Bool(False, help="Show every figure as SVG, for print, however large.").tag(config=True)
    single_file = Bool(False, help="Put what can be downloaded into the page.").tag(config=True)

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
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
        given, main = answer(nb), main_figure(nb)
        own_title, script = answered(title or "Report", given), template_text(f"{TEMPLATE}/points.js")
        self._files = bool(ours.get("files")) and not self.single_file
        head = page_head(
            own_title,
            styles=[f"{TEMPLATE}/report.css"],
            scripts=[script, *_scripts_of_frames(nb)],
            description=next(iter(given["lines"]), "") if given else "",
            preview=f"figures/{main['name']}.png" if main and self._files else "",
        )
        self._source = source_line(closing)
        nb.metadata["copa_page"] = {
            "head": head,
            "title": own_title,
            "heading": title if given else "",
            "answer": _with_reasons(in_prose(given)),
            "figure": None,
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
            "files": self._files,
            "name": ours.get("name", ""),
        }
        self._prepare_cells(nb)
        if given and main:
            nb.metadata["copa_page"]["figure"] = _taken_out(nb.cells, main["name"])
            nb.cells = _without_bare_headings(nb.cells)
        return nb, resources

    def _prepare_cells(self, nb: Any) -> None:
        kept: list[Any] = []
        for cell in nb.cells:
            if {"papermill-error-cell-tag", "injected-parameters", "parameters"} & set(cell.metadata.get("tags", [])):
                continue
            if cell.cell_type == "markdown":
                is_first = not any(other.cell_type == "markdown" for other in kept)
                cell.source = kept_together(_without_title(cell.source) if is_first else cell.source)
            if cell.cell_type == "code":
                cell.outputs = _joined_streams([output for output in cell.outputs if _is_for_the_page(output)])
                for output in cell.outputs:
                    self._prepare_output(output)
            kept.append(cell)
        nb.cells = _with_method_first(*_without_empty_sections(kept))

    def _prepare_output(self, output: Any) -> None:
        if output.output_type in ("error", "stream"):
            text = "\n".join(output.traceback) if output.output_type == "error" else output.text
            output["copa_page"] = _COLOR_CODES.sub("", text)
            return
        for kind, fields in _PROSE.items():
            for field in fields if kind in output.data else ():
                output.data[kind][field] = kept_together(output.data[kind].get(field, ""))
        if TEXT in output.data:
            output.data[TEXT] = in_prose(output.data[TEXT])
        if FIGURE in output.data:
            output["copa_page"] = self._figure(output.data)
        elif TABLE in output.data:
            table = output.data[TABLE]
            kinds = {"CSV": (".csv", "text/csv", table["csv"]), "LaTeX": (".tex", "application/x-tex", table["latex"])}
            links = self._downloads(table["name"], "tables", kinds)
            output["copa_page"] = {**table_layout(table), "downloads": links}
        elif FILES in output.data:
            output["copa_page"] = {"downloads": self._links(output.data[FILES]["contents"])}
        elif "text/html" in output.data:
            output["copa_page"] = {"width": width_class(widest_row(output.data["text/html"]))}

    def _figure(self, data: Mapping[str, Any]) -> dict[str, Any]:
        figure, png = data[FIGURE], "".join(data.get("image/png", "").split())
        narrow = figure.get("narrow")
        points = {"wide": figure.get("points"), "narrow": narrow and narrow["points"]}
        kinds = {
            "PDF": (".pdf", "application/pdf", base64.b64decode(figure["pdf"])),
            "SVG": (".svg", "image/svg+xml", figure["svg"]),
            "PNG": (".png", "image/png", self._to_send(figure, png)),
            "Data": (".csv", "text/csv", figure["csv"]),
        }
        return {
            "image": self._image(figure["svg"], png),
            "narrow": self._image(narrow["svg"], "") if narrow else "",
            # "</" would end the element that holds it.
            "points": json.dumps(points, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
            "has_points": any(found and found["points"] for found in points.values()),
            "beside": bool(narrow) and narrow["height"] <= _HIGHEST_BESIDE * narrow["width"],
            "downloads": self._downloads(figure["name"], "figures", kinds),
        }

    def _to_send(self, figure: Mapping[str, Any], png: str) -> bytes:
        """Return the picture with its title and source where it goes into the page; files have them already."""
        plain = base64.b64decode(png)
        return with_title(plain, figure["finding"], self._source) if self.single_file else plain

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


def _with_reasons(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Split reasons and certainty of an answer, after a sentence, into what is in sight and what folds away."""
    if given is None:
        return None
    paragraphs = [("reason", line) for line in given["lines"]]
    paragraphs += [("certainty", given["certainty"])] if given["certainty"] else []
    seen: list[tuple[str, str]] = []
    folded: list[tuple[str, str]] = []
    left = _MOST_WORDS
    for kind, said in paragraphs:
        first: list[str] = []
        rest = _SENTENCE_END.split(said)
        while rest and not folded and (left >= len(rest[0].split()) or not (seen or first)):
            first.append(rest.pop(0))
            left -= len(first[-1].split())
        seen += [(kind, " ".join(first))] if first else []
        folded += [(kind, " ".join(rest))] if rest else []
    folded += [("detail", line) for line in given.get("details", ())]
    return {**given, "seen": seen, "folded": folded}


def _taken_out(cells: list[Any], name: str) -> Any:
    """Take a figure out of the cells."""
    for cell in cells:
        for output in cell.get("outputs", []):
            if output.get("data", {}).get(FIGURE, {}).get("name") == name:
                cell.outputs.remove(output)
                return output
    return None


def _with_method_first(cells: list[Any], reasons: list[Any]) -> list[Any]:
    """Mark what folds away: method and data, all before the section of the first thing found; and some reasons."""
    kinds = [{kind for output in cell.get("outputs", []) for kind in output.get("data", {})} for cell in cells]
    first = next((place for place, shown in enumerate(kinds) if shown & _FOUND), 0)
    starts = [place for place, cell in enumerate(cells[:first]) if _is_heading(cell)]
    end = starts[-1] if starts else first
    folded = [*cells[:end], *reasons]
    for place, cell in enumerate(ordered := [*folded, *cells[end:]], start=1):
        cell.metadata["copa_page"] = {"folded": place <= len(folded), "last": place == len(folded)}
    return ordered


def _without_empty_sections(cells: list[Any]) -> tuple[list[Any], list[Any]]:
    """Leave out the words of sections whose code shows nothing; return the code that says why apart."""
    starts = [place for place, cell in enumerate(cells) if cell.cell_type == "markdown"]
    kept, reasons = cells[: starts[0]] if starts else cells, []
    for start, end in pairwise([*starts, len(cells)]):
        section = cells[start:end]
        outputs = [output for cell in section[1:] for output in cell.outputs]
        if outputs and _is_heading(section[0]) and all(map(_is_note, outputs)):
            reasons += section[1:]
        elif not outputs and "if-shown" in section[0].metadata.get("tags", []):
            kept += section[1:]
        else:
            kept += section
    return _without_bare_headings(kept), reasons


def _without_bare_headings(cells: list[Any]) -> list[Any]:
    """Leave out headings that nothing follows."""
    starts = [place for place, cell in enumerate(cells) if _is_heading(cell)]
    bare = {
        start
        for start, end in pairwise([*starts, len(cells)])
        if "\n" not in cells[start].source.strip()
        and not any(cell.cell_type == "markdown" or cell.outputs for cell in cells[start + 1 : end])
    }
    return [cell for place, cell in enumerate(cells) if place not in bare]


def _is_heading(cell: Any) -> bool:
    return cell.cell_type == "markdown" and cell.source.startswith("## ")


def _is_note(output: Any) -> bool:
    return bool(output.get("data", {}).get(TEXT, {}).get("note"))


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
