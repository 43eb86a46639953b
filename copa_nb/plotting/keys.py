"""A numbered key: names too long to stand at their points, in full below the figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from copa_nb.plotting.style import is_narrow, literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend


def numbered_key(figure: Figure, names: Mapping[str, object], *, columns: int = 2, **kwargs: Any) -> Legend:
    """Write below a figure what the numbers in it stand for.

    Parameters
    ----------
    figure : Figure
        Laid out with ``layout="constrained"``, as in the style of reports.
    names : mapping of str to name
        Number, as it stands in the figure, to what it stands for.
    columns : int
        Columns of the key; a narrow figure has one.
    **kwargs
        Passed on to ``Figure.legend``.

    Returns
    -------
    Legend

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots(layout="constrained")
    >>> key = numbered_key(figure, {"1": "a model", "2": "another model"})
    >>> [text.get_text() for text in key.get_texts()]
    ['1  a model', '2  another model']
    >>> plt.close(figure)
    """
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], ls="", label=f"{number}  {literal(name)}") for number, name in names.items()]
    options: dict[str, Any] = {"loc": "outside lower left", "fontsize": "small", "handlelength": 0, "handletextpad": 0}
    options["ncols"] = 1 if is_narrow(figure) else columns
    legend: Legend = figure.legend(handles=entries, **{**options, **kwargs})
    return legend
