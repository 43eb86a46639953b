"""Standing of the selected row in every objective, beside the runners-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import text
from copa_nb.plotting.style import INK, MARKERS, PALETTE, current_axes, literal, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.copa import Selection


def plot_selection(
    selection: Selection, *, ax: Axes | None = None, runners_up: int = 3, legend: bool = True, **bar_kws: Any
) -> Axes:
    """Draw how far down the ranking the selected row stands, one bar per objective; short is good.

    Parameters
    ----------
    selection : Selection
        A decision.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    runners_up : int
        How many of the next best rows are shown as markers.
    legend : bool
        Whether to name the rows.
    **bar_kws
        Options of ``Axes.barh``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = plot_selection(models.moo(accuracy="max", co2_kg="min").copa())
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    labels = selection.objectives.labels
    columns = [f"u_{name}" for name in selection.objectives]
    values = selection.table[columns].to_numpy()
    rows = np.arange(len(labels))
    looks: dict[str, Any] = {
        "height": 0.62,
        "color": PALETTE[0],
        "alpha": 0.85,
        "label": shorten(selection.best),
        **bar_kws,
    }
    ax.barh(rows, values[0], **looks)
    others = min(runners_up, len(values) - 1)
    for i in range(1, others + 1):
        # Rows of their own within the bar, so that equal standings do not hide each other.
        shift = 0.18 * (i - (others + 1) / 2)
        looks = {"color": PALETTE[i % len(PALETTE)], "mec": "white", "mew": 0.5, "clip_on": False, "zorder": 3}
        label = f"{selection.table['rank'].iloc[i]}. {shorten(selection.table.index[i])}"
        ax.plot(values[i], rows + shift, MARKERS[i % len(MARKERS)], label=label, **looks)
    weights = list(selection.weights.values())
    ax.set_yticks(
        rows, [f"{literal(label)}\nweight {weight:.2f}" for label, weight in zip(labels, weights, strict=True)]
    )
    ax.invert_yaxis()
    ax.set_xlim(left=min(0.0, float(values[0].min())))
    if selection.normalize == "cdf":
        _write_shares(ax, values[0], rows)
        ax.set_xlabel("share of models that are better (0 is best)")
    else:
        ax.set_xlabel(f"{selection.normalize} value (0 is best)")
    ax.grid(visible=False, axis="y")
    if legend:
        handles, names = ax.get_legend_handles_labels()
        order = [*handles[-1:], *handles[:-1]], [*names[-1:], *names[:-1]]
        ax.legend(*order, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax


def _write_shares(ax: Axes, shares: np.ndarray, rows: np.ndarray) -> None:
    for share, row in zip(shares, rows, strict=True):
        place = "best" if share == 0 else f"top {text.percent(float(share))}"
        ax.annotate(place, (float(share), float(row)), xytext=(4, 9), textcoords="offset points", fontsize="x-small",
                    va="bottom", ha="left", color=INK)  # fmt: skip
