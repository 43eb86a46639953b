"""What pages of reports, the index and the ledger take from the templates besides their text: head, style, scripts."""

from __future__ import annotations

from collections.abc import Sequence

from copa_nb import html_page
from copa_nb.reports.catalog import shipped_folder

# Colors of letters and of the page, in light and in dark.
_INK = ("#1d2530", "#e4e7eb")
_PAPER = ("#fff", "#181818")


def template_text(path: str) -> str:
    """Return a style or script of the templates, e.g. ``"copa_report/report.css"``."""
    return (shipped_folder("templates") / path).read_text(encoding="utf-8")


def page_head(title: str, *, styles: Sequence[str], scripts: Sequence[str], images: str = "'self' data:") -> str:
    """Write the head of a page; see :func:`copa_nb.html_page.head`. Styles are named as in :func:`template_text`."""
    style = "".join(map(template_text, styles))
    return html_page.head(title, style, scripts=scripts, images=images, ink=_INK, paper=_PAPER)
