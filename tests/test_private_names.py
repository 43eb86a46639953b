"""Other libraries are used by their public names, and what belongs to the process is left to the program."""

import ast

import pytest

from tests.private_names import PACKAGE, process_wide, uses

# Each is explained, with the version it was checked with, in a comment where it is used.
EXPLAINED = {
    ("tables/objectives.py", "getattr(pd.DataFrame, '_get_column_array', None)"),
}
# The command is a process of our own.
OWN_PROCESSES = {("cli/running.py", "os.dup2"), ("cli/running.py", "signal.signal")}


@pytest.mark.slow
def test_only_public_names_of_other_libraries_are_used():
    assert {(file, text) for file, line, text in uses()} == EXPLAINED


@pytest.mark.slow
def test_only_the_command_changes_what_belongs_to_the_process():
    found = {
        (path.relative_to(PACKAGE).as_posix(), text)
        for path in PACKAGE.rglob("*.py")
        for line, text in process_wide(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == OWN_PROCESSES
