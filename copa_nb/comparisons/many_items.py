"""Scores on so many items that only sums over them are kept; see :mod:`copa_nb.comparisons.arrays.moments`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from copa_nb import text
from copa_nb.comparisons.arrays.moments import Moments, from_moments
from copa_nb.comparisons.arrays.uncertainty import Uncertainty
from copa_nb.comparisons.measurements import Measurements


@dataclass(frozen=True, eq=False)
class SummedMeasurements(Measurements):
    """Measured objectives of systems on many items, with their precision.

    Parameters
    ----------
    moments : Moments
        Sums over the items.
    """

    moments: Moments = field(kw_only=True, repr=False)

    def uncertainty(self, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
        """Means, draws of them, and tests of their differences."""
        known = np.array([name in self.known for name in self.objectives.names])
        return from_moments(self.moments, known, n_resamples=n_resamples, rng=rng)

    def of_systems(self, rows: np.ndarray) -> SummedMeasurements:
        """The same measurements of some of the systems."""
        return replace(self, labels=self.labels[rows], moments=self.moments.of_systems(rows))

    def mean_costs(self) -> np.ndarray:
        """Mean costs of the systems, shape (n_systems, n_objectives)."""
        return self.moments.means

    def describe(self) -> str:
        """How the precision is known, e.g. "500,000 questions"."""
        totals = self.moments.totals
        clustered = "" if self.cluster is None else f" in {totals.n_units:,} {self.units}"
        return f"{totals.n_items:,} {text.plural(self.item, 'items')}{clustered}"

    @property
    def missing_items(self) -> str:
        """Why nothing is known about single items."""
        return (
            f"only sums over the {text.plural(self.item, 'items')} of a table that is read in pieces were kept; take a "
            "sample of them, or raise `rows_in_memory` of `scan`."
        )

    @property
    def units(self) -> str:
        """What is drawn independently, as a sentence calls it."""
        return text.plural(self.item, "items") if self.cluster is None else text.plural(self.cluster, "clusters")

    def n_units(self) -> int:
        """How many there are of what is drawn independently."""
        return self.moments.totals.n_units

    def _method(self, measured: Uncertainty, equivalence: bool) -> tuple[str, str]:
        """Which tests are used; their level is a limit."""
        return f"random normal weights of the {self.units}, step-down max-T", "asymptotic"

    def _right_or_wrong(self) -> bool:
        totals = self.moments.totals
        return totals.n_units == totals.n_items and all(
            len(values) <= 2 for name, values in zip(self.objectives.names, totals.values, strict=True)
            if name not in self.known
        )  # fmt: skip

    def _is_constant(self, position: int) -> bool:
        lows, highs = self.moments.totals.lows[position], self.moments.totals.highs[position]
        return bool((lows == highs).all() and len(set(lows)) > 1)


def varying(read: SummedMeasurements) -> tuple[Hashable, Hashable] | None:
    """An objective that is declared as known, and a system for which it has several values; None if there is none."""
    for name, lows, highs in zip(
        read.objectives.names, read.moments.totals.lows, read.moments.totals.highs, strict=True
    ):
        if name in read.known and (lows != highs).any():
            return name, read.labels[int(np.argmax(lows != highs))]
    return None
