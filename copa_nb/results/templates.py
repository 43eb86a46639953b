"""What ships beside the code, and what pages take from the templates besides their text: head, style, scripts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from copa_nb.results import html_page

PACKAGE = Path(str(files("copa_nb"))).resolve()
# Colors of letters and of the page, in light and in dark.
_INK = ("#1d2530", "#e4e7eb")
_PAPER = ("#fff", "#181818")


def shipped_folder(kind: str) -> Path:
    """Return the folder ``notebooks`` or ``templates``: inside an installed package, or in the root of a clone.

    Raises
    ------
    FileNotFoundError
        If the package was installed without it.
    """
    for folder in (PACKAGE / kind, PACKAGE.parent / kind):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The folder {kind!r} of copa_nb is missing; reinstall the package.")


def template_text(path: str) -> str:
    """Return a style or script of the templates, e.g. ``"copa_report/report.css"``."""
    return (shipped_folder("templates") / path).read_text(encoding="utf-8")


def page_head(
    title: str,
    *,
    styles: Sequence[str],
    scripts: Sequence[str],
    images: str = "'self' data:",
    description: str = "",
    preview: str = "",
) -> str:
    """Write the head of a page, by ``html_page.head``; styles are named as in :func:`template_text`."""
    style = "".join(map(template_text, styles))
    return html_page.head(
        title, style, scripts=scripts, images=images, ink=_INK, paper=_PAPER, description=description, preview=preview
    )
