"""Figures as files: PNG for the screen, SVG and PDF for print, the same bytes for the same figure."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

SCREEN_DPI = 192  # two device pixels per CSS pixel: sharp on common screens
_MARGIN_INCHES = 0.04
_NO_GLYPH = re.compile(r"Glyph (\d+) .* missing from font")
_NO_DATES = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class RenderedFigure:
    """One figure in three formats, its size in CSS pixels, and the characters that no installed font has."""

    png: bytes
    svg: bytes
    pdf: bytes
    width: int
    height: int
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


def render(figure: Figure, *, salt: str) -> RenderedFigure:
    """Draw a figure as PNG, SVG and PDF without dates and with names that depend on `salt` alone."""
    from matplotlib import rc_context

    steady: dict[Any, Any] = {"svg.hashsalt": salt, "svg.fonttype": "path", "pdf.fonttype": 42, "ps.fonttype": 42}
    written = {}
    with rc_context(steady), _listing_missing() as missing, _laid_out(figure) as area:
        for kind, metadata in _NO_DATES.items():
            target = io.BytesIO()
            figure.savefig(target, format=kind, dpi=SCREEN_DPI, bbox_inches=area, metadata=metadata)
            written[kind] = target.getvalue()
    width, height = _png_size(written["png"])
    scale = SCREEN_DPI / 96
    return RenderedFigure(
        **written, width=round(width / scale), height=round(height / scale), missing="".join(sorted(missing))
    )


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
        "boxes in their place, tables do not. Install a font that has them, e.g. Noto Sans CJK, and rerun the report."
    )


@contextmanager
def _listing_missing() -> Iterator[set[str]]:
    """Collect the characters that no installed font has, for which matplotlib would warn one by one."""
    missing: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield missing
    for warning in caught:
        if glyph := _NO_GLYPH.match(str(warning.message)):
            missing.add(chr(int(glyph[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@contextmanager
def _laid_out(figure: Figure) -> Iterator[Bbox]:
    """Lay out a figure once for all formats, as on the screen, and yield its tight bounding box in inches.

    ``savefig`` alone would draw every format twice, the first time only to find the same positions again.
    """
    dpi, engine = figure.dpi, figure.get_layout_engine()
    figure.set_dpi(SCREEN_DPI)
    figure.draw_without_rendering()
    area = figure.get_tightbbox().padded(_MARGIN_INCHES)
    if engine is not None:
        figure.set_layout_engine("none")
    figure.set_dpi(dpi)
    try:
        yield area
    finally:
        if engine is not None:
            figure.set_layout_engine(engine)


def _png_size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
