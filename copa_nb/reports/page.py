"""From an executed notebook to what the page shows: title, parameters, numbered figures, claims, sources."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from nbconvert.preprocessors import Preprocessor
from traitlets import Bool

from copa_nb.reports import payloads
from copa_nb.reports.catalogue import heading
from copa_nb.reports.claims import count_verdicts
from copa_nb.reports.parameters import in_words, read_cell
from copa_nb.reports.sources import source_sentence
from copa_nb.text import escape

_LARGEST_INLINE_SVG = 400_000  # characters; beyond that the PNG scrolls better
_SHORTEST_BROKEN = 10  # characters; a shorter label is set in one line
_LONG_LABEL = 24  # characters; columns with longer ones are not squeezed
# Spaces at which a line must not end: before a per cent sign, around a relation to a number.
_UNBREAKABLE = re.compile(r"(?<=\d) (?=%)|(?<=\w) (?=[=≤≥<>] [\d.∞−-])|(?<=[=≤≥<>]) (?=[\d.∞−-])")
_COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

_PROSE = {payloads.FIGURE: ("caption",), payloads.TABLE: ("caption",), payloads.CLAIM: ("says", "found", "note")}


class PagePreprocessor(Preprocessor):
    """Prepares a notebook for the template ``copa_report``; nbconvert finds it through the template.

    It takes the first heading and the parameters out of the cells and puts them, with the numbered
    figures and tables, the claims and the provenance, where the template reads them:
    ``nb.metadata.copa_page`` and ``output.metadata.copa_page``.
    """

    vector = Bool(False, help="Show every figure as SVG, for print, rather than the smaller of SVG and PNG.").tag(
        config=True
    )

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        """Prepare the whole notebook.

        Parameters
        ----------
        nb : NotebookNode
            As it was executed; it is not changed.
        resources : dict
            nbconvert's resources.
        """
        nb = deepcopy(nb)
        ours = nb.metadata.get("copa_nb", {})
        title, _ = heading(nb)
        provenance: dict[str, Any] = next(payloads.payloads(nb, payloads.PROVENANCE), {})
        claims = list(payloads.payloads(nb, payloads.CLAIM))
        nb.metadata["copa_page"] = {
            "title": title or "Report",
            "paper": provenance.get("paper"),
            "item": provenance.get("item"),
            "parameters": parameter_rows(nb),
            "claims": claims,
            "verdicts": count_verdicts(claims),
            "firsts": {claim["verdict"]: claim["id"] for claim in reversed(claims)},
            "sources": [_source_row(source) for source in payloads.payloads(nb, payloads.DATA)],
            "stand_in": any(source["kind"] == "stand-in" for source in payloads.payloads(nb, payloads.DATA)),
            "versions": provenance.get("versions", {}),
            "failure": ours.get("failure"),
            "files": bool(ours.get("files")),
        }
        self._prepare_cells(nb)
        return nb, resources

    def _prepare_cells(self, nb: Any) -> None:
        numbers = {payloads.FIGURE: 0, payloads.TABLE: 0}
        kept: list[Any] = []
        for cell in nb.cells:
            tags = cell.metadata.get("tags", [])
            if "papermill-error-cell-tag" in tags or "injected-parameters" in tags or "parameters" in tags:
                continue
            if cell.cell_type == "markdown" and not any(other.cell_type == "markdown" for other in kept):
                cell.source = _without_title(cell.source)
            if cell.cell_type == "markdown":
                cell.source = kept_together(cell.source)
            if cell.cell_type == "code":
                cell.outputs = _joined_streams([out for out in cell.outputs if _is_for_the_page(out)])
                for output in cell.outputs:
                    self._prepare_output(output, numbers)
            if kept and _is_silent_code(kept[-1]) and cell.cell_type == "code":
                # One "Code" to open, not one for every cell that shows nothing.
                cell.source = f"{kept.pop().source}\n\n{cell.source}"
            kept.append(cell)
        if len(kept) > 1 and _is_silent_code(kept[-1]) and kept[-2].cell_type == "code":
            # What only closes the report belongs to the code before it: no last "Code" that leads to nothing.
            closing = kept.pop()
            kept[-1].source = f"{kept[-1].source}\n\n{closing.source}"
        nb.cells = kept

    def _prepare_output(self, output: Any, numbers: dict[str, int]) -> None:
        if output.output_type == "error":
            output["copa_page"] = _COLOUR_CODES.sub("", "\n".join(output.traceback))
            return
        if output.output_type == "stream":
            output["copa_page"] = _COLOUR_CODES.sub("", output.text)
            return
        for kind in numbers:
            if kind in output.data:
                numbers[kind] += 1
                output["copa_page"] = {"number": numbers[kind]}
        for kind, fields in _PROSE.items():
            for field in fields if kind in output.data else ():
                output.data[kind][field] = kept_together(output.data[kind][field])
        if payloads.FIGURE in output.data:
            output["copa_page"]["image"] = self._image(output.data)
        elif payloads.TABLE in output.data:
            table = output.data[payloads.TABLE]
            longest = [max(map(len, values)) for values in zip(*table["rows"], strict=True)]
            output["copa_page"]["long"] = [length > _LONG_LABEL for length in longest] or [False] * len(
                table["columns"]
            )
            output["copa_page"]["columns"] = [breakable(title) for title in table["columns"]]
            output["copa_page"]["rows"] = [[breakable(value) for value in row] for row in table["rows"]]
            output["copa_page"]["width"] = width_class(len(table["columns"]))
        elif "text/html" in output.data:
            output["copa_page"] = {"width": width_class(_widest_row(output.data["text/html"]))}

    def _image(self, data: Mapping[str, Any]) -> str:
        """Return the figure as an address that holds it: the smaller of SVG and PNG, or SVG for print."""
        svg, png = data[payloads.FIGURE]["svg"], "".join(data.get("image/png", "").split())
        as_svg = base64.b64encode(svg.encode("utf-8")).decode("ascii")
        if self.vector or not png or len(as_svg) <= min(len(png), _LARGEST_INLINE_SVG):
            return f"data:image/svg+xml;base64,{as_svg}"
        return f"data:image/png;base64,{png}"


def parameter_rows(nb: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return name, value, default and explanation of every parameter of an executed notebook."""
    cells = {tag: cell for cell in nb["cells"] for tag in cell["metadata"].get("tags", [])}
    declared = read_cell(_source(cells.get("parameters")))
    injected = read_cell(_source(cells.get("injected-parameters")))
    rows = []
    for name, parameter in declared.items():
        value = injected[name].default if name in injected else parameter.default
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


def breakable(text: object) -> str:
    """Escape a label and say where a long one may be broken: at spaces and after the marks that join names.

    Examples
    --------
    >>> breakable("models/small_<c>")
    'models/<wbr>small_<wbr>&lt;c&gt;'
    >>> breakable("co2_kg")
    'co2_kg'
    """
    # The arrow of a direction stays on the line of its objective.
    whole = re.sub(" (?=[↑↓]$)", "\u00a0", str(text))
    if len(whole) < _SHORTEST_BROKEN:
        return escape(whole.replace(" ", "\u00a0"))
    pieces = re.split(r"(?<=[-_/.,=:])(?=[^\s\d])", whole)
    return "<wbr>".join(escape(piece) for piece in pieces)


def kept_together(text: str) -> str:
    r"""Keep numbers with what belongs to them when a line is broken: ``5 %``, ``p ≤ .05``.

    Examples
    --------
    >>> kept_together("5 % of them, p = 0.05").replace("\u00a0", "~")
    '5~% of them, p~=~0.05'
    >>> kept_together("`where = 5` is code")
    '`where = 5` is code'
    """
    pieces = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.DOTALL)
    return "".join(piece if piece.startswith("`") else _UNBREAKABLE.sub("\u00a0", piece) for piece in pieces)


def width_class(n_columns: int) -> str:
    """Return how a table of so many columns is set on paper."""
    bounds = ((7, ""), (10, "wide"), (13, "wider"))
    return next((name for most, name in bounds if n_columns <= most), "widest")


def _widest_row(html: str) -> int:
    return max((len(re.findall(r"<t[dh]\b", row)) for row in re.split(r"<tr\b", html)), default=0)


def _joined_streams(outputs: list[Any]) -> list[Any]:
    """Show what was printed without a break in one block, and no block of blank lines."""
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
    if output.output_type not in ("display_data", "execute_result"):
        return True
    hidden = {payloads.DATA, payloads.PROVENANCE}
    return not output.metadata.get("copa_nb", {}).get("notebook_only") and not hidden & set(output.data)


def _source_row(source: Mapping[str, str]) -> dict[str, str]:
    return dict(source) | {"sentence": source_sentence(source)}


def _source(cell: Mapping[str, Any] | None) -> str:
    return "" if cell is None else "".join(cell["source"])


def _without_title(source: str) -> str:
    first, _, rest = source.strip().partition("\n")
    return rest.strip() if first.startswith("# ") else source
