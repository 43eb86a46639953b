"""The page of a ledger: one table of claims with their verdicts, of the papers and of files of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from copa_nb.results.templates import page_head, shipped_folder, template_text

_STYLES = ("copa_report/report.css", "copa_overview/overview.css")


def environment() -> Any:
    """Return what fills the templates of the index and the ledger."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = shipped_folder("templates")
    loader = FileSystemLoader([templates / "copa_overview", templates / "copa_report"])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def page_context(*, script: str = "", images: str = "data:") -> dict[str, Any]:
    """Return what the frame of every page needs."""
    scripts = [script] if script else []
    head = partial(page_head, styles=_STYLES, scripts=scripts, images=images)
    return {"script": script, "head": head, "finished": "", "seconds": 0.0, "versions": {}}


def filter_context() -> dict[str, Any]:
    """Return what the frame of a page with filters needs."""
    return page_context(script=template_text("copa_overview/filter.js"), images="'self' file: data:")


def ledger_page(
    title: str,
    groups: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    titles: Mapping[str, str],
    tally: Mapping[str, int],
    lead: str,
    frame: Mapping[str, Any],
    **further: Any,
) -> str:
    """Write a ledger: one table of claims, whose details open.

    Parameters
    ----------
    title : str
        Of the page.
    groups : mapping of str to sequence of mapping
        The claims under their headings, no heading for "". A claim has ``id``, ``anchor``, ``says``, ``place``,
        ``link`` to its evidence, ``ours``, ``verdict``, ``own``, ``reason``, and ``details`` by name.
    titles : mapping
        Titles of the columns ``place``, ``ours`` and ``reason``.
    tally : mapping of str to int
        Number of claims by verdict.
    lead : str
        What the verdicts mean.
    frame : mapping
        Of :func:`page_context`.
    **further
        ``picture`` (HTML), ``csv`` and ``home`` (file names), ``papers`` to filter by, ``own`` claims by verdict.
    """
    context = {"picture": "", "csv": "", "home": "", "papers": [], "own": {}, **further, **frame}
    template = environment().get_template("ledger.html.j2")
    written: str = template.render(title=title, groups=groups, titles=titles, tally=tally, lead=lead, **context)
    return written
