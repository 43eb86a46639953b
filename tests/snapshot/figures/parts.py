"""What plots share: panels, legends, keys, log axes, labels at points."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from copa_nb import plots
from copa_nb.plotting.axes import write_upright_or_turned
from copa_nb.plotting.keys import numbered_where_narrow
from tests.snapshot.figures.registry import Pictures, on_both, pictures

LONG = [f"a method with the number {number}" for number in range(5)]


@pictures
def panels() -> Pictures:
    def shared(count: int, **options: Any) -> None:
        _, axes = plots.panels(count, sharey=True, **options)
        for number, ax in enumerate(np.ravel(axes)):
            ax.plot([0, 1 + number], [number, 1])
            ax.set_title(f"panel {number}")

    return on_both({
        "one": lambda: plots.panels(),
        "two": lambda: shared(2, width_ratios=[2, 1]),
    }) | {
        "one, lower, phone": lambda: plots.panels(height=4.1, narrow_height=2.3),
        "five in rows of three": lambda: shared(5, columns=3, height=1.6),
        "two in rows of four": lambda: shared(2, columns=4, height=2.0),
    }  # fmt: skip


def _lines(*names: str, label: str = "what is on the axis") -> Any:
    ax = plt.gca()
    for number, name in enumerate(names):
        ax.plot([0, 1], [number, 1], label=name)
    ax.set_xlabel(label)
    return ax


@pictures
def outer_legend() -> Pictures:
    return on_both({
        "short": lambda: plots.outer_legend(_lines("a", "b", "c")),
        "options": lambda: plots.outer_legend(_lines("a", "b", "c"), columns=3, title="which", handlelength=3),
    }) | {
        "long, phone": lambda: plots.outer_legend(_lines(*LONG)),
        "place": lambda: plots.outer_legend(_lines("a", "b"), loc="upper right", borderaxespad=2),
        "short, no style": lambda: plots.outer_legend(_lines("a", "b", label="")),
    }  # fmt: skip


@pictures
def shared_legend() -> Pictures:
    def legend(names: list[str], **options: Any) -> None:
        _, axes = plots.panels(2, height=2.4)
        for ax in axes:
            for number, name in enumerate(names):
                ax.plot([0, 1], [number, 1], label=name, ls=plots.LINESTYLES[number])
        plots.shared_legend(axes, **options)

    return on_both({
        "short": lambda: legend(["a", "b", "c", "d", "e"]),
        "longer": lambda: legend([f"{name} and some more of it, as long as a line" for name in LONG]),
    }) | {
        "long, phone": lambda: legend(LONG),
        "options": lambda: legend(["a", "b"], columns=1, loc="outside upper right", title="both"),
        "one panel": lambda: plots.shared_legend(_lines("a", "b")),
    }  # fmt: skip


@pictures
def numbered_key() -> Pictures:
    names = {str(number): name for number, name in enumerate(LONG)}
    wide = {"1": "a name that is much longer than a line of a phone, and almost as long as one of a page $_b " * 2}

    def twice() -> None:
        plots.numbered_key(plt.gcf(), {"1": "one"})
        plots.numbered_key(plt.gcf(), {"2": "two", "3": "three"}, columns=1)

    def where_narrow(*names: str) -> None:
        figure, ax = plt.subplots()
        numbered_where_narrow(figure, [*names])
        written = numbered_where_narrow(figure, [f"also {name}" for name in names])
        ax.set_title(", ".join(map(str, written)), fontsize="small")

    return on_both({
        "names": lambda: plots.numbered_key(plt.gcf(), names),
        "wrapped": lambda: plots.numbered_key(plt.gcf(), {**wide, "2": ""}),
    }) | {
        "options": lambda: plots.numbered_key(plt.gcf(), names, columns=3, fontsize=9, title="methods"),
        "twice": twice,
        "long": lambda: where_narrow(*LONG),
        "long, phone": lambda: where_narrow(*LONG),
        "three, phone": lambda: where_narrow(*LONG[:3]),
        "seven letters, phone": lambda: where_narrow("a", "b", "c", "seven l"),
        "eight letters, phone": lambda: where_narrow("a", "b", "c", "eight le"),
    }  # fmt: skip


@pictures
def plain_log() -> Pictures:
    def ranged(low: float, high: float, axis: str) -> None:
        ax = plt.gca()
        ax.plot([low, high] if axis == "x" else [0, 1], [0, 1] if axis == "x" else [low, high])
        plots.plain_log(ax, axis)

    return {
        "half a decade": lambda: ranged(2.0, 5.5, "x"),
        "a decade": lambda: ranged(2.0, 40.0, "x"),
        "a decade upwards": lambda: ranged(2.0, 40.0, "y"),
        "two decades": lambda: ranged(1.3, 200.0, "x"),
        "three decades": lambda: ranged(0.9, 700.0, "y"),
        "from zero": lambda: ranged(0.0, 3.0, "x"),
    }


@pictures
def label_points() -> Pictures:
    rng = np.random.default_rng(12)
    crowd = rng.uniform(size=(60, 2)).round(3)
    clumps = np.array([[0.5, 0.5], [0.51, 0.5], [0.5, 0.52], [0.02, 0.98], [0.98, 0.03], [0.49, 0.47]])
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
    row = np.column_stack((np.linspace(0.05, 0.95, 9), np.full(9, 0.4)))

    def labelled(points: np.ndarray, length: int = 8, texts: bool = False, **options: Any) -> None:
        ax = plt.gca()
        ax.scatter(*points.T)
        ax.set(xlim=(0, 1), ylim=(0, 1))
        for name in ("avoid", "markers"):
            if name in options:
                ax.scatter(*options[name].T, s=5)
        if texts:
            ax.text(0.52, 0.5, "in the way")
            ax.text(0.1, 0.9, "hidden", visible=False)
        names = [f"{'a long name of a point' * 3}"[:length] + str(number) for number in range(len(points))]
        plots.label_points(ax, *points.T, names, **options)

    return {
        "clumps": lambda: labelled(clumps),
        "long names": lambda: labelled(clumps, 50),
        "long names, phone": lambda: labelled(clumps, 50),
        "avoid": lambda: labelled(clumps, 20, avoid=np.tile(crowd, (3, 1)) * [1, 0.97]),
        "markers, phone": lambda: labelled(clumps, avoid=crowd[:30], markers=crowd[30:45]),
        "texts": lambda: labelled(clumps, texts=True, color="#0072B2", fontsize=11, zorder=9),
        "corners": lambda: labelled(corners, 18),
        "in a row": lambda: labelled(row, 10),
        "in a crowd": lambda: labelled(crowd[:14], 14, avoid=crowd),
        "close to each other": lambda: labelled(0.5 + 0.04 * (crowd[:9] - 0.5), 6, markers=crowd[20:40]),
        "none": lambda: labelled(clumps[:0]),
        "clumps, no style": lambda: labelled(clumps),
    }  # fmt: skip


@pictures
def better_arrow() -> Pictures:
    def both(*directions: str) -> None:
        for axis, direction in zip("xy", directions, strict=True):
            plots.better_arrow(plt.gca(), axis, direction)

    return {"min": lambda: both("min", "min"), "max": lambda: both("max", "max")}


@pictures
def labels_below() -> Pictures:
    """Upright, or turned where they would run into one another."""

    def ticks(length: int) -> None:
        ax = plt.gca()
        ax.set_xlim(0, 4)
        write_upright_or_turned(ax, np.arange(5), ["a long name of a thing"[:length]] * 5)

    return {f"{length} letters": lambda length=length: ticks(length) for length in (12, 22)}
