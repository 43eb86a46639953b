"""What a figure draws, as JSON data: every artist in order, with its looks, its coordinates and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex, to_rgba, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.text import Annotation, Text

from copa_nb.plotting.keys import key_of

# Longer arrays are stored as a few sums.
_LONGEST = 60
_DIGITS = 7
_UNNAMED = re.compile(r"_(child|nolegend_|container|hidden)")
_NOTHING = ("None", "none", " ", "", None)


@contextmanager
def plain_places() -> Iterator[None]:
    """Have all letters be equally wide and axes stay where they are.

    Else where labels stand would hang on the release of FreeType, and layouts would take most of the time.
    """

    def measure(renderer: Any, words: str, font: Any, ismath: Any) -> tuple[float, float, float]:
        size = renderer.points_to_pixels(font.get_size_in_points())
        return 0.6 * size * len(words), size, 0.25 * size

    with (
        patch.object(RendererAgg, "get_text_width_height_descent", measure),
        patch.object(ConstrainedLayoutEngine, "execute", lambda *_: None),
    ):
        yield


def figure_as_data(figure: Figure) -> dict[str, Any]:
    """Describe a figure that is not drawn."""
    for ax in figure.axes:
        ax.apply_aspect()
    others = [part for part in figure.get_children() if not isinstance(part, Axes) and part is not figure.patch]
    return {
        "size": numbers(figure.get_size_inches()),
        "background": colours(figure.get_facecolor()),
        "axes": [_axes(ax) for ax in figure.axes],
        "artists": [_artist(part) for part in others if _says_something(part)],
    }


def numbers(values: Any) -> Any:
    """Return numbers as nested lists; of very many the shape, and sums that tell where the large ones stand."""
    values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    if values.size <= _LONGEST:
        return _rounded(values.tolist())
    flat = values.ravel()
    places = np.flatnonzero(np.isfinite(flat))
    kept = flat[places]
    return {
        "shape": list(values.shape),
        "finite": len(kept),
        "sums": _rounded([kept.mean(), (kept * (places + 1) / len(flat)).mean(), (kept**2).mean()]),
        "ends": _rounded([kept.min(), kept.max(), kept[0], kept[-1]]),
    }


def colours(given: Any) -> Any:
    """Return colours as hex, with their opacity where they have one; one only where all are the same."""
    if isinstance(given, str | tuple):
        return _hex(np.array(to_rgba(given)))
    rgba = to_rgba_array(given)
    if len(rgba) and (rgba == rgba[0]).all():
        return _hex(rgba[0])
    return [_hex(row) for row in rgba] if len(rgba) <= _LONGEST // 2 else numbers(rgba)


def _hex(rgba: np.ndarray) -> str:
    return str(to_hex(rgba, keep_alpha=rgba[3] < 1))


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.{_DIGITS}g}")


def _axes(ax: Axes) -> dict[str, Any]:
    frame = {ax.xaxis, ax.yaxis, ax.patch, *ax.spines.values()}
    told = {
        "place": numbers(ax.get_window_extent().extents),
        "limits": [numbers(ax.get_xlim()), numbers(ax.get_ylim())],
        "aspect": [str(ax.get_aspect()), ax.get_adjustable(), ax.get_anchor()],
        "background": colours(ax.get_facecolor()),
        "below": str(ax.get_axisbelow()),
        "artists": [_artist(part) for part in ax.get_children() if part not in frame and _says_something(part)],
    }
    if hasattr(ax, "_colorbar_info"):
        told["bar"] = {name: ax._colorbar_info[name] for name in ("location", "shrink", "aspect", "pad")}
    if not ax.axison:
        return told
    return told | {
        "spines": {side: _patch(spine) for side, spine in ax.spines.items() if spine.get_visible()},
        "x": _axis(ax.xaxis),
        "y": _axis(ax.yaxis),
    }


def _axis(axis: Any) -> dict[str, Any]:
    if not axis.get_visible():
        return {"hidden": True}
    axis.get_ticklabels()  # which says what stands at the ticks
    scale = {name: value for name, value in vars(axis.get_transform()).items() if isinstance(value, int | float)}
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    major, minor = (
        [tick for tick in ticks if low - room <= tick.get_loc() <= high + room]
        for ticks in (
            axis.get_major_ticks(len(axis.get_majorticklocs())), axis.get_minor_ticks(len(axis.get_minorticklocs()))
        )
    )  # fmt: skip
    looks = [[how, len(list(ticks))] for how, ticks in groupby(map(_tick, major))]
    told = {
        "scale": [axis.get_scale(), {name: _rounded(value) for name, value in scale.items() if name[0] != "_"}],
        "ticks": [[_rounded(tick.get_loc()), tick.label1.get_text()] for tick in major],
        "looks": looks,
        "minor": [numbers([tick.get_loc() for tick in minor]), [tick.label1.get_text() for tick in minor if
                  tick.label1.get_text()]],
    }  # fmt: skip
    offset = axis.get_major_formatter().get_offset()
    told |= {"offset": offset} if offset else {}
    return told | ({"label": _text(axis.label)} if _says_something(axis.label) else {})


def _tick(tick: Any) -> dict[str, Any]:
    label, grid, mark = tick.label1, tick.gridline, tick.tick1line
    told: dict[str, Any] = {
        "pad": _rounded(tick.get_pad()),
        "labelled": [label.get_visible(), tick.label2.get_visible()],
    }
    if label.get_visible():
        told["label"] = _letters(label)
    if mark.get_visible():
        told["mark"] = [_rounded(mark.get_markersize()), colours(mark.get_markeredgecolor())]
    if grid.get_visible():
        told["grid"] = _line(grid)
    return told


def _says_something(artist: Artist) -> bool:
    if isinstance(artist, Text):
        return artist.get_visible() and bool(artist.get_text() or getattr(artist, "arrow_patch", None))
    return True


def _artist(artist: Any) -> dict[str, Any]:
    """Describe what all artists have, then what those of its kind have."""
    told: dict[str, Any] = {"type": type(artist).__name__, "z": _rounded(artist.get_zorder())}
    if not artist.get_visible():
        return told | {"hidden": True}
    label = str(artist.get_label() or "")
    if label and not _UNNAMED.match(label) and not isinstance(artist, Legend):
        # What starts with an underscore is said under the pointer.
        told["named"] = label
    if artist.get_alpha() is not None:
        told["alpha"] = numbers(artist.get_alpha())
    if artist.get_rasterized():
        told["rasterized"] = True
    told["clipped"] = bool(artist.get_clip_on())
    told["in"] = _coordinates(artist, artist.get_transform() if not isinstance(artist, Patch) else
                              artist.get_data_transform())  # fmt: skip
    for kind, describe in _KINDS:
        if isinstance(artist, kind):
            return told | describe(artist)
    raise TypeError(f"a {type(artist).__name__} is not understood; describe it in tests/snapshot/drawn.py.")


def _coordinates(artist: Artist, transform: Any) -> str:
    ax: Any = artist.axes
    if ax is not None:
        known = {
            "data": ax.transData, "axes": ax.transAxes, "x-axis": ax.get_xaxis_transform(),
            "y-axis": ax.get_yaxis_transform(),
        }  # fmt: skip
        for name, one in known.items():
            if transform is one or transform == one:
                return name
    figure: Any = artist.get_figure(root=True)
    return "figure" if figure is not None and transform == figure.transFigure else "other"


def _line(line: Line2D) -> dict[str, Any]:
    told: dict[str, Any] = {"data": numbers(np.ma.asarray(line.get_xydata()).T)}
    if line.get_linestyle() not in _NOTHING:
        dashes = _dashes(line._dash_pattern)  # type: ignore[attr-defined]
        told |= {"line": colours(line.get_color()), "width": _rounded(line.get_linewidth()), "dashes": dashes,
                 "steps": line.get_drawstyle()}  # fmt: skip
    if line.get_marker() not in _NOTHING:
        told |= {
            "marker": str(line.get_marker()), "size": _rounded(line.get_markersize()),
            "face": colours(line.get_markerfacecolor()), "edge": colours(line.get_markeredgecolor()),
            "edge width": _rounded(line.get_markeredgewidth()),
        }  # fmt: skip
    return told


def _dashes(pattern: Any) -> Any:
    offset, dashes = pattern
    return [_rounded(offset), *numbers(dashes)] if dashes is not None else "solid"


def _collection(drawn: Any) -> dict[str, Any]:
    drawn.update_scalarmappable()
    paths = drawn.get_paths()
    told = {
        "paths": [len(paths), numbers(np.concatenate([path.vertices for path in paths]) if len(paths) else [])],
        "face": colours(drawn.get_facecolor()),
        "edge": colours(drawn.get_edgecolor()),
        "widths": numbers(np.unique(drawn.get_linewidth())),
        "dashes": [_dashes(pattern) for pattern in drawn.get_linestyle()][:3],
    }
    offsets = drawn.get_offsets()
    if np.any(offsets):
        told |= {"at": numbers(offsets), "placed in": _coordinates(drawn, drawn.get_offset_transform())}
    if hasattr(drawn, "get_sizes"):
        sizes = drawn.get_sizes()
        told["sizes"] = numbers(sizes if len(set(sizes)) > 1 else sizes[:1])
    for name in ("hatch", "hatches"):
        if getattr(drawn, name, None) and any(getattr(drawn, name)):
            told[name] = str(getattr(drawn, name))
    if drawn.get_array() is not None:
        told |= _mapped(drawn)
    if isinstance(drawn, QuadMesh):
        told["corners"] = numbers(drawn.get_coordinates())
    return told


def _mapped(drawn: Any) -> dict[str, Any]:
    some = drawn.get_cmap()(np.linspace(0, 1, 5))
    return {"values": numbers(drawn.get_array()), "map": colours(some), "range": numbers(drawn.get_clim())}


def _image(image: Any) -> dict[str, Any]:
    told = {"extent": numbers(image.get_extent()), "origin": image.origin, "between": image.get_interpolation()}
    return told | _mapped(image)


def _patch(drawn: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "face": colours(drawn.get_facecolor()), "edge": colours(drawn.get_edgecolor()),
        "width": _rounded(drawn.get_linewidth()), "dashes": _dashes(drawn._dash_pattern), "hatch": drawn.get_hatch(),
    }  # fmt: skip
    if isinstance(drawn, FancyArrowPatch):
        style = drawn.get_arrowstyle()
        return told | {
            "arrow": [type(style).__name__, _plain(vars(style))], "shrunk": numbers([drawn.shrinkA, drawn.shrinkB]),
            "scale": _rounded(drawn.get_mutation_scale()), "connected": type(drawn.get_connectionstyle()).__name__,
        }  # fmt: skip
    if isinstance(drawn, FancyBboxPatch):
        style = drawn.get_boxstyle()
        return told | {"box": [type(style).__name__, _plain(vars(style))]}
    path = drawn.get_path()
    moved = drawn.get_patch_transform().transform_path(path)
    codes = "".join(map(str, path.codes)) if path.codes is not None and len(path.codes) <= _LONGEST else ""
    return told | {"path": numbers(moved.vertices), "codes": codes}


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {name: _rounded(value) for name, value in options.items() if isinstance(value, int | float)}


def _letters(text: Text) -> dict[str, Any]:
    return {
        "size": _rounded(text.get_fontsize()), "weight": str(text.get_fontweight()), "style": text.get_fontstyle(),
        "colour": colours(text.get_color()), "turned": [_rounded(text.get_rotation()), text.get_rotation_mode()],
        "aligned": [text.get_horizontalalignment(), text.get_verticalalignment(), text._get_multialignment()],  # type: ignore[attr-defined]
    }  # fmt: skip


def _text(text: Text) -> dict[str, Any]:
    told: dict[str, Any] = {"words": text.get_text(), **_letters(text), "position": numbers(text.get_position())}
    if text.get_text():
        # How large it is follows from its words and their size.
        told["place"] = numbers(text.get_window_extent().min)
    box = text.get_bbox_patch()
    if box is not None:
        told["box"] = _artist(box)
    halo = [vars(effect)["_gc"] for effect in text.get_path_effects() if vars(effect).get("_gc")]
    if halo:
        told["halo"] = [[str(part.get("foreground")), part.get("linewidth")] for part in halo]
    if isinstance(text, Annotation):
        told |= {"names": numbers(text.xy), "in": [str(text.xycoords), str(text.anncoords)],
                 "everywhere": str(text.get_annotation_clip())}  # fmt: skip
        if text.arrow_patch is not None:
            told["arrow"] = _artist(text.arrow_patch)
    return told


def _legend(legend: Legend) -> dict[str, Any]:
    figure: Any = legend.get_figure(root=True)
    legend.draw(figure.canvas.get_renderer())  # which puts its entries into their places
    told: dict[str, Any] = {
        "place": numbers(legend.get_window_extent().extents),
        "columns": legend._ncols,  # type: ignore[attr-defined]
        "entries": [_text(text) for text in legend.get_texts()],
        "marks": [_artist(mark) for mark in legend.legend_handles if mark is not None],
        "key": {number: str(name) for number, name in key_of(legend).items()},
    }
    if legend.get_title().get_text():
        told["title"] = _text(legend.get_title())
    if legend.get_frame_on():
        told["frame"] = [colours(legend.get_frame().get_facecolor()), colours(legend.get_frame().get_edgecolor())]
    return told


_KINDS: tuple[tuple[type, Any], ...] = (
    (Line2D, _line),
    (Collection, _collection),
    (Patch, _patch),
    (Text, _text),
    (AxesImage, _image),
    (Legend, _legend),
)
