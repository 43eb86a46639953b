"""Rare large losses that a sample may have missed, where two systems agree on most items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from copa_nb import text
from copa_nb.comparisons.arrays.uncertainty import Uncertainty
from copa_nb.comparisons.measurements import Measurements
from copa_nb.results.guarantee import Caveat
from copa_nb.results.sentences import part, say

# Two systems agree on an item if their scores differ by at most this share of the possible range.
_AGREE = 0.05
_UNSEEN = 0.05


@dataclass(frozen=True)
class Decided:
    """A mean difference that is decided.

    Parameters
    ----------
    position : int
        Number of the objective.
    differences : ndarray, shape (n_items,)
        Between two systems, on all items.
    distance : float
        From their mean to the limit that it keeps.
    """

    position: int
    differences: np.ndarray
    distance: float


def losses_on_items(read: Measurements, system: int, than: int, position: int) -> np.ndarray:
    """By how much a system costs more than another one on each item; NaN where one of them has no value."""
    assert read.items is not None
    of_items = read.items[..., position].mean(axis=1)
    losses: np.ndarray = of_items[:, system] - of_items[:, than]
    return losses


def decided_within(
    read: Measurements, measured: Uncertainty, system: int, than: int, margins: np.ndarray
) -> Iterator[Decided]:
    """How far the mean losses of a system against another one are from the margins, in every objective."""
    if read.items is not None:
        for position, distance in enumerate(np.abs(measured.below(than, margins)[:, system]).tolist()):
            yield Decided(position, losses_on_items(read, system, than, position), distance)


def caveats_of_rare_losses(read: Measurements, decided: Iterable[Decided]) -> list[Caveat]:
    """Warn of what a loss as large as possible would undo, on so few items that none of them may be in the sample.

    On a share ``distance / range`` of the items, such a loss moves the mean to its limit; n items have none of these
    with a probability of ``(1 - share)**n``. Right and wrong answers have tests that allow for what was not seen, and
    so has a declared range.

    Parameters
    ----------
    read : Measurements
        Scores on items.
    decided : iterable of Decided
        What the scores show.
    """
    worst: dict[int, tuple[float, float, float]] = {}
    n_units = read.n_units()
    for one in decided:
        largest = _range_of(read, one.position)
        differences = one.differences[~np.isnan(one.differences)]
        if largest == 0 or np.median(np.abs(differences)) > _AGREE * largest:
            continue
        share = min(one.distance / largest, 1.0)
        unseen = (1 - share) ** n_units
        if unseen > max(_UNSEEN, worst.get(one.position, (0.0,))[0]):
            worst[one.position] = unseen, share, largest
    counted = {"items": text.plural(read.item, "items"), "units": read.units, "n": n_units}
    found = []
    for position, (unseen, share, largest) in sorted(worst.items()):
        name = read.objectives.names[position]
        rare = part("caveats.details.rare_losses", objective=text.spoken(name), loss=largest, share=share,
                    unseen=unseen, **counted)  # fmt: skip
        found.append(Caveat("rare_losses", say(rare), (name,)))
    return found


def _range_of(read: Measurements, position: int) -> float:
    """How large a loss may be: 1 for shares, otherwise as large as scores differ; 0 where tests allow for any."""
    assert read.items is not None
    name = read.objectives.names[position]
    values = read.items[..., position]
    values = values[~np.isnan(values)] * read.objectives.signs[position]
    if name in read.known or name in read.ranges or read.has_two_values(position):
        return 0.0
    is_share = read.objectives.signs[position] < 0 and values.min() >= 0 and values.max() <= 1
    return 1.0 if is_share else float(np.ptp(values))
