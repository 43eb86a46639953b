"""Every public verb, called as simply as it can be on a table: as listed here, or as its signature says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

import copa_nb
from copa_nb import plots
from copa_nb.accessor import VERBS as ALL_VERBS
from copa_nb.results.note import Note
from tests import asked, simplest


def _drawn(draw: Callable[[], Any]) -> Any:
    try:
        axes = draw()
        plt.gcf().canvas.draw()
        return axes
    finally:
        plt.close("all")


def _path_on_front(path: Any) -> Any:
    """Draw a path; with one objective there is none, but a note."""
    return path if isinstance(path, Note) else plots.plot_front(path)


def _shown(result: Any) -> Any:
    repr(result)
    if hasattr(result, "_repr_html_"):
        assert "<script>" not in result._repr_html_()
    return result


def _simplest(verb: str) -> Callable[[pd.DataFrame, dict], Any]:
    def called(frame: pd.DataFrame, objectives: dict) -> Any:
        result = _shown(simplest.call(verb, frame, objectives))
        if hasattr(result, "close"):  # an explorer
            result.close()
        return result

    return called


def scored_twice(frame: Any) -> Any:
    """The same scores on validation and on test, of a frame of pandas or polars."""
    if not isinstance(frame, pd.DataFrame):
        before, after = (frame.rename(lambda name, part=part: f"{part}{name}") for part in ("val_", "test_"))
        return before.hstack(after)
    return pd.concat([frame.add_prefix("val_"), frame.add_prefix("test_")], axis=1)


def attempts(frame: Any) -> Any:
    """The table, of pandas or polars, with a column that says that every other attempt succeeded."""
    right = [number % 2 for number in range(len(frame))]
    if isinstance(frame, pd.DataFrame):
        return frame.assign(right=right) if frame.columns.nlevels == 1 else frame
    import polars as pl

    return frame.with_columns(pl.Series("right", right))


VERBS: dict[str, Callable[[pd.DataFrame, dict], Any]] = {
    "define": lambda f, o: f.moo.define(o),
    "pass_k": lambda f, o: copa_nb.moo(attempts(f), {**o, "right": "max"}, system="system", item="seed").pass_k(1),
    "parse_numbers": lambda f, o: copa_nb.parse_numbers(f, list(o)),
    "front": lambda f, o: asked.front(f, objectives=o),
    "front, first of equals": lambda f, o: asked.front(f, objectives=o, keep="first"),
    "front, omit": lambda f, o: asked.front(f, objectives=o, nan_policy="omit"),
    "front, worst": lambda f, o: asked.front(f, objectives=o, nan_policy="worst"),
    "layers(1)": lambda f, o: asked.layers(f, 1, objectives=o),
    "normalize, min-max": lambda f, o: asked.normalize(f, objectives=o, method="minmax"),
    "normalize, relative": lambda f, o: asked.normalize(f, objectives=o, method="relative"),
    "normalize, none": lambda f, o: asked.normalize(f, objectives=o, method="none"),
    "copa, p = 2, worst": lambda f, o: _shown(asked.copa(f, objectives=o, p=2, nan_policy="worst")),
    "copa, explained": lambda f, o: asked.copa(f, objectives=o).explain(),
    "navigate": lambda f, o: _shown(asked.copa(f, objectives=o).navigate(next(iter(o)), importances=5)),
    "compare": lambda f, o: _shown(asked.copa(f, objectives=o).criteria(["mean", 1, "inf"])),
    "compare, min-max": lambda f, o: _shown(asked.copa(f, objectives=o).criteria(["minmax"])),
    "stability": lambda f, o: _shown(asked.copa(f, objectives=o).stability(n_resamples=5, rng=0)),
    "sensitivity": lambda f, o: _shown(asked.copa(f, objectives=o).sensitivity()),
    "Reference.fit": lambda f, o: _shown(copa_nb.Reference.fit(f, objectives=o)).place(f),
    "gap": lambda f, o: _shown(copa_nb.moo(scored_twice(f), o).gap()),
    "overtuning": lambda f, o: _drawn(lambda: _shown(copa_nb.moo(scored_twice(f), o).gap().overtuning()).plot()),
    "hv_test": lambda f, o: _shown(
        asked.hv_test(f, system="system", repeat="seed", new="A", baseline="B", objectives=o, n_resamples=50)
    ),
    "hv_test, R2": lambda f, o: _shown(
        asked.hv_test(f, system="system", new="A", baseline="B", objectives=o, n_resamples=50, indicator="r2")
    ),
    "attainment": lambda f, o: _drawn(
        lambda: _shown(asked.attainment(f, system="system", repeat="seed", objectives=o, normalize="cdf")).plot()
    ),
    "indicators": lambda f, o: _shown(
        asked.attainment(f, system="system", repeat="seed", objectives=o).indicators(
            ["hypervolume", "igd+", "epsilon", "r2"]
        )
    ),
    "cheaper": lambda f, o: _shown(
        asked.cheaper(f, next(iter(f.index), "a"), cost=next((one for one in o if o[one] == "min"), None), objectives=o)
    ),
    "board": lambda f, o: _drawn(
        lambda: _shown(asked.board(f, system="system", repeat="seed", objectives=o, n_resamples=100)).plot()
    ),
    "board, explored": lambda f, o: _shown(
        asked.board(f, system="system", repeat="seed", objectives=o, n_resamples=100).explore()
    ).close(),
    "confident_front": lambda f, o: _shown(
        asked.confident_front(f, system="system", repeat="seed", objectives=o, n_resamples=100)
    ),
    "confident_front, items": lambda f, o: _drawn(
        lambda: asked.confident_front(f, system="system", item="seed", objectives=o, n_resamples=100).plot()
    ),
    "gsd_front": lambda f, o: _shown(
        asked.gsd_front(f, system="system", item="seed", objectives=o, ordinal=list(o)[1:], progress=False)
    ),
    "plot_front": lambda f, o: _drawn(lambda: plots.plot_front(f, objectives=o)),
    "plot of a choice": lambda f, o: _drawn(lambda: asked.copa(f, objectives=o).plot()),
    "plot of a path": lambda f, o: _drawn(
        lambda: _path_on_front(asked.copa(f, objectives=o).navigate(next(iter(o)), importances=5))
    ),
    "plot_parallel": lambda f, o: _drawn(lambda: plots.plot_parallel(f, objectives=o)),
}
VERBS |= {verb: _simplest(verb) for verb in ALL_VERBS if verb not in VERBS and simplest.can_be_called(verb)}
# They need more than a table.
NOT_CALLED: set[str] = set()
