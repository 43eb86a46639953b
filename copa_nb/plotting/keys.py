"""A numbered key: names too long for their points, in full below the figure."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, cast

from copa_nb.plotting.style import is_narrow

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

_NAMES = "_copa_nb_names"  # attribute of a legend that is a key
_FEW, _SHORT = 3, 12  # names, and letters of one, that have room in any figure


def numbered_key(figure: Figure, names: Mapping[str, object], *, columns: int = 2, **kwargs: Any) -> Legend:
    """Write below a figure the names that its numbers stand for.

    Parameters
    ----------
    figure : Figure
        Laid out with ``layout="constrained"``, as in the style of reports.
    names : mapping of str to name
        Number in the figure, and the name that it stands for.
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
    # One key per figure: entries of an earlier one stay in front.
    for earlier in [legend for legend in figure.legends if key_of(legend)]:
        names = {**key_of(earlier), **names}
        earlier.remove()
    columns = 1 if is_narrow(figure) else columns
    options: dict[str, Any] = {"loc": "outside lower left", "ncols": columns, "borderaxespad": 0.2, **kwargs}
    # Letters of 8 points are about 4.6 points wide.
    wide = max(12, int(figure.get_figwidth() * 72 / 4.7 / options["ncols"]) - 6)
    entries = words_alone(f"{number}  {_wrapped(name, wide)}" for number, name in names.items())
    legend: Any = figure.legend(**{**entries, **options})
    setattr(legend, _NAMES, dict(names))
    return cast("Legend", legend)


def numbered_where_narrow(figure: Figure, names: Sequence[object]) -> list[object]:
    """Return names to write, or, where many long ones would cover a narrow figure, numbers that a key below explains.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots(figsize=(3.7, 3), layout="constrained")
    >>> numbered_where_narrow(figure, ["a", "b"])
    ['a', 'b']
    >>> numbered_where_narrow(figure, [f"a model of {size} B" for size in (1, 3, 7, 14)])
    ['1', '2', '3', '4']
    >>> plt.close(figure)
    """
    if not is_narrow(figure) or len(names) <= _FEW or max(len(str(name)) for name in names) <= _SHORT:
        return list(names)
    return list(numbered(figure, names))


def numbered(figure: Figure, names: Sequence[object], *, letters: bool = False, **kwargs: Any) -> list[str]:
    """Number names in the key below a figure, on from those that are there; return the numbers.

    Letters, as far as the alphabet goes, are for what must not be taken for the numbers of another figure.
    """
    there = sum(len(key_of(legend)) for legend in figure.legends)
    by_letter = letters and there + len(names) <= len(ascii_lowercase)
    marks = ascii_lowercase if by_letter else range(1, there + len(names) + 1)
    numbers = {str(mark): name for mark, name in zip(marks[there:], names, strict=False)}
    numbered_key(figure, numbers, **kwargs)
    return list(numbers)


def numbered_as(
    figure: Figure, labels: Sequence[Hashable], names: Sequence[object], order: bool | Sequence[Hashable]
) -> list[str]:
    """Number names in the key below a figure by their labels' places in an order that figures share.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots(layout="constrained")
    >>> numbered_as(figure, ["b", "a"], ["model b", "model a"], ["a", "c", "b"])
    ['3', '1']
    >>> plt.close(figure)
    """
    if isinstance(order, bool):
        return numbered(figure, names)
    places = {label: place for place, label in enumerate(order, start=1)}
    for label in labels:
        if label not in places:
            raise ValueError(f"`key` lacks {label!r}, which is drawn; give all labels, in the order of their numbers.")
    numbers = [places[label] for label in labels]
    named = sorted(zip(numbers, names, strict=True), key=lambda pair: pair[0])
    numbered_key(figure, {str(number): name for number, name in named})
    return list(map(str, numbers))


def words_alone(labels: Iterable[str]) -> dict[str, Any]:
    """Entries and options of a legend whose entries show no line."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], ls="", label=label) for label in labels]
    return {"handles": handles, "handlelength": 0, "handletextpad": 0, "fontsize": "small"}


def key_of(legend: Legend) -> dict[str, object]:
    """Return the numbers of a key and their names; empty for any other legend."""
    return dict(getattr(legend, _NAMES, {}))


def _wrapped(name: object, wide: int) -> str:
    """Write a name in as many lines as it needs: it is in a key because it must be whole."""
    lines = textwrap.wrap(str(name), wide) or [str(name)]
    return "\n     ".join(re.sub(r"(?<!\\)\$", r"\\$", line) for line in lines)
