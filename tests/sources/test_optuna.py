"""Optuna's own studies: directions by name, and what is left out is counted."""

import contextlib
import sqlite3
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import copa_nb
from copa_nb.sources.optuna import _constraints, is_study
from copa_nb.tables.objectives import RowsOmittedWarning

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.CRITICAL)
# Not in alphabetical order, and each direction differs from its neighbor's.
NAMES, DIRECTIONS = ["zeta", "accuracy", "memory"], ["minimize", "maximize", "minimize"]


def _values(trial):
    x = trial.suggest_float("x", 0, 1)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    trial.set_user_attr("tags", ["fast"])
    return x, x * (1 - x) + 0.1 * (kind == "a"), (1 - x) ** 2


def _study(objective=_values, n_trials=40, names=NAMES, constraints=None, **options):
    sampler = optuna.samplers.RandomSampler(seed=0)
    if constraints is not None:
        sampler = optuna.samplers.NSGAIISampler(seed=0, constraints_func=constraints)
    study = optuna.create_study(**({"directions": DIRECTIONS} | options), sampler=sampler)
    if names:
        study.set_metric_names(names)
    study.optimize(objective, n_trials=n_trials)
    return study


@pytest.fixture(autouse=True)
def _experiments():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        warnings.filterwarnings("ignore", "`constraints_func` has been deprecated", FutureWarning)
        yield


@pytest.mark.parametrize("names", [NAMES, None])
def test_front_is_the_studys_own(names):
    study = _study(names=names)
    table = copa_nb.from_optuna(study)
    expected = names or ["values_0", "values_1", "values_2"]
    assert table.moo.description["objectives"] == dict(zip(expected, ["min", "max", "min"], strict=True))
    assert sorted(table.moo.front().index) == sorted(trial.number for trial in study.best_trials)
    for trial in study.trials:
        assert table.loc[trial.number, expected].tolist() == trial.values
        assert table.loc[trial.number, "params_x"] == trial.params["x"]
        assert table.loc[trial.number, "params_kind"] == trial.params["kind"]


def test_one_objective():
    study = _study(lambda trial: _values(trial)[1], directions=["maximize"], names=None)
    assert copa_nb.from_optuna(study).moo.copa().best == study.best_trial.number


def test_names_that_stand_twice_are_not_used():
    assert {"values_0", "values_2"} <= set(copa_nb.from_optuna(_study(names=["a", "a", "b"])).columns)


def test_pruned_and_failed_trials_are_counted():
    def objective(trial):
        values = _values(trial)
        if trial.number % 5 == 1:
            raise optuna.TrialPruned
        return (np.nan, 1, 1) if trial.number % 5 == 2 else values

    study = _study(objective, n_trials=20)
    with pytest.warns(RowsOmittedWarning, match=r"8 of 20 trials are left out: 4 failed, 4 pruned|4 pruned, 4 failed"):
        table = copa_nb.from_optuna(study)
    assert "8 of 20 trials are left out" in table.attrs["notes"][0]
    assert "8 of 20" in repr(table.moo)
    assert sorted(table.moo.front().index) == sorted(trial.number for trial in study.best_trials)


def test_infeasible_trials_are_left_out_unless_asked_for():
    study = _study(constraints=lambda trial: (trial.params["x"] - 0.5,))
    with pytest.warns(RowsOmittedWarning, match=r"infeasible\. feasible=False keeps"):
        table = copa_nb.from_optuna(study)
    assert (table["params_x"] <= 0.5).all()
    assert sorted(table.moo.front().index) == sorted(trial.number for trial in study.best_trials)
    every = copa_nb.from_optuna(study, feasible=False)
    assert len(every) == 40
    assert every.filter(like="constraints").to_numpy().ravel() == pytest.approx(every["params_x"] - 0.5)


@pytest.mark.skipif(not hasattr(optuna.trial.Trial, "set_constraint"), reason="constraints by name came with Optuna 5")
def test_constraints_by_name():
    def objective(trial):
        trial.set_constraint("memory", trial.suggest_float("x", 0, 1) - 0.5)
        return _values(trial)

    every = copa_nb.from_optuna(_study(objective), feasible=False)
    assert every["constraints_memory"].tolist() == pytest.approx((every["params_x"] - 0.5).tolist())
    with pytest.warns(RowsOmittedWarning, match="infeasible"):
        assert len(copa_nb.from_optuna(_study(objective))) == (every["params_x"] <= 0.5).sum()


def test_a_study_without_a_complete_trial():
    def prune(trial):
        raise optuna.TrialPruned

    with pytest.raises(ValueError, match=r"has no trials to compare: 3 in all, 3 pruned\."):
        copa_nb.from_optuna(_study(prune, n_trials=3))
    with pytest.raises(ValueError, match="has no trials to compare"):
        copa_nb.from_optuna(optuna.create_study(study_name="new"))
    infeasible = _study(n_trials=3, constraints=lambda trial: (1.0,))
    with pytest.raises(ValueError, match=r"3 infeasible\. feasible=False keeps"):
        copa_nb.from_optuna(infeasible)


def test_settings_that_only_some_trials_have():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        return x + (trial.suggest_int("depth", 1, 3) if trial.number % 2 else 0)

    table = copa_nb.from_optuna(_study(objective, n_trials=6, directions=["minimize"], names=None))
    assert table["params_depth"].isna().tolist() == [True, False] * 3


def test_storages(tmp_path):
    file = tmp_path / "studies.db"
    study = _study(n_trials=5, storage=f"sqlite:///{file}", study_name="first")
    table = copa_nb.from_optuna(file)
    assert table[NAMES].equals(copa_nb.from_optuna(study)[NAMES])
    _study(n_trials=3, storage=f"sqlite:///{file}", study_name="second")
    assert len(copa_nb.from_optuna(f"sqlite:///{file}", name="second")) == 3
    with pytest.raises(ValueError, match=r"contains several studies; .*'first', 'second'"):
        copa_nb.from_optuna(file)
    with pytest.raises(ValueError, match=r"`name` is 'frist',.* Did you mean 'first'\?"):
        copa_nb.from_optuna(file, name="frist")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        copa_nb.from_optuna(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_a_journal(tmp_path):
    file = tmp_path / "journal.log"
    backend = optuna.storages.journal.JournalFileBackend(str(file))
    study = _study(n_trials=5, storage=optuna.storages.JournalStorage(backend), study_name="journal")
    assert copa_nb.from_optuna(str(file))[NAMES].equals(copa_nb.from_optuna(study)[NAMES])


@pytest.mark.parametrize("table", ["mine", "studies", "trials"])
@pytest.mark.parametrize("prefix", ["", "sqlite:///", "sqlite+pysqlite:///"])
@pytest.mark.parametrize("read", [copa_nb.from_optuna, copa_nb.read])
def test_a_database_of_others_is_left_as_it_is(tmp_path, table, prefix, read):
    file = tmp_path / "other #1?.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(f"CREATE TABLE {table} (study_id INTEGER PRIMARY KEY, study_name TEXT)")
        connection.execute(f"INSERT INTO {table} VALUES (1, 'of a school')")
        connection.commit()
    before = file.read_bytes()
    source = file if not prefix else f"{prefix}{file}".replace("#", "%23").replace("?", "%3F")
    options = {"format": "optuna"} if read is copa_nb.read else {}
    with pytest.raises((ValueError, FileNotFoundError), match=r"without Optuna studies|no such file"):
        read(source, **options)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


def test_reading_changes_no_byte_of_a_study(tmp_path):
    file = tmp_path / "study.db"
    study = _study(n_trials=5, storage=f"sqlite:///{file}", study_name="first")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE alembic_version")  # Optuna would create it again
        connection.commit()
    before = file.read_bytes()
    file.chmod(0o444)
    assert copa_nb.from_optuna(file)[NAMES].equals(copa_nb.from_optuna(study)[NAMES])
    assert file.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE trials SET state = 'DONE'",
        "UPDATE study_directions SET direction = 'SIDEWAYS'",
        "UPDATE trial_params SET distribution_json = '{'",
        "UPDATE trial_params SET distribution_json = '[]'",
        "UPDATE trial_values SET value = 'fast'",
        "DELETE FROM study_directions",
        "ALTER TABLE trials RENAME COLUMN number TO place",
    ],
)
def test_an_edited_database_is_named(tmp_path, edit):
    file = tmp_path / "edited.db"
    _study(n_trials=5, storage=f"sqlite:///{file}", study_name="first")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(edit)
        connection.commit()
    with pytest.raises(ValueError, match=r"^`study` is '.*edited\.db', which cannot be read: "):
        copa_nb.from_optuna(file)


def test_storages_that_hold_nothing(tmp_path):
    (tmp_path / "text.log").write_text("hello")
    with pytest.raises(ValueError, match="which contains no Optuna study"):
        copa_nb.from_optuna(tmp_path / "text.log")
    (tmp_path / "list.log").write_text("[1]\n")
    with pytest.raises(ValueError, match=r"'.*list\.log', which is neither an SQLite database nor a journal"):
        copa_nb.from_optuna(tmp_path / "list.log")
    with pytest.raises(FileNotFoundError):
        copa_nb.from_optuna(f"sqlite:///{tmp_path}/none.db")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(ValueError, match="which cannot be read"):
        copa_nb.from_optuna("nothing://here")


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"`study` must be an Optuna study.*not dict"):
        copa_nb.from_optuna({})


def test_constraints_as_optuna_kept_them_before_they_had_names():
    assert _constraints(SimpleNamespace(system_attrs={"constraints": (0.5, -1.0)})) == {"0": 0.5, "1": -1.0}
    assert _constraints(SimpleNamespace(system_attrs={"constraints": None})) == {}
    assert _constraints(SimpleNamespace(constraints={"memory": 2.0}, system_attrs={"constraints": (1,)})) == {
        "memory": 2.0
    }


def test_a_database_that_is_cut_is_no_study(tmp_path):
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\x00" + bytes(4096))
    assert not is_study(tmp_path / "cut.db")


def test_a_study_whose_objectives_have_no_names_says_how_to_name_them():
    (note,) = copa_nb.read(_study(names=None)).attrs["notes"]
    assert "does not name its objectives; 'values_0', 'values_1', 'values_2' are in the order of its function" in note
    assert "names=['loss', 'accuracy', 'metric_2']" in note.replace("`", "")
    assert copa_nb.read(_study(names=None), names=["loss", "accuracy", "metric_2"]).attrs["notes"] == []
    assert copa_nb.read(_study(names=["a", "b", "c"])).attrs["notes"] == []
