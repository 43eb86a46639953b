"""What breaks the drawing standard in a figure; run as a program, in all figures that reports draw.

``python -m tests.drawing copa/figure_4 --out folder`` makes the report in `folder`, where its figures can be looked at.

The standard: text of 8 points or more at the printed size, in a contrast of 4.5 or more, never cut inside a word, on
other text or on data; axes that end where values end; one look per name; counts in legends that are those drawn;
ternary plots with ticks; equal bins; axes with names that say more than "result"; lines that touch no box but their
own; no hatches; no objective's arrow on an axis of ranks or costs; heads of arrows shorter than their shafts.
"""

import argparse
import contextlib
import functools
import math
import os
import re
import tempfile
import warnings
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import nbformat
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.container import BarContainer
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from copa_nb.plotting.style import PAGE_WIDTH, PHONE_WIDTH, SMALLEST_LETTERS
from copa_nb.reports import figures
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import find
from copa_nb.reports.jobs import make_job
from copa_nb.reports.payloads import FIGURE, emit, payloads
from copa_nb.reports.record import FOR_NOTEBOOKS_ONLY

# What kernels tell of a figure: its name and its faults.
FAULTS = "application/x-drawing-faults+json"
CONTRAST = 4.5
# Inches: two figures of this height, with their words, fit on a page.
TALLEST_IN_PRINT = 104 / 25.4
DPI = 100
# A pixel counts as data where it stands out from what is behind the text by this contrast.
VISIBLE = 1.8
# Share of the pixels behind a text that may be data: none is meant, but corners of boxes are not letters. White
# around letters keeps them readable in a crowd of points, where no place is free.
COVERED, COVERED_WITH_HALO = 0.015, 0.3
BOUNDED = re.compile(r"\b(precision|recall|shares?|power|probability|accuracy|AUC)\b|^p\b")
# Names that say nothing about what an axis shows.
EMPTY = {"result", "results", "statistic", "value", "values"}
RANKED = re.compile(r"0 is best|best on top|rows that are")
WORDS = {r"\bCO2\b": "CO₂", r"[Oo]ptimis(e|ation|ing)": "optimiz"}


def faults(figure, *, printed=PAGE_WIDTH, tallest=TALLEST_IN_PRINT):
    """Say in one line each what breaks the standard; `printed` is the width of the page in inches."""
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    drawn = _drawn_texts(figure, canvas)
    area = figure.get_tightbbox()
    scale = min(1.0, printed / (area.width or printed))
    with _without_letters(drawn):
        behind = _pixels(canvas)
    with _without_letters(drawn, plain_boxes=True):
        beneath = _pixels(canvas)
    found = ["is taller than half a page of print"] if area.height > tallest else []
    small = [text for text in drawn if text.get_fontsize() * scale < SMALLEST_LETTERS - 0.05]
    if small:
        least = min(small, key=Text.get_fontsize)
        found.append(
            f"{len(small)} texts are too small in print, {least.get_text()!r} {least.get_fontsize() * scale:.1f} pt"
        )
    for text in drawn:
        words = text.get_text()
        if re.search(r"[^\W_]…|…[^\W_]", words):
            found.append(f"{words!r} is cut inside a word")
        found += [f"{words!r} should say {better!r}" for wrong, better in WORDS.items() if re.search(wrong, words)]
        found += _on_its_ground(text, behind, beneath)
        if text.get_clip_on() and not _inside(_extent(text), text.get_clip_box()):
            found.append(f"{words!r} is cut off by the axes")
    found += [
        f"{first.get_text()!r} overlaps {second.get_text()!r}"
        for first, second in combinations(drawn, 2)
        if _overlap(_extent(first), _extent(second)) and not _apart(first, second)
    ]
    for ax in figure.axes:
        if ax.get_visible():
            found += [*_limits(ax), *_names(ax, drawn), *_ternary(ax, drawn), *_boxes(ax, drawn), *_counts(ax)]
            found += [*_empty_names(ax), *_contrary_arrows(ax, drawn), *_hatches(ax), *_heads(ax)]
    return [*dict.fromkeys([*found, *_bins(figure), *_same_look(figure)])]


def colors(figure):
    """Return the color of everything that has a name: the entries of legends and the labels of what is drawn."""
    found = {}
    handles = [pair for owner in [*figure.axes, figure] for pair in _entries(owner)]
    for ax in figure.axes:
        handles += list(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    for name, handle in handles:
        if (color := _colour(handle)) is not None:
            found.setdefault(re.sub(r" \([\d,]+\)$", "", name), color)
    return found


def examined(render, tell):
    """Return `render` so that it first tells the name of a figure and what breaks the standard in it.

    What has a name keeps its color over all figures that are rendered so.
    """
    first_looks = {}

    @functools.wraps(render)
    def examine(figure, *, salt, narrow=False):
        dpi, layout = figure.dpi, figure.get_layout_engine()
        page = {"printed": PHONE_WIDTH, "tallest": math.inf} if narrow else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = faults(figure, **page)
        for name, color in colors(figure).items():
            first, where = first_looks.setdefault(name, (color, salt))
            if first != color:
                found.append(f"{name!r} is {color} here and {first} in {where!r}")
        tell(salt, found)
        figure.set_dpi(dpi)
        figure.set_layout_engine(layout or "none")
        return render(figure, salt=salt, narrow=narrow)

    return examine


def tell_faults():
    """Let this kernel put the faults of a figure into its notebook, before the figure; pages leave them out."""

    def tell(name, found):
        emit({"name": name, "faults": found}, kind=FAULTS, metadata=FOR_NOTEBOOKS_ONLY, text="; ".join(found))

    figures.render = examined(figures.render, tell)


@contextlib.contextmanager
def examined_reports():
    """Let the kernels that start meanwhile examine the figures of their reports."""
    with tempfile.TemporaryDirectory() as settings:
        startup = Path(settings, "profile_default", "startup")
        startup.mkdir(parents=True)
        lines = "from tests.drawing import tell_faults\n\ntell_faults()\n"
        (startup / "examine.py").write_text(lines, encoding="utf-8")
        path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
        with patch.dict(os.environ, IPYTHONDIR=settings, PYTHONPATH=path):
            yield


def faults_of_report(path):
    """Return what breaks the standard in the figures of an executed notebook, by figure; each was examined."""
    notebook = nbformat.read(path, as_version=4)
    told = {examined["name"]: examined["faults"] for examined in payloads(notebook, FAULTS)}
    drawn = {figure["name"] for figure in payloads(notebook, FIGURE)}
    assert drawn <= set(told), f"{path}: {drawn - set(told)} were not examined"
    return told


def _drawn_texts(figure, canvas):
    """The texts that are drawn: unlike ``findobj``, without ticks out of view."""
    drawn = []
    draw = Text.draw

    def note(text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip() and (text.get_alpha() is None or text.get_alpha() > 0):
            drawn.append(text)
        return draw(text, renderer, *args, **kwargs)

    canvas.draw()  # layouts settle
    with patch.object(Text, "draw", note):
        canvas.draw()
    figure.set_layout_engine("none")
    return list(dict.fromkeys(drawn))


@contextlib.contextmanager
def _without_letters(drawn, *, plain_boxes=False):
    """Hide letters; with `plain_boxes` also the boxes that have no edge, which only hide what lies below."""
    hidden = [text.get_bbox_patch() for text in drawn if plain_boxes and text.get_bbox_patch() and not _has_edge(text)]
    kept = [(text, text.get_alpha(), text.get_path_effects()) for text in drawn]
    for text in drawn:
        text.set_alpha(0)
        text.set_path_effects([])
    for box in hidden:
        box.set_visible(False)
    yield
    for text, alpha, effects in kept:
        text.set_alpha(alpha)
        text.set_path_effects(effects)
    for box in hidden:
        box.set_visible(True)


def _pixels(canvas):
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(float) / 255


def _luminance(color):
    linear = np.where(
        np.asarray(color) <= 0.04045, np.asarray(color) / 12.92, ((np.asarray(color) + 0.055) / 1.055) ** 2.4
    )
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(first, second):
    """Contrast of two colors as the web's guidelines for accessibility define it, from 1 to 21."""
    bright, dark = np.maximum(_luminance(first), _luminance(second)), np.minimum(_luminance(first), _luminance(second))
    return (bright + 0.05) / (dark + 0.05)


def _on_its_ground(text, behind, beneath):
    """Contrast with what lies behind the letters, and whether that is data."""
    box = _extent(text)
    rows, columns = len(behind), len(behind[0])
    low, high = max(0, int(rows - box.y1) + 1), min(rows, int(rows - box.y0))
    left, right = max(0, int(box.x0) + 1), min(columns, int(box.x1))
    if high <= low or right <= left:
        return []
    halo = next((effect for effect in text.get_path_effects() or [] if isinstance(effect, withStroke)), None)
    found = []
    ground, stands_out = _ground(behind[low:high, left:right])
    stands_out = max(stands_out, _ground(beneath[low:high, left:right])[1])
    if halo is not None:
        ground = np.array(to_rgb(halo._gc.get("foreground", "white")))
    *color, opacity = to_rgba(text.get_color(), text.get_alpha())
    seen = opacity * np.array(color) + (1 - opacity) * ground
    if (value := contrast(seen, ground)) < CONTRAST:
        found.append(f"{text.get_text()!r} has a contrast of {value:.1f}")
    if stands_out > (COVERED if halo is None else COVERED_WITH_HALO):
        found.append(f"{text.get_text()!r} lies on data: {stands_out:.0%} of what is behind it")
    return found


def _ground(pixels):
    """The most frequent color, and the share of pixels that stand out from it."""
    flat = pixels.reshape(-1, 3)
    _, number, counts = np.unique(np.round(flat * 32), axis=0, return_inverse=True, return_counts=True)
    ground = flat[number.ravel() == counts.argmax()].mean(axis=0)
    return ground, float((contrast(flat, ground) > VISIBLE).mean())


def _extent(text):
    return Text.get_window_extent(text)


def _inside(box, clip):
    return clip is None or (
        clip.x0 - 1 <= box.x0 and clip.y0 - 1 <= box.y0 and box.x1 <= clip.x1 + 1 and box.y1 <= clip.y1 + 1
    )


def _overlap(first, second):
    """Tell whether letters overlap: boxes also hold the room above and below them."""
    wide = min(first.x1, second.x1) - max(first.x0, second.x0)
    high = min(first.y1, second.y1) - max(first.y0, second.y0)
    return wide > 1.5 and high > 0.25 * min(first.height, second.height)


def _apart(first, second):
    """Tell whether two texts turned alike run beside each other, though their boxes cross."""
    turn = np.deg2rad(first.get_rotation())
    if turn == 0 or first.get_rotation() != second.get_rotation() or first.get_rotation_mode() != "anchor":
        return False
    (x, y), (other_x, other_y) = (text.get_transform().transform(text.get_position()) for text in (first, second))
    between = abs((other_x - x) * np.sin(turn) - (other_y - y) * np.cos(turn))
    return between >= 0.9 * max(first.get_fontsize(), second.get_fontsize()) * first.get_figure(root=True).dpi / 72


def _limits(ax):
    if ax.axison and not hasattr(ax, "_colorbar") and (wide := ax.get_window_extent().width / DPI) < 1:
        yield f"axes of {wide:.1f} inches are too narrow to read"
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        words = axis.get_label().get_text()
        low, high = sorted(axis.get_view_interval())
        is_share = BOUNDED.search(words) and "difference" not in words and "%" not in words
        if is_share and (1 + 1e-9 < high <= 1.5 or -0.5 <= low < -1e-9):
            yield f"{name} axis {words!r} goes from {low:.3g} to {high:.3g}, its values from 0 to 1"


def _names(ax, drawn):
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        words = axis.get_label().get_text()
        if re.search(r"\w_\w", words):
            yield f"{name} axis is called {words!r}, like a column"
        ticks = [text.get_text() for text in axis.get_ticklabels() if text in drawn]
        numeric = ticks and all(re.fullmatch(r"[−\d.,\s]+", tick) for tick in ticks)
        above = ax.figure.get_supxlabel() if name == "x" else ax.figure.get_supylabel()
        shared = ax.get_shared_x_axes() if name == "x" else ax.get_shared_y_axes()
        called = any(getattr(other, f"get_{name}label")() for other in shared.get_siblings(ax))
        if numeric and not called and not above:
            yield f"{name} axis has numbers {ticks[:3]} and no name"


def _ternary(ax, drawn):
    """A triangle without axes has its numbers beside it."""
    if ax.axison:
        return
    corners = [np.unique(np.round(patch.get_path().vertices, 9), axis=0) for patch in ax.patches]
    corners += [np.unique(np.round(line.get_xydata(), 9), axis=0) for line in ax.lines]
    numbers = [text for text in drawn if text.axes is ax and re.fullmatch(r"[\d.]+( ?%)?", text.get_text())]
    closed = any(len(points) == 3 and np.ptp(points, axis=0).min() > 0.5 * np.ptp(ax.get_xlim()) for points in corners)
    if closed and len(numbers) < 6:
        yield "a ternary plot has no ticks"


def _has_edge(text):
    box = text.get_bbox_patch()
    return box is not None and box.get_linewidth() > 0 and to_rgba(box.get_edgecolor())[3] > 0


def _boxes(ax, drawn):
    """Lines of a diagram end at boxes and touch no other."""
    boxed = [(text, text.get_bbox_patch().get_window_extent()) for text in drawn if text.axes is ax and _has_edge(text)]
    for line in ax.lines if len(boxed) > 1 else ():
        path = line.get_transform().transform(line.get_xydata())
        steps = max(2, int(np.hypot(*np.diff(path, axis=0).T).sum()))
        places = np.linspace(0, len(path) - 1, steps)
        way = np.column_stack([np.interp(places, np.arange(len(path)), values) for values in path.T])
        for text, box in boxed:
            inside = (way > [box.x0 + 1, box.y0 + 1]).all(axis=1) & (way < [box.x1 - 1, box.y1 - 1]).all(axis=1)
            if inside.any() and not (inside[0] or inside[-1]):
                yield f"a line that is not of {text.get_text()!r} touches its box"


def _entries(owner):
    legends = [owner.get_legend()] if hasattr(owner, "get_legend") else owner.legends
    for legend in filter(None, legends):
        yield from zip((text.get_text() for text in legend.get_texts()), legend.legend_handles, strict=True)


def _counts(ax):
    for collection in ax.collections:
        stated = re.search(r" \(([\d,]+)\)$", str(collection.get_label()))
        if isinstance(collection, PathCollection) and stated:
            count = int(np.isfinite(np.ma.filled(collection.get_offsets(), np.nan)).all(axis=1).sum())
            if count != int(stated[1].replace(",", "")):
                yield f"{collection.get_label()!r} stands for {count} points"


def _empty_names(ax):
    for words in (ax.get_xlabel(), ax.get_ylabel()):
        if re.sub(r"[↑↓←→\W]", "", words).casefold() in EMPTY:
            yield f"an axis is only called {words!r}"


def _contrary_arrows(ax, drawn):
    """Arrows of objectives next to an axis on which 0 is best, or the best is on top, whatever the objective."""
    if not any(RANKED.search(words) for words in (ax.get_xlabel(), ax.get_ylabel())):
        return
    legend = ax.get_legend().get_texts() if ax.get_legend() else []
    for text in [*ax.get_xticklabels(), *ax.get_yticklabels(), *legend]:
        if text in drawn and re.search("[↑↓]", text.get_text()):
            yield f"{text.get_text()!r} has an arrow on an axis of ranks or costs"


def _hatches(ax):
    if any(patch.get_hatch() for patch in ax.findobj(Patch)):
        yield "has hatches, which shimmer on screens"


def _heads(ax):
    """Arrows whose head takes more than half of them."""
    of_texts = [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    for arrow in [*of_texts, *ax.findobj(FancyArrowPatch)]:
        shaft, *heads = [path.vertices for path in arrow._get_path_in_displaycoord()[0]]
        length = np.hypot(*(shaft[-1] - shaft[0]))
        # Of the shortest there is nothing to see but the width of the line.
        if heads and length > 4 and max(np.ptp(head[:3], axis=0).max() for head in heads) > 0.75 * length:
            yield "has an arrow that is mostly head"


def _bins(figure):
    widths = {}
    for ax in figure.axes:
        for bars in ax.containers:
            if isinstance(bars, BarContainer) and len(bars) >= 8 and bars.orientation == "vertical":
                widths.setdefault(ax.get_xlabel(), []).append(np.median([bar.get_width() for bar in bars]))
    for words, found in widths.items():
        if words and max(found) > 1.01 * min(found):
            yield f"bars over {words!r} have widths from {min(found):.3g} to {max(found):.3g}"


def _same_look(figure):
    for owner in [*figure.axes, figure]:
        looks = {}
        for name, handle in _entries(owner):
            look = (
                _colour(handle),
                *(str(getattr(handle, f"get_{part}", lambda: "")()) for part in ("marker", "linestyle", "hatch")),
            )
            look += (len(handle.get_paths()[0]),) if isinstance(handle, PathCollection) else ()
            if look[0] is not None and (other := looks.setdefault(look, name)) != name:
                yield f"{name!r} looks like {other!r} in the legend"


def _colour(handle):
    """Color of a mark, None if it has none."""
    if isinstance(handle, tuple | list) and not hasattr(handle, "patches"):
        handle = handle[0] if len(handle) else None
    if hasattr(handle, "patches"):
        handle = handle.patches[0] if handle.patches else None
    if hasattr(handle, "get_array") and handle.get_array() is not None:
        return None  # its colors are values
    if hasattr(handle, "get_facecolor"):
        color = np.atleast_2d(handle.get_facecolor())
        if not len(color) or color[0][-1] == 0:
            color = np.atleast_2d(handle.get_edgecolor())
        return to_hex(color[0]) if len(color) else None
    if hasattr(handle, "get_color") and not isinstance(handle, Text):
        shown = handle.get_linestyle() not in ("None", "", " ") or handle.get_marker() not in ("None", "", " ", None)
        return to_hex(handle.get_color()) if shown else None
    return None


def main(arguments=None):
    """Make reports, and print what breaks the standard in each of their figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+", help="such as copa/figure_4")
    parser.add_argument("--out", type=Path, default=Path("reports"), help="folder for the reports, to look at")
    chosen = parser.parse_args(arguments)
    entries = [find(name) for name in chosen.reports]
    with examined_reports():
        outcomes = run_batch([make_job(entry) for entry in entries], chosen.out, force=True)
    for entry, outcome in zip(entries, outcomes, strict=True):
        if outcome.failure:
            raise SystemExit(f"{entry.name}: {outcome.failure}")
        for name, broken in faults_of_report(chosen.out / entry.name / "report.ipynb").items():
            print(f"{entry.name} {name}: {'; '.join(broken) or 'as it should be'}")


if __name__ == "__main__":
    main()
