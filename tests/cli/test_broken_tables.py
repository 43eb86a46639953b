"""Several tables of which some are broken: the others are made, and each broken one is named."""

import json
from xml.etree import ElementTree

import pytest

OPTIONS = ["--max", "accuracy", "--min", "co2"]


@pytest.fixture(autouse=True)
def _tables(tmp_path):
    for name, co2 in (("a", 3), ("b", 1)):
        (tmp_path / f"{name}.csv").write_text(f"model,accuracy,co2\nvit,0.9,{co2}\nresnet,0.8,2\n", encoding="utf-8")
    (tmp_path / "broken.csv").write_text("model,accuracy,co2\nvit,0.9\nresnet,x,2\n", encoding="utf-8")


def test_the_answers_of_the_others_are_printed(invoke):
    done = invoke("select", "a.csv", "broken.csv", "b.csv", *OPTIONS, "--quick")
    assert done.exit_code == 1
    assert "select/a: " in done.stdout
    assert "select/b: Choose vit" in done.stdout
    assert "select/broken: broken.csv: `--max/--min` names 'accuracy'" in done.stderr
    assert "'x' in row 2" in done.stderr


def test_failing_fast_makes_nothing(invoke, tmp_path):
    runs = "runs: [{select: [a.csv, broken.csv], objectives: {accuracy: max}}]"
    (tmp_path / "runs.yaml").write_text(runs, encoding="utf-8")
    done = invoke("run", "runs.yaml", "--fail-fast")
    assert done.exit_code == 2
    assert "1 of 2 tables cannot be used:\n  select/broken: broken.csv: `objectives`" in done.stderr
    assert not (tmp_path / "reports").exists()


def test_a_mistake_in_an_option_is_said_once(invoke):
    done = invoke("select", "a.csv", "b.csv", "--max", "accuracy", "--p", "0.5", "--quick")
    assert done.exit_code == 2
    assert done.stderr.count("`--p`") == 1


def test_answers_are_printed_as_json(invoke):
    done = invoke("select", "a.csv", "broken.csv", "b.csv", *OPTIONS, "--quick", "--json")
    assert done.exit_code == 1
    first, broken, last = json.loads(done.stdout)["reports"]
    assert first["status"] == last["status"] == "done"
    assert last["answer"]["headline"].startswith("Choose vit")
    assert last["answer"]["values"]["selected"] == "vit"
    assert last["answer"]["values"]["objectives"] == {"accuracy": 0.9, "co2": 1.0}
    assert 0 < last["answer"]["values"]["share_of_resamples"] <= 1
    assert (broken["name"], broken["table"], broken["status"]) == ("select/broken", "broken.csv", "failed")
    assert broken["failure"]["where"] == "broken.csv"
    assert broken["answer"] is None


@pytest.mark.slow
def test_a_batch_makes_the_others_and_lists_the_broken_ones(invoke, tmp_path):
    (tmp_path / "runs.yaml").write_text(
        'runs:\n- {select: "*.csv", objectives: {accuracy: max, co2: min}}\n',
        encoding="utf-8",
    )
    done = invoke("run", "runs.yaml", "--json", "--junit", "out.xml")
    assert done.exit_code == 1
    suite = ElementTree.parse(tmp_path / "out.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["broken"]
    records = {one["name"]: one for one in json.loads(done.stdout)["reports"]}
    assert {name: one["status"] for name, one in records.items()} == {
        "select/a": "done",
        "select/b": "done",
        "select/broken": "failed",
    }
    assert "select/broken: broken.csv: `objectives` names 'accuracy'" in done.stderr
    assert "partial notebook" not in done.stderr
    # The manifest has the same answer.
    for name in ("select/a", "select/b"):
        folder = tmp_path / "reports" / name
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["answer"] == records[name]["answer"]
        assert manifest["answer"]["values"]["selected"] in ("vit", "resnet")
    index = (tmp_path / "reports/index.html").read_text(encoding="utf-8")
    assert "1 run failed." in index
    assert "broken.csv: `objectives`" in index
    assert "Choose vit: it dominates the only other row" in index, "the card has the answer"
    # When it is put right, only this one is made.
    (tmp_path / "broken.csv").write_text("model,accuracy,co2\nvit,0.9,1\nresnet,0.7,2\n", encoding="utf-8")
    mended = {one["name"]: one["status"] for one in json.loads(invoke("run", "runs.yaml", "--json").stdout)["reports"]}
    assert mended == {"select/a": "unchanged", "select/b": "unchanged", "select/broken": "done"}
