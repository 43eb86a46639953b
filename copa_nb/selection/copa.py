"""COPA's decision: which model, given how much each objective counts."""

from __future__ import annotations

__all__ = ["Selection", "copa"]

import functools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.parallel import in_threads
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.ranking.arrays.criterion import tie_key, weighted_norm
from copa_nb.ranking.arrays.ranks import Placed, RankShares
from copa_nb.ranking.criterion import WORTH_SHARES, Criterion, WeightsLike, ordinal, write_p, write_share
from copa_nb.ranking.normalize import ReferenceLike
from copa_nb.ranking.populations import Reference, tie_keys
from copa_nb.ranking.ranking import Ranking, criterion_of_claim
from copa_nb.results.citing import of_paper
from copa_nb.results.grouping import per_group
from copa_nb.results.offered import Offered
from copa_nb.results.result import Grouped, Result, claim_line
from copa_nb.selection.possible_choices import PossibleChoices, possible_choices
from copa_nb.selection.weight_regions import Sensitivity
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import as_names
from copa_nb.tables.frames import any_frame
from copa_nb.tables.missing_values import BOUNDS, WITH_BOUNDS, Bounds, bounds_without_policy
from copa_nb.tables.objectives import (
    ATTRS_KEY,
    ObjectiveMatrix,
    Objectives,
    ObjectivesLike,
    names_of_rows,
    row_in_words,
    snapshot,
    to_minimization,
)
from copa_nb.tables.rows import warn_of_runs

if TYPE_CHECKING:
    from copa_nb.selection.stability import Stability

COMPUTED = ("rank", "score", "front")
# The trade spelled out for a large table: what it costs to be behind a tenth of it in the heaviest objective.
_EXAMPLE_SHARE = 0.1
_LAST = "ranking last"
_MOST_SHOWN = 8  # rows of a card
_MOST_TIED = 4
_MOST_SETTINGS = 8  # that a sentence names
_NUMBER_WORDS: dict[float, str] = dict(
    enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=2)
)


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
    """

    frame: pd.DataFrame = field(repr=False)
    objectives: Objectives
    candidates: np.ndarray = field(repr=False)
    positions: np.ndarray | None = field(default=None, repr=False)
    n_omitted: int = 0
    where: Where = field(default=None, repr=False)
    reference: ReferenceLike = None

    def kept_rows(self) -> pd.DataFrame:
        """The table without omitted rows."""
        return self.frame if self.positions is None else self.frame.iloc[self.positions]


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Result):
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
        Rows that the ranks were taken over.
    inputs : SelectionInputs
        The table and the question, from which reports, plots and further verbs start again.
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
            "candidates", "counts", "front", "is_frozen", "normalized", "normalized_costs", "on_front", "ordered",
            "ordered_scores", "pareto_optimal", "position", "rank_sums", "ranks", "reference", "scored_rows", "scores",
            "sentences", "tied", "weights",
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
        """Whether ranks are taken over a frozen population, which the rows are not in."""
        return isinstance(self.reference, Reference)

    def ordered_scores(self) -> np.ndarray:
        """Values of the criterion of the rows that may be chosen, from best to worst."""
        return self.scores.to_numpy()[self.ordered]

    @property
    def normalized(self) -> np.ndarray:
        """Costs on the common scale: ndarray of float64, shape (n, k)."""
        return self.normalized_costs[:]

    def rank_sums(self) -> np.ndarray:
        """What breaks ties of the criterion, by row: over objectives, the sum of how many rows are strictly better.

        Counted in the frozen population, if there is one; rows that tie there are ordered by their own values.
        """
        values = self.matrix.values
        frozen = self.reference.population(self.objectives) if isinstance(self.reference, Reference) else None
        return tie_keys(values, values, frozen)

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
    def position(self) -> int:
        """Row that was selected, counted without omitted rows."""
        return int(self.ordered[0])

    def counts(self) -> tuple[int, int]:
        """Number of rows that may be chosen, and number of rows."""
        return int(self.candidates.sum()), len(self.candidates)

    def sentences(self) -> list[str]:
        """The standing, the trade-off, the constraint and the ties, each where it applies."""
        names = [text.spoken(name) for name in self.objectives]
        sentences = [self._standing(names), self._own_values(names), *self._settings(), *self._trade(names)]
        allowed, n_rows = self.counts()
        if allowed < n_rows:
            sentences.append(f"The constraint allows {allowed:,} of {n_rows:,} rows; ranks are taken over all rows.")
        sentences += self._ties()
        if len(self.tied) > 1:
            more = [f"{len(self.tied) - 4} more"] if len(self.tied) > 4 else []
            others = text.listing([*map(self._name, self.tied[1:4]), *more])
            sentences.append(f"It is tied with {others} on every criterion.")
        return sentences

    def _name(self, row: Hashable) -> str:
        """Name a row: what is a number as that of a trial or a row, anything else between quotes."""
        return repr(row) if isinstance(row, str) else row_in_words(self.inputs.frame, row)

    @property
    def _best_name(self) -> str:
        return row_in_words(self.inputs.frame, self.best)

    @property
    def _subject(self) -> str:
        """The selected row at the beginning of a sentence."""
        return row_in_words(self.inputs.frame, self.best, first=True)

    def _standing(self, names: list[str]) -> str:
        row, size = self.normalized_costs[self.position], self.population_size
        if self.normalize != "cdf":
            values = [f"{text.number(float(value), 3)} for {name}" for name, value in zip(names, row, strict=True)]
            return f"{self._subject} has {self.normalize} values of {text.listing(values)} (0 is best)."
        if self.is_frozen:
            places = [
                f"{round(share * size) or 'none'}" if size < WORTH_SHARES else write_share(share) for share in row
            ]
            of = f" of {size:,} frozen rows"
        elif size < WORTH_SHARES:
            places, of = [ordinal(round(share * size) + 1) for share in row], f" of {size:,}"
        else:
            places, of = [write_share(share) for share in row], f" of {size:,} rows"
        places[0] += of
        parts = [f"{place} in {name}" for place, name in zip(places, names, strict=True)]
        verb = "ranks" if size < WORTH_SHARES and not self.is_frozen else "is behind"
        return f"{self._subject} {verb} {text.listing(parts)}."

    def _own_values(self, names: list[str]) -> str:
        values = [f"{name} {text.number(value, 3)}" for name, value in zip(names, self.values.values(), strict=True)]
        return f"Its {'values are' if len(values) > 1 else 'value is'} {text.listing(values)}."

    def _settings(self) -> list[str]:
        """Name the settings of the selected row, unless its name consists of them."""
        given = [f"{name}={text.number(value)}" for name, value in self.parameters.items()]
        if not given or all(f"{name}={value}" in str(self.best) for name, value in self.parameters.items()):
            return []
        more = f" and {len(given) - _MOST_SETTINGS} more" if len(given) > _MOST_SETTINGS else ""
        return [f"Its parameters are {', '.join(given[:_MOST_SETTINGS])}{more}."]

    def _trade(self, names: list[str]) -> list[str]:
        weights, size = np.array(list(self.weights.values())), self.population_size
        ignored = [name for name, weight in zip(names, weights, strict=True) if weight == 0]
        sentences = []
        if self.normalize == "cdf" and (weights > 0).sum() > 1:
            # w_j u_j = w_k u_k: equal contributions to the criterion, whatever p is.
            heaviest, in_places = int(np.argmax(weights)), size < WORTH_SHARES
            share = 1.0 / size if in_places else _EXAMPLE_SHARE
            groups: dict[str, list[object]] = {}
            for k in np.flatnonzero(weights > 0):
                worth = float(weights[heaviest] / weights[k])
                if share * worth >= 1:
                    loss = _LAST
                elif in_places:
                    ranks = _NUMBER_WORDS.get(round(worth, 2), text.number(worth, 3))
                    loss = "one rank" if round(worth, 2) == 1 else f"{ranks} ranks"
                else:
                    loss = write_share(share * worth)
                if k != heaviest:
                    groups.setdefault(loss, []).append(names[k])
            last = groups.pop(_LAST, None)
            equal = ", or ".join(f"{loss} in {text.listing(members, 'or')}" for loss, members in groups.items())
            verb, lost = ("losing", "one rank") if in_places else ("being behind", f"{write_share(share)} of the rows")
            costs = [f"as much as {verb} {equal}"] if equal else []
            costs += [f"at least as much as {_LAST} in {text.listing(last, 'or')}"] if last else []
            sentences.append(
                f"With these weights (p = {write_p(self.p)}), {verb} {lost} in {names[heaviest]} costs "
                f"{', and '.join(costs)}."
            )
        if ignored:
            sentences.append(f"{text.listing(ignored)} had no weight and only broke ties.")
        return sentences

    def _ties(self) -> list[str]:
        """Explain what broke the tie between rows that share the best value of the criterion."""
        scores = tie_key(self.ordered_scores())
        shared = int(np.searchsorted(scores, scores[0], side="right"))
        if shared == len(self.tied):
            return []
        sums = np.empty(0)
        if self.p != 1:
            weights = np.array(list(self.weights.values()))
            sums = tie_key(weighted_norm(self.normalized_costs[self.ordered[:shared]], weights, 1.0))
        rows = f"{_NUMBER_WORDS.get(shared, f'{shared:,}').capitalize()} {self.scored_rows} share the best score of"
        value = text.number(float(self.ordered_scores()[0]), 3)
        if (sums == sums[:1]).sum() == len(self.tied):
            return [f"{rows} {value}; the lower sum of weighted values broke the tie."]
        last = "the lower sum of unweighted ranks"
        if self.is_frozen:
            last += " in the frozen population, then of the values themselves,"
        also = "" if self.p == 1 else "their sums of weighted values are equal too, and "
        return [f"{rows} {value}; {also}{last} broke the tie."]

    def explain(self) -> str:
        """Explain the decision: the ranks of the selected row, and the trade-offs that the weights imply."""
        return " ".join(self.sentences())

    def stability(self, **options: Any) -> Stability:
        """Resample the population, or the runs, to see how stable the choice is; see :func:`copa_nb.stability`.

        Parameters
        ----------
        **options
            ``n_resamples``, ``rng``, ``over``, for runs ``repeat``, ``system`` and ``paired``, and where other rows are
            left out ``leave_out`` and ``dominated``. Everything else is as for this decision.

        Returns
        -------
        Stability
        """
        from copa_nb.selection.stability import stability

        # The mask is of runs; which models may be chosen is asked of their means.
        where = self.candidates if options.get("repeat") is None else self.inputs.where
        # The warning of omitted rows was given when the decision was made.
        result = stability(
            self.inputs.kept_rows(), objectives=self.objectives, p=self.p, weights=list(self.weights.values()),
            where=where, normalize=self.normalize, reference=self.reference, nan_policy="worst", **options,
        )  # fmt: skip
        return cast("Stability", result)

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

    def sensitivity(self, *, n_weights: int = 10_000, rng: int | np.random.Generator | None = 0) -> Sensitivity:
        """Measure how much the choice depends on the weights; see :func:`copa_nb.sensitivity`.

        Parameters
        ----------
        n_weights : int
            Weight vectors drawn where regions are estimated.
        rng : int, Generator or None
            Seed of these draws.

        Returns
        -------
        Sensitivity
        """
        return Sensitivity.of(self, n_weights=n_weights, rng=rng)

    def tiers(self, **options: Any) -> Any:
        """Bound the rank of each row, and form tiers; see :func:`copa_nb.tiers`.

        Parameters
        ----------
        **options
            ``standard_error``: columns of standard errors; ``alpha``, ``n_resamples`` and ``rng``. Everything else is
            as for this decision, whose ranks must be among its own rows.

        Returns
        -------
        Tiers

        Raises
        ------
        ValueError
            If the decision used `normalize` or a frozen `reference`.
        """
        from copa_nb.comparisons.tiers import tiers

        if self.normalize != "cdf" or self.reference is not None:
            raise ValueError(
                "`tiers` needs ranks among the rows of the table; call `copa` without `normalize` and `reference`."
            )
        weights = list(self.weights.values())
        return tiers(self.inputs.kept_rows(), objectives=self.objectives, p=self.p, weights=weights, **options)

    def scores_after_choice(self, frame: pd.DataFrame, **options: Any) -> Any:
        """Give the scores of the chosen row intervals that are valid after the choice.

        See :func:`copa_nb.scores_after_choice`.

        Parameters
        ----------
        frame : DataFrame
            The scores on single items whose means the decision was made on.
        **options
            ``system``, ``item``, ``cluster``, ``repeat``, ``known``, ``confidence_level``, ``n_resamples``,
            ``nan_policy`` and ``rng``. Everything else is as for this decision.

        Returns
        -------
        ScoresAfterChoice

        Raises
        ------
        ValueError
            If the means of these scores lead to another choice, or the decision used a frozen `reference`.
        """
        from copa_nb.comparisons.scores_after_choice import scores_after_choice

        if self.reference is not None:
            raise ValueError("`scores_after_choice` needs ranks among the systems; call `copa` without `reference`.")
        found = scores_after_choice(
            frame, objectives=self.objectives, p=self.p, weights=list(self.weights.values()), where=self.inputs.where,
            normalize=self.normalize, **options,
        )  # fmt: skip
        if found.best != self.best:
            raise ValueError(
                f"`frame` has scores whose means lead to {text.label(found.best)}, not to {text.label(self.best)}; "
                "pass the scores on single items that the table of means was made of."
            )
        return found

    def cheaper_equivalent(self, cost: Hashable, **options: Any) -> Any:
        """Find cheaper rows that are as good as the chosen one within margins; see :func:`copa_nb.cheaper_equivalent`.

        Parameters
        ----------
        cost : label
            The objective that should be lower.
        **options
            ``margin``, ``standard_error`` and ``alpha``.

        Returns
        -------
        CheaperEquivalents
        """
        from copa_nb.comparisons.equivalents import cheaper_equivalent

        return cheaper_equivalent(self.inputs.kept_rows(), cost, than=self.best, objectives=self.objectives, **options)

    report = Offered()

    plot = Offered()

    def __repr__(self) -> str:
        also = f" (tied with {len(self.tied) - 1} more)" if len(self.tied) > 1 else ""
        count = self.counts()[0]
        candidates = "candidate" if count == 1 else "candidates"
        return (
            f"<Selection {self._name(self.best)}{also} among {count:,} {candidates}, p={write_p(self.p)}, "
            f"{self.normalize}, weights {self._weights_text()}>"
        )

    def _card(self) -> str:
        weights = ", ".join(f"{text.spoken(name)} {weight:.3g}" for name, weight in self.weights.items())
        caption = (
            f"p = {write_p(self.p)}, normalization {self.normalize}, weights {weights}; ranks over "
            f"{self.population_size:,} rows, {self.counts()[0]:,} candidates"
            + (f", {self.n_omitted:,} rows omitted for missing values." if self.n_omitted else ".")
        )
        headers: dict[object, str] = dict(zip(self.objectives.names, self.objectives.titles, strict=True))
        scaled = "rows better in" if self.normalize == "cdf" else f"{self.normalize} value of"
        headers |= {f"u_{name}": f"{scaled} {text.spoken(name)}" for name in self.objectives}
        first = self.table.index[:_MOST_SHOWN]
        labels, names = list(map(text.label, first)), names_of_rows(self.inputs.frame, first)
        shown = self.table
        if names != labels:
            named = [f"{label} ({name})" for label, name in zip(labels, names, strict=True)]
            shown = shown.set_axis([*named, *shown.index[_MOST_SHOWN:]])
        table = text.html_table(shown, caption=caption, headers=headers, most=_MOST_SHOWN)
        return text.card(f"Selected: {self._best_name}", self.sentences(), table)

    def _weights_text(self) -> str:
        return ", ".join(f"{name}={weight:.3g}" for name, weight in self.weights.items())


def first_names(selection: Selection) -> str:
    """Name the selected row, or the rows that tie for first place: "D, E and F"."""
    tied = [text.label(name) for name in selection.tied]
    few = tied if len(tied) <= _MOST_TIED else [*tied[: _MOST_TIED - 1], f"{len(tied) - _MOST_TIED + 1} more"]
    return text.listing(few)


@overload
def copa(  # type: ignore[overload-overlap]
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, by: None = None,
    nan_policy: Literal["bounds"], bounds: Bounds = None,
) -> PossibleChoices: ...  # fmt: skip
@overload
def copa(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, by: None = None,
    nan_policy: str = "raise", bounds: Bounds = None,
) -> Selection: ...  # fmt: skip
@overload
def copa(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, by: Any, nan_policy: str = "raise",
    bounds: Bounds = None,
) -> Grouped[Selection]: ...  # fmt: skip
@of_paper("javaloy2025copa")
@any_frame
@per_group()
@shared_parameters
def copa(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
    bounds: Bounds = None,
) -> Selection | PossibleChoices | Grouped[Selection]:
    """Choose a model by preference: ranks per objective, aggregated by a weighted p-norm.

    The criterion is (Σ (w_k u_k)^p)^(1/p) with u_k the share of the population that is strictly better in
    objective k; the smallest value wins (equations 9, 10 and 11 of [1]_). The selected row is Pareto-optimal
    among the candidates for every p and every weight: ties in the criterion are broken by its value at p = 1, then
    by the unweighted mean rank.

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    %(p)s
    %(weights)s
    %(where)s
    %(normalize)s
    %(population)s
    by : label or list of labels, optional
        One decision per group, with ranks taken within the group.
    %(nan_policy_bounds)s
    %(bounds)s

    Returns
    -------
    Selection, or a mapping of group to Selection
        ``best``, ``table``, ``explain()``, ``stability()``, ``sensitivity()``, ``plot()``. With
        ``nan_policy="bounds"``, :class:`copa_nb.PossibleChoices`: the rows that are ``certain`` to be chosen whatever
        the missing values are, and those that are ``possible``.

    Raises
    ------
    %(gate_errors)s
    ValueError
        For p below 1, negative or all-zero weights, a constraint that no row satisfies, or an unknown name; for
        ``nan_policy="bounds"`` with `normalize` or `reference`.

    See Also
    --------
    navigate : What is selected as the weight of one objective grows.
    compare : Rankings under several criteria side by side.
    weights_from : Weights from statements in words.

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
    >>> models.moo.copa().best
    'medium'
    >>> models.moo.copa(weights={"co2_kg": 0.9}).best
    'tiny'
    >>> models.moo.copa(where="co2_kg < 3").table[["rank", "score", "accuracy", "u_accuracy"]]
           rank  score  accuracy  u_accuracy
    small     1  0.250       0.7        0.50
    tiny      2  0.375       0.6        0.75

    A decision that holds whatever a missing value is:

    >>> models.loc["tiny", "accuracy"] = None
    >>> options = {"nan_policy": "bounds", "bounds": {"accuracy": (0, 0.8)}}
    >>> result = models.moo.copa(weights={"accuracy": 0.6}, **options)
    >>> result.certain
    ['medium']
    """
    checks.one_of("nan_policy", nan_policy, WITH_BOUNDS)
    if nan_policy == BOUNDS:
        for name, given, default in (("normalize", normalize, "cdf"), ("reference", reference, None)):
            if given != default:
                raise ValueError(
                    f'`{name}` is {given!r}, but nan_policy="bounds" needs ranks among the rows of the table; leave it '
                    "out."
                )
        warn_of_runs(frame)
        return possible_choices(frame, objectives, p, weights, where, bounds)
    if bounds is not None:
        raise bounds_without_policy(nan_policy)
    matrix = to_minimization(frame, objectives, where=where, nan_policy=nan_policy, reference=reference)
    warn_of_runs(frame)
    criterion = Criterion.of(matrix.objectives, p, weights, normalize, reference)
    ranking = Ranking.of(matrix, criterion)
    return Selection(
        best=ranking.best,
        tied=ranking.tied,
        scores=pd.Series(ranking.scores, index=matrix.index, name="score", copy=False),
        ordered=ranking.ordered,
        ranks=ranking.ranks,
        weights=ranking.weights,
        p=ranking.p,
        normalize=normalize,
        normalized_costs=ranking.placed,
        population_size=criterion.population_size(matrix),
        inputs=SelectionInputs(
            frame=snapshot(frame),
            objectives=matrix.objectives,
            candidates=np.ones(len(ranking.scores), dtype=bool) if matrix.candidates is None else matrix.candidates,
            positions=matrix.positions if matrix.n_omitted else None,
            n_omitted=matrix.n_omitted,
            where=where,
            reference=reference,
        ),
    )


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
