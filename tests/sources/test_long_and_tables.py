"""Long tables, exports of trackers, results of benchmarks: turned into one row per model."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.datasets import load_amlb
from copa_nb.datasets.amlb import fill_failed
from copa_nb.datasets.bundle import load_bundled
from copa_nb.tables.objectives import RowsOmittedWarning

RAW = Path(os.environ.get("COPA_NB_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
WIDE = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "ms": [3.0, 1.0, 2.0]}, index=pd.Index(["c", "a", "b"], name="model"))
NAMED = {"system": "model", "metric": "metric", "value": "value"}


def _long(wide):
    return wide.reset_index().melt("model", var_name="metric")


def test_there_and_back():
    table = copa_nb.from_long(_long(WIDE), **NAMED, acc="max", ms="min")
    pd.testing.assert_frame_equal(table, WIDE, check_index_type=False)
    assert table.moo.description["objectives"] == {"acc": "max", "ms": "min"}
    assert "moo" not in copa_nb.from_long(_long(WIDE), **NAMED).attrs


def test_repetitions_are_kept():
    seeds = pd.concat([_long(WIDE).assign(seed=seed) for seed in (1, 2)])
    table = copa_nb.from_long(seeds, **NAMED, repeat="seed", acc="max", ms="min")
    assert table.index.tolist() == ["c", "a", "b"] * 2
    assert table["seed"].tolist() == [1, 1, 1, 2, 2, 2]
    assert table.attrs["notes"] == []
    with pytest.raises(ValueError, match=r"system 'c' has 2 values of metric 'acc'; set `repeat` to the column"):
        copa_nb.from_long(seeds, **NAMED)
    with pytest.raises(ValueError, match="has 2 values of metric 'acc' in repetition 1"):
        copa_nb.from_long(pd.concat([seeds, seeds]), **NAMED, repeat="seed")


def test_combinations_that_do_not_occur_are_missing():
    table = copa_nb.from_long(_long(WIDE)[1:], **NAMED, acc="max", ms="min")
    with pytest.raises(ValueError, match=r"'acc' in 1 of 3 rows \('c'\)"):
        table.moo.copa()


def test_long_tables_of_polars():
    pl = pytest.importorskip("polars")
    long = pl.from_pandas(_long(WIDE))
    assert copa_nb.from_long(long, **NAMED, acc="max").equals(copa_nb.from_long(_long(WIDE), **NAMED))


def test_refusals_of_long_tables():
    with pytest.raises(ValueError, match="`metric` names 'x', which is neither a column nor an index level"):
        copa_nb.from_long(_long(WIDE), **{**NAMED, "metric": "x"})
    with pytest.raises(ValueError, match=r"`acx` is not a column of `frame`.*Did you mean 'acc'"):
        copa_nb.from_long(_long(WIDE), **NAMED, acx="max")
    with pytest.raises(ValueError, match="`system` column 'model' is missing in 2 rows"):
        copa_nb.from_long(_long(WIDE).replace({"model": {"c": None}}), **NAMED)
    with pytest.raises(ValueError, match="`repeat` is 'acc', which is also a value of 'metric'; rename one of them"):
        copa_nb.from_long(_long(WIDE).assign(acc=1), **NAMED, repeat="acc")
    with pytest.raises(
        TypeError, match=r"`objectives` must map columns to directions, not list, e\.g\. \{'acc': \"max\"\}\."
    ):
        copa_nb.from_long(_long(WIDE), ["acc"], **NAMED)


def test_an_export_of_weights_and_biases(tmp_path):
    # Columns as the export of a table of runs has them.
    file = tmp_path / "export.csv"
    file.write_text(
        '"Name","State","Notes","User","Tags","Created","Runtime","Sweep","lr","accuracy","loss"\n'
        '"bright-sun-1","finished","-","me","","2026-01-01T00:00:00.000Z","61","","0.1","0.9","0.3"\n'
        '"calm-sea-2","finished","-","me","","2026-01-01T00:00:00.000Z","32","","0.01","0.8","0.5"\n'
        '"lost-fog-3","crashed","-","me","","2026-01-01T00:00:00.000Z","5","","1","",""\n'
        '"calm-sea-2","finished","-","me","","2026-01-01T00:00:00.000Z","30","","0.02","0.7","0.6"\n'
    )
    with pytest.warns(RowsOmittedWarning, match=r"1 of 4 runs are left out: 1 crashed\."):
        table = copa_nb.read(file, format="wandb", accuracy="max", Runtime="min")
    assert table.moo.front().index.tolist() == ["bright-sun-1", "calm-sea-2", "calm-sea-2 (2)"]
    assert "are numbered" in table.attrs["notes"][1]
    with pytest.raises(ValueError, match="W&B does not state whether more or less is better"):
        copa_nb.from_wandb(file)
    with pytest.raises(TypeError, match="not int"):
        copa_nb.from_wandb(3, accuracy="max")


def test_runs_of_the_api_of_weights_and_biases():
    # 62 MB installed and in need of a server, but its runs can be made of what a server would answer.
    public = pytest.importorskip("wandb.apis.public", reason="W&B (62 MB) is not installed")

    def run(name, summary, state="finished", **config):
        answer = {"id": name, "name": name, "displayName": name, "state": state, "summaryMetrics": json.dumps(summary)}
        answer |= {
            "config": json.dumps({key: {"value": value} for key, value in config.items()}),
            "user": {},
            "tags": [],
        }
        answer |= {"systemMetrics": "{}", "sweepName": None, "createdAt": "", "heartbeatAt": ""}
        return public.Run(None, "team", "project", name, attrs=answer, lazy=False)

    runs = [
        run("a", {"acc": 0.9, "ms": 3, "best": {"max": 1}}, lr=0.1, net={"depth": 2}),
        run("b", {"acc": "NaN", "ms": "Infinity"}, lr=0.2),
        run("c", {}, "crashed"),
    ]
    with pytest.warns(RowsOmittedWarning, match=r"1 of 3 runs are left out: 1 crashed\."):
        table = copa_nb.read(runs, acc="max", ms="min")
    assert table.columns.tolist() == ["acc", "ms", "config/lr", "config/net"]
    np.testing.assert_array_equal(table[["acc", "ms", "config/lr"]], [[0.9, 3, 0.1], [np.nan, np.inf, 0.2]])
    assert table.loc["a", "config/net"] == "{'depth': 2}"


def _raw_folds():
    """The bundled folds under the names that the benchmark gives its columns."""
    return load_bundled("amlb_folds").rename(columns={"time_limit": "constraint", "training_s": "training_duration"})


def test_means_are_those_of_the_bundled_table():
    table = copa_nb.from_amlb(_raw_folds())
    expected = load_amlb().assign(framework=lambda means: means["framework"] + " (" + means["time_limit"] + ")")
    expected = expected.pivot(index="framework", columns="task", values="result")
    found = table.reindex_like(expected)
    assert set(table.index) == set(expected.index)
    np.testing.assert_allclose(found[expected.notna()], expected, rtol=1e-8)
    assert set(table.moo.description["objectives"].values()) == {"max"}
    assert "folds failed" in table.attrs["notes"][0]


def test_folds_are_those_of_the_bundled_table():
    table = copa_nb.from_amlb(_raw_folds(), folds=True)
    assert table.moo.description["objectives"] == {"result": "max", "training_duration": "min"}
    np.testing.assert_array_equal(table["result"], fill_failed(load_bundled("amlb_folds"))["result"])


@pytest.mark.slow
@pytest.mark.skipif(not (RAW / "amlb_regression.csv").is_file(), reason="the raw files are not at hand")
def test_the_file_that_the_benchmark_writes():
    table = copa_nb.read(RAW / "amlb_regression.csv", format="amlb")
    expected = load_amlb(problem_type="regression")
    for row in expected.sample(40, random_state=0).itertuples():
        name = next(name for name in table.index if name.split("_")[0].split(" ")[0] == row.framework
                    and name.endswith(f"({row.time_limit})"))  # fmt: skip
        assert table.loc[name, row.task] == pytest.approx(row.result, rel=1e-6)


def test_failed_folds_without_a_baseline_are_missing():
    folds = pd.DataFrame(
        {"task": "t", "framework": ["A", "A", "B", "B"], "fold": [0, 1] * 2, "result": [0.9, None, 0.8, 0.7]}
    )
    table = copa_nb.from_amlb(folds)
    assert np.isnan(table.loc["A", "t"])
    assert table.loc["B", "t"] == 0.75
    assert "1 of 4 folds failed; 0 of them are given" in table.attrs["notes"][0]
    with pytest.raises(ValueError, match="several rows of 'A' on fold 0 of 't'"):
        copa_nb.from_amlb(pd.concat([folds, folds]))
    with pytest.raises(ValueError, match="`results` names 'fold', which is not a column"):
        copa_nb.from_amlb(folds.drop(columns="fold"))


@pytest.mark.parametrize("column", ["model", "metric", "seed"])
def test_columns_that_cannot_name_rows(column):
    long = pd.DataFrame({"model": ["a", "b"], "metric": ["x", "x"], "seed": [1, 2], "value": [1.0, 2.0]})
    options = {"system": "model", "metric": "metric", "value": "value", "repeat": "seed"}
    argument = {"seed": "repeat", "model": "system"}.get(column, column)
    with pytest.raises(TypeError, match=f"`{argument}` is {column!r}, a column with lists"):
        copa_nb.from_long(long.assign(**{column: [[1], [2]]}), **options)
    found = copa_nb.from_long(long.assign(**{column: np.array([1, 2], "float16")}), **options)
    assert found.notna().to_numpy().sum() == 4


def test_half_precision_is_widened_wherever_it_stands():
    long = pd.DataFrame({"m": [1, 1, 2, 2], "k": [1, 2, 1, 2], "v": [1.5, 2.5, 3.5, 4.5]}).astype("float16")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = copa_nb.from_long(long, system="m", metric="k", value="v")
        assert "4.5" in repr(found)
    assert found.dtypes.tolist() == [np.float64, np.float64]
    assert found.to_numpy().tolist() == [[1.5, 2.5], [3.5, 4.5]]
