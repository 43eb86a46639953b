"""Figures that show several results: one panel each, described by what the results hold."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb.papers.gap import figures as paper_figures
from copa_nb.plotting.pictures import picture_of
from tests import asked

NAMES = ("A", "B")


def _runs(seed=0, n=12):
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(rng.random((4 * n, 4)), columns=["val_p", "val_r", "test_p", "test_r"])
    return scores.assign(model=np.repeat(NAMES, 2 * n), seed=np.tile(np.repeat([1, 2], n), 2))


def _gaps(**options):
    objectives = {"p": "max", "r": "max"}
    return asked.gap(_runs(), objectives=objectives, reference={"p": 0, "r": 0}, by="model", **options)


def _compared(gaps):
    return next(iter(gaps.compare().values()))


def _titles(figure):
    return [ax.get_title() for ax in figure.axes]


@pytest.mark.parametrize(
    ("draw", "titles"),
    [
        (paper_figures.draw_ways_of_reporting, ["over-estimation", "leakage", "two honest fronts"]),
        (paper_figures.draw_validation_to_test, ["validation", "validation → test", "test"]),
    ],
)
def test_one_front_in_three_panels(draw, titles):
    one = _gaps()["A"]
    assert _titles(draw(one)) == titles
    assert f"{len(one.dominated)} of {len(one.validation_front)} chosen" in picture_of(draw, one).finding


def test_dropped_points_are_crossed_out():
    one = _gaps()["A"]
    left = paper_figures.draw_ways_of_reporting(one).axes[0]
    (crosses,) = [drawn for drawn in left.collections if "dropped" in str(drawn.get_label())]
    assert crosses.get_offsets().tolist() == one.table.loc[one.dominated, ["test p", "test r"]].to_numpy().tolist()


def test_each_shift_has_a_panel_with_its_labels():
    results = {"first": _gaps()["A"], "second": _gaps()["B"]}
    figure = paper_figures.draw_shifts(results)
    assert _titles(figure) == list(results)
    for ax, result in zip(figure.axes, results.values(), strict=True):
        assert {str(label) for label in result.table.index} <= {text.get_text() for text in ax.texts}
    assert picture_of(paper_figures.draw_shifts, results).data.index.unique("panel").tolist() == list(results)


def test_two_methods_and_both():
    comparison = _compared(_gaps())
    assert _titles(paper_figures.draw_two_methods(comparison)) == ["A", "B", "both on test"]
    assert len(picture_of(paper_figures.draw_two_methods, comparison).data) == sum(
        len(g.table) for g in comparison.gaps
    )


def test_verdicts_by_kind_of_repetition():
    compared = _compared(_gaps(repeat="seed"))
    figure = paper_figures.draw_verdicts({"splits": compared, "again": compared})
    assert _titles(figure) == ["splits", "again"]
    silent = compared.table.loc["hypervolume", "no statement"]
    picture = picture_of(paper_figures.draw_verdicts, {"splits": compared})
    assert f"{100 * silent:.0f}% of the splits" in picture.finding


def test_printed_numbers_stand_at_their_budgets():
    measures = ["validation", "pessimistic", "optimistic", "gap"]
    rows = pd.MultiIndex.from_product([NAMES, [50, 100], measures], names=["model", "evaluations", "measure"])
    compared = pd.DataFrame({"printed": np.arange(16) / 16}, index=rows)
    compared = compared.assign(difference=0.0, smallest=0, largest=1, **{"authors' search": compared["printed"]})
    figure = paper_figures.draw_printed_numbers(compared)
    assert _titles(figure) == ["validation", "pessimistic, on test", "optimistic, on test", "gap"]
    drawn = {line.get_label(): line.get_ydata().tolist() for line in figure.axes[0].lines}
    assert drawn["A, printed"] == [0, 4 / 16]
    assert "gives 16 of the 16 printed numbers" in picture_of(paper_figures.draw_printed_numbers, compared).finding
    compared["difference"] = 1.0
    assert picture_of(paper_figures.draw_printed_numbers, compared).finding == "The printed numbers and those found"


def test_gaps_by_data_set_show_every_search():
    runs = pd.concat([_runs(seed).assign(data=f"data {seed}") for seed in range(3)])
    gaps = asked.gap(
        runs, objectives={"p": "max", "r": "max"}, reference={"p": 0, "r": 0}, by=["data", "model"], repeat="seed"
    )
    ax = paper_figures.plot_gaps_by_data(gaps, ax=plt.subplots()[1])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["data 0", "data 1", "data 2"]
    dots = {line.get_label(): line for line in ax.lines if line.get_label() in NAMES}
    for model in NAMES:
        expected = [gaps[f"data {k}", model].table["gap"].to_numpy() for k in range(3)]
        np.testing.assert_allclose(dots[model].get_xdata(), np.concatenate(expected))
        assert np.round(dots[model].get_ydata()).tolist() == [0, 0, 1, 1, 2, 2]
    positive = sum((one.table["gap"] > 0).sum() for one in gaps.values())
    assert f"in {positive} of 12 searches" in picture_of(paper_figures.plot_gaps_by_data, gaps).finding
