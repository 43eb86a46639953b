"""What was measured of a front that was chosen on validation data: the numbers of a gap, and their words."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.arrays import fronts as arrays
from copa_nb.generalization.arrays.falls import fall_of_best
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.volumes import front_hypervolume, point_text
from copa_nb.pareto.reference_points import NO_SHARE
from copa_nb.results.result import Result
from copa_nb.tables.objectives import Objectives

# What robustness does not see.
ONE_ROW = "A front of a single row has gap 0, however badly it generalizes."
# Of fewer candidates, the average is that of what was chosen.
FEWEST_CANDIDATES = 10


@dataclass(frozen=True, repr=False, eq=False)
class MeasuredGap(Result):
    """The numbers of a :class:`copa_nb.results.Gap`, without what can be asked further.

    Parameters
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1).
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2).
    hv_test : float
        Hypervolume of the hypothetical front of all rows on test, which only a choice on the test data gives.
    reference : dict of objective to value
        The reference point of all four, in the objectives' own units.
    exact : bool
        False if a hypervolume was approximated.
    keep : {"all", "first"}
        How rows with equal scores were treated.
    scores : PairedScores
        Costs of all rows on validation and test.
    fronts : Fronts
        The four fronts as masks over the rows.
    reference_given : bool
        Whether the reference point was given, rather than taken from the worst values. Only then do sentences give
        percentages of a hypervolume.

    Notes
    -----
    ``hv_test >= hv_optimistic >= hv_pessimistic`` always. The gap is 0 exactly when no row of the validation
    front is dominated by another of them on test, as long as all lie inside the reference point; so a front of a
    single row has gap 0, however badly it generalizes.
    """

    paper = "feurer2023gap"

    # Of these, `summary` has the numbers, and `table` the fronts.
    _internals = frozenset(
        (
            "dominated", "fronts", "hv_optimistic", "hv_pessimistic", "hv_test", "hv_validation", "in_short", "leakage",
            "optimism", "optimistic", "order", "overestimation", "pessimistic", "reference", "reference_given",
            "relative_gap", "reordered", "scores", "test_front",
        )
    )  # fmt: skip

    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: arrays.Fronts
    reference_given: bool = False

    @property
    def gap(self) -> float:
        """Approximation gap: optimistic minus pessimistic hypervolume."""
        return self.hv_optimistic - self.hv_pessimistic

    @property
    def relative_gap(self) -> float:
        """Gap as a share of the optimistic hypervolume; 0 where that is 0."""
        return self.gap / self.hv_optimistic if self.hv_optimistic > 0 else 0.0

    @property
    def optimism(self) -> float:
        """Validation minus optimistic hypervolume: by how much validation overstates the front."""
        return self.hv_validation - self.hv_optimistic

    @property
    def overestimation(self) -> float:
        """The same as :attr:`optimism`, under the name that summaries and tables use.

        The paper calls something else over-estimation: to report a front without its points that are dominated on
        test, which is the optimistic front.
        """
        return self.optimism

    @property
    def leakage(self) -> float:
        """Hypothetical minus optimistic hypervolume: what choosing on the test data would appear to add."""
        return self.hv_test - self.hv_optimistic

    def falls(self, n: int | None = None) -> pd.DataFrame:
        """Compare the fall from validation to test of what was chosen with that of all candidates (winner's curse).

        All candidates fall if the test data are harder, or if training has seen the validation data. What was chosen
        for its validation scores falls further, because it was partly lucky there. This excess is the winner's curse.

        Parameters
        ----------
        n : int, optional
            How many candidates, drawn at random, the best on validation is chosen from; all if omitted.

        Returns
        -------
        DataFrame
            Falls, positive where test is worse, in the objectives' own units. One row per objective: ``average`` of all
            candidates, that of the ``chosen`` (the expected fall of the best of n on validation in this objective; rows
            that tie for it are averaged), and the difference, ``winners_curse``. Without `n` a last row
            ``hypervolume``: the fall of the validation front's hypervolume if each of its rows fell by the averages of
            all candidates, its fall to the optimistic hypervolume (:attr:`optimism`), and the difference. Rows with an
            infinite score are left out of averages.

        Raises
        ------
        ValueError
            If `n` is not between 1 and the number of candidates.
        TypeError
            For a table that was read in pieces.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> lucky = pd.DataFrame({f"{part}_{name}": 0.7 + 0.1 * rng.normal(size=400) for part in ("val", "test")
        ...     for name in ("precision", "recall")})  # equally good, as far as the noise tells
        >>> ways = {"precision": "max", "recall": "max"}
        >>> falls = lucky.moo(ways).gap(reference=dict.fromkeys(ways, 0)).falls()
        >>> falls["average"].round(2).tolist(), falls["chosen"].round(2).tolist()
        ([0.0, -0.01, -0.01], [0.17, 0.23, 0.31])
        """
        if self.scores.stands_for is not None:
            raise TypeError(
                "`falls` looks at all rows, and of a table that is read in pieces only those on a front were kept; "
                "take a sample of its rows."
            )
        size = len(self.scores.index)
        if n is not None and checks.integer("n", n) > size:
            raise ValueError(f"`n` is {n:,}, but there are only {size:,} candidates.")
        rows = [self._falls_of(k, n) for k in range(len(self.objectives))]
        names = list(self.objectives.names)
        if n is None:
            rows.append([self._average_fall(np.array([average for average, _ in rows])), self.optimism])
            names.append("hypervolume")
        index = pd.Index(names, name="objective", tupleize_cols=False)
        table = pd.DataFrame(rows, index=index, columns=["average", "chosen"])
        return table.assign(winners_curse=table["chosen"] - table["average"])

    def _falls_of(self, position: int, n: int | None) -> list[float]:
        """Mean fall of all candidates in an objective, and expected fall of the best of n."""
        validation, test = self.scores.validation[:, position], self.scores.test[:, position]
        finite = np.isfinite(validation) & np.isfinite(test)
        if finite.sum() < (n or 1):
            return [math.nan, math.nan]
        costs, falls = validation[finite], (test - validation)[finite]
        return [float(falls.mean()), fall_of_best(costs, falls, n or len(costs))]

    def _average_fall(self, average: np.ndarray) -> float:
        """Fall of the validation front's hypervolume if each of its rows fell by the averages of all candidates."""
        if np.isnan(average).any():
            return math.nan
        moved = self.scores.validation[self.fronts.validation] + average
        return self.hv_validation - front_hypervolume(moved, self.scores.as_costs(self.reference)).value

    @property
    def objectives(self) -> Objectives:
        """Names without prefix, and directions."""
        return self.scores.objectives

    @property
    def validation_front(self) -> pd.Index:
        """Labels of the rows that no row dominates on validation."""
        return self.scores.index[self.fronts.validation]

    @property
    def optimistic(self) -> pd.Index:
        """Labels of the optimistic front."""
        return self.scores.index[self.fronts.optimistic]

    @property
    def pessimistic(self) -> pd.Index:
        """Labels of the pessimistic front."""
        return self.scores.index[self.fronts.pessimistic]

    @property
    def test_front(self) -> pd.Index:
        """Labels of the hypothetical front of all rows on test."""
        return self.scores.index[self.fronts.hypothetical]

    @property
    def dominated(self) -> pd.Index:
        """Labels of validation-front rows that another of them dominates on test."""
        return self.validation_front[self._rows["dominated_by"].notna().to_numpy()]

    @property
    def reordered(self) -> pd.Index:
        """Labels of validation-front rows whose order to another of them is reversed in some objective."""
        return self.validation_front[(self._rows["swaps"] > 0).to_numpy()]

    @property
    def table(self) -> pd.DataFrame:
        """One line per row of the validation front, in the order of the caller's table.

        Columns: ``validation NAME`` and ``test NAME`` per objective in its own units; ``optimistic`` and
        ``pessimistic`` (is the row on that front); ``dominated_by`` (the first row of the validation front
        that dominates it on test and is itself not dominated; missing if none does); ``dominates`` (how
        many of them it dominates on test); ``swaps`` (how many of them it changed order with, summed over
        the objectives).
        """
        return self._rows.copy()

    @cached_property
    def _rows(self) -> pd.DataFrame:
        rows = np.flatnonzero(self.fronts.validation)
        front = self.scores.take(rows)
        columns: dict[str, Any] = {}
        for part, costs in (("validation", front.validation), ("test", front.test)):
            columns |= {f"{part} {name}": front.own_units(costs)[:, k] for k, name in enumerate(self.objectives)}
        named = [front.index[row] if row >= 0 else None for row in arrays.first_dominator(front.test)]
        columns |= {
            "optimistic": self.fronts.optimistic[rows],
            "pessimistic": self.fronts.pessimistic[rows],
            "dominated_by": pd.Series(named, dtype=object).to_numpy(),
            "dominates": arrays.count_dominated(front.test),
            "swaps": arrays.count_swaps(front.validation, front.test).sum(axis=1),
        }
        return pd.DataFrame(columns, index=front.index)

    @cached_property
    def order(self) -> pd.DataFrame:
        """Per objective: pairs of the validation front, pairs that changed order, and their share."""
        rows = np.flatnonzero(self.fronts.validation)
        swapped = arrays.count_swaps(self.scores.validation[rows], self.scores.test[rows]).sum(axis=0) // 2
        pairs = len(rows) * (len(rows) - 1) // 2
        return pd.DataFrame(
            {"pairs": pairs, "swapped": swapped, "share": swapped / pairs if pairs else 0.0},
            index=pd.Index(self.objectives.names, name="objective", tupleize_cols=False),
        )

    @property
    def summary(self) -> pd.Series:
        """All numbers: the hypervolumes, the quantities derived from them, and the sizes of the fronts."""
        hypervolumes = (
            "hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "hv_test", "overestimation",
            "leakage",
        )  # fmt: skip
        labels = ("validation_front", "optimistic", "pessimistic", "dominated", "reordered")
        numbers = {name: getattr(self, name) for name in hypervolumes} | {"n_rows": self.scores.n_rows}
        return pd.Series(numbers | {f"n_{name}": len(getattr(self, name)) for name in labels}, dtype=object)

    def explain(self) -> str:
        """Report what the front is worth on test and which of its rows are dominated there."""
        return " ".join(self._sentences())

    def in_short(self) -> str:
        """Report the gap, and the rows of the validation front that are dominated on test."""
        share = f", {text.percent(self.relative_gap)} of the optimistic hypervolume" if self.reference_given else ""
        return f"The approximation gap is {text.number(self.gap, 3)}{share}. {self._dominated_sentence()}"

    def __repr__(self) -> str:
        how = "" if self.exact else ", approximated"
        return (
            f"<Gap {text.number(self.gap)} between optimistic {text.number(self.hv_optimistic)} and "
            f"pessimistic {text.number(self.hv_pessimistic)}; validation {text.number(self.hv_validation)}, "
            f"{len(self.validation_front)} of {self.scores.n_rows:,} rows on the validation front{how}>"
        )

    def _card(self) -> str:
        arrows = dict(zip(self.objectives, self.objectives.titles, strict=True))
        headers: dict[object, str] = {
            f"{part} {name}": f"{part} {arrows[name]}" for part in ("validation", "test") for name in arrows
        }
        caption = (
            f"Rows of the validation front on validation and test. Reference point ({point_text(self.reference)}); "
            f"rows of equal scores: keep {self.keep}."
        )
        shown = self.table.assign(dominated_by=self.table["dominated_by"].astype(object).fillna(""))
        table = text.html_table(shown, caption=caption, headers=headers)
        return text.card("Generalization of the Pareto front", self._sentences(), table)

    def _sentences(self) -> list[str]:
        n_front = len(self.validation_front)
        validation, optimistic, pessimistic, test = text.told_apart(
            self.hv_validation, self.hv_optimistic, self.hv_pessimistic, self.hv_test
        )
        share = f". {NO_SHARE}; set `reference` to get one."
        if self.reference_given:
            share = f", {text.percent(self.relative_gap)} of the optimistic hypervolume."
        sentences = [
            f"On validation, {n_front} of {self.scores.n_rows:,} rows are Pareto-optimal, with a "
            f"hypervolume of {validation}.",
            f"On test, the pessimistic front has a hypervolume of {pessimistic}; the optimistic front (and hence the "
            f"whole set) has {optimistic}, so the approximation gap is {text.number(self.gap, 3)}{share}",
            self._dominated_sentence(),
        ]
        if n_front == 1:
            sentences.append(ONE_ROW)
        else:
            swapped, pairs = int(self.order["swapped"].sum()), int(self.order["pairs"].sum())
            sentences.append(
                f"{swapped} of {pairs} pairwise comparisons on the front (per objective) change{'s' * (swapped == 1)} "
                "order between validation and test."
            )
        direction = "optimistic" if self.optimism > 0 else "not optimistic"
        sentences.append(
            f"Validation is {direction}: the hypervolume is {validation} on validation and {optimistic} on test. "
            f"Choosing on the test data itself would give {test}."
        )
        if self.scores.stands_for is None and len(self.scores.index) >= FEWEST_CANDIDATES:
            candidates = f"{len(self.scores.index):,} candidates"
            sentences += selection_sentences(self.falls(), candidates, shares=self.reference_given)
        if self.scores.n_omitted:
            n = self.scores.n_omitted
            sentences.append(f"{n:,} row{'s' * (n > 1)} with missing scores {'were' if n > 1 else 'was'} left out.")
        if not self.exact:
            sentences.append("Hypervolumes are approximate, because exact values would take too long to compute.")
        return sentences

    def _dominated_sentence(self) -> str:
        dominated = list(self.dominated)
        if not dominated:
            return "On test, no row of the validation front dominates another."
        shown = text.listing(map(text.label, dominated) if len(dominated) <= 5 else [*dominated[:4], "others"])
        # Numbers alone do not tell what they are.
        noun = f"{text.spoken(self.scores.index.name or 'row')} " if isinstance(dominated[0], int | np.integer) else ""
        count = f"{len(dominated)} of the {len(self.validation_front)} {'is' if len(dominated) == 1 else 'are'}"
        return f"{count} dominated by other rows of the validation front on test ({noun}{shown})."


def selection_sentences(falls: pd.DataFrame, candidates: str, *, shares: bool, splits: int = 1) -> list[str]:
    """Say how much of the fall from validation to test is due to the choice.

    Parameters
    ----------
    falls : DataFrame
        Of :meth:`Gap.falls`, or of :meth:`GapRepeats.falls` with an interval.
    candidates : str
        What the front was chosen from.
    shares : bool
        Whether a share of a hypervolume means something.
    splits : int
        How many splits the falls are means of.
    """
    average, chosen, curse = falls.iloc[-1][["average", "chosen", "winners_curse"]]
    if math.isnan(curse):
        return []
    fall, usual, excess = text.told_apart(abs(chosen), abs(average), abs(curse))
    share = f", {text.percent(curse / chosen)} of the fall," if shares and min(average, curse) >= 0 < chosen else ""
    start = "Averaged over the repetitions, the" if splits > 1 else "The"
    said = (
        f"{start} hypervolume {'falls' if chosen >= 0 else 'rises'} by {fall} from validation to test; if each row "
        f"moved by the average of all {candidates}, it would {'fall' if average >= 0 else 'rise'} by {usual}."
    )
    if curse <= 0:
        return [f"{said} Selection (winner's curse) costs nothing here."]
    if splits == 1:
        return [
            f"{said} The difference of {excess}{share} is selection (winner's curse); a single split does not tell how "
            "much of it another split would repeat."
        ]
    low, high = falls.iloc[-1][["low", "high"]]
    interval = "" if math.isnan(low) else f" (95% interval {' to '.join(text.told_apart(low, high))})"
    return [f"{said} The difference of {excess}{interval} is selection (winner's curse)."]
