"""Print a page to PDF with WeasyPrint."""

from __future__ import annotations

import logging

from copa_nb import logs


class PdfUnavailableError(RuntimeError):
    """WeasyPrint, or a system library that it draws with, is not installed."""


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
    check_pdf()
    import weasyprint

    # The page may use what is inside it, but neither files nor the network.
    inside_only = weasyprint.urls.URLFetcher(allowed_protocols={"data"})
    with logs.at_level(logging.ERROR, *map(logging.getLogger, ("weasyprint", "fontTools"))):
        return weasyprint.HTML(string=page, url_fetcher=inside_only).write_pdf()


def check_pdf() -> None:
    """Raise :class:`PdfUnavailableError` if pages cannot be printed."""
    try:
        import weasyprint  # noqa: F401
    except (ImportError, OSError) as error:  # a system library is missing
        raise PdfUnavailableError(f"PDF needs WeasyPrint: pip install 'copa_nb[pdf]' ({error}).") from error
