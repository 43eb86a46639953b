"""The user's own tables: three kinds of file, what a report needs of them, and clear errors before it runs."""

import hashlib
import re

import pandas as pd
import pytest
from click.testing import CliRunner

from copa_nb.analyses.registry import analyses, check
from copa_nb.cli import main
from copa_nb.reports import read_table
from copa_nb.sources.no_numbers import need_numbers

MODELS = "model,accuracy,price,late,fast,day\na,0.9,1 $,3,yes,0\nb,0.8,2 $,,no,1\nc,0.7,3 $,1,yes,2\nd,,4 $,2,no,3\n"
RUNS = "agent,seed,accuracy,cost\nA,0,0.5,1\nA,1,0.6,2\nB,0,0.7,0\nB,1,,3\n"
SCORES = "val_auc,test_auc,fold\n0.5,0.4,0\n0.6,?,1\n"
FRAME = pd.DataFrame({"model": ["<b>x</b>", "=cmd"], "accuracy": [0.5, 0.75], "n": [1, 2]})
WRITERS = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "a.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "a.parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "a.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.ndjson": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.json": lambda frame, path: frame.to_json(path, orient="records"),
    "A.CSV": lambda frame, path: frame.to_csv(path, index=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_all_kinds_of_file_give_the_same_table(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](FRAME, path)
    table = read_table(path)
    pd.testing.assert_frame_equal(table, FRAME, check_dtype=False)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.attrs["source"] == {"name": name, "kind": "own", "sha256": digest, "origin": str(path)}


def test_rows_are_named_on_request(tmp_path):
    path = tmp_path / "a.csv"
    FRAME.to_csv(path, index=False)
    assert read_table(path, system="n").index.tolist() == [1, 2]
    assert read_table(path, system="").index.tolist() == ["<b>x</b>", "=cmd"]
    FRAME.assign(model="same").to_csv(path, index=False)
    unnamed = read_table(path, system="")
    assert unnamed.columns.tolist() == ["model", "accuracy", "n"], "it names no row"
    assert unnamed.index.tolist() == ["row 1", "row 2"], "people count from 1"


def test_names_that_stand_for_several_rows_are_told_apart(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("model,acc\nResNet,1\nViT,2\nResNet,3\nResNet (2),4\nEffNet,5\n", encoding="utf-8")
    table = read_table(path, system="")
    assert table.index.tolist() == ["ResNet", "ViT", "ResNet (3)", "ResNet (2)", "EffNet"]
    assert table.index.name == "model"
    assert table.attrs["notes"] == ["Several rows are named 'ResNet'; they are numbered, e.g. 'ResNet (3)'."]
    path.write_text("n,acc\n7,1\n7,2\n", encoding="utf-8")
    assert read_table(path, system="n").index.tolist() == [7, "7 (2)"]
    assert read_table(path, system="acc").attrs["notes"] == []


def test_indices_of_parquet_files_are_kept(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.set_index("model").to_parquet(path)
    assert read_table(path, system="").index.name == "model"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "empty file"),
        ("a.csv", "a,b\n", "no rows"),
        ("a.xls", "x", "must end in"),
        ("a.xlsx", "x", "cannot be read as xlsx"),
        ("a.parquet", "not parquet", "cannot be read as parquet"),
        ("a.jsonl", "{", "cannot be read as jsonl"),
        ("a.csv", 'a,b\n1,2\n3,4,5,6\n"', "cannot be read as csv"),
        ("a.csv", "a, a\n1,2\n", "several columns named 'a'"),
    ],
)
def test_bad_files_are_named_with_the_reason(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_table(path)
    assert name in str(caught.value)


def test_a_missing_file_and_a_missing_column(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_table(tmp_path / "none.csv")
    path = tmp_path / "a.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(ValueError, match="Did you mean 'model'"):
        read_table(path, system="modle")


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = {"models": MODELS, "runs": RUNS, "scores": SCORES, "good": SCORES.replace("?", "0.3")}
    for name, text in (tables | {"whole": RUNS.replace("B,1,,", "B,1,0.9,")}).items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")

    def refused(*arguments):
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == 2, result.output
        assert not (tmp_path / "reports").exists()
        return result.output

    def no_kernel(*arguments, **options):
        raise AssertionError("a kernel was started")

    monkeypatch.setattr("copa_nb.reports.kernels.subprocess.Popen", no_kernel)

    return refused


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("select models.csv", "The numeric columns are 'accuracy', 'price', 'late', 'day'"),
        ("select models.csv --max fast", "without units or thousands separators"),
        ("select models.csv --max fast", "'fast', which"),
        ("select models.csv --min late", "'late' in 1 of 4 rows ('b'). Fill them, or say --nan-policy omit"),
        ("select models.csv --min late --max accuracy", "'accuracy' in 1 of 4 rows ('d'); 'late' in 1 of 4 rows ('b')"),
        ("select models.csv --max day --min day", "both name 'day'"),
        (
            "select models.csv --max day --weight accuracy=1",
            "`--weight` names 'accuracy', which is not an objective; allowed are 'day'",
        ),
        ("select models.csv --max day --nan-policy drop", "'--nan-policy': 'drop' is not one of"),
        ("gap scores.csv --max acc", "`--max/--min` names 'acc', of which 'val_acc' and 'test_acc' are missing"),
        ("gap scores.csv --max auc", "'test_auc' in 1 of 2 rows ('row 2')"),
        ("gap scores.csv --max auc --system how", "`--system` names 'how'"),
        ("audit runs.csv --max accuracy", "`--system` is needed"),
        ("audit runs.csv --max accuracy --system agent", "missing values in objective 'accuracy' in 1 of 4 rows"),
        (
            "audit runs.csv --min cost --system agent --log cost",
            "`--log` asks for the logarithm of 'cost', but 1 of 4 values are not above zero",
        ),
        ("audit runs.csv --min cost --system agent --repeat run", "`--repeat` names 'run'"),
        ("select models.csv --max day --p foo", "`--p` is 'foo'; it must be a number of at least 1, or \"inf\""),
        ("select models.csv --max day --weight day=abc", "`--weight` gives 'abc' for 'day'"),
        (
            "front models.csv --max day -p n_resamples 0",
            "`-p n_resamples` is 0; it must be a whole number of at least 100",
        ),
        ("select models.csv --max day --where day>9", "`--where`"),
        ("gap good.csv --max auc --order fold --budgets 1,x", "`--budgets` is 'x'"),
        (
            "gap good.csv --max auc --order fold --budgets 3",
            "`--budgets` asks for 3 evaluations, but the shortest run has 2",
        ),
        ("gap good.csv --max auc --reference acc=0", "`--reference`"),
        (
            "audit runs.csv --max accuracy --system agent --nan-policy omit --new Ours",
            "only one of `--new` and `--baseline` is given",
        ),
        (
            "audit whole.csv --max accuracy --system agent --new C --baseline A",
            "`--new/--baseline` names 'C', which is not a system",
        ),
        (
            "audit whole.csv --max accuracy --system agent --new A --baseline A",
            "`--new` and `--baseline` both name 'A'",
        ),
        (
            "audit whole.csv --max accuracy --system agent -p alternative more",
            "`-p alternative` is 'more'; allowed are",
        ),
        (
            "audit whole.csv --max accuracy --system agent -p reference_margin -1",
            "`-p reference_margin` is -1.0; it must be a finite number of at least 0",
        ),
        ("audit whole.csv --max accuracy --system agent --paired", "`--paired` needs `--repeat`"),
        (
            "posets whole.csv --max accuracy --system agent --item seed -p n_samples 5",
            "`-p n_samples` is 5; it must be a whole number of at least 100",
        ),
        ("posets runs.csv --max cost --system agent", "`--item` is needed"),
        ("posets runs.csv --max cost --system agent --item task", "`--item` names 'task'"),
    ],
)
def test_the_column_what_was_found_and_the_cure_are_named(refusal, arguments, found):
    assert found in refusal(*arguments.split())


def test_a_table_in_which_every_row_has_a_gap_cannot_be_omitted_from(refusal, tmp_path):
    (tmp_path / "holes.csv").write_text("a,b\n1,\n,2\n", encoding="utf-8")
    assert "--nan-policy omit leaves no row" in refusal("select", "holes.csv", "--max", "a,b", "--nan-policy", "omit")


def test_batches_are_checked_alike_and_a_changed_file_is_read_again(refusal, tmp_path):
    plan = tmp_path / "runs.yaml"
    plan.write_text(
        "runs:\n- {select: models.csv, objectives: {late: min}}\n- {yours/gap: no.csv, objectives: {auc: max}}\n",
        encoding="utf-8",
    )
    said = refusal("run", str(plan))
    assert re.search(r"missing values in objective 'late'", said)
    assert re.search(r"`table` is 'no.csv', but there is no such file in", said)
    (tmp_path / "models.csv").write_text("soon\n1\n2\n", encoding="utf-8")
    assert "`objectives` names 'late', which is not a column" in refusal("run", str(plan))


def test_reports_without_a_table_of_ones_own_pass():
    check("copa/figure_1", {"table": "nowhere.csv"})
    check("yours/select", {"table": ""})
    with pytest.raises(FileNotFoundError, match="nowhere"):
        check("yours/select", {"table": "nowhere.csv"})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([True, False], "whose values are true or false, not numbers; write 1 and 0 if one of them is better."),
        (["1", "2"], "is not a numeric column: its type is str; store it as numbers."),
        ([1 + 2j], "'(1+2j)' in row 1); use plain numbers, without units or thousands separators."),
        (["1", "?", "2"], "('?' in row 2); leave these cells empty and set `nan_policy`"),
        (["1", "?"], "1 of its 2 values is not a number ('?' in row 2); leave these cells empty and set"),
        (["1,5", "2,5"], "such values, and set `decimal`: with ',' all of them are numbers."),
        (["1%", "2%"], "('1%' in row 1, '2%' in row 2); list it in `parse`, which reads such values."),
    ],
)
def test_columns_that_are_no_numbers_are_refused_with_the_cure(values, said):
    column = pd.Series(values, name="x", dtype="str" if isinstance(values[0], str) else None)
    with pytest.raises(ValueError, match=r"^`objectives` names 'x', (which|whose) ") as refusal:
        need_numbers(column.to_frame(), ["x"], ".")
    assert said in str(refusal.value)


def test_names_of_scores_may_have_commas():
    table = pd.DataFrame([[1, 2, 3, 4]], columns=["val_a,b", "test_a,b", "val_c", "test_c"])
    gap = analyses()["gap"]
    assert gap.is_name("a,b", "objectives", table, {})
    assert not gap.is_name("c,d", "objectives", table, {})
    assert not gap.is_name("a,b", "show", table, {})
    assert gap.is_name("val_a,b", "show", table, {})
