"""Scores of the chosen system, with intervals that remain valid after the choice."""

from __future__ import annotations

__all__ = ["Intervals"]

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays import after_choice as arrays
from copa_nb.comparisons.arrays.skewness import SKEWED
from copa_nb.comparisons.measurements import SKEWNESS_OF_MEANS, Measurements
from copa_nb.comparisons.read_measurements import measurements, refuse_other_policies
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.ranking.arrays.criterion import winner_of_each
from copa_nb.ranking.criterion import Criterion, WeightsLike
from copa_nb.ranking.ranking import Ranking
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, measured, part, say
from copa_nb.tables.candidates import Where, allowed_mask, candidate_mask, limits_of
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, to_minimization

_FEWEST_RESAMPLES, _N_SPLITS, _N_DRAWS = 1000, 10, 200
# Repetitions shared by all items are few below this number if their variance exceeds this part of that of the items.
_FEW_REPETITIONS, _LARGE_PART = 10, 0.5


@dataclass(frozen=True, repr=False, eq=False)
class Intervals(Worded):
    """Scores of the chosen system, and how far they can be trusted after the choice.

    Parameters
    ----------
    table : DataFrame
        One row per objective: the measured ``score`` of the chosen system, its interval from ``low`` to ``high``, which
        is valid after the choice, ``naive_low`` and ``naive_high``, which would be valid if the system had been named
        beforehand, ``optimism`` (how much of the score is due to the choice, by cross-validation) and ``corrected``,
        the score less its optimism.
    best : label
        The chosen system.
    objectives : Objectives
        Names and directions.
    confidence_level : float
        Share of samples in which all intervals cover the true scores.
    n_candidates : int
        Systems that might have been chosen, on this sample or another.
    measured : str
        On what the systems were measured.
    guarantee : Guarantee
        What was sampled, how the intervals allow for the choice, and what this table gives to doubt them.
    """

    paper = "javaloy2025copa"

    table: pd.DataFrame
    best: Hashable
    objectives: Objectives
    confidence_level: float
    n_candidates: int
    measured: str
    guarantee: Guarantee

    def __repr__(self) -> str:
        return f"<Intervals of {self.best!r}, best of {self.n_candidates}; {self.confidence_level:g}>"

    def parts(self) -> list[Part]:
        """The scores with their intervals, and how much of them is due to the choice."""
        return [
            part("intervals.headline.scores", best=text.label(self.best), n=self.n_candidates),
            *(self._of_objective(name, row) for name, row in self.table.iterrows()),
            *self.guarantee.stated(),
            part("intervals.details.measured", measured=self.measured),
            *self.guarantee.doubts(),
        ]

    def in_short(self) -> Part:
        """The scores with their intervals, as one sentence.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> from copa_nb.results.sentences import say
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "se": [0.02, 0.02]}, index=["a", "b"])
        >>> choice = models.moo(accuracy="max").copa()
        >>> say(choice.intervals(standard_error={"accuracy": "se"}).in_short())
        'Scores with 95% intervals that allow for the choice from 2: accuracy 0.9 (0.855 to 0.945).'
        """
        scores = []
        for name, row in self.table.iterrows():
            ends = {"low": float(row["low"]), "high": float(row["high"])}
            score = measured(name, row["score"], *ends.values())
            kind = "score" if row["low"] < row["high"] else "has"
            scores.append(part(f"choice.phrases.{kind}", **score, **ends))
        return part("choice.certainty.scores", level=self.confidence_level, n=self.n_candidates, scores=scores)

    def _of_objective(self, name: Any, row: pd.Series) -> Part:
        found = {end: float(row[end]) for end in ("low", "high", "corrected")}
        score = measured(name, row["score"], *found.values())
        if row["low"] == row["high"]:
            return part("intervals.reasons.known", **score)
        return part("intervals.reasons.score", **score, **found)

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the score in each objective with the interval after the choice, and the naive one within it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        from copa_nb.plotting.style import GRAY, INK, chosen_looks, directed_label

        for place, (_, row) in enumerate(self.table.iterrows()):
            ends = row[["low", "high", "naive_low", "naive_high", "corrected"]].to_numpy(dtype=float)
            reach = float(np.nanmax(np.abs(np.where(np.isfinite(ends), ends, row["score"]) - row["score"]))) or 1.0
            at = dict(zip(("low", "high", "naive low", "naive high", "corrected"), (ends - row["score"]) / reach,
                          strict=True))  # fmt: skip
            first = place == 0
            ax.hlines(place, at["low"], at["high"], color=chosen_looks()["color"], linewidth=2,
                      label="valid after the choice" if first else None)  # fmt: skip
            ax.hlines(place, at["naive low"], at["naive high"], color=GRAY, linewidth=7, alpha=0.5,
                      label="naive" if first else None)  # fmt: skip
            ax.plot(0, place, ls="", ms=11, mec="white", mew=0.8, label="measured" if first else None, **chosen_looks())
            ax.plot(at["corrected"], place, "D", ms=5, color=INK, label="without optimism" if first else None)
            low, score, high = (text.number(row[name], 3) for name in ("low", "score", "high"))
            ax.text(0, place - 0.18, text.minus(f"{score} ({low} to {high})"), ha="center", va="bottom",
                    fontsize="small")  # fmt: skip
        ax.set_yticks(range(len(self.table)), [directed_label(*one) for one in self.objectives.directions])
        ax.set_ylim(len(self.table) - 0.4, -0.7)
        ax.set_xlim(-1.2, 1.2)
        ax.set_xticks([])
        ax.grid(False)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, frameon=False)
        return ax


def scores_after_choice(
    table: DescribedFrame,
    *,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: int | np.random.Generator | None = 0,
) -> Intervals:
    """Choose a system by COPA, and give its scores intervals that are valid after the choice.

    Where the table of means is in hand, it is :meth:`copa_nb.results.Selection.intervals`; the options are described
    there.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> log = pd.DataFrame([(model, task, float(rng.random() < 0.7)) for model in range(20) for task in range(100)],
    ...     columns=["model", "task", "correct"])
    >>> found = scores_after_choice(DescribedFrame.of(log, {"correct": "max"}, system="model", item="task"))
    >>> found.best, found.n_candidates
    (18, 20)
    """
    checks.fraction("confidence_level", confidence_level)
    n_resamples = checks.integer("n_resamples", n_resamples, least=_FEWEST_RESAMPLES)
    generator = checks.generator(rng)
    refuse_other_policies(table, ("raise",))
    read = measurements(table, nan_policies=("raise",), nested=True)
    means = read.in_own_units(read.mean_costs())
    costs = to_minimization(means, read.objectives, where=where)
    criterion = Criterion.of(costs.objectives, p, weights, normalize)
    order = Ranking.of(costs, criterion)
    best = int(order.ordered[0])
    allowed = np.flatnonzero(candidate_mask(means, where))
    sampled = np.array([name not in read.known for name in read.objectives.names])
    if read.errors is not None:
        sampled &= read.errors.any(axis=0)
    if not _is_about_known(means, where, sampled):
        # On other samples others would pass.
        allowed = np.arange(len(means))
    choosing = _choosing(read, criterion, where)
    of_source = _of_items if read.items is not None else _of_systems
    ends, excess, warnings = of_source(read, best, allowed, sampled, confidence_level, n_resamples, generator, choosing)
    return Intervals(
        table=_table(read, best, sampled, ends, excess),
        best=order.best,
        objectives=read.objectives,
        confidence_level=confidence_level,
        n_candidates=len(allowed),
        measured=read.describe(),
        guarantee=_guarantee(read, confidence_level, len(allowed), warnings),
    )


def _is_about_known(means: pd.DataFrame, where: Where, sampled: np.ndarray) -> bool:
    """Whether the same systems may be chosen whatever the sample is."""
    limits = limits_of(means, where, means.columns.tolist())
    return limits is not None and limits.keys().isdisjoint(means.columns[sampled])


def _choosing(read: Measurements, criterion: Criterion, where: Where) -> Any:
    """The choice as a function of the means in many tables, each with its own systems that pass the limits."""
    n = len(read.labels)
    measured = np.flatnonzero(candidate_mask(read.in_own_units(read.mean_costs()), where))

    def passing(means: np.ndarray) -> np.ndarray:
        if isinstance(where, str):  # read once for all tables
            of_all = [read.in_own_units(one) for one in means]
            return allowed_mask(pd.concat(of_all), where).reshape(-1, n)
        return np.array([allowed_mask(read.in_own_units(one), where) for one in means])

    def choose(means: np.ndarray) -> np.ndarray:
        chosen = np.empty(len(means), dtype=np.int64)
        masks = np.ones(means.shape[:2], dtype=bool) if where is None else passing(means)
        for place, (one, mask) in enumerate(zip(means, masks, strict=True)):
            allowed = np.flatnonzero(mask) if mask.any() else measured
            table, keys = criterion.place(ObjectiveMatrix(one, read.objectives, np.arange(n), read.labels), allowed)
            chosen[place] = allowed[winner_of_each(np.asarray(table)[None], criterion.weights, criterion.p, keys)[0]]
        return chosen

    return choose


def _table(
    read: Measurements, best: int, sampled: np.ndarray, ends: dict[str, np.ndarray], excess: np.ndarray
) -> pd.DataFrame:
    """Scores and intervals of the chosen system, in the objectives' own units."""
    found = (read.mean_costs() * read.objectives.signs + 0.0)[best]
    excess = np.where(sampled, excess * read.objectives.signs, 0.0)
    columns = {"score": found}
    for name, both in ends.items():
        both = np.where(sampled[:, None], both, found[:, None])
        columns |= {f"{name}low": both[:, 0], f"{name}high": both[:, 1]}
    columns |= {"optimism": -excess + 0.0, "corrected": found + excess}
    return pd.DataFrame(columns, index=pd.Index(read.objectives.names, name="objective", tupleize_cols=False))


def _of_items(
    read: Measurements, best: int, allowed: np.ndarray, sampled: np.ndarray, level: float, n_resamples: int,
    rng: np.random.Generator, choose: Any,
) -> tuple[dict[str, np.ndarray], np.ndarray, list[Caveat]]:  # fmt: skip
    """Intervals after the choice and naive ones, the optimism as a cost, and doubts, of scores on the same items."""
    from scipy.special import ndtr, stdtrit

    assert read.items is not None
    scores = read.items[:, 0]
    own = scores * read.objectives.signs
    deviations, of_items = arrays.unit_deviations(own, read.clusters)
    variances = (deviations**2).sum(axis=0)
    repetitions = read.repetitions
    apart, of_numbers = np.zeros(variances.shape), np.inf
    if repetitions is not None and repetitions.freedom:
        apart, of_numbers = repetitions.of_numbers, repetitions.freedom
    errors = np.sqrt(variances + apart)
    parts = variances[best] ** 2 / of_items + apart[best] ** 2 / of_numbers
    freedom = np.divide(errors[best] ** 4, parts, out=np.full(len(parts), of_items), where=parts > 0)
    scales = [_scale_of_shares(read, k) for k in range(own.shape[2])]
    lows, spans = np.array([(0.0, 1.0) if scale is None else scale for scale in scales]).T
    sizes = np.ones(len(own)) if read.clusters is None else np.bincount(read.clusters).astype(np.float64)
    n_alike = arrays.answers_alike((own.mean(axis=0) - lows) / spans, errors / spans, sizes)[best]
    exact = np.array([_right_or_wrong(read, k) for k in range(own.shape[2])])
    n_alike = np.where(exact, len(own), np.where([scale is None for scale in scales], np.nan, n_alike))
    ends = {}
    for name, systems in (("", allowed), ("naive_", np.array([best]))):
        used = np.ix_(systems, np.flatnonzero(sampled))
        critical = (
            arrays.largest_of_all(deviations[:, used[0], used[1]], apart[used], level, n_resamples, rng)
            if sampled.any()
            else 0.0
        )
        limits = np.where(exact, critical, stdtrit(freedom, ndtr(critical)))
        within = arrays.intervals((own.mean(axis=0)[best] - lows) / spans, errors[best] / spans, limits, n_alike)
        ends[name] = lows[:, None] + spans[:, None] * within
    # Intervals of shares are as skewed as right and wrong answers are.
    skewed = np.isnan(n_alike) & _skewed(deviations)
    warnings = [*read.caveats(skewed), *_caveats_of_repetitions(read, variances, apart, sampled)]
    return ends, arrays.optimism(scores, read.clusters, choose, _N_SPLITS, rng), warnings


def _right_or_wrong(read: Measurements, position: int) -> bool:
    """Whether every item has one answer, which is right or wrong."""
    assert read.items is not None
    single = read.clusters is None and (read.repetitions is None or read.repetitions.most == 1)
    return single and len(np.unique(read.items[..., position])) <= 2 and _scale_of_shares(read, position) is not None


def _scale_of_shares(read: Measurements, position: int) -> tuple[float, float] | None:
    """Where shares start, and by how much they may exceed this; None for what is not known to have two ends."""
    assert read.items is not None
    values = read.items[..., position] * read.objectives.signs[position] + 0.0
    low, high = float(values.min()), float(values.max())
    attempts = 1 if read.repetitions is None else read.repetitions.most
    inside = low >= 0 and high <= 1
    in_steps = inside and np.allclose(values * attempts, np.rint(values * attempts), atol=1e-9)
    if in_steps or (inside and read.objectives.signs[position] < 0):
        return 0.0, 1.0
    return (low, high - low) if len(np.unique(values)) == 2 else None


def _skewed(deviations: np.ndarray) -> np.ndarray:
    """In which objectives a few units weigh so much that symmetric intervals of means are off."""
    found = (arrays.skewness_of_means(deviations) ** 2).mean(axis=0)
    # Of n normal values, the mean square is 6 / n**2.
    by_chance = 6 / len(deviations) ** 2
    skewed: np.ndarray = (found > SKEWED * by_chance) & (found - by_chance > SKEWNESS_OF_MEANS**2)
    return skewed


def _runs_are_skewed(read: Measurements) -> np.ndarray:
    """The same of independent runs; means with standard errors have caveats of their own."""
    if read.runs is None:
        return np.zeros(len(read.objectives.names), dtype=bool)
    of_means = [arrays.skewness_of_means((costs - costs.mean(axis=0))[:, None]) for costs in read.runs]
    clear = read.uncertainty(1, checks.generator(0)).skewed
    skewed: np.ndarray = clear & (np.mean(np.square(of_means), axis=(0, 1)) > SKEWNESS_OF_MEANS**2)
    return skewed


def _caveats_of_repetitions(
    read: Measurements, of_items: np.ndarray, of_numbers: np.ndarray, sampled: np.ndarray
) -> list[Caveat]:
    """Few repetitions that all items share, and that are a large part of the errors, variances (n_systems, k)."""
    found = read.repetitions
    # The least is that of all systems together.
    large = sampled & (of_numbers.min(axis=0) > _LARGE_PART * of_items.mean(axis=0))
    if found is None or found.most >= _FEW_REPETITIONS or not large.any():
        return []
    names = tuple(name for name, one in zip(read.objectives.names, large, strict=True) if one)
    few = part("caveats.details.few_repetitions", items=text.plural(read.item, "items"), n=found.most,
               objectives=list(map(text.spoken, names)))  # fmt: skip
    return [Caveat("few_repeats", say(few), names)]


def _of_systems(
    read: Measurements, best: int, allowed: np.ndarray, sampled: np.ndarray, level: float, n_resamples: int,
    rng: np.random.Generator, choose: Any,
) -> tuple[dict[str, np.ndarray], np.ndarray, list[Caveat]]:  # fmt: skip
    """The same of independent runs of each system, or of means with standard errors."""
    from scipy.special import ndtr, stdtrit

    errors, freedom, counts = read.errors, np.full(len(sampled), np.inf), read.counts
    if read.runs is not None:
        errors = np.array([costs.std(axis=0, ddof=1) / np.sqrt(len(costs)) for costs in read.runs])
        freedom = np.full(len(sampled), len(read.runs[best]) - 1.0)
    assert errors is not None
    lowest, highest, n_alike = np.zeros(len(sampled)), np.ones(len(sampled)), np.full(len(sampled), np.nan)
    if counts is not None:
        highest, n_alike, freedom = counts.highest, counts.alike[best], counts.numbers[best] - 1
    if read.runs is not None:
        values = np.concatenate(read.runs) * read.objectives.signs + 0.0
        # Runs that are right or wrong have intervals of shares, as items have.
        of_two = np.array([len(np.unique(column)) == 2 for column in values.T])
        lowest, highest = np.where(of_two, values.min(axis=0), 0.0), np.where(of_two, np.ptp(values, axis=0), 1.0)
        n_alike = np.where(of_two, len(read.runs[best]), np.nan)
    own = (read.mean_costs() * read.objectives.signs)[best] + 0.0
    ends = {}
    for name, n_systems in (("", len(allowed)), ("naive_", 1)):
        critical = arrays.largest_of_independent(level, max(1, n_systems * int(sampled.sum())))
        limits = np.where(np.isnan(n_alike), stdtrit(freedom, ndtr(critical)), critical)
        within = arrays.intervals((own - lowest) / highest, errors[best] / highest, limits, n_alike)
        ends[name] = lowest[:, None] + highest[:, None] * within
    noise = np.where(sampled, errors, 0.0)
    warnings = [*read.caveats(np.isnan(n_alike) & _runs_are_skewed(read)), *read.caveats_of_omitted_runs()]
    return ends, arrays.optimism_with_errors(read.mean_costs(), noise, choose, _N_DRAWS, rng), warnings


def _guarantee(read: Measurements, level: float, n_candidates: int, warnings: list[Caveat]) -> Guarantee:
    """What the intervals allow for, and what may keep them from their level."""
    return Guarantee(
        estimates=f"means over {read.more_of}" if read.errors is None else "the means that are given",
        sampled=read.sampled,
        holds=f"the intervals of whichever of the {n_candidates:,} candidates is chosen cover its true scores",
        confidence_level=level,
        jointly=True,
        basis="asymptotic" if read.items is not None or read.counts is not None else "exact for normal errors",
        method="the largest error of all candidates",
        warnings=tuple(warnings),
        remarks=(
            *[say(part("remarks.details.incomplete", n=read.n_omitted))] * bool(read.n_omitted and read.runs is None),
            *read.remarks_on_costs(),
        ),
    )


@describes(Intervals.plot)
def _scores_in_words(result: Intervals) -> Picture:
    return Picture(
        finding=result.headline,
        caption=(
            f"Measured scores, intervals of {text.percent(result.confidence_level)} confidence that are valid after "
            "the choice, naive ones that ignore it, and scores without the optimism of the choice. Each row has its "
            "own scale."
        ),
        alt=f"Rows with the score in each of {len(result.table)} objectives, and two intervals.",
        data=result.table,
        height=1.3 + 0.75 * len(result.table),
    )
