"""Words that accompany a plot: finding, caption, alternative text; its numbers and its size.

A plot is described where it is drawn, in words made of the result, so that a report, a page of a result and a notebook
describe the same plot in the same words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Description of a plot.

    Parameters
    ----------
    finding : str
        What the plot shows, in one sentence; its title.
    caption : str
        What it shows and how to read it, in one or a few sentences.
    alt : str
        The text alternative for readers who cannot see it.
    data : DataFrame, Series, mapping of columns or result, optional
        The numbers drawn; their labels name the points in tooltips.
    height, narrow_height : float, optional
        Height of the Axes in inches, on a page and on a phone; those of the page if the latter is omitted.
    """

    finding: str
    caption: str
    alt: str
    data: object = None
    height: float = 4.0
    narrow_height: float | None = None


_DESCRIBED: dict[Callable[..., Any], Callable[..., Picture | None]] = {}

Describing = TypeVar("Describing", bound=Callable[..., Picture | None])


def describes(plot: Callable[..., Any]) -> Callable[[Describing], Describing]:
    """Register the function that describes a plot: it takes the result and the options that the plot takes.

    Parameters
    ----------
    plot : callable
        A function that takes a result first.
    """

    def register(describe: Describing) -> Describing:
        _DESCRIBED[inspect.unwrap(plot)] = describe
        return describe

    return register


def picture_of(plot: Callable[..., Any], result: object, **options: Any) -> Picture | None:
    """Return finding, caption and alternative text of a plot of a result, None if the plot is not described.

    Parameters
    ----------
    plot : callable
        A plot, or the method of a result that draws it.
    result : object
        What it draws.
    **options
        Options of the plot.

    Returns
    -------
    Picture or None
        With ``finding``, ``caption``, ``alt``, the ``data`` drawn, and ``height`` and ``narrow_height`` in inches.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> from copa_nb import plots
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> picture = picture_of(plots.plot_front, models.moo.define(accuracy="max", co2_kg="min"))
    >>> picture.finding
    '2 of 3 rows are Pareto-optimal'
    """
    describe = _DESCRIBED.get(inspect.unwrap(plot))
    options.pop("palette", None)  # words are the same in any colors
    return None if describe is None else describe(result, **options)
