"""Scores of the chosen system, with intervals that remain valid after the choice."""

from __future__ import annotations

__all__ = ["ScoresAfterChoice", "scores_after_choice"]

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import Where, candidate_mask
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.guarantee import Caveat, Guarantee
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike
from copa_nb.pareto.measurements import Measurements, measurements
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results import Result, drawn
from copa_nb.selection.arrays import after_choice as arrays
from copa_nb.selection.arrays.criterion import winner_of_each
from copa_nb.selection.copa import copa
from copa_nb.selection.criterion import Criterion, WeightsLike

_FEWEST_RESAMPLES, _N_SPLITS, _FEWEST_UNITS, _N_DRAWS = 1000, 10, 20, 200
_LEVEL_OF_FEW = "90%"  # coverage at 95% in tests.benchmarks.error_rates


@dataclass(frozen=True, repr=False, eq=False)
class ScoresAfterChoice(Result):
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
        Systems that might have been chosen.
    measured : str
        On what the systems were measured.
    guarantee : Guarantee
        What was sampled, how the intervals allow for the choice, and what this table gives to doubt them.
    """

    table: pd.DataFrame
    best: Hashable
    objectives: Objectives
    confidence_level: float
    n_candidates: int
    measured: str
    guarantee: Guarantee

    def __repr__(self) -> str:
        return f"<ScoresAfterChoice of {self.best!r}, best of {self.n_candidates}; {self.confidence_level:g}>"

    def explain(self) -> str:
        """Report the scores with their intervals, and how much of them is due to the choice."""
        rows = [self._of_objective(name, row) for name, row in self.table.iterrows()]
        said = f"{text.label(self.best)} is chosen from {self.n_candidates:,} candidates on {self.measured}."
        return " ".join([said, *rows, self.guarantee.explain()])

    def in_short(self) -> str:
        """The scores with their intervals, in one sentence.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "se": [0.02, 0.02]}, index=["a", "b"])
        >>> ways = {"accuracy": "max"}
        >>> copa_nb.scores_after_choice(models, objectives=ways, standard_error={"accuracy": "se"}).in_short()
        'Its scores, with 95% intervals that allow for the choice from 2, are accuracy 0.9 (0.855 to 0.945).'
        """
        parts = []
        for name, row in self.table.iterrows():
            score, low, high = text.told_apart(row["score"], row["low"], row["high"])
            ends = f" ({low} to {high})" if row["low"] < row["high"] else ""
            parts.append(f"{text.spoken(name)} {score}{ends}")
        intervals = f"with {text.percent(self.confidence_level)} intervals that allow for the choice from"
        return f"Its scores, {intervals} {self.n_candidates:,}, are {text.listing(parts)}."

    def _of_objective(self, name: Any, row: pd.Series) -> str:
        score, low, high, corrected = text.told_apart(row["score"], row["low"], row["high"], row["corrected"])
        if row["low"] == row["high"]:
            return f"{text.spoken(name)}: {score}, declared as known."
        return f"{text.spoken(name)}: {score} ({low} to {high}; {corrected} without the optimism of the choice)."

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


@any_frame
@shared_parameters
def scores_after_choice(
    frame: pd.DataFrame,
    *,
    system: Any = None,
    item: Any = None,
    cluster: Any = None,
    repeat: Any = None,
    standard_error: Mapping[Hashable, Any] | str | None = None,
    known: Any = None,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    nan_policy: str = "raise",
    rng: int | np.random.Generator | None = 0,
) -> ScoresAfterChoice:
    """Choose a system by COPA, and give its scores intervals that are valid after the choice.

    The best of many systems is partly the luckiest: its scores on the items that it was chosen on are too good, and
    intervals that ignore the choice miss the truth too often. These intervals cover the scores of all candidates at
    once, and thus those of any system that is chosen, by whatever criterion.

    Parameters
    ----------
    frame : DataFrame
        One row for each system and item, or repetition of an item; for each independent run of a system; or, with
        `standard_error`, for each system.
    system : label or list of labels, optional
        Columns or index levels that name the systems; with `standard_error`, the index by default.
    item : label or list of labels, optional
        What every system was measured on: questions, tasks.
    cluster : label or list of labels, optional
        Groups of items that are drawn together.
    repeat : label or list of labels, optional
        Repetitions of an item, which are averaged first; without `item`, independent runs of each system.
    standard_error : mapping of objective to column, or str, optional
        Instead of items or runs, columns of standard errors, or the ending that their names add to the objective's.
    known : label or list of labels, optional
        Objectives without error, such as a list price, with one value per system.
    %(objectives)s
    %(p)s
    %(weights)s
    where : str, mask or callable, optional
        Systems that may be chosen, by their means; the others need not be covered.
    %(normalize)s
    confidence_level : float
        Share of samples in which all intervals cover the true scores.
    n_resamples : int
        Draws for the largest of all errors; at least 1000.
    nan_policy : {"raise", "omit"}
        Refuse missing values and incomplete items; of runs and of means with standard errors, rows may be left out.
    %(rng)s

    Returns
    -------
    ScoresAfterChoice

    Raises
    ------
    %(gate_errors)s
    ValueError
        If `confidence_level` is not strictly between 0 and 1, or items, clusters or repetitions are inconsistent.

    See Also
    --------
    stability : How often the choice would be the same.
    compare_systems : Two systems that were named beforehand.

    Notes
    -----
    Errors of all candidates in all objectives are drawn as normal numbers with the correlations of the scores over
    items or clusters; the interval reaches as far as the largest of them in the given share of draws. Right and wrong
    answers get Wilson's interval with this limit, everything else one of t. The optimism is that of choices on nine
    tenths of the items, scored on the last tenth.

    Errors of independent runs and standard errors are independent between systems, so that the limit is that of Šidák.
    With few runs it is wide, because a small standard deviation may be luck too. Noise that is added for the choice and
    subtracted for the score takes the place of the tenths.

    References
    ----------
    .. [1] R. Berk, L. Brown, A. Buja, K. Zhang and L. Zhao, "Valid Post-Selection Inference", Annals of Statistics 41
       (2013), https://doi.org/10.1214/12-AOS1077.

    Examples
    --------
    >>> import numpy as np, pandas as pd, copa_nb
    >>> rng = np.random.default_rng(0)
    >>> log = pd.DataFrame([(model, task, float(rng.random() < 0.7)) for model in range(20) for task in range(100)],
    ...     columns=["model", "task", "correct"])
    >>> found = copa_nb.scores_after_choice(log, system="model", item="task", objectives={"correct": "max"})
    >>> row = found.table.loc["correct"]
    >>> bool(row["naive_low"] > 0.7 > row["low"])  # all models are right in 0.7 of the tasks
    True
    """
    checks.fraction("confidence_level", confidence_level)
    n_resamples = checks.integer("n_resamples", n_resamples, least=_FEWEST_RESAMPLES)
    generator = checks.generator(rng)
    read = measurements(
        frame, system=system, item=item, cluster=cluster, repeat=repeat, standard_error=standard_error, known=known,
        objectives=objectives, nan_policy=nan_policy, nan_policies=("raise",), nested=True,
    )  # fmt: skip
    means = read.in_own_units(read.mean_costs())
    choice = copa(means, objectives=read.objectives, p=p, weights=weights, where=where, normalize=normalize)
    best = read.labels.tolist().index(choice.best)
    allowed = np.flatnonzero(candidate_mask(means, where))
    sampled = np.array([name not in read.known for name in read.objectives.names])
    if read.errors is not None:
        sampled &= read.errors.any(axis=0)
    return ScoresAfterChoice(
        table=_table(read, best, allowed, sampled, confidence_level, n_resamples, generator,
                     _choosing(read, Criterion.of(read.objectives, p, weights, normalize, None), allowed)),
        best=choice.best,
        objectives=read.objectives,
        confidence_level=confidence_level,
        n_candidates=len(allowed),
        measured=read.describe(),
        guarantee=_guarantee(read, confidence_level, len(allowed)),
    )  # fmt: skip


def _choosing(read: Measurements, criterion: Criterion, allowed: np.ndarray) -> Any:
    """The choice as a function of the means in many tables."""

    def choose(means: np.ndarray) -> np.ndarray:
        placed = [
            criterion.place(
                ObjectiveMatrix(one, read.objectives, np.arange(len(one)), read.labels), allowed
            ) for one in means
        ]  # fmt: skip
        tables, keys = np.array([np.asarray(one) for one, _ in placed]), np.array([one for _, one in placed])
        return allowed[winner_of_each(tables, criterion.weights, criterion.p, keys)]

    return choose


def _table(
    read: Measurements, best: int, allowed: np.ndarray, sampled: np.ndarray, level: float, n_resamples: int,
    rng: np.random.Generator, choose: Any,
) -> pd.DataFrame:  # fmt: skip
    """Scores and intervals of the chosen system, in the objectives' own units."""
    found = (read.mean_costs() * read.objectives.signs + 0.0)[best]
    of_source = _of_items if read.items is not None else _of_systems
    ends, excess = of_source(read, best, allowed, sampled, level, n_resamples, rng, choose)
    excess = np.where(sampled, excess * read.objectives.signs, 0.0)
    ends = {name: np.where(sampled[:, None], both, found[:, None]) for name, both in ends.items()}
    columns = {"score": found}
    for name, both in ends.items():
        columns |= {f"{name}low": both[:, 0], f"{name}high": both[:, 1]}
    columns |= {"optimism": -excess + 0.0, "corrected": found + excess}
    return pd.DataFrame(columns, index=pd.Index(read.objectives.names, name="objective", tupleize_cols=False))


def _of_items(
    read: Measurements, best: int, allowed: np.ndarray, sampled: np.ndarray, level: float, n_resamples: int,
    rng: np.random.Generator, choose: Any,
) -> tuple[dict[str, np.ndarray], np.ndarray]:  # fmt: skip
    """Intervals after the choice and naive ones, and the optimism as a cost, of scores on the same items."""
    assert read.items is not None
    scores = read.items[:, 0]
    own = scores * read.objectives.signs
    single = read.clusters is None and (read.repetitions is None or read.repetitions.most == 1)
    right_or_wrong = np.array([single and bool(np.isin(own[..., k], (0.0, 1.0)).all()) for k in range(own.shape[2])])
    deviations, freedom = arrays.unit_deviations(own, read.clusters)
    deviations = deviations[..., sampled]
    errors = np.zeros(len(sampled))
    errors[sampled] = np.sqrt((deviations[:, best] ** 2).sum(axis=0))
    ends = {}
    for name, systems in (("", allowed), ("naive_", np.array([best]))):
        critical = arrays.largest_of_all(deviations[:, systems], level, n_resamples, rng)
        if critical == 0 and sampled.any():  # no spread: all answers are right
            critical = arrays.largest_of_independent(level, len(systems) * int(sampled.sum()))
        ends[name] = arrays.intervals(
            own.mean(axis=0)[best], errors, critical, n_items=len(own), freedom=freedom, right_or_wrong=right_or_wrong
        )
    return ends, arrays.optimism(scores, read.clusters, choose, _N_SPLITS, rng)


def _of_systems(
    read: Measurements, best: int, allowed: np.ndarray, sampled: np.ndarray, level: float, n_resamples: int,
    rng: np.random.Generator, choose: Any,
) -> tuple[dict[str, np.ndarray], np.ndarray]:  # fmt: skip
    """The same of independent runs of each system, or of means with standard errors."""
    errors, freedom = read.errors, np.inf
    if read.runs is not None:
        errors = np.array([costs.std(axis=0, ddof=1) / np.sqrt(len(costs)) for costs in read.runs])
        freedom = len(read.runs[best]) - 1.0
    assert errors is not None
    own = (read.mean_costs() * read.objectives.signs)[best]
    ends = {}
    for name, n_systems in (("", len(allowed)), ("naive_", 1)):
        critical = arrays.largest_of_independent(level, max(1, n_systems * int(sampled.sum())))
        ends[name] = arrays.intervals(
            own, errors[best], critical, n_items=1, freedom=freedom, right_or_wrong=np.zeros(len(own), dtype=bool)
        )
        if read.runs is None:  # an error of 0 is declared
            ends[name] = np.where(errors[best][:, None] > 0, ends[name], own[:, None])
    noise = np.where(sampled, errors, 0.0)
    return ends, arrays.optimism_with_errors(read.mean_costs(), noise, choose, _N_DRAWS, rng)


def _guarantee(read: Measurements, level: float, n_candidates: int) -> Guarantee:
    """What the intervals allow for, and what may keep them from their level."""
    units = read.n_units()
    few = [
        Caveat(
            "few_units",
            f"With fewer than {_FEWEST_UNITS} {read.units}, intervals of 95% covered only about {_LEVEL_OF_FEW} in "
            "simulations.",
        )
    ] * (read.items is not None and units < _FEWEST_UNITS)
    return Guarantee(
        estimates=f"means over {read.more_of}" if read.errors is None else "the means that are given",
        sampled=read.sampled,
        holds=f"the intervals of whichever of the {n_candidates:,} candidates is chosen cover its true scores",
        level=level,
        jointly=True,
        basis="asymptotic" if read.items is not None else "exact for normal errors",
        method="the largest error of all candidates",
        warnings=tuple(few),
        remarks=tuple([f"{read.n_omitted:,} incomplete items or rows were left out."] * bool(read.n_omitted)),
    )


@describes(ScoresAfterChoice.plot)
def _scores_in_words(result: ScoresAfterChoice) -> Picture:
    return Picture(
        finding=f"Scores of {text.label(result.best)}, chosen from {result.n_candidates:,} candidates",
        caption=(
            f"Measured scores, intervals of {text.percent(result.confidence_level)} confidence that are valid after "
            "the choice, naive ones that ignore it, and scores without the optimism of the choice. Each row has its "
            "own scale."
        ),
        alt=f"Rows with the score in each of {len(result.table)} objectives, and two intervals.",
        data=result.table,
        height=1.3 + 0.75 * len(result.table),
    )
