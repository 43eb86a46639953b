"""Fronts with confidence: which systems are significantly on the Pareto front, dominated, or undecided."""

from __future__ import annotations

__all__ = ["ConfidentFront"]

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.uncertainty import front_shares, known_equal, significantly_better
from copa_nb.comparisons.measurements import FEWEST_RESAMPLES, Measurements, beside, remaining_at_worst
from copa_nb.comparisons.read_measurements import measurements
from copa_nb.costs import MOST_SECONDS, check_pairs
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable, first_columns
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part, say
from copa_nb.run_options import said
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives

ON_FRONT, UNDECIDED, DOMINATED = "on the front", "undecided", "dominated"
VERDICTS = (ON_FRONT, UNDECIDED, DOMINATED)
_MOST_NAMED, _MOST_LISTED = 2, 5  # systems that a headline names, and those that a reason names
_LONG = 20  # rows of a table that a page folds
_HEADERS = {
    "on_front": "on the front of means",
    "dominated_by": "dominated by",
    "survives": "verdict holds in the worst case",
}


@dataclass(frozen=True, repr=False, eq=False)
class ConfidentFront(Worded):
    """A Pareto front with the uncertainty of its measurements.

    Parameters
    ----------
    table : DataFrame
        One row per system, in the order of the verdicts: the means of its objectives, ``share`` (bootstrap frequency
        of being on the front), ``on_front`` (by the means), ``verdict``, and ``dominated_by``: a system that is
        significantly better, or None. Where values are missing and assumed to be so at random, ``survives`` says
        whether a verdict also holds in the worst case; undecided ones have no such entry.
    means : DataFrame
        Means of the objectives alone, in the same order.
    objectives : Objectives
        Names and directions.
    alpha : float
        Probability that any of the verdicts "on the front" and "dominated" is wrong.
    n_resamples : int
        Number of resamples, or of draws of the errors.
    measured : str
        The source of uncertainty.
    guarantee : Guarantee
        What was sampled, how exactly `alpha` holds, and what this table gives to doubt it.
    low, high : DataFrame, optional
        Ends of an interval of each mean alone, from the resamples; None if means hold whatever is missing.
    """

    paper = "romano2005stepdown"

    _internals = frozenset(("high", "low"))

    table: pd.DataFrame
    means: pd.DataFrame
    objectives: Objectives
    alpha: float
    n_resamples: int
    measured: str
    guarantee: Guarantee
    low: pd.DataFrame | None = field(default=None, repr=False)
    high: pd.DataFrame | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self._with(verdict))} {verdict}" for verdict in VERDICTS)
        return f"<ConfidentFront of {len(self.table)}: {counts}; α = {self.alpha:g}>"

    @property
    def conservative(self) -> list[Hashable]:
        """Systems that are significantly on the front."""
        return self._with(ON_FRONT)

    @property
    def central(self) -> list[Hashable]:
        """The front of the means."""
        return self.table.index[self.table["on_front"]].tolist()

    @property
    def optimistic(self) -> list[Hashable]:
        """Systems that may be on the front: all that are not significantly dominated."""
        return self.table.index[self.table["verdict"] != DOMINATED].tolist()

    def parts(self) -> list[Part]:
        """Which systems are significantly on the front, dominated, or undecided, and how certain this is."""
        return [
            self._decision(),
            part("confident_front.reasons.verdicts", **{name: self._counted(verdict) for name, verdict in
                 (("sure", ON_FRONT), ("undecided", UNDECIDED), ("dominated", DOMINATED))}),
            part("confident_front.reasons.means", n=len(self.central)),
            *self.guarantee.stated(),
            part("confident_front.details.measured", measured=self.measured),
            *self.guarantee.doubts(),
        ]  # fmt: skip

    def _decision(self) -> Part:
        """What to do: keep what is shown to be on the front, or rule out what is shown to be dominated."""
        sure, dominated, rows = self.conservative, len(self.table) - len(self.optimistic), len(self.table)
        counts = {"rows": rows, "systems": self._systems}
        if not sure and not dominated:
            return part("confident_front.headline.open", **counts)
        if not sure:
            return part("confident_front.headline.ruled_out", dominated=dominated, **counts)
        if len(sure) > _MOST_NAMED:
            return part("confident_front.headline.counted", sure=len(sure), **counts)
        named = list(map(text.label, sure))
        still_open = rows - dominated - len(sure)
        if still_open:
            return part("confident_front.headline.named", sure=named, open=still_open)
        return part("confident_front.headline.decided", sure=named)

    def _counted(self, verdict: str) -> Part:
        """How many systems have a verdict, and which, if they are few."""
        found = list(map(text.label, self._with(verdict)))
        counts = {"n": len(found), "rows": len(self.table)}
        if 0 < len(found) <= _MOST_LISTED:
            return part("confident_front.phrases.named", **counts, named=found)
        return part(f"confident_front.phrases.{'counted' if found else 'none'}", **counts)

    @property
    def _systems(self) -> str:
        return text.plural(self.table.index.name, "systems")

    def to_answer(self) -> Answer:
        """Which systems are significantly on the front."""
        return Answer.of(
            self.parts(),
            question=say(part("confident_front.question", rows=len(self.table), systems=self._systems)),
            used="confident_front",
            values={
                "significant": self.conservative, "possible": self.optimistic, "systems": len(self.table),
            },
        )  # fmt: skip

    def printed_tables(self) -> list[PrintedTable]:
        """The systems, the verdict first."""
        table = first_columns(self.table, "verdict", "on_front").round({"share": 3})
        return [
            PrintedTable(
                frame=table,
                name="front",
                caption="Verdicts, means, and how often a system is on the front of resampled data (share).",
                headers={name: header for name, header in _HEADERS.items() if name in table},
                most=40,
                folded=len(table) > _LONG,
            )
        ]

    plot = Offered()

    def _with(self, verdict: str) -> list[Hashable]:
        return self.table.index[self.table["verdict"] == verdict].tolist()


def confident_front(
    table: DescribedFrame,
    *,
    alpha: float = 0.05,
    n_resamples: int = 2000,
    rng: int | np.random.Generator | None = 0,
) -> ConfidentFront:
    """Find the systems that are significantly on the Pareto front, dominated, or undecided."""
    checks.fraction("alpha", alpha)
    n_resamples = checks.integer("n_resamples", n_resamples, least=FEWEST_RESAMPLES)
    read = measurements(table)
    checks.nothing_refused()
    return front_of(read, alpha, n_resamples, checks.generator(rng), max_seconds=said().limit(MOST_SECONDS))


def front_of(
    read: Measurements,
    alpha: float,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    max_seconds: float | None = None,
) -> ConfidentFront:
    """The confident front of measurements that were read before; see :func:`confident_front`."""

    def with_draws(some: Measurements, draws: int) -> ConfidentFront:
        return front_of(some, alpha, draws, np.random.default_rng(0))

    check_pairs(read, with_draws, n_resamples, max_seconds)
    measured = read.uncertainty(n_resamples, rng)
    better, equal = significantly_better(measured, alpha=alpha), known_equal(measured)
    over, verdicts = front_verdicts(better, equal)
    dominated: Any = over.any(axis=0)
    labels = np.empty(len(read.labels), dtype=object)
    labels[:] = read.labels.tolist()
    # The best of those that dominate significantly: itself on the front of the means, if any of them is.
    front = nondominated(measured.means)
    ahead = np.argmax(over * (1 + front[:, None]), axis=0)
    dominators = [labels[j] if out else None for j, out in zip(ahead, dominated, strict=True)]
    computed = pd.DataFrame(
        {
            "share": front_shares(measured.draws),
            "on_front": front,
            "verdict": verdicts,
            "dominated_by": pd.Series(dominators, index=read.labels, dtype=object),
        },
        index=read.labels,
    )
    guarantee = read.guarantee(measured, alpha, "all verdicts are right")
    if read.assumes_randomness:
        survives = _survives(read, verdicts, alpha, n_resamples, rng)
        computed["survives"] = survives
        if survives.notna().any():
            counts = {"remaining": int(survives.sum()), "total": int(survives.count())}
            guarantee = guarantee.but(remarks=[say(remaining_at_worst("verdicts", **counts))])
    order = np.lexsort((-computed["share"].to_numpy(), np.array([VERDICTS.index(verdict) for verdict in verdicts])))
    means = read.in_own_units(measured.means).iloc[order]
    return ConfidentFront(
        table=beside(computed.iloc[order], means),
        means=means,
        objectives=read.objectives,
        alpha=alpha,
        n_resamples=n_resamples,
        measured=read.describe(),
        guarantee=guarantee,
        **({} if read.ends is not None else _intervals(read, measured.draws[:, :, order], alpha, means)),
    )


def _intervals(read: Measurements, draws: np.ndarray, alpha: float, means: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Quantiles of the resampled means, in the objectives' own directions."""
    own = draws * np.asarray(read.objectives.signs)[:, None]
    ends = np.quantile(own, [alpha / 2, 1 - alpha / 2], axis=0)
    return {
        name: pd.DataFrame(end.T, means.index, means.columns) for name, end in zip(("low", "high"), ends, strict=True)
    }


def _survives(
    read: Measurements, verdicts: np.ndarray, alpha: float, n_resamples: int, rng: np.random.Generator
) -> pd.Series:
    """Whether each verdict holds in the worst case as well; NA for those that are undecided."""
    worst = read.at_worst().uncertainty(n_resamples, rng)
    _, at_worst = front_verdicts(significantly_better(worst, alpha=alpha), known_equal(worst))
    survives = pd.Series(verdicts == at_worst, index=read.labels, dtype="boolean")
    return survives.mask(verdicts == UNDECIDED)


def front_verdicts(better: np.ndarray, equal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which systems are significantly dominated by which, and what follows for the front.

    Parameters
    ----------
    better, equal : ndarray of bool, shape (n_objectives, n, n)
        Which systems are significantly better than which in an objective, and which are known to be equal.

    Returns
    -------
    ndarray of bool, shape (n, n)
        ``[j, i]``: j is significantly better than i in some objectives, and better or known to be equal in the others.
    ndarray of str, shape (n,)
        One of ``VERDICTS`` for each system.
    """
    same = equal.all(axis=0) | np.eye(better.shape[1], dtype=bool)
    # Better in some objective than each other entity, or the same in all.
    on_front = np.all(better.any(axis=0) | same, axis=1)
    over = (better | equal).all(axis=0) & ~same
    return over, np.where(over.any(axis=0), DOMINATED, np.where(on_front, ON_FRONT, UNDECIDED))
