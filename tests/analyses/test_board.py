"""Boards from tables as maintainers have them: both layouts, several files, placeholders, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from copa_nb.analyses.registry import analyses
from copa_nb.cli import main
from copa_nb.results.sentences import part, say
from tests import asked
from tests.analyses.answering import answered

MODELS, TASKS = [f"model {c}" for c in "abcd"], [f"task {i}" for i in range(20)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    accuracy = pd.DataFrame(rng.normal(50, 5, (4, 20)).round(2) + 5 * np.arange(4)[:, None], MODELS, TASKS)
    accuracy = accuracy.rename_axis("model")
    cost = (accuracy / 10).round(3)
    accuracy.to_csv("accuracy.csv")
    cost.to_csv("cost.csv")
    _long(accuracy, "accuracy").to_csv("long.csv", index=False)
    pd.DataFrame({"model": MODELS, "price": [1.0, 2, 3, 4]}).to_csv("price.csv", index=False)
    pd.DataFrame({"task": TASKS, "family": np.arange(20) // 2}).to_csv("families.csv", index=False)
    return tmp_path


def _long(wide, name):
    return wide.rename_axis(columns="task").stack().rename(name).reset_index()


def _asked(table="accuracy.csv", **given):
    return analyses()["board"].of({"table": table, "objectives": {"accuracy": "max"}, "n_resamples": 200, **given})


@pytest.mark.slow
def test_both_layouts_give_the_same_board(folder):
    wide, long = answered(_asked()), answered(_asked("long.csv"))
    assert wide.table.to_dict() == long.table.to_dict()
    assert any("each of 20 columns" in note for note in _asked().described().attrs["notes"])
    assert _asked("long.csv").described().moo.description["item"] == "task"
    direct = asked.board(
        pd.read_csv("long.csv"), system="model", item="task", objectives={"accuracy": "max"}, n_resamples=200
    )
    assert direct.table.to_dict() == long.table.to_dict()


def test_files_of_one_board_are_joined_by_system_and_item(folder):
    both = _long(pd.read_csv("accuracy.csv", index_col=0), "accuracy").merge(
        _long(pd.read_csv("cost.csv", index_col=0), "cost")
    )
    direct = asked.board(
        both, system="model", item="task", objectives={"accuracy": "max", "cost": "min"}, n_resamples=200
    )
    found = answered(_asked(join=["cost.csv"], objectives={"accuracy": "max", "cost": "min"}))
    assert found.table.to_dict() == direct.table.to_dict()
    shuffled = pd.read_csv("cost.csv").sample(frac=1, random_state=0)
    shuffled.to_csv("cost.csv", index=False)
    assert (
        answered(_asked(join=["cost.csv"], objectives={"accuracy": "max", "cost": "min"})).table.to_dict()
        == direct.table.to_dict()
    )


def test_prices_join_by_system_and_families_by_item(folder):
    priced = answered(_asked(join=["price.csv"], objectives={"accuracy": "max", "price": "min"}, known=["price"]))
    assert priced.table.loc["model c", "price"] == 3
    clustered = answered(_asked(item="task", join=["families.csv"], cluster="family"))
    assert "10 families" in clustered.measured


def test_gaps_are_compared_in_pairs(folder):
    wide = pd.read_csv("accuracy.csv", index_col=0)
    wide.iloc[0, 3] = wide.iloc[2, 5] = np.nan
    wide.to_csv("accuracy.csv")
    with pytest.raises(ValueError, match=r"2 of 20 items were not measured.*pairwise"):
        _asked().check()
    assert "2 of 80 values" in " ".join(answered(_asked(nan_policy="pairwise")).to_answer().details)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-", r"task 3 for model b; add these rows, or pass nan_policy"),
        ("–", r"task 3 for model b; add these rows, or pass nan_policy"),
        ("98.6/99.2", r"the column 'task 3', which is not numeric"),
    ],
)
def test_placeholders_are_named_with_the_fix(folder, value, message):
    wide = pd.read_csv("accuracy.csv", index_col=0).astype(str)
    wide.loc["model b", "task 3"] = value
    wide.to_csv("accuracy.csv")
    with pytest.raises(ValueError, match=message):
        _asked().check()


@pytest.mark.parametrize(
    ("table", "given", "message"),
    [
        ("price.csv", {"objectives": {"price": "max"}}, "a single value does not show its noise"),
        (
            "accuracy.csv",
            {"join": ["cost.csv"], "objectives": {"accuracy": "max", "usd": "min"}},
            "name the file after its metric",
        ),
        ("accuracy.csv", {"join": ["families.csv"]}, "has none of the columns 'model', 'item'"),
        ("accuracy.csv", {"join": ["none.csv"]}, "`join` names 'none.csv', but there is no such file"),
        ("accuracy.csv", {"since": "none.json"}, "`since` is 'none.json', but there is no such file"),
        ("accuracy.csv", {"system": "modell"}, "`system` .*'modell'"),
        ("long.csv", {"item": "tsk"}, "`item` .*'tsk'"),
    ],
)
def test_what_is_no_board_is_refused_before_anything_runs(folder, table, given, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        _asked(table, **given).check()


def test_a_column_of_means_is_no_item(folder):
    wide = pd.read_csv("accuracy.csv", index_col=0)
    wide["Average"] = wide.mean(axis="columns").round(2)
    wide.to_csv("accuracy.csv")
    with pytest.raises(ValueError, match="'Average', which is the mean of the others and no item; list it in `show`"):
        _asked().check()
    assert "20 items" in answered(_asked(show=["Average"])).measured


def test_what_changed_is_told_by_the_earlier_board(folder):
    answered(_asked()).to_json(folder / "last.json")
    pd.read_csv("accuracy.csv").query("model != 'model a'").to_csv("now.csv", index=False)
    options = ["--max", "accuracy", "--since", "last.json", "--quick"]
    now = answered(analyses()["board"].of({"table": "now.csv", "objectives": {"accuracy": "max"}}))
    assert "1 gone" in now.since("last.json").explain()
    document = json.loads((folder / "last.json").read_text(encoding="utf-8"))
    (folder / "last.json").write_text(json.dumps(document | {"version": 9}), encoding="utf-8")
    answer = CliRunner().invoke(main, ["board", "now.csv", *options])
    assert answer.exit_code != 0
    assert "schema 9" in answer.output


def test_cheaper_answers_per_kind_and_writes_routes(folder):
    rng = np.random.default_rng(1)
    rows = [
        (kind, model, f"{kind} {q}", skill + 0.1 * rng.normal(), cost * rng.lognormal(0, 0.2))
        for kind in ("chat", "code")
        for model, skill, cost in (("large", 0.8, 5.0), ("small", 0.8 - 0.4 * (kind == "code"), 1.0))
        for q in range(80)
    ]
    pd.DataFrame(rows, columns=["kind", "model", "question", "acc", "usd"]).to_csv("calls.csv", index=False)
    given = {
        "table": "calls.csv", "objectives": {"acc": "max", "usd": "min"}, "system": "model", "item": "question",
        "by": ["kind"], "margin": {"acc": 0.1},
    }  # fmt: skip
    found = answered(analyses()["cheaper"].of(given))
    assert found.to_answer().headline == say(part("cheaper.headline.groups", than="large", replaced=1, groups=2))
    routes = json.loads(found.route_files()["routes.json"])
    assert {kind: one["system"] for kind, one in routes["routes"].items()} == {"chat": "small", "code": "large"}
    with pytest.raises(ValueError, match=r"`than` is 'larg'.*Did you mean 'large'"):
        analyses()["cheaper"].of(given | {"than": "larg"}).check()
    with pytest.raises(ValueError, match="`margin` names the cost 'usd'"):
        analyses()["cheaper"].of(given | {"margin": {"usd": 1.0}}).check()
    with pytest.raises(ValueError, match="`cost` is 'acc', which is maximized"):
        analyses()["cheaper"].of(given | {"cost": "acc"}).check()
