"""Reports as methods of results: the analysis that gave a result, as a notebook on the same table.

The command makes reports without a result; it does not import this module, and none of the results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from copa_nb.generalization.result import Gap
from copa_nb.partial_orders.depth import DepthResult
from copa_nb.reports.report import Report, report
from copa_nb.results.offered import offered_by
from copa_nb.results.result import Result
from copa_nb.selection.copa import Selection
from copa_nb.significance.audit import Audit
from copa_nb.significance.result import HypervolumeTest


@offered_by(Audit, "report")
@offered_by(DepthResult, "report")
@offered_by(Gap, "report")
@offered_by(HypervolumeTest, "report")
@offered_by(Selection, "report")
def report_of(result: Result, out: Path | str = "reports", **options: Any) -> Report:
    """Make the report on the table of this result, with its options: figures, tables and a page.

    Parameters
    ----------
    result : Result
        A result of an analysis.
    out : path
        Folder for reports.
    **options
        Further parameters of the report, or other values of those that this result has, and ``folder``,
        ``formats``, ``timeout``, ``force`` and ``progress``; see :func:`copa_nb.report`.

    Returns
    -------
    Report
        Where it is.

    Raises
    ------
    ValueError
        For options of the result that the report cannot repeat, before anything runs.
    """
    return report(result, out=out, **options)
