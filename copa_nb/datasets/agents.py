"""Repeated runs of coding agents: accuracy, cost and time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets import registry
from copa_nb.datasets.bundle import describe, load_bundled, stand_in_for

OBJECTIVES = {"accuracy": "max", "cost_usd": "min", "time_s": "min"}
BATCHES = ("0409", "0613")

_SEED = 164
_N_TASKS = 164
LOG_MEASURES = ("cost_usd", "time_s", "tokens")


def load_agents(batch: str = "0409", source: str = "auto") -> pd.DataFrame:
    """Load runs of coding agents on HumanEval.

    Parameters
    ----------
    batch : {"0409", "0613"}
        Agents on models of April 2024 (13 systems, 65 runs) or of June 2023 (15 systems, 67 runs).
    source : {"auto", "real", "stand-in"}
        "real" takes the public file; "stand-in" draws runs around each system's mean; "auto" tries the
        first, then the second with a :class:`StandInWarning`.

    Returns
    -------
    DataFrame
        One row per run. Columns: ``system`` (strategy and models), ``strategy``, ``models``, ``run`` (1 to 5:
        repeats, not matched between systems), the objectives ``accuracy`` (share of 164 problems solved, max),
        ``cost_usd`` (of the whole run, min) and ``time_s`` (of the whole run, min), and ``tokens``. Cost, time
        and tokens spread over three orders of magnitude: compare them on a log scale.

    Raises
    ------
    ValueError
        For an unknown batch or source.
    DataUnavailableError
        With ``source="real"`` when the file is not available.

    Notes
    -----
    Source: Kapoor, Stroebl et al., AI Agents That Matter (2024),
    https://github.com/benediktstroebl/agent-eval. In batch 0613 the two ``lats`` systems have one run each,
    and ``simple_repeat`` with GPT-3.5 has five equal accuracies.

    The stand-in has as many systems and runs, called ``stand-in/agent-01`` and so on: accuracy is normal and
    put on the grid of 164 problems, the logarithms of cost, time and tokens are normal, all independent,
    with the real system's means and standard deviations (single runs: the median one).

    Examples
    --------
    >>> runs = load_agents("0613", "stand-in")
    >>> len(runs), runs["system"].nunique(), int(runs.groupby("system").size().min())
    (67, 15, 1)
    """
    checks.one_of("batch", batch, BATCHES)
    checks.one_of("source", source, ("auto", "real", "stand-in"))
    if source == "stand-in":
        return _simulated(batch)
    try:
        file = registry.fetch(f"agents_{batch}")
    except registry.DataUnavailableError as error:
        stand_in_for(source, f"the agent runs of batch {batch}", error)
        return _simulated(batch)
    raw = pd.read_csv(file)
    runs = pd.DataFrame(
        {
            "system": raw["strategy"] + ": " + raw["model"],
            "strategy": raw["strategy"],
            "models": raw["model"],
            "run": raw["run"].str.removeprefix("run").astype(int),
            "accuracy": raw["accuracy"],
            "cost_usd": raw["total_cost"],
            "time_s": raw["total_time"],
            "tokens": raw["total_prompt_tokens"] + raw["total_completion_tokens"],
        }
    )
    return registry.describe_public(runs, f"agents_{batch}", objectives=OBJECTIVES)


def _simulated(batch: str) -> pd.DataFrame:
    summary = load_bundled("agents_summary")
    systems = summary[summary["batch"] == int(batch)]
    rows = systems.loc[systems.index.repeat(systems["n_runs"])].reset_index(drop=True)
    generator = np.random.default_rng([_SEED, int(batch)])
    name = rows["number"].map("stand-in/agent-{:02d}".format)
    runs = pd.DataFrame({"system": name, "strategy": "stand-in", "models": name})
    runs["run"] = rows.groupby("number").cumcount() + 1
    accuracy = generator.normal(rows["accuracy_mean"], rows["accuracy_sd"])
    runs["accuracy"] = np.clip(np.round(accuracy * _N_TASKS), 0, _N_TASKS) / _N_TASKS
    for measure in LOG_MEASURES:
        drawn = 10 ** generator.normal(rows[f"{measure}_mean"], rows[f"{measure}_sd"])
        runs[measure] = drawn.round(0 if measure == "tokens" else 6)
    return describe(
        runs.astype({"tokens": int}),
        objectives=OBJECTIVES,
        name=f"agents_{batch} (stand-in)",
        kind="stand-in",
        origin="simulated from each system's mean and standard deviation",
        licence="BSD-3-Clause",
    )
