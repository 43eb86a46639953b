"""What a report notebook carries inside its outputs, as JSON under MIME types of our own.

JupyterLab, GitHub and nbconvert ignore types they do not know and show the HTML or PNG beside them,
so a notebook needs nothing of ours to be read; the runner later unpacks the payloads into files.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

FIGURE = "application/vnd.copa-nb.figure+json"
TABLE = "application/vnd.copa-nb.table+json"
CLAIM = "application/vnd.copa-nb.claim+json"
DATA = "application/vnd.copa-nb.data+json"
PROVENANCE = "application/vnd.copa-nb.provenance+json"
# Marks an output that repeats a payload for readers without our template (a caption, the closing
# table of claims); the template leaves it out.
FOR_NOTEBOOKS_ONLY = {"copa_nb": {"notebook_only": True}}


def emit(
    payload: Mapping[str, object] | None = None,
    *,
    kind: str = "",
    metadata: Mapping[str, object] | None = None,
    **shown: object,
) -> None:
    """Display a payload of one `kind` together with what readers without the template see.

    Parameters
    ----------
    payload : mapping, optional
        JSON data of our own; left out for outputs that only repeat one.
    kind : str
        MIME type of the payload.
    metadata : mapping, optional
        Metadata of the output.
    **shown
        ``html=``, ``png=`` (bytes) and ``text=`` for everyone else.
    """
    from IPython import get_ipython
    from IPython.display import display

    if get_ipython() is None:
        print(shown.get("text", ""))
        return

    bundle: dict[str, object] = {"text/plain": shown.get("text", "")}
    if "html" in shown:
        bundle["text/html"] = shown["html"]
    png = shown.get("png")
    if isinstance(png, bytes):
        bundle["image/png"] = base64.b64encode(png).decode("ascii")
    if payload is not None:
        bundle[kind] = dict(payload)
    display(bundle, raw=True, metadata=dict(metadata or {}))


def payloads(notebook: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """Yield the payloads of one kind in the order in which the notebook shows them."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            found = output.get("data", {}).get(kind)
            if found is not None:
                yield found
