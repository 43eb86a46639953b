"""How much the choice depends on the weights: regions of weights, and the change of weights that changes the choice."""

from __future__ import annotations

__all__ = ["sensitivity"]

from typing import Any, overload

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.ranking.criterion import WeightsLike
from copa_nb.ranking.normalize import ReferenceLike
from copa_nb.results.citing import of_paper
from copa_nb.results.grouping import per_group, with_objectives
from copa_nb.results.result import Grouped
from copa_nb.selection.copa import copa
from copa_nb.selection.weight_regions import Sensitivity
from copa_nb.tables.candidates import Where
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike


def _for_all_groups(frame: pd.DataFrame, options: dict[str, Any]) -> dict[str, Any]:
    return with_objectives(frame, options | {"rng": checks.generator(options["rng"])})


@overload
def sensitivity(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, n_weights: int = 10_000,
    rng: int | np.random.Generator | None = 0, by: None = None, nan_policy: str = "raise",
) -> Sensitivity: ...  # fmt: skip
@overload
def sensitivity(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, n_weights: int = 10_000,
    rng: int | np.random.Generator | None = 0, by: Any, nan_policy: str = "raise",
) -> Grouped[Sensitivity]: ...  # fmt: skip
@of_paper("javaloy2025copa")
@any_frame
@per_group(_for_all_groups)
@shared_parameters
def sensitivity(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    n_weights: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    by: Any = None,
    nan_policy: str = "raise",
) -> Sensitivity | Grouped[Sensitivity]:
    """Measure how the choice depends on the weights (those of equations 10 and 11 in [1]_).

    Parameters
    ----------
    %(frame)s
    objectives, p, weights, where, normalize, reference, by, nan_policy
        As in :func:`copa_nb.copa`.
    n_weights : int
        With four objectives or more, weight vectors drawn (uniformly among all) to estimate the shares of
        `regions`. With two they are exact; with three a grid of 10,000 is used.
    %(rng)s

    Returns
    -------
    Sensitivity, or a mapping of group to Sensitivity

    Raises
    ------
    %(gate_errors)s
    ValueError
        For one objective, or normalized values below zero (relative to a row that others beat).

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
    >>> result = models.moo.sensitivity()
    >>> result.regions.loc["medium", ["low", "high"]].tolist()
    [0.5, 0.75]
    >>> round(result.factor, 9), result.rival
    (1.0, 'small')
    >>> result.intervals.loc["accuracy", ["below", "above"]].tolist()
    ['small', 'large']
    """
    selected = copa(
        frame, objectives=objectives, p=p, weights=weights, where=where, normalize=normalize, reference=reference,
        nan_policy=nan_policy,
    )  # fmt: skip
    return Sensitivity.of(selected, n_weights=n_weights, rng=checks.generator(rng))
