"""COPA's statements about its criterion: rank errors, Pareto optimality, and weights inside the power."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.ranking.arrays.criterion import tie_key, weighted_norm
from copa_nb.ranking.arrays.ranks import empirical_cdf
from copa_nb.ranking.criterion import resolve_p, write_p
from copa_nb.results.answer import Answer
from copa_nb.selection.navigate import Navigation
from copa_nb.text import listing, percent

INSIDE, OUTSIDE = "inside", "outside"
TIES, DOMINATED, REACHED = (
    "weights with ties",
    "weights with a dominated model among the first",
    "models reached",
)
COVERED, RATIO = "front covered, α from 0.1 to 0.9", "ratio of weights at α = 0.9"
# Standard errors of a simulation within which the largest deviation of many cells must lie.
_FAR = 4.5


def simulate_ranks(
    ranks: Sequence[float], sizes: Sequence[int], *, repeats: int, rng: np.random.Generator, counts_itself: bool = False
) -> pd.DataFrame:
    """Simulate bias and variance of the rank estimator, next to the exact ones.

    A value is fixed at its u-quantile, so its true rank is u, and the population around it is drawn repeatedly. Ranks
    do not depend on the distribution, so a uniform one is no restriction.

    Parameters
    ----------
    ranks : sequence of float
        True ranks u.
    sizes : sequence of int
        Sizes N of the population.
    repeats : int
        Populations drawn of each size.
    rng : numpy.random.Generator
        Source of the draws.
    counts_itself : bool
        Whether the value is one of the N, as a model is in its table, where it is never better than itself.

    Returns
    -------
    DataFrame
        One row for each N and u: ``bias``, ``exact bias``, ``bias_error`` (its standard error), ``variance`` and
        ``exact variance``.

    Examples
    --------
    >>> found = simulate_ranks([0.5], [10], repeats=2000, rng=np.random.default_rng(0))
    >>> found[["variance", "exact variance"]].round(3)
       variance  exact variance
    0     0.025           0.025
    """
    u = np.array(ranks, dtype=float)
    cells = []
    for size in sizes:
        others = size - 1 if counts_itself else size
        drawn = rng.random((repeats, others, 1))
        estimates = np.array([empirical_cdf(u[:, None], population)[:, 0] for population in drawn]) * others / size
        exact = others * u * (1 - u) / size**2
        cells.append(
            pd.DataFrame(
                {
                    "N": size,
                    "u": u,
                    "bias": estimates.mean(axis=0) - u,
                    "exact bias": u * (others - size) / size,
                    "bias_error": np.sqrt(exact / repeats),
                    "variance": estimates.var(axis=0, ddof=1),
                    "exact variance": exact,
                }
            )
        )
    return pd.concat(cells, ignore_index=True)


def times_size(simulated: pd.DataFrame) -> pd.DataFrame:
    """Return N times the biases and variances, with the exact ones and the paper's u(1 − u)."""
    u, size = simulated["u"], simulated["N"]
    titles = {
        "bias": "N × bias",
        "exact bias": "exact, −u",
        "variance": "N × variance",
        "exact variance": "exact, (1 − 1/N)u(1 − u)",
    }
    columns = {title: size * simulated[name] for name, title in titles.items()}
    return pd.DataFrame({"N": size, "u": u, **columns, "paper, u(1 − u)": u * (1 - u)}).set_index(["N", "u"])


def errors_by_size(sizes: Sequence[int]) -> pd.DataFrame:
    """Return the standard error of a rank in tables of several sizes, and the bias of counting oneself."""
    size = pd.Index(sizes, name="models in the table")
    return pd.DataFrame(
        {
            "standard error at u = 0.1": np.sqrt(0.1 * 0.9 / size),
            "standard error at the median": 0.5 / np.sqrt(size),
            "bias of counting oneself ÷ standard error, at the median": -1 / np.sqrt(size),
        },
        index=size,
    )


def intervals_of_five() -> pd.DataFrame:
    """Return 95% intervals for the true ranks of five models: 1.96 standard errors, and the exact ones."""
    estimates = np.arange(5) / 5
    half_width = 1.96 * np.sqrt(estimates * (1 - estimates) / 5)
    exact = pd.DataFrame({"a": estimates}).moo(a="min").copa().rank_intervals()
    return pd.DataFrame(
        {
            "û": estimates,
            "û − 1.96 SE": estimates - half_width,
            "û + 1.96 SE": estimates + half_width,
            "exact, from": exact["low_a"].to_numpy(),
            "exact, to": exact["high_a"].to_numpy(),
        },
        index=pd.RangeIndex(1, 6, name="rank among 5"),
    )


def _in_errors(simulated: pd.DataFrame) -> float:
    """Return the largest deviation of a simulated bias from the exact one, in standard errors."""
    return float(((simulated["bias"] - simulated["exact bias"]).abs() / simulated["bias_error"]).max())


def rank_precision_answer(simulated: pd.DataFrame, repeats: int) -> Answer:
    """Sampling error of a rank."""
    ratio = simulated["variance"] / simulated["exact variance"]
    return Answer(
        f"With 100 models the standard error of a rank is at most {50 / np.sqrt(100):.0f} points",
        [
            f"It is at most 0.5/√N, that is {50 / np.sqrt(2148):.1f} percentage points with the 2,148 models of the "
            "paper's Figure 1.",
            f"Simulated variances are {ratio.min():.2f} to {ratio.max():.2f} times u(1 − u)/N, and every mean is "
            f"within {_in_errors(simulated):.1f} standard errors of the simulation of u.",
            "In a table, a model is part of its own population, so its rank is too good by u/N, which is less than one "
            "place.",
        ],
        question="How large is the error in the share of better models if the models in the table are a sample?",
        certainty=f"{repeats:,} simulated populations of each size; the result does not depend on the objective.",
    )


@claim("copa-prop31")
def ranks_are_unbiased(simulated: pd.DataFrame, counting_itself: pd.DataFrame, repeats: int) -> Finding:
    """Whether the rank estimator has no bias, and the variance u(1 − u)/N."""
    ratio = simulated["variance"] / simulated["exact variance"]
    in_errors, largest = _in_errors(simulated), float((simulated["variance"] * simulated["N"]).max())
    # The variance of n draws has a relative standard error near sqrt(2 / n).
    allowed = _FAR * np.sqrt(2 / repeats) + 0.02
    return Finding(
        found=f"largest bias {in_errors:.1f} standard errors over {len(simulated)} cells; variance {ratio.min():.2f} "
        f"to {ratio.max():.2f} times u(1 − u)/N; largest N × variance {largest:.3f}",
        ours=f"bias within {in_errors:.1f} standard errors, variance {ratio.min():.2f} to {ratio.max():.2f} of it",
        holds=bool(in_errors < _FAR and (ratio - 1).abs().max() < allowed and largest < 0.25 * (1 + allowed)),
        note="A model that counts itself has bias −u/N and variance (N − 1)u(1 − u)/N², which the proposition leaves "
        f"out (simulated bias within {_in_errors(counting_itself):.1f} standard errors).",
    )


@dataclass(frozen=True)
class Reach:
    """Which rows come first under many weights, before any rule for ties.

    Parameters
    ----------
    table : DataFrame
        By p: how many weights have ties, how many have a dominated row among the first, and how many rows come first
        under any weight.
    times_first : DataFrame
        Of each Pareto-optimal row, under how many weights it comes first, by p.
    n_weights : int
        How many weights were tried for each p.
    """

    table: pd.DataFrame
    times_first: pd.DataFrame
    n_weights: int


def reach_of_weights(models: pd.DataFrame, weights: np.ndarray, orders: Sequence[float | str]) -> Reach:
    """Find which rows come first under each of many weights.

    Parameters
    ----------
    models : DataFrame
        A table with defined objectives.
    weights : ndarray, shape (n_weights, k)
        A weight for each objective.
    orders : sequence
        Orders p of the norm.
    """
    ranks, optimal = models.moo.normalize().to_numpy(), models.moo.layers(1).to_numpy() == 1
    rows, times_first = {}, {}
    for p in orders:
        first = np.array([_first(ranks, weight, resolve_p(p)) for weight in weights])
        times_first[str(p)] = first.sum(axis=0)[optimal]
        rows[write_p(resolve_p(p))] = {
            TIES: int((first.sum(axis=1) > 1).sum()),
            DOMINATED: int((first & ~optimal).any(axis=1).sum()),
            REACHED: int(first.any(axis=0).sum()),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("p")
    return Reach(table, pd.DataFrame(times_first, index=models.index[optimal]), len(weights))


def _first(ranks: np.ndarray, weight: np.ndarray, p: float) -> np.ndarray:
    """Mark the rows that share the smallest criterion."""
    keys = tie_key(weighted_norm(ranks, weight, p))
    first: np.ndarray = keys == keys.min()
    return first


SPARSITY, BEST_HUNDREDTH = "sparsity of the ranks", "objectives among the best 1%"


def sparsity_of_choices(models: pd.DataFrame, weights: np.ndarray, orders: Sequence[float | str]) -> pd.DataFrame:
    """Return how sparse the ranks of the rows are that each p selects, as means over many weights.

    Parameters
    ----------
    models : DataFrame
        A table with defined objectives.
    weights : ndarray, shape (n_weights, k)
        A weight for each objective.
    orders : sequence
        Orders p of the norm.

    Returns
    -------
    DataFrame
        By p: Hoyer's sparsity of the ranks (0 if all are equal, 1 if all but one are 0), how many objectives the row is
        among the best 1% in, and its worst rank.
    """
    ranks = models.moo.normalize().to_numpy()
    table = {}
    for p in map(resolve_p, orders):
        rows = [_first_row(ranks, weight, p) for weight in weights]
        chosen = ranks[rows]
        table[write_p(p)] = {
            SPARSITY: float(np.mean(_hoyer(chosen))),
            BEST_HUNDREDTH: float((chosen < 0.01).sum(axis=1).mean()),
            "worst rank": float(chosen.max(axis=1).mean()),
        }
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("p")


def _first_row(ranks: np.ndarray, weight: np.ndarray, p: float) -> int:
    """Return the row with the smallest criterion; of several, the one with the smallest value at p = 1."""
    tied = np.flatnonzero(_first(ranks, weight, p))
    return int(tied[weighted_norm(ranks[tied], weight, 1.0).argmin()])


def _hoyer(values: np.ndarray) -> np.ndarray:
    """Return Hoyer's sparsity of each row; a row of zeros is not sparse."""
    root = np.sqrt(values.shape[1])
    length = np.sqrt((values**2).sum(axis=1))
    ratio = np.divide(values.sum(axis=1), length, out=np.full(len(values), root), where=length > 0)
    sparsity: np.ndarray = (root - ratio) / (root - 1)
    return sparsity


@claim(
    "copa-p-sparsity",
    says="The smaller p, the sparser the ranks of what is selected: the very best in more objectives, at the price of "
    "a worse worst one",
)
def small_orders_are_sparse(sparsity: pd.DataFrame) -> Finding:
    """Whether sparsity and the number of top objectives fall with p, and the worst rank at p = 1 is the largest."""
    by_p = sparsity.loc[sorted(sparsity.index, key=lambda p: resolve_p("inf" if p == "∞" else p))]
    worst = by_p["worst rank"]
    falls = (by_p[[SPARSITY, BEST_HUNDREDTH]].diff().dropna() < 0).all(axis=None)
    rows = [
        f"p = {p}: sparsity {row[SPARSITY]:.2f}, {row[BEST_HUNDREDTH]:.1f} objectives among the best 1%, worst rank "
        f"{row['worst rank']:.2f}"
        for p, row in by_p.iterrows()
    ]
    return Finding(
        found="; ".join(rows),
        holds=bool(len(by_p) > 1 and falls and worst.iloc[0] > worst.iloc[1:].max()),
        tolerance="means over the weights fall at every step of p; the worst rank is largest at the smallest p",
    )


def reached_by_own_weights(models: pd.DataFrame) -> pd.Series:
    """Find which Pareto-optimal rows come first with p = ∞ under weights made for them.

    Weights proportional to 1/u make all weighted ranks of a row equal: only a row that is better everywhere can have a
    smaller maximum. A rank of 0 gets nearly all the weight.
    """
    ranks, optimal = models.moo.normalize().to_numpy(), models.moo.layers(1).to_numpy() == 1
    weights = 1.0 / np.maximum(ranks, 1e-3 / len(models))
    weights /= weights.sum(axis=1, keepdims=True)
    reached = [_first(ranks, weights[row], np.inf)[row] for row in np.flatnonzero(optimal)]
    return pd.Series(reached, index=models.index[optimal], dtype=bool)


# Multiples of a power beyond which another row is worse in any case.
_MOST_GAINED = 1e6


def reached_at_any_weights(models: pd.DataFrame, orders: Iterable[float]) -> pd.DataFrame:
    """Return, for each finite p, which Pareto-optimal rows have the smallest weighted norm of ranks at some weights.

    A row does if weights of sum 1 exist at which no other row's weighted sum of powers of ranks is smaller, which a
    linear program finds or excludes.
    """
    optimal = models.moo.layers(1).to_numpy() == 1
    ranks = models.moo.normalize().to_numpy()[optimal]
    found = {p: [_is_first_somewhere(one, ranks, float(p)) for one in ranks] for p in orders}
    return pd.DataFrame(found, index=models.index[optimal]).rename_axis(columns="p")


def _is_first_somewhere(one: np.ndarray, ranks: np.ndarray, p: float) -> bool:
    """Whether weights exist at which no sum of powers of ranks is below that of one row."""
    from scipy.optimize import linprog

    if (one == 0).any():
        return True  # the weight of that objective alone
    # In multiples of the row's own powers, so that high powers of small ranks are not lost in rounding.
    gained = np.minimum(ranks / one, _MOST_GAINED ** (1 / p)) ** p - 1
    solved = linprog(np.zeros(len(one)), A_ub=-gained, b_ub=np.zeros(len(ranks)), A_eq=np.ones((1, len(one))), b_eq=[1])
    return bool(solved.success)


@claim(
    "copa-finite-misses",
    says="With finite p some Pareto-optimal models are selected at no weights at all, fewer the larger p is",
)
def finite_orders_miss_optima(reached: pd.DataFrame) -> Finding:
    """Whether every finite p leaves out some optimal models, and a larger one no more of them."""
    missed = (~reached).sum()
    counts = [f"{count} of {len(reached)} (p = {p:g})" for p, count in missed.items()]
    return Finding(
        found=f"selected at no weights: {listing(counts)}; with p = ∞ each is selected at some",
        ours=counts[0],
        holds=bool((missed > 0).all() and missed.is_monotonic_decreasing),
        tolerance="more than none at every finite p, never more at a larger one",
    )


def alphas_with_dominated(path: Navigation) -> int:
    """Count the steps of a path in two objectives at which a dominated row shares the smallest criterion."""
    objectives = dict(path.matrix.objectives.directions)
    ranks = path.frame.moo(objectives).normalize().to_numpy()
    dominated = path.frame.moo(objectives).layers(1).to_numpy() > 1
    weights = np.column_stack([path.path.index, 1 - path.path.index])
    return sum(bool((_first(ranks, weight, path.p) & dominated).any()) for weight in weights)


def optimal_models_answer(reach: Reach, own_weights: pd.Series, path: Navigation, chosen: Iterable[object]) -> Answer:
    """Which optimal models can be selected by some weights, and whether dominated ones are selected."""
    reached, total, below = int(own_weights.sum()), len(own_weights), _dominated_below_infinity(reach)
    counts, steps = reach.table[REACHED], len(path.path)
    pair = listing(path.matrix.objectives.names)
    return Answer(
        f"With p = ∞ {'all' if reached == total else f'{reached} of'} {total} Pareto-optimal models can be selected",
        [
            f"With finite p a dominated model is selected {f'{below} times' if below else 'never'}.",
            f"With weights constructed for each model, p = ∞ selects {reached} of {total} optimal models. "
            f"{reach.n_weights} random weights reach {counts.iloc[0]} (p = {counts.index[0]}) to {counts.iloc[-1]} "
            f"(p = {counts.index[-1]}) of them.",
            f"If many values are equal ({pair}, rounded), a dominated model shares the first place at "
            f"{alphas_with_dominated(path)} of {steps} weights with p = ∞. COPA breaks such ties by the value at p = "
            f"1, and then {'only' if _only_optimal(reach, path, chosen) else 'not only'} optimal models are returned.",
        ],
        question="Can every Pareto-optimal model be selected by some weights, and is every selected model "
        "Pareto-optimal?",
        certainty=f"{reach.n_weights} random weights for each p on {len(path.frame):,} models, and weights constructed "
        "for each optimal model. By the formula, dominated models are never selected with finite p.",
    )


def _dominated_below_infinity(reach: Reach) -> int:
    return int(reach.table[DOMINATED].drop("∞", errors="ignore").sum())


def _only_optimal(reach: Reach, path: Navigation, chosen: Iterable[object]) -> bool:
    """Whether all rows that `copa` and `navigate` return are Pareto-optimal."""
    return set(chosen) <= set(reach.times_first.index) and bool(np.isin(path.positions, path.front).all())


@claim("copa-pareto")
def choices_are_optimal(reach: Reach, own_weights: pd.Series, path: Navigation, chosen: Iterable[object]) -> Finding:
    """Whether finite p selects optimal rows only, and p = ∞ reaches all of them, and weakly optimal ones too."""
    reached, total, below = int(own_weights.sum()), len(own_weights), _dominated_below_infinity(reach)
    with_dominated = alphas_with_dominated(path)
    return Finding(
        found=f"{below} dominated among the first for finite p; p = ∞ attains its minimum at {reached} of {total} "
        f"optimal models, and on rounded {listing(path.matrix.objectives.names)} shares it with dominated ones at "
        f"{with_dominated} of {len(path.path)} weights; with the tie rule "
        f"{'only' if _only_optimal(reach, path, chosen) else 'not only'} optimal models are returned",
        ours=f"{below} exceptions, {reached} of {total} reached",
        holds=bool(below == 0 and reached == total and with_dominated > 0),
        note="For positive weights.",
    )


def paths_by_place_of_weights(points: pd.DataFrame, orders: Sequence[float | str], importances: int) -> pd.DataFrame:
    """Sweep α with the weights inside and outside the power.

    Parameters
    ----------
    points : DataFrame
        A table with two defined objectives; the first is swept.
    orders : sequence
        Orders p of the norm.
    importances : int
        Values of α from 0 to 1.

    Returns
    -------
    DataFrame
        Long: ``p``, ``weights`` ("inside" or "outside"), ``α``, the values of the point selected, and ``place``, the
        share of the front that is worse in the first objective.
    """
    steps = np.linspace(0, 1, importances)
    objectives = list(points.moo.description["objectives"])
    paths = []
    for p in map(resolve_p, orders):
        for where in (INSIDE, OUTSIDE):
            shares = steps if where == INSIDE else _outside(steps, p)
            # Where weights lose their effect many α become one.
            distinct, row = np.unique(shares, return_inverse=True)
            path = points.moo.copa(p=p).navigate(objectives[0], importances=list(distinct))
            values = path.path[objectives].iloc[row].reset_index(drop=True)
            about: dict[str, Any] = {"p": write_p(p), "weights": where, "α": steps}
            paths.append(values.assign(**about, place=path.places[row]))
    long = pd.concat(paths, ignore_index=True)
    return long[["p", "weights", "α", *objectives, "place"]]


def _outside(importances: np.ndarray, p: float) -> np.ndarray:
    """Return the α inside the power that selects what these do outside.

    A weight outside the power is its p-th root inside; at p = ∞ every positive weight becomes 1.
    """
    first = np.where(importances > 0, importances ** (1 / p), 0.0)
    second = np.where(importances < 1, (1 - importances) ** (1 / p), 0.0)
    shares: np.ndarray = (first / (first + second)).round(12)
    return shares


def reach_by_place(paths: pd.DataFrame) -> pd.DataFrame:
    """Return, for each p and place of the weights, how far the slider reaches along the front."""
    rows = {}
    for (p, where), path in paths.groupby(["p", "weights"], sort=False):
        inner = path.loc[path["α"].between(0.1, 0.9), "place"]
        rows[p, where] = {
            "rows selected": int((~path.iloc[:, 3:5].duplicated()).sum()),
            COVERED: inner.max() - inner.min(),
            RATIO: 9.0 if where == INSIDE else 9.0 ** (1 / resolve_p("inf" if p == "∞" else p)),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["p", "weights"])
    return table.astype({"rows selected": int})


def _covered(reach: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the shares of the front that α from 0.1 to 0.9 covers, inside and outside the power, by ascending p."""
    covered = reach[COVERED]
    inside, outside = (covered.xs(where, level="weights") for where in (INSIDE, OUTSIDE))
    order = sorted(inside.index, key=lambda p: resolve_p("inf" if p == "∞" else p))
    return inside.loc[order], outside.loc[order]


def place_of_weights_answer(reach: pd.DataFrame, points: pd.DataFrame) -> Answer:
    """Whether weights matter inside and outside the power of the largest order."""
    inside, outside = _covered(reach)
    p = inside.index[-1]
    return Answer(
        f"Weights inside the power cover {percent(inside[p])} of the front, weights outside {percent(outside[p])}",
        [
            f"This is the part between the choices at α = 0.1 and 0.9, for p = {p}.",
            "Outside the power, the ratio of the weights at α = 0.9, which is 9 to 1, becomes its p‑th root: "
            f"{reach.loc[(p, OUTSIDE), RATIO]:.3g} to 1 at p = {p}.",
        ],
        question="Does it matter whether the weights of a p-norm are inside or outside the power?",
        certainty=f"{len(points):,} points drawn from the paper's curve. By the formula, weights outside lose "
        "their effect for any data.",
    )


@claim("copa-fig10-weights")
def weights_outside_lose_their_effect(reach: pd.DataFrame) -> Finding:
    """Whether, with weights outside the power, the choices cover less of the front as p grows."""
    inside, outside = _covered(reach)
    last = outside.index[-1]
    pairs = [f"p = {p}: {inside[p]:.2f} / {outside[p]:.2f}" for p in inside.index]
    return Finding(
        found=f"share of the front that α from 0.1 to 0.9 covers, inside against outside: {'; '.join(pairs)}",
        ours=f"{percent(outside[last])} of the front at p = {last}",
        holds=bool(
            outside[last] <= 0.05 and (outside.diff().dropna() <= 1e-9).all() and (inside >= outside - 1e-9).all()
        ),
    )
