"""The stability of a choice among the means of systems over their runs, from the table of runs alone."""

from typing import Any

import pandas as pd

from copa_nb.ranking.criterion import Criterion
from copa_nb.selection.stability import Stability, resample_runs
from copa_nb.tables.objectives import to_minimization


def over_runs(
    runs: pd.DataFrame, *, objectives: Any = None, p: Any = "inf", weights: Any = None, where: Any = None,
    normalize: str = "cdf", reference: Any = None, nan_policy: str = "raise", system: Any = None, **options: Any,
) -> Stability:  # fmt: skip
    """Resample runs under the options of `copa` and of the method `stability`."""
    matrix = to_minimization(runs, objectives, nan_policy=nan_policy, reference=reference)
    criterion = Criterion.of(matrix.objectives, p, weights, normalize, reference)
    return resample_runs(matrix, criterion, where, system=system, **options)
