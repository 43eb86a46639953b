"""Plots of fixed tables, as pictures to compare with; run as a program, renews those in ``baseline``."""

import argparse
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from copa_nb import datasets, plots
from copa_nb.comparisons.plots.mean_ranks import plot_ccdf
from tests import asked

BASELINE = Path(__file__).parent / "baseline"
RENEW = "python -m tests.plots.pictures"
# Axes at a fixed place do not move with the width of a label, which differs a little between releases of FreeType.
PINNED = {"text.hinting": "none", "figure.constrained_layout.use": False, "savefig.bbox": None}
DPI = 60
PLACE = (0.14, 0.18, 0.8, 0.68)


def spread(rows: int, *steps: int) -> np.ndarray:
    """Points that fill the unit cube evenly, without a random generator whose stream might change."""
    return (np.arange(1, rows + 1)[:, None] * np.array(steps) % 101) / 101


def check_words(picture: Any, says: str) -> None:
    """Hold the title, the caption and the text for those who do not see a picture; `says` is a pattern."""
    words = [picture.finding, picture.caption, picture.alt]
    assert re.search(says, " ".join(words))
    assert not picture.finding.endswith("."), "a finding is a title"
    assert picture.caption.endswith(".")
    assert picture.alt.endswith(".")
    assert re.search(r"\d", picture.caption + picture.alt + picture.finding)
    assert not re.search(r"\bnan\b|None\b(?! of)|  |\(\)|[<\[]\w+\(", " ".join(words))
    assert 1 <= picture.height <= 4.05, "a page has more than one picture"
    assert picture.data is not None


def colors_of(figure: Figure) -> set[str]:
    """Colors of all that a figure has."""
    found = set()
    parts = [*figure.findobj(), *chain(*(ax.get_children() for ax in figure.axes))]
    # Boxes behind texts.
    parts += [part.get_bbox_patch() for part in parts if getattr(part, "get_bbox_patch", lambda: None)()]
    for part in parts:
        for name in ("get_facecolor", "get_edgecolor", "get_color", "get_markerfacecolor"):
            color = getattr(part, name, lambda: "none")()
            found |= {to_hex(one) for one in np.atleast_2d(mpl.colors.to_rgba_array(color)) if len(one)}
    return found


def models() -> pd.DataFrame:
    accuracy, cost, delay = spread(40, 37, 61, 17).T
    table = pd.DataFrame({"accuracy": 0.5 + accuracy / 2, "co2_kg": (0.2 + accuracy**2 + cost) ** 3, "ms": 20 * delay})
    return table.set_axis([f"model {i}" for i in range(len(table))])


def runs() -> pd.DataFrame:
    validation, test = 0.3 + 0.6 * spread(30, 37, 61), spread(30, 17, 73)
    scores = np.column_stack([validation, validation - 0.15 * test])
    return pd.DataFrame(scores, columns=["val_precision", "val_recall", "test_precision", "test_recall"])


def agents() -> pd.DataFrame:
    accuracy, cost = spread(10, 37, 61).T
    better = np.repeat([0.2, 0.0], 5)
    return pd.DataFrame(
        {"agent": ["new"] * 5 + ["old"] * 5, "accuracy": 0.6 + better + 0.3 * accuracy, "cost": 2 - better + cost}
    )


def draw_front(ax):
    models().moo(accuracy="max", co2_kg="min").copa().plot(ax=ax, log=["co2_kg"])


def draw_barcode(ax):
    models().moo(accuracy="max", co2_kg="min", ms="min").copa().navigate("co2_kg").plot(ax=ax)


def draw_parallel(ax):
    plots.plot_parallel(models().moo(accuracy="max", co2_kg="min", ms="min").copa(), ax=ax)


def draw_bump(ax):
    datasets.load_domainbed().iloc[:8].moo.copa().criteria().plot(ax=ax)


def draw_ccdf(ax):
    table = pd.DataFrame(spread(36, 37, 61), columns=["auc", "seconds"])
    table = table.assign(tool=list("abcd") * 9, task=np.repeat(range(9), 4))
    plot_ccdf(asked.mean_ranks(table.moo(auc="max"), system="tool", item="task"), ax=ax)


def draw_gap(ax):
    objectives = {"precision": "max", "recall": "max"}
    asked.gap(runs(), objectives=objectives, reference={"precision": 0, "recall": 0}).plot(ax=ax)


def draw_null(ax):
    objectives = {"accuracy": "max", "cost": "min"}
    asked.hv_test(agents(), system="agent", new="new", baseline="old", objectives=objectives).plot(ax=ax)


def draw_hasse(ax):
    costs = spread(9, 37, 61)
    better = (costs[:, None] <= costs[None]).all(axis=-1) & (costs[:, None] < costs[None]).any(axis=-1)
    plots.plot_hasse(better, labels=[f"item {i}" for i in range(9)], highlight=["item 4"], ax=ax)


def draw_depth(ax):
    asked.posets(datasets.load_moea(), system="algorithm", item="problem").depth().plot(ax=ax)


# What draws it, the size in inches, and where in the figure the axes stand.
PICTURES: dict[str, tuple[Callable[[Axes], None], tuple[float, float], tuple[float, float, float, float]]] = {
    "front": (draw_front, (5, 3.5), PLACE),
    "barcode": (draw_barcode, (6.5, 3.5), (0.04, 0.2, 0.92, 0.76)),
    "parallel": (draw_parallel, (6.5, 3.5), (0.11, 0.12, 0.62, 0.8)),
    "bump": (draw_bump, (6.5, 3.5), (0.13, 0.16, 0.74, 0.78)),
    "ccdf": (draw_ccdf, (4, 3), (0.1, 0.24, 0.86, 0.72)),
    "gap": (draw_gap, (5, 4), PLACE),
    "null": (draw_null, (6.5, 3.5), (0.12, 0.18, 0.5, 0.64)),
    "hasse": (draw_hasse, (4, 4), (0.04, 0.04, 0.92, 0.92)),
    "depth": (draw_depth, (5, 4), (0.3, 0.16, 0.64, 0.74)),
}


def draw(name: str, alter: Callable[[Axes], object] | None = None) -> np.ndarray:
    """Draw one picture with the package's style, pinned, as an array of red, green and blue from 0 to 255."""
    how, size, place = PICTURES[name]
    with plots.report_style(), plt.rc_context(PINNED):
        figure = plt.figure(figsize=size, dpi=DPI)
        canvas = FigureCanvasAgg(figure)
        try:
            ax = figure.add_axes(place)
            how(ax)
            if alter is not None:
                canvas.draw()  # makes the labels of the ticks
                alter(ax)
            canvas.draw()
            return np.asarray(canvas.buffer_rgba())[..., :3].copy()
        finally:
            plt.close(figure)


def main() -> None:
    """Renew the pictures that are named, or all of them."""
    parser = argparse.ArgumentParser(
        description="Draw the baseline pictures again, to be looked at before they are kept."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all by default: {', '.join(PICTURES)}")
    chosen = parser.parse_args().names or list(PICTURES)
    if unknown := [name for name in chosen if name not in PICTURES]:
        parser.error(f"{unknown[0]!r} is none of {', '.join(PICTURES)}")
    for picture in chosen:
        plt.imsave(BASELINE / f"{picture}.png", draw(picture), metadata={"Software": None})
        print(f"tests/plots/baseline/{picture}.png")


if __name__ == "__main__":
    main()
