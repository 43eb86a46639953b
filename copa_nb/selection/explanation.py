"""A decision in words that a decision maker uses."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import numpy as np

from copa_nb import text
from copa_nb.objectives import Objectives
from copa_nb.selection.arrays.ranks import Placed
from copa_nb.selection.criterion import write_p

_EXAMPLE_SHARE = 0.1


class Decision(Protocol):
    """What has to be known of a decision to put it in words; see :class:`copa_nb.Selection`."""

    @property
    def best(self) -> Hashable:
        """The selected row."""

    @property
    def tied(self) -> list[Hashable]:
        """All rows that share the first place."""

    @property
    def position(self) -> int:
        """Row of `placed` that was selected."""

    @property
    def placed(self) -> Placed:
        """Costs on the common scale."""

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""

    @property
    def weights(self) -> dict[Hashable, float]:
        """Weight by objective."""

    @property
    def p(self) -> float:
        """Order of the norm."""

    @property
    def normalize(self) -> str:
        """Normalisation."""

    @property
    def population_size(self) -> int:
        """Rows that the ranks were taken over."""

    def counts(self) -> tuple[int, int]:
        """How many rows could be chosen, and how many there are."""


def explain_selection(selection: Decision) -> list[str]:
    """Say where the selected row stands and what the weights trade for what.

    Parameters
    ----------
    selection : Decision
        What was chosen, and how.

    Returns
    -------
    list of str
        Sentences: the standing, the trade, the constraint and the ties, as far as each applies.
    """
    sentences = [_standing(selection), *_trade(selection)]
    allowed, n_rows = selection.counts()
    if allowed < n_rows:
        sentences.append(
            f"Only {allowed:,} of {n_rows:,} rows could be chosen under the constraint; ranks are over all rows."
        )
    if len(selection.tied) > 1:
        others = text.listing(map(repr, selection.tied[1:4]))
        more = f" and {len(selection.tied) - 4} more" if len(selection.tied) > 4 else ""
        sentences.append(f"It shares the first place with {others}{more}, which no criterion tells apart.")
    return sentences


def _standing(selection: Decision) -> str:
    row = selection.placed[selection.position]
    names = selection.objectives.names
    if selection.normalize == "cdf":
        parts = [f"the {_top(share)} for {name}" for name, share in zip(names, row, strict=True)]
        return f"{selection.best} ranks in {text.listing(parts)} of {selection.population_size:,} rows."
    values = [f"{text.number(float(value))} for {name}" for name, value in zip(names, row, strict=True)]
    return f"{selection.best} has {selection.normalize} values of {text.listing(values)} (0 is best)."


def _top(share: float) -> str:
    if share == 0:
        return "very top"
    return f"top {text.percent(share)}" if share >= 0.01 else f"top {100 * share:.1g} %"


def _trade(selection: Decision) -> list[str]:
    weights = np.array(list(selection.weights.values()))
    names = selection.objectives.names
    ignored = [str(name) for name, weight in zip(names, weights, strict=True) if weight == 0]
    sentences = []
    if selection.normalize == "cdf" and (weights > 0).sum() > 1:
        # w_j u_j = w_k u_k: equal contributions to the criterion, whatever p is.
        heaviest = int(np.argmax(weights))
        groups: dict[str, list[object]] = {}
        for k in np.flatnonzero(weights > 0):
            share = _EXAMPLE_SHARE * weights[heaviest] / weights[k]
            if k != heaviest:
                groups.setdefault(f"the {_top(share)}" if share < 1 else "any place", []).append(names[k])
        worth = text.listing(
            f"{place} for {'each of ' if len(members) > 1 else ''}{text.listing(members)}"
            for place, members in groups.items()
        )
        sentences.append(
            f"With these weights (p = {write_p(selection.p)}), being in the top {text.percent(_EXAMPLE_SHARE)} for "
            f"{names[heaviest]} is worth as much as {worth}."
        )
    if ignored:
        sentences.append(f"{text.listing(ignored)} had no weight and only broke ties.")
    return sentences
