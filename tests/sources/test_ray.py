"""What Ray returns, in a process of its own: it leaves others behind."""

import importlib.util
import os
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

import copa_nb

PROGRAM = """
    import sys, warnings
    warnings.simplefilter("ignore")
    import ray
    from ray import tune
    import copa_nb

    def train(config):
        if config["x"] == 3:
            raise ValueError("no")
        tune.report({"accuracy": 0.0, "cost": 0.0})
        tune.report({"accuracy": 1 - 0.1 * config["x"], "cost": 10.0 - config["x"]})

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    grid = tune.Tuner(
        train,
        param_space={"x": tune.grid_search([0, 1, 2, 3]), "net": "small"},
        tune_config=tune.TuneConfig(metric="accuracy", mode="max", reuse_actors=True),
        run_config=tune.RunConfig(storage_path=sys.argv[1], verbose=0),
    ).fit()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = copa_nb.from_ray(grid, accuracy="max", cost="min")
    assert str(said[0].message) == "1 of 4 trials are left out: 1 failed.", said[0].message
    assert table.moo.objectives.to_dict() == {"accuracy": "max", "cost": "min"}
    rows = table.set_index("config/x")
    assert rows["accuracy"].round(9).to_dict() == {0: 1.0, 1: 0.9, 2: 0.8}
    assert set(table["config/net"]) == {"small"}
    assert len(table.moo.front()) == 3
    cheapest = grid.get_best_result("cost", "min")
    assert table["cost"].idxmin() == cheapest.metrics["trial_id"]
    assert table["cost"].min() == cheapest.metrics["cost"] == 8.0
    best = copa_nb.read(grid).moo.copa().best
    assert best == grid.get_best_result().metrics["trial_id"]
    try:
        copa_nb.from_ray(grid, acuracy="max")
    except ValueError as error:
        assert "`acuracy` is not a column of Ray" in str(error)
    ray.shutdown()
    print("checked", table["config/x"].tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray (270 MB) is not installed")
def test_rays_trials(tmp_path):
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | quiet,
    )
    if "timed out during startup" in done.stderr:
        pytest.skip("Ray's processes did not start on this machine, which has too much to do")
    assert "checked [0, 1, 2]" in done.stdout, done.stderr[-2000:]


class Grid(list):
    """As much of a ResultGrid as is read."""

    def get_dataframe(self):
        raise AssertionError("it writes settings as text")


def test_settings_follow_the_metrics():
    trial = SimpleNamespace(error=None, metrics={"trial_id": "t", "loss": 1.5, "pid": 7}, config={"lr": 0.1})
    other = SimpleNamespace(error=None, metrics={"trial_id": "u", "loss": 0.5}, config=None)
    table = copa_nb.from_ray(Grid([trial, other]), loss="min")
    assert table.columns.tolist() == ["loss", "config/lr"]
    assert table.loc["t"].tolist() == [1.5, 0.1]
    assert table["config/lr"].isna().tolist() == [False, True]


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"`grid` must be what Tuner\.fit"):
        copa_nb.from_ray([])


def test_a_run_knows_what_it_was_told_to_optimise():
    grid = Grid([SimpleNamespace(error=None, metrics={"trial_id": "t", "loss": 1.5, "acc": 0.5}, config={})])
    grid._experiment_analysis = SimpleNamespace(default_metric="loss", default_mode="min")
    assert copa_nb.from_ray(grid).moo.description["objectives"] == {"loss": "min"}
    assert copa_nb.from_ray(grid, acc="max").moo.description["objectives"] == {"acc": "max"}
    for analysis in (None, SimpleNamespace(default_metric="loss", default_mode=None)):
        grid._experiment_analysis = analysis
        with pytest.raises(
            ValueError,
            match=r'Ray does not state whether more or less is better; name the directions, e\.g\. loss="max"',
        ):
            copa_nb.from_ray(grid)
