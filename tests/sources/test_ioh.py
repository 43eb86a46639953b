"""Logs that ioh itself writes: what is in them, held against what the functions returned while it logged."""

import json
import math
import re
import shutil

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import asked

EVALUATIONS = 60


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """Folders of logs of a suite to be minimized and of one to be maximized, and all values in the order they came."""
    ioh = pytest.importorskip("ioh")
    root, values = tmp_path_factory.mktemp("ioh"), []
    suites = {"BBOB": (ioh.ProblemClass.BBOB, 3), "PBO": (ioh.ProblemClass.PBO, 16)}
    for suite, (kind, dimension) in suites.items():
        for algorithm, scale in (("near", 0.5), ("far", 4.0)):
            logger = ioh.logger.Analyzer(root=str(root), folder_name=f"{suite}/{algorithm}", algorithm_name=algorithm)
            for function in (1, 2):
                # Instances of PBO also transform what is returned; logs hold the value before that.
                for instance in (1, 2) if suite == "BBOB" else (1,):
                    problem = ioh.get_problem(function, instance=instance, dimension=dimension, problem_class=kind)
                    problem.attach_logger(logger)
                    optimum = problem.optimum.y if suite == "BBOB" else 0.0  # logs hold the distance from it
                    for repetition in range(2):
                        rng = np.random.default_rng([function, instance, repetition])
                        for number in range(1, EVALUATIONS + 1):
                            at = scale * rng.normal(size=dimension)
                            value = problem(at.tolist() if suite == "BBOB" else (at > 0).astype(int).tolist()) - optimum
                            run = (suite, algorithm, problem.meta_data.name, instance, 2 * instance + repetition - 1)
                            values.append((*run, number, value))
                        problem.reset()
            logger.close()
    columns = ["suite", "algorithm", "function", "instance", "run", "number", "value"]
    return root, pd.DataFrame(values, columns=columns)


def test_the_best_value_of_each_run(logged):
    root, values = logged
    for suite, way in (("BBOB", "min"), ("PBO", "max")):
        table = copa_nb.from_ioh(root / suite, runs=True)
        assert table.moo.description["objectives"] == {"best": way, "evaluations": "min"}
        assert set(table["evaluations"]) == {EVALUATIONS}
        found = table.reset_index().set_index(["algorithm", "function", "instance", "run"])["best"]
        of_suite = values[values["suite"] == suite]
        true = of_suite.groupby(["algorithm", "function", "instance", "run"])["value"].agg(way)
        pd.testing.assert_series_equal(found.sort_index(), true.sort_index(), check_names=False, atol=1e-6)


@pytest.mark.parametrize(("suite", "way"), [("BBOB", "min"), ("PBO", "max")])
def test_running_times_are_those_of_the_definition(logged, suite, way):
    root, values = logged
    of_suite = values[values["suite"] == suite]
    targets = np.quantile(of_suite["value"], [0.003, 0.02, 0.2, 0.8, 0.98, 0.997]).round(3).tolist()
    table = copa_nb.from_ioh(root / suite, targets=targets)
    assert table.moo.description["objectives"] == {"best": way} | {f"ert_{t:g}": "min" for t in targets}
    for (algorithm, function), runs in of_suite.groupby(["algorithm", "function"]):
        row = table[table["function"] == function].loc[algorithm]
        for target in targets:
            spent = reached = 0
            for _, run in runs.groupby("run"):
                hit = run[run["value"] >= target] if way == "max" else run[run["value"] <= target]
                reached += len(hit) > 0
                spent += hit["number"].min() if len(hit) else EVALUATIONS
            true = spent / reached if reached else math.nan
            assert row[f"ert_{target:g}"] == pytest.approx(true, nan_ok=True), (algorithm, function, target)


def test_logs_are_recognized_and_ordered_by_function(logged):
    root, _ = logged
    problems = copa_nb.read(root / "BBOB")
    assert len(asked.posets(problems, system="algorithm", item=["function", "dimension"]).items) == 2


def test_partial_and_mixed_logs(logged, tmp_path):
    root, _ = logged
    with pytest.raises(ValueError, match="functions to be maximized and others to be minimized"):
        copa_nb.from_ioh(root)
    with pytest.raises(ValueError, match="contains no finished experiment of IOHprofiler"):
        copa_nb.from_ioh(tmp_path)
    folder = tmp_path / "near"
    shutil.copytree(root / "BBOB" / "near", folder)
    next(folder.glob("*Sphere.json")).unlink()
    table = copa_nb.from_ioh(folder)
    assert set(table["function"]) == {"Ellipsoid"}
    (note,) = table.attrs["notes"]
    assert "IOHprofiler_f1_DIM3.dat" in note
    assert "which no finished experiment describes" in note
    data = next(folder.rglob("IOHprofiler_f2_DIM3.dat"))
    data.write_text(data.read_text().split("evaluations")[1])
    with pytest.raises(ValueError, match="1 of the 4 runs described; the file may be truncated"):
        copa_nb.from_ioh(folder, targets=[1])
    data.unlink()
    with pytest.raises(FileNotFoundError, match="`targets` needs the data file"):
        copa_nb.from_ioh(folder, targets=[1])


def test_experiments_without_runs_are_refused():
    with pytest.raises(ValueError, match="contains only experiments without runs"):
        copa_nb.from_ioh({"function_id": 1, "maximization": False, "scenarios": []})


def test_a_data_file_may_begin_with_other_lines(tmp_path):
    """Evaluations until a target are the first number of the first line whose value reaches it."""
    runs = [{"instance": 1, "evals": 9, "best": {"y": 0.1}}, {"instance": 2, "evals": 7, "best": {"y": 2.0}}]
    scenario = {"dimension": 2, "path": "x.dat", "runs": runs}
    (tmp_path / "a.json").write_text(
        json.dumps({"function_id": 1, "maximization": False, "scenarios": [scenario], "algorithm": {"name": "a"}})
    )
    (tmp_path / "x.dat").write_text(
        "written by hand 0\n\nevaluations raw_y\n1 5\n\n4 1\n9 0.1\nevaluations raw_y\n2\n7 2\n"
    )
    table = copa_nb.from_ioh(tmp_path, targets=[1, 3], runs=True)
    assert table.columns.tolist() == [
        "function", "dimension", "instance", "run", "best", "evaluations", "evaluations_1", "evaluations_3"
    ]  # fmt: skip
    assert table["run"].tolist() == [1, 2]
    hits = table[["evaluations_1", "evaluations_3"]].to_numpy()
    np.testing.assert_array_equal(hits, [[4, 4], [np.nan, 7]])
    for wrong in (3, "low", [None], [0.1, math.inf]):
        with pytest.raises(ValueError, match=re.escape(f"`targets` is {wrong!r}; it must be a list of numbers, e.g.")):
            copa_nb.from_ioh(tmp_path, targets=wrong)
