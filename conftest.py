"""Examples in docstrings are run where what they need is installed."""

import os
import sys
from importlib.util import find_spec

import pytest

from tests.public_names import is_public

_NEEDED = {"copa_nb/dask/*": ("dask", "distributed"), "tests/mutation.py": ("cosmic_ray",)}
collect_ignore_glob = [path for path, needed in _NEEDED.items() if not all(map(find_spec, needed))]


try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass
else:
    # How long an example takes depends on what else the machine does; a test must not.
    # Continuous integration repeats the same examples, so that what fails there is due to the change.
    settings.register_profile(
        "suite",
        max_examples=50,
        deadline=None,
        derandomize="CI" in os.environ,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("suite")


def pytest_collection_modifyitems(items):
    """Run the examples of what is public as a reader would: with what they import, and no other name of the module."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and is_public(item.dtest.name):
            item.dtest.globs = {"__name__": "__main__"}


@pytest.fixture(autouse=True)
def _no_figure_left():
    """Close what a test drew: another one, in random order, would draw into it."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(autouse=True)
def _no_lines_of_a_slow_machine(monkeypatch):
    """Let commands report that they still run only where a test asks for it: the machine may be busy."""
    if pulse := sys.modules.get("copa_nb.cli.pulse"):
        monkeypatch.setattr(pulse, "SECONDS_BEFORE_PULSE", 3600.0)
