"""COPA's first three figures: the slider under several normalizations, and under several norms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.claims.ledger import NOT_FOUND, PAPER_IN_ERROR
from copa_nb.datasets.synthetic import synthetic_curve
from copa_nb.papers.copa.claims import CO2
from copa_nb.results.answer import Answer
from copa_nb.selection.copa import Selection
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.stability import Stability
from copa_nb.text import listing, number, percent, told_apart

AVERAGE_SCORE = "average score"
Y1, Y2 = "y₁", "y₂"
# The synthetic front is flat around this y₁, and so far from it a choice counts as near.
FLAT, NEAR_FLAT = 0.1, 0.02
# From this evenness on, α moves along the whole front.
EVEN = 0.9
# Ranks that add up to 1 but for this.
_NEARLY_ONE = 0.1
OUTER_TENTHS = "share of α at the outer tenths"


def choices_by_normalization(paths: Mapping[str, Navigation], choices: Mapping[str, Selection]) -> pd.DataFrame:
    """Return what each normalization chooses, how many rows are better, and how its slider covers the front."""
    rows = {}
    for title, choice in choices.items():
        row: dict[Hashable, Any] = {"model": choice.best}
        row |= choice.inputs.frame.loc[choice.best, list(choice.objectives)].to_dict()
        row |= _shares_better(choice).add_prefix("share better in ").to_dict()
        rows[title] = row | {"models selected": paths[title].n_distinct, "evenness": paths[title].evenness}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("normalization")


def _shares_better(choice: Selection) -> pd.Series:
    """Return, of each objective, the share of models that are better than the one selected."""
    ranks = choice.inputs.frame.moo(dict(choice.objectives.directions)).normalize()
    return ranks.loc[choice.best]


def _by_ranks(results: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the result that COPA's ranks lead to, and those of other normalizations."""
    others = {title: result for title, result in results.items() if result.normalize != "cdf"}
    return next(result for result in results.values() if result.normalize == "cdf"), others


def normalizations_answer(
    paths: Mapping[str, Navigation], choices: Mapping[str, Selection], stability: Stability
) -> Answer:
    """Which models the normalizations choose at one weight, and how far their sliders reach."""
    path, other_paths = _by_ranks(paths)
    choice, other_choices = _by_ranks(choices)
    models, best = choice.inputs.frame, choice.best
    better = _shares_better(choice).map(percent)
    kilograms = [number(models.loc[other.best, CO2], 2) for other in other_choices.values()]
    score = models.loc[best, AVERAGE_SCORE]
    evenness = max(other.evenness for other in other_paths.values())
    return Answer(
        f"At α = {choice.weights[CO2]:g} COPA selects a model that emits {number(models.loc[best, CO2], 2)} kg of CO₂",
        [
            f"The other normalizations select models of {listing(kilograms)} kg.",
            f"COPA selects {best}, with an average score of {number(score, 3)}: {better[CO2]} of the models emit less "
            f"CO₂, and {better[AVERAGE_SCORE]} have a higher score.",
            f"From α = 0 to 1 its slider visits {path.n_distinct} models of the front with an evenness of "
            f"{path.evenness:.2f} (1 is perfectly even). The best of the other normalizations has an evenness of "
            f"{evenness:.2f}.",
        ],
        question="Which language model is the best compromise between performance and CO₂, and does the answer depend "
        "on how the two are normalized?",
        certainty=f"{len(models):,} models of the Open LLM Leaderboard of January 2025, each evaluated once. COPA "
        f"makes the same choice in {percent(stability.share.iloc[stability.best_row])} of {stability.n_resamples} "
        "bootstrap resamples of the models.",
    )


@claim("copa-front-size")
def front_size(offered: pd.DataFrame, everyone: pd.DataFrame) -> Finding:
    """Whether 487 of the 2,148 models that the hub offers are Pareto-optimal in seven objectives."""
    size, size_of_all = len(offered.moo.front()), len(everyone.moo.front())
    mixed = size_of_all == 487
    return Finding(
        found=f"{size} of the {len(offered):,} models that the hub offers are Pareto-optimal; {size_of_all} of all "
        f"{len(everyone):,} rows are",
        ours=f"{size} of {len(offered):,}",
        holds=size == 487 and len(offered) == 2148,
        reason=PAPER_IN_ERROR if mixed else NOT_FOUND,
        note=f"{size_of_all} is the size of the front of all {len(everyone):,} rows, {len(offered):,} the number of "
        "models that the hub offers: the paper mixes two populations."
        if mixed
        else "",
    )


@claim("copa-fig1-half")
def among_the_best_at_half(choice: Selection) -> Finding:
    """Whether the model selected at α = 1/2 is among the best 18% in both objectives."""
    shares = _shares_better(choice)
    return Finding(
        found=f"{choice.best}: {100 * shares[CO2]:.1f}% of the models are better in CO₂, "
        f"{100 * shares[AVERAGE_SCORE]:.1f}% in the average score",
        ours=f"{100 * shares.max():.1f}%",
        holds=bool(round(float(shares.max()), 2) <= 0.18),
    )


@claim("copa-fig1-others")
def others_stay_at_one_end(paths: Mapping[str, Navigation]) -> Finding:
    """Whether each normalization but ranks sends more than half of all α to the fifth at one end of the front."""
    _, others = _by_ranks(paths)
    places = {title: path.places for title, path in others.items()}
    at_one_end = {title: max((place <= 0.2).mean(), (place >= 0.8).mean()) for title, place in places.items()}
    at_half = {title: path.frame.loc[path.at(0.5), CO2] for title, path in others.items()}
    return Finding(
        found="; ".join(
            f"{title}: {percent(share)} of α select a model in the fifth at one end of the front; at α = 1/2 it emits "
            f"{number(at_half[title], 2)} kg"
            for title, share in at_one_end.items()
        ),
        ours=f"at least {percent(min(at_one_end.values()))} of α",
        holds=bool(min(at_one_end.values()) > 0.5),
    )


def models_by_ranks(path: Navigation) -> pd.DataFrame:
    """Return, of a path in two objectives, each model's ``u1`` and ``1 - u2``, and whether it is on the front."""
    names = path.matrix.objectives.names
    first, second = sorted(names, key=lambda name: name != path.objective)
    ranks = path.frame.moo(dict(path.matrix.objectives.directions)).normalize()
    on_front = np.zeros(len(ranks), dtype=bool)
    on_front[path.front] = True
    return pd.DataFrame({"u1": ranks[first], "1 - u2": 1 - ranks[second], "front": on_front})


def next_to_the_ray(path: Navigation) -> pd.Series:
    """Return, for each α, whether the model selected is next to where α u₁ = (1 − α) u₂ crosses the front."""
    ranks = models_by_ranks(path)
    front = ranks.loc[ranks["front"], ["u1", "1 - u2"]].drop_duplicates().sort_values("u1").to_numpy()
    chosen = ranks[["u1", "1 - u2"]].to_numpy()[path.positions]
    next_to = []
    for importance, point in zip(path.path.index, chosen, strict=True):
        beyond = importance * front[:, 0] >= (1 - importance) * (1 - front[:, 1])
        first = int(beyond.argmax()) if beyond.any() else len(front) - 1
        next_to.append(bool((front[max(first - 1, 0) : first + 1] == point).all(axis=1).any()))
    return pd.Series(next_to, index=path.path.index)


@claim(
    "copa-rank-ray",
    says="In ranks the weight is a direction: with p = ∞, α selects a model next to the point where the ray "
    "α u₁ = (1 − α) u₂ crosses the front",
)
def ranks_make_the_weight_a_direction(path: Navigation) -> Finding:
    """Whether every α selects one of the two models of the front that the ray passes between."""
    next_to, ranks = next_to_the_ray(path), models_by_ranks(path)
    agreement = ranks["u1"].corr(ranks["1 - u2"], method="spearman")
    return Finding(
        found=f"{int(next_to.sum())} of {len(next_to)} values of α select a model next to the ray; over all "
        f"{len(ranks):,} models, Spearman's correlation of u₁ and 1 − u₂ is {agreement:.2f}",
        holds=bool(next_to.all()),
        tolerance="every α",
    )


def flat_stretch_answer(paths: Mapping[str, Navigation], importance: float) -> Answer:
    """How evenly the normalizations cover the front, and where they lead at one weight."""
    evenness = pd.Series({title: path.evenness for title, path in paths.items()}).sort_values(ascending=False)
    leads = _leads_to(paths, importance)
    by_ranks = next(title for title, path in paths.items() if path.normalize == "cdf")
    nearest = (leads - FLAT).abs().idxmin()
    other = f"; {nearest} leads closer to it, to {leads[nearest]:.3f}" if nearest != by_ranks else ""
    where = "near" if abs(leads[by_ranks] - FLAT) <= NEAR_FLAT else "far from"
    by_evenness = [f"{value:.2f} ({title})" for title, value in evenness.items()]
    return Answer(
        f"{evenness.index[0]} covers the front most evenly; ranks lead {where} the flat stretch",
        [
            f"α = {importance:g} leads to {_in_words(leads)}. The flat stretch is around y₁ = {FLAT:g}{other}.",
            f"The evenness is {listing(by_evenness)}; it is 1 if equal steps of α are equal steps along "
            "the front. Without normalization, y₂ dominates the choice because it is larger by an order of magnitude.",
        ],
        question="Does the slider reach the whole front, and does its middle lead to the flat stretch, where the "
        "compromise is?",
        certainty=f"{len(paths[by_ranks].frame):,} points drawn from the paper's curve. Ranks do not depend on the "
        "scale of the objectives; the other normalizations do.",
    )


def _leads_to(paths: Mapping[str, Navigation], importance: float) -> pd.Series:
    """Return y₁ of the point that each path selects at one α."""
    return pd.Series({title: path.frame[Y1][path.at(importance)] for title, path in paths.items()})


def _in_words(leads: pd.Series) -> str:
    return listing(f"y₁ = {y1:.3f} ({title})" for title, y1 in leads.items())


@claim("copa-fig2-naive")
def naive_stays_at_one_end(path: Navigation) -> Finding:
    """Whether, without normalization, the point with the best y₂ is selected at every α below 0.75."""
    moved = path.path.index[path.path[Y2] > path.frame[Y2].min()]
    if not len(moved):
        return Finding(found="the choice never changes", ours="at every α", holds=True)
    return Finding(
        found=f"the point with the best y₂ is selected up to α = {moved[0]:.2f}, where the choice changes for the "
        "first time",
        ours=f"below {moved[0]:.2f}",
        holds=bool(moved[0] >= 0.75),
    )


@claim("copa-fig2-flat")
def ranks_lead_to_the_flat_stretch(paths: Mapping[str, Navigation]) -> Finding:
    """Whether ranks lead α = 1/2 to a point near y₁ = 0.1."""
    path, _ = _by_ranks(paths)
    point = path.frame.loc[path.at(0.5)]
    return Finding(
        found=f"y₁ = {point[Y1]:.3f}, y₂ = {point[Y2]:.2f}",
        ours=f"{point[Y1]:.3f}",
        holds=bool(abs(point[Y1] - FLAT) <= NEAR_FLAT),
    )


@claim("copa-fig2-only")
def only_ranks_navigate_the_front(paths: Mapping[str, Navigation]) -> Finding:
    """Whether equal steps of α are nearly equal steps along the front with ranks, and with no other normalization."""
    evenness = pd.Series({title: path.evenness for title, path in paths.items()}).sort_values(ascending=False)
    even = [title for title, value in evenness.items() if value >= EVEN]
    leads = _leads_to(paths, 0.5)
    near = [str(title) for title, y1 in leads.items() if abs(y1 - FLAT) <= NEAR_FLAT]
    return Finding(
        found=f"evenness {listing(f'{value:.2f} ({title})' for title, value in evenness.items())}; α = 1/2 leads to "
        f"{_in_words(leads)}",
        ours=f"evenness of at least {EVEN:g}: {listing(even) or 'none'}",
        holds=len(even) == 1 and paths[str(even[0])].normalize == "cdf",
        note=f"The middle of the slider is near the flat stretch for {listing(near) or 'none'}: it does not tell the "
        "normalizations apart as the whole path does.",
    )


@claim(
    "copa-fig2-ranks",
    says="On the synthetic front the two ranks add up to about 1, so that the weight of the one is the place along the "
    "front: u₁ ≈ 1 − u₂",
)
def ranks_add_up_to_one(paths: Mapping[str, Navigation]) -> Finding:
    """Whether u₁ and 1 − u₂ are almost equal over all points of the front."""
    ranks = models_by_ranks(_by_ranks(paths)[0])
    apart = float((ranks["u1"] - ranks["1 - u2"]).abs().max())
    agreement = ranks["u1"].corr(ranks["1 - u2"], method="spearman")
    return Finding(
        found=f"largest difference of u₁ and 1 − u₂ over {len(ranks):,} points {apart:.3f}; Spearman's correlation "
        f"{agreement:.3f}",
        ours=f"within {apart:.2f}",
        holds=apart <= _NEARLY_ONE,
        tolerance=f"within {_NEARLY_ONE:g} at every point",
    )


@claim("copa-synthetic-shape")
def synthetic_front_rises(points: pd.DataFrame) -> Finding:
    """Whether y₂ rises with y₁ except between 0.083 and 0.091, and runs from 0.5 to 3.0."""
    grid = np.linspace(points[Y1].min(), points[Y1].max(), 20001)
    rises = np.diff(synthetic_curve(grid)) > 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], rises.astype(int), [0]))))
    stretches = [f"[{', '.join(told_apart(grid[a], grid[b]))}]" for a, b in zip(edges[::2], edges[1::2], strict=True)]
    outside = (grid[:-1] < 0.083) | (grid[:-1] > 0.091)
    low, high = points[Y2].min(), points[Y2].max()
    return Finding(
        found=f"the curve rises only on {listing(stretches)} and falls elsewhere; y₂ spans [{low:.2f}, {high:.2f}]",
        ours=f"rises on {percent(float(rises[outside].mean()))} of the rest; y₂ from {low:.1f} to {high:.1f}",
        holds=bool(rises[outside].all() and round(low, 1) == 0.5 and round(high, 1) == 3.0),
        reason=PAPER_IN_ERROR,
        note="The paper must mean strictly decreasing, because a front of two minimized objectives cannot increase. "
        f"With y₂ shifted down by another 0.46, it would run from {low - 0.46:.1f} to {high - 0.46:.1f}, the printed "
        "range.",
    )


def spread_by_order(paths: Mapping[str, Navigation]) -> pd.DataFrame:
    """Return how many points each path selects, how evenly, and how often at the ends of the front."""
    rows = {
        title: {
            "points selected": path.n_distinct,
            "evenness": path.evenness,
            OUTER_TENTHS: _share_at_the_ends(path),
        }
        for title, path in paths.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("order")


def _share_at_the_ends(path: Navigation) -> float:
    """Return the share of α that selects in the outer tenths of the front."""
    places = path.places
    return float(((places <= 0.1) | (places >= 0.9)).mean())


def orders_answer(paths: Mapping[str, Navigation]) -> Answer:
    """How many points the slider reaches with the first and the last order of the norm."""
    spread = spread_by_order(paths)
    low, high = spread.index[0], spread.index[-1]
    at_ends, path = spread[OUTER_TENTHS].map(percent), paths[low]
    return Answer(
        f"With {low} the slider visits {spread['points selected'].iloc[0]} points, with {high} "
        f"{spread['points selected'].iloc[-1]}",
        [
            f"With {low}, {at_ends[low]} of the α values lead to the outer tenths of the front; with {high}, "
            f"{at_ends[high]} do. With even steps it would be 20%.",
        ],
        question="Which points of a front can be chosen by weighting the objectives, depending on the order p?",
        certainty=f"{len(path.frame):,} points drawn from the paper's curve, {len(path.path)} values of α.",
    )


@claim("copa-fig3-p1")
def sum_stays_at_the_ends(total: Navigation, worst: Navigation) -> Finding:
    """Whether p = 1 selects ends of the front at nearly every α, and p = ∞ more points and more evenly."""
    share, share_of_worst = _share_at_the_ends(total), _share_at_the_ends(worst)
    return Finding(
        found=f"p = 1: {percent(share)} of α at the outer tenths of the front, {total.n_distinct} points, evenness "
        f"{total.evenness:.2f}; p = ∞: {percent(share_of_worst)}, {worst.n_distinct} points, evenness "
        f"{worst.evenness:.2f}",
        ours=f"{percent(share)} of α at the ends",
        holds=bool(share > 0.8 and worst.evenness > total.evenness and worst.n_distinct > total.n_distinct),
    )
