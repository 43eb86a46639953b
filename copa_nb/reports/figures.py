"""Figures as files: SVG and PNG for the screen, PDF for print, the same bytes for the same figure; and their points."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from unicodedata import category

import numpy as np
import pandas as pd

from copa_nb.checks import one_of
from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.style import report_style, tip_of
from copa_nb.text import label, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox, Transform

# Letters of figures in print: serif ones go with documents set in Times or Computer Modern.
FONTS = ("sans", "serif")
SCREEN_DPI = 192  # two device pixels per CSS pixel: sharp on common screens
_MARGIN_INCHES = 0.04
# Of the title of a picture that leaves its page, in its pixels: a letter, a line, and the band around it.
_TITLE_LETTER, _TITLE_LINE, _BAND = 17, 36, 26
_LARGEST_CLOUD = 500  # points of one series; of a larger one only those with a name answer to the pointer
_MOST_POINTS = 3000  # of one figure
_NEVER_SHOWN = ("Cc", "Cf")  # categories of line breaks and marks of direction
_BOXES = "Last Resort"  # matplotlib's font of boxes for letters that no other has
_REGULAR = (400, "regular", "normal", "book")
_SERIF_LETTERS: dict[Any, Any] = {
    "font.sans-serif": ["STIX Two Text", "STIXGeneral", "DejaVu Serif", "DejaVu Sans"],
    "mathtext.fontset": "stix",
}
_NO_DATES = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class RenderedFigure:
    """One figure in three formats, and what a page needs to know of it."""

    png: bytes
    svg: bytes
    pdf: bytes
    width: int
    height: int
    area: Bbox
    missing: str = ""


def figure_of(drawn: object) -> Figure:
    """Return the figure of a Figure, an Axes or an array of Axes."""
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if isinstance(drawn, Figure):
        return drawn
    first = next(iter(getattr(drawn, "flat", [drawn])), None)
    figure = first.figure if isinstance(first, Axes) else None
    while figure is not None and not isinstance(figure, Figure):
        figure = figure.figure
    if figure is None:
        raise TypeError(f"`figure` must be a matplotlib Figure or Axes, not {type(drawn).__name__}.")
    return figure


def render(figure: Figure, *, salt: str, narrow: bool = False) -> RenderedFigure:
    """Draw a figure as PNG, SVG and PDF without dates and with names that depend on `salt` alone.

    The narrow variant for phones is needed as SVG only. The letters of the PDF are those that ``COPA_NB_FONTS`` names.
    """
    from matplotlib import rc_context

    steady: dict[Any, Any] = {"svg.hashsalt": salt, "svg.fonttype": "path", "pdf.fonttype": 42, "ps.fonttype": 42}
    one_of("COPA_NB_FONTS", letters := os.environ.get("COPA_NB_FONTS", FONTS[0]), FONTS)
    written: dict[str, bytes] = dict.fromkeys(_NO_DATES, b"")
    if letters == "serif" and not narrow:
        # First: a figure keeps the layout of what was drawn last.
        with rc_context(steady | _SERIF_LETTERS), _lettered(figure), _laid_out(figure) as serif_area:
            written["pdf"] = _saved(figure, "pdf", serif_area)
    with rc_context(steady), _lettered(figure) as missing, _laid_out(figure) as area:
        for kind in ("svg",) if narrow else _NO_DATES:
            written[kind] = written[kind] or _saved(figure, kind, area)
    return RenderedFigure(
        png=written["png"],
        svg=written["svg"],
        pdf=written["pdf"],
        width=round(area.width * 96),
        height=round(area.height * 96),
        area=area,
        missing=missing,
    )


def with_title(png: bytes, title: str, source: str) -> bytes:
    """Return a picture with a title above and its source below, for where neither page nor caption is beside it."""
    import textwrap

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    image = imread(io.BytesIO(png))
    height, width = image.shape[:2]
    lines = textwrap.wrap(title, max(20, width // _TITLE_LETTER))
    top, bottom = _TITLE_LINE * len(lines) + _BAND * bool(lines), _BAND + _TITLE_LINE // 2
    figure = Figure((width / SCREEN_DPI, (height + top + bottom) / SCREEN_DPI), dpi=SCREEN_DPI, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    figure.figimage(image, 0, bottom)
    words: dict[str, Any] = {"x": _BAND / width, "ha": "left", "parse_math": False}
    edge = _BAND / 2 / (height + top + bottom)
    figure.text(y=1 - edge, s="\n".join(lines), va="top", size=11, weight="bold", **words)
    figure.text(y=edge, s=source, va="bottom", size=7.5, color="0.35", **words)
    target = io.BytesIO()
    with _lettered(figure):
        canvas.print_png(target, metadata=_NO_DATES["png"])
    return target.getvalue()


def _saved(figure: Figure, kind: str, area: Bbox) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format=kind, dpi=SCREEN_DPI, bbox_inches=area, metadata=_NO_DATES[kind])
    return target.getvalue()


@contextmanager
def _lettered(figure: Figure) -> Iterator[str]:
    """Write a figure for a while in all fonts that its letters need; yield the letters that no installed font has."""
    from matplotlib import rcParams
    from matplotlib.font_manager import fontManager
    from matplotlib.text import Text

    texts: dict[Any, Any] = {text: text.get_fontfamily() for text in figure.findobj(Text)}
    shown = {letter for text in texts for letter in text.get_text() if category(letter) not in _NEVER_SHOWN}
    families = [name for name in rcParams["font.sans-serif"] if name in fontManager.get_font_names()]
    missing = frozenset(map(ord, shown)) - _letters_in(families[0])
    if missing:
        families += _fonts_with(missing.difference(*map(_letters_in, families)))
        missing = missing.difference(*map(_letters_in, families))
        for text in texts:
            text.set_fontfamily(families)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")  # once for each; the page says so
        try:
            yield "".join(map(chr, sorted(missing)))
        finally:
            for text, family in texts.items():
                text.set_fontfamily(family)


@cache
def _letters_in(family: str) -> frozenset[int]:
    """Return the code points that an installed font has."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family=[family]))).get_charmap())


@cache
def _fonts_with(letters: frozenset[int]) -> tuple[str, ...]:
    """Return installed fonts, as few as can be, that have those of these letters that any of them has."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    if not letters:
        return ()
    for path in set(findSystemFonts()) - {font.fname for font in fontManager.ttflist}:
        with suppress(OSError, RuntimeError):  # a file that is no font that matplotlib reads
            fontManager.addfont(path)
    # Sans serif ones first; of one font for Chinese, Japanese and Korean, the letters of the mainland.
    upright = {font.name for font in fontManager.ttflist if font.style == "normal" and font.weight in _REGULAR}
    found = []
    for name in sorted(upright, key=lambda name: ("Sans" not in name, not name.endswith("SC"), name)):
        if not name.startswith(_BOXES) and letters & _letters_in(name):
            found.append(name)
            letters -= _letters_in(name)
    return tuple(found)


def drawn_figures(figure: object) -> Iterator[tuple[bool, Figure]]:
    """Yield what was drawn, with whether it is the narrow variant, and close it afterwards.

    A function is called twice, in the style of reports: for the page, then for a phone.
    """
    import matplotlib.pyplot as plt

    if not callable(figure):
        drawn = figure_of(figure)
        yield False, drawn
        plt.close(drawn)
        return
    for narrow in (False, True):
        with report_style(narrow=narrow):
            drawn = figure_of(figure())
            yield narrow, drawn
            plt.close(drawn)


def points_of(figure: Figure, area: Bbox, data: pd.DataFrame | None = None) -> dict[str, Any]:
    """Return the positions and values of the marks of a figure, which a page shows under the pointer.

    Parameters
    ----------
    figure : Figure
        As it was rendered.
    area : Bbox
        The part shown, in inches.
    data : DataFrame, optional
        The numbers drawn: a point whose two values are in one row is called by the label of that row.

    Returns
    -------
    dict
        ``axes`` : the labels of both axes of every panel; ``points`` : per mark its distances from the left and the top
        in thousandths of the figure, its panel, its name, and both its values as text.
    """
    name = _namer(data)
    axes: list[list[str]] = []
    points: list[list[Any]] = []
    for panel in figure.axes:
        found = _points_in(panel, area, name)
        if found:
            points += [[*place, len(axes), *words] for place, words in found]
            axes.append([_plain_label(panel.get_xlabel()), _plain_label(panel.get_ylabel())])
    # The named ones first, should there be too many.
    return {"axes": axes, "points": sorted(points, key=lambda point: not point[3])[:_MOST_POINTS]}


def _points_in(ax: Axes, area: Bbox, namer: Callable[[float, float], str]) -> list[tuple[list[int], list[str]]]:
    from matplotlib.lines import Line2D

    if not ax.get_visible() or ax.name != "rectilinear":
        return []
    found, at_x, at_y = [], _tick_names(ax.xaxis), _tick_names(ax.yaxis)

    def places(values: np.ndarray, transform: Transform) -> np.ndarray:
        inches = transform.transform(values) / figure_of(ax).dpi
        return np.column_stack([(inches[:, 0] - area.x0) / area.width, 1 - (inches[:, 1] - area.y0) / area.height])

    marks: list[Any] = [*ax.texts, *ax.lines]
    for artist in marks:
        if tip := tip_of(artist):
            on_it = _along(np.asarray(artist.get_xydata())) if isinstance(artist, Line2D) else [artist.get_position()]
            words = [*tip, "", ""][:3]
            found += [([*map(_thousandths, place)], words) for place in places(np.array(on_it), artist.get_transform())]
    for values in _series(ax):
        for (x, y), place in zip(values.tolist(), places(values, ax.transData), strict=True):
            name = namer(x, y)
            if (
                (name or len(values) <= _LARGEST_CLOUD)
                and np.isfinite(place).all()
                and ((place > 0) & (place < 1)).all()
            ):
                found.append(
                    ([*map(_thousandths, place)], [name, at_x.get(x) or number(x, 3), at_y.get(y) or number(y, 3)])
                )
    return found


def _thousandths(share: float) -> int:
    return round(float(share) * 1000)


def _along(path: np.ndarray) -> list[np.ndarray]:
    """Return the middles of the parts of a line, and for a straight one places along it."""
    parts = np.linspace(path[0], path[-1], 5) if len(path) == 2 else path
    return list((parts[1:] + parts[:-1]) / 2)


def _series(ax: Axes) -> Iterator[np.ndarray]:
    """Yield the places of the marks of every scatter, line with markers and bar chart, in units of the axes."""
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer

    for collection in ax.collections:
        if isinstance(collection, PathCollection) and collection.get_offset_transform() == ax.transData:
            yield np.ma.filled(np.ma.asarray(collection.get_offsets(), dtype=float), np.nan)
    for line in ax.lines:
        if line.get_marker() not in ("", " ", "None", None) and line.get_transform() == ax.transData:
            yield np.asarray(line.get_xydata(), dtype=float)
    for container in ax.containers:
        if isinstance(container, BarContainer):
            ends = [_end_of_bar(bar, container.orientation) for bar in container.patches]
            if ends:
                yield np.array(ends, dtype=float)


def _end_of_bar(bar: Any, orientation: str | None) -> tuple[float, float]:
    if orientation == "horizontal":
        return bar.get_x() + bar.get_width(), bar.get_y() + bar.get_height() / 2
    return bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()


def _namer(data: pd.DataFrame | None) -> Callable[[float, float], str]:
    """Return a function that calls a point by the label of the first row with both its values, if there is one."""
    labels = [] if data is None else _row_labels(data)
    rows: dict[float, set[int]] = {}
    if data is not None and labels:
        for _, values in data.items():
            for row, value in enumerate(values.tolist() if values.dtype.kind in "if" else ()):
                rows.setdefault(value, set()).add(row)
    nowhere: set[int] = set()

    def name(x: float, y: float) -> str:
        both = rows.get(x, nowhere) & rows.get(y, nowhere)
        return labels[min(both)] if both else ""

    return name


def _row_labels(data: pd.DataFrame) -> list[str]:
    """Return what rows are called: by their index, or by the first column of text where that only counts them."""
    if not isinstance(data.index, pd.RangeIndex) or data.index.name is not None:
        return [label(name) for name in data.index]
    texts = [values for _, values in data.items() if values.dtype.kind not in "ifub"]
    return texts[0].astype(str).tolist() if texts else []


def _tick_names(axis: Axis) -> dict[float, str]:
    """Return the names at the ticks of an axis, if they are names rather than numbers or mathematics."""
    from matplotlib.cbook import is_math_text

    places = np.asarray(axis.get_majorticklocs())  # a list on an axis of categories
    texts = [text.get_text() for text in axis.get_majorticklabels()]
    named = zip(places.tolist(), texts, strict=False)
    return {
        place: _plain_label(text) for place, text in named if re.search(r"[^\W\d_]", text) and not is_math_text(text)
    }


def _plain_label(text: str) -> str:
    """Drop the arrow of a direction, line breaks, and the backslash that keeps a dollar sign from being mathematics."""
    return re.sub(r"\s+", " ", re.sub("[↑↓]", "", text)).strip().replace(r"\$", "$")


def _write_large_numbers(figure: Figure) -> bool:
    """Write 2M where an axis has 2 and, in a corner, 1e6; return whether one had."""
    from matplotlib.ticker import EngFormatter, ScalarFormatter

    found = False
    for axis in (axis for ax in figure.axes if ax.name == "rectilinear" for axis in (ax.xaxis, ax.yaxis)):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter) and re.fullmatch(r".*1e\d+", axis.get_offset_text().get_text()):
            axis.set_major_formatter(EngFormatter(sep=""))
            found = True
    return found


def missing_glyphs(characters: Iterable[str]) -> str:
    """Say which characters of labels are drawn as boxes, and how to fix that.

    Examples
    --------
    >>> missing_glyphs("文中").split(":")[0]
    'No font that matplotlib finds here has 中文'
    """
    shown = sorted(characters)
    return (
        f"No font that matplotlib finds here has {''.join(shown[:20])}{'…' if len(shown) > 20 else ''}: figures show "
        "boxes instead, while tables are correct. Install a font such as Noto Sans CJK and rerun the report."
    )


@contextmanager
def _laid_out(figure: Figure) -> Iterator[Bbox]:
    """Lay out a figure once for all formats, as on the screen, and yield its tight bounding box in inches.

    ``savefig`` alone would draw every format twice, the first time only to find the same positions again: also where
    the engine is a placeholder, so there is none meanwhile.
    """
    from matplotlib import rc_context

    dpi, engine = figure.dpi, figure.get_layout_engine()
    figure.set_dpi(SCREEN_DPI)
    lay_out(figure)
    if _write_large_numbers(figure):
        lay_out(figure)
    area = figure.get_tightbbox().padded(_MARGIN_INCHES)
    # ``savefig`` puts back the engine that it found: for none, the one that the style asks for.
    with rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        figure.set_dpi(dpi)
        try:
            yield area
        finally:
            if engine is not None:
                figure.set_layout_engine(engine)
