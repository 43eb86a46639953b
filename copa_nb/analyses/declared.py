"""The analyses of a user's own table: of each what does not follow from its verb.

A further one is an entry here, and its notebook in ``notebooks/yours``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.accessor.of_frames import PandasMoo
from copa_nb.analyses import again
from copa_nb.analyses.base import Analysis, Request, Step
from copa_nb.analyses.parameters import Parameter
from copa_nb.checks import called
from copa_nb.comparisons.board import Board
from copa_nb.comparisons.compare import POLICIES
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES
from copa_nb.generalization.result import Gap
from copa_nb.partial_orders.depth import DepthResult
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.selection.copa import Selection
from copa_nb.significance.audit import Audit
from copa_nb.significance.result import HypervolumeTest
from copa_nb.sources.boards import layout_of
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.stochastic_dominance.gsd_test import check_test
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import Description
from copa_nb.tables.missing_values import WITH_BOUNDS

_ROWS = ("system", "item", "cluster", "repeat")
_ERRORS = ("standard_error", "n", "known")


def _with_claims(values: dict[str, Any]) -> dict[str, Any]:
    """The two sides of a claim as the verb takes them: a pair."""
    sides = {side: values.get(side) for side in ("new", "baseline")}
    others = {name: value for name, value in values.items() if name not in sides}
    if bool(sides["new"]) != bool(sides["baseline"]):
        raise ValueError(
            f"only one of {called('new')} and {called('baseline')} is given; give both, or neither to audit all pairs."
        )
    return {**others, "claims": [[sides["new"], sides["baseline"]]]} if sides["new"] else others


def _rows_are_runs(request: Request, folder: Path) -> dict[str, Any]:
    """Rows are runs, although nothing may number them: the system names no rows."""
    return {} if request["repeat"] else {"repeat": None}


def _of_layout(request: Request, folder: Path) -> dict[str, Any]:
    """What the table of a board shows of its layout, and the files that join it."""
    given = {word: next(iter(request[word]), "") for word in _ROWS}
    layout = layout_of(
        request.load(folder), [*request["objectives"]], **given, show=request["show"],
        has_errors=bool(request["standard_error"]),
    )  # fmt: skip
    return {**layout, **({"join": request["join"]} if request["join"] else {})}


def _check_earlier_board(request: Request, table: pd.DataFrame, found: Any) -> None:
    if request["since"] and not Path(request["since"]).is_file():
        raise FileNotFoundError(f"{called('since')} is {request['since']!r}, but there is no such file.")
    if request["since"]:
        Board.read(request["since"])


def _check_budgets(request: Request, table: pd.DataFrame, found: Gap) -> None:
    if request["budgets"]:
        found.in_order.budgets(request["budgets"])


def _check_tested(request: Request, table: pd.DataFrame, found: Any) -> None:
    systems = DescribedFrame(table, Description.of_frame(table)).labels("system").labels
    check_test(systems, request["tested"] or None, request["alpha"], request["n_resamples"], argument="tested")


DECLARED: Mapping[str, Analysis] = {
    one.name: one
    for one in (
        Analysis(
            name="select", verb="copa", notebook="yours/select", title="Selection",
            words=(*_ROWS, *_ERRORS, "bounds"), policies=WITH_BOUNDS,
            offered=("weights", "p", "where", "normalize"), results=(Selection,), again=again.choice, in_pieces=True,
        ),
        Analysis(
            name="compare", verb="compare", notebook="yours/compare", title="Comparison of two systems",
            words=(*_ROWS, "known"), policies=POLICIES, offered=("new", "baseline", "margin"), compares_logs=True,
        ),
        Analysis(
            name="board", verb="board", notebook="yours/board", title="Leaderboard with ties",
            words=(*_ROWS, *_ERRORS, "bounds"), policies=MEASUREMENT_POLICIES,
            offered=("weights", "p", "join", "title", "since"),
            also=(
                Step(Board.published), Step(Board.since, only=("earlier",), named={"earlier": "since"}),
                Parameter(
                    "join", [], "Further files of the board, joined by system and item: one per metric, named like it, "
                    "if columns are items", metavar="FILE",
                ),
            ),
            arranged=_of_layout, refused=_check_earlier_board, in_pieces=True,
        ),
        Analysis(
            name="cheaper", verb="cheaper", notebook="yours/cheaper", title="Cheaper equivalents",
            words=(*_ROWS, *_ERRORS), policies=MEASUREMENT_POLICIES, offered=("cost", "than", "margin", "by"),
            also=(Step(PandasMoo.by, only=("columns",), named={"columns": "by"}),),
        ),
        Analysis(
            name="front", verb="confident_front", notebook="yours/confident_front", title="Fronts with confidence",
            words=(*_ROWS, *_ERRORS, "bounds", "log"), policies=MEASUREMENT_POLICIES, offered=("log",),
        ),
        Analysis(
            name="gap", verb="gap", notebook="yours/gap", title="Generalization gap",
            words=("system", "repeat", "order", "validation", "test"),
            offered=("validation", "test", "order", "budgets", "where"),
            also=(Step(Gap.budgets, named={"numbers": "budgets"}),),
            results=(Gap,), again=again.gap, refused=_check_budgets,
        ),
        Analysis(
            name="audit", verb="audit", notebook="yours/significance", title="Significance",
            words=("system", "repeat", "log"), offered=("new", "baseline", "reference", "log", "paired"),
            also=(Step(PandasMoo.hv_test, only=("new", "baseline")),),
            made={"claims": ("new", "baseline")}, combined=_with_claims,
            results=(HypervolumeTest, Audit), again=again.audit, arranged=_rows_are_runs,
        ),
        Analysis(
            name="gsd_front", verb="gsd_front", notebook="yours/gsd", title="GSD front",
            words=("system", "item"), offered=("ordinal", "tested"),
            then=Step(GsdFront.test, named={"system": "tested"}, name="test"), refused=_check_tested,
        ),
        Analysis(
            name="posets", verb="posets", notebook="yours/partial_orders", title="Partial orders",
            words=("system", "item"), offered=("ties",),
            # What central orders and reviews of a suite are asked with, too.
            then=Step(PosetSample.depth, only=("method", "n_samples", "rng"), defaults={"method": "auto"}),
            results=(DepthResult,), again=again.depths,
        ),
    )
}  # fmt: skip
