"""What the controls of the panel say, in code, on the shell and in a batch file."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import copa_nb
from copa_nb import datasets
from copa_nb.analyses.registry import analyses
from copa_nb.control_panel.controls import controls_of, own_parameters
from copa_nb.control_panel.settings import ROLES, ChosenTable, Settings, columns_of
from copa_nb.control_panel.views import VIEWS, others, view_of
from copa_nb.reports.batch_file import read_plan
from tests import asked

ROOT = Path(__file__).parents[2]
AWKWARD = """model;accuracy (%);price;ms;license
ViT-B;81,5 %;$1,299.00;12;MIT
ResNet;76,1 %;$80.50;5;MIT
Swin-L;86,3 %;$2,450.00;31;
ConvNeXt;84,1 %;$990.00;19;Apache
MobileNet;72,0 %;$25.00;3;Apache
"""


@pytest.fixture
def of_file(tmp_path):
    file = tmp_path / "models.csv"
    file.write_text(AWKWARD, encoding="utf-8")
    return Settings(
        source=ChosenTable(name="models.csv", path=str(file)),
        directions={"accuracy (%)": "max", "price": "min", "ms": "min"},
        parse=("accuracy (%)", "price"),
        limits={"accuracy (%)": (73.0, None), "price": (None, 2000.0)},
        options={"select": {"weights": {"price": 0.6}, "p": "2"}},
    )


@pytest.fixture
def of_runs():
    return Settings(
        source=ChosenTable(name="runs", frame=datasets.load_german_credit_runs().query("seed == 1337"), code="runs"),
        directions={"val_precision": "max", "test_recall": "max", "val_recall": "max"},
        roles={"system": "model"},
        options={"gap": {"reference": {"precision": 0.0, "recall": 0.0}}},
    )


@pytest.fixture
def of_agents():
    return Settings(
        source=ChosenTable(name="agents", frame=datasets.load_agents("0409"), code='datasets.load_agents("0409")'),
        directions={"accuracy": "max", "cost_usd": "min"},
        roles={"system": "system", "repeat": "run", **_two(datasets.load_agents("0409")["system"])},
        options={"audit": {"n_resamples": 200}},
    )


def _two(systems):
    new, baseline = pd.unique(systems)[:2]
    return {"new": new, "baseline": baseline}


def test_columns_that_need_parsing_are_flagged(of_file):
    found = columns_of(of_file.source.raw())
    assert {one.name: one.kind for one in found.values()} == {
        "model": "text", "accuracy (%)": "numbers as text", "price": "numbers as text", "ms": "numbers",
        "license": "text",
    }  # fmt: skip
    assert found["price"].advice == "Read as numbers: 1299, 80.5, 2450."
    assert "1 of 5 values is missing" in found["license"].advice


def test_text_whose_decimal_mark_is_open_is_flagged_with_the_way_out():
    frame = pd.DataFrame({"price": ["1,234", "5,678"], "good": [True, False]})
    found = columns_of(frame)
    assert "set `Decimal mark of text` to" in found["price"].advice
    assert columns_of(frame, ".")["price"].advice == "Read as numbers: 1234, 5678."
    assert found["good"].kind == "text"


def test_what_is_asked_is_what_the_verb_is_asked(of_file):
    asked = of_file.asked("select")
    shown = VIEWS[0].show(of_file, asked)
    table = copa_nb.parse_numbers(
        pd.read_csv(of_file.source.path, sep=";", index_col="model"), ["accuracy (%)", "price"]
    )
    choice = table.moo({"accuracy (%)": "max", "price": "min", "ms": "min"}).copa(
        p=2, weights={"price": 0.6}, where="`accuracy (%)` >= 73 and price <= 2000"
    )
    assert shown.sentences == (choice.explain(),)
    assert shown.explorer.best == choice.best
    shown.explorer.close()


def test_criteria_are_compared_under_the_limit(of_file):
    asked = of_file.asked("select")
    view = next(one for one in VIEWS if one.title == "Compare criteria")
    shown = view.show(of_file, asked)
    assert f', where="{asked.where}"' in shown.calls[0]
    table = asked.described()
    choice = asked.ask(table.moo)
    assert shown.result.ranks.index.sort_values().tolist() == choice.table.index.sort_values().tolist()
    assert len(choice.table) < len(table)


def _run(code, folder):
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=folder, env=environment, timeout=300,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def _python_of(settings, view):
    name = view.analysis(settings)
    shown = view.show(settings, settings.asked(name))
    if shown.explorer is not None:
        shown.explorer.close()
    return settings.python(name, shown.calls), shown


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS[:4], ids=lambda view: view.title)
def test_the_lines_of_python_give_what_is_shown(view, of_file, tmp_path):
    code, shown = _python_of(of_file, view)
    printed = _run(code, tmp_path)
    if view.title == "Front":
        count = shown.sentences[0].split()[0]
        assert printed.splitlines()[0] == count
    else:
        for sentence in shown.sentences[: 1 if view.title == "Compare criteria" else None]:
            assert sentence in printed


@pytest.mark.slow
def test_the_lines_of_python_give_the_test_of_two_systems(of_agents, tmp_path):
    code, shown = _python_of(of_agents, VIEWS[5])
    assert _run(code, tmp_path).strip() == shown.sentences[0].removesuffix(".")


def test_a_gap_takes_the_scores_without_the_parts_of_their_names(of_runs):
    analysis = of_runs.asked("gap")
    assert analysis.maximize == ["precision", "recall"]
    assert analysis.system == "model"
    code, shown = _python_of(of_runs, VIEWS[4])
    frame = of_runs.source.frame
    expected = asked.gap(
        frame, by="model", objectives={"precision": "max", "recall": "max"}, reference={"precision": 0, "recall": 0}
    )
    assert {result.gap for _, result, _ in shown.drawn[:2]} == {one.gap for one in expected.values()}
    names = {"runs": frame}
    exec(code, names)
    assert names["found"].to_answer().headline in shown.sentences[0]


def test_the_line_of_the_shell_asks_the_same(of_file, tmp_path):
    import shlex

    from click.testing import CliRunner

    from copa_nb.cli.own_tables import own_table_command

    program, name, *words = shlex.split(of_file.shell("select"))
    assert (program, name) == ("copa-nb", "select")
    words[0] = of_file.source.path
    done = CliRunner().invoke(own_table_command(analyses()["select"]), [*words, "--quick"])
    assert done.exit_code == 0, done.output
    shown = VIEWS[0].show(of_file, of_file.asked("select"))
    assert shown.explorer.best in done.output.splitlines()[0]
    shown.explorer.close()


def test_the_batch_file_is_one_and_gives_the_settings_again(of_file, tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text(of_file.yaml(["select"]), encoding="utf-8")
    (job,) = read_plan(file).jobs
    assert job.parameters["weights"] == {"price": 0.6}
    assert Settings(source=of_file.source).read(file) == of_file


def test_settings_of_several_analyses_are_read_again(of_agents, tmp_path):
    file = tmp_path / "settings.yaml"
    given = of_agents.with_options("select", p="2")
    file.write_text(given.yaml(["audit", "select"]), encoding="utf-8")
    read = Settings(source=of_agents.source).read(file)
    assert read.directions == given.directions
    assert read.roles == given.roles
    assert read.options == given.options


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jobs: 3", "has no list `runs`"),
        ("runs:\n- {selekt: a.csv}", "Did you mean 'select'"),
        ("runs:\n- {select: a.csv, objectives: {cost: min}}", "names the column 'cost'"),
        ("runs:\n- {select: a.csv, p: 0}", "`p`"),
        ("runs:\n- {select: a.csv, where: 'ms * 2 <= 3'}", "limits such as"),
        ("runs:\n- {select: a.csv, p: ['1', '2']}", "several values of 'p'"),
        ("runs:\n- copa/figure_1", "has the report 'copa/figure_1'"),
    ],
)
def test_files_that_do_not_fit_are_refused(of_file, tmp_path, text, said):
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=said):
        of_file.read(file)


def test_without_a_table_or_an_objective_the_next_step_is_said(of_file):
    with pytest.raises(ValueError, match="Upload a table"):
        Settings().asked("select")
    with pytest.raises(ValueError, match="whether more or less of it is better"):
        replace(of_file, directions={}).asked("select")
    with pytest.raises(ValueError, match="val_recall and test_recall"):
        of_file.asked("gap")


@pytest.mark.parametrize("name", sorted(analyses()))
def test_every_parameter_of_every_analysis_has_a_control_that_keeps_it(name):
    asked_once = {"table", "reading", "maximize", "minimize", "show", "where", analyses()[name].names_rows, *ROLES}
    controls = controls_of(name, ["a", "b"], ["a"], {})
    assert set(controls) == set(analyses()[name].parameters()) - asked_once
    for declared in own_parameters(name):
        control = controls[declared.name]
        assert control.value == declared.default
        changed = _another(declared)
        control.put(changed)
        assert control.value == changed, declared.name
        control.widget.close()


def _another(declared):
    if declared.choices:
        return declared.choices[-1]
    named = declared.column or declared.objective
    return {
        "bool": not declared.default if declared.kind == "bool" else None,
        "int": int(declared.least or 0) + 7,
        "float": 0.25,
        "str": "a" if named else "2",
        "list": ["a"] if named else ["7"],
        "dict": {"a": 0.5},
    }[declared.kind]


def test_analyses_without_a_tab_are_offered(of_agents):
    assert set(others().values()) | {"select", "gap", "compare", "audit"} == set(analyses())
    settings = replace(of_agents, roles={"system": "system", "repeat": "run"})
    shown = view_of("front").show(settings, settings.asked("front"))
    front = asked.confident_front(settings.source.frame.moo(settings.directions), system="system", repeat="run")
    assert front.explain() in " ".join(shown.sentences)
    assert len(shown.drawn) == 1


def test_yaml_holds_numbers_as_numbers(of_file):
    (run,) = yaml.safe_load(of_file.yaml(["select"]))["runs"]
    assert next(iter(run)) == "select"
    assert isinstance(run["weights"]["price"], float)
    assert not any(isinstance(value, np.generic) for value in run.values())


def test_runs_that_suggest_no_claim_are_answered_in_words():
    agents = datasets.load_agents("0409")
    alone = agents[agents["system"] == agents["system"].iloc[0]]
    given = Settings(
        source=ChosenTable(name="agents", frame=alone, code="agents"),
        directions={"accuracy": "max", "cost_usd": "min"},
        roles={"system": "system", "repeat": "run"},
    )
    shown = next(one for one in VIEWS if one.title == "New against old").show(given, given.asked("audit"))
    assert shown.sentences
    assert "No pair of systems" in shown.sentences[0]
