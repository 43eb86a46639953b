"""What was measured of each system, how precisely, and what that guarantees; :mod:`.read_measurements` reads it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays import uncertainty
from copa_nb.comparisons.arrays.copies import copies
from copa_nb.comparisons.arrays.counted_errors import Counts, from_counted_errors
from copa_nb.comparisons.arrays.heavy_items import heaviest_item
from copa_nb.comparisons.arrays.incomplete import (
    IncompleteItems,
    WorstCaseItems,
    from_incomplete_items,
    from_items_at_worst,
)
from copa_nb.comparisons.arrays.uncertainty import PairedItems, Uncertainty
from copa_nb.comparisons.nesting import Grouping, hint
from copa_nb.comparisons.repetitions import Repetitions
from copa_nb.pareto.arrays.hypervolume import scale_up
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.sentences import Part, part, say
from copa_nb.tables.columns import as_names
from copa_nb.tables.missing_values import BOUNDS, Bounds, as_pair, check_units, cost_ends, read_bounds
from copa_nb.tables.objectives import (
    Objectives,
)  # fmt: skip

FEWEST_RESAMPLES = 100
ITEM_NOT_GIVEN = "`item` was not given; name the column of items, e.g. item='task'."
FEWEST_TO_SEE_SKEWNESS = 20
# Degrees of freedom of the variance between repeats, which those of several systems share.
_FEWEST_TO_SEE_REPEATS = 3
# A failure on this share of the items counts as rare, and as unseen above this probability.
_RARE, _UNSEEN = 0.01, 0.05
# Beyond these, cubes of differences, of which skewness is made, are more or less than a float can hold.
_SMALLEST, _LARGEST = 1e-90, 1e90
# Skewness of means above which intervals of 95%, after a choice from many, miss clearly more often: in simulations with
# log-normal costs, after a choice from 8 or 20, in 6 to 7% of tables at .12, and in 8 to 9% at .17.
SKEWNESS_OF_MEANS = 0.15
# Shares that are fewer standard errors away from 0 or 1 have errors that are far from normal.
_NEAR_AN_END = 3.0


@dataclass(frozen=True, eq=False)
class Measurements:
    """Measured objectives of systems, with their precision.

    Parameters
    ----------
    labels : pandas.Index
        Names of the systems.
    objectives : Objectives
        Names and directions.
    items : ndarray, shape (n_items, n_repeats, n_systems, n_objectives), optional
        Costs on the same items for every system; NaN where one is missing and systems are compared in pairs.
    runs : list of ndarray, shape (n_runs, n_objectives), optional
        Costs of independent runs of each system.
    means, errors : ndarray, shape (n_systems, n_objectives), optional
        Costs and their standard errors.
    counts : Counts, optional
        Items or runs behind these.
    known : frozenset of label
        Objectives that are declared to have no error.
    n_omitted : int
        Rows or items left out because something was missing.
    item, repeat : label
        What the items and the repeats that all of them share are called in the table.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, in order of first appearance.
    cluster : label
        What the clusters are called in the table.
    groupings : sequence of Grouping
        What the items may have been drawn in, where no clusters are named.
    ends : pair of ndarray, shape (n_objectives,), optional
        Between which costs missing ones lie, where systems are compared whatever these are.
    repetitions : Repetitions, optional
        How repetitions of an item vary, where `items` has their means.
    ranges : dict of objective to (float, float)
        Between which values objectives are declared to lie.
    """

    labels: pd.Index
    objectives: Objectives
    items: np.ndarray | None = None
    runs: list[np.ndarray] | None = None
    means: np.ndarray | None = None
    errors: np.ndarray | None = None
    counts: Counts | None = None
    known: frozenset[Hashable] = frozenset()
    n_omitted: int = 0
    item: Hashable = None
    repeat: Hashable = None
    clusters: np.ndarray | None = None
    cluster: Hashable = None
    groupings: Sequence[Grouping] = ()
    ends: tuple[np.ndarray, np.ndarray] | None = None
    repetitions: Repetitions | None = None
    ranges: Mapping[Hashable, tuple[float, float]] = field(default_factory=dict)

    def uncertainty(self, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
        """Means, resamples of them, and tests of their differences."""
        known = np.array([name in self.known for name in self.objectives.names])
        if self.items is not None:
            if self.n_missing:
                cells = self.items[:, 0]
                if self.ends is not None:
                    return from_items_at_worst(
                        cells, known, *self.ends, clusters=self.clusters, n_resamples=n_resamples, rng=rng
                    )
                return from_incomplete_items(cells, known, clusters=self.clusters, n_resamples=n_resamples, rng=rng)
            return uncertainty.from_items(self.items, known, clusters=self.clusters, n_resamples=n_resamples, rng=rng)
        if self.runs is not None:
            return uncertainty.from_runs(self.runs, known, n_resamples=n_resamples, rng=rng)
        assert self.means is not None
        assert self.errors is not None
        if self.counts is not None:
            return from_counted_errors(self.means, self.errors, self.counts, n_resamples=n_resamples, rng=rng)
        return uncertainty.from_errors(self.means, self.errors, n_resamples=n_resamples, rng=rng)

    def of_systems(self, rows: np.ndarray) -> Measurements:
        """The same measurements of some of the systems."""
        return replace(
            self,
            labels=self.labels[rows],
            items=None if self.items is None else self.items[:, :, rows],
            runs=None if self.runs is None else [self.runs[row] for row in rows],
            means=None if self.means is None else self.means[rows],
            errors=None if self.errors is None else self.errors[rows],
            counts=None if self.counts is None else self.counts.of_systems(rows),
        )

    def mean_costs(self) -> np.ndarray:
        """Mean costs of the systems, shape (n_systems, n_objectives)."""
        if self.items is not None:
            return np.asarray(self.items.mean(axis=(0, 1)))
        if self.runs is not None:
            return np.array([costs.mean(axis=0) for costs in self.runs])
        assert self.means is not None
        return self.means

    def costs_of_units(self) -> np.ndarray:
        """Mean costs on each item, or on each cluster of items, shape (n_units, n_systems, n_objectives).

        NaN where a system is missing. Without items, there are no units.
        """
        if self.items is None:
            return np.empty((0, len(self.labels), len(self.objectives)))
        items = self.items.mean(axis=1)
        if self.clusters is None:
            return items
        there = ~np.isnan(items)
        sums, counts = (np.zeros((self.n_units(), *items.shape[1:])) for _ in range(2))
        np.add.at(sums, self.clusters, np.where(there, items, 0.0))
        np.add.at(counts, self.clusters, there)
        means: np.ndarray = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return means

    @property
    def n_missing(self) -> int:
        """Scores of systems on items that are missing, where systems are compared in pairs."""
        return 0 if self.items is None else int(np.isnan(self.items).sum())

    def at_worst(self, bounds: Bounds = None) -> Measurements:
        """The same, with missing costs between given ends, or the smallest and the largest that were observed."""
        assert self.items is not None
        observed = self.items.reshape(-1, len(self.objectives))
        given = read_bounds(self.objectives, bounds)
        check_units(observed, self.objectives, given)
        lowest, highest = cost_ends(self.objectives, given)
        least, most = np.nanmin(observed, axis=0), np.nanmax(observed, axis=0)
        ends = np.where(np.isinf(lowest), least, lowest), np.where(np.isinf(highest), most, highest)
        if (ends[0] > ends[1]).any():
            k = int(np.argmax(ends[0] > ends[1]))
            name = self.objectives.names[k]
            raise ValueError(
                f"{checks.called('bounds')} gives {as_pair(*given[name])} for {name!r}, beyond all values observed, "
                "with an open end; without a finite one, nothing is known of the means."
            )
        return replace(self, ends=ends)

    def within(self, bounds: Bounds) -> Measurements:
        """The same, with objectives declared to lie between given ends.

        Raises
        ------
        ValueError
            If an end is open, a value lies outside, or values are those of runs or of repeats that all items share.
        """
        given = read_bounds(self.objectives, bounds)
        for name, (low, high) in given.items():
            example = f"bounds={{{name!r}: (0, 1)}}"
            if not np.isfinite([low, high]).all():
                raise ValueError(f"`bounds` of {name!r} has an open end; give both ends of its range, e.g. {example}.")
            if self.items is None:
                raise ValueError(
                    f"`bounds` gives a range for {name!r}, which is for scores on items; name these with "
                    f"{checks.called('item')}, or leave out `bounds`."
                )
            if self.repeat is not None:
                raise ValueError(
                    f"`bounds` gives a range for {name!r}, which is for independent items, and all items share the "
                    f"values of {text.label(self.repeat)}. Average them first and leave out `repeat` (the result then "
                    "holds for these repetitions only), or leave out `bounds`."
                )
            position = self.objectives.position(name)
            values = self.items[..., position] * self.objectives.signs[position]
            smallest, largest = np.nanmin(values), np.nanmax(values)
            if smallest < low or largest > high:
                raise ValueError(
                    f"`bounds` of {name!r} is {given[name]!r}, and its values lie between {text.number(smallest)} and "
                    f"{text.number(largest)}; give a range that no value can leave, e.g. {example}."
                )
        return replace(self, ranges=given)

    @property
    def n_items_of_systems(self) -> pd.Series:
        """On how many items each system has a value, of the sampled objective that it has the fewest of."""
        assert self.items is not None
        there = (~np.isnan(self.items)).any(axis=1).sum(axis=0)
        sampled = [name not in self.known for name in self.objectives.names]
        return pd.Series((there[:, sampled] if any(sampled) else there).min(axis=1), index=self.labels)

    @property
    def assumes_randomness(self) -> bool:
        """Whether values are missing and systems are compared as if these were missing at random."""
        return self.n_missing > 0 and self.ends is None

    def in_own_units(self, means: np.ndarray) -> pd.DataFrame:
        """Means of shape (n_systems, n_objectives) in the objectives' own directions, one row per system."""
        values = means * self.objectives.signs + 0.0
        return pd.DataFrame(dict(zip(self.objectives.names, values.T, strict=True)), index=self.labels)

    def describe(self) -> str:
        """How the precision is known, e.g. "164 questions with 5 repetitions each"."""
        if self.items is not None:
            n_items, n_repeats = self.items.shape[:2]
            return (
                f"{n_items:,} {text.plural(self.item, 'items')}"
                + (f" with {n_repeats} repetitions each" if n_repeats > 1 else "")
                + ("" if self.repetitions is None else self.repetitions.describe())
                + (f" in {self.n_units():,} {self.units}" if self.clusters is not None else "")
            )
        if self.runs is not None:
            counts = sorted({len(costs) for costs in self.runs})
            return f"{counts[0]} to {counts[-1]} runs each" if len(counts) > 1 else f"{counts[0]} runs each"
        return "standard errors"

    @property
    def missing_items(self) -> str:
        """Why nothing is known about single items."""
        return ITEM_NOT_GIVEN

    @property
    def more_of(self) -> str:
        """What a larger sample would have more of, in words."""
        return "measurements" if self.errors is not None else self.units

    def guarantee(self, measured: Uncertainty, alpha: float, holds: str, *, equivalence: bool = False) -> Guarantee:
        """State what is estimated and sampled, how surely, and what this table gives to doubt it.

        Parameters
        ----------
        measured : Uncertainty
            Of these measurements.
        alpha : float
            How often what holds may fail.
        holds : str
            What holds, as a clause.
        equivalence : bool
            Whether systems were compared within margins, after Holm, rather than for any difference.
        """
        method, basis = self._method(measured, equivalence)
        return Guarantee(
            estimates=f"means over {self.more_of}" if self.errors is None else "the means that are given",
            sampled=self.sampled,
            holds=holds,
            confidence_level=1 - alpha,
            jointly=True,
            basis=basis,
            method=method,
            warnings=(*self.caveats(measured.doubtful), *self._caveats_of_gaps(measured)),
            remarks=tuple(self._remarks(measured, alpha, equivalence)),
        )

    def _method(self, measured: Uncertainty, equivalence: bool) -> tuple[str, str]:
        """Which tests are used, and whether their level is exact."""
        adjusted = "Holm's adjustment" if equivalence else "step-down max-T"
        if self.items is not None:
            by_weights = not equivalence and _by_normal_weights(measured)
            drawn = "weights" if equivalence else "normal weights" if by_weights else "signs"
            tests = f"random {drawn} of the {self.units}, {adjusted}"
            if self.repeat is not None:
                return f"{tests}, and two-way t-tests, Holm's adjustment", "asymptotic"
            exact = self._right_or_wrong() and not equivalence and not by_weights
            return tests, "exact for each pair, Monte Carlo" if exact else "asymptotic"
        if self.runs is not None:
            return "Welch's t-tests, Holm's adjustment", "asymptotic"
        if self.counts is not None:
            return "Newcombe's intervals of shares and Welch's t-tests, Holm's adjustment", "asymptotic"
        return f"normal errors, {adjusted}", "exact if the standard errors are"

    @property
    def sampled(self) -> str:
        """What another sample would have drawn anew."""
        if self.counts is not None:
            return "as many independent items or runs of each system"
        if self.errors is not None:
            return "normal and independent errors of the given size"
        repeats = "" if self.repeat is None else f" and values of {text.label(self.repeat)}"
        return f"independent {self.units}{repeats}"

    def caveats(self, skewed: np.ndarray) -> list[Caveat]:
        """Reasons in this table why tests of means may not reach their level.

        Parameters
        ----------
        skewed : ndarray of bool, shape (n_objectives,)
            Whether values are too skewed for tests of means of this many.
        """
        found = []
        names, units = self.objectives.names, self.units
        of = tuple(name for name, one in zip(names, skewed, strict=True) if one and name not in self.known)
        if of:
            objectives = list(map(text.spoken, of))
            found.append(Caveat("skewed", say(part("caveats.details.skewed", objectives=objectives, units=units)), of))
        elif self.errors is None and self.n_units() < FEWEST_TO_SEE_SKEWNESS and not self._right_or_wrong():
            few = part("caveats.details.few_to_see_skewness", n=self.n_units(), units=units)
            found.append(Caveat("few_units", say(few)))
        if self.errors is not None:
            found += _caveats_of_errors(self)
        found += self._caveat_of_failures()
        found += self._caveat_of_repeats()
        found += self._caveat_of_copies()
        if self.items is not None:
            found += [
                Caveat("dependent_items", one)
                for one in hint(self.items.mean(axis=1), self.groupings, text.plural(self.item, "items"))
            ]
        return found

    def _caveat_of_repeats(self) -> list[Caveat]:
        """Repeats that all items share, and too few systems and repeats for their variance."""
        if self.items is None or self.repeat is None:
            return []
        n_repeats = self.items.shape[1]
        if (n_repeats - 1) * (len(self.labels) - 1) >= _FEWEST_TO_SEE_REPEATS:
            return []
        shared = {"items": text.plural(self.item, "items"), "n": n_repeats, "repeat": text.label(self.repeat)}
        return [Caveat("few_repeats", say(part("caveats.details.few_repeats", **shared)))]

    def _caveat_of_copies(self) -> list[Caveat]:
        """Items with the same scores under all systems, more than there are by chance; none within given clusters."""
        if self.items is None or self.clusters is not None:
            return []
        said = {"n": len(self.items), "items": text.plural(self.item, "items"), "cluster": checks.called("cluster")}
        found = []
        for k, name in enumerate(self.objectives.names):
            count = 0 if name in self.known else copies(self.items[..., k].mean(axis=1))
            if count:
                copied = part("caveats.details.copies", objective=text.spoken(name), copies=count, **said)
                found.append(Caveat("duplicated_items", say(copied), (name,)))
        return found

    def _caveat_of_failures(self) -> list[Caveat]:
        """Costs that a few items decide, on too few to have seen a failure on one in a hundred.

        Steady costs look the same whether or not a failure is yet to come; costs that a few items decide call for
        doubt by themselves: the next one may be larger than all of these.
        """
        found = []
        for k, name in self._costs_without_limit():
            if (heaviest := self._heaviest(k)) is not None:
                failures = part("caveats.details.failures", objective=text.spoken(name), heaviest=heaviest,
                                units=self.units, absent=self._may_be_absent())  # fmt: skip
                found.append(Caveat("rare_failures", say(failures), (name,)))
        return found

    def caveats_of_unseen_failures(self) -> list[Caveat]:
        """All other costs without a known limit, on too few items to have seen a failure on one in a hundred.

        No test of a mean is valid without a limit [1]_, and no table calls for what it does not show.

        References
        ----------
        .. [1] R. R. Bahadur and L. J. Savage, "The nonexistence of certain statistical procedures in nonparametric
           problems", Annals of Mathematical Statistics 27, 1956.
        """
        found = []
        for k, name in self._costs_without_limit():
            if self._heaviest(k) is None:
                failures = part("caveats.details.unseen_failures", objective=text.spoken(name), units=self.units,
                                absent=self._may_be_absent())  # fmt: skip
                found.append(Caveat("rare_failures", say(failures), (name,)))
        return found

    def _heaviest(self, position: int) -> Part | None:
        """What a few items do to an objective; None for steady costs."""
        assert self.items is not None
        return _heaviest_of(self.items[..., position], text.plural(self.item, "items"))

    def _may_be_absent(self) -> Part:
        """How likely so many items show no failure."""
        return part("caveats.phrases.absent", n=self.n_units(), unseen=self._unseen())

    def _unseen(self) -> float:
        return float((1 - _RARE) ** self.n_units())

    def _costs_without_limit(self) -> list[tuple[int, Hashable]]:
        """Places and names of costs for which the items are too few to have seen a failure on one in a hundred."""
        if self.items is None or self._unseen() <= _UNSEEN:
            return []
        return [
            (k, name)
            for k, name in enumerate(self.objectives.names)
            if name not in self.known and name not in self.ranges and self._has_no_limit(k)
        ]

    def _has_no_limit(self, position: int) -> bool:
        """Whether an objective is a cost: less is better, nothing is negative, and it takes more than two values."""
        assert self.items is not None
        if self.objectives.signs[position] < 0:
            return False
        values = self.items[..., position]
        values = values[~np.isnan(values)]
        return bool(values.min() >= 0 and len(np.unique(values)) > 2)

    def caveats_of_omitted_runs(self) -> list[Caveat]:
        """What is assumed of runs that were left out."""
        if self.runs is None or not self.n_omitted:
            return []
        return [Caveat("missing_values", say(part("caveats.details.omitted_runs", n=self.n_omitted)))]

    def _caveats_of_gaps(self, measured: Uncertainty) -> list[Caveat]:
        """What is assumed of missing values."""
        if self.runs is not None:
            return self.caveats_of_omitted_runs()
        if not isinstance(measured, IncompleteItems):
            return []
        items = text.plural(self.item, "items")
        assumed = part("caveats.details.pairs_at_random", missing=self._how_many_are_missing(), items=items)
        return [Caveat("missing_values", say(assumed))]

    def _how_many_are_missing(self) -> Part:
        assert self.items is not None
        size, missing = self.items.size, self.n_missing
        return part("remarks.phrases.missing", missing=missing, size=size, share=missing / size)

    def _remarks(self, measured: Uncertainty, alpha: float, equivalence: bool) -> list[str]:
        """What was used, and what would make the tests sharper."""
        found = []
        names = self.objectives.names
        # Fewer signs, or halves of the distribution, than the level has.
        fewest = int(np.ceil(-np.log2(alpha))) if equivalence else int(np.floor(1 - np.log2(alpha))) + 1
        if self.items is not None and self.n_units() < fewest:
            found.append(self.remark_on_few(fewest, alpha))
        undeclared = [
            text.spoken(name)
            for k, name in enumerate(names)
            if name not in self.known and self.errors is None and self._is_constant(k)
        ]
        if undeclared:
            known = checks.called("known")
            found.append(say(part("remarks.details.single_values", objectives=undeclared, known=known)))
        if isinstance(measured, IncompleteItems):
            found += self._pairs_with_few_in_common(measured, fewest)
        if isinstance(measured, WorstCaseItems):
            found.append(self.remark_on_ends())
        if self.n_omitted and self.runs is None:
            what = part("remarks.phrases.rows") if self.items is None else text.plural(self.item, "items")
            found.append(say(part("remarks.details.omitted", n=self.n_omitted, what=what)))
        return found + self.remarks_on_costs()

    def remarks_on_costs(self) -> list[str]:
        """Report that nothing is sure of steady costs without a known limit, and the way out."""
        names = [text.spoken(name) for k, name in self._costs_without_limit() if self._heaviest(k) is None]
        if not names:
            return []
        absent = self._may_be_absent()
        return [say(part("remarks.details.costs", objectives=names, units=self.units, absent=absent))]

    def remark_on_few(self, fewest: int, alpha: float) -> str:
        """Report that there are fewer items or clusters than any test at a level needs."""
        return say(part("remarks.details.few", n=self.n_units(), units=self.units, alpha=alpha, fewest=fewest))

    def _pairs_with_few_in_common(self, measured: IncompleteItems, fewest: int) -> list[str]:
        """How many pairs stay undecided because of what is missing."""
        pairs = np.triu(np.ones(measured.common.shape[1:], dtype=bool), 1) & ~measured.known
        few = int((measured.common < fewest)[pairs].sum())
        if not few:
            return []
        counts = {"few": few, "pairs": int(pairs.sum()), "fewest": fewest}
        return [say(part("remarks.details.few_in_common", **counts, units=self.units))]

    def remark_on_ends(self) -> str:
        """How much is missing, and between which ends it lies."""
        assert self.items is not None
        assert self.ends is not None
        missing = np.isnan(self.items).any(axis=(0, 1, 2))
        own = np.sort(np.array(self.ends) * self.objectives.signs, axis=0) + 0.0
        ranges = [
            part("remarks.phrases.range", objective=text.label(name), low=low, high=high)
            for name, low, high, some in zip(self.objectives, *own, missing, strict=True)
            if some and name not in self.known
        ]
        return say(part("remarks.details.ends", missing=self._how_many_are_missing(), ranges=ranges))

    def has_two_values(self, position: int) -> bool:
        """Whether an objective has one of two values on each item, as right and wrong answers have."""
        if self.items is None or self.clusters is not None or self.items.shape[1] > 1 or self.repetitions is not None:
            return False
        values = self.items[..., position]
        return len(np.unique(values[~np.isnan(values)])) <= 2

    def _right_or_wrong(self) -> bool:
        """Whether all values that were sampled are one of two; sums over clusters are not."""
        if self.clusters is not None and self.n_units() < len(self.clusters):
            return False
        values = self.items if self.items is not None else np.concatenate(self.runs or [])
        sampled = [k for k, name in enumerate(self.objectives.names) if name not in self.known]
        ends = np.empty((0, values.shape[-1])) if self.ends is None else np.array(self.ends)
        columns = [np.append(values[..., k][~np.isnan(values[..., k])], ends[:, k]) for k in sampled]
        return all(uncertainty.has_two_values(column) for column in columns)

    def n_units(self) -> int:
        """How many there are of what is drawn independently: clusters, items, or runs; 0 of standard errors."""
        if self.clusters is not None:
            return int(self.clusters.max()) + 1
        return len(self.items) if self.items is not None else min((len(costs) for costs in self.runs or []), default=0)

    @property
    def units(self) -> str:
        """What is drawn independently, as a sentence calls it."""
        if self.items is None:
            return "runs"
        return text.plural(self.item, "items") if self.clusters is None else text.plural(self.cluster, "clusters")

    def _is_constant(self, position: int) -> bool:
        """Whether an objective has one value per system, and not the same for all."""
        if self.items is not None:
            columns = list(self.items[:, :, :, position].reshape(-1, len(self.labels)).T)
        else:
            columns = [costs[:, position] for costs in self.runs or []]
        columns = [column[~np.isnan(column)] for column in columns]
        return all(np.ptp(column) == 0 for column in columns) and len({column[0] for column in columns}) > 1


def _heaviest_of(costs: np.ndarray, items: str) -> Part | None:
    """What a few items are to a mean cost, or to a difference of two, as a clause; None if no more than others."""
    found = heaviest_item(costs)
    if found.has_heavy_costs:
        kind = "costs_nothing" if np.isinf(found.of_costs) else "heavy_cost"
        return part(f"caveats.phrases.{kind}", items=items, times=found.of_costs)
    if found.has_heavy_differences:
        kind = "cost_the_same" if np.isinf(found.of_differences) else "heavy_difference"
        return part(f"caveats.phrases.{kind}", items=items, times=found.of_differences)
    return None


def _by_normal_weights(measured: Uncertainty) -> bool:
    """Whether differences are tested under random normal weights of the items instead of random signs."""
    of_pairs = measured.ends if isinstance(measured, WorstCaseItems) else measured
    return isinstance(of_pairs, PairedItems) and of_pairs.by_weights


def margins_of(objectives: Objectives, margin: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Return how much worse is still acceptable in each objective, in its own units; 0 where left out.

    Raises
    ------
    TypeError, ValueError
        If it is no mapping, names something else, or a margin is negative.
    """
    if not isinstance(margin, Mapping):
        example = margin if isinstance(margin, int | float) and not isinstance(margin, bool) else 0.01
        raise TypeError(
            f"`margin` is {margin!r}; objectives have units of their own, so give each its margin, e.g. "
            f"margin={{{objectives.names[0]!r}: {example!r}}}."
        )
    for name, size in margin.items():
        objectives.position(name, "margin", verb="names")
        if isinstance(size, bool) or not isinstance(size, int | float | np.number) or not 0 <= size < np.inf:
            raise ValueError(f"`margin` of {name!r} is {size!r}; it must be a number of at least 0.")
    return {name: float(margin.get(name, 0.0)) for name in objectives.names}


def remaining_at_worst(kind: str, **found: Any) -> Part:
    """Report how many results do not depend on why values are missing, and between which ends they lie.

    Parameters
    ----------
    kind : str
        Of the results, as the sentences have them.
    **found
        ``remaining`` and ``total``, and what else the sentence of the kind says.
    """
    what = part(f"missing_values.phrases.{kind}", **found)
    return part("missing_values.details.remaining", what=what, setting=checks.setting("nan_policy", BOUNDS))


def beside(computed: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Join means and computed columns of the same rows; an objective with the name of a computed column is renamed."""
    own = {name: f"{name} (value)" for name in means.columns if name in computed.columns}
    return pd.concat([means.rename(columns=own).loc[computed.index], computed], axis=1)


def known_objectives(known: Any, objectives: Objectives) -> frozenset[Hashable]:
    """Objectives that are declared to have no error."""
    given = as_names(known)
    for name in given:
        objectives.position(name, "known", verb="names")
    return frozenset(given)


def refuse_extremes(values: np.ndarray, objectives: Objectives) -> None:
    """Refuse values that have no mean, or whose cubes are more, or less, than a number can hold."""
    for name, column in zip(objectives.names, values.T, strict=True):
        if np.isinf(column).any():
            raise ValueError(f"objective {name!r} has infinite values, which have no mean; leave these rows out.")
        size = float(np.nanmax(np.abs(column), initial=0.0))
        if 0 < size < _SMALLEST:
            raise ValueError(
                f"objective {name!r} has no value beyond {size:.2g}; below {_SMALLEST:g}, no spread can be computed. "
                f"Use other units, e.g. frame[{name!r}] * {scale_up(size)}."
            )
        if size > _LARGEST:
            largest = text.number(column[np.nanargmax(np.abs(column))])
            raise ValueError(
                f"objective {name!r} contains {largest}; beyond {_LARGEST:g}, no spread can be computed. Use "
                f"other units, e.g. frame[{name!r}] / 1e160."
            )


def _caveats_of_errors(read: Measurements) -> list[Caveat]:
    """What is unknown of means with standard errors, and what their size tells of skewness."""
    if read.errors is None or read.means is None:
        return []
    found, names = [], read.objectives.names
    numbers = np.full(read.errors.shape, np.inf) if read.counts is None else read.counts.numbers
    uncounted = np.flatnonzero((read.errors > 0).any(axis=0) & np.isinf(numbers).any(axis=0))
    if len(uncounted):
        without = say(part("caveats.details.uncounted_errors", setting=checks.setting("n", "n_items")))
        found.append(Caveat("unknown_counts", without, tuple(names[k] for k in uncounted)))
    found += [one for k in uncounted if (one := _caveat_near_an_end(read, int(k)))]
    if read.counts is None:
        return found
    others = np.isfinite(numbers).all(axis=0) & ~read.counts.are_shares
    few = tuple(names[k] for k in np.flatnonzero(others & (numbers.min(axis=0) < FEWEST_TO_SEE_SKEWNESS)))
    if few:
        fewest = float(min(numbers[:, names.index(name)].min() for name in few))
        of_few = part("caveats.details.errors_of_few", objectives=list(map(text.spoken, few)), fewest=fewest)
        found.append(Caveat("few_units", say(of_few), few))
    skewed = tuple(names[k] for k in np.flatnonzero(others) if _must_be_skewed(read, int(k)))
    if skewed:
        must_be = part("caveats.details.must_be_skewed", objectives=list(map(text.spoken, skewed)))
        found.append(Caveat("skewed", say(must_be), skewed))
    return found


def _caveat_near_an_end(read: Measurements, position: int) -> Caveat | None:
    """Values between 0 and 1 that are so near to these that their errors are not normal."""
    assert read.means is not None
    assert read.errors is not None
    values, errors = read.means[:, position] * read.objectives.signs[position] + 0.0, read.errors[:, position]
    if values.min() < 0 or values.max() > 1:
        return None
    left = np.minimum(values, 1 - values) / np.where(errors > 0, errors, np.inf)
    if (left >= _NEAR_AN_END).all():
        return None
    nearest, name = int(np.argmin(left)), read.objectives.names[position]
    near = part(
        "caveats.details.near_an_end", objective=text.spoken(name), system=text.label(read.labels[nearest]),
        value=values[nearest], error=errors[nearest], end=int(values[nearest] > 0.5),
        setting=checks.setting("n", "n_items"),
    )  # fmt: skip
    return Caveat("unknown_counts", say(near), (name,))


def _must_be_skewed(read: Measurements, position: int) -> bool:
    """Whether means of values with an end at 0, or at 1, are skewed, if these are log-normal."""
    assert read.counts is not None
    assert read.means is not None
    assert read.errors is not None
    values, numbers = read.means[:, position] * read.objectives.signs[position], read.counts.numbers[:, position]
    if values.min() < 0:
        return False
    left = np.minimum(values, 1 - values) if values.max() <= 1 else values
    spreads = read.errors[:, position] * np.sqrt(numbers)
    ratio = np.divide(spreads, left, out=np.zeros(len(left)), where=left > 0)
    skewness = (3 * ratio + ratio**3) / np.sqrt(numbers)
    return bool(np.sqrt((skewness**2).mean()) > SKEWNESS_OF_MEANS)
