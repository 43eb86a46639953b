"""The notebooks that reports are made from: listed from their folder, described by their own first cell."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copa_nb.analyses.registry import analyses
from copa_nb.checks import listed, nearest
from copa_nb.claims.collection import installed
from copa_nb.results.templates import shipped_folder

_OWN_AREAS = ("yours", "explore")


@dataclass(frozen=True)
class Entry:
    """One notebook of the catalog.

    Parameters
    ----------
    name : str
        Area and file name, e.g. ``"copa/figure_1"``.
    path : Path
        The notebook.
    title, sentence : str
        Heading and first sentence of its first cell.
    """

    name: str
    path: Path
    title: str
    sentence: str

    @property
    def area(self) -> str:
        """The folder of the notebook, e.g. ``"copa"``."""
        return self.name.split("/")[0]

    @property
    def paper(self) -> str | None:
        """The paper that the area belongs to, if any."""
        return installed().paper_of_area.get(self.area)


def catalog(folder: Path | None = None) -> tuple[Entry, ...]:
    """List the notebooks in reading order.

    Parameters
    ----------
    folder : Path, optional
        Where to look; by default the notebooks that come with the package.

    Returns
    -------
    tuple of Entry
    """
    root = shipped_folder("notebooks") if folder is None else Path(folder)
    paths = [path for path in root.glob("*/*.ipynb") if not path.name.startswith(".")]
    entries = [_entry(path, path.relative_to(root).with_suffix("").as_posix()) for path in paths]
    return tuple(sorted(entries, key=lambda entry: reading_order(entry.name)))


def paper_entries(entries: tuple[Entry, ...] | None = None) -> tuple[Entry, ...]:
    """Return the notebooks that reproduce a paper."""
    return tuple(entry for entry in (catalog() if entries is None else entries) if entry.paper)


def find(name: str, entries: tuple[Entry, ...] | None = None) -> Entry:
    """Return the notebook of that name: in full, its last part if unambiguous, or an analysis.

    Raises
    ------
    ValueError
        If there is none, with the nearest name; or if several share the last part.
    """
    entries = catalog() if entries is None else entries
    by_name = {entry.name: entry for entry in entries}
    full_name = str(name).removesuffix(".ipynb")
    if full_name in analyses():
        full_name = analyses()[full_name].notebook
    if full_name in by_name:
        return by_name[full_name]
    matching = [entry for entry in entries if entry.name.split("/")[-1] == full_name]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise ValueError(
            f"`name` is {name!r}, which matches several reports; use one of {listed(entry.name for entry in matching)}."
        )
    hint = nearest(name, [*by_name, *(other.split("/")[-1] for other in by_name), *analyses()])
    raise ValueError(
        f"`name` is {name!r}, but there is no such report.{hint} `copa-nb run --list` lists all reports; those of your "
        f"own table are {listed(analyses(), len(analyses()))}."
    )


def reading_order(name: str) -> tuple[Any, ...]:
    """Return a key that sorts reports as a reader meets them: by area, numbers in names as numbers."""
    area, _, rest = name.partition("/")
    areas = (*installed().paper_of_area, *_OWN_AREAS)
    position = areas.index(area) if area in areas else len(areas)
    pieces = [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", rest)]
    return (position, area, pieces)


def heading(notebook: dict[str, Any]) -> tuple[str, str]:
    """Return title and first sentence of a notebook's first markdown cell, as plain text."""
    texts = (
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "markdown" and "papermill-error-cell-tag" not in cell["metadata"].get("tags", [])
    )
    title, _, rest = next(texts, "").strip().partition("\n")
    first_paragraph = rest.strip().split("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ0-9])", first_paragraph, maxsplit=1)[0]
    return plain(title.lstrip("# ")), plain(sentence)


def plain(markdown: str) -> str:
    """Strip the markup from a line of markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"`([^`]*)`", r"\1", text)
    text = re.sub(r"\*+([^*\s](?:[^*]*[^*\s])?)\*+", r"\1", text)
    return re.sub(r"(?<!\w)_+([^_\s](?:[^_]*[^_\s])?)_+(?!\w)", r"\1", text).strip()


def _entry(path: Path, name: str) -> Entry:
    try:
        title, sentence = heading(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"The notebook {path} cannot be read: {error}.") from error
    return Entry(name, path, title or name, sentence)
