"""The analyses by name, by command, by notebook and by the result that they give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from copa_nb.analyses.base import Analysis
from copa_nb.analyses.declared import DECLARED


def analyses() -> Mapping[str, Analysis]:
    """Return the analyses by name.

    Examples
    --------
    >>> analyses()["select"].notebook
    'yours/select'
    """
    return DECLARED


def commands() -> dict[str, Analysis]:
    """Return the analyses by the name of their command.

    Examples
    --------
    >>> commands()["gsd-front"].name
    'gsd_front'
    """
    return {one.command: one for one in analyses().values()}


def of_notebook(notebook: str) -> Analysis | None:
    """Return the analysis that a notebook makes, None for other notebooks."""
    return next((one for one in analyses().values() if one.notebook == notebook), None)


def check(notebook: str, parameters: Mapping[str, Any], folder: Path | str = ".") -> None:
    """Check the table of a report before it runs; notebooks that are no analysis of one's own table pass."""
    if analysis := of_notebook(notebook):
        analysis.of(parameters).check(folder)


def of_result(result: Any) -> Analysis | None:
    """Return the analysis that gives a result again, None if there is none."""
    return next((one for one in analyses().values() if isinstance(result, one.results)), None)
