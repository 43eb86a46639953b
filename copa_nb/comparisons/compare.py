"""Two systems on the same items: differences with intervals, and what they show jointly."""

from __future__ import annotations

__all__ = ["Comparison"]

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.cluster_robust import size_of_test
from copa_nb.comparisons.arrays.paired import PairedDifferences, paired_differences, right_or_wrong
from copa_nb.comparisons.arrays.skewness import FEWEST_OF_A_KIND, has_few_of_a_kind
from copa_nb.comparisons.arrays.uncertainty import has_two_values
from copa_nb.comparisons.arrays.verdicts import UNDECIDED, verdict_of, verdicts_of_each
from copa_nb.comparisons.measurements import Measurements, margins_of
from copa_nb.comparisons.needed import Needed, items_needed
from copa_nb.comparisons.rare_losses import Decided, caveats_of_rare_losses
from copa_nb.comparisons.read_measurements import measurements_in_ranges
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable, first_columns
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, apart, behind_the_card, measured, part, say, shortened
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS, Bounds
from copa_nb.tables.objectives import DIFFERENCES_KEY, Objectives

# What may be done about items that only one of two systems has.
POLICIES = ("raise", "pairwise", BOUNDS)
_HEADERS = {"standard_error": "standard error", "pvalue": "p", "adjusted": "adjusted p"}
# Objectives whose differences a card spells out, and those that a headline names.
_MOST_ON_A_CARD, _MOST_NAMED = 3, 2
# What a verdict says besides of the objectives in which it is not found.
_BESIDES = {"better": "_not_worse", "worse": "_not_better"}
# A test that rejects this many times as often as its level says is not at its level.
_TOO_OFTEN = 1.5


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Worded):
    """Two systems compared on the same items.

    Parameters
    ----------
    table : DataFrame
        One row per objective: means of ``new`` and ``baseline``, ``difference`` (new less baseline) with its
        ``standard_error``, the interval from ``low`` to ``high``, the ``pvalue`` of the objective alone, ``adjusted``
        for all objectives, ``wins``, ``ties`` and ``losses`` (items on which the new system is better, as good and
        worse), the ``test``, and the ``verdict``. The intervals cover the true differences of all objectives at once.
    verdict : str
        What the intervals show jointly: the new system "dominates" (is better in every objective), "is dominated",
        is "better" (in some objective, and not worse by the margin in any other), "worse" (the reverse), "equivalent"
        (within all margins), a "trade-off" (better in one objective, worse in another), or it is "undecided".
    new, baseline : label
        The systems.
    objectives : Objectives
        Names and directions.
    margin : dict of objective to number
        How much worse is still acceptable.
    alpha : float
        Probability, over new samples, that any interval misses its difference; every statement that follows from the
        intervals shares it, however many there are.
    differences : PairedDifferences
        Gains of the new system, their covariance, and counts.
    measured : str
        On what the systems were compared.
    items, cluster : str
        What items and clusters are called; empty if there are no clusters.
    guarantee : Guarantee
        What was sampled, how often all intervals hold, and what this table gives to doubt them.
    differing : list of str
        What differs in how the systems were evaluated, if they were read from logs.
    at_worst : bool
        Whether values are missing that may be anything between two ends.
    """

    paper = "tango1998equivalence"

    _internals = frozenset(("at_worst", "cluster", "decided", "margin"))

    table: pd.DataFrame
    verdict: str
    new: Hashable
    baseline: Hashable
    objectives: Objectives
    margin: dict[Hashable, float]
    alpha: float
    differences: PairedDifferences
    measured: str
    items: str
    cluster: str
    guarantee: Guarantee
    differing: list[str]
    at_worst: bool = False

    def __repr__(self) -> str:
        return f"<Comparison of {self.new!r} with {self.baseline!r}: {self.verdict}; α = {self.alpha:g}>"

    @property
    def decided(self) -> bool:
        """Whether the comparison has an outcome."""
        return self.verdict != UNDECIDED

    @property
    def better(self) -> list[Hashable]:
        """Objectives in which the new system is significantly better."""
        return self.table.index[self.table["verdict"] == "better"].tolist()

    @property
    def worse(self) -> list[Hashable]:
        """Objectives in which the new system is significantly worse."""
        return self.table.index[self.table["verdict"] == "worse"].tolist()

    def parts(self) -> list[Part]:
        """The verdict, each difference, what would decide the open ones, and how certain this is."""
        rows = [self._of_objective(name, row) for name, row in self.table.iterrows()]
        tests = [self._test(name, row) for name, row in self.table.iterrows() if np.isfinite(row["low"])
                 and row["test"] != "known"]  # fmt: skip
        return [
            self._verdict(),
            *(part("compare.reasons.differing", sentence=one) for one in self.differing),
            *(rows if len(rows) <= _MOST_ON_A_CARD else map(behind_the_card, rows)),
            *([] if self.decided or self.at_worst else self._still_needed),
            *self.guarantee.stated(),
            part("compare.details.measured", measured=self.measured),
            *tests,
            *self.guarantee.doubts(),
        ]

    @cached_property
    def _still_needed(self) -> list[Part]:
        """What would decide the open objectives: simulated once for the headline, the card and the details."""
        return self.needed().parts_about(self.table.index)

    def _verdict(self) -> Part:
        better, worse = self._names(self.better), self._names(self.worse)
        sides = {"new": text.label(self.new), "baseline": text.label(self.baseline)}
        not_better = self._names([name for name in self.table.index if name not in self.better])
        not_worse = self._names([name for name in self.table.index if name not in self.worse])
        if self.verdict == "trade-off":
            if len(self.better) == len(self.worse) == 1:
                amounts = {"gain": self._amount(self.better[0]), "loss": self._amount(self.worse[0])}
                return part("compare.headline.trade_off_of_two", **sides, **amounts)
            return part("compare.headline.trade_off", **sides, better=better, worse=worse)
        facts = {
            "dominates": {"better": better},
            "is dominated": {"worse": worse},
            "better": {"better": better, "others": not_better},
            "worse": {"worse": worse, "others": not_worse},
            "equivalent": {},
        }
        if self.verdict in facts:
            found = {name: value for name, value in facts[self.verdict].items() if value}
            kind = self.verdict.replace(" ", "_") + _BESIDES.get(self.verdict, "") * ("others" in found)
            return part(f"compare.headline.{kind}", **sides, **found)
        still_open = self._names(self.table.index[self.table["verdict"] == UNDECIDED])
        if not better and not worse:
            return part("compare.headline.open", **sides)
        kind, names = ("better", better) if better else ("worse", worse)
        return part(f"compare.headline.{kind}_and_{'open' if still_open else 'margins'}", **sides, names=names,
                    open=still_open)  # fmt: skip

    def _names(self, objectives: Iterable[Hashable]) -> list[str | Part]:
        return shortened((measured(name, 0.0)["name"] for name in objectives), _MOST_NAMED)

    def _amount(self, name: Hashable) -> Part:
        """How much more or less of an objective the new system has."""
        difference = float(self.table["difference"].to_dict()[name])
        return part(f"compare.phrases.{'more' if difference > 0 else 'less'}", **apart(name, difference))

    def _of_objective(self, name: Any, row: pd.Series) -> Part:
        values = {**apart(name, row["difference"], row["new"], row["baseline"], row["low"], row["high"]),
                  "unit": measured(name, 0.0)["unit"]}  # fmt: skip
        found = {"new": float(row["new"]), "baseline": float(row["baseline"]), "difference": float(row["difference"])}
        if row["test"] == "known":
            return part("compare.reasons.known", **values, **found)
        if np.isinf(row["low"]):
            return part(f"compare.reasons.{'constant' if row['test'] == 'none' else 'too_few'}", **values, **found)
        ends = {"low": float(row["low"]), "high": float(row["high"])}
        return part("compare.reasons.difference", **values, **found, **ends)

    def _test(self, name: Any, row: pd.Series) -> Part:
        counts = {"wins": int(row["wins"]), "losses": int(row["losses"])}
        found = {"name": measured(name, 0.0)["name"], "pvalue": float(row["pvalue"]), **counts}
        if len(self.table) == 1:
            return part("compare.details.test", **found)
        return part("compare.details.adjusted_test", **found, adjusted=float(row["adjusted"]))

    def to_answer(self) -> Answer:
        """Whether the new system is better, and how certain that is."""
        question = part("compare.question", new=text.label(self.new), baseline=text.label(self.baseline),
                        items=self.items)  # fmt: skip
        return Answer.of(
            self.parts(),
            question=say(question),
            used="compare",
            values={
                "verdict": self.verdict,
                "objectives": self.table[["difference", "low", "high", "adjusted", "verdict"]].to_dict("index"),
            },
        )

    def printed_tables(self) -> list[PrintedTable]:
        """The difference in each objective, the verdict first."""
        differences = first_columns(self.table, "verdict").rename(index=text.spoken)
        caption = (
            "Verdicts, means, differences with their intervals, p-values, and the items on which the new system is "
            "better or worse."
        )
        return [PrintedTable(frame=differences, name="differences", caption=caption, headers=_HEADERS)]

    def needed(
        self,
        *,
        power: float = 0.8,
        effect: Mapping[Hashable, float] | None = None,
        verdict: str | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> Needed:
        """Find how many items would settle the comparison, with the variances of this one.

        Correlations between objectives are those of this comparison, and so are variances and shares of items on which
        the systems differ, which count with their upper 80% confidence limits [2]_. Comparisons of other sizes are
        simulated with them, by the same tests [1]_.

        Parameters
        ----------
        power : float
            Probability that the comparison is settled.
        effect : mapping of objective to number, optional
            True differences to plan for, new less baseline, in the objectives' own units; those measured where left
            out.
        verdict : str, optional
            The verdict that is wanted, such as "dominates" or "better"; any but "undecided" by default.
        rng : int, Generator or None
            Seed of the simulations.

        Returns
        -------
        Needed

        Raises
        ------
        ValueError
            For effects of no objective, unknown verdicts, and powers outside 0 to 1; if values are missing that may be
            anything, because more items with as many missing ones need not settle it.

        References
        ----------
        .. [1] R. J. Connor, "Sample Size for Testing Differences in Proportions for the Paired-Sample Design",
           Biometrics 43 (1987), https://doi.org/10.2307/2531961.
        .. [2] R. H. Browne, "On the use of a pilot sample for sample size determination", Statistics in Medicine 14
           (1995), https://doi.org/10.1002/sim.4780141709.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> rows = [(agent, task, float(rng.random() < skill)) for agent, skill in (("old", 0.6), ("new", 0.7))
        ...         for task in range(100)]
        >>> log = pd.DataFrame(rows, columns=["agent", "task", "correct"])
        >>> found = log.moo(correct="max", system="agent", item="task").compare("new", "old")
        >>> 300 < found.needed(effect={"correct": 0.1}).n_items < 450
        True
        """
        if self.at_worst:
            raise ValueError(
                "Values are missing, and the comparison holds for any that they may have: more items of which as many "
                f"lack a value need not settle it. Plan with {checks.setting('nan_policy', 'pairwise')}."
            )
        return items_needed(self, power=power, effect=effect, verdict=verdict, rng=rng)

    plot = Offered()


def compare(
    table: DescribedFrame,
    new: Hashable | None = None,
    baseline: Hashable | None = None,
    *,
    margin: Mapping[Hashable, float] | None = None,
    alpha: float = 0.05,
    bounds: Bounds = None,
) -> Comparison:
    """Compare two systems on the same items: is the new one better, in which objective, and how certain is it?"""
    checks.fraction("alpha", alpha)
    table.named("item")
    new, baseline = _sides(table.labels("system").labels, new, baseline)
    read, sides = _read(table, new, baseline, bounds)
    complete = _in_common(read) if read.ends is None else read
    margins = margins_of(read.objectives, {} if margin is None else margin)
    checks.nothing_refused()
    found = _compared(complete, sides, alpha)
    sizes = np.array(list(margins.values()))
    verdicts, verdict = verdicts_of_each(found.intervals, sizes), found.verdict(sizes)
    guarantee = _guarantee(complete, found, alpha).but(
        warnings=[
            *_caveats_of_gaps(read, complete, sides, verdict, sizes, alpha),
            *caveats_of_rare_losses(complete, found.decided(verdicts, sizes)),
        ]
    )
    return Comparison(
        table=found.table(read.objectives).assign(verdict=verdicts),
        verdict=verdict,
        new=new,
        baseline=baseline,
        objectives=read.objectives,
        margin=margins,
        alpha=alpha,
        differences=found.middle,
        measured=complete.describe(),
        items=text.plural(read.item, "items"),
        cluster="" if read.clusters is None else read.units,
        guarantee=guarantee,
        differing=list(table.frame.attrs.get(DIFFERENCES_KEY, ())),
        at_worst=len(found.ends) > 1,
    )


def _sides(systems: Sequence[Hashable], new: Hashable | None, baseline: Hashable | None) -> tuple[Hashable, Hashable]:
    """Find the systems that were left out, where there is no other."""
    for argument, name in (("new", new), ("baseline", baseline)):
        if name is not None and name not in systems:
            raise ValueError(
                f"{checks.called(argument)} is {name!r}, which is not a system; systems are "
                f"{checks.listed(systems)}.{checks.nearest(name, systems)}"
            )
    if new is not None and baseline is not None:
        return new, baseline
    if len(systems) != 2:
        raise ValueError(
            f"{checks.called('new' if new is None else 'baseline')} is left out, and the table has {len(systems)} "
            f"systems; name one of {checks.listed(systems)}."
        )
    first, second = systems
    if new is None:
        return (second if baseline in (None, first) else first), (first if baseline is None else baseline)
    return new, (first if new == second else second)


def _read(table: DescribedFrame, new: Hashable, baseline: Hashable, bounds: Bounds) -> tuple[Measurements, list[int]]:
    """Read the rows of both systems, and find which of them is which."""
    systems = table.labels("system")
    if new == baseline:
        raise ValueError(f"`new` and `baseline` are both {new!r}; name two different systems.")
    rows = np.isin(systems.codes, [systems.labels.index(new), systems.labels.index(baseline)])
    kept = table if rows.all() else table.take(np.flatnonzero(rows))
    # They have items or runs of their own, whatever errors their means are said to have.
    read = measurements_in_ranges(kept.saying(standard_error=None, n=None), bounds, nan_policies=POLICIES)
    labels = read.labels.tolist()
    return read, [labels.index(new), labels.index(baseline)]


def _in_common(read: Measurements) -> Measurements:
    """Keep the items that both systems have, in all objectives."""
    assert read.items is not None
    both = ~np.isnan(read.items).any(axis=(1, 2, 3))
    if both.all():
        return read
    if both.sum() < 2:
        raise ValueError(
            f"`item`: {int(both.sum())} of {len(both):,} {text.plural(read.item, 'items')} have values of both "
            "systems; at least two are needed to estimate a spread."
        )
    clusters = None if read.clusters is None else pd.factorize(read.clusters[both])[0]
    return replace(
        read, items=read.items[both], clusters=clusters, groupings=[one.kept(both) for one in read.groupings],
        n_omitted=read.n_omitted + int((~both).sum()),
    )  # fmt: skip


@dataclass(frozen=True)
class _Compared:
    """Both systems on the same items; where values are missing, with these at either end of what they may be.

    Parameters
    ----------
    costs : ndarray, shape (2, k)
        Mean costs of the new system and of the baseline.
    middle : PairedDifferences
        Where values are missing, with these half way between the ends.
    ends : list of PairedDifferences
        With missing values at their worst for the new system, and at their best; all the same without any.
    level : float
        Of each interval.
    sampled : ndarray of bool, shape (k,)
        Objectives that are not known.
    right_or_wrong : list of bool
        Objectives that have one of two values on every item.
    """

    costs: np.ndarray
    middle: PairedDifferences
    ends: list[PairedDifferences]
    level: float
    sampled: np.ndarray
    right_or_wrong: list[bool]

    @cached_property
    def intervals(self) -> np.ndarray:
        """Of the gains, shape (k, 2): those of both ends, and what is between them."""
        both = np.stack([one.intervals(self.level) for one in self.ends])
        # Objectives without error have no interval, but values at both ends if some are missing.
        both = np.where(self.sampled[:, None], both, np.stack([one.means for one in self.ends])[:, :, None])
        return np.stack([both[:, :, 0].min(axis=0), both[:, :, 1].max(axis=0)], axis=1)

    @property
    def pvalues(self) -> np.ndarray:
        """The larger ones of both ends, and 1 where these disagree on which system is better."""
        if len(self.ends) == 1:
            return self.middle.pvalues(self.level)
        signs = np.sign([one.means for one in self.ends])
        larger = np.max([one.pvalues(self.level) for one in self.ends], axis=0)
        return np.where((signs == signs[0]).all(axis=0), larger, 1.0)

    def verdict(self, margins: np.ndarray) -> str:
        """What the intervals of all objectives say together."""
        return str(verdict_of(self.intervals, margins))

    def table(self, objectives: Objectives) -> pd.DataFrame:
        """Everything but the verdicts, in the objectives' own units."""
        signs, sampled, first = objectives.signs, self.sampled, self.ends[0]
        pvalues = np.where(sampled, self.pvalues, np.nan)
        # The ends of a gain change places where less is better.
        limits = np.sort(self.intervals * -signs[:, None], axis=1) + 0.0
        errors = np.max([one.errors for one in self.ends], axis=0)
        tests = np.select(
            [~sampled, first.scales > 0, np.isfinite(first.reaches), errors == 0],
            ["known", "McNemar", "betting", "none"],
            "paired t",
        )
        return pd.DataFrame(
            {
                "new": self.costs[0] * signs + 0.0,
                "baseline": self.costs[1] * signs + 0.0,
                "difference": self.middle.means * -signs + 0.0,
                "standard_error": np.where(sampled, errors, 0.0),
                "low": limits[:, 0],
                "high": limits[:, 1],
                "pvalue": pvalues,
                "adjusted": 1 - (1 - pvalues) ** sampled.sum(),
                **dict(zip(("wins", "ties", "losses"), self.middle.counts.T, strict=True)),
                "test": tests,
            },
            index=pd.Index(objectives.names, name="objective", tupleize_cols=False),
        )

    def decided(self, verdicts: np.ndarray, margins: np.ndarray) -> list[Decided]:
        """How far each mean gain is from the limit that its verdict says it keeps, at the end that is nearest to it.

        Without a verdict, what is said is that the true gain lies in the interval. That of right and wrong answers is
        wide enough for losses that were not seen.
        """
        found = []
        for k, verdict in enumerate(verdicts.tolist()):
            if verdict != UNDECIDED:
                distances = [_distance(verdict, float(one.means[k]), margins[k]) for one in self.ends]
            elif not self.right_or_wrong[k]:
                low, high = self.intervals[k]
                distances = [float(min(one.means[k] - low, high - one.means[k])) for one in self.ends]
            else:
                continue
            nearest = int(np.argmin(distances))
            if np.isfinite(distances[nearest]):
                found.append(Decided(k, self.ends[nearest].gains[:, k], distances[nearest]))
        return found


def _distance(verdict: str, gain: float, margin: float) -> float:
    """How far a mean gain is from the limit that a verdict says it keeps."""
    distances = {
        "better": gain,
        "worse": -gain,
        "not worse": margin + gain,
        "not better": margin - gain,
        "equivalent": margin - abs(gain),
    }
    return distances[verdict]


def _compared(read: Measurements, sides: list[int], alpha: float) -> _Compared:
    """Test the differences of both systems."""
    fillings = _fillings(read, sides)
    answers = np.concatenate(fillings) * read.objectives.signs
    single = read.clusters is None and read.repeat is None and (read.repetitions is None or read.repetitions.most == 1)
    scales = np.array([right_or_wrong(answers[..., k]) if single else 0.0 for k in range(answers.shape[-1])])
    reaches = np.array(
        [
            read.ranges[name][1] - read.ranges[name][0] if name in read.ranges else np.inf
            for name in read.objectives.names
        ]
    )
    sampled = np.array([name not in read.known for name in read.objectives.names])
    middle = np.mean(fillings, axis=0)
    ends = [_differences(read, costs, scales, reaches) for costs in fillings]
    return _Compared(
        costs=middle.mean(axis=(0, 1)),
        middle=ends[0] if len(ends) == 1 else _differences(read, middle, np.zeros_like(scales), reaches),
        ends=ends,
        level=(1 - alpha) ** (1 / max(int(sampled.sum()), 1)),
        sampled=sampled,
        right_or_wrong=[has_two_values(answers[..., k]) for k in range(answers.shape[-1])],
    )


def _fillings(read: Measurements, sides: list[int]) -> list[np.ndarray]:
    """Costs of both systems, shape (n_items, n_repeats, 2, k), with missing ones at either end of what they may be."""
    assert read.items is not None
    costs = read.items[:, :, sides]
    missing = np.isnan(costs)
    if read.ends is None or not missing.any():
        return [costs]
    lowest, highest = read.ends
    known = np.array([name in read.known for name in read.objectives.names])
    # An objective without error has one value for each system, on the items that it lacks as well.
    own = np.nanmean(np.where(known, costs, 0.0), axis=(0, 1))
    worst_first = np.stack([highest, lowest])
    return [np.where(missing, np.where(known, own, ends), costs) for ends in (worst_first, worst_first[::-1])]


def _differences(read: Measurements, costs: np.ndarray, scales: np.ndarray, reaches: np.ndarray) -> PairedDifferences:
    """Gains of the new system over the baseline."""
    found = paired_differences(costs[:, :, 1] - costs[:, :, 0], clusters=read.clusters, scales=scales, reaches=reaches)
    found = replace(found, skewed=_too_skewed(found, costs))
    if read.repetitions is None or read.repetitions.most == 1:
        return found
    within = read.repetitions.within.sum(axis=0) / found.n_items
    return replace(found, n_repeats=read.repetitions.mean, within=None if np.isnan(within).any() else within)


def _too_skewed(found: PairedDifferences, costs: np.ndarray) -> np.ndarray:
    """In which objectives t-tests are too skewed; of right and wrong answers, numbers of clusters decide.

    Parameters
    ----------
    found : PairedDifferences
    costs : ndarray, shape (n_items, n_repeats, 2, k)
    """
    skewed = found.skewed.copy()
    for k in np.flatnonzero(found.skewed):
        if has_two_values(costs[..., k]):
            few_differ = found.n_units_that_differ[k] < FEWEST_OF_A_KIND
            skewed[k] = few_differ or has_few_of_a_kind(costs[..., k], found.clusters)
    return skewed


def _caveat_of_clusters(read: Measurements, alpha: float) -> list[Caveat]:
    """A warning if the t-test of clusters of these sizes may reject too often."""
    if read.clusters is None:
        return []
    sizes = np.bincount(read.clusters).astype(np.float64)
    rate = size_of_test(sizes, alpha)
    if rate <= _TOO_OFTEN * alpha:
        return []
    few = part("caveats.details.few_clusters", n=len(sizes), units=read.units, items=text.plural(read.item, "items"),
               alpha=alpha, rate=rate)  # fmt: skip
    return [Caveat("few_clusters", say(few))]


def _caveats_of_gaps(
    read: Measurements, complete: Measurements, sides: list[int], verdict: str, margins: np.ndarray, alpha: float
) -> list[Caveat]:
    """What is assumed of items that one system lacks, and what remains if it is wrong."""
    assert complete.items is not None
    n_omitted = complete.n_omitted
    if not n_omitted:
        return []
    gaps = part("caveats.details.gaps_of_two", missing=n_omitted, items=text.plural(read.item, "items"),
                others=len(complete.items), worst=_in_the_worst_case(read, sides, verdict, margins, alpha))  # fmt: skip
    return [Caveat("missing_values", say(gaps))]


def _in_the_worst_case(read: Measurements, sides: list[int], verdict: str, margins: np.ndarray, alpha: float) -> Part:
    """What a verdict is if missing values may be anything that was observed."""
    changed = _compared(read.at_worst(), sides, alpha).verdict(margins)
    if changed == verdict:
        return part("caveats.phrases.same_verdict", verdict=verdict)
    setting = checks.setting("nan_policy", BOUNDS)
    return part("caveats.phrases.other_verdict", changed=changed, verdict=verdict, setting=setting)


def _guarantee(read: Measurements, compared: _Compared, alpha: float) -> Guarantee:
    """What was sampled, how often all intervals hold, and what this table gives to doubt them."""
    assert read.items is not None
    found, sampled, level = compared.ends[0], compared.sampled, compared.level
    n_sampled = int(sampled.sum())
    by_t = sampled & (found.scales == 0) & np.isinf(found.reaches)
    by_bets = sampled & np.isfinite(found.reaches)
    skewed = np.any([one.skewed for one in compared.ends], axis=0)
    warnings = [one for one in read.caveats(skewed & by_t) if one.name != "few_units" or by_t.any()]
    warnings += _caveat_of_clusters(read, 1 - level) if by_t.any() else []
    remarks = []
    names = np.array([text.spoken(name) for name in read.objectives.names], dtype=object)
    constant = names[by_t & (found.errors == 0)]
    if len(constant):
        known = checks.called("known")
        remarks.append(say(part("remarks.details.equal_differences", objectives=constant.tolist(), known=known)))
    if found.least_pvalue > 1 - level:
        remarks.append(read.remark_on_few(int(np.ceil(1 - np.log2(1 - level))), 1 - level))
    if len(compared.ends) > 1:
        remarks.append(read.remark_on_ends())
    remarks += read.remarks_on_costs()
    methods = ["betting on values in a declared range"] * bool(by_bets.any())
    if not by_bets[sampled].all() or not n_sampled:
        methods += ["McNemar's test and Tango's interval for right and wrong answers", "t for other values"]
    methods += ["Šidák's adjustment"] * (n_sampled > 1)
    return Guarantee(
        estimates=f"differences of means over {read.units}",
        sampled=read.sampled,
        holds="all intervals and verdicts hold" if n_sampled > 1 else "the interval and the verdict hold",
        confidence_level=1 - alpha,
        jointly=n_sampled > 1,
        basis="exact" if n_sampled and by_bets[sampled].all() else "asymptotic",
        method=", ".join(methods),
        warnings=tuple(warnings),
        remarks=tuple(remarks),
    )
