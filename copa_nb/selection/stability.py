"""How stable a choice is: resampling of the population (COPA, Proposition 3.1), and of repeated runs."""

from __future__ import annotations

__all__ = ["Stability"]

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import front_of_candidates
from copa_nb.ranking.arrays.criterion import winner_of_each, winners
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS, DegenerateColumnError
from copa_nb.ranking.arrays.ranks import rank_sums
from copa_nb.ranking.criterion import Criterion, write_p
from copa_nb.ranking.normalize import ReferenceLike, fit_normalizer
from copa_nb.ranking.populations import Reference
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, amount, part
from copa_nb.selection.arrays import stability as arrays
from copa_nb.tables.candidates import Where, candidate_mask
from copa_nb.tables.columns import Labels, label_order, read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix

if TYPE_CHECKING:
    from copa_nb.comparisons.intervals import Intervals

# What is resampled, in words.
OVER = {
    "population": "the population", "runs": "the runs", "both": "the runs and the population",
    "others": "the other rows",
}  # fmt: skip
# Sizes of the populations for which simulations tell how optimistic bootstrap frequencies are.
_SIMULATED_SIZES = (20, 100)
_FIRM = 0.9  # share of the resamples


@dataclass(frozen=True, repr=False, eq=False)
class Stability(Worded):
    """How often each row is chosen when the data are resampled (bootstrap selection frequencies).

    For a resampled population these frequencies are optimistic: a fresh sample of the same size makes the same choice
    less often. For resampled runs they are calibrated: new runs make the same choice about as often. Neither is a
    probability that the choice is right, so ``guarantee`` states no level; its remarks have numbers from simulations.

    Parameters
    ----------
    best : label
        The choice on the data as they are.
    chosen : Series
        The label chosen under each resample.
    table : DataFrame
        The rows chosen at least once (and `best`), most often chosen first: ``share`` of the resamples,
        ``error`` (its Monte-Carlo standard error), the objectives' values, ``u_<objective>`` and
        ``sd_<objective>``: the normalized values and their standard deviations over the resamples.
    over : {"population", "runs", "both", "others"}
        What was resampled.
    weights : dict of objective to float
        Weights of the criterion.
    p : float
        Order of the norm.
    normalize : str
        Normalization.
    best_row : int
        Row of `table` that holds `best`.
    population_size : int
        Rows that the choice was made from or compared with.
    left_out : str
        What every resample lacks, if rows other than the choice are left out.
    scores : Intervals, optional
        Where runs are resampled, the scores of the choice with intervals that are valid after it.
    rivals : tuple of labels
        The rows next in rank, which have one color in all pictures of the choice.
    """

    paper = "javaloy2025copa"

    _internals = frozenset(("best_row", "rivals"))

    best: Hashable
    chosen: pd.Series
    table: pd.DataFrame
    over: str
    weights: dict[Hashable, float]
    p: float
    normalize: str
    best_row: int
    population_size: int
    left_out: str = ""
    scores: Intervals | None = None
    rivals: tuple[Hashable, ...] = ()

    @property
    def share(self) -> pd.Series:
        """Share of the resamples in which each row is chosen, largest first."""
        return self.table["share"]

    @property
    def n_resamples(self) -> int:
        """How many resamples were drawn."""
        return len(self.chosen)

    def parts(self) -> list[Part]:
        """Whether the choice is firm, how often it and its rivals are chosen, and what these shares are."""
        scores = [] if self.scores is None else [self.scores.in_short()]
        firm = part(f"stability.headline.{'firm' if self.is_firm else 'fragile'}", best=self._named(self.best))
        return [firm, *self.parts_of_shares(), *scores, *self.guarantee.stated()]

    @property
    def is_firm(self) -> bool:
        """Whether the choice is made in nine of ten resamples or more."""
        return float(self.share.iloc[self.best_row]) >= _FIRM

    def parts_of_shares(self, most: int = 3) -> list[Part]:
        """How often the choice and its rivals are chosen, of which a few are named."""
        total = self.n_resamples
        often = float(self.share.iloc[self.best_row])
        of_all = {"over": OVER[self.over], "often": amount(often, total)}
        kind = f"choice.phrases.rival{'_counted' * (total < text.FEWEST_FOR_PERCENT)}"
        rivals = [
            part(kind, name=self._named(name), share=float(share), count=round(share * total))
            for row, (name, share) in enumerate(self.share.items())
            if row != self.best_row
        ]
        if not rivals:
            return [part("choice.certainty.resampled", **of_all)]
        # One more row takes no more room than to say that there is one.
        named = rivals if len(rivals) <= most + 1 else rivals[:most]
        more = [part("choice.phrases.others_once", n=len(rivals) - len(named))] * (len(rivals) > len(named))
        return [part("choice.certainty.resampled_rivals", **of_all, rivals=[*named, *more])]

    def _named(self, row: Hashable) -> str:
        return text.row_name(row, self.share.index.name)

    @property
    def guarantee(self) -> Guarantee:
        """What the shares are of, and how far they can be trusted, as far as it was simulated."""
        if self.over == "others":
            estimates, sampled = "the choice from parts of this table", ""
            method = f"each resample lacks {self.left_out}, and a choice that does not depend on these stays"
        else:
            sampled = {"population": "the population", "runs": "runs"}.get(self.over, "runs and the population")
            estimates = f"how often another sample of {sampled} leads to the same choice"
            method = "shares of resamples are frequencies of a choice, not probabilities that it is right"
        return Guarantee(
            estimates=estimates,
            sampled=sampled,
            holds="",
            confidence_level=None,
            jointly=False,
            basis="none",
            method=method,
            remarks=self._simulated(),
        )

    def _simulated(self) -> tuple[str, ...]:
        """What simulations tell of the shares; nothing of sizes that were not simulated."""
        low, high = _SIMULATED_SIZES
        if self.over in ("runs", "both"):
            return (
                "These frequencies are calibrated for few repeats: in simulations with 5–20 systems and 3–10 repeats, "
                "they differed by at most 0.05 from how often new runs chose the same system.",
            )
        if self.over == "population" and low <= self.population_size <= high:
            return (
                f"Bootstrap frequencies are optimistic: in simulations with {low}–{high} models, a fresh sample chose "
                "the same model in 78% of cases when the bootstrap said 83%, in 32% when it said 41%, and in 27% when "
                "it said 40%.",
            )
        return ()

    plot = Offered()

    def __repr__(self) -> str:
        share, count = float(self.share.iloc[self.best_row]), f"{self.n_resamples:,} resamples of {OVER[self.over]}"
        return f"<Stability of {text.label(self.best)}: chosen in {text.percent(share)} of {count}>"

    def _card(self) -> str:
        caption = (
            f"Share of {self.n_resamples:,} resamples of {OVER[self.over]} in which each row is chosen; p = "
            f"{write_p(self.p)}, normalization {self.normalize}."
        )
        table = text.html_table(self.table, caption=caption)
        return text.card("How sure is the choice?", [self.explain()], table)


def resampled_what(over: str | None, repeat: Hashable, system: Any, reference: ReferenceLike) -> str:
    """Read `over`, which depends on whether there are runs, and refuse what does not go with it."""
    over = over or ("population" if repeat is None else "runs")
    checks.one_of("over", over, OVER)
    if over != "runs" and isinstance(reference, Reference):
        raise ValueError(
            "`reference` is a frozen population, which has no rows to resample; leave it out, or resample runs "
            'with over="runs".'
        )
    if over in ("population", "others") and (repeat is not None or system is not None):
        raise ValueError('`repeat` and `system` are for runs; with them, pass over="runs" or over="both".')
    if over not in ("population", "others") and repeat is None:
        raise ValueError(f"`over` is {over!r}, which needs `repeat`: the column that holds the repeat of each run.")
    return over


def _check_left_out(over: str, leave_out: float, dominated: bool) -> None:
    if isinstance(leave_out, bool) or not 0 < leave_out <= 1:
        raise ValueError(
            f"`leave_out` is {leave_out!r}; it must be 1, for each row in turn, or a share below 1, such as 0.5."
        )
    if over != "others" and (leave_out != 1 or dominated):
        raise ValueError(f"`leave_out` and `dominated` are for over='others', and `over` is {over!r}.")


def resample(
    matrix: ObjectiveMatrix,
    criterion: Criterion,
    *,
    over: str = "population",
    leave_out: float = 1,
    dominated: bool = False,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
) -> Stability:
    """Resample the population of a choice, or leave out other rows; see :meth:`copa_nb.results.Selection.stability`."""
    _check_left_out(over, leave_out, dominated)
    count, generator = checks.integer("n_resamples", n_resamples), checks.generator(rng)
    if over == "others":
        return _over_others(matrix, criterion, count, generator, leave_out, dominated)
    front, chosen, deviations = resample_population(matrix, criterion, count, generator)
    return _result(matrix, front, criterion, deviations, chosen, over)


def resample_runs(
    matrix: ObjectiveMatrix,
    criterion: Criterion,
    where: Where,
    *,
    system: Any,
    repeat: Hashable,
    paired: bool = False,
    over: str = "runs",
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = 0,
) -> Stability:
    """Resample runs, and choose among the means of systems; see :meth:`copa_nb.results.Selection.stability`.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        Costs of the runs; all are candidates.
    criterion : Criterion
        What is chosen by.
    where : str, mask or callable, optional
        Systems that may be chosen, by their means.
    system, repeat, paired, over, n_resamples, rng
        As for the method.
    """
    count, generator = checks.integer("n_resamples", n_resamples), checks.generator(rng)
    return _over_runs(matrix, criterion, count, generator, where, system, repeat, paired, over)


def resample_population(
    matrix: ObjectiveMatrix, criterion: Criterion, n_resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose again and again, on scales taken from resamples of the rows.

    Rows are drawn in the order of their labels: the same seed gives the same answer whatever the order of the table.

    Returns
    -------
    front : ndarray of int64, shape (m,)
        Pareto-optimal candidates.
    chosen : ndarray of int64, shape (n_resamples,)
        Which of them is chosen under each resample.
    deviations : ndarray of float64, shape (m, k)
        Standard deviations of their values on the common scale.
    """
    order = label_order(matrix.index, matrix.values)
    matrix = matrix.take(order)
    # A dominated candidate has no smaller rank under any resample and loses every tie (see arrays.criterion).
    front = front_of_candidates(matrix)
    values = matrix.values[front]
    if criterion.normalize == "cdf":
        chosen, _, deviations = arrays.bootstrap_population(
            values, matrix.values, criterion.weights, criterion.p, n_resamples=n_resamples, rng=rng
        )
        return _as_listed(order[front], chosen, deviations)
    scaled = np.empty((n_resamples, *values.shape))
    sums = np.empty(scaled.shape[:2], dtype=np.int64)
    for step in range(n_resamples):
        # Ideal and nadir are taken from each resample.
        population = _resampled(matrix, criterion, rng)
        scaled[step] = fit_normalizer(population, criterion.normalize, criterion.reference)(values)
        sums[step] = rank_sums(values, population.values)
    if 1 < criterion.p < np.inf:
        # A row that a resample lacks may lie beyond its ideal, where a norm has no meaning: it counts as ideal.
        np.maximum(scaled, 0.0, out=scaled)
    chosen = winner_of_each(scaled, criterion.weights, criterion.p, sums, in_turn=True)
    return _as_listed(order[front], chosen, arrays.standard_deviations(scaled))


def _as_listed(
    places: np.ndarray, chosen: np.ndarray, deviations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrange candidates, and what was found of them, by their places in the table."""
    listing = np.argsort(places)
    return places[listing], np.argsort(listing)[chosen], deviations[listing]


def _over_runs(
    matrix: ObjectiveMatrix, criterion: Criterion, n_resamples: int, rng: np.random.Generator, where: Where,
    system: Any,
    repeat: Hashable, paired: bool, over: str,
) -> Stability:  # fmt: skip
    systems, repeats = _runs(cast("pd.DataFrame", matrix.frame).iloc[matrix.positions], system, repeat)
    if paired and len(systems.codes) != len(systems.index) * len(repeats.index):
        raise ValueError("`paired` needs a run of every system with every repeat; some are missing: pass paired=False.")
    # Runs are drawn in the order of their labels: the same seed gives the same answer whatever that of the table.
    runs = np.lexsort((repeats.codes, systems.codes))
    means = arrays.ResampledMeans(matrix.values[runs], systems.codes[runs], repeats.codes[runs] if paired else None)
    observed = ObjectiveMatrix(means.observed, matrix.objectives, np.arange(len(systems.index)), systems.index)
    listed = np.argsort(np.unique(systems.codes, return_index=True)[1])
    own = pd.DataFrame(observed.original(), index=systems.index, columns=matrix.objectives.names)
    allowed = np.sort(listed[candidate_mask(own.iloc[listed], where)])
    scaled = np.empty((n_resamples, len(allowed), len(matrix.objectives)))
    sums = np.empty(scaled.shape[:2], dtype=np.int64)
    for step in range(n_resamples):
        repeated = means.repeat(rng)
        if criterion.normalize == "none":
            # A score has a ceiling that no new run passes.
            repeated = np.clip(repeated, matrix.values.min(axis=0), matrix.values.max(axis=0))
        drawn = replace(observed, values=repeated)
        population = _resampled(drawn, criterion, rng) if over == "both" else None
        scaled[step], sums[step] = criterion.place(drawn, allowed, population)
    chosen = winner_of_each(scaled, criterion.weights, criterion.p, sums, in_turn=True)
    places, chosen, deviations = _as_listed(np.argsort(listed)[allowed], chosen, arrays.standard_deviations(scaled))
    result = _result(observed.take(listed), places, criterion, deviations, chosen, over)
    return replace(result, scores=_scores_of_choice(matrix, criterion, where, system, repeat, paired, result.best))


def _scores_of_choice(
    matrix: ObjectiveMatrix, criterion: Criterion, where: Where, system: Any, repeat: Hashable, paired: bool,
    best: Hashable,
) -> Intervals | None:  # fmt: skip
    """Scores of the chosen system after the choice; None where its runs do not show how precise they are."""
    if criterion.reference is not None:
        return None
    from copa_nb.comparisons.intervals import scores_after_choice

    frame = cast("pd.DataFrame", matrix.frame).iloc[matrix.positions]
    names = list(frame.index.names) if system is None else system
    measured = {"item": repeat} if paired else {"repeat": repeat}
    try:
        found = scores_after_choice(
            DescribedFrame.of(frame, matrix.objectives, system=names, **measured), p=criterion.p,
            weights=list(criterion.weights), where=where, normalize=criterion.normalize,
        )  # fmt: skip
    except ValueError:  # a single run, or infinite values
        return None
    return found if found.best == best else None


def _over_others(
    matrix: ObjectiveMatrix, criterion: Criterion, n_resamples: int, rng: np.random.Generator, leave_out: float,
    dominated: bool,
) -> Stability:  # fmt: skip
    """Leave out rows other than the choice, and choose again."""
    n, allowed = len(matrix.values), matrix.allowed()
    placed, sums = criterion.place(matrix, allowed)
    best = allowed[winners(np.asarray(placed), criterion.weights, criterion.p, sums)[0]]
    others = np.ones(n, dtype=bool)
    # The row that others are relative to stays too.
    others[best] = False
    others &= ~np.asarray(matrix.index == criterion.reference)
    if dominated:
        others[nondominated(matrix.values)] = False
    rows, each = np.flatnonzero(others), "dominated" if dominated else "other"
    size = 1 if leave_out == 1 else round(leave_out * len(rows))
    if not 0 < size <= len(rows):
        raise ValueError(
            f"`leave_out` is {leave_out!r}, which is none of {len(rows)} {each} rows; nothing is left out."
        )
    in_turn = rows[:, None] if leave_out == 1 else None
    chosen, values = (
        [],
        np.full((n_resamples if in_turn is None else len(rows), len(allowed), len(criterion.weights)), np.nan),
    )
    for step in range(len(values)):
        without = rng.choice(rows, size, replace=False) if in_turn is None else in_turn[step]
        kept = np.setdiff1d(np.arange(n), without)
        candidates = np.intersect1d(allowed, kept)
        placed, sums = criterion.place(matrix.take(kept), np.searchsorted(kept, candidates))
        places = np.searchsorted(allowed, candidates)
        values[step, places] = np.asarray(placed)
        chosen.append(places[winners(np.asarray(placed), criterion.weights, criterion.p, sums)[0]])
    named = f"one of the {len(rows):,} {each} rows" if leave_out == 1 else f"{size:,} of the {len(rows):,} {each} rows"
    result = _result(
        matrix, allowed, criterion, np.ma.masked_invalid(values).std(axis=0).filled(0.0), np.array(chosen), "others"
    )
    return replace(result, left_out=named)


def _resampled(matrix: ObjectiveMatrix, criterion: Criterion, rng: np.random.Generator) -> ObjectiveMatrix:
    """Draw the rows that a scale is taken from, with replacement; what gives no scale is drawn again."""
    # Without scaling, or relative to a named row, the scale is fixed and no resample can move it.
    if NORMALIZATIONS[criterion.normalize].fixed or criterion.reference is not None:
        return matrix
    while True:
        drawn = rng.integers(len(matrix.values), size=len(matrix.values))
        values = matrix.values[drawn]
        resample = ObjectiveMatrix(values, matrix.objectives, drawn, matrix.index[drawn])
        if _gives_a_scale(resample, criterion.normalize) or not _gives_a_scale(matrix, criterion.normalize):
            return resample


def _gives_a_scale(matrix: ObjectiveMatrix, how: str) -> bool:
    """Tell whether every column can be scaled: one value has no range, and nothing is relative to a best value of 0."""
    try:
        NORMALIZATIONS[how].fit(matrix.values, matrix.objectives.signs < 0, None)
    except DegenerateColumnError:
        return False
    return True


def _runs(frame: pd.DataFrame, system: Any, repeat: Hashable) -> tuple[Labels, Labels]:
    """Number the systems and repeats of runs in the order of their labels."""
    repeats = read_labels(frame, repeat, "repeat").in_label_order()
    if system is not None:
        systems = read_labels(frame, system, "system").in_label_order()
    else:
        keys = frame.index
        if repeat in keys.names:
            keys = frame.reset_index(level=keys.names.index(repeat), drop=True).index
        codes = pd.factorize(keys)[0].astype(np.int64)
        if (codes < 0).any():
            raise ValueError(
                "the index names the system of every run, but is missing in some; fill it, or pass system=."
            )
        systems = Labels(codes, keys[np.unique(codes, return_index=True)[1]]).in_label_order()
    if len(np.unique(systems.codes * len(repeats.index) + repeats.codes)) < len(frame):
        raise ValueError(
            f"`repeat` {repeat!r} repeats within a system, so runs cannot be distinguished; name every column that "
            "makes a system, e.g. system=['method', 'strength']."
        )
    return systems, repeats


def _result(
    matrix: ObjectiveMatrix,
    candidates: np.ndarray,
    criterion: Criterion,
    deviations: np.ndarray,
    chosen: np.ndarray,
    over: str,
) -> Stability:
    """Lay out how often each candidate was chosen."""
    placed, sums = criterion.place(matrix, candidates)
    normalized, labels = np.asarray(placed), matrix.index[candidates]
    best = int(winners(normalized, criterion.weights, criterion.p, sums)[0])
    times = np.bincount(chosen, minlength=len(candidates))
    rows = np.argsort(-times, kind="stable")
    rows = rows[(times[rows] > 0) | (rows == best)]
    share = times / len(chosen)
    columns: dict[Hashable, Any] = {"share": share[rows], "error": np.sqrt(share * (1 - share) / len(chosen))[rows]}
    own = matrix.original(matrix.values[candidates])
    for k, name in enumerate(matrix.objectives):
        columns[f"{name} (value)" if name in columns else name] = own[rows, k]
    for prefix, array in (("u", normalized), ("sd", deviations)):
        columns |= {f"{prefix}_{name}": array[rows, k] for k, name in enumerate(matrix.objectives)}
    return Stability(
        best=labels[best],
        chosen=pd.Series(labels.to_numpy()[chosen], name="chosen"),
        table=pd.DataFrame(columns, index=labels[rows]),
        over=over,
        weights=criterion.named_weights(matrix.objectives),
        p=criterion.p,
        normalize=criterion.normalize,
        best_row=int(np.flatnonzero(rows == best)[0]),
        population_size=len(matrix.values),
    )
