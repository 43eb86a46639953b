"""Inspect AI: the logs of evaluations."""

from __future__ import annotations

__all__ = ["from_inspect"]

import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.objectives import DirectionLike
from copa_nb.sources.described import described, given_directions, needs
from copa_nb.sources.documents import number
from copa_nb.sources.formats import source

_COSTS = {"total_tokens": "tokens", "total_time": "seconds"}


@source("logs of Inspect", library="inspect_ai", has_flag=True)
def from_inspect(
    logs: Any, objectives: Mapping[str, str] | None = None, /, *, epochs: bool = False, **directions: DirectionLike
) -> pd.DataFrame:
    """Make a table of Inspect logs: one row per model, the headline score of each task as a column.

    Inspect stores no directions: give them, of tasks, of "tokens" and of "seconds".

    Parameters
    ----------
    logs : path, EvalLog or list of these
        A folder of logs, log files, or what ``inspect_ai.eval`` returns.
    objectives : mapping of column to {"max", "min"}, optional
        Directions, for names that are not identifiers.
    epochs : bool
        Whether to make one row per model and epoch, in a column "epoch", for ``hv_test`` and ``stability``: scores are
        then means over the samples ("C" counts 1, "P" 0.5, "I" and "N" 0).
    **directions : {"max", "min"}
        Directions as keywords: ``gpqa="max", tokens="min"``.

    Returns
    -------
    DataFrame
        Indexed by model. Each task's standard error is "..._stderr"; "tokens" and "seconds" are means per sample,
        summed over the tasks. Evaluations that did not succeed are left out and counted; of several of one model and
        task the latest counts.

    Raises
    ------
    ImportError
        Without Inspect.
    ValueError
        If there are no logs, or for a direction of what is not there.
    """
    try:
        from inspect_ai.analysis import evals_df, samples_df
    except ImportError as error:
        raise needs("Inspect", "inspect-ai", f"{checks.called('logs')}") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what Inspect asks of pandas
        try:
            evals, samples = evals_df(logs, quiet=True), samples_df(logs, quiet=True)
        except Exception as error:  # whatever Inspect makes of a damaged log
            reason = str(error) or type(error).__name__
            raise ValueError(
                f"{checks.called('logs')} is {logs!r}, which Inspect cannot read: {reason}. A log may be truncated or "
                "edited."
            ) from error
    if evals.empty:
        raise ValueError(
            f"{checks.called('logs')} is {logs!r}, which contains no logs of Inspect; give another file or folder."
        )
    succeeded = evals["status"].astype(str).eq("success")
    left_out = Counter(evals.loc[~succeeded, "status"].astype(str))
    if not succeeded.any() or samples.empty:
        lacking = "samples" if succeeded.any() else f"successful evaluations, only {dict(left_out)}"
        raise ValueError(
            f"{checks.called('logs')} is {logs!r}, which contains no {lacking}. A log may be truncated or edited."
        )
    kept = evals[succeeded].sort_values("created", kind="stable").drop_duplicates(["model", "task_name"], keep="last")
    n_repeated = int(succeeded.sum()) - len(kept)
    were = "evaluation was" if n_repeated == 1 else "evaluations were"
    notes = [f"{n_repeated} {were} repeated; the latest of each model and task is used."] if n_repeated else []
    samples = samples.merge(kept[["eval_id", "model", "task_name", "score_headline_name"]])
    samples = samples.assign(epoch=samples["epoch"].astype(int))
    rows = ["model", "epoch"] if epochs else ["model"]
    costs = samples.groupby([*rows, "task_name"])[list(_COSTS)].mean().groupby(rows).sum().rename(columns=_COSTS)
    table = pd.concat([_scores_by_epoch(samples) if epochs else _headlines(kept), costs], axis="columns")
    table = (table.reset_index("epoch") if epochs else table).rename_axis(index="model", columns=None)
    tasks = list(dict.fromkeys(kept["task_name"].sort_values()))
    chosen = given_directions(objectives, directions, [*tasks, *_COSTS.values()], source="Inspect")
    return described(
        table.astype({name: float for name in table.columns if name != "epoch"}),
        chosen,
        name="Inspect AI",
        left_out=left_out,
        n_kept=int(succeeded.sum()),
        rows="evaluations",
        repeated=epochs,
        notes=notes,
    )


def _headlines(evals: pd.DataFrame) -> pd.DataFrame:
    indexed = evals.set_index(["model", "task_name"])
    values, errors = (indexed[f"score_headline_{kind}"].unstack("task_name") for kind in ("value", "stderr"))  # noqa: PD010
    return pd.concat([values, errors.add_suffix("_stderr")], axis="columns")


def _scores_by_epoch(samples: pd.DataFrame) -> pd.DataFrame:
    points = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
    scores = [
        points.get(str(score), number(score))
        for score in (row.get(f"score_{row['score_headline_name']}") for row in samples.to_dict("records"))
    ]
    scored = samples.assign(score=pd.Series(scores, samples.index, dtype=float))
    return scored.pivot_table(index=["model", "epoch"], columns="task_name", values="score")
