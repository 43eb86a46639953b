"""The pictures by name, and how they are drawn: on a page or on a phone, in the style of reports."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Mapping
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from copa_nb import plots
from tests.snapshot.drawn import figure_as_data, plain_places

Pictures = Mapping[str, Callable[[], Any]]
FIGURES: dict[str, Callable[[], Pictures]] = {}
# The end of the names of pictures that are drawn for a phone, and of those that any figure may hold.
PHONE, PLAIN = "phone", "no style"
# Another processor rounds otherwise; whatever moves by a hundredth of a pixel was moved.
EXACTNESS: dict[str, Any] = {"relative": 2e-6, "absolute": 1e-6, "verbatim": True}
RELEASE = ".".join(mpl.__version__.split(".")[:2])


def pictures(function: Callable[[], Pictures]) -> Callable[[], Pictures]:
    """Enter a function that gives pictures by name, each a call that draws."""
    if function.__name__ in FIGURES and FIGURES[function.__name__].__module__ != function.__module__:
        raise ValueError(f"two groups of pictures are called {function.__name__}.")
    FIGURES[function.__name__] = function
    return function


def on_both(calls: Pictures) -> dict[str, Callable[[], Any]]:
    """Draw each on a page and on a phone."""
    return {**calls, **{f"{name}, {PHONE}": call for name, call in calls.items()}}


def figure_of(name: str, draw: Callable[[], Any]) -> Any:
    """Return a figure with one picture, as its name asks for."""
    plt.close("all")
    with mpl.rc_context():
        if name.endswith(PLAIN):
            draw()
        else:
            with plots.report_style(narrow=name.endswith(PHONE)):
                draw()
    (number,) = plt.get_fignums()
    return plt.figure(number)


def drawn(name: str) -> dict[str, Any]:
    """Return what all pictures of a group draw now, as it would be stored."""
    found = {}
    # Figures are full of cycles: garbage is collected once they are closed, rather than again and again on the way.
    gc.disable()
    try:
        with plain_places():
            for picture, draw in FIGURES[name]().items():
                found[picture] = figure_as_data(figure_of(picture, draw))
                plt.close("all")
    finally:
        gc.enable()
    stored: dict[str, Any] = json.loads(json.dumps(found))
    return stored
