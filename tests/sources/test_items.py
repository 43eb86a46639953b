"""Results of single items, in logs that the harness and Every Eval Ever wrote: streamed, compared, refused by name."""

import gzip
import json
import math
import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb
from copa_nb.cli.commands import main
from copa_nb.sources.items import LogsDifferWarning
from copa_nb.sources.lm_eval_samples import item_value
from copa_nb.sources.read import kind_of_file, read_pair
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked

# Written by lm-evaluation-harness 0.4.13 (tests.experiments.make_lm_eval_logs), and of it by every-eval-ever 0.3.0.
LOGS = Path(__file__).parent / "data" / "lm_eval_samples"
RECORDS = Path(__file__).parent / "data" / "every_eval_ever_samples"
BOTH = [LOGS / "new", LOGS / "baseline"]


@pytest.fixture
def log(tmp_path):
    shutil.copytree(LOGS / "new", tmp_path / "new")
    return tmp_path / "new"


def _samples(log, task="sums_add"):
    return next(log.rglob(f"samples_{task}_*.jsonl"))


def _rewritten(file, change):
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(change(number, row)) + "\n" for number, row in enumerate(rows)))


def _results(log):
    return json.loads(next(log.rglob("results_*.json")).read_text())


# ------------------------------------------------------------------------------------------- lm-evaluation-harness


def test_the_only_task_of_a_group_may_stand_as_text(log):
    file = next(log.rglob("results_*.json"))
    document = json.loads(file.read_text())
    # Part of the name of a task is no part of the group.
    document["results"]["sums_a"] = document["results"]["sums_add"]
    document["higher_is_better"]["sums_a"] = document["higher_is_better"]["sums_add"]
    read = {}
    for name, tasks in {"text": "sums_add", "list": ["sums_add"]}.items():
        file.write_text(json.dumps(document | {"group_subtasks": {"sums": tasks}}))
        scores, items = copa_nb.read(file), copa_nb.read(log, items=True)
        read[name] = scores.moo.description["objectives"], dict(zip(items["task"], items["group"], strict=True))
    assert read["text"] == read["list"]
    objectives, groups = read["text"]
    assert "sums_a/acc" in objectives
    assert "sums_add/acc" not in objectives
    assert groups["sums_add"] == "sums"
    assert groups["sums_subtract"] != "sums"


@pytest.mark.parametrize("groups", ["sums", [["sums_add"]], {"sums": 5}])
@pytest.mark.parametrize("items", [False, True])
def test_groups_of_tasks_with_another_layout_are_refused_by_name(log, groups, items):
    file = next(log.rglob("results_*.json"))
    file.write_text(json.dumps(_results(log) | {"group_subtasks": groups}))
    with pytest.raises(ValueError, match=r"does not have the expected structure, at .*group"):
        copa_nb.from_lm_eval(log, items=items)


def test_means_of_items_are_the_scores_of_the_harness():
    items, scores = copa_nb.from_lm_eval(BOTH, items=True), copa_nb.from_lm_eval(BOTH)
    assert items.attrs["notes"][0].startswith("'judged/mcc' is left out")
    means = items.groupby("system").mean(numeric_only=True)
    compared = [name for name in means if name in scores]
    assert compared == [
        "judged/acc", "sums/acc", "sums/acc_norm", "text/bits_per_byte", "written/exact_match,strict",
        "written/exact_match,flexible",
    ]  # fmt: skip
    for name in set(compared) - {"text/bits_per_byte"}:  # which weighs texts by their length
        assert means[name].to_dict() == pytest.approx(scores[name].to_dict(), rel=1e-12)


def test_a_row_for_each_system_and_item():
    table = copa_nb.from_lm_eval(BOTH, items=True)
    assert table.columns[:5].tolist() == ["system", "item", "task", "group", "repeat"]
    assert not table.duplicated(["system", "item"]).any()
    assert table.groupby(["system", "task"]).size().to_dict() == {
        (system, task): n
        for system in ("acme/agent-1", "acme/agent-2")
        for task, n in {
            "sums_add": 40, "sums_multiply": 40, "sums_subtract": 40, "written": 20, "text": 3, "judged": 12,
        }.items()
    }  # fmt: skip
    assert set(table.loc[table["task"].str.startswith("sums"), "group"]) == {"sums"}
    assert table.moo.description["objectives"] == {
        "written/exact_match,strict": "max", "text/log(word_perplexity)": "min", "judged/acc": "max", "sums/acc": "max",
    }  # fmt: skip
    only = copa_nb.from_lm_eval(BOTH, items=True, tasks=["sums"], metrics=["acc_norm"])
    assert only.moo.description["objectives"] == {"sums/acc_norm": "max"}
    assert len(only) == 240
    assert not only.isna().any(axis=None)


def test_clusters_are_tasks_groups_or_fields_of_the_items():
    clusters = {
        name: copa_nb.from_lm_eval(LOGS / "new", items=True, cluster=name).groupby("task")["cluster"].nunique()
        for name in ("sheet", "task", "group")
    }
    assert clusters["sheet"].to_dict() == {
        "sums_add": 8, "sums_multiply": 8, "sums_subtract": 8, "written": 20, "text": 3, "judged": 12,
    }  # fmt: skip
    assert set(clusters["task"]) == set(clusters["group"]) == {1}
    with pytest.raises(ValueError, match="`cluster` is 'passage', which no item has"):
        copa_nb.from_lm_eval(LOGS / "new", items=True, cluster="passage")
    with pytest.raises(ValueError, match="`cluster` is 'task', which only applies to items"):
        copa_nb.from_lm_eval(LOGS / "new", cluster="task")
    with pytest.raises(ValueError, match=r"`tasks` is 'sum'.*Did you mean 'sums'"):
        copa_nb.from_lm_eval(LOGS / "new", items=True, tasks=["sum"])


@pytest.mark.parametrize(
    ("metric", "value", "name", "number"),
    [
        ("acc", 1, "acc", 1.0), ("acc", None, "acc", math.nan), ("f1", [0, 1], "f1", None), ("x", {}, "x", None),
        ("inst_level_strict_acc", [True, True, False, False], "inst_level_strict_acc", 0.5),
        ("bits_per_byte", [-8 * math.log(2), 4], "bits_per_byte", 2.0), ("perplexity", -2.5, "log(perplexity)", 2.5),
        ("word_perplexity", [-6.0, 3], "log(word_perplexity)", 2.0),
        ("byte_perplexity", [-1.0, 0], "log(byte_perplexity)", math.nan),
    ],
)  # fmt: skip
def test_values_of_items(metric, value, name, number):
    found = item_value(metric, value)
    assert found[0] == name
    assert found[1] == pytest.approx(number, nan_ok=True) if number is not None else found[1] is None


def test_perplexities_of_texts_give_that_of_the_harness():
    file = _samples(LOGS / "new", "text")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    words = np.array([row["word_perplexity"][1] for row in rows])
    logs = copa_nb.from_lm_eval(LOGS / "new", items=True, tasks=["text"])["text/log(word_perplexity)"]
    expected = _results(LOGS / "new")["results"]["text"]["word_perplexity,none"]
    assert math.exp(np.average(logs, weights=words)) == pytest.approx(expected, rel=1e-12)


def test_settings_that_differ_come_first():
    with pytest.warns(LogsDifferWarning) as caught:
        table = copa_nb.from_lm_eval([LOGS / "new", LOGS / "limited"], items=True)
    settings, prompts, common = table.attrs["notes"][:3]
    assert settings.startswith("The systems were evaluated with different settings: num_fewshot is 0 for")
    assert "2 for 'acme/agent-2 (limited)'" in settings
    assert "limit is not set for 'acme/agent-2 (new)', 10 for" in settings
    assert prompts == "The prompts of 30 of 30 common items differ between the systems."
    assert common.startswith("30 of 155 items are common to all systems: 'acme/agent-2 (limited)' lacks 125")
    assert [str(one.message) for one in caught] == [settings, prompts, common]


def test_versions_and_templates_are_compared(log):
    file = next(log.rglob("results_*.json"))
    document = _results(log)
    document["versions"]["written"] = 2.0
    document["configs"]["judged"]["doc_to_text"] = "Is it true that {{question}}?"
    document["lm_eval_version"] = "0.4.9"
    file.write_text(json.dumps(document))
    with pytest.warns(LogsDifferWarning):
        [note] = copa_nb.from_lm_eval([log, LOGS / "baseline"], items=True).attrs["notes"][:1]
    assert "version is 2.0 for 'acme/agent-2', 1.0 for 'acme/agent-1' on 'written'" in note
    assert 'doc_to_text is "Is it true that {{question}}?" for' in note
    assert 'lm_eval_version is "0.4.9" for' in note


def test_items_of_another_text_are_other_items(log):
    _rewritten(_samples(log), lambda number, row: row | ({"doc_hash": "other"} if number < 3 else {}))
    with pytest.warns(LogsDifferWarning):
        table = copa_nb.from_lm_eval([log, LOGS / "baseline"], items=True)
    notes = table.attrs["notes"]
    assert notes[0].startswith("3 items have the same name but another text in some systems, e.g. 'sums_add/0'")
    assert "152 of 158 items are common" in notes[1]
    shared = table.groupby("item")["system"].nunique()
    assert (shared == 1).sum() == 6


def test_the_latest_samples_of_a_model_count(log):
    for file in list(log.rglob("*")):
        if file.is_file():
            shutil.copy(file, file.with_name(file.name.replace("_2026-", "_2027-")))
    for file in log.rglob("samples_sums_add_2027*"):
        _rewritten(file, lambda _, row: row | {"acc": 0.0})
    table = copa_nb.from_lm_eval(log, items=True)
    assert table.loc[table["task"] == "sums_add", "sums/acc"].sum() == 0
    assert "6 older files of samples were passed over" in " ".join(table.attrs["notes"])


def test_results_in_memory_and_single_files(log):
    file = _samples(log)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    document = _results(log) | {"samples": {"sums_add": rows}}
    expected = copa_nb.from_lm_eval(log, items=True, tasks=["sums_add"])
    pd.testing.assert_frame_equal(copa_nb.from_lm_eval(document, items=True), expected)
    pd.testing.assert_frame_equal(copa_nb.from_lm_eval(file, items=True), expected)
    results = next(log.rglob("results_*.json"))
    pd.testing.assert_frame_equal(copa_nb.from_lm_eval(results, items=True, tasks=["sums_add"]), expected)
    packed = file.with_name(f"{file.name}.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    pd.testing.assert_frame_equal(copa_nb.from_lm_eval(packed, items=True), expected)


def test_samples_without_results_have_no_directions(log):
    next(log.rglob("results_*.json")).unlink()
    table = copa_nb.from_lm_eval(log, items=True)
    assert "objectives" not in table.moo.description
    assert "Directions and settings are unknown for" in table.attrs["notes"][-1]
    assert set(table["system"]) == {"acme__agent-2"}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) // 2], "is not valid JSON.*The file ends there, so it may be cut"),
        (lambda text: text[: text.index("\n", len(text) // 2) + 1], "which has 2. of 40 items; it may be cut"),
        (lambda text: text.replace("{", "[", 1), "line 1 is not valid JSON"),
        (lambda text: "[" * 100_000 + "\n" + text, "line 1 is nested too deeply"),
        (lambda text: '{"doc_id": ' + "9" * 5000 + "}\n" + text, "line 1 is not valid JSON"),
        (lambda text: "3\n" + text, "whose line 1 is not a mapping"),
        (lambda text: text.replace('"doc_id": 3', '"doc_id": [3]'), "not have the expected structure, at sample 4"),
        (lambda text: text.replace('"doc_id"', '"id"'), "not have the expected structure, at sample 1"),
        (lambda text: "", "which has 0 of 40 items"),
    ],
)
def test_damaged_samples_are_named_and_skipped_on_request(log, damage, said):
    file = _samples(log)
    file.write_text(damage(file.read_text()))
    with pytest.raises(ValueError, match=rf"samples_sums_add_.*{said}.*damaged=\"skip\" leaves out"):
        copa_nb.from_lm_eval(log, items=True)
    with pytest.warns(RowsOmittedWarning, match="1 file that cannot be read is left out: '.*samples_sums_add_"):
        table = copa_nb.from_lm_eval(log, items=True, damaged="skip")
    assert set(table["task"]) == {"sums_multiply", "sums_subtract", "written", "text", "judged"}
    assert any("sums_add" in note for note in table.attrs["notes"])


def test_a_packed_file_that_is_cut(log):
    file = _samples(log)
    packed = file.with_name(f"{file.name}.gz")
    packed.write_bytes(gzip.compress(file.read_bytes())[:-200])
    file.unlink()
    with pytest.raises(ValueError, match=r"which is not a whole \.gz file"):
        copa_nb.from_lm_eval(log, items=True)


def test_damaged_results_can_be_skipped(tmp_path):
    shutil.copytree(LOGS, tmp_path / "logs")
    broken = next((tmp_path / "logs" / "new").rglob("results_*.json"))
    broken.write_text('{"results": ')
    with pytest.raises(ValueError, match=r"not valid JSON.*damaged=\"skip\""):
        copa_nb.from_lm_eval(tmp_path)
    with pytest.warns(RowsOmittedWarning, match="1 file that cannot be read is left out"):
        table = copa_nb.from_lm_eval(tmp_path, damaged="skip")
    assert sorted(table.index) == ["acme/agent-1", "acme/agent-2"]
    with pytest.raises(ValueError, match="`damaged` is 'ignore'"):
        copa_nb.from_lm_eval(tmp_path, damaged="ignore")


def test_long_logs_are_read_line_by_line(tmp_path):
    line = {"doc": {"text": "x" * 20_000}, "filter": "none", "metrics": ["acc"], "doc_hash": "a", "prompt_hash": "b"}
    file = tmp_path / "samples_long_2026-01-01T00-00-00.0.jsonl"
    with file.open("w") as lines:
        for number in range(1500):
            lines.write(json.dumps({"doc_id": number, "acc": number % 2} | line) + "\n")
    tracemalloc.start()
    table = copa_nb.from_lm_eval(file, items=True, progress=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table) == 1500
    assert file.stat().st_size > 30_000_000
    assert peak < 5_000_000


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="contains no samples; run lm_eval with --log_samples"):
        copa_nb.from_lm_eval(tmp_path, items=True)
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        copa_nb.from_lm_eval(tmp_path / "none", items=True)
    with pytest.raises(TypeError, match="not int"):
        copa_nb.from_lm_eval(3, items=True)
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        copa_nb.from_every_eval_ever(tmp_path / "none", items=True)
    with pytest.raises(ValueError, match="contains no files of single samples"):
        copa_nb.from_every_eval_ever(tmp_path, items=True)


# ------------------------------------------------------------------------------------------------- Every Eval Ever


def test_samples_of_every_eval_ever_are_those_of_the_harness():
    table = copa_nb.from_every_eval_ever(RECORDS, items=True)
    harness = copa_nb.from_lm_eval(BOTH, items=True, tasks=["written", "judged"])
    called = {"judged/acc": "judged/acc", "written/strict": "written/exact_match,strict"}
    called["written/flexible"] = "written/exact_match,flexible"
    for ours, theirs in called.items():
        own = table.set_index(["system", "item"])[ours].dropna()
        items = [(system, f"{item.split('/')[0]}/{item.split('/')[-1]}") for system, item in own.index]
        expected = harness.set_index(["system", "item"])[theirs].loc[items]
        assert own.tolist() == expected.tolist()
        assert len(own) == 2 * (12 if "judged" in ours else 20)
    assert table.moo.description["objectives"] == {
        "written/strict": "max",
        "written/flexible": "max",
        "judged/acc": "max",
    }


def test_repeated_samples_are_repetitions(tmp_path):
    row = {"model_id": "m", "evaluation_name": "q", "evaluation_id": "1", "sample_id": "a", "sample_hash": "h"}
    row |= {"token_usage": {"total_tokens": 7}, "performance": {"latency_ms": 500}, "metadata": {"passage": "p"}}
    lines = [row | {"evaluation": {"score": score, "is_correct": True}} for score in (1, 0, 1)]
    (tmp_path / "x_samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = copa_nb.from_every_eval_ever(tmp_path, items=True, cluster="passage")
    assert table.drop(columns=["system", "task"]).to_dict("list") == {
        "item": ["q/a"] * 3, "cluster": ["q/p"] * 3, "repeat": [1, 2, 3], "q": [1, 0, 1], "tokens": [7] * 3,
        "seconds": [0.5] * 3,
    }  # fmt: skip
    assert table.attrs["notes"] == ["No record states whether more or less is better for 'q'."]


# ------------------------------------------------------------------------------------------------------------ read


def test_logs_of_items_are_recognized(log, tmp_path):
    assert kind_of_file(str(_samples(log))) == "lm_eval"
    assert kind_of_file(str(RECORDS / "new" / "written_samples.jsonl")) == "every_eval_ever"
    assert copa_nb.read(log).index.tolist() == ["acme/agent-2"]
    assert len(copa_nb.read(log, items=True)) == 155
    assert len(copa_nb.read(_samples(log))) == 40
    assert len(copa_nb.read(RECORDS / "new" / "written_samples.jsonl")) == 40
    next(log.rglob("results_*.json")).unlink()
    assert len(copa_nb.read(log)) == 155
    (tmp_path / "rows.jsonl").write_text('{"model": "a", "acc": 1}\n{"model": "b", "acc": 2}\n')
    assert kind_of_file(str(tmp_path / "rows.jsonl")) == "table"


def test_two_logs_become_one_table(tmp_path):
    table, new, baseline = read_pair(*BOTH)
    assert (new, baseline, len(table)) == ("acme/agent-2", "acme/agent-1", 310)
    with pytest.warns(LogsDifferWarning):
        assert read_pair(LOGS / "new", LOGS / "limited")[1:] == ("acme/agent-2 (new)", "acme/agent-2 (limited)")
    with pytest.raises(ValueError, match="logs are of different kinds, 'lm_eval' and 'every_eval_ever'"):
        read_pair(LOGS / "new", RECORDS / "new")
    for name in ("new", "baseline"):
        shutil.copytree(LOGS / name, tmp_path / "both" / name)
    with pytest.raises(ValueError, match="have 3 systems"):
        read_pair(tmp_path / "both", LOGS / "baseline")
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("question,correct\n1,1\n2,0\n")
    table, new, baseline = read_pair(tmp_path / "a.csv", tmp_path / "b.csv", {"correct": "max"})
    assert (new, baseline) == ("a.csv", "b.csv")
    assert table["system"].tolist() == ["a.csv", "a.csv", "b.csv", "b.csv"]


# ------------------------------------------------------------------------------------------------------- comparing


def test_an_explanation_says_what_differs_right_after_the_verdict():
    with pytest.warns(LogsDifferWarning):
        logs = copa_nb.from_lm_eval([LOGS / "new", LOGS / "limited"], items=True, tasks=["sums"])
    found = asked.compare(
        logs,
        new="acme/agent-2 (limited)",
        baseline="acme/agent-2 (new)",
        system="system",
        item="item",
        nan_policy="pairwise",
    )
    reasons = found.explain().removeprefix(f"{found.to_answer().headline}. ")
    assert reasons.startswith("The systems were evaluated with different settings: num_fewshot is 0 for")


def test_the_command_says_what_differs_before_it_refuses(monkeypatch):
    monkeypatch.chdir(LOGS)
    done = CliRunner().invoke(
        main, ["compare", "limited", "new", "--max", "sums/acc", "--quick", "--source", "lm-eval"]
    )
    assert done.exit_code == 2
    assert done.output.startswith("The systems were evaluated with different settings: num_fewshot is 2 for")
