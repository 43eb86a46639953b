"""How many items would settle a comparison of two systems, from a table of a pilot."""

from __future__ import annotations

__all__ = ["items_needed"]

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.comparisons.compare_systems import compare_systems
from copa_nb.comparisons.planning import ItemsNeeded, plan_items
from copa_nb.docstrings import shared_parameters
from copa_nb.results.citing import of_paper
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike


@of_paper("boyi2026significance")
@any_frame
@shared_parameters
def items_needed(
    frame: pd.DataFrame,
    *,
    new: Hashable,
    baseline: Hashable,
    system: Any,
    item: Any,
    cluster: Any = None,
    repeat: Any = None,
    known: Any = None,
    margin: Mapping[Hashable, float] | None = None,
    effect: Mapping[Hashable, float] | None = None,
    verdict: str | None = None,
    power: float = 0.8,
    objectives: ObjectivesLike = None,
    alpha: float = 0.05,
    nan_policy: str = "raise",
    rng: int | np.random.Generator | None = 0,
) -> ItemsNeeded:
    """Find how many items would settle a comparison of two systems.

    Correlations between objectives are those of a pilot, and so are variances and shares of items on which the systems
    differ, which count with their upper 80% confidence limits [2]_. Comparisons of other sizes are simulated with them,
    by the tests that :func:`copa_nb.compare_systems` runs.

    Parameters
    ----------
    frame : DataFrame
        The pilot: one row for each system and item, or for each repetition of an item.
    new, baseline, system, item, cluster, repeat, known, margin
        See :func:`copa_nb.compare_systems`.
    effect : mapping of objective to number, optional
        True differences to plan for, new less baseline, in the objectives' own units; those measured where left out.
    verdict : str, optional
        The verdict that is wanted, such as "dominates" or "better"; any but "undecided" by default.
    power : float
        Probability that the comparison is settled.
    %(objectives)s
    alpha, nan_policy
        See :func:`copa_nb.compare_systems`.
    %(rng)s

    Returns
    -------
    ItemsNeeded

    Raises
    ------
    %(gate_errors)s
    ValueError
        As :func:`copa_nb.compare_systems`; for effects of no objective, unknown verdicts, and powers outside 0 to 1.

    See Also
    --------
    compare_systems : The comparison itself.
    copa_nb.HypervolumeTest.needed : The number of runs for a test of hypervolumes.

    References
    ----------
    .. [1] R. J. Connor, "Sample Size for Testing Differences in Proportions for the Paired-Sample Design",
       Biometrics 43 (1987), https://doi.org/10.2307/2531961.
    .. [2] R. H. Browne, "On the use of a pilot sample for sample size determination", Statistics in Medicine 14 (1995),
       https://doi.org/10.1002/sim.4780141709.

    Examples
    --------
    >>> import numpy as np, pandas as pd, copa_nb
    >>> rng = np.random.default_rng(0)
    >>> log = pd.DataFrame([(agent, task, float(rng.random() < skill)) for agent, skill in (("old", 0.6), ("new", 0.7))
    ...                     for task in range(100)], columns=["agent", "task", "correct"])
    >>> plan = copa_nb.items_needed(log, new="new", baseline="old", system="agent", item="task",
    ...     objectives={"correct": "max"}, effect={"correct": 0.1})
    >>> 300 < plan.n_items < 450
    True
    """
    found = compare_systems(
        frame, new=new, baseline=baseline, system=system, item=item, cluster=cluster, repeat=repeat, known=known,
        margin=margin, objectives=objectives, alpha=alpha, nan_policy=nan_policy,
    )  # fmt: skip
    return plan_items(found, power=power, effect=effect, verdict=verdict, rng=rng)
