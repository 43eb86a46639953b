"""How sure is the choice? Resampling of the population, and of the seeds where there are several runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import Where, candidate_mask
from copa_nb.columns import column_or_level, positions_by_group
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, to_minimisation
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results import Grouped, PlotMethod, by_group
from copa_nb.selection.arrays import stability as core
from copa_nb.selection.arrays.criterion import winners
from copa_nb.selection.arrays.ranks import empirical_cdf, strictly_better
from copa_nb.selection.criterion import WeightsLike, resolve_p, resolve_weights, write_p
from copa_nb.selection.normalize import HOW, ReferenceLike, fit_normalizer
from copa_nb.selection.populations import Reference, placed_objectives

OVER = ("population", "seeds", "both")


@dataclass(frozen=True, repr=False, eq=False)
class Stability:
    """How often each row is chosen when the data are resampled.

    Parameters
    ----------
    best : label
        The choice on the data as they are.
    chosen : Series
        The label chosen under each resample.
    table : DataFrame
        The rows chosen at least once (and `best`), most often chosen first: ``share`` of the resamples,
        ``error`` (its Monte-Carlo standard error), the objectives' values, ``u_<objective>`` and
        ``sd_<objective>``: the normalised values and their standard deviations over the resamples.
    over : {"population", "seeds", "both"}
        What was resampled.
    weights : dict of objective to float
        Weights of the criterion.
    p : float
        Order of the norm.
    normalize : str
        Normalisation.
    best_row : int
        Row of `table` that holds `best`.
    """

    best: Hashable
    chosen: pd.Series
    table: pd.DataFrame
    over: str
    weights: dict[Hashable, float]
    p: float
    normalize: str
    best_row: int

    @property
    def share(self) -> pd.Series:
        """Share of the resamples in which each row is chosen, largest first."""
        return self.table["share"]

    @property
    def n_resamples(self) -> int:
        """How many resamples were drawn."""
        return len(self.chosen)

    def explain(self) -> str:
        """Say it in words."""
        often = float(self.share.iloc[self.best_row])
        resamples = f"{self.n_resamples:,} resamples of {_OVER_WORDS[self.over]}"
        share = f"{text.label(self.best)} is chosen in {text.percent(often)} of {resamples}"
        rivals = [
            f"{text.label(name)} in {text.percent(float(value))}"
            for row, (name, value) in enumerate(self.share.items())
            if row != self.best_row
        ]
        others = text.listing(rivals[:3]) if rivals else ""
        more = f", and {len(rivals) - 3} more rows at least once" if len(rivals) > 3 else ""
        return f"{share}; {others}{more}." if rivals else f"{share}."

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    plot = PlotMethod("plot_stability")

    def __repr__(self) -> str:
        return f"<Stability: {self.explain()}>"

    def _repr_html_(self) -> str:
        caption = (
            f"Share of {self.n_resamples:,} resamples of {_OVER_WORDS[self.over]} in which each row is chosen; p = "
            f"{write_p(self.p)}, normalisation {self.normalize}."
        )
        table = text.html_table(self.table, caption=caption)
        return text.card("How sure is the choice?", [self.explain()], table)


_OVER_WORDS = {"population": "the population", "seeds": "the seeds", "both": "the seeds and the population"}


def stability(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    over: str | None = None,
    model: Any = None,
    seed: Hashable | None = None,
    paired: bool = False,
    n_resamples: int = 1000,
    rng: int | np.random.Generator | None = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> Stability | Grouped[Stability]:
    """Resample the data and see how often each row is chosen.

    COPA's ranks are shares of the population in the table, so the choice depends on who happens to be in
    it: ``over="population"`` resamples the rows that the ranks are taken over (whoever may be chosen stays
    the same). Where the table has several runs per model, the values depend on the seeds:
    ``over="seeds"`` draws the runs of each model with replacement, averages them and chooses among models.

    Parameters
    ----------
    frame : DataFrame
        One row per model; or one row per run if `seed` is given.
    objectives, p, weights, normalize, reference, nan_policy
        As in :func:`copa_nb.copa`. A frozen Reference has no rows that could be resampled, so it goes with
        ``over="seeds"`` only.
    where : str, mask or callable, optional
        Who may be chosen. With `seed`, it is asked once, of the means over all runs of each model.
    over : {"population", "seeds", "both"}, optional
        What to resample: "seeds" if `seed` is given, otherwise "population".
    model : label or list of labels, optional
        Columns or index levels that say which model a run is of; the index if omitted.
    seed : label, optional
        Column or index level that holds the seed of each run.
    paired : bool
        Whether all models share the draws of seeds, for runs whose seeds mean the same (the same split of
        the data).
    n_resamples : int
        How many resamples. One that gives no scale (min-max of a single value) is drawn again.
    rng : int or Generator, optional
        Seed.
    by : label or list of labels, optional
        One answer per group.

    Returns
    -------
    Stability, or a mapping of group to Stability

    Raises
    ------
    ValueError
        For unknown names, a frozen population that cannot be resampled, repeated runs, or paired seeds
        that some model lacks.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> models.moo.stability(n_resamples=200, rng=0).share.round(1)
    medium    0.4
    large     0.3
    small     0.2
    tiny      0.2
    Name: share, dtype: float64
    """
    checks.one_of("normalize", normalize, HOW)
    resolved = placed_objectives(frame, objectives, reference)
    over = over if over is not None else "population" if seed is None else "seeds"
    checks.one_of("over", over, OVER)
    checks.integer("n_resamples", n_resamples)
    generator = checks.generator(rng)
    if over != "seeds" and isinstance(reference, Reference):
        raise ValueError(
            "`reference` is a frozen population, which keeps no rows to resample; leave it out, or resample seeds "
            'with over="seeds".'
        )
    if over == "population":
        if seed is not None or model is not None:
            raise ValueError('`seed` and `model` are for runs; with them, pass over="seeds" or over="both".')
    elif seed is None:
        raise ValueError(f"`over` is {over!r}, which needs `seed`: the column that holds the seed of each run.")

    def run(group: pd.DataFrame) -> Stability:
        matrix = to_minimisation(group, resolved, nan_policy=nan_policy)
        settings = _Settings(resolve_p(p), resolve_weights(resolved, weights), normalize, reference, n_resamples)
        if over == "population":
            allowed = np.flatnonzero(candidate_mask(group, where)[matrix.positions])
            return _over_population(matrix, allowed, settings, generator)
        return _over_seeds(group, matrix, where, settings, generator, model, seed, paired, over)

    return run(frame) if by is None else by_group(frame, by, run)


def rank_errors(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> pd.DataFrame:
    """Standard errors of the ranks û, if the population is a sample: sqrt(û (1 - û) / N).

    Parameters
    ----------
    frame : DataFrame
        One row per model.
    objectives, nan_policy
        As in :func:`copa_nb.copa`.
    reference : Reference, optional
        Frozen population that the ranks are taken over.
    by : label or list of labels, optional
        Take each group as a population of its own.

    Returns
    -------
    DataFrame
        One column per objective, on the index of `frame` (NaN for omitted rows). At most 0.5 / sqrt(N);
        0 for the best row, whose rank says nothing of its own error (COPA, Proposition 3.1).

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7, 0.6]}, index=list("abcd"))
    >>> copa_nb.rank_errors(models, objectives={"accuracy": "max"})["accuracy"].round(3).tolist()
    [0.0, 0.217, 0.25, 0.217]
    """
    resolved = placed_objectives(frame, objectives, reference)
    matrix = to_minimisation(frame, resolved, nan_policy=nan_policy)
    if by is None:
        groups = [np.arange(len(matrix.values))]
    else:
        groups = list(positions_by_group(frame.iloc[matrix.positions], by).values())
    errors = np.full((len(frame), len(resolved)), np.nan)
    for rows in groups:
        group = ObjectiveMatrix(matrix.values[rows], resolved, matrix.positions[rows], matrix.index[rows])
        normalizer = fit_normalizer(group, "cdf", reference)
        errors[group.positions] = core.rank_standard_errors(normalizer(group.values), len(normalizer.population))
    return pd.DataFrame(errors, index=frame.index, columns=resolved.names)


@dataclass(frozen=True)
class _Settings:
    p: float
    weights: np.ndarray
    normalize: str
    reference: ReferenceLike
    n_resamples: int


def _over_population(
    matrix: ObjectiveMatrix, allowed: np.ndarray, settings: _Settings, rng: np.random.Generator
) -> Stability:
    # A dominated candidate has no smaller rank under any resample and loses every tie (see core.criterion).
    front = allowed[nondominated(matrix.values[allowed])]
    rank_sums = strictly_better(matrix.values[front], matrix.values).sum(axis=1)
    normalized = fit_normalizer(matrix, settings.normalize, settings.reference)(matrix.values[front])
    if settings.normalize == "cdf":
        chosen, _, deviations = core.bootstrap_population(
            matrix.values[front], matrix.values, settings.weights, settings.p, rank_sums,
            n_resamples=settings.n_resamples, rng=rng,
        )  # fmt: skip
    else:
        chosen, deviations = _rescaled_choices(matrix, front, rank_sums, settings, rng)
    best = int(winners(normalized, settings.weights, settings.p, rank_sums)[0])
    kept = ObjectiveMatrix(matrix.values[front], matrix.objectives, front, matrix.index[front])
    return _result(kept, normalized, deviations, best, chosen, settings, "population")


def _rescaled_choices(
    matrix: ObjectiveMatrix, front: np.ndarray, rank_sums: np.ndarray, settings: _Settings, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Choices when ideal, nadir or reference row are taken from each resample."""
    chosen = np.empty(settings.n_resamples, dtype=np.int64)
    scaled = np.empty((settings.n_resamples, len(front), len(matrix.objectives)))
    for step in range(settings.n_resamples):
        resample = _resampled(matrix, settings, rng)
        scaled[step] = fit_normalizer(resample, settings.normalize, settings.reference)(matrix.values[front])
        chosen[step] = winners(scaled[step], settings.weights, settings.p, rank_sums)[0]
    return chosen, scaled.std(axis=0)


def _over_seeds(
    frame: pd.DataFrame, matrix: ObjectiveMatrix, where: Where, settings: _Settings, rng: np.random.Generator,
    model: Any, seed: Hashable, paired: bool, over: str,
) -> Stability:  # fmt: skip
    codes, labels, seeds = _runs(frame.iloc[matrix.positions], model, seed)
    if paired and len(codes) != len(labels) * len(np.unique(seeds)):
        raise ValueError("`paired` needs a run of every model with every seed; some are missing: pass paired=False.")
    means = core.ResampledMeans(matrix.values, codes, seeds if paired else None)
    observed = ObjectiveMatrix(means.observed, matrix.objectives, np.arange(len(labels)), labels)
    own = pd.DataFrame(observed.original(), index=labels, columns=matrix.objectives.names)
    allowed = np.flatnonzero(candidate_mask(own, where))
    chosen = np.empty(settings.n_resamples, dtype=np.int64)
    scaled = np.empty((settings.n_resamples, len(allowed), len(matrix.objectives)))
    for step in range(settings.n_resamples):
        drawn = ObjectiveMatrix(means.draw(rng), matrix.objectives, observed.positions, labels)
        scaled[step], rank_sums = _place(drawn, allowed, settings, rng if over == "both" else None)
        chosen[step] = winners(scaled[step], settings.weights, settings.p, rank_sums)[0]
    normalized, rank_sums = _place(observed, allowed, settings, None)
    best = int(winners(normalized, settings.weights, settings.p, rank_sums)[0])
    kept = ObjectiveMatrix(observed.values[allowed], matrix.objectives, allowed, labels[allowed])
    return _result(kept, normalized, scaled.std(axis=0), best, chosen, settings, over)


def _place(
    matrix: ObjectiveMatrix, allowed: np.ndarray, settings: _Settings, rng: np.random.Generator | None
) -> tuple[np.ndarray, np.ndarray]:
    """Normalised values and rank sums of the candidates, within all models or a resample of them."""
    values = matrix.values[allowed]
    rank_sums = strictly_better(values, matrix.values).sum(axis=1)
    if rng is None:
        return fit_normalizer(matrix, settings.normalize, settings.reference)(values), rank_sums
    resample = _resampled(matrix, settings, rng)
    if settings.normalize == "cdf":
        return empirical_cdf(values, resample.values), rank_sums
    return fit_normalizer(resample, settings.normalize, settings.reference)(values), rank_sums


def _resampled(matrix: ObjectiveMatrix, settings: _Settings, rng: np.random.Generator) -> ObjectiveMatrix:
    """Draw the rows that a scale is taken from, with replacement; what gives no scale is drawn again."""
    # Without scaling, or against a named row, the yardstick is fixed and no resample can move it.
    if settings.normalize == "none" or settings.reference is not None:
        return matrix
    while True:
        drawn = rng.integers(len(matrix.values), size=len(matrix.values))
        values = matrix.values[drawn]
        if _gives_a_scale(values, settings.normalize) or not _gives_a_scale(matrix.values, settings.normalize):
            return ObjectiveMatrix(values, matrix.objectives, drawn, matrix.index[drawn])


def _gives_a_scale(values: np.ndarray, how: str) -> bool:
    """Tell whether every column can be scaled: one value has no range, and nothing is relative to a best value of 0."""
    ideal = values.min(axis=0)
    if how == "minmax":
        return bool((values.max(axis=0) > ideal).all())
    return how != "relative" or bool((ideal != 0).all())


def _runs(frame: pd.DataFrame, model: Any, seed: Hashable) -> tuple[np.ndarray, pd.Index, np.ndarray]:
    """Number the models and seeds of runs; also the models' labels in order of appearance."""
    seeds = column_or_level(frame, seed, "seed")
    keys = frame.index
    if model is not None:
        columns = [column_or_level(frame, name, "model") for name in (model if isinstance(model, list) else [model])]
        keys = pd.Index(columns[0]) if len(columns) == 1 else pd.MultiIndex.from_frame(pd.concat(columns, axis=1))
    elif seed in keys.names:
        keys = frame.reset_index(level=keys.names.index(seed), drop=True).index
    codes = pd.factorize(keys)[0]
    seed_codes = pd.factorize(seeds)[0]
    if (codes < 0).any() or (seed_codes < 0).any():
        raise ValueError("`model` and `seed` must be known for every run; some are missing values.")
    if pd.MultiIndex.from_arrays([codes, seed_codes]).has_duplicates:
        raise ValueError(
            f"`seed` {seed!r} repeats within a model, so that runs cannot be told apart; name every column that "
            "makes a model, e.g. model=['method', 'strength']."
        )
    first = np.unique(codes, return_index=True)[1]
    return codes.astype(np.int64), keys[first], seed_codes.astype(np.int64)


def _result(
    kept: ObjectiveMatrix, normalized: np.ndarray, deviations: np.ndarray, best: int, chosen: np.ndarray,
    settings: _Settings, over: str,
) -> Stability:  # fmt: skip
    times = np.bincount(chosen, minlength=len(kept.values))
    rows = np.argsort(-times, kind="stable")
    rows = rows[(times[rows] > 0) | (rows == best)]
    share = times / len(chosen)
    columns: dict[Hashable, Any] = {"share": share[rows], "error": np.sqrt(share * (1 - share) / len(chosen))[rows]}
    own = kept.original()
    for k, name in enumerate(kept.objectives):
        columns[f"{name} (value)" if name in columns else name] = own[rows, k]
    for prefix, array in (("u", normalized), ("sd", deviations)):
        columns |= {f"{prefix}_{name}": array[rows, k] for k, name in enumerate(kept.objectives)}
    return Stability(
        best=kept.index[best],
        chosen=pd.Series(kept.index.to_numpy()[chosen], name="chosen"),
        table=pd.DataFrame(columns, index=kept.index[rows]),
        over=over,
        weights=_named(kept.objectives, settings.weights),
        p=settings.p,
        normalize=settings.normalize,
        best_row=int(np.flatnonzero(rows == best)[0]),
    )


def _named(objectives: Objectives, weights: np.ndarray) -> dict[Hashable, float]:
    return dict(zip(objectives, weights.tolist(), strict=True))
