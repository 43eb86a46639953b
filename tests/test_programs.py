"""Every program of the repository prints its help and refuses unknown arguments, and writes nothing while it does."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A program for which a developer installs an extra of its own.
NEEDED = {"tests.mutation": "cosmic_ray"}


def _is_program(path):
    """Tell whether Python runs a file: a guard at its top level, or the entry of a package."""
    guards = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.If)]
    return path.name == "__main__.py" or any("__name__ == '__main__'" in ast.unparse(node.test) for node in guards)


def _module(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")


PROGRAMS = sorted(
    _module(path)
    for folder in ("tests", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
    if _is_program(path)
)


def _changes():
    """What git finds changed in the repository; nothing can be said without git."""
    command = ["git", "-C", str(ROOT), "status", "--porcelain"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _run(program, argument, folder):
    return subprocess.run(
        [sys.executable, "-m", program, argument],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_programs_are_found():
    assert {"tests.size", "tests.plots.pictures", "benchmarks.run", "benchmarks.error_rates"} <= {*PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_is_printed_and_unknown_arguments_are_refused(program, tmp_path):
    needed = NEEDED.get(program)
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{program} needs {needed}, which has an extra of its own")
    before = _changes()
    asked = _run(program, "--help", tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("usage: ")
    refused = _run(program, "--no-such-option", tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("usage: ")
    assert list(tmp_path.iterdir()) == []
    assert _changes() == before
