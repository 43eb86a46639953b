"""Print a page to PDF: with WeasyPrint if it is installed, else with a Chromium."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from copa_nb import logs

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_BROWSER_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--no-pdf-header-footer",
)  # fmt: skip
_BROWSER_SECONDS = 120
_DATES = re.compile(rb"(/(?:CreationDate|ModDate) \(D:)(\d{14})")


class PdfUnavailableError(RuntimeError):
    """Neither WeasyPrint nor a Chromium is installed."""


def to_pdf(page: str) -> bytes:
    """Print a self-contained page.

    Parameters
    ----------
    page : str
        HTML whose images are inside it.

    Returns
    -------
    bytes
        PDF; the same bytes for the same page.

    Raises
    ------
    PdfUnavailableError
        If there is nothing to print with.
    """
    browser = check_pdf()
    return _with_browser(page, browser) if browser else _with_weasyprint(page)


def check_pdf() -> str | None:
    """Return the browser to print with, None for WeasyPrint; raise :class:`PdfUnavailableError` if there is neither."""
    if has_weasyprint():
        return None
    browser = find_browser()
    if browser is None:
        raise PdfUnavailableError(
            "PDF needs WeasyPrint (pip install 'copa_nb[pdf]'), or Chromium or Chrome on the PATH; none was found."
        )
    return browser


def has_weasyprint() -> bool:
    """Tell whether WeasyPrint and the system libraries it draws with can be loaded."""
    try:
        import weasyprint
    except (ImportError, OSError):
        return False
    return bool(weasyprint)


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, if there is one."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def _with_weasyprint(page: str) -> bytes:
    import weasyprint

    # The page may use what is inside it, but neither files nor the network.
    inside_only = weasyprint.urls.URLFetcher(allowed_protocols={"data"})
    with logs.at_level(logging.ERROR, *map(logging.getLogger, ("weasyprint", "fontTools"))):
        return weasyprint.HTML(string=page, url_fetcher=inside_only).write_pdf()


def _with_browser(page: str, browser: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="copa-nb-") as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        options = (*_BROWSER_OPTIONS, f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}")
        command = [browser, *options, source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=_BROWSER_SECONDS)
        return _DATES.sub(rb"\g<1>20000101000000", target.read_bytes())
