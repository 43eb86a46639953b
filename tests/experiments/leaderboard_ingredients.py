"""Fit what the simulated leaderboard is drawn from: quantiles and correlations per band of models.

Run ``python -m tests.experiments.leaderboard_ingredients`` with the public file at hand; it
writes ``leaderboard_quantiles.csv`` and ``leaderboard_correlations.csv`` into the package's tables.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb.datasets.bundle import FOLDER
from copa_nb.datasets.leaderboard import COPULA_COLUMNS, load_open_llm_leaderboard

N_FIFTHS = 5
PROBABILITIES = np.round(np.linspace(0, 1, 101), 2)
_SMALLEST_EIGENVALUE = 1e-3


def fit_ingredients(models: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute quantiles and Gaussian-copula correlations of each band.

    Parameters
    ----------
    models : DataFrame
        The leaderboard with ``available=False`` (all rows).

    Returns
    -------
    quantiles : DataFrame
        One row per band and probability; columns ``band``, ``available``, ``n_models``, ``probability`` and the
        values.
    correlations : DataFrame
        One row per band and column.
    """
    quantiles, correlations = [], []
    for available in (True, False):
        population = models[models["available"] == available]
        fifths = pd.qcut(population["average"], N_FIFTHS, labels=False)
        for fifth, band in population[COPULA_COLUMNS].groupby(fifths):
            label = f"{'available' if available else 'not available'} {int(fifth) + 1}"
            table = band.quantile(PROBABILITIES).round(4).rename_axis("probability").reset_index()
            table.insert(0, "band", label)
            table.insert(1, "available", available)
            table.insert(2, "n_models", len(band))
            quantiles.append(table)
            matrix = pd.DataFrame(gaussian_correlation(band).round(4), columns=COPULA_COLUMNS)
            matrix.insert(0, "band", label)
            matrix.insert(1, "column", COPULA_COLUMNS)
            correlations.append(matrix)
    return pd.concat(quantiles, ignore_index=True), pd.concat(correlations, ignore_index=True)


def gaussian_correlation(band: pd.DataFrame) -> np.ndarray:
    """Correlation of the normal variables whose ranks correlate as the columns of `band` do.

    Parameters
    ----------
    band : DataFrame, shape (n, k)
        Missing values are left out pair by pair.

    Returns
    -------
    ndarray, shape (k, k)
        Positive definite, ones on the diagonal: 2 sin(pi rho / 6) of Spearman's rho, with eigenvalues
        lifted where that is not positive definite.
    """
    raw = 2 * np.sin(np.pi / 6 * band.corr("spearman").to_numpy())
    eigenvalues, vectors = np.linalg.eigh(raw)
    lifted = vectors * np.clip(eigenvalues, _SMALLEST_EIGENVALUE, None) @ vectors.T
    scale = np.sqrt(np.diag(lifted))
    return lifted / np.outer(scale, scale)


def main() -> None:
    """Write both tables."""
    quantiles, correlations = fit_ingredients(load_open_llm_leaderboard("real", available=False))
    quantiles.to_csv(FOLDER / "leaderboard_quantiles.csv", index=False, lineterminator="\n")
    correlations.to_csv(FOLDER / "leaderboard_correlations.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
