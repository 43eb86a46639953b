"""A newcomer's file, with units, gaps and a name twice, leads to the right answer after one refusal at most."""

import re
import shlex

import pandas as pd
import pytest
from click.testing import CliRunner

import copa_nb
from copa_nb.cli import main
from copa_nb.tables.objectives import RowsOmittedWarning

FILE = """model,price,latency,accuracy
alpha,$0.0034,"1,450 ms",64.7%
beta,$0.0120,980 ms,71.2%
gamma,$0.0007,"1,292 ms",58.0%
delta,$0.0050,,66.1%
beta,$0.0110,"1,010 ms",70.9%
epsilon,$0.0200,"2,100 ms",
zeta,$0.0300,"2,500 ms",73%
"""
# By hand: the rows without gaps, in plain numbers.
TRUTH = pd.DataFrame(
    {"price": [0.0034, 0.012, 0.0007, 0.011, 0.03], "latency": [1450, 980, 1292, 1010, 2500],
     "accuracy": [64.7, 71.2, 58, 70.9, 73]},
    index=["alpha", "beta", "gamma", "beta (2)", "zeta"],
)  # fmt: skip
BEST = TRUTH.moo(price="min", latency="min", accuracy="max").copa().best


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "models.csv").write_text(FILE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_the_lines_that_a_read_table_prints_answer_without_a_refusal():
    names = {"df": copa_nb.read("models.csv")}
    define, ask = [line.strip(" >") for line in repr(names["df"].moo).splitlines()[-2:]]
    exec(define, names)
    assert eval(ask, names).best == BEST


def test_who_does_not_look_is_refused_once_with_the_line_to_write():
    table = copa_nb.read("models.csv", accuracy="max", price="min", latency="min")
    with pytest.raises(ValueError, match="missing values in objective") as refusal:
        table.moo.copa()
    said = re.search(r"df\.moo\.define\(nan_policy=\"omit\"\)", str(refusal.value))[0]
    with pytest.warns(RowsOmittedWarning, match="2 of 7 rows"):
        choice = eval(said, {"df": table}).moo.copa()
    assert choice.best == BEST


@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_a_frame_of_pandas_prints_the_line_that_reads_its_text():
    names = {"df": pd.read_csv("models.csv"), "copa_nb": copa_nb}
    *before, ask = [line.strip(" >") for line in repr(names["df"].moo).splitlines()[-3:]]
    exec("\n".join(before), names)
    row = eval(ask, names).best
    assert names["df"].loc[row, "price"] == TRUTH.loc[BEST, "price"]


def test_on_the_shell_the_described_line_answers_without_a_refusal():
    described = CliRunner().invoke(main, ["describe", "models.csv"]).output
    line = re.search(r"On the shell: copa-nb (.*)", described)[1]
    answer = CliRunner().invoke(main, shlex.split(line))
    assert answer.exit_code == 0
    assert BEST in answer.output.splitlines()[0]
    assert "Text is read as numbers in 'price' ('$0.0034' is 0.0034)" in answer.output


def test_on_the_shell_who_does_not_look_is_refused_once():
    asked = ["select", "models.csv", "--max", "accuracy", "--min", "price,latency", "--quick"]
    refused = CliRunner().invoke(main, asked)
    assert refused.exit_code == 2
    option = re.search(r"--nan-policy omit", refused.output)[0]
    answer = CliRunner().invoke(main, [*asked, *option.split()])
    assert answer.exit_code == 0
    assert BEST in answer.output.splitlines()[0]
