"""What tools for evaluations write: files made by promptfoo 0.121.20 and DeepEval 4.3.1, folders of SWE-bench."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb
from copa_nb.cli import main

DATA = Path(__file__).parent / "data"
PROMPTFOO, DEEPEVAL = DATA / "promptfoo.json", DATA / "deepeval_run.json"


def test_promptfoo_has_a_row_for_each_provider_test_and_repetition():
    table = copa_nb.read(PROMPTFOO)
    assert table.moo.description == {
        "objectives": {"success": "max", "cost_usd": "min", "latency_ms": "min"},
        "system": "system", "item": "item", "repeat": "repeat",
    }  # fmt: skip
    written = json.loads(PROMPTFOO.read_text())["results"]
    assert len(table) == len(written["results"]) == 2 * 4 * 3
    assert set(table["item"]) == {"test 1", "test 2", "test 3", "five"}
    # large says no to 2 and 5, small to 3: its answer is wrong where (a + offset) % 3 is 0.
    right = table.groupby(["system", "item"])["success"].mean().unstack()
    assert right.loc["large"].to_dict() == {"test 1": 1, "test 2": 0, "test 3": 1, "five": 0}
    assert right.loc["small"].to_dict() == {"test 1": 1, "test 2": 1, "test 3": 0, "five": 1}
    assert table["right"].tolist() == table["success"].tolist(), "named scores are columns"
    assert table.groupby("system")["cost_usd"].agg("max").to_dict() == {"large": 0.004, "small": 0.001}
    assert table.moo.pass_k(2)["success_pass_2"].isin([0, 1]).all()
    assert copa_nb.read(PROMPTFOO, {"right": "max"}).moo.description["objectives"] == {"right": "max"}


def test_answers_that_promptfoo_did_not_get_are_left_out():
    document = json.loads(PROMPTFOO.read_text())
    document["results"]["results"][0] |= {"failureReason": 2, "success": False, "error": "429"}
    with pytest.warns(UserWarning, match="1 of 24 results are left out: 1 without an answer"):
        assert len(copa_nb.read(document)) == 23
    document["results"]["results"][1]["prompt"]["label"] = "another prompt"
    with pytest.warns(UserWarning, match="left out"):
        assert "large | another prompt" in set(copa_nb.read(document)["system"]), "prompts are compared, too"


def test_deepeval_runs_are_systems_and_their_cases_are_items(tmp_path):
    run = json.loads(DEEPEVAL.read_text())
    (tmp_path / "first.json").write_text(json.dumps(run))
    run["hyperparameters"]["model"] = "large"
    for case in run["testCases"]:
        case |= {"success": True, "tokenCost": 1.0}
    (tmp_path / "second.json").write_text(json.dumps(run))
    table = copa_nb.read(tmp_path)
    assert table.moo.description["objectives"] == {"success": "max", "cost_usd": "min", "seconds": "min"}
    assert table.groupby("system")["success"].mean().to_dict() == {"small": 0.6, "large": 1.0}
    assert table.query("system == 'small'")["Exact"].tolist() == [0, 1, 1, 0, 1]
    assert "repeat" not in table
    assert copa_nb.read([DEEPEVAL, DEEPEVAL])["repeat"].tolist() == [0] * 5 + [1] * 5
    run.pop("hyperparameters")
    assert copa_nb.from_deepeval(run)["system"].unique().tolist() == ["dict"]


def _submission(folder, name, **lists):
    (folder / name / "results").mkdir(parents=True)
    (folder / name / "results" / "results.json").write_text(json.dumps(lists))


def test_submissions_to_swe_bench_are_compared_instance_by_instance(tmp_path):
    _submission(tmp_path, "20240101_a", resolved=["x-1", "x-2"], no_generation=["x-3"])
    _submission(tmp_path, "20240202_b", resolved=["x-2", "x-4"], no_generation=[])
    table = copa_nb.read(tmp_path)
    assert table.pivot_table(index="system", columns="item", values="resolved").to_dict("index") == {
        "20240101_a": {"x-1": 1, "x-2": 1, "x-3": 0, "x-4": 0}, "20240202_b": {"x-1": 0, "x-2": 1, "x-3": 0, "x-4": 1},
    }  # fmt: skip
    assert table.moo.description == {"objectives": {"resolved": "max"}, "system": "system", "item": "item"}
    assert table.moo.compare("20240202_b", "20240101_a").table.loc["resolved", "difference"] == 0
    with pytest.raises(ValueError, match=r"in which no folder has 'results/results\.json'"):
        copa_nb.from_swe_bench(tmp_path / "20240101_a")


@pytest.mark.parametrize(
    ("read", "content"),
    [(copa_nb.from_promptfoo, {"evalId": 1}), (copa_nb.from_promptfoo, {}), (copa_nb.from_deepeval, {"results": []})],
)
def test_other_documents_are_refused(read, content):
    with pytest.raises(ValueError, match=r"which is not a .*: it has no"):
        read(content)


def test_they_are_described_on_the_shell():
    said = CliRunner().invoke(main, ["describe", str(PROMPTFOO)]).output
    assert said.startswith("2 systems × 4 items × 3 repeats\nsuccess ↑, cost_usd ↓, latency_ms ↓\n")


def test_scores_that_langfuse_exports_are_a_long_table(tmp_path):
    """As docs/how_to/load_your_table.md writes it; the columns are those of an export of all scores as CSV."""
    rows = [
        f"{name}-{trace}-{score},2026-01-01T00:00:00Z,{score},NUMERIC,{value},API,{name}-{trace},,{name},default"
        for name, right in (("new", 0.9), ("old", 0.6))
        for trace in range(5)
        for score, value in (("correctness", right + trace / 100), ("cost", 0.02))
    ]
    head = "id,timestamp,name,dataType,value,source,traceId,observationId,traceName,environment"
    (tmp_path / "scores.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    scores = pd.read_csv(tmp_path / "scores.csv")
    table = copa_nb.from_long(
        scores, {"correctness": "max"}, system="traceName", repeat="traceId", metric="name", value="value"
    )
    assert len(table) == 10
    assert table.groupby(level=0)["correctness"].mean().round(2).to_dict() == {"new": 0.92, "old": 0.62}
    assert table["cost"].tolist() == [0.02] * 10
    runs = table.reset_index().moo(correctness="max", system="traceName", repeat="traceId")
    assert runs.board(n_resamples=100).table.index.tolist() == ["new", "old"]


def test_a_comparison_report_of_skore_is_a_table_once_it_is_turned():
    """As docs/how_to/load_your_table.md writes it, of a frame as version 0.28 makes it of two models."""
    frame = pd.DataFrame(
        {
            "logistic_split_0": [0.94, 0.34], "logistic_split_1": [0.96, 0.41], "logistic_split_2": [0.95, 0.39],
            "forest_split_0": [0.93, 0.03], "forest_split_1": [0.94, 0.03], "forest_split_2": [0.96, 0.04],
        },
        index=["roc_auc", "fit_time"],
    )  # fmt: skip
    splits = frame.T
    splits.index = splits.index.str.rsplit("_split_", n=1, expand=True).rename(["model", "split"])
    table = copa_nb.moo(splits.reset_index(), roc_auc="max", fit_time="min", system="model", item="split")
    assert splits.groupby("model")["fit_time"].mean().round(3).to_dict() == {"forest": 0.033, "logistic": 0.38}
    assert sorted(table.board(n_resamples=100).table.index) == ["forest", "logistic"]
