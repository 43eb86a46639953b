"""Each analysis is described once: what the shell, batch files, notebooks and docs say of it follows from there."""

import re

import click
import pandas as pd
import pytest

import copa_nb
from copa_nb.analyses.parameters import Parameter
from copa_nb.analyses.registry import analyses, check, of_notebook, of_result
from copa_nb.checks import written_as
from copa_nb.cli import main
from copa_nb.reports.catalog import catalog
from docs.thumbnails import MOST_BYTES, THUMBNAILS, path_of
from tests import asked
from tests.analyses.answering import answered
from tests.each import hold_for_each
from tests.generated import generated

ANALYSES = analyses()
EACH = [(name, parameter) for name, one in ANALYSES.items() for parameter in one.parameters().values()]


def test_what_is_generated_is_what_is_there():
    for path, text in generated().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python -m tests.generated"


def test_the_list_of_notebooks_shows_a_small_picture_of_each():
    # Explorers move; there is no picture of one.
    pictured = {path_of(entry.name) for entry in catalog() if entry.area != "explore"}
    assert set(THUMBNAILS.iterdir()) == pictured
    for path in pictured:
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) <= MOST_BYTES, f"{path.name}: run python -m docs.thumbnails"


def test_an_option_allows_what_the_declaration_allows():
    hold_for_each(EACH, lambda one: _an_option_allows_what_the_declaration_allows(*one))


def _an_option_allows_what_the_declaration_allows(name, parameter):
    command = main.get_command(click.Context(main), ANALYSES[name].command)
    options = {one.name: one for one in command.params}
    if parameter.name in ("table", "reading"):
        assert {"tables", "reading"} <= set(options)
        return
    if not parameter.is_offered:
        assert parameter.name not in options
        assert parameter.option == f"-p {parameter.name}"
        return
    if parameter.name == "objectives":
        assert {"max", "min"} <= set(options)
        return
    option = options[parameter.name]
    assert parameter.option in option.opts
    if parameter.choices:
        assert list(option.type.choices) == list(parameter.choices)
    assert option.multiple == (parameter.kind in ("list", "dict"))


def test_python_refuses_what_the_declaration_does_not_allow():
    hold_for_each(EACH, lambda one: _python_refuses_what_the_declaration_does_not_allow(*one))


def _python_refuses_what_the_declaration_does_not_allow(name, parameter):
    wrong = "none of them" if parameter.choices else object()
    with pytest.raises((ValueError, TypeError), match=f"^`{parameter.name}` "):
        ANALYSES[name].of({parameter.name: wrong})
    with pytest.raises((ValueError, TypeError), match=f"^`{parameter.name}` "):
        check(ANALYSES[name].notebook, {parameter.name: wrong})
    with (
        pytest.raises((ValueError, TypeError), match=f"^`{re.escape(parameter.option)}` "),
        written_as(ANALYSES[name].flags()),
    ):
        ANALYSES[name].of({parameter.name: wrong})


def test_the_default_and_all_choices_pass():
    hold_for_each(EACH, lambda one: _the_default_and_all_choices_pass(*one))


def _the_default_and_all_choices_pass(name, parameter):
    for value in (parameter.default, *parameter.choices):
        assert parameter.take(value) == value


def test_values_are_converted_when_an_analysis_is_made():
    asked = ANALYSES["board"].of({"p": 2, "known": ("a",), "n_resamples": "700", "weights": '{"a": 1}'})
    assert [asked[name] for name in ("p", "known", "n_resamples", "weights")] == ["2", ["a"], 700, {"a": 1}]
    with pytest.raises(ValueError, match=r"`n_resampels` is not a parameter of 'board'.*Did you mean 'n_resamples'"):
        ANALYSES["board"].of({"n_resampels": 7})
    assert ANALYSES["gap"].of({"budgets": ["3", "40"]})["budgets"] == [3, 40]
    assert ANALYSES["front"].of({"bounds": {"a": "0:1", "b": ":2"}})["bounds"] == {"a": [0, 1], "b": [None, 2]}
    assert ANALYSES["select"].of({"system": "a, b"})["system"] == ["a, b"], "a column, as `define` takes it"
    with pytest.raises(ValueError, match="only one of `new` and `baseline` is given"):
        ANALYSES["audit"].of({"new": ["A"]})


def test_helps_show_examples_as_each_surface_writes_them():
    one = Parameter("weights", {}, "e.g. {example}", example={"a": 0.5, "b": 0.1}, flag="--weight")
    assert one.comment == 'e.g. {"a": 0.5, "b": 0.1}'
    assert one.shell_help == "e.g. --weight a=0.5 --weight b=0.1"
    behind = Parameter("bounds", {}, "ends", example={"a": "0:1"}, is_offered=False)
    assert behind.shell_help == "ends, e.g. -p bounds a=0:1"
    few = Parameter("keep", "all", "rows with equal scores", choices=("all", "first"))
    assert few.comment == 'rows with equal scores: "all" or "first"'
    assert few.shell_help == "rows with equal scores [default: all]"


FRAME = pd.DataFrame({"acc": [0.9, 0.8, 0.7], "ms": [3.0, 1.0, 2.0]}, index=["x", "y", "z"])


def test_checking_ranks_nothing(monkeypatch):
    analysis = ANALYSES["select"].of({"table": FRAME, "objectives": {"acc": "max", "ms": "min"}})
    with monkeypatch.context() as patched:
        patched.delattr("copa_nb.ranking.criterion.Criterion.place")
        analysis.check()
    assert answered(analysis).best == asked.copa(FRAME, objectives={"acc": "max", "ms": "min"}).best


def test_objectives_of_a_frame_are_taken_over_unless_given():
    frame = FRAME.moo.define(acc="max", ms="min")
    assert ANALYSES["select"].of({"table": frame})["objectives"] == {"acc": "max", "ms": "min"}
    assert ANALYSES["select"].of({"table": frame, "objectives": {"ms": "min"}})["objectives"] == {"ms": "min"}


def test_analyses_are_found_by_name_notebook_and_result():
    assert of_notebook("yours/gsd") is ANALYSES["gsd_front"]
    assert of_notebook("copa/figure_1") is None
    assert of_result(asked.copa(FRAME, objectives={"acc": "max"})) is ANALYSES["select"]
    assert of_result(FRAME) is None
    with pytest.raises(
        TypeError, match=r"`name` is a DataFrame; it must be the name of a report or a result: Audit, DepthResult"
    ):
        copa_nb.report(FRAME)
