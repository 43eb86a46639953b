"""Ray Tune: the trials of a run."""

from __future__ import annotations

__all__ = ["from_ray"]

from collections.abc import Mapping
from typing import Any

import pandas as pd

from copa_nb.sources.described import described, given_directions, plain
from copa_nb.sources.formats import source
from copa_nb.tables.objectives import DirectionLike, spelled

# What Ray reports for every trial in addition to its metrics.
_OWN = {
    "done", "trial_id", "date", "timestamp", "pid", "hostname", "node_ip", "experiment_tag", "should_checkpoint",
    "checkpoint_dir_name", "config",
}  # fmt: skip


@source("a result of Ray Tune", directions="the run's, or you name them", library="ray")
def from_ray(grid: Any, objectives: Mapping[str, str] | None = None, /, **directions: DirectionLike) -> pd.DataFrame:
    """Make a table of what Ray's ``Tuner.fit`` returns: one row per trial, its last report.

    Parameters
    ----------
    grid : ray.tune.ResultGrid
        The results.
    objectives : mapping of metric to {"max", "min"}, optional
        Directions, for names that are not identifiers. By default the metric and mode of the run's ``TuneConfig``.
    **directions : {"max", "min"}
        Metrics and directions as keywords; ``time_total_s="min"`` is the time that a trial took.

    Returns
    -------
    DataFrame
        Indexed by the id of the trial: metrics, then settings as ``config/*``. Trials that failed, or reported nothing,
        are left out and counted.

    Raises
    ------
    TypeError
        For anything but a ResultGrid.
    ValueError
        For a direction of a metric that was not reported.
    """
    if not hasattr(grid, "get_dataframe"):
        raise TypeError(f"`grid` must be what Tuner.fit() of Ray returns, a ResultGrid, not {type(grid).__name__}.")
    results = [grid[number] for number in range(len(grid))]
    failed = [result for result in results if result.error is not None]
    reported = [result for result in results if result.error is None and result.metrics]
    rows = {}
    for number, result in enumerate(reported):
        measured = {name: value for name, value in result.metrics.items() if name not in _OWN and _is_number(value)}
        settings = {f"config/{name}": plain(value) for name, value in (result.config or {}).items()}
        rows[result.metrics.get("trial_id", number)] = measured | settings
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("trial")
    metrics = [name for name in table.columns if not str(name).startswith("config/")]
    given = spelled(objectives, directions) or _of_the_run(grid)
    return described(
        table[[*metrics, *(name for name in table.columns if name not in metrics)]],
        given_directions(given, {}, metrics, source="Ray", required=bool(metrics)),
        name="Ray Tune",
        left_out={"failed": len(failed), "without a report": len(results) - len(failed) - len(reported)},
        rows="trials",
    )


def _of_the_run(grid: Any) -> dict[str, str]:
    """The metric and the mode that the run was told to optimize."""
    # A ResultGrid has no public name for the two; checked with ray 2.60. Without them, the caller states directions.
    analysis = getattr(grid, "_experiment_analysis", None)
    metric, mode = getattr(analysis, "default_metric", None), getattr(analysis, "default_mode", None)
    return {metric: mode} if metric and mode else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
