"""How often each item stands above each other, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb.plotting.style import INK, current_axes, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.partial_orders.posets import PosetSample


def plot_pair_counts(
    sample: PosetSample | pd.DataFrame,
    *,
    n_groups: int | None = None,
    sort: bool = True,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw in how many groups the item of the row stands above the item of the column.

    Parameters
    ----------
    sample : PosetSample or DataFrame
        The sample, or its ``pair_counts``.
    n_groups : int, optional
        What the counts are out of, for the colours; the sample's number of groups, or the largest count.
    sort : bool
        Whether to put items that stand above many others first.
    numbers : bool
        Whether to write the counts.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    counts: Any = sample if isinstance(sample, pd.DataFrame) else sample.pair_counts
    if n_groups is None:
        n_groups = int(counts.to_numpy().max()) if isinstance(sample, pd.DataFrame) else len(sample)
    if sort:
        order = (counts.sum() - counts.sum(axis=1)).sort_values(kind="stable").index
        counts = counts.loc[order, order]
    values = counts.to_numpy(dtype=float)
    masked = np.ma.masked_array(values, mask=np.eye(len(values), dtype=bool))
    # Blues are told apart in grey print and by every kind of colour blindness.
    image = ax.imshow(masked, cmap="Blues", vmin=0, vmax=max(n_groups, 1), aspect="equal")
    labels = [shorten(label, 18) for label in counts.index]
    ax.set_xticks(range(len(labels)), labels, rotation=90 if max(map(len, labels)) > 3 else 0)
    ax.set_yticks(range(len(labels)), labels)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    if numbers:
        size = float(np.clip(90 / len(labels), 4.5, 9))
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool)):
            dark = values[i, j] > 0.6 * n_groups
            ax.text(
                j, i, f"{values[i, j]:.0f}", ha="center", va="center", fontsize=size, color="white" if dark else INK
            )
    ax.set_xlabel("is below")
    ax.set_ylabel("is above")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02)
    bar.locator = MaxNLocator(6, integer=True)
    bar.update_ticks()
    bar.set_label(f"groups (of {n_groups})")
    bar.outline.set_visible(False)
    return ax
