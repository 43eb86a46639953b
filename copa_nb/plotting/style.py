"""Shared style: a color-blind palette, a second channel besides color, and the arrow that points to better values."""

from __future__ import annotations

__all__ = ["LINESTYLES", "MARKERS", "PALETTE", "better_arrow", "report_style"]

import functools
import itertools
import re
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from copa_nb.text import spoken

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

# Colors of series: a list, or a name that seaborn or matplotlib knows; None for those of the package.
Palette: TypeAlias = "Sequence[Any] | str | None"
Plot = TypeVar("Plot", bound="Callable[..., Any]")
# Okabe and Ito's vermilion is kept for the choice, so that it means the choice and nothing else; wine has its place in
# their palette, dark enough on white. Black comes last.
CHOICE = "#D55E00"
PALETTE = ["#0072B2", "#882255", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6A93", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
LINESTYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3))]
CONTINUOUS = "viridis"
# Of that map; dark pages turn lightness around, and its yellow would be lost there.
_VISIBLE, _VISIBLE_AREA = 0.75, 0.9
GRAY = "#9A9A9A"
DOMINATED = "#B8B8B8"
INK = "#222222"
# Inches: the lines of an A4 page, at which figures are printed as they are drawn, and those of a phone.
PAGE_WIDTH = 6.85
PHONE_WIDTH = 3.7
SMALLEST_LETTERS = 8.0  # points
_NARROW = 0.75 * PAGE_WIDTH
_LONGEST_LABEL = 60
# What each color means, wherever it is: the table in docs/architecture.md is this one.
ROLES: Mapping[str, tuple[str, str, str]] = {
    "choice": (CHOICE, "star, or a frame", "what is chosen, and nothing else"),
    "front": (PALETTE[0], "dot, and the outline of what it dominates", "Pareto-optimal; the first of several series"),
    "dominated": (DOMINATED, "light dot", "what another row dominates"),
    "rest": (GRAY, "line or bar", "all that is not spoken of"),
    "on validation": (PALETTE[4], "dotted line, dot", "fronts and scores on validation data"),
    "optimistic on test": (PALETTE[2], "full line, triangle up", "what no other row dominates on test data"),
    "pessimistic on test": (PALETTE[3], "dashed line, triangle down", "what dominates no other row on test data"),
    "place on the front": (CONTINUOUS, "area", "from the worst (dark) to the best (light) in an objective"),
}
# What pages show under the pointer, for as long as the mark exists.
_TIPS: WeakKeyDictionary[Artist, list[str]] = WeakKeyDictionary()
_ONE_THREAD = threading.RLock()
# Control characters, for which no font has a picture.
_NO_LETTER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# A word with a number's decimals, and the marks after it.
_UNIT = re.compile(r"[^\W_]+(?:\.\d+)*[\W_]*|[\W_]+")
_WORD_AT_END, _WORD_AT_START = re.compile(r"[^\W_]+$"), re.compile(r"^[^\W_]+")


def series_looks(number: int) -> dict[str, Any]:
    """Color, marker and line of one series of several; each distinguishes it."""
    return {
        "color": series_color(number),
        "marker": MARKERS[number % len(MARKERS)],
        "ls": LINESTYLES[number % len(LINESTYLES)],
    }


def series_color(number: int) -> str:
    """Color of one series of several: of this palette, or of matplotlib's property cycle where that was changed."""
    from matplotlib.colors import to_hex

    cycle = _own_cycle()
    colors: list[Any] = (None if cycle is None else cycle.by_key().get("color")) or PALETTE
    color = colors[number % len(colors)]
    return color if isinstance(color, str) else to_hex(color)  # themes of seaborn have shares of red, green and blue


def _own_cycle() -> Any:
    """Return matplotlib's property cycle if a user has changed it."""
    import matplotlib as mpl

    cycle = mpl.rcParams["axes.prop_cycle"]
    return None if cycle == mpl.rcParamsDefault["axes.prop_cycle"] else cycle


@contextmanager
def series_in(palette: Palette) -> Iterator[None]:
    """Draw series in other colors inside the ``with`` block: colors, or a palette of seaborn; None changes nothing.

    Raises
    ------
    ValueError
        For what is no color, no list of them, and no name of a palette.

    Examples
    --------
    >>> with series_in(["red", "black"]):
    ...     [series_color(number) for number in range(3)]
    ['#ff0000', '#000000', '#ff0000']
    """
    if palette is None:
        yield
        return
    import matplotlib as mpl
    from matplotlib.rcsetup import cycler

    colors = _colors_of(palette)
    with inside(mpl.rc_context({"axes.prop_cycle": cycler(color=colors)})):
        yield


def in_palette(plot: Plot) -> Plot:
    """Let a plot draw its series in the colors of its argument `palette`, which it need not read itself.

    Parameters
    ----------
    plot : callable
        A plot with a keyword ``palette: Palette = None``.
    """

    @functools.wraps(plot)
    def drawn(*args: Any, palette: Palette = None, **options: Any) -> Any:
        with series_in(palette):
            return plot(*args, **options)

    return cast("Plot", drawn)


def _colors_of(palette: Sequence[Any] | str) -> list[str]:
    import seaborn as sns
    from matplotlib.colors import is_color_like

    try:
        one = isinstance(palette, str) and is_color_like(palette)
        colors: list[str] = sns.color_palette([palette] if one else palette).as_hex()
    except ValueError:
        colors = []
    if not colors:
        raise ValueError(
            f"`palette` is {palette!r}; it must be a list of colors, e.g. {PALETTE[:2]}, or the name of a colormap of "
            "matplotlib or of a palette of seaborn, e.g. 'tab10' or 'colorblind'."
        )
    return colors


def marker_looks(looks: dict[str, Any]) -> dict[str, Any]:
    """Adapt looks of ``Axes.scatter`` to markers that are lines, such as "x": these have no edge of another color.

    Examples
    --------
    >>> marker_looks({"marker": "x", "linewidths": 0, "color": "red", "edgecolors": "white"})
    {'marker': 'x', 'color': 'red'}
    """
    from matplotlib.markers import MarkerStyle

    if MarkerStyle(looks.get("marker", "o")).is_filled():
        return looks
    edge, plain = looks.get("edgecolors"), {name: value for name, value in looks.items() if name != "edgecolors"}
    if plain.get("color") == "none" and edge is not None:
        plain["color"] = edge
    if not plain.get("linewidths", 1):
        del plain["linewidths"]
    return plain


@contextmanager
def report_style(narrow: bool = False, *, own_colors: bool = False) -> Iterator[None]:
    """Apply the package's style to the figures made inside the ``with`` block, and to nothing else.

    Settings of matplotlib belong to the whole process, so threads enter such blocks one after another.

    Parameters
    ----------
    narrow : bool
        Whether figures are for a phone: as wide as its screen, panels below each other.
    own_colors : bool
        Whether series have the colors that a user has set, by matplotlib's ``axes.prop_cycle`` or a theme of seaborn.
        Figures of reports have the package's colors, so that a report looks the same wherever it is made.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import plots
    >>> with plots.report_style():
    ...     figure, ax = plt.subplots()
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    styles: list[str | dict[str, Any]] = ["copa_nb.styles.paper"]
    if narrow:
        styles.append({"figure.figsize": (PHONE_WIDTH, 3.2)})
    if own_colors and (cycle := _own_cycle()) is not None:
        styles.append({"axes.prop_cycle": cycle})
    with inside(plt.style.context(styles)), warnings.catch_warnings():
        # A report warns once of characters that no font has; here every label measured would warn again.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font", category=UserWarning)
        yield


@contextmanager
def plain_style() -> Iterator[None]:
    """Apply the package's style inside the ``with`` block where matplotlib has its defaults.

    So ``result.plot()`` of a plain script looks as in a report, and what a user has set, by ``rcParams``, a style or a
    theme, stays.
    """
    import matplotlib as mpl

    # matplotlib types the names of its settings one by one, and a file of a style has any of them.
    current: Any = mpl.rcParams
    default: Any = mpl.rcParamsDefault
    # Titles stay where matplotlib's users look for them: in the middle, where ``ax.get_title()`` finds them.
    settings: Any = {
        name: value
        for name, value in _paper().items()
        if current[name] == default[name] and name != "axes.titlelocation"
    }
    with inside(mpl.rc_context(settings)):
        yield


@functools.cache
def _paper() -> dict[str, Any]:
    import matplotlib as mpl

    with resources.as_file(resources.files("copa_nb.styles") / "paper.mplstyle") as path:
        settings: Any = mpl.rc_params_from_file(path, use_default_template=False)
        return dict(settings)


def keep_ticks(ax: Axes) -> None:
    """Let ticks that are made when the figure is drawn, after a style was left, look as in that style."""
    import matplotlib as mpl

    current: Any = mpl.rcParams
    for axis in ("x", "y"):
        looks = {name: current[f"{axis}tick.{name}"] for name in ("labelsize", "color", "labelcolor")}
        if looks["labelcolor"] == "inherit":
            looks["labelcolor"] = looks["color"]
        ax.tick_params(axis=axis, **looks)


@contextmanager
def inside(settings: AbstractContextManager[None]) -> Iterator[None]:
    """Hold settings of matplotlib in a block that threads enter one after another.

    The first figure chooses the backend, and in notebooks that backend begins to show figures by itself. This is a
    setting, too, and outlasts the block; otherwise no later figure would be shown.
    """
    import matplotlib as mpl

    with _ONE_THREAD:
        with settings:
            yield
            interactive = mpl.is_interactive()
        mpl.interactive(interactive)


def is_narrow(figure: Any) -> bool:
    """Tell whether a figure is too narrow for a legend or a second panel next to the axes."""
    return bool(figure.get_figwidth() < _NARROW)


def is_slim(ax: Axes) -> bool:
    """Tell whether Axes share the width of their figure with others, and have too little of it for a legend outside."""
    figure: Any = ax.get_figure(root=True)
    grid = ax.get_subplotspec()
    share = 1.0 if grid is None else len(grid.colspan) / grid.get_gridspec().ncols
    return share < 1 and bool(figure.get_figwidth() * share < _NARROW)


def current_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the current Axes; where there is no figure yet, those of a new one with the constrained layout.

    Without it ``savefig`` would cut off a legend next to the Axes.

    Raises
    ------
    TypeError
        For what is no Axes, such as the array that ``plt.subplots(2, 2)`` returns.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.gca() if plt.get_fignums() else plt.figure(layout="constrained").gca()
    if not callable(getattr(ax, "scatter", None)):
        several = isinstance(ax, Iterable) and not isinstance(ax, str)
        given = "several Axes" if several else repr(ax) if isinstance(ax, str) else f"a {type(ax).__name__}"
        raise TypeError(
            f"`ax` is {given}; pass one Axes, e.g. {'ax=axes.flat[0]' if several else 'ax=figure.subplots()'}."
        )
    return ax


def better_arrow(ax: Axes, axis: str, direction: str) -> None:
    """Mark an axis with "better →" on the side of better values.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    axis : {"x", "y"}
        Which axis.
    direction : {"max", "min"}
        Direction of the objective on it; the axis may run either way.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import plots
    >>> figure, ax = plt.subplots()
    >>> plots.better_arrow(ax, "x", "max")
    >>> plt.close(figure)
    """
    inverted = (ax.xaxis if axis == "x" else ax.yaxis).get_inverted()
    forward = (direction == "max") != inverted
    text = "better →" if forward else "← better"
    end = 0.99 if forward else 0.01
    # Two objectives that are both minimized share the corner at the origin: keep the words apart.
    position = (end, 0.012) if axis == "x" else (0.012, max(end, 0.07))
    ax.annotate(
        text, position, xycoords="axes fraction", fontsize="small", color="0.35", zorder=7,
        rotation=0 if axis == "x" else 90,
        ha=("right" if end > 0.5 else "left") if axis == "x" else "left",
        va="bottom" if axis == "x" else ("top" if end > 0.5 else "bottom"),
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
    )  # fmt: skip


def directed_label(name: object, direction: str) -> str:
    """Axis label with the direction arrow: ``CO₂ (kg) ↓`` for "co2_kg"."""
    return f"{literal(spoken(name))} {'↑' if direction == 'max' else '↓'}"


def literal(text: object) -> str:
    r"""Write a label as it is, or cut in the middle if it is so long that it would leave no room for the axes.

    Matplotlib would read text between dollar signs as mathematics, and leave a label that starts with an
    underscore out of every legend; a space of no width goes before that.

    Examples
    --------
    >>> literal("cost $x_{$")
    'cost \\$x_{\\$'
    """
    return shorten(text, _LONGEST_LABEL)


def shorten(label: object, most: int = 34) -> str:
    """Cut a long label in the middle, between words, and make it safe for matplotlib's mathtext and fonts.

    Examples
    --------
    >>> shorten("vonjack/Phi-3-mini-4k-instruct-LLaMAfied", 30), shorten(chr(0))
    ('vonjack/Phi-3-…-LLaMAfied', '�')
    >>> shorten("annamodels/LGAI-Embedding-Preview", 20)  # half of the first word would be another
    '…-Embedding-Preview'
    """
    text = _NO_LETTER.sub("\ufffd", str(label))
    if len(text) > most:
        text = "…".join(_ends(text, most - 1))
    # Escaped last: a cut between a dollar sign and its backslash would set the sign free.
    escaped = text.replace("$", r"\$")
    return f"\u200b{escaped}" if escaped.startswith("_") else escaped


def _ends(text: str, most: int) -> tuple[str, str]:
    """Return how a text begins and ends, cut between words where there are some: half a word may be read as another."""
    middle = most // 2
    head, tail = text[:middle], text[middle - most :]
    whole_head, whole_tail = _WORD_AT_END.sub("", head), _WORD_AT_START.sub("", tail)
    if whole_head and whole_tail:
        return whole_head, whole_tail
    # A first or last word that is too long leaves its room to the other end.
    if whole_tail:
        return "", _WORD_AT_START.sub("", text[-most:])
    return (_WORD_AT_END.sub("", text[:most]), "") if whole_head else (head, tail)


def shorten_all(labels: Iterable[object], most: int = 34, *, among: Iterable[object] = ()) -> list[str]:
    """Cut long labels like :func:`shorten`, but so that different labels stay different.

    Where two would become the same, words that many labels share give way, and words that tell them apart stay.

    Parameters
    ----------
    labels : iterable of labels
        What to write.
    most : int
        Characters of a label; more only where fewer cannot tell labels apart.
    among : iterable of labels, optional
        Further labels that those written must not be taken for.

    Examples
    --------
    >>> names = [f"meta-llama/Meta-Llama-3.1-{size}-Instruct-AWQ-INT4" for size in ("8B", "70B")]
    >>> [shorten(name, 26) for name in names]
    ['meta-llama/…-AWQ-INT4', 'meta-llama/…-AWQ-INT4']
    >>> shorten_all(names, 26)
    ['…-3.1-8B-Instruct-AWQ-INT4', '…-70B-Instruct-AWQ-INT4']

    What is left of a label fits no other:

    >>> shorten_all(["team/Model-8B-Instruct-INT4", "team/Model-3B-Instruct-INT4"], 20)
    ['…-8B-Instruct-INT4', '…-3B-Instruct-INT4']
    """
    written = [str(label) for label in labels]
    known = list(dict.fromkeys([*written, *map(str, among)]))
    short = {name: shorten(name, most) for name in known}
    if _told_apart(short, written):
        return [short[name] for name in written]
    units = {name: _UNIT.findall(name) for name in known}
    common = Counter(unit for name in known for unit in set(units[name]))
    room = most
    while True:
        short = {name: shorten(_telling(units[name], common, room), room) for name in known}
        if _told_apart(short, written) or room > _LONGEST_LABEL:
            break
        room += 6
    return [short[name] if list(short.values()).count(short[name]) == 1 else shorten(name, len(name))
            for name in written]  # fmt: skip


def _told_apart(short: Mapping[str, str], written: Sequence[str]) -> bool:
    """Whether every label written is the only one, and what is cut in it fits no other label."""
    counts = Counter(short.values())
    return all(counts[short[name]] == 1 and not _could_be_another(short[name], name, short) for name in written)


def _could_be_another(short: str, name: str, known: Iterable[str]) -> bool:
    if "…" not in short or "…" in name:
        return False
    parts = short.replace(r"\$", "$").removeprefix("\u200b").split("…")
    pattern = re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
    return any(pattern.fullmatch(other) for other in known if other != name)


def _telling(units: Sequence[str], common: Mapping[str, int], most: int) -> str:
    """Leave out words that most labels have, the first of equals first, until a label is short enough."""
    kept = [True] * len(units)
    for i in sorted(range(len(units)), key=lambda i: -common[units[i]]):
        if len(_joined(units, kept)) <= most or sum(kept) == 1:
            break
        kept[i] = False
    return _joined(units, kept)


def _joined(units: Sequence[str], kept: Sequence[bool]) -> str:
    """Join what is kept; what is left out is an ellipsis with the separator after it, as in "…/Llama-…-INT4"."""
    parts: list[str] = []
    for keep, run in itertools.groupby(zip(kept, units, strict=True), key=lambda pair: pair[0]):
        words = [unit for _, unit in run]
        end = words[-1][-1]
        parts += words if keep else ["…", "" if end.isalnum() else end]
    return "".join(parts)


def map_of_importance() -> Colormap:
    """Colors of α: the part of :data:`CONTINUOUS` that can be seen on white, and on black where pages are dark.

    Examples
    --------
    >>> from matplotlib.colors import to_hex
    >>> [to_hex(map_of_importance()(share)) for share in (0.0, 1.0)]
    ['#440154', '#5ec962']
    """
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    return ListedColormap(mpl.colormaps[CONTINUOUS](np.linspace(0.0, _VISIBLE, 256)))


def map_of_places() -> Colormap:
    """Colors of places on a front, of areas: as those of α, up to a lighter end, which an area shows and a line not.

    Examples
    --------
    >>> from matplotlib.colors import to_hex
    >>> [to_hex(map_of_places()(share)) for share in (0.0, 1.0)]
    ['#440154', '#bddf26']
    """
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    return ListedColormap(mpl.colormaps[CONTINUOUS](np.linspace(0.0, _VISIBLE_AREA, 256)))


def lines_with_hero(count: int, hero: int | None) -> list[dict[str, Any]]:
    """Looks of lines of which one is the point of the figure: the first color, solid, thick, and above the others.

    Parameters
    ----------
    count : int
        How many lines.
    hero : int or None
        Which of them, from 0; None for lines that are all alike.

    Examples
    --------
    >>> [looks["color"] for looks in lines_with_hero(3, 2)]
    ['#882255', '#009E73', '#0072B2']
    """
    others = iter(range(0 if hero is None else 1, count))
    looks: list[dict[str, Any]] = []
    for place in range(count):
        number = 0 if place == hero else next(others)
        color, style = series_color(number), LINESTYLES[number % len(LINESTYLES)]
        looks.append({"color": color, "ls": style, "marker": MARKERS[number % len(MARKERS)], "lw": 1.4, "zorder": 2})
        if place == hero:
            looks[-1] |= {"lw": 2.6, "zorder": 3}
    return looks


def chosen_looks() -> dict[str, Any]:
    """Color and marker of the choice, the same in every figure and in the colors of every user."""
    return {"color": CHOICE, "marker": "*"}


def rival_looks(number: int) -> dict[str, Any]:
    """Looks of a row next to the choice, counted from 0: what only the choice has is left out."""
    return series_looks(number + 2)


def set_tip(artist: Artist, *words: object) -> None:
    """Set the tooltip of a mark that has no values on axes: up to three short lines."""
    _TIPS[artist] = [" ".join(str(line).split()) for line in words]


def tip_of(artist: Artist) -> list[str]:
    """Return what :func:`set_tip` kept, nothing without it."""
    return _TIPS.get(artist, [])
