"""`copa-nb select` and `copa-nb board` on folders and globs of Parquet files."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from copa_nb.cli import main
from copa_nb.streams.scan import Scan, scan
from tests import asked

OPTIONS = ["--max", "acc", "--min", "cost", "--weight", "acc=0.6", "--where", "cost < 0.8", "--system", "model"]


@pytest.fixture
def runs(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"m{row}" for row in range(300)]
    frame = pd.DataFrame({"model": names, "acc": rng.random(300), "cost": rng.random(300)})
    (tmp_path / "runs").mkdir()
    for number in range(3):
        frame[number::3].to_parquet(tmp_path / "runs" / f"{number}.parquet", index=False)
    return tmp_path / "runs", frame.set_index("model")


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.parametrize("pattern", ["", "*.parquet"])
def test_a_folder_is_answered_as_the_whole_table_is(runs, tmp_path, pattern):
    folder, frame = runs
    expected = frame.moo(acc="max", cost="min").copa(weights={"acc": 0.6}, where="cost < 0.8")
    source = folder / pattern if pattern else folder
    done = call("select", source, *OPTIONS, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert f"Choose {expected.best}" in done.output.splitlines()[0]
    page = tmp_path / "out" / "select" / "runs" / "choice.html"
    assert f"Page: {page}" in done.output
    assert str(expected.best) in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_board_in_pieces_is_that_of_the_whole_table(tmp_path, monkeypatch, in_memory):
    rng = np.random.default_rng(2)
    rows = pd.DataFrame({"model": np.repeat(list("abc"), 60), "task": np.tile(np.arange(60), 3)})
    rows["acc"] = rng.random(180) + (rows["model"] == "b") * 0.6
    (tmp_path / "runs").mkdir()
    for number in range(3):
        rows[number::3].to_parquet(tmp_path / "runs" / f"{number}.parquet", index=False)
    if not in_memory:
        monkeypatch.setattr("copa_nb.streams.scan.scan", partial(scan, rows_in_memory=0))
        monkeypatch.setattr("copa_nb.streams.items.FEWEST_UNITS", 2)
    done = call(
        "board", tmp_path / "runs", "--max", "acc", "--system", "model", "--item", "task", "--out", tmp_path / "out"
    )
    assert done.exit_code == 0, done.output
    expected = asked.board(rows, system="model", item="task", objectives={"acc": "max"})
    card = json.loads((tmp_path / "out" / "board" / "runs" / "board.json").read_text(encoding="utf-8"))
    assert done.output.splitlines()[0] == expected.headline
    assert ("normal weights" in card["guarantee"]["method"]) != in_memory
    assert "b" in (tmp_path / "out" / "board" / "runs" / "board.html").read_text(encoding="utf-8")
    assert json.dumps(card).count('"b"') >= 1


def test_a_quick_answer_writes_nothing(runs, tmp_path):
    folder, frame = runs
    done = call("select", folder, *OPTIONS, "--out", tmp_path / "out", "--quick", "--json")
    found = json.loads(done.output)["reports"][0]["answer"]["values"]
    expected = frame.moo(acc="max", cost="min").copa(weights={"acc": 0.6}, where="cost < 0.8")
    assert found["selected"] == expected.best
    assert found["objectives"] == pytest.approx(expected.values)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("arguments", "message"), [
    (["select", "{}", "--max", "accuracy"], "`--max/--min` names 'accuracy', which is not a column"),
    (["select", "{}", "--max", "acc", "--system", "model", "--item", "cost"], "systems are not averaged"),
    (["select", "{}", "--max", "acc", "--nan-policy", "bounds"], "is 'bounds', which needs the whole table"),
    (["front", "{}", "--max", "acc"], "`copa-nb front` needs the whole table in memory"),
    (["board", "{}", "--max", "acc"], "is read in pieces, which needs `--system` and `--item` to be named"),
    (["board", "{}", "--max", "acc", "--system", "model", "--item", "cost", "--join", "b.csv"], "`--join` needs the"),
    (["select", "{}", "{}", "--max", "acc"], "give one at a time"),
    (["select", "{}/none-*.parquet", "--max", "acc"], "there is no such file or folder"),
])  # fmt: skip
def test_what_cannot_be_done_in_pieces_is_refused(runs, tmp_path, arguments, message):
    done = call(*(one.format(runs[0]) for one in arguments), "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.output
    assert not (tmp_path / "out").exists()


def test_an_interrupt_leaves_nothing_behind(runs, tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Scan, "reduce", interrupted)
    done = call("select", runs[0], *OPTIONS, "--out", tmp_path / "out")
    assert done.exit_code != 0
    assert not (tmp_path / "out").exists()


def test_rows_are_named_as_those_of_a_text_file_are(runs, tmp_path):
    folder, frame = runs
    best = frame.moo(acc="max", cost="min").copa().best
    asked = ("--max", "acc", "--min", "cost", "--quick")
    assert call("select", folder, *asked).output.startswith(f"Choose {best}")
    for file in folder.iterdir():  # now the first column says of what kind a row is
        kinds = pd.read_parquet(file)
        kinds["model"] = "kind"
        kinds.to_parquet(file, index=False)
    assert call("select", folder, *asked).output.startswith("Choose row ")
