"""What pages of own tables leave out: pictures of two marks, bars or one color, and tables of one row."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb.reports.worth_showing import is_worth_printing, says_nothing
from copa_nb.results.printed import PrintedTable

DRAWN = {
    "two marks": (lambda ax: ax.scatter([0, 1, 0], [1, 2, 1]), True),
    "three marks": (lambda ax: ax.scatter([0, 1, 2], [1, 2, 1]), False),
    "a line of two points": (lambda ax: ax.plot([0, 1], [1, 2]), True),
    "a curve": (lambda ax: ax.plot([0, 1, 2], [1, 2, 4]), False),
    "two spikes": (lambda ax: ax.hist([0.0, 0.0, 1.0, 1.0], bins=40), True),
    "a histogram": (lambda ax: ax.hist(np.arange(40.0), bins=10), False),
    "one color": (lambda ax: ax.imshow(np.ones((5, 5))), True),
    "several colors": (lambda ax: ax.imshow(np.eye(5)), False),
    "a map of one color": (lambda ax: ax.pcolormesh(np.ones((4, 4))), True),
    "two marks and a reference line": (lambda ax: [ax.scatter([0, 1], [1, 2]), ax.axvline(0.5)], True),
    "names in boxes": (
        lambda ax: [ax.text(x, 0.5, "a", bbox={"boxstyle": "round"}) for x in (0.1, 0.5, 0.9)], False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", DRAWN)
def test_a_figure_says_something_by_more_than_two_marks(kind):
    draw, nothing = DRAWN[kind]
    figure, ax = plt.subplots()
    draw(ax)
    assert says_nothing(figure) is nothing
    plt.close(figure)


def test_a_panel_that_says_nothing_may_stand_beside_one_that_does():
    figure, (left, right) = plt.subplots(1, 2)
    left.scatter([0, 1], [1, 2])
    right.scatter([0, 1, 2], [1, 2, 1])
    assert not says_nothing(figure)
    plt.close(figure)


@pytest.mark.parametrize(("rows", "printed"), [(0, False), (1, False), (2, True)])
def test_a_table_has_rows_to_compare(rows, printed):
    table = PrintedTable(frame=pd.DataFrame({"a": range(rows)}), name="t", caption="T.")
    assert is_worth_printing(table) is printed
