"""``copa-nb describe``: the lines that it prints give the same answer in Python and on the shell."""

import re
import shlex

import pytest

import copa_nb

SCORES = [f"{model},{task},{0.5 + 0.01 * task * k},{k}\n" for task in range(9) for k, model in enumerate("abc")]
TABLES = {
    "systems": "model,the cost,acc\na,3,0.9\nb,1,0.8\nc,2,0.7\n",
    "gaps": "model,cost,acc\na,3,0.9\nb,,0.8\nc,2,0.7\nd,1,0.6\n",
    "items": "".join(["model,task,acc,ms\n", *SCORES]),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_both_lines_run_and_agree(invoke, tmp_path, name):
    (tmp_path / "my table.csv").write_text(TABLES[name])
    said = invoke("describe", "my table.csv").output
    assert "Say what is good, once you have checked these directions:" in said
    reading, asking = re.search(r"In Python: (table = .*)\n +(table\..*)\n", said).groups()
    names = {"copa_nb": copa_nb}
    exec(reading, names)
    answer = eval(asking, names)
    line = shlex.split(re.search(r"On the shell: copa-nb (.*)\n", said)[1])
    shell = invoke(*line)
    assert shell.exit_code == 0, shell.output
    best = answer.best if name != "items" else answer.table.index[0]
    assert re.search(rf"\b{re.escape(best)}\b", shell.output.splitlines()[0])


def test_what_is_said_is_in_both_lines(invoke, tmp_path):
    (tmp_path / "runs.csv").write_text("agent;task;acc;cost\na;1;0,5;1\na;2;0,7;1\nb;1;0,9;2\nb;2;0,95;2\n")
    said = invoke("describe", "runs.csv", "--max", "acc", "--system", "agent", "--item", "task", "--read", "decimal=,")
    assert """copa_nb.read('runs.csv', acc="max", system="agent", item="task", decimal=',')""" in said.output
    assert "copa-nb board runs.csv --max acc --system agent --item task --read decimal=, --quick" in said.output
    assert "Say what is good" not in said.output


def test_of_a_table_without_numbers_nothing_is_proposed(invoke, tmp_path):
    (tmp_path / "words.csv").write_text("a,b\nx,y\nz,w\n")
    said = invoke("describe", "words.csv").output
    assert said.startswith("2 rows, no objectives defined")
    assert "In Python" not in said
