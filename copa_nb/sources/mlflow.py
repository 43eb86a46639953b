"""MLflow: the runs of experiments."""

from __future__ import annotations

__all__ = ["from_mlflow"]

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described, given_directions, numbers_where_all_are
from copa_nb.sources.formats import source
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import DirectionLike

_METRIC, _PARAM, _NAME = "metrics.", "params.", "tags.mlflow.runName"


@source("MLflow runs")
def from_mlflow(
    runs: pd.DataFrame | None = None,
    objectives: Mapping[str, str] | None = None,
    /,
    *,
    experiment_names: str | Sequence[str] | None = None,
    **directions: DirectionLike,
) -> pd.DataFrame:
    """Make a table of MLflow runs: one row per finished run, the last value of each metric.

    MLflow stores no directions: give them.

    Parameters
    ----------
    runs : DataFrame, optional
        What ``mlflow.search_runs()`` returns.
    objectives : mapping of metric to {"max", "min"}, optional
        Directions, for names that are not identifiers.
    experiment_names : str or list of str, optional
        Experiments to search instead, where ``mlflow.set_tracking_uri`` points.
    **directions : {"max", "min"}
        Metrics and directions as keywords: ``accuracy="max"``.

    Returns
    -------
    DataFrame
        Indexed by the names of the runs. Metrics bear their own names; parameters, numbers where all are numbers, are
        ``params.*``. Runs that are not finished are left out and counted.

    Raises
    ------
    TypeError
        If `runs` is not a table.
    ValueError
        If there are no runs or no metrics, or no directions.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "run_id": ["1", "2"], "status": ["FINISHED", "FINISHED"], "metrics.accuracy": [0.9, 0.8],
    ...     "metrics.latency ms": [30.0, 10.0], "params.depth": ["8", "2"], "tags.mlflow.runName": ["deep", "flat"],
    ... })
    >>> copa_nb.from_mlflow(runs, {"latency ms": "min"}, accuracy="max").moo.front()
          accuracy  latency ms  params.depth
    run
    deep       0.9        30.0             8
    flat       0.8        10.0             2
    """
    if runs is None:
        runs = _search(experiment_names)
    runs = to_pandas(runs)
    if not isinstance(runs, pd.DataFrame):
        raise TypeError(
            f"{checks.called('runs')} must be what mlflow.search_runs() returns, a DataFrame, not "
            f"{type(runs).__name__}."
        )
    metrics = [name for name in runs.columns if str(name).startswith(_METRIC)]
    if not len(runs) or not metrics:
        lacking = "no runs" if not len(runs) else 'no column "metrics.*"'
        raise ValueError(f"{checks.called('runs')} contains {lacking}; check the experiment and the tracking URI.")
    status = runs["status"].astype(str) if "status" in runs else pd.Series("FINISHED", runs.index)
    finished = (status == "FINISHED").to_numpy()
    names = runs[_NAME] if _NAME in runs else runs.get("run_id", pd.Series(runs.index, runs.index))
    if "run_id" in runs:
        names = names.fillna(runs["run_id"])
    settings = runs[[name for name in runs.columns if str(name).startswith(_PARAM)]].apply(numbers_where_all_are)
    values = runs[metrics].rename(columns=lambda name: str(name).removeprefix(_METRIC))
    table = pd.concat([values, settings], axis="columns").set_axis(pd.Index(names, name="run"), axis="index")
    chosen = given_directions(objectives, directions, values.columns, source="MLflow")
    return described(
        table[finished], chosen, name="MLflow", left_out=Counter(status[~finished].str.lower()), rows="runs"
    )


def _search(experiment_names: str | Sequence[str] | None) -> pd.DataFrame:
    if not experiment_names:
        raise ValueError(
            f"{checks.called('runs')} is missing: pass mlflow.search_runs(...), or name experiments in "
            "`experiment_names`."
        )
    try:
        import mlflow
    except ImportError as error:
        raise checks.needs("MLflow", "mlflow-skinny", "`experiment_names`") from error
    names = [experiment_names] if isinstance(experiment_names, str) else list(experiment_names)
    unknown = [name for name in names if mlflow.get_experiment_by_name(name) is None]
    if unknown:
        raise ValueError(
            f"`experiment_names` has {unknown[0]!r}, which is not an experiment at {mlflow.get_tracking_uri()!r}."
        )
    found: pd.DataFrame = mlflow.search_runs(experiment_names=names)
    return found
