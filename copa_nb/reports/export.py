"""From an executed notebook to HTML: nbconvert with the template of the package, nothing from a network."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from copa_nb.reports.catalogue import shipped_folder

TEMPLATE = "copa_report"


def to_html(notebook: Any, *, vector: bool = False) -> str:
    """Draw an executed notebook as one self-contained page.

    Parameters
    ----------
    notebook : NotebookNode
        With the payloads that :class:`~copa_nb.reports.Record` lays down; others are shown as well.
    vector : bool
        Every figure as SVG, for print.

    Returns
    -------
    str
    """
    page, _ = _exporter(vector).from_notebook_node(notebook)
    return page


@lru_cache(maxsize=2)
def _exporter(vector: bool) -> Any:
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    config = Config()
    config.PagePreprocessor.vector = vector
    config.HTMLExporter.exclude_anchor_links = True
    return HTMLExporter(
        config=config, template_name=TEMPLATE, extra_template_basedirs=[str(shipped_folder("templates"))]
    )
