"""The approximation gap over repetitions: splits, seeds, or resamples of the test set."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.gap_result import Gap
from copa_nb.results import Grouped, PlotMethod

QUANTITIES = ("hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "overestimation")


@dataclass(frozen=True, repr=False, eq=False)
class GapRepeats:
    """Gaps of several repetitions, with their distribution.

    Parameters
    ----------
    gaps : mapping of repetition to Gap
        One per repetition, all under one reference point.
    kind : {"repetitions", "bootstrap"}
        Whether the repetitions are runs of their own (splits, seeds), or resamples of one test set.
    estimate : Gap, optional
        For "bootstrap": the gap on the test set as it is.
    """

    gaps: Grouped[Gap]
    kind: str
    estimate: Gap | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """One line per repetition: the hypervolumes, the gap, the front's size and its rows dominated on test."""
        columns = [*QUANTITIES, "n_validation_front", "n_dominated"]
        lines = [[gap.summary[column] for column in columns] for gap in self.gaps.values()]
        return pd.DataFrame(lines, columns=columns, index=self.gaps.collect("gap").index)

    @property
    def reference(self) -> dict[Hashable, float]:
        """Reference point of all repetitions, in the objectives' own units."""
        return next(iter(self.gaps.values())).reference

    @property
    def share_with_gap(self) -> float:
        """Share of the repetitions in which a row of the validation front is dominated on test."""
        return float((self.table["n_dominated"] > 0).mean())

    def interval(
        self, quantity: str = "gap", *, level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Confidence interval of a quantity.

        Parameters
        ----------
        quantity : str
            A column of :attr:`table`.
        level : float
            Confidence level.
        resplit_ratio : float
            Rows in test over rows in training, if the repetitions split the same data at random. Such
            repetitions share rows, so that the plain interval is too narrow; Nadeau and Bengio's (2003)
            correction adds this ratio to 1 / number of repetitions. 0 treats them as independent.

        Returns
        -------
        tuple of float
            For repetitions, Student's interval of the mean; missing with a single one. For a bootstrap, the
            percentile interval of the quantity itself.
        """
        checks.one_of("quantity", quantity, list(self.table.columns))
        level = checks.fraction("level", level)
        values = self.table[quantity].to_numpy(dtype=float)
        if self.kind == "bootstrap":
            low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
            return float(low), float(high)
        if not math.isfinite(resplit_ratio) or resplit_ratio < 0:
            raise ValueError(f"`resplit_ratio` is {resplit_ratio!r}; it must be a finite number of at least 0.")
        if len(values) < 2:
            return math.nan, math.nan
        from scipy.stats import t

        half = t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1)
        half *= math.sqrt(1 / len(values) + resplit_ratio)
        return float(values.mean() - half), float(values.mean() + half)

    def summarize(self, *, level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """One line per quantity: mean, standard deviation, the interval of :meth:`interval`, and the range."""
        lines = {}
        for quantity in QUANTITIES:
            values = self.table[quantity].to_numpy(dtype=float)
            low, high = self.interval(quantity, level=level, resplit_ratio=resplit_ratio)
            spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
            lines[quantity] = [values.mean(), spread, low, high, values.min(), values.max()]
        return pd.DataFrame.from_dict(lines, orient="index", columns=["mean", "sd", "low", "high", "min", "max"])

    @property
    def summary(self) -> pd.DataFrame:
        """:meth:`summarize` with a 95 % interval."""
        return self.summarize()

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def explain(self) -> str:
        """Say in words how large the gap is and how sure that is."""
        n, (low, high) = len(self.gaps), self.interval()
        what = "resamples of the test set" if self.kind == "bootstrap" else "repetitions"
        centre = self.estimate.gap if self.estimate is not None else float(self.table["gap"].mean())
        sure = "" if math.isnan(low) else f" (95 % interval {text.number(low)} to {text.number(high)})"
        return (
            f"The approximation gap {'is' if self.estimate is not None else 'averages'} {text.number(centre)}{sure} "
            f"over {n:,} {what}. In {text.percent(self.share_with_gap)} of them a row of the validation front is "
            "dominated on test."
        )

    plot = PlotMethod("plot_gap_repeats")

    def __repr__(self) -> str:
        low, high = self.interval()
        sure = "" if math.isnan(low) else f", 95 % interval {text.number(low)} to {text.number(high)}"
        mean = text.number(self.table["gap"].mean())
        return f"<GapRepeats over {len(self.gaps):,} {self.kind}: mean gap {mean}{sure}>"

    def _repr_html_(self) -> str:
        caption = "Mean, standard deviation, 95 % confidence interval and range."
        return text.card(
            "Approximation gap, repeated", [self.explain()], text.html_table(self.summary, caption=caption)
        )
