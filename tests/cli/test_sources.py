"""Studies, results and exports in the place of a table."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb
from copa_nb.cli import main

LOGS = Path(__file__).parents[1] / "sources" / "data" / "lm_eval_samples"
WRITTEN = Path(__file__).parents[1] / "sources" / "data" / "results_lm_eval_0.4.13.json"


def _run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    file = tmp_path_factory.mktemp("studies") / "study.db"

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 3:
            raise optuna.TrialPruned
        return x, (1 - x) ** 2

    for name in ("net", "tree"):
        sampler = optuna.samplers.RandomSampler(seed=0)
        made = optuna.create_study(
            directions=["minimize"] * 2, storage=f"sqlite:///{file}", study_name=name, sampler=sampler
        )
        made.optimize(objective, n_trials=12)
    return file


def test_a_study(study):
    done = _run("select", study, "--source", "optuna:net", "--quick")
    assert done.exit_code == 0, done.output
    with pytest.warns(UserWarning, match="1 pruned"):
        best = copa_nb.from_optuna(study, name="net").moo.copa().best
    assert f"Choose trial {best}" in done.stdout
    assert "1 of 12 trials are left out: 1 pruned." in done.stderr
    chosen = _run(
        "select", study, "--source", "optuna:net", "--quick", "--min", "values_0", "--where", "params_x > 0.5"
    )
    assert chosen.exit_code == 0, chosen.output
    assert "Choose trial 11: it dominates all 7 other rows allowed" in chosen.stdout


def test_which_study_is_meant_has_to_be_said(study):
    done = _run("select", study, "--quick")
    assert done.exit_code != 0
    assert "contains several studies" in done.stderr
    assert "`--source optuna:` is 'nett'" in _run("select", study, "--source", "optuna:nett", "--quick").stderr


def test_results_of_the_harness(tmp_path):
    for flags in (["--source", "lm-eval"], []):
        done = _run("select", WRITTEN, *flags, "--max", "tiny_choice/acc", "--min", "tiny_ppl/bits_per_byte", "--quick")
        assert done.exit_code == 0, done.output
        assert "The only row is dummy" in done.stdout
    other = json.loads(WRITTEN.read_text()) | {"model_name": "other"}
    shutil.copy(WRITTEN, tmp_path)
    (tmp_path / "results_other.json").write_text(json.dumps(other))
    assert "All 2 rows are equal" in _run("select", tmp_path, "--quick").stdout


def test_an_export_takes_its_directions_from_the_options(tmp_path):
    (tmp_path / "export.csv").write_text("Name,State,acc,ms\na,finished,0.9,3\nb,finished,0.8,1\nc,failed,,\n")
    done = _run("select", tmp_path / "export.csv", "--source", "wandb", "--max", "acc", "--min", "ms", "--quick")
    assert done.exit_code == 0, done.output
    assert "1 of 3 runs are left out: 1 failed." in done.stderr
    done = _run("select", tmp_path / "export.csv", "--source", "wandb", "--quick")
    assert "W&B does not state whether more or less is better" in done.stderr


def test_a_study_is_handed_over_with_its_types_and_names(study, tmp_path, monkeypatch):
    jobs = []
    monkeypatch.setattr("copa_nb.cli.own_tables.run_jobs", lambda made, **options: jobs.extend(made))
    done = _run("select", study, "--source", "optuna:net", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    with pytest.warns(UserWarning, match="1 pruned"):
        table = copa_nb.from_optuna(study, name="net")
    (job,) = jobs
    assert Path(job.parameters["table"]).is_relative_to(tmp_path / ".copa-nb/tables")
    pd.testing.assert_frame_equal(pd.read_parquet(job.parameters["table"]), table, check_exact=True)
    assert job.parameters["objectives"] == {"values_0": "min", "values_1": "min"}
    assert job.name == "select/study"


def test_one_folder_with_logs_of_two_systems_is_compared_item_by_item(tmp_path):
    for name in ("baseline", "new"):
        shutil.copytree(LOGS / name, tmp_path / "both" / name)
    asked = ("--max", "sums/acc", "--quick")
    pair = _run("compare", LOGS / "new", LOGS / "baseline", *asked)
    both = _run("compare", tmp_path / "both", *asked)
    assert pair.exit_code == both.exit_code == 0, both.output
    assert "Take acme/agent-2: better than acme/agent-1" in both.output
    assert both.stdout == pair.stdout


def test_clusters_of_logs_are_a_field_of_their_items():
    asked = ("compare", LOGS / "new", LOGS / "baseline", "--max", "sums/acc", "--quick")
    clustered = _run(*asked, "--cluster", "sheet")
    assert clustered.exit_code == 0, clustered.output
    assert clustered.output != _run(*asked).output
    refused = _run(*asked, "--cluster", "nothing")
    assert refused.exit_code == 2
    assert "`--cluster` is 'nothing', which no item has" in refused.output
