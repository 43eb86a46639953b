"""Optuna: the trials of a study, with its directions."""

from __future__ import annotations

__all__ = ["from_optuna"]

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described, plain
from copa_nb.sources.formats import source

_STATES = {"PRUNED": "pruned", "FAIL": "failed", "RUNNING": "still running", "WAITING": "waiting"}
_SQLITE = b"SQLite format 3\0"
# In every database of Optuna since 2.0; one of them alone, such as "studies", may be in anybody's.
_TABLES = {"studies", "study_directions", "trials", "trial_params", "trial_values", "version_info"}


@source("an Optuna study", directions="the study's", library="optuna", has_flag=True, option="name")
@shared_parameters
def from_optuna(
    study: Any,
    *,
    name: str | None = None,
    names: Sequence[str] | None = None,
    feasible: bool = True,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of an Optuna study: one row per complete trial, objectives and directions as the study has them.

    Parameters
    ----------
    study : optuna.Study, str or Path
        The study; or the file (SQLite or journal) or URL of its storage.
    name : str, optional
        Name of the study in the storage; not needed if there is only one.
    names : sequence of str, optional
        Names of the objectives, in the order of the study, in place of its own.
    feasible : bool
        Whether to leave out trials that violate a constraint (a value above 0).
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Indexed by the number of the trial. Objectives have the study's metric names, or else Optuna's own, "value" or
        "values_0", "values_1", ...; then ``params_*``, ``user_attrs_*``, ``constraints_*`` and ``duration_s``. Trials
        that were pruned, failed, are not finished or not feasible are left out and counted, in a
        :class:`~copa_nb.tables.objectives.RowsOmittedWarning` and in ``attrs["notes"]``.

    Raises
    ------
    ValueError
        For a storage with several studies, or without one of that name; for fewer or more `names` than objectives.

    Examples
    --------
    >>> import optuna, copa_nb
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(directions=["maximize", "minimize"])
    >>> layers = {"layers": optuna.distributions.IntDistribution(1, 9)}
    >>> for n, accuracy, latency in [(1, 0.7, 10.0), (2, 0.9, 20.0), (3, 0.8, 30.0)]:
    ...     values = [accuracy, latency]
    ...     trial = optuna.trial.create_trial(params={"layers": n}, distributions=layers, values=values)
    ...     study.add_trial(trial)
    >>> copa_nb.from_optuna(study).moo.front()[["values_0", "values_1", "params_layers"]]
           values_0  values_1  params_layers
    trial
    0           0.7      10.0              1
    1           0.9      20.0              2
    """
    read = _of_storage(study, name) if isinstance(study, str | Path) else _of_study(study)
    complete = [trial for trial in read.trials if trial.state.name == "COMPLETE"]
    kept = [trial for trial in complete if not feasible or all(value <= 0 for value in _constraints(trial).values())]
    left_out = Counter(_STATES.get(trial.state.name, trial.state.name.lower()) for trial in read.trials)
    left_out.pop("complete", None)
    left_out["infeasible"] = len(complete) - len(kept)
    unnamed = names is None and len(read.directions) > 1 and read.metric_names is None
    names = _names_of_objectives(read, names)
    values = pd.DataFrame(
        # By each trial's own order of objectives, which is that of the directions; columns of a frame have had others.
        {name: [float(trial.values[k]) for trial in kept] for k, name in enumerate(names)},
        index=pd.Index([trial.number for trial in kept], name="trial"),
    )
    parts = [values, *(_columns(kept, prefix, values.index) for prefix in ("params", "user_attrs", "constraints"))]
    seconds = [trial.duration.total_seconds() if trial.duration else None for trial in kept]
    table = pd.concat([*parts, pd.Series(seconds, values.index, float, "duration_s")], axis="columns")
    return described(
        table.loc[:, ~table.columns.duplicated()],
        {name: direction.name.lower() for name, direction in zip(names, read.directions, strict=True)},
        name=f"Optuna study {read.name!r}",
        left_out=left_out,
        rows="trials",
        keep="feasible=False keeps infeasible ones." if left_out["infeasible"] else "",
        words={"show": "params_"},
        objectives=objectives,
        notes=[_naming(names)] if unnamed else (),
    )


def _naming(names: Sequence[str]) -> str:
    """Say how objectives without a name are given one."""
    ways = ("loss", "accuracy", *(f"metric_{k}" for k in range(2, len(names))))[: len(names)]
    return (
        f"The study does not name its objectives; {checks.listed(names)} are in the order of its function. Name them: "
        f"{checks.called('names')}={[*ways]!r}, or study.set_metric_names([...])."
    )


class _Study(NamedTuple):
    """What a table needs to know of a study, so that no storage stays open."""

    name: str
    directions: Sequence[Any]
    metric_names: Sequence[str] | None
    trials: Sequence[Any]


def _of_study(study: Any) -> _Study:
    if not hasattr(study, "get_trials") or not hasattr(study, "directions"):
        raise TypeError(
            f"{checks.called('study')} must be an Optuna study, or the file or URL of its storage, not "
            f"{type(study).__name__}."
        )
    names, trials = getattr(study, "metric_names", None), study.get_trials(deepcopy=False)
    for trial in trials:
        if trial.state.name == "COMPLETE" and not _has_values(trial, len(study.directions)):
            raise TypeError(
                f"trial {trial.number} has {trial.values} as its values, but the study has {len(study.directions)} "
                "objectives"
            )
    return _Study(study.study_name, study.directions, names, trials)


def _has_values(trial: Any, count: int) -> bool:
    """Tell whether a trial has a number for each objective, which it has not in an edited database."""
    values = trial.values
    return values is not None and len(values) == count and all(isinstance(value, int | float) for value in values)


def _names_of_objectives(study: _Study, given: Sequence[str] | None) -> list[str]:
    count, names = len(study.directions), study.metric_names
    if given is not None:
        if isinstance(given, str) or len(set(given)) != count:
            raise ValueError(f"{checks.called('names')} is {given!r}; the study has {count} objectives, name each.")
        return list(given)
    if names is not None and len(set(names)) == count:
        return list(names)
    return ["value"] if count == 1 else [f"values_{k}" for k in range(count)]


def _constraints(trial: Any) -> dict[str, float]:
    """Values of the constraints of a trial: those up to 0 are kept."""
    known = getattr(trial, "constraints", None)  # from Optuna 5 on
    if known is not None:
        return dict(known)
    return {str(k): value for k, value in enumerate(trial.system_attrs.get("constraints") or ())}


def _columns(trials: list[Any], kind: str, index: pd.Index) -> pd.DataFrame:
    """Settings of trials, which need not have the same: a column each, in order of first appearance."""
    rows = [_constraints(trial) if kind == "constraints" else getattr(trial, kind) for trial in trials]
    names = dict.fromkeys(name for row in rows for name in row)
    return pd.DataFrame({f"{kind}_{name}": [plain(row.get(name)) for row in rows] for name in names}, index=index)


def _of_storage(address: str | Path, name: str | None) -> _Study:
    try:
        import optuna
    except ImportError as error:
        raise checks.needs("Optuna", "optuna", f"reading {str(address)!r}") from error
    with contextlib.ExitStack() as opened:
        try:
            storage = _storage(address, opened)
            known = optuna.study.get_all_study_names(storage)
        except FileNotFoundError:
            raise
        except _NoStudyError as error:
            raise ValueError(f"{checks.called('study')} is {str(address)!r}, {error}") from error
        except Exception as error:  # of whatever database it is
            raise _unreadable(address, error) from error
        chosen = _chosen(known, name, address)
        try:
            return _of_study(optuna.load_study(study_name=chosen, storage=storage))
        except Exception as error:  # whatever an edited database makes of its rows
            raise _unreadable(address, error) from error


class _NoStudyError(Exception):
    """A storage is not one of Optuna; the message is the end of a sentence."""


def _unreadable(address: str | Path, error: Exception) -> ValueError:
    reason = str(error).strip().split("\n")[0] or type(error).__name__
    if isinstance(error, KeyError | IndexError | AttributeError | TypeError | AssertionError | RecursionError):
        reason = f"it is damaged or was edited by another program ({type(error).__name__}: {reason})"
    return ValueError(f"{checks.called('study')} is {str(address)!r}, which cannot be read: {reason}")


def _chosen(known: Sequence[str], name: str | None, address: str | Path) -> str:
    if not known:
        raise ValueError(f"{checks.called('study')} is {str(address)!r}, which contains no Optuna study.")
    if name is None and len(known) == 1:
        return known[0]
    if name is None or name not in known:
        came = (
            f"{checks.called('name')} is missing, but {str(address)!r} contains several studies"
            if name is None
            else f"{checks.called('name')} is {name!r}, which is not a study in {str(address)!r}"
        )
        raise ValueError(
            f"{came}; the studies are {checks.listed(known)}.{checks.nearest(name, known) if name else ''}"
        )
    return name


def _storage(address: str | Path, opened: contextlib.ExitStack) -> Any:
    """Open a storage without writing to it: Optuna creates its tables in any database that it is given."""
    text = str(address)
    if "://" not in text:
        return _file_storage(Path(text), opened)
    from sqlalchemy import create_engine, inspect
    from sqlalchemy.engine import make_url

    url = make_url(text)
    if url.get_backend_name() == "sqlite":
        return _file_storage(Path(url.database or ""), opened)
    engine = create_engine(url)
    opened.callback(engine.dispose)
    if not set(inspect(engine).get_table_names()) >= _TABLES:
        raise _NoStudyError("a database without Optuna studies.")
    return text


def _file_storage(file: Path, opened: contextlib.ExitStack) -> Any:
    if not file.is_file():
        raise FileNotFoundError(f"{checks.called('study')} is {str(file)!r}, but there is no such file.")
    if is_sqlite(file):
        if not is_study(file):
            raise _NoStudyError("an SQLite database without Optuna studies.")
        return _copied(file, opened)
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    try:
        return JournalStorage(JournalFileBackend(str(file)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _NoStudyError("which is neither an SQLite database nor a journal of Optuna.") from error


def _copied(file: Path, opened: contextlib.ExitStack) -> Any:
    """Open a copy in memory, in which Optuna may create what it likes."""
    from optuna.storages import RDBStorage
    from sqlalchemy.pool import StaticPool

    copy = sqlite3.connect(":memory:", check_same_thread=False)
    opened.callback(copy.close)
    with contextlib.closing(_read_only(file)) as original:
        original.backup(copy)
    storage = RDBStorage("sqlite://", engine_kwargs={"creator": lambda: copy, "poolclass": StaticPool})
    opened.callback(storage.engine.dispose)
    return storage


def _read_only(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)


def is_sqlite(file: Path) -> bool:
    """Tell whether a file is an SQLite database."""
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def is_study(file: Path) -> bool:
    """Tell whether a file is an SQLite database with Optuna's tables."""
    if not is_sqlite(file):
        return False
    try:
        with contextlib.closing(_read_only(file)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    except sqlite3.DatabaseError:
        return False
    return {name for (name,) in found} >= _TABLES
