"""Results of language models: files as lm-evaluation-harness wrote them, and records of Every Eval Ever."""

import copy
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import copa_nb

# Written by lm-evaluation-harness 0.4.13 with its dummy model on five tiny tasks, two of them in a group.
WRITTEN = Path(__file__).parent / "data" / "results_lm_eval_0.4.13.json"


@pytest.fixture
def result():
    return json.loads(WRITTEN.read_text())


def _of(result, name, **scores):
    """The same file for another model, with other scores."""
    other = copy.deepcopy(result) | {"model_name": name}
    for task, values in scores.items():
        other["results"][task].update(values)
    return other


def test_directions_scores_and_standard_errors(result):
    table = copa_nb.from_lm_eval(WRITTEN)
    assert table.index.tolist() == ["dummy"]
    assert table.moo.description["objectives"] == {
        "tiny_choice/acc": "max",
        "tiny_gen/exact_match,strict-match": "max",
        "tiny_ppl/word_perplexity": "min",
        # Parts of a group do not count where the group has a score.
        "tiny_group/acc": "max",
    }
    assert {"tiny_choice/acc_norm", "tiny_ppl/bits_per_byte", "tiny_sub_a/acc_norm"} <= set(table.columns)
    [note] = [note for note in table.attrs["notes"] if "Only one metric of a task is an objective" in note]
    assert "'tiny_choice/acc_norm'" in note
    assert "`metrics`" in note
    row = table.loc["dummy"]
    for task, scores in result["results"].items():
        for key, value in scores.items():
            metric, _, chosen = key.partition(",")
            if not chosen:
                continue
            metric, error = metric.removesuffix("_stderr"), "_stderr" if metric.endswith("_stderr") else ""
            name = f"{task}/{metric}" + ("" if chosen == "none" else f",{chosen}") + error
            assert row[name] == value if value != "N/A" else np.isnan(row[name])


def test_other_metrics_can_be_chosen(result):
    chosen = copa_nb.from_lm_eval(result, metrics=["acc_norm", "bits_per_byte"])
    assert list(chosen.moo.description["objectives"]) == [
        "tiny_choice/acc_norm", "tiny_ppl/bits_per_byte", "tiny_sub_a/acc_norm", "tiny_sub_b/acc_norm",
    ]  # fmt: skip
    assert not any("Only one metric" in note for note in chosen.attrs["notes"])


def test_the_decision_does_not_change_when_a_metric_of_a_task_is_reported_in_another_form(result):
    files = [
        _of(result, "a", tiny_choice={"acc,none": 0.9, "acc_norm,none": 0.9}, tiny_gen={"exact_match,strict-match": 0}),
        _of(result, "b", tiny_choice={"acc,none": 0.1, "acc_norm,none": 0.1}, tiny_gen={"exact_match,strict-match": 1}),
    ]
    weights = copa_nb.from_lm_eval(files).moo.copa().weights
    for file in files:
        del file["results"]["tiny_choice"]["acc_norm,none"]
    assert copa_nb.from_lm_eval(files).moo.copa().weights == weights


def test_directions_of_files_without_the_list_of_directions(result):
    del result["higher_is_better"]
    for config in result["configs"].values():  # as older versions wrote them
        for entry in config.get("metric_list", []):
            entry.setdefault("higher_is_better", entry["metric"] not in ("word_perplexity", "bits_per_byte"))
    assert copa_nb.from_lm_eval(result).moo.description["objectives"]["tiny_ppl/word_perplexity"] == "min"
    del result["configs"]
    table = copa_nb.from_lm_eval(result)
    assert "objectives" not in table.moo.description
    assert "do not state whether more or less is better for" in table.attrs["notes"][0]
    assert table.moo({"tiny_choice/acc": "max"}).copa().best == "dummy"


def test_a_folder_of_models(result, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "results_1.json").write_text(json.dumps(_of(result, "a", tiny_choice={"acc,none": 0.6})))
    (tmp_path / "results_2.json").write_text(json.dumps(_of(result, "b", tiny_choice={"acc,none": 0.5})))
    (tmp_path / "samples_x.json").write_text("{}")
    table = copa_nb.from_lm_eval(tmp_path, metrics=["acc"])
    assert list(table.moo.description["objectives"]) == ["tiny_choice/acc", "tiny_group/acc"]
    assert table.moo.front().index.tolist() == ["a"]
    assert copa_nb.read(tmp_path).equals(copa_nb.from_lm_eval(tmp_path))


def test_the_latest_of_several_files_counts(result):
    later = _of(result, "dummy", tiny_choice={"acc,none": 0.9}) | {"date": result["date"] + 100}
    table = copa_nb.from_lm_eval([later, result])
    assert table.loc["dummy", "tiny_choice/acc"] == 0.9
    assert "measured more than once" in table.attrs["notes"][0]


def test_what_a_model_lacks_is_said_by_the_verb(result):
    other = _of(result, "other")
    del other["results"]["tiny_choice"]
    with pytest.raises(ValueError, match=r"'tiny_choice/acc' in 1 of 2 rows \('other'\)"):
        copa_nb.from_lm_eval([result, other]).moo.copa()


def test_names_of_models(result):
    del result["model_name"]
    result["config"]["model_args"] = "pretrained=org/model,dtype=float16"
    assert copa_nb.from_lm_eval(result).index.tolist() == ["org/model"]
    result["config"]["model_args"] = {"pretrained": "org/two"}
    assert copa_nb.from_lm_eval(result).index.tolist() == ["org/two"]


def test_refusals_of_lm_eval(result, tmp_path):
    (tmp_path / "results_x.json").write_text("{")
    with pytest.raises(ValueError, match="which is not valid JSON"):
        copa_nb.from_lm_eval(tmp_path)
    (tmp_path / "results_x.json").write_text("{}")
    with pytest.raises(ValueError, match="contains no result of the harness"):
        copa_nb.from_lm_eval(tmp_path)
    with pytest.raises(ValueError, match="it has no 'results'"):
        copa_nb.from_lm_eval({})
    with pytest.raises(ValueError, match="`results` contains no score"):
        copa_nb.from_lm_eval({"results": {"task": {"alias": "task"}}})
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        copa_nb.from_lm_eval(tmp_path / "none")
    with pytest.raises(TypeError, match="not int"):
        copa_nb.from_lm_eval(3)
    with pytest.raises(ValueError, match=r"`metrics` is 'accc'.*Did you mean 'acc'"):
        copa_nb.from_lm_eval(result, metrics=["accc"])
    other = _of(result, "other")
    other["higher_is_better"]["tiny_choice"]["acc"] = False
    with pytest.raises(ValueError, match="`results` disagree on 'tiny_choice/acc'"):
        copa_nb.from_lm_eval([result, other])


def _record(model, *results, time="1"):
    """A record as the schema of Every Eval Ever asks for it."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"bench/{model}/{time}",
        "retrieved_timestamp": time,
        "source_metadata": {
            "source_type": "documentation",
            "source_organization_name": "us",
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": {"name": model.split("/")[-1], "id": model, "developer": model.split("/")[0]},
        "evaluation_results": list(results),
    }


def _score(name, score, lower=False, metric=None, error=None, samples=None, **config):
    uncertainty = {} if error is None else {"standard_error": {"value": error, "method": "analytic"}}
    uncertainty |= {} if samples is None else {"num_samples": samples}
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name, "source_type": "other"},
        "metric_config": {"lower_is_better": lower} | ({"metric_name": metric} if metric else {}) | config,
        "score_details": {"score": score} | ({"uncertainty": uncertainty} if uncertainty else {}),
    }


def test_every_eval_ever(tmp_path):
    records = [
        _record("x/a", _score("GPQA", 0.4, error=0.02, samples=198), _score("toxicity", 0.3, lower=True)),
        _record("y/b", _score("GPQA", 0.5), _score("toxicity", 0.2, lower=True)),
    ]
    for number, record in enumerate(records):
        (tmp_path / "bench" / str(number)).mkdir(parents=True)
        (tmp_path / "bench" / str(number) / "record.json").write_text(json.dumps(record))
        (tmp_path / "bench" / str(number) / "record_samples.jsonl").write_text("{}\n{}\n")
    table = copa_nb.from_every_eval_ever(tmp_path)
    assert table.moo.description["objectives"] == {"GPQA": "max", "toxicity": "min"}
    assert table.loc["x/a", ["GPQA_stderr", "GPQA_n"]].tolist() == [0.02, 198]
    assert table.moo.front().index.tolist() == ["y/b"]
    assert copa_nb.read(tmp_path).equals(table)


def test_records_that_every_eval_ever_itself_made_of_results_of_the_harness():
    # every-eval-ever 0.3.0 converted WRITTEN (LMEvalAdapter, validated by its own models): one record per task.
    records = copa_nb.from_every_eval_ever(WRITTEN.parent / "every_eval_ever_0.3.0")
    harness = copa_nb.from_lm_eval(WRITTEN)
    called = {
        "tiny_gen/exact_match,strict-match": "tiny_gen/strict-match",
        "tiny_gen/exact_match,flexible-extract": "tiny_gen/flexible-extract",
        "tiny_group/acc": "tiny_group",
    }
    for suffix in ("", "_stderr"):
        columns = [name for name in harness if name.endswith("_stderr") == bool(suffix)]
        for name in columns:
            score = name.removesuffix("_stderr")
            found = records.get(called.get(score, score) + suffix, pd.Series([np.nan])).tolist()
            assert found == pytest.approx(harness[name].tolist(), nan_ok=True), name
    ours = {called.get(name, name): way for name, way in harness.moo.description["objectives"].items()}
    assert ours.items() <= records.moo.description["objectives"].items()
    assert records["tiny_choice/acc_n"].tolist() == [20]


def test_several_metrics_of_one_evaluation():
    record = _record("x/a", _score("QA", 0.4, metric="f1"), _score("QA", 0.3, metric="exact"))
    assert copa_nb.from_every_eval_ever(record).columns.tolist() == ["QA/f1", "QA/exact"]


def test_unknown_levels_and_later_records():
    levels = {"score_type": "levels", "level_names": ["low", "high"], "has_unknown_level": True}
    table = copa_nb.from_every_eval_ever(
        [
            _record("x/a", _score("risk", 2, lower=True), time="2"),
            _record("x/a", _score("risk", 1, lower=True), time="1"),
            _record("y/b", _score("risk", -1, lower=True, **levels)),
        ]
    )
    assert table["risk"].tolist()[0] == 2
    assert np.isnan(table.loc["y/b", "risk"])
    assert "measured more than once" in table.attrs["notes"][0]


def test_refusals_of_every_eval_ever():
    with pytest.raises(ValueError, match="records that disagree on 'GPQA'"):
        copa_nb.from_every_eval_ever([_record("a", _score("GPQA", 1)), _record("b", _score("GPQA", 1, lower=True))])
    with pytest.raises(ValueError, match="does not state for 'GPQA' whether lower is better"):
        copa_nb.from_every_eval_ever(_record("a", _score("GPQA", 1, lower=None)))
    with pytest.raises(ValueError, match="has no models to compare"):
        copa_nb.from_every_eval_ever(_record("a"))
