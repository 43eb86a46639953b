"""Tables as people have them, on the command line: how they are read, what is shown, names with odd characters."""

import json

import pandas as pd
import pytest

EUROPEAN = "Modell;Güte;Preis (€);Lizenz\nViT;64,7%;1.299,50 €;MIT\nLeNet;50%;80 €;GPL\nMLP;40%;90 €;MIT\n"


def first_line(said):
    """Where the answer stands."""
    return said.splitlines()[0]


def test_a_european_table_is_read_with_flags_that_errors_name(invoke, quick, tmp_path):
    (tmp_path / "modelle.csv").write_bytes(EUROPEAN.encode("cp1252"))
    objectives = ("modelle.csv", "--max", "Güte", "--min", "Preis (€)")
    assert "`--read encoding`" in invoke("select", *objectives).output
    reading = ("--read", "encoding=cp1252")
    said = quick("select", *objectives, *reading, "-p", "show", "Lizenz")
    assert "LeNet" in first_line(said)
    assert "Lizenz: GPL." in said
    named = quick("select", *objectives, *reading, "--read", "parse=Güte,Preis (€)", "-p", "show", "Lizenz")
    assert [line for line in said.splitlines() if "Text is read as numbers" not in line] == named.splitlines()


def test_what_may_be_a_name_is_read_as_a_number_where_that_is_said(invoke, quick, tmp_path):
    (tmp_path / "models.csv").write_text("model,size,acc,layers\na,7B,0.7,12L\nb,13B,0.8,24L\n")
    objectives = ("models.csv", "--max", "acc", "--min", "size", "--min", "layers")
    said = invoke("select", *objectives).output
    assert "'7B' in row 1" in said
    assert "'12L' in row 1" in said, "all columns at once"
    assert said.count("list it in `--read parse`") == 2
    assert quick("select", *objectives, "--read", "parse=size,layers")


def test_standard_input_may_hold_any_kind_of_table(invoke, quick, tmp_path):
    frame = pd.DataFrame({"model": ["a", "b"], "acc": [1, 2]})
    frame.to_parquet(tmp_path / "a.parquet")
    for content in (frame.to_csv(index=False), frame.to_json(orient="records"), (tmp_path / "a.parquet").read_bytes()):
        assert " b:" in first_line(quick("select", "-", "--max", "acc", input=content))
    refused = invoke("select", "-", "--max", "acc", input="")
    assert refused.exit_code == 2
    assert "`TABLE` is '-', but standard input is empty" in refused.output


def test_a_file_that_describes_a_table_takes_its_place(invoke, quick, tmp_path):
    rows = "agent;task;acc;cost\na;1;0,5;1\na;2;0,7;1\nb;1;0,9;2\nb;2;0,95;2\n"
    (tmp_path / "runs.csv").write_text(rows, encoding="utf-8")
    words = "objectives: {acc: max, cost: min}\nsystem: agent\nitem: task\nknown: cost\nseed: 0\n"
    reading = "reading: {separator: ;, decimal: ','}\nclaims: [{rank: b}]\n".replace(";", "';'")
    (tmp_path / "bench.yaml").write_text(f"table: runs.csv\n{words}{reading}", encoding="utf-8")
    read_as = ("--read", "separator=;", "--read", "decimal=,")
    roles = ("--system", "agent", "--item", "task", "--known", "cost")
    typed = quick("select", "runs.csv", "--max", "acc", "--min", "cost", *roles, *read_as)
    assert quick("select", "bench.yaml") == typed
    only = quick("compare", "runs.csv", "--max", "acc", "--system", "agent", "--item", "task", *read_as)
    assert quick("compare", "bench.yaml", "--max", "acc") == only, "options win"
    described = invoke("describe", "bench.yaml").output
    assert "2 agents" in described
    assert "acc ↑, cost ↓" in described
    assert "table = copa_nb.read('bench.yaml')" in described
    (tmp_path / "bench.yaml").write_text("tabel: runs.csv\n", encoding="utf-8")
    refused = invoke("select", "bench.yaml")
    assert refused.exit_code == 2
    assert "Did you mean 'table'?" in refused.output


def test_the_column_that_names_the_rows_may_be_shown(quick, tmp_path):
    pd.DataFrame({"model": ["x", "y"], "acc": [1, 2], "size": [7, 8]}).to_csv(tmp_path / "t.csv", index=False)
    said = quick("select", "t.csv", "--max", "acc", "-p", "show", "model,size")
    assert " y:" in first_line(said)
    assert "size: 8." in said


@pytest.mark.parametrize("names", [["--max", "a,b", "--max", "c"], ["--max", "c", "--max", "a,b"]])
def test_a_name_with_a_comma_is_tried_first(invoke, quick, tmp_path, names):
    pd.DataFrame({"m": ["x", "y"], "a,b": [1, 2], "c": [1, 2]}).to_csv(tmp_path / "t.csv", index=False)
    assert " y:" in first_line(quick("select", "t.csv", *names, "--weight", "a,b=0.5"))
    refused = invoke("select", "t.csv", *names, "--weight", "d,c=0.5")
    assert "`--weight` is 'd'; it must be COL=VALUE" in refused.output
    pd.DataFrame({"m": ["x", "y"], "a": [1, 2], "b": [1, 2]}).to_csv(tmp_path / "t.csv", index=False)
    assert " y:" in first_line(quick("select", "t.csv", "--max", "a,b")), "two columns"


def test_names_with_an_equals_sign_and_options_that_repeat(quick, tmp_path):
    pd.DataFrame({"m": ["x", "y", "z"], "k=1": [1, 3, 2], "k=2": [1, 3, 2]}).to_csv(tmp_path / "t.csv", index=False)
    weights = ("--weight", "k=1=0.75", "--weight", "k=2=0.25")
    assert " y:" in first_line(quick("select", "t.csv", "--max", "k=1", "--max", "k=2", *weights))
    both = ("--weight", "k=1=0.75,k=2=0.25")
    assert " y:" in first_line(quick("select", "t.csv", "--max", "k=1", "--max", "k=2", *both)), "at the comma"


def test_systems_whose_names_hold_commas_can_be_named(quick, tmp_path):
    frame = pd.DataFrame({"s": ["a, b"] * 4 + ["c"] * 4, "acc": range(8), "size": [7] * 4 + [1, 2, 3, 4]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    call = ("audit", "t.csv", "--max", "acc", "--system", "s", "--new", "c", "--baseline", "a, b")
    assert first_line(quick(*call)).startswith("Take c: its single runs beat those of a, b")


@pytest.mark.parametrize("columns", ["val_{},test_{}", "{}_val,{}_test", "{} dev,{} holdout"])
def test_scores_may_stand_before_or_behind(quick, tmp_path, columns):
    names = [part.format(score) for score in ("loss, nats", "auc") for part in columns.split(",")]
    pd.DataFrame([[1, 2, 3, 4], [2, 1, 4, 3], [3, 3, 5, 5]], columns=names).to_csv(tmp_path / "t.csv", index=False)
    parts = ("--validation", " dev", "--test", " holdout") if "dev" in columns else ()
    said = quick("gap", "t.csv", "--min", "loss, nats", "--max", "auc", *parts)
    assert all(score in first_line(said) for score in ("auc", "loss, nats"))
    assert "auc of the chosen rows: 3 to 5 on validation" in said


@pytest.mark.slow
def test_reports_read_and_show_alike(invoke, tmp_path):
    result = invoke(
        "select", "-", "--max", "Güte", "--min", "Preis (€)", "--read", "parse=Güte,Preis (€)", "-p", "show", "Lizenz",
        "--out", "out", input=EUROPEAN.encode(),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "select/standard-input: Choose LeNet" in result.output
    manifest = json.loads((tmp_path / "out/select/standard-input/manifest.json").read_text(encoding="utf-8"))
    assert manifest["answer"]["values"]["parameters"] == {"Lizenz": "GPL"}
    assert any("Lizenz: GPL" in line for line in manifest["answer"]["lines"])
    ranking = pd.read_csv(tmp_path / "out/select/standard-input/tables/ranking.csv", index_col=0)
    assert ranking["Lizenz"].to_dict() == {"ViT": "MIT", "LeNet": "GPL", "MLP": "MIT"}
    assert ranking["Preis (€)"].to_dict() == {"ViT": 1299.5, "LeNet": 80, "MLP": 90}

    columns = {"s": list("xxyyzz"), "k": [0, 1] * 3, "a": [1, 2, 3, 1, 2, 4], "b": [3, 1, 2, 5, 4, 3]}
    frame = pd.DataFrame({**columns, "gpu": list("ABABAB"), "size": [7, 7, 8, 8, 9, 9]})
    frame = frame.assign(a_val=frame["a"], a_test=frame["b"], b_val=frame["b"], b_test=frame["a"])
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    objectives = {"objectives": {"a": "max", "b": "max"}}
    runs = [
        {"gap": "t.xlsx", **objectives},
        {"audit": "t.xlsx", **objectives, "system": ["s"]},
    ]
    (tmp_path / "runs.yaml").write_text(json.dumps({"runs": runs}), encoding="utf-8")
    result = invoke("run", "runs.yaml", "--out", "out")
    assert result.exit_code == 0, result.output
    tables = {"gap": "validation-front", "significance": "systems"}
    shown = {
        name: pd.read_csv(tmp_path / f"out/{name}/t/tables/{table}.csv", index_col=0) for name, table in tables.items()
    }
    assert shown["significance"]["runs"].to_dict() == {"x": 2, "y": 2, "z": 2}
    assert shown["gap"]["optimistic"].tolist() == [True] * 3, "both splits have the same three on the front"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("select s.csv --max acc", "Did you mean 't.csv'?"),
        ("selct t.csv --max acc", "No such command 'selct'. Did you mean 'select'?"),
        ("select t.csv --max acc --weight ac=0.5", "which is not an objective; allowed are 'acc'. Did you mean 'acc'?"),
        (
            "select t.csv --max acc --where co2<<3",
            "`--where` is 'co2<<3'; expressions may contain column names, numbers",
        ),
        (
            "posets t.csv --max acc --system m --item g",
            "Pass --nan-policy omit to leave such items out, or --nan-policy worst",
        ),
        ("front t.csv --max acc --system m", "e.g. --item question or --standard-error cost=cost_se."),
    ],
)
def test_typing_errors_are_answered_in_words_of_the_command_line(invoke, tmp_path, arguments, said):
    table = pd.DataFrame({"m": ["x", "y", "x"], "g": ["a", "a", "b"], "acc": [1, 2, 3], "co2": [2, 1, 3]})
    table.to_csv(tmp_path / "t.csv", index=False)
    refused = invoke(*arguments.split(), *(["--quick"] if "selct" not in arguments else []))
    assert refused.exit_code == 2
    assert said in refused.output
