"""Where on the front each α leads, for several norms or normalisations side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plotting.style import LINESTYLES, PALETTE, current_axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.navigate import Navigation


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
        Looks of the lines, for ``Axes.plot``.

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
