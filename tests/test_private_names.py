"""Other libraries are used by their public names, and what belongs to the process is left to the program."""

import ast

import pytest

from tests.private_names import PACKAGE, foreign, process_wide, uses

# Each is explained, with the version it was checked with, in a comment where it is used.
EXPLAINED = {
    ("tables/objectives.py", "getattr(pd.DataFrame, '_get_column_array', None)"),
    ("sources/ray.py", "getattr(grid, '_experiment_analysis', None)"),
}
# The command is a process of our own.
OWN_PROCESSES = {("cli/running.py", "os.dup2"), ("cli/running.py", "signal.signal")}


def test_only_public_names_of_other_libraries_are_used():
    assert {(file, text) for file, line, text in uses()} == EXPLAINED


def test_only_the_command_changes_what_belongs_to_the_process():
    found = {
        (path.relative_to(PACKAGE).as_posix(), text)
        for path in PACKAGE.rglob("*.py")
        for line, text in process_wide(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == OWN_PROCESSES


@pytest.mark.parametrize(
    "line",
    [
        "import pandas as pd; pd._libs",
        "import pandas as pd; pd.DataFrame._mgr",
        "frame._mgr",
        "scale.apply.__self__",
        "getattr(frame, '_mgr', None)",
        "vars(result)['best'] = 1",
        "import sys; sys.modules['slow'] = None",
        "import matplotlib as mpl; mpl.rcdefaults = None",
        "from fontTools.subset import Options; setattr(Options, 'drop', [])",
        "from pandas.core._numba import executor",
        "from numpy import _core",
    ],
)
def test_a_reach_into_another_library_is_found(line):
    assert list(foreign(ast.parse(line), own=set()))


@pytest.mark.parametrize(
    "line",
    [
        "self._own",
        "result._repr_html_()",
        "import copa_nb; copa_nb._own",
        "from copa_nb.text import _own",
        "import pandas as pd; pd.__version__",
        "axes.facecolor = 'white'",
        "getattr(result, 'explain', None)",
    ],
)
def test_what_is_ours_or_public_is_not(line):
    assert not list(foreign(ast.parse(line), own={"_own"}))
