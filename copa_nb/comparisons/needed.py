"""How many items would settle a comparison of two systems, planned with the variances of a comparison that was made."""

from __future__ import annotations

__all__ = ["Needed"]

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.paired import PairedDifferences
from copa_nb.comparisons.arrays.planning import LIMIT_OF_VARIANCES, LargerComparison, plan
from copa_nb.comparisons.arrays.verdicts import UNDECIDED, VERDICTS
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, explained, measured, part
from copa_nb.tables.objectives import Objectives

_N_DRAWS, _N_POINTS = 10_000, 25


class Pilot(Protocol):
    """What is asked of the comparison that is planned with; :class:`copa_nb.results.Comparison` has it."""

    @property
    def table(self) -> pd.DataFrame:
        """One row per objective: its difference, test and verdict."""

    @property
    def new(self) -> Hashable:
        """Name of the new system."""

    @property
    def baseline(self) -> Hashable:
        """Name of the other."""

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""

    @property
    def margin(self) -> dict[Hashable, float]:
        """How much worse is still acceptable."""

    @property
    def alpha(self) -> float:
        """Error rate of all intervals."""

    @property
    def differences(self) -> PairedDifferences:
        """Gains of the new system and their covariance."""

    @property
    def items(self) -> str:
        """What items are called."""

    @property
    def cluster(self) -> str:
        """What clusters are called; empty without."""


@dataclass(frozen=True, repr=False, eq=False)
class Needed(Worded):
    """The number of items that would settle a comparison, and the power for other numbers.

    Parameters
    ----------
    n_items : int or None
        Items in all, for a comparison like this one; None if no number would settle it.
    n_repeats : int or None
        Repetitions of each item that would settle it on the same number of items; None if none would, or if there
        are no repetitions to tell.
    power : float
        Probability that the comparison is settled.
    verdict : str or None
        The verdict that is wanted; None for any but "undecided".
    effect : dict of objective to number
        True differences that are assumed, new less baseline.
    objectives : DataFrame
        One row per objective: its ``verdict`` so far, ``n_items`` that would decide it (those measured if it is decided
        already; missing if no number would), and the verdict that is then the most ``likely``.
    table : DataFrame
        ``n_items`` and ``power``, and ``n_clusters`` where items are in clusters.
    comparison : Comparison
        The comparison whose variances are used.
    """

    paper = "boyi2026significance"

    n_items: int | None
    n_repeats: int | None
    power: float
    verdict: str | None
    effect: dict[Hashable, float]
    objectives: pd.DataFrame
    table: pd.DataFrame
    comparison: Pilot = field(repr=False)

    def __repr__(self) -> str:
        found = "none found" if self.n_items is None else f"{self.n_items:,}"
        return f"<Needed: {found}, {self._measured:,} measured; power {self.power:g}>"

    @property
    def more(self) -> int | None:
        """Items that are missing; None if no number would settle it."""
        return None if self.n_items is None else max(self.n_items - self._measured, 0)

    @property
    def n_clusters(self) -> int | None:
        """Clusters in all, of the same mean size; None without clusters."""
        return None if self.n_items is None or not self.comparison.cluster else self._clusters(self.n_items)

    def _clusters(self, n_items: int) -> int:
        pilot = self.comparison.differences
        return int(np.ceil(n_items * pilot.n_units / pilot.n_items))

    @property
    def hint(self) -> str:
        """How many more items would decide the objectives that are undecided."""
        return self.hint_about(self.objectives.index)

    def hint_about(self, names: Iterable[Hashable]) -> str:
        """Say how many more items would decide some of the objectives, and what would then most likely be found.

        Parameters
        ----------
        names : iterable of label
            Objectives; those that are decided need no more items.
        """
        return " ".join(explained(self.parts_about(names)))

    def parts_about(self, names: Iterable[Hashable]) -> list[Part]:
        """The sentences of :meth:`hint_about`."""
        asked = self.objectives.loc[list(names)]
        still_open = asked[asked["verdict"] == UNDECIDED]
        numbers, never = [], []
        for name, row in still_open.iterrows():
            if pd.isna(row["n_items"]):
                never.append(text.spoken(name))
            else:
                numbers.append(self._number(name, int(row["n_items"]), row["likely"]))
        said = [part("needed.reasons.more", numbers=numbers), part("needed.details.power", power=self.power)]
        return [
            *(said if numbers else []),
            *([part("needed.reasons.never", items=self.comparison.items, objectives=never)] if never else []),
        ]

    def _number(self, name: Hashable, n_items: int, likely: str) -> Part:
        """How many items more would decide an objective, rounded."""
        pilot, items = self.comparison.differences, self.comparison.items
        found = {"more": _rounded(max(n_items - self._measured, 0)), "items": items, "objective": text.spoken(name),
                 "likely": likely}  # fmt: skip
        if not self.comparison.cluster:
            return part("needed.phrases.items", **found)
        clusters = _rounded(max(self._clusters(n_items) - pilot.n_units, 0))
        return part("needed.phrases.clusters", **found, clusters=clusters, cluster=self.comparison.cluster)

    def parts(self) -> list[Part]:
        """How many items would settle the comparison, and what this rests on."""
        found, items = self.comparison, self.comparison.items
        sides = {"new": text.label(found.new), "baseline": text.label(found.baseline), "items": items}
        effect = [part("needed.phrases.effect", **{**measured(name, size), "digits": 3})
                  for name, size in self.effect.items()]  # fmt: skip
        outcome = {"verdict": self.verdict} if self.verdict else {}
        which = "_with_verdict" * bool(self.verdict)
        if self.n_items is None:
            said = [
                part(f"needed.headline.none{which}", **sides, **outcome),
                part("needed.reasons.assumed", effect=effect),
            ]
        else:
            clusters = {} if self.n_clusters is None else {"n": self.n_clusters, "cluster": found.cluster}
            all_items = {"items": items, "n_items": self.n_items, "power": self.power, "effect": effect}
            said = [
                part(f"needed.headline.found{which}", **sides, **outcome, more=self.more),
                part(f"needed.reasons.in_all{'_in_clusters' * bool(clusters)}", **all_items, **clusters),
            ]
        return [*said, *self._of_objectives(), *self._of_repeats(), *self._limits()]

    def _of_objectives(self) -> list[Part]:
        """The numbers of single objectives, if there are several."""
        if len(self.objectives) == 1:
            return []
        decided = self.objectives.index[self.objectives["verdict"] != UNDECIDED]
        settled = [part("needed.reasons.decided", objectives=list(map(text.spoken, decided)))] * (len(decided) > 0)
        return [*self.parts_about(self.objectives.index), *settled]

    def _of_repeats(self) -> list[Part]:
        if self.comparison.differences.within is None:
            return []
        items = self.comparison.items
        if self.n_repeats is None:
            return [part("needed.reasons.no_repeats", items=items)]
        return [part("needed.reasons.repeats", n=self.n_repeats, measured=self._measured, items=items)]

    def _limits(self) -> list[Part]:
        level = part("needed.details.variances", limit=LIMIT_OF_VARIANCES)
        return [level, part("needed.details.estimates"), part("needed.details.one_test")]

    @property
    def _measured(self) -> int:
        return self.comparison.differences.n_items

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the power against the number of items, with the numbers measured and needed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        from copa_nb.plotting.axes import plain_log
        from copa_nb.plotting.style import GRAY, INK, series_color

        ax.plot(self.table["n_items"], self.table["power"], color=series_color(0))
        ax.axhline(self.power, color=GRAY, linewidth=0.8, linestyle="--")
        ax.axvline(self._measured, color=INK, linewidth=0.8, linestyle=":", label=f"{self._measured:,} measured")
        if self.n_items is not None:
            ax.plot(self.n_items, self.power, "o", color=series_color(1), label=f"{self.n_items:,} needed")
        plain_log(ax, "x")
        ax.set_ylim(0, 1.02)
        ax.set_xlabel(self.comparison.items)
        ax.set_ylabel("power")
        ax.legend(loc="best")
        return ax


def items_needed(
    found: Pilot,
    *,
    power: float,
    effect: Mapping[Hashable, float] | None,
    verdict: str | None,
    rng: int | np.random.Generator | None,
) -> Needed:
    """Plan with the variances of a comparison; see :meth:`copa_nb.results.Comparison.needed`."""
    checks.fraction("power", power)
    if verdict is not None:
        checks.one_of("verdict", verdict, VERDICTS)
    assumed = _effects(found, effect)
    sampled = (found.table["test"] != "known").to_numpy()
    spread = found.differences.errors > 0
    planned = plan(
        found.differences,
        np.array(list(assumed.values())) * -found.objectives.signs,
        sampled,
        np.array(list(found.margin.values())),
        (1 - found.alpha) ** (1 / max(int(sampled.sum()), 1)),
        n_draws=_N_DRAWS,
        rng=checks.generator(rng),
    )
    # Without any spread nothing can be planned, except for tests that do not rest on it.
    plannable = spread | (found.differences.scales > 0) | np.isfinite(found.differences.reaches)
    n_items = planned.items(power, verdict) if plannable[sampled].all() else None
    return Needed(
        n_items=n_items,
        n_repeats=planned.repeats(power, verdict) if n_items is not None else None,
        power=power,
        verdict=verdict,
        effect=assumed,
        objectives=_of_each(found, planned, power, plannable),
        table=_curve(planned, verdict, n_items, clustered=bool(found.cluster)),
        comparison=found,
    )


def _of_each(found: Pilot, planned: LargerComparison, power: float, plannable: np.ndarray) -> pd.DataFrame:
    """How many items would decide each objective; those that are decided need no more."""
    rows = []
    for k, verdict in enumerate(found.table["verdict"].tolist()):
        n_items: int | None = found.differences.n_items
        likely = verdict
        if verdict == UNDECIDED:
            n_items, likely = planned.items_of(k, power) if plannable[k] else (None, UNDECIDED)
        rows.append({"verdict": verdict, "n_items": n_items, "likely": likely})
    return pd.DataFrame(rows, index=found.table.index).astype({"n_items": "Int64"})


def _effects(found: Pilot, effect: Mapping[Hashable, float] | None) -> dict[Hashable, float]:
    given = {} if effect is None else effect
    if not isinstance(given, Mapping):
        raise TypeError(
            f"`effect` is {effect!r}; give each objective its difference, e.g. "
            f"effect={{{found.objectives.names[0]!r}: 0.01}}."
        )
    for name, size in given.items():
        found.objectives.position(name, "effect", verb="names")
        if isinstance(size, bool) or not isinstance(size, int | float | np.number) or not np.isfinite(size):
            raise ValueError(f"`effect` of {name!r} is {size!r}; it must be a finite number.")
    return {name: float(given.get(name, found.table["difference"].iloc[k])) for k, name in
            enumerate(found.objectives.names)}  # fmt: skip


def _curve(planned: LargerComparison, verdict: str | None, n_items: int | None, *, clustered: bool) -> pd.DataFrame:
    """Power from a few items to twice as many as are measured or needed."""
    measured = planned.pilot.n_items
    last = 2 * max(measured, n_items or 0)
    numbers = np.unique(np.geomspace(min(10, measured), last, _N_POINTS).round().astype(np.int64))
    table = pd.DataFrame({"n_items": numbers, "power": [planned.power(int(n), verdict) for n in numbers]})
    if clustered:
        table.insert(1, "n_clusters", np.ceil(numbers * planned.pilot.n_units / measured).astype(np.int64))
    return table


def _rounded(number: int) -> int:
    """To two significant digits, upwards."""
    step = 10 ** max(len(str(number)) - 2, 0)
    return -(-number // step) * step


@describes(Needed.plot)
def _power_in_words(result: Needed) -> Picture:
    items = result.comparison.items
    needed = "No number" if result.n_items is None else f"{result.n_items:,}"
    return Picture(
        finding=f"{needed} of {items} would settle the comparison" if result.n_items is None
        else f"{needed} {items} would settle the comparison",
        caption=f"Probability that the comparison is settled, by the number of {items}. Dotted: what was measured.",
        alt=f"A curve that rises with the number of {items}, and the target of {text.percent(result.power)}.",
        data=result.table,
    )  # fmt: skip
