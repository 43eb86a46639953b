"""Parameters follow from signatures and docstrings: an option of a verb is said once, there."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click
import pandas as pd
import pytest
from click.testing import CliRunner

from copa_nb.accessor.asked import verb
from copa_nb.accessor.of_frames import PandasMoo
from copa_nb.analyses.parameters import parameters_of, words
from copa_nb.analyses.registry import analyses
from copa_nb.checks import integer, nothing_refused, refusals_only
from copa_nb.cli import main
from copa_nb.control_panel.settings import Settings
from copa_nb.control_panel.table import Source
from copa_nb.docstrings import entries_of
from copa_nb.reports.batch_file import read_plan
from copa_nb.reports.catalog import find
from copa_nb.reports.jobs import make_job
from docs.tables import parameters as documented

if TYPE_CHECKING:
    from copa_nb.ranking.criterion import WeightsLike

ANALYSES = analyses()
# What no text can say: an object of Python.
OBJECTS = {"depth": {"orders"}, "published": {"forecast"}}


@verb
def choose(self, *, weights: WeightsLike = None, patience: int = 3):
    """Choose a model, patiently.

    Parameters
    ----------
    weights : mapping of objective to share
        See :meth:`explore`.
    patience : int
        How long to wait. Forever is too long.
    """
    integer("patience", patience)
    nothing_refused()
    return ("chosen", patience)


@pytest.fixture
def patient(monkeypatch):
    """The verb with an option that it did not have, and nothing else."""
    monkeypatch.setattr(PandasMoo, "copa", choose)
    old = ANALYSES["select"]
    new = replace(old, offered=("weights",))
    monkeypatch.setitem(ANALYSES, "select", new)
    return new


TABLE = "model,acc,ms\na,0.9,3\nb,0.8,1\n"


def test_an_option_of_a_verb_is_one_of_the_report_the_shell_a_batch_and_the_documentation(
    patient, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.csv").write_text(TABLE, encoding="utf-8")
    declared = patient.parameters()["patience"]
    assert (declared.kind, declared.default, declared.help) == ("int", 3, "How long to wait")
    # `report()` and the notebook
    given = {"table": "models.csv", "objectives": {"acc": "max"}, "patience": 7}
    assert patient.of(given).run()[1] == ("chosen", 7)
    job = make_job(find("select"), given)
    assert job.cell()["options"] == {"patience": 7}
    # the shell
    shown = " ".join(CliRunner().invoke(main, ["select", "--help"]).output.split())
    assert "patience How long to wait [default: 3]" in shown
    found = []
    monkeypatch.setattr("copa_nb.cli.own_tables.run_jobs", lambda jobs, **options: found.extend(jobs))
    line = ["select", "models.csv", "--max", "acc", "-p", "patience"]
    assert CliRunner().invoke(main, [*line, "7"]).exit_code == 0
    assert found[0].parameters == given
    refused = CliRunner().invoke(main, [*line, "0"])
    assert (refused.exit_code, refused.output) == (
        2, "copa-nb: `-p patience` is 0; it must be a whole number of at least 1.\n"
    )  # fmt: skip
    # a batch file
    (tmp_path / "runs.yaml").write_text("runs: [{select: models.csv, objectives: {acc: max}, patience: [1, 0]}]\n")
    plan = read_plan("runs.yaml")
    assert [job.parameters["patience"] for job in plan.jobs] == [1, 0]
    assert [str(one) for one in plan.refused.values()] == [
        "models.csv: `patience` is 0; it must be a whole number of at least 1."
    ]
    # the panel, the documentation
    settings = Settings(source=Source("models.csv", path="models.csv"), uses={"acc": "max"})
    assert "-p patience 7" in settings.with_options(patience=7).shell("select")
    assert "| `patience` | `-p patience` | `3` | How long to wait |" in documented(patient)


@pytest.mark.parametrize("name", ANALYSES)
def test_the_shell_and_files_offer_every_option_of_the_verb(name):
    analysis = ANALYSES[name]
    steps = [getattr(PandasMoo, analysis.verb), *([] if analysis.then is None else [analysis.then.function])]
    command = main.get_command(click.Context(main), analysis.command)
    rarer = {key for key, _ in command.groups(click.Context(command))["Further parameters, -p KEY VALUE"]}
    typed = {option.name for option in command.params} | rarer
    for function in steps:
        if analysis.then is not None and function is analysis.then.function and analysis.then.only:
            continue
        renamed = {} if analysis.then is None else analysis.then.named
        signature = inspect.signature(function).parameters.values()
        options = {renamed.get(one.name, one.name) for one in signature if one.default is not one.empty}
        options -= {*analysis.made, *OBJECTS.get(function.__name__, ())}
        assert options <= set(analysis.parameters()), "batch files and `report()`"
        assert options <= typed


@pytest.mark.parametrize("name", ANALYSES)
def test_every_parameter_says_what_it_is_for(name):
    for one in ANALYSES[name].parameters().values():
        assert one.help, one.name
        assert len(one.help) < 200, one.name
        assert ":meth:" not in one.comment
        json.dumps(one.default)


def test_words_are_those_of_define():
    entries = entries_of(PandasMoo.define)
    assert all(one.help.startswith(entries[word].first_sentence[:20]) for word, one in words().items())
    assert words()["nan_policy"].choices == ("raise", "omit", "worst", "pairwise", "bounds")
    assert [word for word, one in words().items() if one.column] == [
        "system", "item", "cluster", "repeat", "order", "show",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ANALYSES)
def test_only_what_takes_no_time_is_computed_to_check_a_request(name):
    analysis, finished = ANALYSES[name], []
    rows = [
        (m, t, s, 0.5 + 0.1 * k + 0.01 * t, 3.0 - k) for k, m in enumerate("ab") for t in range(8) for s in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["model", "task", "seed", "acc", "ms"])
    for part in ("val_", "test_"):
        frame[[f"{part}acc", f"{part}ms"]] = frame[["acc", "ms"]]
    frame["run"] = frame["task"] * 3 + frame["seed"]
    said = {"system": "model", "item": "task", "repeat": "seed" if "item" in analysis.words else "run"}
    ways = {"acc": "max", "ms": "min"}
    table = frame if name != "gap" else frame.drop(columns=["acc", "ms"])
    given = {word: column for word, column in said.items() if word in analysis.parameters()}
    asked = analysis.of({"table": table, "objectives": ways, **given})
    one_row_each = ("gsd_front", "posets")
    if name in one_row_each:
        asked = asked.of_table(frame[frame["seed"] == 0])
    with refusals_only():
        asked.ask(asked.described().moo)
        finished.append(name)
    assert finished == (["gap"] if name == "gap" else []), "a gap is measured in no time"


def test_options_are_read_from_a_signature():
    found = parameters_of(PandasMoo.audit)
    assert found["reference"].or_text
    assert found["rng"].kind == "int"
    assert found["alternative"].choices == ("two-sided", "greater", "less")
    assert found["unit"].help.startswith("Fronts over all runs"), "as the verb that it refers to says"
