"""What COPA minimizes: weights, the order of the norm, and the scale on which objectives are compared."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from copa_nb import checks, text
from copa_nb.ranking.arrays.ranks import Placed, shares_and_rank_sums
from copa_nb.ranking.normalize import HOW, ReferenceLike, fit_normalizer
from copa_nb.ranking.populations import Reference, tie_keys
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives

# From this many rows on, shares of better rows tell more than ranks.
WORTH_SHARES = 100

WeightsLike: TypeAlias = "Mapping[str, float] | Mapping[Hashable, float] | Sequence[float] | None"


@dataclass(frozen=True, eq=False)
class Criterion:
    """Weighted p-norm of comparable objectives (COPA, equations 10 and 11), as the arguments of a verb describe it.

    Parameters
    ----------
    weights : ndarray of float64, shape (k,)
        Weights of the objectives, in their order; they sum to 1.
    p : float
        Order of the norm, from 1 to infinity.
    normalize : str
        How objectives are made comparable; see ``df.moo.normalize()``.
    reference : Reference, row label or None
        Frozen population, or the baseline row of "relative".
    """

    weights: np.ndarray
    p: float
    normalize: str
    reference: ReferenceLike

    @classmethod
    def of(
        cls,
        objectives: Objectives,
        p: float | str = "inf",
        weights: WeightsLike = None,
        normalize: str = "cdf",
        reference: ReferenceLike = None,
    ) -> Criterion:
        """Check the arguments of a verb; see ``df.moo.copa()``."""
        checks.one_of("normalize", normalize, HOW, meanings={"cdf": "ranks"})
        return cls(resolve_weights(objectives, weights), resolve_p(p), normalize, reference)

    def place(
        self, matrix: ObjectiveMatrix, rows: np.ndarray | None = None, population: ObjectiveMatrix | None = None
    ) -> tuple[Placed, np.ndarray]:
        """Put rows of a table on the common scale, and find what breaks their ties; ranks are counted once for both.

        Parameters
        ----------
        matrix : ObjectiveMatrix
            The table that better rows are counted in.
        rows : ndarray of int64, shape (m,), optional
            Which rows; all of them if omitted.
        population : ObjectiveMatrix, optional
            The table that the scale is taken from; `matrix` if omitted.

        Returns
        -------
        placed : ndarray of float64 or RankShares, shape (m, k)
            Those rows on the common scale.
        rank_sums : ndarray of int64, shape (m,)
            How many rows of the table are strictly better, summed over objectives; with a frozen population, what
            :func:`copa_nb.ranking.populations.tie_keys` gives.
        """
        values = matrix.values
        if rows is not None and len(rows) < len(values):
            values = np.take(values.T, rows, axis=1).T
        if self.normalize == "cdf" and self.reference is None and population is None:
            return shares_and_rank_sums(values, matrix.values)
        scale = fit_normalizer(matrix if population is None else population, self.normalize, self.reference)
        return scale(values), tie_keys(values, matrix.values, self.frozen(matrix.objectives))

    def frozen(self, objectives: Objectives) -> np.ndarray | None:
        """Costs of the frozen population, if there is one."""
        return self.reference.population(objectives) if isinstance(self.reference, Reference) else None

    def population_size(self, matrix: ObjectiveMatrix) -> int:
        """Rows that the ranks of a table are taken over."""
        return len(self.reference.values if isinstance(self.reference, Reference) else matrix.values)

    def named_weights(self, objectives: Objectives) -> dict[Hashable, float]:
        """Weight by objective."""
        return dict(zip(objectives, self.weights.tolist(), strict=True))


def resolve_weights(objectives: Objectives, weights: WeightsLike) -> np.ndarray:
    """Turn the weights that the user gives into one weight per objective, summing to 1.

    Parameters
    ----------
    objectives : Objectives
        Names in order.
    weights : mapping, sequence or None
        None gives equal weights. A mapping that names every objective, or a sequence with one number each, is
        scaled to sum 1. A mapping that names only some gives their shares of 1; the rest is split evenly
        over the others (the paper's [α, (1 - α)/6, ...]).

    Returns
    -------
    ndarray of float64, shape (k,)

    Raises
    ------
    ValueError
        For negative, infinite or all-zero weights, unknown names, a wrong count, or shares above 1.

    Examples
    --------
    >>> objectives = Objectives.of({"accuracy": "max", "co2_kg": "min", "latency_ms": "min"})
    >>> resolve_weights(objectives, {"co2_kg": 0.5})
    array([0.25, 0.5 , 0.25])
    >>> resolve_weights(objectives, [2, 1, 1])
    array([0.5 , 0.25, 0.25])
    """
    count = len(objectives)
    if weights is None:
        return np.full(count, 1.0 / count)
    if isinstance(weights, Mapping):
        return _from_mapping(objectives, weights)
    if isinstance(weights, str) or not isinstance(weights, Sequence | np.ndarray):
        raise TypeError(
            f"{checks.called('weights')} must map objectives to numbers, e.g. {{{objectives.names[0]!r}: 0.5}}, not "
            f"{type(weights).__name__}."
        )
    if len(weights) != count:
        raise ValueError(
            f"{checks.called('weights')} has {len(weights)} numbers for {count} objectives; give one each, or a "
            "mapping."
        )
    return _scaled([_weight(name, value) for name, value in zip(objectives, weights, strict=True)])


def resolve_p(p: float | str) -> float:
    """Read the order of the norm: a number from 1, or "inf".

    Examples
    --------
    >>> resolve_p("inf"), resolve_p(2), resolve_p("4")
    (inf, 2.0, 4.0)
    """
    try:
        if isinstance(p, bool):
            raise TypeError
        order = float(p)
    except (TypeError, ValueError):
        order = math.nan
    if not order >= 1:
        raise ValueError(f'{checks.called("p")} is {p!r}; it must be a number of at least 1, or "inf".')
    return order


def write_p(p: float) -> str:
    """Write the order of a norm for people: "2", "1.5", "∞"."""
    return "∞" if math.isinf(p) else f"{p:g}"


def write_share(share: float) -> str:
    """Write a share of rows that are better: "none", "0.1%", "18%"; never "100%" of less than all.

    Examples
    --------
    >>> write_share(0.0), write_share(0.001), write_share(0.176), write_share(0.998)
    ('none', '0.1%', '18%', 'more than 99%')
    """
    if share == 0:
        return "none"
    if 0.995 <= share < 1:
        return "more than 99%"
    return f"{100 * share:.0f}%" if share >= 0.01 else f"{100 * share:.1g}%"


def write_place(share: float, population_size: int) -> str:
    """Write the place of a row in its table: its rank in a small one, the share of better rows in a large one.

    Examples
    --------
    >>> write_place(0.2, 5), write_place(0.18, 2148), write_place(0.0, 2148)
    ('2nd of 5', '18% are better', 'none are better')
    """
    if population_size < WORTH_SHARES:
        return f"{text.ordinal(round(share * population_size) + 1)} of {population_size}"
    return f"{write_share(share)} are better"


def _from_mapping(objectives: Objectives, weights: Mapping[Hashable, float] | Mapping[str, float]) -> np.ndarray:
    shares = np.full(len(objectives), np.nan)
    for name, value in weights.items():
        shares[objectives.position(name, "weights", verb="names")] = _weight(name, value)
    missing = np.isnan(shares)
    if not missing.any():
        return _scaled(list(shares))
    total = float(np.nansum(shares))
    if total > 1 + 1e-12:
        raise ValueError(
            f"{checks.called('weights')} gives shares that sum to {total:g} and leaves out "
            f"{checks.listed([name for name, left_out in zip(objectives, missing, strict=True) if left_out])}; "
            "shares of only some objectives must sum to at most 1, or name all objectives with any positive numbers."
        )
    shares[missing] = max(1.0 - total, 0.0) / missing.sum()
    return shares


def _weight(name: Hashable, value: object) -> float:
    number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(
            f"{checks.called('weights')} gives {value!r} for {name!r}; a weight is a finite number of at least 0."
        )
    return number


def _scaled(weights: list[float]) -> np.ndarray:
    total = math.fsum(weights)
    if total <= 0:
        raise ValueError(f"{checks.called('weights')} are all zero; at least one objective must count.")
    return np.array(weights) / total
