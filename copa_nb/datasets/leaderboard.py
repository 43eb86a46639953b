"""Leaderboards: the Open LLM Leaderboard, on which COPA's running example is computed, and MTEB."""

from __future__ import annotations

import pandas as pd

from copa_nb.datasets.bundle import load_bundled
from copa_nb.tables.description import define

BENCHMARKS = ("ifeval", "bbh", "math", "gpqa", "musr", "mmlu_pro")
_HEADINGS = {
    "ifeval": "IFEval", "bbh": "BBH", "math": "MATH", "gpqa": "GPQA", "musr": "MuSR", "mmlu_pro": "MMLU-Pro",
    "co2_kg": "CO₂ (kg)", "average": "average score",
}  # fmt: skip


def load_open_llm_leaderboard(*, available: bool = True, headings: bool = False) -> pd.DataFrame:
    """Load the Open LLM Leaderboard (version 2) as of 14 January 2025.

    Parameters
    ----------
    available : bool
        True keeps the 2,148 models that the hub offers, the population of the COPA paper.
        False keeps all 2,929 evaluated models.
    headings : bool
        Whether to name the scores, their average and CO2 for figures and tables: ``MMLU-Pro`` instead of
        ``mmlu_pro``, ``CO₂ (kg)`` instead of ``co2_kg``, ``average score`` instead of ``average``.

    Returns
    -------
    DataFrame
        One row per evaluated model, indexed by ``model``. Objectives (in ``attrs``): the normalized
        scores ``ifeval``, ``bbh``, ``math`` (level 5), ``gpqa``, ``musr``, ``mmlu_pro`` (0 to 100, max) and
        ``co2_kg`` (kg of CO2 emitted by the evaluation, min). Further columns: ``name``, ``average`` (mean of the
        six scores, max), ``params_b`` (billions of parameters, NaN where unknown), ``type``, ``precision``,
        ``architecture`` (NaN where unknown), ``base_model``, and the flags ``chat_template``, ``available``,
        ``merged``, ``mixture_of_experts``, ``flagged`` and ``official_provider``.

    See Also
    --------
    copa_nb.results.Selection.navigate : Choose among the models as the weight of CO2 grows.

    Notes
    -----
    Source: https://github.com/fboulnois/llm-leaderboard-csv (MPL-2.0), a copy of the public leaderboard; numbers as
    published. Its column ``features_is_not_available_on_hub`` is inverted: TRUE marks models that are available.

    Names are unique except for 70 models that were evaluated in two precisions; only those rows are
    labeled "name (precision)". The labels do not depend on `available`.

    There are many ties: ``gpqa`` has 190 distinct values among the 2,148 models, because it is a share of 1,192
    questions and everything below chance counts as 0; ``math`` has 441, and 249 zeros.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> models = datasets.load_open_llm_leaderboard()
    >>> models.shape[0], len(models.moo.front())
    (2148, 409)
    >>> list(models.attrs["moo"]["objectives"])
    ['ifeval', 'bbh', 'math', 'gpqa', 'musr', 'mmlu_pro', 'co2_kg']
    """
    models = load_bundled("open_llm_models")
    twice = models["name"].duplicated(keep=False)
    labels = models["name"].where(~twice, models["name"] + " (" + models["precision"] + ")")
    models.index = pd.Index(labels, name="model")
    if headings:
        directions = models.attrs["moo"]["objectives"]
        models = define(
            models.rename(columns=_HEADINGS), {_HEADINGS[name]: direction for name, direction in directions.items()}
        )
    return models[models["available"]] if available else models


def load_mteb(*, complete: bool = False) -> pd.DataFrame:
    """Load the scores of text embedding models on MTEB (English, version 2) as of August 2026.

    Parameters
    ----------
    complete : bool
        True keeps the 183 models that have a score on every task. False keeps all 324, of whose scores 24% are
        missing; no task has a score of every model.

    Returns
    -------
    DataFrame
        One row per ``model`` and ``task`` for which a score is public. Further columns: ``kind`` of the task
        (classification, clustering, retrieval, ...) and the objective ``score``, the main score of the task (max, 1
        is perfect).

    See Also
    --------
    copa_nb.accessor.Moo.board : Which models differ significantly, instead of a ranking.

    Notes
    -----
    Source: https://github.com/embeddings-benchmark/results (CC0-1.0), the best revision of each model, rounded to the
    four digits that the public leaderboard prints.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> scores = datasets.load_mteb()
    >>> scores["model"].nunique(), scores["task"].nunique(), len(scores)
    (324, 41, 10041)
    >>> datasets.load_mteb(complete=True)["model"].nunique()
    183
    """
    table = load_bundled("mteb_english_v2")
    scores = table.melt(["task", "kind"], var_name="model", value_name="score")
    if complete:
        scores = scores[scores.groupby("model")["score"].transform("count") == len(table)]
    scores = scores.dropna(subset="score", ignore_index=True)[["model", "task", "kind", "score"]]
    scores.attrs = table.attrs
    return define(scores, score="max", system="model", item="task", cluster="kind")
