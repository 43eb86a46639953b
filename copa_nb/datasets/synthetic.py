"""The synthetic front of COPA's second and third figures."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import describe

Y1_RANGE = (0.02, 0.2)


def synthetic_front(n: int = 1000, rng: int | np.random.Generator | None = 0) -> pd.DataFrame:
    """Draw points of the synthetic trade-off of COPA, section 5.1.

    ``y1`` is uniform on [0.02, 0.2] and ``y2 = 0.25 cos(39 y1^0.85) - log(y1) - 0.46``.

    Parameters
    ----------
    n : int
        Number of points.
    rng : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    DataFrame of shape (n, 2)
        Columns ``y1`` and ``y2``, both objectives with direction "min", sorted by ``y1``; the index
        ``model`` counts from 0.

    Raises
    ------
    ValueError
        If `n` is not a whole number of at least 1.

    Notes
    -----
    The curve falls steeply, has a flat part around ``y1 = 0.1`` and falls again. Between 0.0831 and 0.0916 it rises by
    0.0015, so points from there up to 0.0960 are dominated. So are the last ones, above 0.1997, by 0.00001. ``y2``
    spans [0.93, 3.49].

    The formula is that of COPA, section 5.1. Two statements of the paper do not match it: the paper calls the front
    strictly increasing outside [0.083, 0.091], where it decreases, and gives [0.5, 3.0] as the range of ``y2``. Shifted
    down by another 0.46, ``y2`` spans [0.47, 3.03], the printed range, which the authors' program probably draws.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> front = datasets.synthetic_front(5, rng=0)
    >>> front.round(3)["y1"].tolist()
    [0.023, 0.027, 0.069, 0.135, 0.166]
    >>> front.attrs["moo"]["objectives"]
    {'y1': 'min', 'y2': 'min'}
    """
    n = checks.integer("n", n)
    y1 = np.sort(checks.generator(rng).uniform(*Y1_RANGE, size=n))
    frame = pd.DataFrame({"y1": y1, "y2": synthetic_curve(y1)}, index=pd.RangeIndex(n, name="model"))
    return describe(
        frame,
        objectives={"y1": "min", "y2": "min"},
        name="synthetic_front",
        kind="simulated",
        origin="COPA, section 5.1: y₂ = 0.25 cos(39 y₁^0.85) − log(y₁) − 0.46",
        license="BSD-3-Clause",
    )


def synthetic_curve(y1: np.ndarray) -> np.ndarray:
    """Second objective of the synthetic trade-off as a function of the first.

    Parameters
    ----------
    y1 : ndarray
        Values in [0.02, 0.2].

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> from copa_nb import datasets
    >>> datasets.synthetic_curve(np.array([0.02, 0.2])).round(2)
    array([3.49, 0.93])
    """
    return 0.25 * np.cos(39 * y1**0.85) - np.log(y1) - 0.46
