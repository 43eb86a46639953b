"""What a report asks of a table of one's own, checked before anything runs."""

import re

import pytest
from click.testing import CliRunner

from copa_nb.cli import main
from copa_nb.reports.catalogue import find
from copa_nb.reports.jobs import make_job
from copa_nb.reports.own_columns import check_own_table

MODELS = "model,accuracy,price,late,fast,day\na,0.9,1 $,3,yes,0\nb,0.8,2 $,,no,1\nc,0.7,3 $,1,yes,2\nd,,4 $,2,no,3\n"
RUNS = "agent,seed,accuracy,cost\nA,0,0.5,1\nA,1,0.6,2\nB,0,0.7,0\nB,1,,3\n"
SCORES = "val_auc,test_auc,fold\n0.5,0.4,0\n0.6,?,1\n"


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"models": MODELS, "runs": RUNS, "scores": SCORES}.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")

    def refused(*arguments):
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == 2, result.output
        assert not (tmp_path / "reports").exists()
        return result.output

    return refused


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("select models.csv", "Columns with numbers are 'accuracy', 'late', 'day'"),
        ("select models.csv --max price", "4 of its 4 values are not numbers ('1 $' in row 1, '2 $' in row 2,"),
        ("select models.csv --max price", "without units or thousands separators"),
        ("select models.csv --max fast", "'fast', which"),
        ("select models.csv --min late", 'has 1 missing value (row 2), and `nan_policy` is "raise"'),
        ("select models.csv --min late --max accuracy", "(row 4), as have 'late'"),
        ("select models.csv --min late --max accuracy", "leaves out 2 of 4 rows"),
        ("select models.csv --max day --min day", "both name 'day'"),
        ("select models.csv --max day --weight accuracy=1", "columns are 'day'"),
        ("select models.csv --max day --nan-policy drop", "allowed are 'raise', 'omit', 'worst'"),
        ("gap scores.csv --max acc", "`maximise` names 'val_acc'"),
        ("gap scores.csv --max auc", "'test_auc', which is not a column of numbers: 1 of its 2 values"),
        ("gap scores.csv --max auc --method how", "`method` names 'how'"),
        ("significance runs.csv --max accuracy", "`system` is empty"),
        ("significance runs.csv --max accuracy --system agent", "1 missing value (row 4)"),
        ("significance runs.csv --min cost --system agent --log-scale cost", "1 value of 0 or less, e.g. 0"),
        ("significance runs.csv --min cost --system agent --seed run", "`seed` names 'run'"),
        ("posets runs.csv --max cost --item agent", "`by` is empty"),
        ("posets runs.csv --max cost --item agent --by task", "`by` names 'task'"),
    ],
)
def test_the_column_what_was_found_and_the_cure_are_named(refusal, arguments, found):
    assert found in refusal(*arguments.split())


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_gaps_may_be_left_out_or_counted_as_worst(refusal, policy):
    job = make_job(find("select"), {"table": "models.csv", "minimise": ["late"], "nan_policy": policy})
    check_own_table(find("select"), job.parameters)


def test_a_table_in_which_every_row_has_a_gap_cannot_be_omitted_from(refusal, tmp_path):
    (tmp_path / "holes.csv").write_text("a,b\n1,\n,2\n", encoding="utf-8")
    assert "would leave no row" in refusal("select", "holes.csv", "--max", "a,b", "--nan-policy", "omit")


def test_batches_are_checked_alike_and_a_changed_file_is_read_again(refusal, tmp_path):
    plan = tmp_path / "runs.yaml"
    plan.write_text(
        "runs:\n- {report: select, parameters: {table: models.csv, minimise: [late]}}\n"
        "- {report: yours/gap, parameters: {table: no.csv, maximise: [auc]}}\n",
        encoding="utf-8",
    )
    said = refusal("batch", str(plan))
    assert re.search(r"run 1 \(select\): `minimise` names 'late'", said)
    assert re.search(r"run 2 \(yours/gap\): `table` is 'no.csv'; there is no such file in", said)
    (tmp_path / "models.csv").write_text("late\n1\n2\n", encoding="utf-8")
    assert "late" not in refusal("batch", str(plan))


def test_reports_without_a_table_of_ones_own_pass():
    check_own_table(find("copa/figure_1"), {"table": "nowhere.csv"})
    check_own_table(find("yours/select"), {"table": ""})
