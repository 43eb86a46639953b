"""Fronts in two objectives and surfaces that runs attain."""

from __future__ import annotations

from functools import cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import copa_nb
from copa_nb import plots
from tests.snapshot import tables
from tests.snapshot.figures.registry import Pictures, on_both, pictures


def named(frame: pd.DataFrame, length: int = 40) -> pd.DataFrame:
    """Give rows names that have no room on a phone."""
    return frame.set_axis([f"{label} of the $family_a$ with long names"[:length] for label in frame.index])


@cache
def _path(objectives: str = "TWO", **options: Any) -> Any:
    return tables.models().moo(getattr(tables, objectives)).navigate("co2", alphas=21, **options)


@pictures
def front_of_a_table() -> Pictures:
    models, many = tables.models(), tables.many(15, 900, 2, 3)
    infinite = tables.boundless()
    two: dict[str, Any] = {"objectives": tables.TWO}
    looks: dict[str, Any] = {
        "point_kws": {"s": 5, "color": "#E69F00"}, "front_kws": {"color": "#CC79A7", "zorder": 7, "marker": "s"},
    }  # fmt: skip
    return {
        "defaults": lambda: plots.plot_front(models, **two),
        "x and y": lambda: plots.plot_front(models, objectives=tables.THREE, x="latency", y="co2"),
        "ranks": lambda: plots.plot_front(models, scale="cdf", **two),
        "log": lambda: plots.plot_front(models, log=["co2"], **two),
        "labels": lambda: plots.plot_front(models, labels=["m03", "m11", "m00"], **two),
        "text of labels": lambda: plots.plot_front(models, labels={"m03": "1", "m11": "two"}, **two),
        "looks": lambda: plots.plot_front(models, **looks, **two),
        "many": lambda: plots.plot_front(many, objectives=tables.costs(2)),
        "800": lambda: plots.plot_front(many.iloc[:800], objectives=tables.costs(2)),
        "infinite": lambda: plots.plot_front(infinite, labels=["m03", "m04"], **two),
        "one row": lambda: plots.plot_front(models.iloc[:1], **two),
        "two on the front": lambda: plots.plot_front(models.loc[["m04", "m07"]], **two),
    }


@pictures
def front_very_large() -> Pictures:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((100_001, 2)).round(4), columns=list("ab"))
    objectives = {"a": "min", "b": "max"}
    return {"100,001 rows": lambda: plots.plot_front(frame, objectives=objectives)}


@pictures
def front_of_a_decision() -> Pictures:
    models = tables.models()
    chosen = models.moo(tables.TWO).copa()
    allowed = models.moo(tables.TWO).copa(where="co2 < 4 and latency < 25")
    names = named(models).moo(tables.TWO).copa()
    three = models.moo(tables.THREE).copa()
    return on_both({"defaults": lambda: chosen.plot()}) | {
        "not allowed": lambda: allowed.plot(log=["co2"]),
        "long names, phone": lambda: names.plot(),
        "no labels": lambda: chosen.plot(labels=0),
        "named": lambda: chosen.plot(labels=["m01", "m05", chosen.best]),
        "looks": lambda: chosen.plot(selected_kws={"s": 40, "marker": "P"}),
        "ranks": lambda: allowed.plot(scale="cdf", point_kws={"s": 3}),
        "three objectives": lambda: plots.plot_front(three, y="latency"),
    }  # fmt: skip


@pictures
def front_of_a_path() -> Pictures:
    names = named(tables.models()).moo(tables.TWO).navigate("co2", alphas=21)
    return on_both({"long names": lambda: plots.plot_front(names)}) | {
        "defaults": lambda: plots.plot_front(_path()),
        "stars": lambda: plots.plot_front(_path(), at=[0.1, 0.72], colorbar=False, labels=3),
        "three objectives": lambda: plots.plot_front(_path("THREE"), scale="cdf", x="co2", y="latency", labels=2),
        "looks": lambda: plots.plot_front(_path(), selected_kws={"cmap": "magma", "linewidths": 2}, log=["co2"]),
        "text of labels": lambda: plots.plot_front(_path(), labels=dict.fromkeys(_path().table.index[:2], "here")),
    }  # fmt: skip


@pictures
def staircase() -> Pictures:
    points = np.array([[1.0, 4.0], [1.0, 3.0], [2.0, 3.0], [2.0, 1.0], [2.5, 5.0], [4.0, 0.5], [3.0, 1.0]])

    def outline(*directions: str, **options: Any) -> None:
        plt.gca().plot(*plots.staircase(points, directions, **options), "o-")

    return {
        "min": lambda: outline("min", "min"),
        "max": lambda: outline("max", "max", limits=[0.0, 0.2]),
        "mixed": lambda: outline("min", "max", limits=[5.0, 0.0]),
    }


@pictures
def attainment() -> Pictures:
    sides: dict[str, Any] = {"system": "model", "seed": "seed"}
    runs = tables.training_runs(rows=4)
    found = copa_nb.attainment(runs, objectives=tables.TWO, **sides)
    ranks = copa_nb.attainment(runs, objectives=tables.TWO, scale="cdf", **sides)
    worse = copa_nb.attainment(runs, objectives={"co2": "min", "latency": "min"}, **sides)
    return {
        "defaults": lambda: found.plot(),
        "levels": lambda: found.plot(levels=[0.8, 0.2, 0.4, 0.6]),
        "one level": lambda: found.plot(levels=[0.5], systems=["m2", "m1"]),
        "ranks": lambda: ranks.plot(),
        "other objectives": lambda: worse.plot(),
    }
