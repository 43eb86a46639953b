"""COPA's decision: which model, given how much each objective counts."""

from __future__ import annotations

__all__ = ["Selection"]

import functools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.parallel import in_threads
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.ranking.arrays.ranks import Placed, RankShares
from copa_nb.ranking.criterion import Criterion, write_p
from copa_nb.ranking.normalize import ReferenceLike, fit_normalizer
from copa_nb.ranking.populations import Reference, tie_keys
from copa_nb.ranking.ranking import criterion_of_claim
from copa_nb.results.answer import Answer
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, claim_line
from copa_nb.results.sentences import Part, explained, say
from copa_nb.selection.criteria import Criteria, CriterionLike
from copa_nb.selection.decision import Decision, DecisionCertainty, facts_of, headers_of, question_of, ranking_of
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.sensitivity import Sensitivity, point_of_change
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import (
    ATTRS_KEY,
    ObjectiveMatrix,
    Objectives,
    names_of_rows,
    row_in_words,
    snapshot,
    to_minimization,
)

if TYPE_CHECKING:
    from copa_nb.comparisons.intervals import Intervals
    from copa_nb.selection.stability import Stability

COMPUTED = ("rank", "score", "front")
# What methods that vary the weights return in the place of a result.
ONE_OBJECTIVE = Note("With one objective, there is nothing to trade.")
NOT_MEASURED = Note(
    "Nothing in the table says how precise the scores are; with item, repeat or standard_error described, they have "
    "intervals that allow for the choice."
)
_MOST_SHOWN = 8  # rows of a card
_RIVALS = 3  # rows next in rank that have a color of their own
_LARGE = 100_000  # rows of a table whose criteria are not compared for an answer
_MOST_RESAMPLED, _FEWEST_RESAMPLES = 50_000_000, 20  # rows of all resamples by default; resamples of any table


@dataclass(frozen=True, eq=False)
class SelectionInputs:
    """The table that a row was selected from, and the options.

    Parameters
    ----------
    frame : DataFrame
        The table itself.
    objectives : Objectives
        Names and directions.
    candidates : ndarray of bool, shape (n,)
        Rows that `where` allowed, without omitted rows.
    positions : ndarray of int64 or None
        Rows of `frame` that were compared, if some were left out for missing values.
    n_omitted : int
        How many were.
    where : str, mask, callable or None
        The constraint behind `candidates`.
    reference : Reference, row label or None
        Frozen population, or the baseline row of "relative".
    measured : DataFrame or None
        The scores on items, or the runs, whose means `frame` has.
    roles : dict
        What the columns of `measured` are, or those of `frame`: ``system``, ``item``, ``repeat`` and other words.
    """

    frame: pd.DataFrame = field(repr=False)
    objectives: Objectives
    candidates: np.ndarray = field(repr=False)
    positions: np.ndarray | None = field(default=None, repr=False)
    n_omitted: int = 0
    where: Where = field(default=None, repr=False)
    reference: ReferenceLike = None
    measured: pd.DataFrame | None = field(default=None, repr=False)
    roles: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def kept_rows(self) -> pd.DataFrame:
        """The table without omitted rows."""
        return self.frame if self.positions is None else self.frame.iloc[self.positions]


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Worded):
    """Which row COPA selects, and the ranking behind it.

    Parameters
    ----------
    best : label
        The selected row (the first of them, if several tie).
    tied : list of labels
        All rows that tie for first place on every criterion: usually just `best`. Rows that share the best value of
        the criterion are not among them if its value at p = 1, or the sum of unweighted ranks, breaks the tie;
        ``explain()`` reports it.
    scores : Series
        The criterion for every row, smaller is better, on the frame's index (without omitted rows).
    ordered : ndarray of int64
        Rows that may be chosen, from best to worst.
    ranks : ndarray of int64
        Their ranks, in that order; 1 is best, rows that tie share the lowest.
    weights : dict of objective to float
        The weights used; they sum to 1.
    p : float
        Order of the norm.
    normalize : str
        Normalization.
    normalized_costs : ndarray of float64 or RankShares, shape (n, k)
        Their costs on the common scale; ranks as counts, which take half the memory of shares.
    population_size : int
        Rows that the shares were taken over.
    inputs : SelectionInputs
        The table and the question, from which reports, plots and further functions start again.
    on_front : ndarray of bool, optional
        Rows that are Pareto-optimal among all rows, if known.

    Attributes
    ----------
    matrix : ObjectiveMatrix
        The costs that the decision was made on. Read from the table at first use, so that a decision takes no more
        memory than its ranks do.
    front : ndarray of int64
        Rows of `matrix` on the front of the candidates.
    pareto_optimal : ndarray of bool, shape (n,)
        Rows that are Pareto-optimal among all rows. Found at first use: where 100,000 rows of seven objectives are
        all on the front, this takes ten times as long as the decision.
    table : DataFrame
        The candidates from best to worst: ``rank``, ``score``, ``front`` (whether the row is Pareto-optimal among
        all rows), the objectives' values, and ``u_<objective>``, their normalized values. Built at first use:
        ``best``, ``tied``, ``scores`` and ``explain()`` do without it.
    """

    paper = "javaloy2025copa"

    best: Hashable
    tied: list[Hashable]
    scores: pd.Series
    ordered: np.ndarray
    ranks: np.ndarray
    weights: dict[Hashable, float]
    p: float
    normalize: str
    normalized_costs: Placed
    population_size: int
    inputs: SelectionInputs = field(repr=False)
    on_front: np.ndarray | None = field(default=None, repr=False)

    _internals = frozenset(
        (
            "best_name", "candidates", "certain", "claim", "counts", "criterion", "described_as", "front", "is_frozen",
            "normalized", "normalized_costs", "on_front", "on_scale", "ordered", "ordered_scores", "parameters",
            "pareto_optimal", "position", "possible", "rank_sums", "ranks", "reference", "scored_rows", "scores",
            "tied", "values", "weights",
        )
    )  # fmt: skip

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return self.inputs.objectives

    @property
    def reference(self) -> ReferenceLike:
        """Frozen population, or the baseline row of "relative"; None if there is neither."""
        return self.inputs.reference

    @property
    def n_omitted(self) -> int:
        """Rows that were left out for missing values."""
        return self.inputs.n_omitted

    @property
    def candidates(self) -> np.ndarray:
        """Rows that `where` allowed: ndarray of bool, shape (n,)."""
        return self.inputs.candidates

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The candidates from best to worst."""
        return _table(self)

    @functools.cached_property
    def pareto_optimal(self) -> np.ndarray:
        """Rows that are Pareto-optimal among all rows: ndarray of bool, shape (n,)."""
        if self.on_front is not None:
            return self.on_front
        # The costs are not kept in addition to the table, which holds the same values.
        placed = self.normalized_costs
        return nondominated(placed.counts.T if isinstance(placed, RankShares) else self._read_costs().values)

    @property
    def front(self) -> np.ndarray:
        """Rows of `matrix` on the front of the candidates: ndarray of int64, ascending."""
        return self._front

    @functools.cached_property
    def _front(self) -> np.ndarray:
        if self.candidates.all():
            return np.flatnonzero(self.pareto_optimal)
        rows = np.flatnonzero(self.candidates)
        return rows[nondominated(self.matrix.values[rows])]

    # Properties, because type checkers do not take a cached one for the attribute that plots ask for.
    @property
    def matrix(self) -> ObjectiveMatrix:
        """The costs that the decision was made on."""
        return self._matrix

    @functools.cached_property
    def _matrix(self) -> ObjectiveMatrix:
        return self._read_costs()

    def _read_costs(self) -> ObjectiveMatrix:
        # Rows with missing values were kept only as the worst.
        given = self.inputs
        kept = to_minimization(given.kept_rows(), self.objectives, nan_policy="worst")
        positions = kept.positions if given.positions is None else given.positions
        return replace(kept, positions=positions, n_omitted=given.n_omitted, frame=given.frame)

    @property
    def is_frozen(self) -> bool:
        """Whether shares are taken over a frozen population, which the rows are not in."""
        return isinstance(self.reference, Reference)

    def ordered_scores(self) -> np.ndarray:
        """Values of the criterion of the rows that may be chosen, from best to worst."""
        return self.scores.to_numpy()[self.ordered]

    @property
    def normalized(self) -> np.ndarray:
        """Costs on the common scale: ndarray of float64, shape (n, k)."""
        return self.normalized_costs[:]

    def rank_sums(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What breaks ties of the criterion, by row: over objectives, the sum of how many rows are strictly better.

        Counted in the frozen population, if there is one; rows that tie there are ordered by their own values.

        Parameters
        ----------
        rows : ndarray of int64, optional
            Rows of `matrix`; all of them if omitted.
        """
        rows = np.arange(len(self.candidates)) if rows is None else rows
        placed = self.normalized_costs
        if isinstance(placed, RankShares) and not self.is_frozen:
            sums: np.ndarray = placed.counts[:, rows].sum(axis=0, dtype=np.int64)
            return sums
        values = self.matrix.values
        frozen = self.reference.population(self.objectives) if isinstance(self.reference, Reference) else None
        return tie_keys(values[rows], values, frozen)

    def on_scale(self, normalize: str, reference: ReferenceLike = None) -> np.ndarray:
        """Costs of all rows, normalized in a way that may differ from that of this decision."""
        if normalize == self.normalize and reference is self.reference:
            return self.normalized
        placed: np.ndarray = fit_normalizer(self.matrix, normalize, reference)(self.matrix.values)
        return placed

    @property
    def scored_rows(self) -> str:
        """What the scored rows are called."""
        return "rows"

    @property
    def values(self) -> dict[Hashable, float]:
        """The objectives' values of the selected row.

        Examples
        --------
        >>> import pandas as pd
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "co2_kg": [3.0, 1.0]}, index=["a", "b"])
        >>> choice = models.moo(accuracy="max", co2_kg="min").copa(weights={"co2_kg": 0.8})
        >>> choice.best, choice.values
        ('b', {'accuracy': 0.8, 'co2_kg': 1.0})
        """
        frame = self.inputs.kept_rows()
        places = [checks.column_position(frame, name, "objectives") for name in self.objectives]
        values = [cast(float, frame.iloc[self.position, place]) for place in places]
        numbers = [math.nan if pd.isna(value) else float(value) for value in values]
        return dict(zip(self.objectives, numbers, strict=True))

    @property
    def parameters(self) -> dict[str, Any]:
        """What the table shows of the selected row: columns that its description names, or the source's settings."""
        frame = self.inputs.kept_rows()
        found = {
            str(name).removeprefix(shown) or str(name): frame.iloc[self.position, place]
            for shown in as_names(frame.attrs.get(ATTRS_KEY, {}).get("show"))
            for place, name in enumerate(frame.columns)
            if str(name).startswith(str(shown))
        }
        plain = {name: getattr(value, "item", lambda value=value: value)() for name, value in found.items()}
        return {name: value for name, value in plain.items() if not (pd.api.types.is_scalar(value) and pd.isna(value))}

    @property
    def certain(self) -> list[Hashable]:
        """Rows that are chosen whatever missing values are; without such values, those that tie for first place."""
        return self.tied

    @property
    def possible(self) -> list[Hashable]:
        """Rows that may be chosen, by what missing values are; without such values, those that are certain."""
        return self.tied

    @property
    def position(self) -> int:
        """Row that was selected, counted without omitted rows."""
        return int(self.ordered[0])

    @property
    def _rivals(self) -> tuple[Hashable, ...]:
        """The rows next in rank, which have one color in all pictures of this choice."""
        index = self.scores.index
        return tuple(index[row] for row in self.ordered[1 : 1 + _RIVALS].tolist())

    def counts(self) -> tuple[int, int]:
        """Number of rows that may be chosen, and number of rows."""
        return int(self.candidates.sum()), len(self.candidates)

    def parts(self) -> list[Part]:
        """The reason for the choice, its values, what the runner-up has instead, the trade-off and the ties."""
        return Decision(self).parts()

    @property
    def best_name(self) -> str:
        """What sentences and pictures call the selected row."""
        return row_in_words(self.inputs.frame, self.best)

    def to_answer(self) -> Answer:
        """Which row is chosen, why, and how often it would be chosen again."""
        compares = len(self.candidates) <= _LARGE and len(self.objectives) > 1
        is_measured = any(word in self.inputs.roles for word in ("item", "repeat", "standard_error"))
        stability = self.stability()
        certainty = DecisionCertainty(
            stability=stability,
            level=point_of_change(self) if compares else None,
            winners=self.criteria().winners() if compares else None,
            intervals=self.intervals(nan_policy="omit" if self.n_omitted else "raise") if is_measured else None,
        )
        decision = Decision(self, certainty)
        return Answer.of(
            decision.parts(),
            question=say(question_of(self)),
            used="copa",
            card=decision.card,
            values={
                **facts_of(self),
                "firm": stability.is_firm,
                "share_of_resamples": float(stability.share.iloc[stability.best_row]),
            },
        )

    def printed_tables(self) -> list[PrintedTable]:
        """The candidates from best to worst."""
        return [ranking_of(self)]

    def navigate(self, objective: Hashable | None = None, importances: int | Sequence[float] = 101) -> Navigation:
        """Move the weight of one objective from 0 to 1, and record which rows are selected.

        The weights are ω = [α, (1 - α)/(K - 1), ...] with α on the objective named (section 5.2 of [1]_). Who may be
        chosen, the norm and the scale are those of this decision.

        Parameters
        ----------
        objective : label, optional
            The objective whose weight is α; the one with the largest weight if omitted.
        importances : int or sequence of float
            How many values of α from 0 to 1, evenly spaced; or the values themselves, ascending.

        Returns
        -------
        Navigation
            With one objective, a sentence in its place.

        Raises
        ------
        ValueError
            For an unknown objective, or α outside [0, 1].

        See Also
        --------
        sensitivity : The exact ranges of weights over which the choice stays the same.

        References
        ----------
        .. [1] A. Javaloy, A. Vergari and I. Valera, "COPA: Comparing the incomparable in multi-objective model
           evaluation", arXiv:2503.14321, 2025.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> path = models.moo.copa().navigate("co2_kg")
        >>> path.table.reset_index()[["selected", "importance_from", "importance_to"]]
          selected  importance_from  importance_to
        0    large        0.00      0.25
        1   medium        0.26      0.50
        2    small        0.51      0.74
        3     tiny        0.75      1.00
        >>> path.at(0.5)
        'medium'
        """
        if objective is not None:
            self.objectives.position(objective)
        if len(self.objectives) == 1:
            return cast("Navigation", ONE_OBJECTIVE)
        return Navigation.of(self, objective, importances)

    @shared_parameters
    def criteria(self, criteria: Sequence[CriterionLike] | None = None) -> Criteria:
        """Rank every row that may be chosen under several criteria (as in section 5 of [1]_).

        The weights, who may be chosen, and the reference are those of this decision.

        Parameters
        ----------
        %(criteria)s
            By default the means and COPA with p from 1 to infinity, without those that do not apply to the table, such
            as min-max scaling where a column is constant, or the mean of raw values unless all are shares or all are
            percentages.

        Returns
        -------
        Criteria

        Raises
        ------
        ValueError
            For an unknown or repeated criterion, or a column that a criterion named cannot scale.

        See Also
        --------
        copa_nb.accessor.Moo.mean_ranks : Ranks within each of many groups.

        References
        ----------
        %(copa_paper)s

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7], "co2_kg": [9.0, 3.0, 2.0]}, index=["large", "medium", "small"]
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> models.moo.copa().criteria(["mean", "minmax", 1, "inf"]).ranks
                mean  minmax  1  inf
        large      3       2  1    2
        medium     2       1  1    1
        small      1       2  1    2
        """
        return replace(Criteria.of(self, criteria), choice=self.best, rivals=self._rivals)

    def described_as(self, measured: pd.DataFrame | None, roles: Mapping[str, Any]) -> Selection:
        """Return the decision with what its table, or the one whose means it has, was described as.

        Parameters
        ----------
        measured : DataFrame or None
            The scores on items, or the runs, whose means the decision was made on.
        roles : dict
            What columns are, such as ``{"system": "model", "repeat": "seed"}``.
        """
        kept = None if measured is None else snapshot(measured)
        return replace(self, inputs=replace(self.inputs, measured=kept, roles=dict(roles)))

    @property
    def criterion(self) -> Criterion:
        """What the decision was made by."""
        return Criterion(np.array(list(self.weights.values())), self.p, self.normalize, self.reference)

    @shared_parameters
    def stability(
        self,
        runs: pd.DataFrame | None = None,
        *,
        over: str | None = None,
        system: Any = None,
        repeat: Hashable | None = None,
        paired: bool = False,
        leave_out: float = 1,
        dominated: bool = False,
        n_resamples: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> Stability:
        """Resample the data and see how often each row is chosen.

        COPA's ranks are shares of the population in the table, estimated with the error of Proposition 3.1 in [1]_, so
        the choice depends on which rows the table happens to contain. ``over="population"`` resamples the rows that the
        ranks are taken over; the candidates stay the same. Ties are broken by ranks within the same resample; rows that
        still tie are chosen in turn.

        Where there are several runs per system, the values depend on the repeats: ``over="runs"`` draws the runs of
        each system with replacement, averages them and chooses among systems. Means of few runs are imprecise, and
        their bootstrap is too narrow and centered at them. The means are therefore shrunk towards each other by the
        share of their spread that is noise (empirical Bayes), and the draws are widened to the spread of new means. A
        share then estimates how often new runs would choose the row: with three repeats and ten systems, the plain
        bootstrap gives 0.63 where 0.40 is correct.

        A choice by ranks may also depend on rows that nobody would choose. ``over="others"`` leaves out rows other than
        the choice, one at a time or a share of them at random, and reports how often the same row is chosen (the
        independence of irrelevant alternatives).

        Parameters
        ----------
        runs : DataFrame, optional
            The runs whose means this decision was made on, unless they were described as runs when it was made. A limit
            on who may be chosen is evaluated once, on the means over all runs of each system.
        over : {"population", "runs", "both", "others"}, optional
            What to resample: "runs" where there are any, otherwise "population".
        system : label or list of labels, optional
            Columns or index levels that name the system of each run; as described, or the index.
        repeat : label, optional
            Column or index level that holds the repeat of each run; as described if omitted.
        paired : bool
            Whether all systems share the draws of repeats, for runs in which a repeat is the same for every system
            (such as a split of the data).
        leave_out : 1 or float
            With ``over="others"``: 1 leaves out each row in turn, and a number below 1 that share of them, at random.
        dominated : bool
            With ``over="others"``, whether to leave out only rows that others dominate.
        n_resamples : int, optional
            How many resamples: 1,000 by default, of more than 50,000 rows fewer, so that it takes seconds; not used if
            rows are left out in turn. One that gives no scale (min-max of a single value) is drawn again.
        %(rng)s

        Returns
        -------
        Stability

        Raises
        ------
        ValueError
            For unknown names, a frozen population that cannot be resampled, repeated runs, or paired repeats
            that some system lacks.

        See Also
        --------
        rank_intervals : Confidence intervals of the ranks.
        sensitivity : How much the choice depends on the weights.

        References
        ----------
        %(copa_paper)s

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> systems = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> systems.moo.copa().stability(n_resamples=200, rng=0).share.round(1)
        medium    0.3
        small     0.3
        large     0.2
        tiny      0.2
        Name: share, dtype: float64
        """
        from copa_nb.selection.stability import resample, resample_runs, resampled_what

        if n_resamples is None:
            n_resamples = min(1000, max(_FEWEST_RESAMPLES, _MOST_RESAMPLED // len(self.candidates)))
        roles = self.inputs.roles
        if runs is None and self.inputs.measured is not None and "repeat" in roles and "item" not in roles:
            runs = self.inputs.measured
        if runs is not None and over not in ("population", "others"):
            system, repeat = roles.get("system", system), repeat or roles.get("repeat")
        over = resampled_what(over, repeat, system, self.reference)
        if over in ("runs", "both"):
            matrix = self.matrix if runs is None else to_minimization(runs, self.objectives)
            found = resample_runs(
                matrix, self.criterion, self.inputs.where, system=system, repeat=repeat, paired=paired, over=over,
                n_resamples=n_resamples, rng=rng,
            )  # fmt: skip
            return replace(found, rivals=self._rivals)
        found = resample(
            replace(self.matrix, candidates=None if self.candidates.all() else self.candidates), self.criterion,
            over=over, leave_out=leave_out, dominated=dominated, n_resamples=n_resamples, rng=rng,
        )  # fmt: skip
        return replace(found, rivals=self._rivals)

    def claim(self, id: str = "") -> str:
        """Write this choice as a claim, a line for a file that :func:`copa_nb.check` checks.

        Parameters
        ----------
        id : str
            Name of the claim; by default, claims are named by what they say.

        Raises
        ------
        ValueError
            If claims cannot repeat how it was chosen: under limits, on another scale than ranks, or among the rows of
            a frozen population.
        """
        if not self.candidates.all() or self.normalize != "cdf" or self.reference is not None:
            raise ValueError(
                "claims repeat a choice by the ranks of all rows; this one was made with `where`, `normalize` or "
                "`reference`. State the claim by hand: `rank` takes a `reference`, and `where` is a claim of its own."
            )
        return claim_line(id=id, rank=text.label(self.best), **criterion_of_claim(self))

    @shared_parameters
    def sensitivity(self, *, n_weights: int = 10_000, rng: int | np.random.Generator | None = 0) -> Sensitivity:
        """Measure how much the choice depends on the weights (those of equations 10 and 11 in [1]_).

        Parameters
        ----------
        n_weights : int
            With four objectives or more, weight vectors drawn (uniformly among all) to estimate the shares of
            `regions`. With two they are exact; with three a grid of 10,000 is used.
        %(rng)s

        Returns
        -------
        Sensitivity
            With one objective, a sentence in its place.

        Raises
        ------
        ValueError
            For normalized values below zero (relative to a row that others beat).

        See Also
        --------
        navigate : What is selected along the weight of one objective.
        stability : How much the choice depends on the data.

        References
        ----------
        %(copa_paper)s

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> result = models.moo.copa().sensitivity()
        >>> result.regions.loc["medium", ["low", "high"]].tolist()
        [0.5, 0.75]
        >>> round(result.factor, 9), result.rival
        (1.0, 'small')
        >>> result.intervals.loc["accuracy", ["below", "above"]].tolist()
        ['small', 'large']
        """
        if len(self.objectives) == 1:
            return cast("Sensitivity", ONE_OBJECTIVE)
        return Sensitivity.of(self, n_weights=n_weights, rng=rng)

    @shared_parameters
    def rank_intervals(self, confidence_level: float = 0.95, simultaneous: bool = False) -> pd.DataFrame:
        """Give the ranks standard errors and intervals, if the population is a sample: exact, also for the best row.

        Parameters
        ----------
        confidence_level : float
            Share of intervals that hold the true rank, between 0 and 1.
        simultaneous : bool
            Whether the intervals of all rows in one objective are simultaneous, rather than each on its own.

        Returns
        -------
        DataFrame
            ``u_<objective>``, ``error_<objective>``, ``low_<objective>`` and ``high_<objective>`` of every row.

        Raises
        ------
        ValueError
            If `confidence_level` is not strictly between 0 and 1.

        See Also
        --------
        stability : What this means for the choice.

        Notes
        -----
        The true rank is the share of strictly better rows among all that could have been drawn (equation 8 of [1]_ for
        an infinite population).

        - A row of the population, of which r - 1 others are better, is its r-th order statistic: its true rank has the
          distribution Beta(r, N - r + 1), so that these intervals have exactly the given confidence level. Its standard
          deviation, the error, is near sqrt(û (1 - û) / N), that of Proposition 3.1 in [1]_, but not 0 for the best
          row, whose true rank is as uncertain as that of the second. The proposition is about a given value outside the
          population. A row that counts itself is never better than itself, so that its û has bias -u / N and variance
          (N - 1) u (1 - u) / N².
        - Rows that tie share the lowest rank, here as everywhere: strictly better rows are counted. In an objective
          with ties all intervals reach down to the order statistic before, which makes them conservative.
        - Rows outside, against a frozen population: the binomial interval of Clopper and Pearson, at least the given
          confidence level.
        - All rows at once: the inequality of Dvoretzky, Kiefer and Wolfowitz with the constant of Massart,
          û ± sqrt(log(2 / (1 - confidence_level)) / (2 N)), at least the given confidence level, in each objective by
          itself.

        References
        ----------
        %(copa_paper)s
        .. [2] P. Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality", Annals of Probability
           18(3), 1990. https://doi.org/10.1214/aop/1176990746

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7, 0.6]}, index=list("abcd"))
        >>> models.moo(accuracy="max").copa().rank_intervals().round(3)
           u_accuracy  error_accuracy  low_accuracy  high_accuracy
        a        0.00           0.163         0.006          0.602
        b        0.25           0.200         0.068          0.806
        c        0.50           0.200         0.194          0.932
        d        0.75           0.163         0.398          0.994
        """
        from copa_nb.selection.rank_intervals import rank_intervals

        return rank_intervals(self, confidence_level, simultaneous)

    @shared_parameters
    def intervals(
        self,
        scores: pd.DataFrame | None = None,
        *,
        system: Any = None,
        item: Any = None,
        cluster: Any = None,
        repeat: Any = None,
        standard_error: Mapping[Hashable, Any] | str | None = None,
        n: Any = None,
        known: Any = None,
        confidence_level: float = 0.95,
        n_resamples: int = 10_000,
        nan_policy: str = "raise",
        rng: int | np.random.Generator | None = 0,
    ) -> Intervals:
        """Give the scores of the chosen row intervals that are valid after the choice.

        The best of many systems is partly the luckiest: its scores on the items that it was chosen on are too good, and
        intervals that ignore the choice miss the truth too often. These intervals cover the scores of all candidates at
        once, and thus those of any system that is chosen, by any criterion.

        Parameters
        ----------
        scores : DataFrame, optional
            The scores whose means this decision was made on, unless they were described when it was made: one row for
            each system and item, or repetition of an item, or for each independent run of a system. What columns are
            is as described, if omitted. With `standard_error`, the table of the decision itself.
        system : label or list of labels, optional
            Columns or index levels that name the systems; with `standard_error`, the index by default.
        item : label or list of labels, optional
            What every system was measured on: questions, tasks.
        cluster : label or list of labels, optional
            Groups of items that are drawn together.
        repeat : label or list of labels, optional
            Repetitions of an item, which are averaged first; those with one number on several items may vary alike, as
            seeds of a training do. Without `item`, independent runs of each system.
        standard_error : mapping of objective to column, or str, optional
            Instead of items or runs, columns of standard errors, or the ending that their names add to the objective's.
        %(n)s
        known : label or list of labels, optional
            Objectives without error, such as a list price, with one value per system.
        confidence_level : float
            Share of samples in which all intervals cover the true scores.
        n_resamples : int
            Draws for the largest of all errors; at least 1000.
        nan_policy : {"raise", "omit"}
            Refuse missing values and incomplete items; of runs and of means with standard errors, rows may be left out.
        %(rng)s

        Returns
        -------
        Intervals
            A sentence in its place, where nothing in the table says how precise the scores are.

        Raises
        ------
        ValueError
            If the means of these scores lead to another choice, the decision used a frozen `reference`,
            `confidence_level` is not strictly between 0 and 1, or items, clusters or repetitions are inconsistent.

        See Also
        --------
        stability : How often the choice would be the same.

        Notes
        -----
        Errors of all candidates in all objectives are drawn as normal numbers with the correlations of the scores over
        items or clusters; the interval reaches as far as the largest of them in the given share of draws. Right and
        wrong answers get Jeffreys' interval with this limit [2]_, and scores from 0 to 1 that of as many answers as are
        as precise, so that intervals stay between 0 and 1 and hold near these; everything else gets one of t.
        Repetitions whose numbers recur on several items add the variance between their means, taken over all systems.
        The optimism is that of choices on nine tenths of the items, scored on the last tenth. Of limits on known
        objectives, other systems need not be covered; on another sample, other systems would pass limits on measured
        scores.

        Errors of independent runs and standard errors are independent between systems, so that the limit is that of
        Šidák. With few runs it is wide, because a small standard deviation may be luck too. Noise that is added for the
        choice and subtracted for the score takes the place of the tenths.

        References
        ----------
        .. [1] R. Berk, L. Brown, A. Buja, K. Zhang and L. Zhao, "Valid Post-Selection Inference", Annals of Statistics
           41 (2013), https://doi.org/10.1214/12-AOS1077.
        .. [2] L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion", Statistical
           Science 16 (2001), https://doi.org/10.1214/ss/1009213286.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> log = pd.DataFrame([(model, task, float(rng.random() < 0.7)) for model in range(20) for task in range(100)],
        ...     columns=["model", "task", "correct"])
        >>> choice = log.moo(correct="max", system="model", item="task").copa()
        >>> row = choice.intervals().table.loc["correct"]
        >>> bool(row["naive_low"] > 0.7 > row["low"])  # all models are right in 0.7 of the tasks
        True
        """
        from copa_nb.comparisons.intervals import scores_after_choice

        if self.reference is not None:
            raise ValueError("`intervals` needs ranks among the systems; call `copa` without `reference`.")
        if scores is None and not {"item", "repeat", "standard_error"} & {*self.inputs.roles} and not standard_error:
            return cast("Intervals", NOT_MEASURED)
        said = {"system": system, "item": item, "cluster": cluster, "repeat": repeat, "standard_error": standard_error,
                "n": n, "known": known}  # fmt: skip
        roles = {name: value if value is not None else self.inputs.roles.get(name) for name, value in said.items()}
        if scores is None:
            scores = self.inputs.kept_rows() if self.inputs.measured is None else self.inputs.measured
        try:
            found = scores_after_choice(
                DescribedFrame.of(scores, self.objectives, nan_policy=nan_policy, **roles), p=self.p,
                weights=list(self.weights.values()), where=self.inputs.where, normalize=self.normalize,
                confidence_level=confidence_level, n_resamples=n_resamples, rng=rng,
            )  # fmt: skip
        except ValueError as error:
            if any(value is not None for value in said.values()):
                raise
            # What a source describes may be incomplete, and nobody has asked for it.
            return cast("Intervals", Note(f"The scores of the choice have no intervals: {error}"))
        if found.best != self.best:
            raise ValueError(
                f"`scores` have means that lead to {text.label(found.best)}, not to {text.label(self.best)}; pass the "
                "scores on single items that the table of means was made of."
            )
        return found

    elicit = Offered()

    explore = Offered()

    report = Offered()

    plot = Offered()

    def __repr__(self) -> str:
        also = f" (tied with {len(self.tied) - 1} more)" if len(self.tied) > 1 else ""
        count = self.counts()[0]
        candidates = "candidate" if count == 1 else "candidates"
        best = repr(self.best) if isinstance(self.best, str) else self.best_name
        return (
            f"<Selection {best}{also} among {count:,} {candidates}, p={write_p(self.p)}, "
            f"{self.normalize}, weights {self._weights_text()}>"
        )

    def _card(self) -> str:
        weights = ", ".join(f"{text.spoken(name)} {weight:.3g}" for name, weight in self.weights.items())
        caption = (
            f"p = {write_p(self.p)}, normalization {self.normalize}, weights {weights}; ranks over "
            f"{self.population_size:,} rows, {self.counts()[0]:,} candidates"
            + (f", {self.n_omitted:,} rows omitted for missing values." if self.n_omitted else ".")
        )
        names = names_of_rows(self.inputs.frame, self.table.index[:_MOST_SHOWN])
        shown = self.table.set_axis([*names, *self.table.index[_MOST_SHOWN:]])
        headers = headers_of(self.objectives, self.normalize)
        table = text.html_table(shown, caption=caption, headers=headers, most=_MOST_SHOWN)
        parts = self.parts()
        return text.card(say(parts[0]), explained(parts[1:]), table)

    def _weights_text(self) -> str:
        return ", ".join(f"{name}={weight:.3g}" for name, weight in self.weights.items())


def _table(selection: Selection) -> pd.DataFrame:
    """Lay out the candidates from best to worst, as :attr:`Selection.table`."""
    frame, placed, rows = selection.inputs.frame, selection.normalized_costs, selection.ordered
    names, positions = selection.objectives.names, selection.inputs.positions
    kept = slice(None) if positions is None else positions

    def own_values(name: Hashable) -> Any:
        column = frame[name]
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()[kept].take(rows)
        return column.array[kept].take(rows)

    def normalized_values(k: int) -> np.ndarray:
        return placed.taken(rows, k) if isinstance(placed, RankShares) else placed[:, k].take(rows)

    gather: dict[Hashable, Callable[[], Any]] = {
        "score": partial(selection.scores.to_numpy().take, rows),
        "front": partial(selection.pareto_optimal.take, rows),
    }
    for name in names:
        # An objective may itself be called "score"; neither column may hide the other.
        gather[f"{name} (value)" if name in COMPUTED else name] = partial(own_values, name)
    gather |= {f"u_{name}": partial(normalized_values, k) for k, name in enumerate(names)}
    gathered = in_threads(lambda column: column(), list(gather.values()), len(rows) * len(gather))
    columns = {"rank": selection.ranks} | dict(zip(gather, gathered, strict=True))
    labels = selection.scores.index
    # Labels are usually the row numbers, which need not be gathered.
    numbered = isinstance(labels, pd.RangeIndex) and labels.equals(pd.RangeIndex(len(labels)))
    index = pd.Index(rows, name=labels.name, copy=False) if numbered else labels.take(rows)
    return pd.DataFrame(columns, index=index, copy=False)
