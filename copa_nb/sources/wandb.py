"""Weights & Biases: the table of runs, exported as CSV or asked of its API."""

from __future__ import annotations

__all__ = ["from_wandb"]

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described, given_directions, plain
from copa_nb.sources.files import read_table
from copa_nb.sources.formats import source
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import DirectionLike, spelled

_STATES = ("finished", "running", "crashed", "failed", "killed", "pending", "preempting", "preempted")
# As summaries spell them, which are JSON.
_NOT_FINITE: dict[Any, float] = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


@source("Weights & Biases runs", library="wandb", has_flag=True)
def from_wandb(runs: Any, objectives: Mapping[str, str] | None = None, /, **directions: DirectionLike) -> pd.DataFrame:
    """Make a table of Weights & Biases runs: one row per finished run.

    W&B stores no directions: give them.

    Parameters
    ----------
    runs : path, DataFrame, or runs of ``wandb.Api()``
        The CSV that "Export" above the table of runs gives, or ``wandb.Api().runs("team/project")``.
    objectives : mapping of metric to {"max", "min"}, optional
        Directions, for names that are not identifiers.
    **directions : {"max", "min"}
        Metrics and directions as keywords: ``accuracy="max"``.

    Returns
    -------
    DataFrame
        Indexed by the names of the runs, with all columns of the export; of runs of the API the summary, and settings
        as ``config/*``. Runs that are not finished are left out and counted.

    Raises
    ------
    ValueError
        If no directions are given, or for a column that is not there.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> export = pd.DataFrame({
    ...     "Name": ["deep", "flat", "lost"], "State": ["finished", "finished", "crashed"],
    ...     "accuracy": [0.9, 0.8, None], "latency": [30.0, 10.0, None],
    ... })
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     table = copa_nb.from_wandb(export, accuracy="max", latency="min")
    >>> print(caught[0].message)
    1 of 3 runs are left out: 1 crashed.
    >>> table.moo.front()
          accuracy  latency
    run
    deep       0.9     30.0
    flat       0.8     10.0
    """
    table = _export(runs)
    state = table.pop("State").astype(str) if "State" in table else pd.Series("finished", table.index)
    finished = state.eq("finished").to_numpy()
    if "Name" in table:
        table = table.set_index("Name")
    table.index.name = "run"
    kept = table[finished]
    numeric = kept.select_dtypes("number").columns
    # A metric that is a word in some run is refused where it is used, with the word.
    measured = [name for name in kept if name in numeric or name in spelled(objectives, directions)]
    return described(
        kept,
        given_directions(objectives, directions, measured if len(kept) else [], source="W&B"),
        name="Weights & Biases",
        left_out=Counter(state[~finished]),
        rows="runs",
    )


def is_export(file: Path) -> bool:
    """Whether a file is the CSV that W&B exports: runs by name, each with a state that W&B has.

    Parameters
    ----------
    file : Path
        A file whose name ends in .csv.
    """
    try:
        states = pd.read_csv(file, usecols=["Name", "State"], dtype=str)["State"]
    except (ValueError, OSError):  # other columns, other text; the function that reads tables says what is wrong
        return False
    return len(states) > 0 and bool(states.isin(_STATES).all())


def _export(runs: Any) -> pd.DataFrame:
    if isinstance(runs, str | Path):
        return read_table(runs)
    frame = to_pandas(runs)
    if isinstance(frame, pd.DataFrame):
        return frame.copy(deep=False)
    try:
        rows = [
            {"Name": run.name, "State": run.state}
            | {
                name: _NOT_FINITE.get(value, value)
                for name, value in dict(run.summary).items()
                if isinstance(value, int | float | str)
            }
            | {f"config/{name}": plain(value) for name, value in run.config.items()}
            for run in runs
        ]
    except (TypeError, AttributeError) as error:
        raise TypeError(
            f"{checks.called('runs')} must be a CSV export, a DataFrame or runs of wandb.Api(), not "
            f"{type(runs).__name__}."
        ) from error
    return pd.DataFrame(rows)
