"""Fronts with confidence: which entities are on the Pareto front for sure, which are dominated, which stay open."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import Objectives, ObjectivesLike
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.uncertainty import equal_for_sure, established, front_shares
from copa_nb.pareto.measurements import FEWEST_RESAMPLES, beside, measurements
from copa_nb.results import PlotMethod, Result

ON_FRONT, OPEN, DOMINATED = "on the front", "open", "dominated"
VERDICTS = (ON_FRONT, OPEN, DOMINATED)


@dataclass(frozen=True, repr=False, eq=False)
class ConfidentFront(Result):
    """What is known of a Pareto front whose points are measured with error.

    Parameters
    ----------
    table : DataFrame
        One row per entity, in the order of the verdicts: the means of its objectives, ``share`` (bootstrap frequency
        of being on the front), ``on_front`` (by the means), ``verdict``, and ``dominated_by``: an entity that is
        better for sure, None if there is none.
    means : DataFrame
        Means of the objectives alone, in the same order.
    objectives : Objectives
        Names and directions.
    alpha : float
        Largest probability that any verdict "on the front" or "dominated" is wrong (familywise, over all entities and
        all who may dominate them; step-down max-T).
    n_resamples : int
        Resamples and draws of errors.
    measured : str
        How the precision is known.
    n_omitted : int
        Items or rows left out because something was missing.
    """

    table: pd.DataFrame
    means: pd.DataFrame
    objectives: Objectives
    alpha: float
    n_resamples: int
    measured: str
    n_omitted: int = 0

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self._with(verdict))} {verdict}" for verdict in VERDICTS)
        return f"<ConfidentFront of {len(self.table)}: {counts}; α = {self.alpha:g}>"

    @property
    def conservative(self) -> list[Hashable]:
        """Entities that are on the front for sure."""
        return self._with(ON_FRONT)

    @property
    def central(self) -> list[Hashable]:
        """The front of the means."""
        return self.table.index[self.table["on_front"]].tolist()

    @property
    def optimistic(self) -> list[Hashable]:
        """Entities that may be on the front: all that are not dominated for sure."""
        return self.table.index[self.table["verdict"] != DOMINATED].tolist()

    def explain(self) -> str:
        """Say in words who is on the front, who is not, and what stays open."""
        sure, still_open, out = (self._with(verdict) for verdict in VERDICTS)
        n = len(self.table)
        parts = [
            f"Of {n} {text.plural(self.table.index.name, 'systems')}, {len(sure)} "
            f"{'is' if len(sure) == 1 else 'are'} on the front for sure{_named(sure)}, {len(out)} "
            f"{'is' if len(out) == 1 else 'are'} dominated, and {len(still_open)} "
            f"{'stays' if len(still_open) == 1 else 'stay'} open{_named(still_open)}.",
            f"The probability that any of these verdicts is wrong is at most {text.percent(self.alpha)} (step-down "
            f"max-T over all pairs and objectives; {self.measured}).",
            f"By the means alone {len(self.central)} would be called Pareto-optimal.",
        ]
        if self.n_omitted:
            parts.append(f"{self.n_omitted} incomplete items or rows were left out.")
        return " ".join(parts)

    plot = PlotMethod("plot_confident_front")

    def _with(self, verdict: str) -> list[Hashable]:
        return self.table.index[self.table["verdict"] == verdict].tolist()


@any_frame
@shared_parameters
def confident_front(
    frame: pd.DataFrame,
    *,
    system: Any = None,
    item: Any = None,
    repeat: Any = None,
    noise: Mapping[Hashable, Any] | None = None,
    objectives: ObjectivesLike = None,
    alpha: float = 0.05,
    n_resamples: int = 2000,
    nan_policy: str = "raise",
    rng: int | np.random.Generator | None = 0,
) -> ConfidentFront:
    """Who is on the Pareto front for sure, who is dominated, and who cannot be told.

    The front of measured means changes with the items, runs or seeds behind them. An entity is *on the front* if each
    other one is established to be worse in some objective, *dominated* if some other one is established to be better in
    every objective, and *open* otherwise. All comparisons are tested at once (step-down max-T [1]_), so that the
    probability of any wrong verdict is at most `alpha`, whatever the number of entities and objectives.

    Parameters
    ----------
    frame : DataFrame
        One row for each entity and item (and repetition), for each run, or, with `noise`, for each entity.
    system : label or list of labels, optional
        Columns or index levels that name the entity. With `noise`, the index does if this is left out.
    item : label or list of labels, optional
        What every entity was measured on: questions, tasks, or seeds that all share. Items are resampled for all
        entities and objectives together, which keeps what makes them go up and down together.
    repeat : label or list of labels, optional
        Repetitions of each item where `item` is given; otherwise independent runs of each entity.
    noise : mapping of objective to column, optional
        Columns of standard errors, or pairs of columns with the ends of 95 % intervals, of normal and independent
        errors. Objectives that are left out are taken as known.
    %(objectives)s
    alpha : float
        Largest probability that any verdict is wrong.
    n_resamples : int
        Resamples, and draws of errors; at least 100.
    nan_policy : {"raise", "omit"}
        Refuse missing values and incomplete items, or leave them out.
    %(rng)s

    Returns
    -------
    ConfidentFront
        Verdicts, bootstrap frequencies, and the conservative, central and optimistic fronts.

    Raises
    ------
    %(gate_errors)s
    ValueError
        If it is not said how precise the table is, or items, runs or errors do not fit together.

    See Also
    --------
    front : The front of the values as they are.
    hv_test : Whether the front of one system is larger than that of another.

    Notes
    -----
    ``share`` is a frequency over resamples, not the probability of being on the front; the verdicts carry the error
    rate. Statistics are Student's t: of items under random signs, of runs as simulated from normal runs with each
    entity's own covariance.

    References
    ----------
    .. [1] J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", Journal
       of the American Statistical Association 100, 2005.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.90, 0.89, 0.70], "cost": [3.0, 1.0, 2.0], "se": [0.01, 0.01, 0.01]}, index=["a", "b", "c"]
    ... )
    >>> front = copa_nb.confident_front(models, noise={"accuracy": "se"}, objectives={"accuracy": "max", "cost": "min"})
    >>> front
    <ConfidentFront of 3: 1 on the front, 1 open, 1 dominated; α = 0.05>
    >>> front.conservative, front.central, front.optimistic
    (['b'], ['b', 'a'], ['b', 'a'])
    """
    checks.fraction("alpha", alpha)
    n_resamples = checks.integer("n_resamples", n_resamples, least=FEWEST_RESAMPLES)
    read = measurements(
        frame, system=system, item=item, repeat=repeat, noise=noise, objectives=objectives, nan_policy=nan_policy
    )
    measured = read.uncertainty(n_resamples, checks.generator(rng))
    better, equal = established(measured, alpha=alpha), equal_for_sure(measured)
    same = equal.all(axis=0) | np.eye(len(read.labels), dtype=bool)
    # Better in some objective than each other entity, or the same in all.
    on_front = np.all(better.any(axis=0) | same, axis=1)
    # [j, i]: j is better than i in some objective and worse in none, for sure.
    over = (better | equal).all(axis=0) & ~same
    verdicts = np.where(over.any(axis=0), DOMINATED, np.where(on_front, ON_FRONT, OPEN))
    labels = np.empty(len(read.labels), dtype=object)
    labels[:] = read.labels.tolist()
    # The one that is best among those that dominate for sure: itself on the front of the means, if any of them is.
    front = nondominated(measured.means)
    ahead = np.argmax(over * (1 + front[:, None]), axis=0)
    dominators = [labels[j] if out else None for j, out in zip(ahead, over.any(axis=0), strict=True)]
    computed = pd.DataFrame(
        {
            "share": front_shares(measured.draws),
            "on_front": front,
            "verdict": verdicts,
            "dominated_by": pd.Series(dominators, index=read.labels, dtype=object),
        },
        index=read.labels,
    )
    order = np.lexsort((-computed["share"].to_numpy(), np.array([VERDICTS.index(verdict) for verdict in verdicts])))
    means = read.in_own_units(measured.means).iloc[order]
    return ConfidentFront(
        beside(computed.iloc[order], means), means, read.objectives, alpha, n_resamples, read.describe(), read.n_omitted
    )


def _named(labels: list[Hashable]) -> str:
    """The labels in brackets if there are few."""
    return f" ({text.listing(map(text.label, labels))})" if 0 < len(labels) <= 5 else ""
