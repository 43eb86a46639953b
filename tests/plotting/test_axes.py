"""Legends and labels of axes stand where nothing else does."""

import matplotlib.pyplot as plt
import pytest

from copa_nb import plots
from copa_nb.plotting.axes import write_upright_or_turned


@pytest.mark.parametrize("narrow", [False, True])
def test_a_legend_stands_beside_the_axes_or_below_their_labels(narrow):
    with plots.report_style(narrow=narrow):
        figure, ax = plots.panels(height=2.5)
        ax.plot([0, 1], label="a line")
        ax.set_xlabel("what is on the axis")
        legend = plots.outer_legend(ax)
        figure.draw_without_rendering()
        box, axes = legend.get_window_extent(), ax.get_window_extent()
        if narrow:
            assert box.y1 < ax.xaxis.label.get_window_extent().y0
        else:
            assert box.x0 > axes.x1


def test_a_legend_below_has_as_many_columns_as_fit():
    with plots.report_style():
        for words, columns in ((4, 3), (40, 1)):
            figure, ax = plots.panels(height=2.5)
            for _ in range(3):
                ax.plot([0, 1], label="w " * words)
            legend = plots.outer_legend(ax, columns=3, beside=False)
            figure.draw_without_rendering()
            assert legend.get_window_extent().y1 < ax.get_window_extent().y0
            assert legend.get_window_extent().x1 <= figure.bbox.width
            tops = {round(text.get_window_extent().y0) for text in legend.get_texts()}
            assert len(tops) == 3 // columns
            plt.close(figure)


def test_names_that_would_run_into_one_another_are_turned():
    for names, turned in ((["a", "b", "c"], 0), (["a name of some length"] * 3, 30)):
        figure, ax = plt.subplots(figsize=(3, 2), layout="constrained")
        ax.set_xlim(0, 2)
        write_upright_or_turned(ax, [0, 1, 2], names)
        assert {tick.get_rotation() for tick in ax.get_xticklabels()} == {turned}
        plt.close(figure)
