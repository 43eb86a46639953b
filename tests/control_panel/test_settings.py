"""What the controls of the panel say: columns, questions, and the same in code, on the shell and in a batch file."""

import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import copa_nb
from copa_nb import datasets
from copa_nb.analyses.registry import analyses
from copa_nb.cli.own_tables import own_table_command
from copa_nb.control_panel import questions
from copa_nb.control_panel.answers import TABS, allowed
from copa_nb.control_panel.settings import Settings
from copa_nb.control_panel.table import Source
from copa_nb.reports.batch_file import read_plan
from copa_nb.tables.objectives import RunsWarning
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
        source=Source("models.csv", path=str(file)),
        uses={"accuracy (%)": "max", "price": "min", "ms": "min"},
        limits={"accuracy (%)": (73.0, None), "price": (None, 2000.0)},
        counts={"price": 100.0},
        options={"p": "2"},
    )


@pytest.fixture
def of_runs():
    frame = datasets.load_german_credit_runs().query("seed == 1337")
    return Settings(
        source=Source("runs", frame=frame),
        uses={"model": "system"}
        | dict.fromkeys(["val_precision", "val_recall", "test_precision", "test_recall"], "max"),
    )


@pytest.fixture
def of_agents():
    frame = datasets.load_agents("0409")
    new, baseline = pd.unique(frame["system"])[:2]
    return Settings(
        source=Source("agents", frame=frame),
        uses={"system": "system", "run": "repeat", "accuracy": "max", "cost_usd": "min"},
        options={"new": new, "baseline": baseline},
    )


def _of(frame, **settings):
    return Settings(source=Source("table", frame=frame), **settings)


def _said_by_code(settings, shown, frame):
    """What the lines of Python print first."""
    names = {"frame": frame}
    exec(settings.python("select", shown.calls).replace("print(", "said = ("), names)
    return names["said"]


def _shown(settings, tab):
    shown = TABS[tab].answer(settings)
    if shown.explorer is not None:
        shown.explorer.close()
    return shown


# ------------------------------------------------------------------------------------------------------------ columns


def test_columns_of_text_show_what_they_are_read_as(of_file):
    found = of_file.table.columns
    assert {name: one.kind for name, one in found.items()} == {
        "model": "text", "accuracy (%)": "numbers as text", "price": "numbers as text", "ms": "numbers",
        "license": "text",
    }  # fmt: skip
    assert found["price"].read_as == "1299, 80.5, 2450"
    assert found["license"].n_missing == 1
    assert of_file.parse == ["accuracy (%)", "price"]


def test_what_names_suggest_is_offered_and_not_taken(of_file):
    proposed = {"model": "system", "accuracy (%)": "max", "price": "min", "ms": "min"}
    assert of_file.table.proposed == proposed
    fresh = Settings(source=of_file.source)
    question = questions.of_columns(fresh)
    assert allowed(fresh) == ["choose", "sure"]
    (taken,) = question.answers.values()
    assert taken.uses == proposed
    assert questions.of_columns(taken) is None


def test_a_role_belongs_to_one_column_and_an_objective_that_goes_takes_its_limits_along(of_file):
    named = of_file.using("model", "system").using("license", "system")
    assert named.roles == {"system": "license"}
    less = of_file.using("price", "")
    assert less.limits == {"accuracy (%)": (73.0, None)}
    assert of_file.weights["price"] == 0.5
    assert less.weights == {"accuracy (%)": 0.5, "ms": 0.5}
    erring = of_file.using("ms", "standard_error:price")
    assert erring.parameters("board")["standard_error"] == {"price": "ms"}
    assert erring.using("price", "").standard_errors == {}


@pytest.mark.parametrize(
    ("uses", "tabs"),
    [
        ({"a": "max", "b": "min"}, ["choose", "sure"]),
        ({"a": "max", "b": "standard_error:a"}, ["choose", "sure", "board"]),
        ({"name": "system", "item": "item", "a": "max"}, ["choose", "sure", "two", "board"]),
        ({"name": "system", "item": "repeat", "a": "max"}, ["choose", "sure", "two", "board"]),
        ({"val_f1": "max", "a": "max"}, ["choose", "sure"]),
        ({"val_f1": "max", "test_f1": "max"}, ["gap"]),
    ],
)
def test_only_tabs_that_the_table_allows_are_offered(uses, tabs):
    frame = pd.DataFrame({
        "name": list("xxyy"), "item": [1, 2, 1, 2], "a": [1.0, 2.0, 3.0, 4.0], "b": [0.1] * 4,
        "val_f1": [0.5] * 4, "test_f1": [0.4] * 4,
    })  # fmt: skip
    assert allowed(_of(frame, uses=uses)) == tabs


# ---------------------------------------------------------------------------------------------------------- questions


def test_a_decimal_mark_that_is_open_is_asked_for_by_what_it_would_mean():
    frame = pd.DataFrame({"price": ["1,234", "5,678"], "good": [True, False], "ms": [1, 2]})
    now = _of(frame, uses={"price": "min", "ms": "min"})
    question = questions.of_columns(now)
    assert list(question.answers) == ["1,234 is 1234", "1,234 is 1.234"]
    chosen = question.answers["1,234 is 1234"]
    assert questions.of_columns(chosen) is None
    assert chosen.numbers["price"].tolist() == [1234, 5678]


def test_another_column_may_settle_a_decimal_mark():
    frame = pd.DataFrame({"price": ["1,234", "5,678"], "ms": ["0.5 ms", "1.25 ms"]})
    now = _of(frame, uses={"price": "min", "ms": "min"})
    assert questions.of_columns(now) is None
    assert now.numbers["price"].tolist() == [1234, 5678]


def test_a_file_that_is_no_utf_8_is_read_as_windows_writes_it(tmp_path):
    file = tmp_path / "names.csv"
    file.write_bytes("Modèle;coût €\nÉté;1,5 €\n".encode("cp1252"))
    now = Settings(source=Source("names.csv", path=str(file)), uses={"coût €": "min"})
    assert list(now.table.columns) == ["Modèle", "coût €"]
    assert "--read encoding=cp1252" in now.shell("select")
    assert _shown(now, "choose").results[0].best == "Été"


def test_missing_values_are_asked_for_in_words_and_by_name(of_file, tmp_path):
    frame = pd.DataFrame({"name": list("abcd"), "x": [1.0, None, 3.0, 4.0], "y": [4.0, None, None, 1.0]})
    now = _of(frame, uses={"name": "system", "x": "max", "y": "max"})
    question = questions.of_rows(now, "select")
    assert "b and c" in question.text
    left_out = question.answers["Leave these 2 rows out"]
    assert left_out.parameters("select")["nan_policy"] == "omit"
    assert questions.of_rows(left_out, "select") is None
    assert list(question.answers) == [
        "Leave these 2 rows out", "Count a missing value as the worst", "Say what holds whatever they are",
    ]  # fmt: skip
    # What one analysis knows holds for others only if they know it.
    apart = replace(now, missing=("pairwise",))
    assert questions.of_rows(apart, "select").answers.keys() == question.answers.keys()
    assert apart.parameters("board")["nan_policy"] == "pairwise"


def test_items_that_some_lack_and_limits_that_nothing_meets_are_asked_for():
    frame = pd.DataFrame({"name": list("aab"), "item": [1, 2, 1], "x": [1.0, 2.0, 3.0]})
    now = _of(frame, uses={"name": "system", "item": "item", "x": "max"})
    question = questions.of_rows(now, "board")
    assert list(question.answers) == ["Compare each two on what both have", "Say what holds whatever they are"]
    limited = _of(frame, uses={"x": "max"}, limits={"x": (5.0, None)})
    (without,) = questions.of_rows(limited, "select").answers.values()
    assert without.limits == {}


def test_rows_that_seem_to_be_measurements_are_asked_for():
    frame = pd.DataFrame({"model": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "acc": [0.5, 0.6, 0.7, 0.7]})
    now = _of(frame, uses={"acc": "max"})
    yes, no = questions.of_columns(now).answers.values()
    assert yes.roles == {"system": "model", "repeat": "seed"}
    assert questions.of_columns(no) is None
    assert no.kind == "systems"
    nameless = now.using("seed", "repeat")
    assert questions.of_columns(nameless).answers["model"].roles == {"system": "model", "repeat": "seed"}


# ------------------------------------------------------------------------------------------------------------ answers


def test_what_is_asked_is_what_the_verb_is_asked(of_file):
    shown = _shown(of_file, "choose")
    table = copa_nb.parse_numbers(
        pd.read_csv(of_file.source.path, sep=";", index_col="model"), ["accuracy (%)", "price"]
    )
    choice = table.moo({"accuracy (%)": "max", "price": "min", "ms": "min"}).copa(
        p=2, weights={"price": 0.5}, where="`accuracy (%)` >= 73 and price <= 2000"
    )
    assert shown.sentences == (choice.explain(),)
    assert shown.explorer.best == choice.best
    sure = _shown(of_file, "sure")
    assert sure.sentences[0] == choice.stability().explain()
    # The same limit in every answer, or a sentence that there is none.
    assert len(sure.results[-1].ranks) == len(choice.table)
    assert not any("price <= 2000" in one for one in shown.sentences)
    erring = of_file.using("ms", "standard_error:price")
    assert "price <= 2000" in _shown(erring, "board").sentences[-1]


def _run(code, folder):
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=folder, env=environment, timeout=300,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["choose", "sure"])
def test_the_lines_of_python_give_what_is_shown(tab, of_file, tmp_path):
    shown = _shown(of_file, tab)
    assert _run(of_file.python("select", shown.calls), tmp_path).split("\n")[:-1] == list(shown.sentences)


def test_the_lines_of_python_give_the_test_of_two_systems_and_the_gap(of_agents, of_runs):
    for settings, tab in ((of_agents, "two"), (of_runs, "gap")):
        shown = _shown(settings, tab)
        names = {"frame": settings.source.frame}
        exec(settings.python(TABS[tab].analysis(settings), shown.calls), names)
        assert names["found"].to_answer().headline == shown.sentences[0].removesuffix(".")


def test_a_gap_takes_the_scores_without_the_parts_of_their_names(of_runs):
    analysis = of_runs.asked("gap")
    assert analysis["objectives"] == {"precision": "max", "recall": "max"}
    expected = asked.gap(of_runs.source.frame, by="model", objectives={"precision": "max", "recall": "max"})
    assert {one.gap for one in _shown(of_runs, "gap").results} == {one.gap for one in expected.values()}


def test_labels_of_a_frame_name_its_rows_and_can_be_systems():
    models = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["a", "b"], name="model"))
    now = _of(models, uses={"model": "system", "x": "max"})
    assert _shown(now, "choose").results[0].best == "b"
    runs = pd.DataFrame({"seed": [0, 1] * 3, "x": np.arange(6.0)}, index=pd.Index(list("aabbcc"), name="model"))
    shown = _shown(_of(runs, uses={"model": "system", "seed": "repeat", "x": "max"}), "choose")
    assert shown.results[0].best == "c"


@pytest.mark.parametrize("columns", [[0, 1, 2], ["accuracy", 1, (2, "x")]])
def test_the_lines_of_python_take_a_frame_whose_columns_are_not_called_by_text(columns):
    given = pd.DataFrame([[0.9, 3.0, 2024], [0.8, 1.0, 2025], [0.7, 2.0, 2026]], index=list("abc"))
    given = given.set_axis(pd.Index(columns, tupleize_cols=False), axis=1)
    now = _of(given, uses={str(columns[0]): "max", "1": "min"})
    shown = _shown(now, "choose")
    assert _said_by_code(now, shown, given) == shown.sentences[0]


def test_what_a_frame_says_of_itself_can_be_taken_back():
    runs = pd.DataFrame({"model": list("aabb"), "seed": [0, 1] * 2, "x": np.arange(4.0)})
    source = Source("table", frame=runs.moo.define(x="max", system="model", repeat="seed"))
    assert source.uses == {"model": "system", "seed": "repeat", "x": "max"}
    now = Settings(source=source, uses={"x": "max"})
    shown = _shown(now, "choose")
    assert shown.results[0].best == 3
    with pytest.warns(RunsWarning):
        assert _said_by_code(now, shown, source.frame) == shown.sentences[0]


def test_the_line_of_the_shell_and_the_batch_file_ask_the_same(of_file, tmp_path):
    program, name, *words = shlex.split(of_file.shell("select"))
    assert (program, name) == ("copa-nb", "select")
    words[0] = of_file.source.path
    done = CliRunner().invoke(own_table_command(analyses()["select"]), [*words, "--quick"])
    assert done.exit_code == 0, done.output
    assert _shown(of_file, "choose").explorer.best in done.output.splitlines()[0]
    file = tmp_path / "settings.yaml"
    file.write_text(of_file.yaml("select"), encoding="utf-8")
    (job,) = read_plan(file).jobs
    assert job.parameters["weights"] == of_file.weights
    (run,) = yaml.safe_load(of_file.yaml("select"))["runs"]
    assert next(iter(run)) == "select"
    assert isinstance(run["weights"]["price"], float)


def test_runs_that_suggest_no_claim_are_answered_in_words(of_agents):
    agents = of_agents.source.frame
    alone = _of(agents[agents["system"] == agents["system"].iloc[0]], uses=of_agents.uses)
    assert "No pair of systems" in _shown(alone, "two").sentences[0]
