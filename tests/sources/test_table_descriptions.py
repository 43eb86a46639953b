"""A YAML file that describes a table is read in the place of the table."""

import pandas as pd
import pytest

import copa_nb
from copa_nb.analyses.registry import analyses
from copa_nb.sources.table_descriptions import read_description

ROWS = "agent;task;acc;cost\na;1;0,5;1\na;2;0,7;1\nb;1;0,9;2\nb;2;0,95;2\n"
BENCH = """table: runs.csv
reading: {separator: ';', decimal: ','}
objectives: {acc: max, cost: min}
system: agent
item: task
known: cost
bounds: {acc: "0:1"}
seed: 3
claims: [{rank: b}]
"""
WORDS = {"system": "agent", "item": "task", "known": "cost", "bounds": {"acc": (0.0, 1.0)}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "bench.yaml").write_text(BENCH, encoding="utf-8")
    return tmp_path


def test_the_table_is_read_with_its_words_from_any_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    table = copa_nb.read(folder / "bench.yaml")
    stated = copa_nb.read(folder / "runs.csv", acc="max", cost="min", separator=";", decimal=",", **WORDS)
    pd.testing.assert_frame_equal(table, stated)
    assert table.moo.description == stated.moo.description


def test_an_analysis_reads_numbers_as_described(folder):
    """Which these could also be in thousands."""
    (folder / "runs.csv").write_text("model;cost\na;1,450\nb;8,192\n", encoding="utf-8")
    (folder / "bench.yaml").write_text(
        "table: runs.csv\nreading: {decimal: ','}\nobjectives: {cost: min}\nsystem: model\n", encoding="utf-8"
    )
    assert analyses()["select"].of({"table": "bench.yaml"}).load(folder)["cost"].tolist() == [1.45, 8.192]


def test_what_is_given_besides_wins(folder):
    assert copa_nb.read(folder / "bench.yaml", acc="max").moo.description == {
        "objectives": {"acc": "max"},
        "system": "agent",
        "item": "task",
        "bounds": {"acc": (0.0, 1.0)},
    }
    assert copa_nb.read(folder / "bench.yaml", {"cost": "min"}, item="agent").moo.description == {
        "objectives": {"cost": "min"},
        "system": "agent",
        "item": "agent",
        "known": "cost",
    }


def test_words_about_objectives_that_are_left_out_go_with_them(folder):
    (folder / "bench.yaml").write_text(
        "table: runs.csv\nobjectives: {acc: max, cost: min}\nlog: [cost]\n"
        "standard_error: {acc: acc_se, cost: cost_se}\n",
        encoding="utf-8",
    )
    described = read_description(folder / "bench.yaml")
    assert described.words_about({"acc": "max"}) == {"objectives": {"acc": "max"}, "standard_error": {"acc": "acc_se"}}
    assert described.words_about(None) == described.words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tabel: runs.csv", "Did you mean 'table'?"),
        ("objectives: {acc: max}", "names no table"),
        ("table: runs.csv\nobjectives: {acc: up}", "'up' for 'acc'"),
        ("table: runs.csv\nitem: {q: 1}", "`item` is"),
        ("table: runs.csv\nvalidation: [val]", "`validation` is"),
        ("table: runs.csv\nbounds: {acc: much}", "`bounds` of 'acc'"),
        ("table: runs.csv\nnan_policy: worst_case", "written `nan_policy: bounds` now"),
        ("[1, 2]", "must be a mapping"),
        ("table: none.csv", "none.csv"),
    ],
)
def test_mistakes_are_refused(folder, text, said):
    (folder / "bench.yaml").write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, FileNotFoundError), match=said):
        copa_nb.read(folder / "bench.yaml")
