"""Figures as files: PNG for the screen, SVG and PDF for print, the same bytes for the same figure."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCREEN_DPI = 192  # two device pixels per CSS pixel: sharp on common screens
_NO_DATES = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class RenderedFigure:
    """One figure in three formats, and its size in CSS pixels."""

    png: bytes
    svg: bytes
    pdf: bytes
    width: int
    height: int


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

    steady: dict[Any, Any] = {
        "svg.hashsalt": salt,
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
    }
    written = {}
    with rc_context(steady):
        for kind, metadata in _NO_DATES.items():
            target = io.BytesIO()
            figure.savefig(target, format=kind, dpi=SCREEN_DPI, bbox_inches="tight", pad_inches=0.04, metadata=metadata)
            written[kind] = target.getvalue()
    width, height = _png_size(written["png"])
    scale = SCREEN_DPI / 96
    return RenderedFigure(**written, width=round(width / scale), height=round(height / scale))


def _png_size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
