"""The front of generalized stochastic dominance: systems that no other system dominates under every utility.

A system is a distribution of points, one per problem. One dominates another if its mean utility is at least as large
for *every* utility that respects the order of the ordinal metrics and the differences of the cardinal ones (Jansen et
al. [1]_, definitions 4 and 5). The front consists of the systems that none dominates strictly (definition 6).

.. [1] C. Jansen, G. Schollmeyer, J. Rodemann, H. Blocher and T. Augustin, "Statistical Multicriteria Benchmarking via
   the GSD-Front", NeurIPS 2024, arXiv:2406.03924.
"""

from __future__ import annotations

__all__ = ["GsdFront"]

import itertools
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.arrays.parallel import map_tasks
from copa_nb.results.answer import Answer
from copa_nb.run_options import options, said
from copa_nb.stochastic_dominance.arrays.preferences import without_rounding_errors
from copa_nb.stochastic_dominance.arrays.resampling import Pair, sample_signs
from copa_nb.stochastic_dominance.dominance import Dominance, Suite
from copa_nb.stochastic_dominance.gsd_test import gsd_test
from copa_nb.tables.columns import ItemsOmittedWarning, one_row_each
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import NAN_POLICIES, Objectives


@dataclass(frozen=True, repr=False, eq=False)
class GsdFront(Dominance):
    """Pairwise dominance of systems over a suite of problems; made by :meth:`df.moo.gsd_front
    <copa_nb.accessor.Moo.gsd_front>`.

    Parameters
    ----------
    statistics : DataFrame
        ``statistics.loc[x, y]`` is the minimum over all utilities u, scaled to 0 at the pair's worst and 1 at its best
        point, of the mean of u over the points of x minus that over the points of y. It is below 0 exactly when x
        does not dominate y.
    suite : Suite
        The points of every system, and the items and objectives they come from.
    regularization : float
        Share of the largest possible gap by which utilities must separate strict preferences.

    Examples
    --------
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo(system="optimizer", item="problem").gsd_front()
    >>> front
    <GsdFront: 3 of 3 systems on the front, 8 items>
    >>> front.front_at(0.02)
    ['SGD', 'Adam']
    """

    paper = "jansen2024gsd"

    test = gsd_test

    def to_answer(self) -> Answer:
        """Which systems are on the front, and whether the one that stays on it longest is so significantly."""
        with options(progress=False):
            return self.test().to_answer()


def gsd_front(
    table: DescribedFrame,
    *,
    ordinal: Hashable | Sequence[Hashable] = (),
    bins: int | None = None,
    regularization: float = 0.0,
) -> GsdFront:
    """Find the systems that no other dominates over all items under every utility of the objectives."""
    suite = read_suite(table, ordinal, bins)
    share = checks.share("regularization", regularization)
    checks.nothing_refused()
    values, n = suite.values, suite.values.shape[1]
    signs = np.stack([sample_signs(n), -sample_signs(n)])
    pairs = list(itertools.combinations(range(len(values)), 2))
    found = map_tasks(
        lambda pair: Pair(values[pair[0]], values[pair[1]], suite.is_ordinal).statistics(signs, share),
        pairs,
        n_jobs=said().n_jobs,
        progress=said().progress,
        label="pairs",
    )
    statistics = np.zeros((len(values), len(values)))
    for (a, b), (forward, backward) in zip(pairs, found, strict=True):
        statistics[a, b], statistics[b, a] = forward, backward
    return GsdFront(pd.DataFrame(statistics, suite.systems, suite.systems), suite, share)


def read_suite(table: DescribedFrame, ordinal: Any = (), bins: int | None = None) -> Suite:
    """Read the points of every system; for parameters and errors see :func:`gsd_front`."""
    item, system = table.named("item"), table.named("system")
    matrix = table.costs()
    ordinal_names = _ordinal_names(ordinal, matrix.objectives)
    bins = None if bins is None else checks.integer("bins", bins, least=2)
    if system == item:
        raise ValueError(
            f"{checks.called('item')} and {checks.called('system')} both name {system!r}; {checks.called('system')} "
            f"names the systems (models), {checks.called('item')} the items they are compared on (data sets, problems)."
        )
    systems, items = table.labels("system"), table.labels("item")
    costs = one_row_each(items, systems, matrix.positions, matrix.values, table.policy(*NAN_POLICIES))
    complete = ~np.isnan(costs).any(axis=(1, 2))
    _check_sizes(systems.labels, int(complete.sum()), system, item)
    if not complete.all():
        warnings.warn(
            f"left out of {len(complete)} items: {checks.listed(items.index[~complete])} because data are missing",
            ItemsOmittedWarning,
            stacklevel=checks.callers_level(),
        )
    is_ordinal = np.array([name in ordinal_names for name in matrix.objectives])
    values = np.stack(
        [
            _ordinal_values(column, sign, bins) if ordered else _cardinal_values(column, name)
            for column, sign, ordered, name in zip(
                np.moveaxis(costs[complete], 2, 0), matrix.objectives.signs, is_ordinal, matrix.objectives, strict=True
            )
        ],
        axis=2,
    ).transpose(1, 0, 2)
    given = costs[complete].transpose(1, 0, 2)
    is_changed = ~is_ordinal & (values != -given).any(axis=(0, 1))
    return Suite(
        values,
        systems.index,
        items.index[complete],
        items.index[~complete],
        matrix.objectives,
        ordinal_names,
        tuple(name for name, changed in zip(matrix.objectives, is_changed, strict=True) if changed),
    )


def _ordinal_names(ordinal: Any, objectives: Objectives) -> tuple[Hashable, ...]:
    several = isinstance(ordinal, list | set | frozenset | pd.Index | np.ndarray)
    # A tuple is one label if an objective has it as its name.
    several = several or (isinstance(ordinal, tuple) and ordinal not in objectives)
    names: tuple[Hashable, ...] = tuple(ordinal) if several else (ordinal,)
    unknown = [name for name in names if name not in objectives]
    if unknown:
        raise ValueError(
            f"{checks.called('ordinal')} names {checks.listed(unknown)}, which is not an objective; the objectives are "
            f"{checks.listed(objectives)}.{checks.nearest(unknown[0], objectives)}"
        )
    return names


def _check_sizes(systems: list[Hashable], n_items: int, system: Any, item: Any) -> None:
    if len(systems) < 2:
        raise ValueError(f"`system` names {system!r}, which holds only one system; at least two are needed.")
    if n_items < 2:
        raise ValueError(
            f"`item` names {item!r}, which leaves {n_items} item with data for every system; at least two are needed. "
            'Name the column of the data sets or problems, or pass nan_policy="worst".'
        )


def _ordinal_values(costs: np.ndarray, sign: float, bins: int | None) -> np.ndarray:
    """Ranks, or quantile classes in the objective's own units; larger is better, and equal stays equal."""
    if bins is None:
        ranks: np.ndarray = -np.unique(costs, return_inverse=True)[1].reshape(costs.shape).astype(float)
        return ranks
    own = costs * sign
    edges = np.quantile(own[np.isfinite(own)], np.linspace(0, 1, bins + 1)) if np.isfinite(own).any() else [0.0]
    classes = -sign * np.searchsorted(edges, own, side="right").astype(float)
    return np.where(np.isposinf(costs), classes.min() - 1, classes)


def _cardinal_values(costs: np.ndarray, name: Hashable) -> np.ndarray:
    if not np.isfinite(costs).all():
        raise ValueError(
            f"objective {name!r} has infinite values, or missing values that count as worst, so differences are not "
            f'defined. List it in `ordinal`, or pass nan_policy="omit".'
        )
    return without_rounding_errors(-costs)
