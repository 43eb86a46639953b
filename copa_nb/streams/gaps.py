"""The gap between validation and test, of the rows that are on a front."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.generalization.gap import KEEP_OR_BOUNDS, columns_of_searches, gap_of
from copa_nb.generalization.scores import PairedScores, parts_of, score_pairs
from copa_nb.generalization.searches import BOUNDS
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.streams.batches import Batches, as_list, ask
from copa_nb.streams.passes import ByGroup, check_all, gather_rows, warn_omitted
from copa_nb.tables.columns import column_or_level
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives


def gap(
    frame: Batches,
    described: DescribedFrame,
    *,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    keep: str = "all",
    where: Any = None,
) -> Any:
    """Measure what a validation front is worth on test, in one pass; see ``df.moo.gap()``.

    Rows that are on the front on validation, or on test, are kept, so that the result has no ``falls``, ``budgets`` or
    ``overtuning``, and `order` has no effect.
    """
    checks.one_of("keep", keep, KEEP_OR_BOUNDS)
    by, repeat = columns_of_searches(described)
    for name in as_list(repeat):
        column_or_level(frame.empty, name, "repeat")
    pairs, resolved = score_pairs(frame.empty, described.description.objectives, *parts_of(described))
    columns = {pairs[name][part]: direction for part in (0, 1) for name, direction in resolved.directions}
    k, rule = len(resolved), "all" if keep == BOUNDS else keep
    of_columns = replace(described.saying(Objectives.of(columns)), groups=[*as_list(by), *as_list(repeat)] or None)
    table = ask(frame, of_columns, where=where, contenders=partial(_on_a_front, k=k, keep=rule))
    groups: ByGroup = frame.value(gather_rows(table))
    whole = check_all(groups, table.plan)
    warn_omitted(whole)

    def paired(costs: np.ndarray, rows: pd.DataFrame, **more: Any) -> PairedScores:
        before, after = np.ascontiguousarray(costs[:, :k]), np.ascontiguousarray(costs[:, k:])
        return PairedScores(before, after, resolved, rows.index, np.arange(len(rows)), **more)

    ends = np.stack([whole.ideal, whole.nadir])
    point = paired(ends, pd.DataFrame(index=range(2))).reference(reference, reference_margin)
    kept = [gathered for gathered in groups.values() if len(gathered.costs)]
    rows = pd.concat([gathered.rows for gathered in kept])
    # The first row of a group stands for all that are on no front.
    stands_for = np.concatenate([np.eye(1, len(one.costs), dtype=int)[0] * one.n_candidates for one in kept])
    scores = paired(
        np.concatenate([gathered.costs for gathered in kept]), rows, n_omitted=whole.n_omitted, frame=rows,
        stands_for=stands_for,
    )  # fmt: skip
    return gap_of(scores, point, keep=keep, by=by, repeat=repeat, reference_given=not isinstance(reference, str))


def _on_a_front(costs: np.ndarray, *, k: int, keep: str) -> np.ndarray:
    """Mark the rows that no other dominates on validation, or on test."""
    on_either: np.ndarray = nondominated(costs[:, :k], keep=keep) | nondominated(costs[:, k:], keep=keep)
    return on_either
