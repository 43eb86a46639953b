"""A simulated Open LLM Leaderboard, for machines without a network.

Nothing here is a model's result. The ingredients in ``tables/`` are statistics that were computed from
the public file (``experiments/leaderboard_ingredients.py``); the rows are drawn from them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from copa_nb.datasets.bundle import load_bundled

_SEED = 20250114
_BENCHMARKS = ["ifeval", "bbh", "math", "gpqa", "musr", "mmlu_pro"]
COPULA_COLUMNS = [*_BENCHMARKS, "co2_kg", "params_b"]

# Questions in each benchmark and the score of guessing: the real scores lie on these grids.
_GRIDS = {"math": (1324, 0.0), "gpqa": (1192, 0.25), "mmlu_pro": (12032, 0.1)}
_SHARES_OF_TYPES = {
    "fine-tuned": 0.39,
    "merged": 0.30,
    "chat": 0.22,
    "pretrained": 0.07,
    "continuously pretrained": 0.02,
}
_N_BASES = 40


def simulate_leaderboard(rng: int | np.random.Generator = _SEED) -> pd.DataFrame:
    """Draw a table with the size, quantiles and rank correlations of the leaderboard.

    Within each band of models (available or not, and a fifth of them by average score) the columns are
    drawn from a Gaussian copula with the band's rank correlations and the band's quantiles. Scores are
    then put on the grid of the benchmark's questions, which restores the ties.

    Parameters
    ----------
    rng : int or numpy.random.Generator
        The default seed is that of the stand-in everybody gets.

    Returns
    -------
    DataFrame
        2,929 rows, 2,148 of them ``available``, indexed by invented names ``stand-in/model-0001`` and so
        on. Columns: ``name``, ``average``, the six benchmarks, ``co2_kg``, ``params_b``, ``type``,
        ``precision``, ``architecture``, ``base_model``, ``available``.

    Notes
    -----
    Measured on the available models, stand-in against real: the Kolmogorov distance of each objective is
    below 0.03, Spearman correlations among the objectives differ by at most 0.05, GPQA has 182 against 190
    distinct values and MATH 429 against 441, the front of seven objectives has 351 against 409 rows
    and that of CO2 and average 25 against 30. Ties of IFEval and MuSR are not reproduced (2,144 and 2,143
    distinct values against 1,971 and 1,702). One copula for all models would give a front of about
    120 rows: the bands keep the trade-offs among models of similar quality. What the simulation does not
    know: families of fine-tunes that share a base, and how size, type and architecture go together.

    Examples
    --------
    >>> table = simulate_leaderboard()
    >>> len(table), int(table["available"].sum()), table.index[41]
    (2929, 2148, 'stand-in/model-0042')
    """
    generator = np.random.default_rng(rng)
    quantiles = load_bundled("leaderboard_quantiles")
    correlations = load_bundled("leaderboard_correlations")
    parts = []
    for band, of_band in quantiles.groupby("band", sort=True):
        correlation = correlations.loc[correlations["band"] == band, COPULA_COLUMNS].to_numpy()
        n_rows = int(of_band["n_models"].iloc[0])
        part = _draw(of_band, correlation, n_rows, generator)
        part["available"] = bool(of_band["available"].iloc[0])
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    # Without shuffling, the number in a model's name would tell its band.
    table = table.iloc[generator.permutation(len(table))].reset_index(drop=True)
    return _describe_rows(table, generator)


def _draw(
    quantiles: pd.DataFrame, correlation: np.ndarray, n_rows: int, generator: np.random.Generator
) -> pd.DataFrame:
    factor = np.linalg.cholesky(correlation)
    ranks = stats.norm.cdf(generator.standard_normal((n_rows, len(factor))) @ factor.T)
    columns = {}
    for k, name in enumerate(COPULA_COLUMNS):
        values = np.interp(ranks[:, k], quantiles["probability"], quantiles[name])
        columns[name] = _on_grid(values, *_GRIDS[name]) if name in _GRIDS else values.round(6)
    return pd.DataFrame(columns)


def _on_grid(score: np.ndarray, n_questions: int, guessing: float) -> np.ndarray:
    """Nearest score that a whole number of right answers gives; below guessing counts as 0."""
    share = score / 100 * (1 - guessing) + guessing
    right = np.round(share * n_questions) / n_questions
    return np.maximum((right - guessing) / (1 - guessing) * 100, 0).round(6)


def _describe_rows(table: pd.DataFrame, generator: np.random.Generator) -> pd.DataFrame:
    n_rows = len(table)
    table["name"] = [f"stand-in/model-{number:04d}" for number in range(1, n_rows + 1)]
    table["average"] = table[_BENCHMARKS].mean(axis=1).round(6)
    types = list(_SHARES_OF_TYPES)
    table["type"] = generator.choice(types, n_rows, p=list(_SHARES_OF_TYPES.values()))
    table["precision"] = generator.choice(["bfloat16", "float16"], n_rows, p=[0.76, 0.24])
    table["architecture"] = "StandInForCausalLM"
    size_rank = table["params_b"].rank(method="first").to_numpy() - 1
    base = (size_rank * _N_BASES // n_rows).astype(int) + 1
    table["base_model"] = [f"stand-in/base-{number:02d}" for number in base]
    described = ["name", "average", *COPULA_COLUMNS, "type", "precision", "architecture", "base_model", "available"]
    return table[described].set_index(pd.Index(table["name"], name="model"))
