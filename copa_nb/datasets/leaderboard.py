"""The Open LLM Leaderboard: the public file, or a simulated stand-in of the same shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets import registry
from copa_nb.datasets.bundle import describe, load_bundled, stand_in_for

BENCHMARKS = ("ifeval", "bbh", "math", "gpqa", "musr", "mmlu_pro")
OBJECTIVES = {**dict.fromkeys(BENCHMARKS, "max"), "co2_kg": "min"}

_PUBLIC_NAME = "open_llm_leaderboard"
_COLUMNS = {
    "model_name": "name",
    "model_average_score": "average",
    **{f"evaluations_{benchmark}_normalized_score": benchmark for benchmark in BENCHMARKS},
    "metadata_co2_cost": "co2_kg",
    "metadata_params_billions": "params_b",
    "model_type": "type",
    "model_precision": "precision",
    "model_architecture": "architecture",
    "metadata_base_model": "base_model",
    "model_has_chat_template": "chat_template",
    "features_is_not_available_on_hub": "available",
    "features_is_merged": "merged",
    "features_is_moe": "mixture_of_experts",
    "features_is_flagged": "flagged",
    "features_is_official_provider": "official_provider",
    "metadata_generation": "generation",
    "metadata_hub_hearts": "hub_likes",
    "metadata_hub_license": "hub_licence",
    "metadata_upload_date": "uploaded",
    "metadata_submission_date": "submitted",
    "model_sha": "revision",
}
_TYPES = {
    "fine-tunedondomain-specificdatasets": "fine-tuned",
    "basemergesandmoerges": "merged",
    "chatmodels": "chat",
    "pretrained": "pretrained",
    "continuouslypretrained": "continuously pretrained",
    "multimodal": "multimodal",
}
_SEED = 20250114
COPULA_COLUMNS = [*BENCHMARKS, "co2_kg", "params_b"]

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


def load_open_llm_leaderboard(source: str = "auto", *, available: bool = True) -> pd.DataFrame:
    """Load the Open LLM Leaderboard (version 2) as of 14 January 2025.

    Parameters
    ----------
    source : {"auto", "real", "stand-in"}
        "real" takes the public file (mirror, cache, network) or fails; "stand-in" simulates a table of
        the same shape without touching the network; "auto" takes the public file when it is available and
        otherwise the stand-in, with a :class:`StandInWarning`.
    available : bool
        True keeps the 2,148 models that the hub offers, the population of the COPA paper.
        False keeps all 2,929 evaluated models.

    Returns
    -------
    DataFrame
        One row per evaluated model, indexed by ``model``. Objectives (in ``attrs``): the normalised
        scores ``ifeval``, ``bbh``, ``math`` (level 5), ``gpqa``, ``musr``, ``mmlu_pro`` (0 to 100, max) and
        ``co2_kg`` (kg of CO2 that the evaluation cost, min). Further ``average`` (mean of the six scores,
        max), ``params_b`` (billions of parameters, NaN where unknown), ``type``, ``precision``,
        ``architecture``, ``base_model`` and more. ``attrs["source"]["kind"]`` is "real" or "stand-in".

    Raises
    ------
    DataUnavailableError
        With ``source="real"`` when the file is not available.
    DataCorruptedError
        When there is a file of that name with other content, whatever the source but "stand-in".

    Notes
    -----
    Source: https://github.com/fboulnois/llm-leaderboard-csv (MPL-2.0), a copy of the public leaderboard.
    Its column ``features_is_not_available_on_hub`` is inverted: TRUE marks models that are available.

    Names are unique but for 70 models that were evaluated in two precisions; those rows, and only
    those, are called "name (precision)". The labels do not depend on `available`.

    Ties are heavy: ``gpqa`` has 190 distinct values among the 2,148 models, because it is a share of 1,192
    questions and everything below chance counts as 0; ``math`` has 441, and 249 zeros.

    Examples
    --------
    >>> models = load_open_llm_leaderboard("stand-in")
    >>> models.shape[0], models.attrs["source"]["kind"]
    (2148, 'stand-in')
    >>> list(models.attrs["moo"]["objectives"])
    ['ifeval', 'bbh', 'math', 'gpqa', 'musr', 'mmlu_pro', 'co2_kg']
    """
    checks.one_of("source", source, ("auto", "real", "stand-in"))
    if source == "stand-in":
        return _simulated(available)
    try:
        file = registry.fetch(_PUBLIC_NAME)
    except registry.DataUnavailableError as error:
        stand_in_for(source, "the Open LLM Leaderboard", error)
        return _simulated(available)
    return _real(file, available)


def _real(file: Path, available: bool) -> pd.DataFrame:
    raw = pd.read_csv(file, na_values={"model_architecture": ["?"], "metadata_params_billions": ["-1"]})
    table = raw[list(_COLUMNS)].rename(columns=_COLUMNS)
    table["type"] = table["type"].map(_TYPES)
    table.index = _unique_labels(table)
    if available:
        table = table[table["available"]]
    return registry.describe_public(table, _PUBLIC_NAME, objectives=OBJECTIVES)


def _unique_labels(table: pd.DataFrame) -> pd.Index:
    twice = table["name"].duplicated(keep=False)
    labels = table["name"].where(~twice, table["name"] + " (" + table["precision"] + ")")
    return pd.Index(labels, name="model")


def _simulated(available: bool) -> pd.DataFrame:
    table = simulate_leaderboard()
    if available:
        table = table[table["available"]]
    return describe(
        table,
        objectives=OBJECTIVES,
        name=f"{_PUBLIC_NAME} (stand-in)",
        kind="stand-in",
        origin="simulated: copa_nb.datasets.simulate_leaderboard",
        licence="BSD-3-Clause",
    )


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
    generator = checks.generator(rng)
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
    from scipy.special import ndtr

    factor = np.linalg.cholesky(correlation)
    ranks = ndtr(generator.standard_normal((n_rows, len(factor))) @ factor.T)
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
    table["average"] = table[list(BENCHMARKS)].mean(axis=1).round(6)
    types = list(_SHARES_OF_TYPES)
    table["type"] = generator.choice(types, n_rows, p=list(_SHARES_OF_TYPES.values()))
    table["precision"] = generator.choice(["bfloat16", "float16"], n_rows, p=[0.76, 0.24])
    table["architecture"] = "StandInForCausalLM"
    size_rank = table["params_b"].rank(method="first").to_numpy() - 1
    base = (size_rank * _N_BASES // n_rows).astype(int) + 1
    table["base_model"] = [f"stand-in/base-{number:02d}" for number in base]
    described = ["name", "average", *COPULA_COLUMNS, "type", "precision", "architecture", "base_model", "available"]
    return table[described].set_index(pd.Index(table["name"], name="model"))
