"""What a notebook stores in its outputs for its report: JSON under MIME types of our own.

JupyterLab, GitHub and nbconvert ignore types that they do not know and show the HTML or PNG stored with it, so an
executed notebook can be read without this package.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

FIGURE = "application/vnd.copa-nb.figure+json"
TABLE = "application/vnd.copa-nb.table+json"
CLAIM = "application/vnd.copa-nb.claim+json"
DATA = "application/vnd.copa-nb.data+json"
ANSWER = "application/vnd.copa-nb.answer+json"
FILES = "application/vnd.copa-nb.files+json"
TEXT = "application/vnd.copa-nb.text+json"
EXPLORER = "application/vnd.copa-nb.explorer+json"
PROVENANCE = "application/vnd.copa-nb.provenance+json"
# Tag of the cell whose figure stands for the report, where that is not its first.
MAIN_FIGURE = "main-figure"


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


def main_figure(notebook: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the figure that stands for a notebook: the first of the cell tagged ``main-figure``, or the first."""
    tagged = [cell for cell in notebook["cells"] if MAIN_FIGURE in cell["metadata"].get("tags", [])]
    named = payloads({"cells": tagged}, FIGURE)
    return next(iter([*named, *payloads(notebook, FIGURE)]), None)


def source_line(closing: Mapping[str, Any]) -> str:
    """Return what a picture that leaves its page says of where it is from.

    Examples
    --------
    >>> source_line({"paper": "COPA", "item": "Figure 1", "data": [{"name": "leaderboard"}]})
    'COPA, Figure 1 · data: leaderboard · copa_nb'
    """
    of_paper = ", ".join(filter(None, (closing.get("paper"), closing.get("item"))))
    data = ", ".join(dict.fromkeys(source["name"] for source in closing.get("data", [])))
    return " · ".join(filter(None, (of_paper, data and f"data: {data}", "copa_nb")))


def answer(notebook: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return headline and lines of the answer that a notebook recorded, None if it did not."""
    return next(iter(payloads(notebook, ANSWER)), None)


def answered(title: str, answer: Mapping[str, Any] | None) -> str:
    """Return the title of a report: the headline of its answer, or the notebook's heading without one.

    Examples
    --------
    >>> answered("COPA, Figure 1", {"headline": "Ranks reach the whole front"}), answered("Choose a model", None)
    ('Ranks reach the whole front', 'Choose a model')
    """
    return title if answer is None else str(answer["headline"])


def provenance(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the paper, the item and the versions that a notebook closed with; empty if it did not get there."""
    return next(iter(payloads(notebook, PROVENANCE)), {})
