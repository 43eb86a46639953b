"""A few damaged files of every group; `python -m tests.fuzz.files` tries as many as you like."""

import pytest

from tests.fuzz.files import GROUPS, SLOW, faults

LIBRARIES = {"optuna": "optuna", "xlsx": "openpyxl", "inspect.eval": "inspect_ai", "inspect.json": "inspect_ai"}


# Inspect and its databases leave files and loops to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "group", [pytest.param(group, marks=[pytest.mark.slow] if group in SLOW else []) for group in GROUPS]
)
def test_damaged_files_are_read_or_refused_by_name(group):
    if group in LIBRARIES:
        pytest.importorskip(LIBRARIES[group])
    assert [(number, fault) for number, fault, _ in faults(group, 15, seed=1)] == []
