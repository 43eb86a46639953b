"""MLflow's own runs and Inspect's own logs."""

import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.sources.items import LogsDifferWarning
from copa_nb.tables.objectives import RowsOmittedWarning


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory):
    import os

    # Where a version of MLflow has to be told that files are meant.
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlflow = pytest.importorskip("mlflow")
        mlflow.set_tracking_uri(tmp_path_factory.mktemp("mlruns").as_uri())
        mlflow.set_experiment("trees")
        for k in range(4):
            with mlflow.start_run(run_name=f"tree {k}"):
                mlflow.log_params({"depth": k, "kind": "a"})
                mlflow.log_metric("accuracy", 0.1, step=0)
                mlflow.log_metric("accuracy", 0.6 + 0.1 * k, step=1)
                if k != 2:
                    mlflow.log_metric("latency_ms", 10.0 + k)
        mlflow.set_experiment("failures")
        for status in ("FAILED", "KILLED", "FAILED"):
            mlflow.start_run()
            mlflow.log_metric("accuracy", 0.5)
            mlflow.end_run(status)
        yield mlflow


@pytest.mark.slow
def test_the_last_value_of_each_metric(mlflow):
    table = copa_nb.from_mlflow(mlflow.search_runs(experiment_names=["trees"]), accuracy="max").sort_index()
    assert table["accuracy"].tolist() == pytest.approx([0.6, 0.7, 0.8, 0.9])
    assert table.index.tolist() == ["tree 0", "tree 1", "tree 2", "tree 3"]
    assert table["params.depth"].tolist() == [0, 1, 2, 3]
    assert set(table["params.kind"]) == {"a"}
    assert table.moo.copa().best == "tree 3"
    assert copa_nb.from_mlflow(experiment_names="trees", accuracy="max").sort_index().equals(table)


@pytest.mark.slow
def test_runs_that_did_not_finish(mlflow):
    with pytest.raises(ValueError, match=r"MLflow has no runs to compare: 3 in all, (2 failed, 1 k|1 killed, 2 f)"):
        copa_nb.from_mlflow(experiment_names="failures", accuracy="max")
    both = mlflow.search_runs(experiment_names=["trees", "failures"])
    with pytest.warns(RowsOmittedWarning, match="3 of 7 runs are left out"):
        assert len(copa_nb.from_mlflow(both, accuracy="max")) == 4


def test_a_saved_table_of_runs_may_lack_their_status():
    runs = pd.DataFrame({"run_id": ["a", "b"], "status": ["FAILED", "FINISHED"], "metrics.accuracy": [0.9, 0.8]})
    with pytest.warns(RowsOmittedWarning, match="1 of 2 runs are left out: 1 failed"):
        assert list(copa_nb.from_mlflow(runs, accuracy="max").index) == ["b"]
    assert list(copa_nb.from_mlflow(runs.drop(columns="status"), accuracy="max").index) == ["a", "b"]


# Of six answers, model "sharp" gives six right ones and model "dull" three.
SHARP, DULL = 1, 2


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    pytest.importorskip("inspect_ai")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from inspect_ai import Task, eval
        from inspect_ai.dataset import Sample
        from inspect_ai.model import ModelOutput, ModelUsage, get_model
        from inspect_ai.scorer import includes
        from inspect_ai.solver import generate, solver

        def model(name, step, tokens):
            def output(k):
                answer = ModelOutput.from_content(f"mockllm/{name}", "right" if k % step == 0 else "wrong")
                answer.usage = ModelUsage(input_tokens=tokens, output_tokens=tokens, total_tokens=2 * tokens)
                return answer

            return get_model(f"mockllm/{name}", custom_outputs=[output(k) for k in range(200)], memoize=False)

        @solver
        def broken():
            async def solve(state, generate):
                raise ValueError("no")

            return solve

        def task(name, how):
            samples = [Sample(input=f"question {k}", target="right") for k in range(6)]
            return Task(dataset=samples, solver=how, scorer=includes(), name=name)

        folder = str(tmp_path_factory.mktemp("logs"))
        options = {"log_dir": folder, "display": "none", "epochs": 2}
        models = [model("sharp", SHARP, 9), model("dull", DULL, 2)]
        # In a thread of its own: tests in a browser leave a running event loop in this one.
        with ThreadPoolExecutor(1) as pool:
            both = [task("sums", generate()), task("words", generate())]
            pool.submit(eval, both, model=models, **options).result()
            pool.submit(eval, task("broken", broken()), model=model("dull", DULL, 2), **options).result()
    return folder


# Inspect leaves files and loops to the garbage collector.
unclosed = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@unclosed
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, about Inspect
def test_samples_of_inspect_as_a_frame(logs):
    """As docs/how_to/load_your_table.md writes it."""
    from inspect_ai.analysis import EvalModel, EvalTask, SampleSummary, samples_df

    read = samples_df(logs, columns=EvalModel + EvalTask + SampleSummary, quiet=True)
    samples = read[read["task_name"] == "sums"].copy()
    samples["right"] = samples["score_includes"].eq("C").astype(float)
    table = copa_nb.moo(samples, {"right": "max"}, system="model", item="id", repeat="epoch")
    passed = table.pass_k(1)
    shares = passed.groupby("model")[passed.columns[-1]].mean()
    assert shares.to_dict() == {"mockllm/dull": 0.5, "mockllm/sharp": 1}


@unclosed
@pytest.mark.slow
def test_inspects_headline_scores(logs):
    with pytest.warns(RowsOmittedWarning, match=r"1 of 5 evaluations are left out: 1 error\."):
        table = copa_nb.read(logs, sums="max", words="max", tokens="min")
    assert table.loc["mockllm/sharp", ["sums", "words"]].tolist() == [1, 1]
    assert table.loc["mockllm/dull", ["sums", "words"]].tolist() == [0.5, 0.5]
    assert table.loc["mockllm/dull", "sums_stderr"] > table.loc["mockllm/sharp", "sums_stderr"] == 0
    assert table["tokens"].to_dict() == {"mockllm/sharp": 36, "mockllm/dull": 8}
    assert len(table.moo.front()) == 2


@unclosed
@pytest.mark.slow
def test_inspects_epochs_are_repetitions(logs):
    with pytest.warns(RowsOmittedWarning):
        table = copa_nb.from_inspect(logs, epochs=True, sums="max", tokens="min")
    assert table["epoch"].tolist() == [1, 2, 1, 2]
    means = table.groupby("model")["sums"].mean()
    assert means.to_dict() == {"mockllm/dull": 0.5, "mockllm/sharp": 1.0}
    assert not np.isnan(table[["sums", "words", "tokens", "seconds"]].to_numpy()).any()


def test_runs_without_a_name_go_by_their_id():
    runs = pd.DataFrame({"run_id": ["x1", "x2"], "tags.mlflow.runName": ["deep", None], "metrics.acc": [0.9, 0.8]})
    assert copa_nb.from_mlflow(runs, acc="max").index.tolist() == ["deep", "x2"]
    assert copa_nb.from_mlflow(runs.drop(columns="run_id").fillna("flat"), acc="max").index.tolist() == ["deep", "flat"]


@pytest.mark.parametrize(
    ("runs", "raised", "said"),
    [
        (None, ValueError, "`runs` is missing: pass mlflow.search_runs(...), or name experiments in `ex"),
        ([1], TypeError, "`runs` must be what mlflow.search_runs() returns, a DataFrame, not list."),
        (pd.DataFrame({"metrics.acc": []}), ValueError, "`runs` contains no runs; check the experiment and the"),
        (pd.DataFrame({"acc": [1.0]}), ValueError, '`runs` contains no column "metrics.*"; check the experiment'),
        (pd.DataFrame({"metrics.accc": [1.0]}), ValueError, "`acc` is not a column of MLflow; the columns are 'accc'"),
    ],
)
def test_what_is_no_table_of_runs(runs, raised, said):
    with pytest.raises(raised, match=re.escape(said)):
        copa_nb.from_mlflow(runs, acc="max")


def test_experiments_are_searched_by_name(monkeypatch):
    experiments = {"trees": 0.9, "nets": 0.8}

    def search_runs(experiment_names):
        return pd.DataFrame(
            {"run_id": experiment_names, "metrics.acc": [experiments[name] for name in experiment_names]}
        )

    stand_in = SimpleNamespace(
        get_experiment_by_name=experiments.get, get_tracking_uri=lambda: "file:///runs", search_runs=search_runs
    )
    monkeypatch.setitem(sys.modules, "mlflow", stand_in)
    assert copa_nb.from_mlflow(experiment_names="nets", acc="max")["acc"].to_dict() == {"nets": 0.8}
    both = copa_nb.from_mlflow(experiment_names=("nets", "trees"), acc="max")
    assert both["acc"].to_dict() == {"nets": 0.8, "trees": 0.9}
    said = "`experiment_names` has 'tree', which is not an experiment at 'file:///runs'."
    with pytest.raises(ValueError, match=re.escape(said)):
        copa_nb.from_mlflow(experiment_names=["nets", "tree"], acc="max")


# Two tasks, two models, two epochs; "a" was evaluated twice on "sums", and an evaluation of "b" failed.
EVALS = pd.DataFrame(
    [
        ("e1", "a", "sums", "success", "2026-01-01", 0.5, 0.1),
        ("e2", "a", "sums", "success", "2026-01-02", 0.75, 0.2),
        ("e3", "a", "words", "success", "2026-01-01", 1.0, 0.0),
        ("e4", "b", "words", "success", "2026-01-03", 0.25, 0.3),
        ("e5", "b", "sums", "success", "2026-01-03", 0.0, 0.0),
        ("e6", "b", "sums", "error", "2026-01-04", None, None),
    ],
    columns=["eval_id", "model", "task_name", "status", "created", "score_headline_value", "score_headline_stderr"],
).assign(score_headline_name="includes")
SAMPLES = pd.DataFrame(
    [
        ("e1", 1, "I", 99, 99.0),
        ("e2", 1, "C", 10, 1.0),
        ("e2", 1, "P", 20, 2.0),
        ("e2", 2, "I", 30, 3.0),
        ("e3", 1, "C", 4, 0.5),
        ("e3", 2, "0.5", 6, 1.5),
        ("e4", 1, "N", 1, 0.25),
        ("e5", 1, "C", 3, 0.75),
    ],
    columns=["eval_id", "epoch", "score_includes", "total_tokens", "total_time"],
)


@pytest.fixture
def as_of_inspect(monkeypatch):
    def read(evals, samples):
        found = SimpleNamespace(evals_df=lambda logs, quiet: evals, samples_df=lambda logs, quiet: samples)
        monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(analysis=found))
        monkeypatch.setitem(sys.modules, "inspect_ai.analysis", found)

    return read


def test_logs_laid_out_as_inspect_does(as_of_inspect):
    as_of_inspect(EVALS, SAMPLES)
    with pytest.warns(RowsOmittedWarning, match=r"1 of 6 evaluations are left out: 1 error\."):
        table = copa_nb.from_inspect("logs", sums="max", words="max", tokens="min")
    assert table.columns.tolist() == ["sums", "words", "sums_stderr", "words_stderr", "tokens", "seconds"]
    # Costs: means per sample, (10 + 20 + 30) / 3 + (4 + 6) / 2 tokens, summed over the tasks.
    assert table.loc["a"].tolist() == [0.75, 1.0, 0.2, 0.0, 25.0, 3.0]
    assert table.loc["b"].tolist() == [0.0, 0.25, 0.0, 0.3, 4.0, 1.0]
    assert table.index.name == "model"
    assert table.attrs["source"] == {"name": "Inspect AI", "kind": "own"}
    assert table.attrs["notes"][0] == "1 evaluation was repeated; the latest of each model and task is used."
    with pytest.warns(RowsOmittedWarning):
        epochs = copa_nb.from_inspect("logs", {"sums": "max"}, epochs=True)
    assert epochs.columns.tolist() == ["epoch", "sums", "words", "tokens", "seconds"]
    assert epochs.index.tolist() == ["a", "a", "b"]
    assert epochs["epoch"].tolist() == [1, 2, 1]
    assert epochs["sums"].tolist() == [0.75, 0.0, 1.0]
    assert epochs["words"].tolist() == [1.0, 0.5, 0.0]
    assert epochs["tokens"].tolist() == [19.0, 36.0, 4.0]
    assert epochs["seconds"].tolist() == [2.0, 4.5, 1.0]


def test_logs_without_evaluations_are_refused(as_of_inspect):
    as_of_inspect(EVALS[:0], SAMPLES[:0])
    with pytest.raises(ValueError, match=r"`logs` is 'here', which contains no logs of Inspect"):
        copa_nb.from_inspect("here", sums="max")
    as_of_inspect(EVALS[1:5], SAMPLES)
    with pytest.raises(ValueError, match="Inspect does not state whether more or less is better"):
        copa_nb.from_inspect("logs")
    assert copa_nb.from_inspect("logs", words="max").attrs["notes"] == []
    with pytest.raises(
        ValueError, match="`word` is not a column of Inspect; the columns are 'sums', 'words', 'tokens', 's"
    ):
        copa_nb.from_inspect("logs", word="max")


# ------------------------------------------------------------------------------------------------------------- items


@unclosed
@pytest.mark.slow
def test_inspects_samples_are_items_and_epochs_repetitions(logs):
    with pytest.warns(RowsOmittedWarning, match=r"1 of 5 evaluations are left out: 1 error\."):
        table = copa_nb.from_inspect(logs, items=True, sums="max", words="max", tokens="min")
    assert table.columns.tolist()[:4] == ["system", "item", "task", "repeat"]
    assert table.groupby(["system", "task", "repeat"]).size().unique().tolist() == [6]
    assert table["item"].nunique() == 12
    means = table.groupby("system")[["sums", "words", "tokens"]].mean()
    assert means.loc["mockllm/sharp"].tolist() == [1, 1, 18]
    assert means.loc["mockllm/dull"].tolist() == [0.5, 0.5, 4]
    only = copa_nb.read(logs, items=True, tasks=["sums"], sums="max")
    assert not only.isna().any(axis=None)


def _log(model="m", task="sums", solver="generate", samples=(), **changed):
    """As much of a log of Inspect as is read, in memory."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task=task, dataset=EvalDataset(), model=model, config=EvalConfig(),
        solver=solver, **changed,
    )  # fmt: skip
    rows = [
        EvalSample(
            id=name, epoch=epoch, input=f"question {name}", target="right", metadata={"passage": name[0]},
            scores=None if scores is None else {key: Score(value=value) for key, value in scores.items()},
            model_usage={"m": ModelUsage(total_tokens=10, total_cost=0.5)}, total_time=2.0,
        )
        for name, epoch, scores in samples
    ]  # fmt: skip
    return EvalLog(eval=spec, status="success", samples=rows)


def test_every_scorer_is_a_metric():
    pytest.importorskip("inspect_ai")
    samples = [
        ("a1", 1, {"includes": "C", "judge": {"style": 3, "tone": 4}, "notes": ["x"]}),
        ("a2", 1, {"includes": "P", "judge": {"style": 1, "tone": 2}}),
        ("b1", 1, {"includes": "I", "judge": {"style": 0, "tone": 0}}),
        ("b1", 2, None),
    ]
    log = _log(samples=samples)
    table = copa_nb.from_inspect(log, {"sums/includes": "max"}, items=True, cluster="passage", cost="min")
    assert table["sums/includes"].tolist()[:3] == [1, 0.5, 0]
    assert table["sums/judge/style"].tolist()[:3] == [3, 1, 0]
    assert table.iloc[3][["sums/includes", "sums/judge/tone"]].isna().all()
    assert table["cluster"].tolist() == ["sums/a", "sums/a", "sums/b", "sums/b"]
    assert table["repeat"].tolist() == [1, 1, 1, 2]
    assert table[["tokens", "seconds", "cost"]].drop_duplicates().to_numpy().tolist() == [[10, 2, 0.5]]
    assert table.attrs["notes"] == ["1 sample has no score, e.g. because it ended with an error."]


def test_agents_on_one_model_are_named_after_their_solvers():
    pytest.importorskip("inspect_ai")
    samples = [("a1", 1, {"includes": "C"}), ("a2", 1, {"includes": "I"})]
    both = [_log(solver="react", samples=samples, task_version=2), _log(solver="plain", samples=samples[:1])]
    with pytest.warns(LogsDifferWarning):
        table = copa_nb.from_inspect(both, items=True, sums="max")
    assert list(dict.fromkeys(table["system"])) == ["m (react)", "m (plain)"]
    settings, common = table.attrs["notes"]
    assert "task_version is 2 for 'm (react)', 0 for 'm (plain)'; solver is \"react\" for" in settings
    assert common == "1 of 2 items is common to all systems: 'm (plain)' lacks 1 (e.g. 'sums/a2')."


@pytest.mark.slow
def test_a_damaged_log_of_inspect_is_named_and_skipped_on_request(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import write_eval_log

    log = _log(samples=[("a1", 1, {"includes": "C"})])
    write_eval_log(log, str(tmp_path / "2026-01-01T00-00-00_sums_a.json"))
    (tmp_path / "2026-01-01T00-00-00_sums_b.json").write_text('{"eval": ')
    with pytest.raises(ValueError, match=r"sums_b\.json'?, which Inspect cannot read.*damaged=\"skip\""):
        copa_nb.from_inspect(str(tmp_path), items=True, sums="max")
    with pytest.warns(RowsOmittedWarning, match=r"1 file that cannot be read is left out: '.*sums_b\.json"):
        table = copa_nb.from_inspect(str(tmp_path), items=True, damaged="skip", sums="max")
    assert table["sums"].tolist() == [1]
