"""The Open LLM Leaderboard: the public file, or a simulated stand-in of the same shape."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from copa_nb.datasets import registry
from copa_nb.datasets.leaderboard_standin import simulate_leaderboard
from copa_nb.datasets.provenance import check_source, describe, stand_in_for

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


def load_open_llm_leaderboard(source: str = "auto", *, available: bool = True) -> pd.DataFrame:
    """Load the Open LLM Leaderboard (version 2) as of 14 January 2025.

    Parameters
    ----------
    source : {"auto", "real", "stand-in"}
        "real" takes the public file (mirror, cache, network) or fails; "stand-in" simulates a table of
        the same shape without touching the network; "auto" takes the public file when it can be had and
        otherwise the stand-in, with a :class:`StandInWarning`.
    available : bool
        True keeps the 2,148 models that can be had from the hub, the population of the COPA paper.
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
        With ``source="real"`` when the file cannot be had.
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
    check_source(source, "auto", "real", "stand-in")
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
        origin="simulated: copa_nb.datasets.leaderboard_standin.simulate_leaderboard",
        licence="BSD-3-Clause",
    )
