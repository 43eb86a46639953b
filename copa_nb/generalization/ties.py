"""How much of a gap is due to ties: all ways to keep one of the rows with equal validation scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import nan, prod
from typing import Any, NoReturn, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.arrays.fronts import equal_rows
from copa_nb.generalization.bootstrap import Metric
from copa_nb.generalization.comparison import RepeatedComparison, compare_ways
from copa_nb.generalization.one_search import measure_gap
from copa_nb.generalization.result import ONE_METHOD, QUANTITIES, QUANTITY_NAMES, Gap, named
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.searches import Searches
from copa_nb.generalization.volumes import point_text
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.note import Note
from copa_nb.results.result import Grouped, drawn
from copa_nb.results.sentences import Part, part
from copa_nb.tables.objectives import Objectives

# More are refused: each is measured, and a verdict looks at pairs of them.
MOST_WAYS = 4096


def measure_ties(scores: PairedScores, reference: dict[Hashable, float], *, reference_given: bool = False) -> GapOfTies:
    """Measure the gap for every way to keep one of the rows of the validation front whose scores are equal.

    Raises
    ------
    ValueError
        If there are more than 4,096 ways.
    """
    front = nondominated(scores.validation)
    ways: dict[Hashable, Gap] = {
        number: measure_gap(scores, reference, keep="first", reference_given=reference_given, chosen=chosen)
        for number, chosen in enumerate(_ways(scores, front))
    }
    return GapOfTies(Grouped(ways, "way"), sum(len(rows) > 1 for rows in equal_rows(scores.validation, front)))


def _ways(scores: PairedScores, front: np.ndarray) -> Iterator[np.ndarray]:
    """Mark the rows that are kept, in every way that differs on test; the first keeps the first of all equal rows."""
    # Of rows that are equal on test as well, it does not matter which one is kept.
    choices = [_different_on_test(scores.test, rows) for rows in equal_rows(scores.validation, front)]
    if (n_ways := prod(map(len, choices))) > MOST_WAYS:
        raise ValueError(
            f"there are {n_ways:,} ways to keep one of the rows with equal validation scores, and at most "
            f"{MOST_WAYS:,} are looked through; measure the gap with keep='all', which needs no choice among them."
        )
    for rows in product(*choices):
        chosen = np.zeros(len(front), dtype=bool)
        chosen[list(rows)] = True
        yield chosen


def _different_on_test(test: np.ndarray, rows: np.ndarray) -> list[int]:
    first = np.unique(test[rows], axis=0, return_index=True)[1]
    return [int(rows[position]) for position in np.sort(first)]


@dataclass(frozen=True, repr=False, eq=False)
class GapOfTies(Gap):
    """The smallest and largest gap over all ways to keep one of equal rows; see :class:`copa_nb.results.Gap`.

    Parameters
    ----------
    ways : mapping of number to Gap
        One for each way that differs on test; the first keeps the first of all equal rows.
    n_ties : int
        How many scores several rows of the validation front have.
    """

    ways: Grouped[Gap]
    n_ties: int
    _group: str = field(default="", repr=False, compare=False)
    _searches: Searches | None = field(default=None, repr=False, compare=False)

    # What is asked of one rule is refused, or answered with a note.
    _internals = frozenset(
        (
            "bootstrap", "budgets", "details", "explore", "falls", "first_search", "in_order", "overtuning", "repeats",
            "report", "share_with_gap", "in_short",
        )
    )  # fmt: skip

    @cached_property
    def table(self) -> pd.DataFrame:
        """One line per quantity: its smallest and largest value, and the value if the first of equal rows is kept."""
        values = self.searches[list(QUANTITIES)]
        table = pd.DataFrame({"smallest": values.min(), "largest": values.max(), "first": values.iloc[0]})
        return table.rename_axis("quantity")

    @property
    def summary(self) -> pd.DataFrame:
        """The same as :attr:`table`."""
        return self.table

    @property
    def first_search(self) -> Gap:
        """The gap if the first of equal rows is kept."""
        return self.ways[0]

    @property
    def searches(self) -> pd.DataFrame:
        """One line for each way."""
        return pd.concat([one.searches for one in self.ways.values()]).set_axis(self.ways.collect("gap").index)

    @property
    def reference(self) -> dict[Hashable, float]:  # type: ignore[override]
        """Reference point of all ways, in the objectives' own units."""
        return self.ways[0].reference

    @property
    def objectives(self) -> Objectives:  # type: ignore[override]
        """Names without prefix, and directions."""
        return self.ways[0].objectives

    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Return the smallest and the largest value of a quantity, whatever the level; see :meth:`Gap.interval`."""
        checks.one_of("quantity", quantity, list(self.searches.columns))
        values = self.searches[quantity].astype(float)
        return float(values.min()), float(values.max())

    def repeats(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """Give the smallest and largest values, without a mean: ways are no repetitions; see :meth:`Gap.repeats`."""
        ends = self.table[["smallest", "largest"]].to_numpy()
        columns = ["mean", "sd", "low", "high", "min", "max"]
        unknown = np.full((len(ends), 2), nan)
        return pd.DataFrame(np.hstack([unknown, ends, ends]), index=list(QUANTITIES), columns=columns)

    def compare(self, other: Gap | None = None, *, names: tuple[str, str] | None = None) -> RepeatedComparison:
        """Compare this method with another in every pair of ways; a verdict that not all have is due to ties."""
        if other is None:
            return cast("RepeatedComparison", ONE_METHOD)
        if not isinstance(other, GapOfTies):
            what = f"a {type(other).__name__}"
            raise TypeError(f"`other` is {what}; a gap with keep='bounds' is compared with another such gap.")
        if (n_pairs := len(self.ways) * len(other.ways)) > MOST_WAYS:
            raise ValueError(
                f"there are {n_pairs:,} pairs of ways to keep one of equal rows, and at most {MOST_WAYS:,} are looked "
                "through; compare gaps with keep='all'."
            )
        return compare_ways(self.ways, other.ways, named(names, self, other))

    def in_short(self) -> list[Part]:
        """The smallest and the largest gap, and how many ways there are."""
        if len(self.ways) == 1:
            gap = part("gap.details.gap", gap=self.ways[0].gap)
            return [gap, part(f"gap.details.{'equal_ties' if self.n_ties else 'no_ties'}")]
        low, high = self.interval()
        ends = {"low": low, "high": high, "digits": text.digits_apart(low, high)}
        return [part("gap.details.gap_of_ways", **ends, n_ties=self.n_ties, ways=len(self.ways))]

    def details(self) -> list[Part]:
        """The gaps, and the hypervolumes between which they are."""
        ends = {name: self.interval(f"hv_{name}") for name in ("pessimistic", "optimistic")}
        digits = text.digits_apart(*ends["pessimistic"], *ends["optimistic"])
        between = {
            name: part(f"gap.phrases.{'kept' if low == high else 'kept_between'}", low=low, high=high, digits=digits)
            for name, (low, high) in ends.items()
        }
        return [*self.in_short(), part("gap.details.hypervolumes_of_ways", **between)]

    def __repr__(self) -> str:
        low, high = (text.number(end) for end in self.interval())
        return f"<Gap of {low} to {high} over {_counted(len(self.ways))} to keep one of equal rows>"

    def _card(self) -> str:
        caption = f"Smallest and largest values over all ways. Reference point ({point_text(self.reference)})."
        table = text.html_table(self.table.rename(QUANTITY_NAMES), caption=caption)
        return text.card("Generalization of the Pareto front, by ties", [self.explain()], table)

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the range of each hypervolume over the ways, and its value if the first of equal rows is kept."""
        from copa_nb.plotting.style import INK, series_color

        lines = self.table.loc[["hv_optimistic", "hv_pessimistic", "gap"]]
        places = np.arange(len(lines))[::-1]
        ax.hlines(places, lines["smallest"], lines["largest"], color=series_color(0), lw=5, alpha=0.5, label="all ways")
        ax.scatter(lines["first"], places, color=INK, zorder=3, label="first of equal rows")
        ax.set_yticks(places, [QUANTITY_NAMES[name] for name in lines.index])
        ax.set_ylim(-0.6, len(lines) - 0.4)
        ax.set_xlabel("hypervolume")
        ax.legend(fontsize="small")
        return ax

    def explore(self) -> Note:
        """Say which gap has an explorer; see :meth:`Gap.explore`."""
        return Note("A slider follows the budget of one search; explore the gap with keep='all' or keep='first'.")

    def report(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse: a report is made with one rule; see :meth:`Gap.report`."""
        self._refuse("a report is made")

    def falls(
        self, n: int | None = None, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> pd.DataFrame:
        """Refuse: falls are of one rule; see :meth:`Gap.falls`."""
        self._refuse("falls are measured")

    def bootstrap(
        self,
        predictions: pd.DataFrame,
        truth: Any = None,
        metrics: Mapping[Any, Metric] | None = None,
        *,
        n_resamples: int = 1000,
        rng: Any = 0,
    ) -> Gap:
        """Refuse: a test set is resampled under one rule; see :meth:`Gap.bootstrap`."""
        self._refuse("a test set is resampled")

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(f"{what} under one rule for equal rows; measure the gap with keep='all' or keep='first'.")

    def _where_one_is(self) -> str:
        return "see gap.ways[0]"


def _counted(n_ways: int) -> str:
    return f"{n_ways:,} way{'s' * (n_ways > 1)}"


def labeled(gap: GapOfTies, group: str, searches: Searches | None) -> GapOfTies:
    """Return the gap of a group under its name."""
    return replace(gap, _group=group, _searches=searches)


@describes(GapOfTies.plot)
def _ties_in_words(result: GapOfTies) -> Picture:
    ways = _counted(len(result.ways))
    return Picture(
        finding=result.headline,
        caption=f"Hypervolumes on test, and the gap between them: their range over {ways} to keep one of the rows with "
        "equal validation scores (line), and the value if the first of them is kept (dot).",
        alt="Three horizontal ranges: the two hypervolumes on test, and the gap.",
        data=result.table,
        height=2.4,
    )
