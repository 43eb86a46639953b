"""Heads of arrows, at every scale of the Axes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.path import Path

from copa_nb.plotting.arrows import SlightHead


def head_of(length, size=9.0):
    """Extent of the head along a level arrow of a length in pixels."""
    paths, _ = SlightHead()(Path([(0.0, 0.0), (length / 2, 0.0), (length, 0.0)], [1, 3, 3]), size, 0.0)
    return max(float(np.ptp(path.vertices[:3, 0])) for path in paths[1:])


@pytest.mark.parametrize("length", [1.0, 3.0, 8.0, 40.0, 400.0])
def test_a_head_takes_at_most_two_fifths_of_its_arrow(length):
    assert head_of(length) <= 0.4 * length + 1e-9


def test_a_short_arrow_can_be_drawn():
    figure, ax = plt.subplots()
    ax.annotate("", (0.5, 0.5), (0.5, 0.5), arrowprops={"arrowstyle": SlightHead()})
    figure.draw_without_rendering()
