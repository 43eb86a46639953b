"""Embedding models on MTEB: how much of a public leaderboard's ranking is established."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb.claims.findings import Finding, claim
from copa_nb.comparisons.board import Board
from copa_nb.results.answer import Answer
from copa_nb.selection.stability import Stability
from copa_nb.text import label, number, percent

# Share of neighbors that are not separable, of pairs that are, and of tables without some models that choose the same.
MOST_NEIGHBORS, SOME_PAIRS, NEARLY_ALWAYS = 0.9, 0.25, 0.95


def neighbors_by_bootstrap(scores: pd.DataFrame, *, n_resamples: int, seed: int, alpha: float = 0.05) -> pd.DataFrame:
    """Compare each model with the next by a plain paired bootstrap over tasks, adjusted for nothing.

    Parameters
    ----------
    scores : DataFrame
        One row per ``model`` and ``task``, none missing; higher ``score`` is better.
    n_resamples, seed : int
        Resamples of the tasks, and the seed of these.
    alpha : float
        One less the level of each interval by itself.

    Returns
    -------
    DataFrame
        ``model``, the ``next`` one, their ``difference`` of means, the percentile interval from ``low`` to ``high``,
        and whether it excludes 0 (``separable``).
    """
    wide = scores.pivot_table(index="task", columns="model", values="score")
    wide = wide[wide.mean().sort_values(ascending=False, kind="stable").index]
    differences = -np.diff(wide.to_numpy(), axis=1)
    drawn = np.random.default_rng(seed).integers(len(wide), size=(n_resamples, len(wide)))
    counts = np.apply_along_axis(np.bincount, 1, drawn, minlength=len(wide))
    low, high = np.quantile(counts @ differences / len(wide), [alpha / 2, 1 - alpha / 2], axis=0)
    columns = {"difference": differences.mean(axis=0), "low": low, "high": high, "separable": (low > 0) | (high < 0)}
    return pd.DataFrame({"model": wide.columns[:-1], "next": wide.columns[1:]} | columns)


def leaderboard_with_confidence_answer(complete: Board, everyone: Board) -> Answer:
    """How many models may rank first, and how many pairs are ordered."""
    found, first = complete.resolution(), complete.table.index[0]
    n, n_all = len(complete.table), len(everyone.table)
    return Answer(
        f"{len(complete.may_be_first)} of {n} models may rank first",
        [
            f"{percent(found['ordered'] / found['pairs'])} of the pairs of models are ordered.",
            f"{label(first)} has the best mean. Its true rank lies between 1 and {complete.table['high'].iloc[0]}.",
            f"The longest chain of models of which each is significantly ahead of the next has {found['height']:.0f} "
            f"models, and {found['width']:.0f} models are not ordered among themselves. Mean scores that differ by "
            f"less than {number(found['smallest_ordered'])} are never ordered, and all that differ by more than "
            f"{number(found['largest_open'])} are.",
            f"With the models that lack scores, {len(everyone.may_be_first)} of {n_all} may rank first: many of them "
            "have too few tasks in common with others to be behind anyone.",
        ],
        question="How many ranks of a leaderboard are established?",
    )


@claim("mteb-neighbors", says="Almost no two neighbors in the ranking by mean score differ significantly")
def neighbors_are_not_separable(neighbors: pd.DataFrame) -> Finding:
    """At most a tenth of the neighbors, even by intervals that are adjusted for nothing."""
    open_pairs, n = int((~neighbors["separable"]).sum()), len(neighbors)
    return Finding(
        found=f"the bootstrap intervals of {open_pairs} of {n} differences include 0",
        holds=open_pairs >= MOST_NEIGHBORS * n,
        ours=f"{open_pairs} of {n}",
    )


@claim("mteb-order", says="Nevertheless the leaderboard establishes an order of many models that are not neighbors")
def many_pairs_are_ordered(tiers: Board) -> Finding:
    """At least a quarter of all pairs, with one error rate for all of them."""
    n = len(tiers.table)
    pairs = n * (n - 1) // 2
    return Finding(
        found=f"{tiers.n_ordered:,} of {pairs:,} pairs are ordered, in {tiers.table['tier'].max()} tiers",
        holds=tiers.n_ordered >= SOME_PAIRS * pairs,
        ours=f"{tiers.n_ordered:,} of {pairs:,}",
    )


def explain_without(stability: Stability) -> str:
    """Report in how many tables without some of the other models the choice is the same."""
    share = percent(float(stability.share.iloc[stability.best_row]))
    tables = f"{stability.n_resamples:,} tables without {stability.left_out}"
    return f"{label(stability.best)} is chosen in {share} of {tables}"


@claim("mteb-others", says="COPA's choice hardly depends on models that others dominate")
def choice_stays_without_dominated_models(stability: Stability) -> Finding:
    """At least 95 of 100 tables without some of them lead to the same choice."""
    share = float(stability.share.iloc[stability.best_row])
    return Finding(
        found=explain_without(stability),
        holds=share >= NEARLY_ALWAYS,
        ours=percent(share),
    )
