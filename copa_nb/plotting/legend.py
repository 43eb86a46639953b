"""One legend for a row of panels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend


def shared_legend(axes: Axes | Iterable[Axes], *, columns: int = 4, **kwargs: Any) -> Legend:
    """Draw one legend below a figure, with every label of its panels once.

    Parameters
    ----------
    axes : Axes, or iterable or array of Axes of one figure
        Panels whose entries are gathered, in order of first appearance.
    columns : int
        Columns of the legend.
    **kwargs
        Passed on to ``Figure.legend``.

    Returns
    -------
    Legend

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots(1, 2, layout="constrained")
    >>> for ax in axes:
    ...     _ = ax.plot([0, 1], label="same in both")
    >>> len(shared_legend(axes).get_texts())
    1
    >>> plt.close(figure)
    """
    panels: list[Axes] = list(np.ravel(np.asarray(axes, dtype=object)))
    entries: dict[str, Any] = {}
    for ax in panels:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure: Any = panels[0].get_figure(root=True)
    options: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, **kwargs}
    legend: Legend = figure.legend(list(entries.values()), list(entries), **options)
    return legend
