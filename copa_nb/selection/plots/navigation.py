"""What is selected as one objective counts for more: standing in every objective, and place on the front, along α."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plotting.style import LINESTYLES, PALETTE, current_axes, literal, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.navigate import Navigation


def plot_navigation(
    navigation: Navigation, *, ax: Axes | None = None, names: int = 8, legend: bool = True, **line_kws: Any
) -> Axes:
    """Draw the normalised objectives of the selected row against α, one step line per objective.

    Parameters
    ----------
    navigation : Navigation
        A path.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    names : int
        At most so many selected rows, those selected over the longest ranges of α, are named above the plot.
    legend : bool
        Whether to name the objectives.
    **line_kws
        Options of ``Axes.step``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = plot_navigation(models.moo(accuracy="max", co2_kg="min").navigate("co2_kg"))
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    alphas = navigation.path.index.to_numpy(dtype=float)
    for k, (name, label) in enumerate(
        zip(navigation.matrix.objectives.names, navigation.matrix.objectives.labels, strict=True)
    ):
        swept = name == navigation.objective
        looks: dict[str, Any] = {"color": PALETTE[k % len(PALETTE)], "ls": LINESTYLES[k % len(LINESTYLES)],
                                 "lw": 2.4 if swept else 1.2, "label": literal(label), **line_kws}  # fmt: skip
        ax.step(alphas, navigation.path[f"u_{name}"].to_numpy(), where="mid", **looks)
    ax.set_xlim(alphas[0], alphas[-1])
    ax.set_xlabel(f"α, weight of {literal(navigation.objective)}")
    unit = "share of models that are better" if navigation.normalize == "cdf" else f"{navigation.normalize} value"
    ax.set_ylabel(f"{unit} (0 is best)")
    _name_rows(ax, navigation, names)
    if legend:
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def _name_rows(ax: Axes, navigation: Navigation, names: int) -> None:
    table = navigation.table
    widths = (table["alpha_to"] - table["alpha_from"]).to_numpy()
    shown = np.sort(np.argsort(-widths, kind="stable")[:names])
    span = navigation.path.index[-1] - navigation.path.index[0]
    for i in range(1, len(table)):
        ax.axvline(float(table["alpha_from"].iloc[i]), color="0.8", lw=0.6, zorder=0)
    last = -np.inf
    for i in shown:
        middle = float(table["alpha_from"].iloc[i] + table["alpha_to"].iloc[i]) / 2
        # Slanted names need room of their own; one that would run into its neighbour is left out.
        if middle - last < 0.035 * span:
            continue
        last = middle
        ax.annotate(
            shorten(table.index[i], 30), (middle, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 3),
            textcoords="offset points", rotation=38, ha="left", va="bottom", fontsize="x-small",
            rotation_mode="anchor", annotation_clip=False,
        )  # fmt: skip


def plot_sweep(navigations: Mapping[Hashable, Navigation], *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw the place along the front of the selected row against α, one line per navigation.

    Equal steps in α that make equal steps along the front give the dotted diagonal; a line that stays at
    one end means that most of the slider does nothing.

    Parameters
    ----------
    navigations : mapping of name to Navigation
        Navigations of the same objective over the same rows, e.g. one per p.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    **line_kws
        Options of ``Axes.plot``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> view = models.moo(accuracy="max", co2_kg="min")
    >>> ax = plot_sweep({p: view.navigate("co2_kg", p=p) for p in (1, "inf")})
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":", zorder=1, label="even")
    objective: Hashable = None
    for i, (name, navigation) in enumerate(navigations.items()):
        objective = navigation.objective
        looks: dict[str, Any] = {"color": PALETTE[i % len(PALETTE)], "ls": LINESTYLES[i % len(LINESTYLES)], **line_kws}
        label = f"{literal(name)} (evenness {navigation.evenness:.2f})"
        ax.plot(navigation.path.index, places_along_front(navigation), drawstyle="steps-mid", label=label, **looks)
    ax.set(xlim=(0, 1), ylim=(-0.03, 1.03))
    ax.set_xlabel(f"α, weight of {literal(objective)}")
    ax.set_ylabel(f"place on the front, worst to best {literal(objective)}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax


def places_along_front(navigation: Navigation) -> np.ndarray:
    """Share of front rows that are worse in the swept objective than the row selected, per α.

    Returns
    -------
    ndarray of float64, shape (n_alphas,)
        0 at the end where the swept objective is worst, 1 where it is best.
    """
    swept = navigation.matrix.objectives.position(navigation.objective)
    front = np.sort(navigation.matrix.values[navigation.front, swept])
    selected = navigation.matrix.values[navigation.positions, swept]
    worse = len(front) - np.searchsorted(front, selected, side="right")
    return worse / max(len(front) - 1, 1)
