"""The functions that draw: those of ``copa_nb.plots``, and those that results have as ``plot()`` and its kinds."""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import copa_nb
from copa_nb import plots

_PACKAGE = Path(copa_nb.__file__).parent
_ROOMS = ("*/plots.py", "*/plots/*.py", "papers/copa/paths.py")
# Each hands its result on to another of the functions.
_HANDED_ON = {"plot_card", "plot_decision", "plot_runs_needed", "plot_suite"}


def plot_functions() -> dict[str, Callable[..., Any]]:
    """Functions that draw, by name."""
    found = {name: getattr(plots, name) for name in plots.__all__ if name.startswith("plot_")}
    for path in sorted(path for pattern in _ROOMS for path in _PACKAGE.glob(pattern)):
        module = importlib.import_module(".".join(("copa_nb", *path.relative_to(_PACKAGE).with_suffix("").parts)))
        for name, function in vars(module).items():
            drawn_here = callable(function) and inspect.unwrap(function).__module__ == module.__name__
            if name.startswith("plot_") and name not in _HANDED_ON and drawn_here:
                found[name] = function
    return dict(sorted(found.items()))
