"""A few plots are compared with pictures that were looked at: what other tests do not name is seen here.

Releases of matplotlib bring other releases of FreeType, which set letters a pixel to the side and color their
edges otherwise; lines, markers and areas stay as they are. Hence two limits: a tight one, and one near letters.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from scipy.ndimage import binary_dilation, uniform_filter

from tests.plots.pictures import BASELINE, PICTURES, RENEW, draw

SHIFT = 2  # pixels that letters may move
AWAY, NEAR = 20.0, 75.0  # differences allowed, of 255, as means over three by three pixels


def _unmatched(picture, other):
    """How far each pixel is from the most similar one of `other` nearby."""
    padded = np.pad(other.astype(int), ((SHIFT, SHIFT), (SHIFT, SHIFT), (0, 0)), mode="edge")
    rows, columns = np.nonzero((picture != other).any(axis=2))
    steps = range(2 * SHIFT + 1)
    nearby = (padded[rows + i, columns + j] for i in steps for j in steps)
    difference = np.zeros(picture.shape[:2])
    difference[rows, columns] = np.min([np.abs(picture[rows, columns] - one).max(axis=1) for one in nearby], axis=0)
    return difference


def _excess(drawn, expected, letters):
    """By how much two pictures differ more than they may, pixel by pixel."""
    difference = np.maximum(_unmatched(drawn, expected), _unmatched(expected, drawn))
    near = binary_dilation(letters, iterations=SHIFT + 2)
    return uniform_filter(difference, 3) - np.where(near, NEAR, AWAY)


def _read(name):
    return np.round(255 * plt.imread(BASELINE / f"{name}.png")[..., :3]).astype(np.uint8)


def _hide_letters(ax):
    for text in ax.figure.findobj(Text):
        text.set_alpha(0)


@cache
def _drawn(name):
    """The picture as it is now, and where it has letters."""
    picture = draw(name)
    return picture, (picture != draw(name, _hide_letters)).any(axis=2)


@pytest.mark.parametrize("name", PICTURES)
def test_looks_as_it_did(name, tmp_path):
    (drawn, letters), expected = _drawn(name), _read(name)
    assert drawn.shape == expected.shape
    excess = _excess(drawn, expected, letters)
    if excess.max() > 0:
        marked = np.where(excess[..., None] > 0, [204, 0, 0], 255 - (255 - drawn) // 4).astype(np.uint8)
        shown = tmp_path / f"{name}.png"
        plt.imsave(shown, np.hstack([expected, drawn, marked]))
        row, column = np.unravel_index(excess.argmax(), excess.shape)
        pytest.fail(
            f"the plot differs from tests/plots/baseline/{name}.png, most at row {row}, column {column}. Expected,"
            f" drawn and where they differ: {shown}. If it is meant to look so now, renew the pictures with"
            f" `{RENEW}` and look at them."
        )
