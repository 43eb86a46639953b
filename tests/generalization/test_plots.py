"""Figures of the generalisation gap: what is drawn is what was measured."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import PathPatch

from copa_nb.generalization.plots.fronts import LAYERS
from copa_nb.generalization.plots.repeats import plot_gap_repeats_figure
from copa_nb.plotting.pictures import picture_of
from copa_nb.results.note import Note
from tests import asked

mpl.use("Agg")
OBJECTIVES = {"precision": "max", "recall": "max"}
ORIGIN = {"precision": 0.0, "recall": 0.0}


@pytest.fixture(autouse=True)
def _leave_no_trace():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before


@pytest.fixture
def runs():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.random((160, 4)), columns=["val_precision", "val_recall", "test_precision", "test_recall"])
    return table.assign(model=["x", "y"] * 80, seed=np.repeat([1, 2, 3, 4], 40))


def measure(table, objectives=OBJECTIVES, reference=ORIGIN, **options):
    return asked.gap(table, objectives=objectives, reference=reference, **options)


def area(patch):
    # Shoelace over each ring; the hole runs the other way round and subtracts itself.
    total = 0.0
    for ring in patch.get_path().to_polygons(closed_only=True):
        x, y = ring.T
        total += 0.5 * (np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    return abs(total)


def shaded(ax):
    return [patch for patch in ax.patches if isinstance(patch, PathPatch)]


@pytest.mark.parametrize("directions", [("max", "max"), ("min", "max"), ("max", "min"), ("min", "min")])
def test_shaded_area_is_the_gap(runs, directions):
    objectives = dict(zip(OBJECTIVES, directions, strict=True))
    reference = {name: 0.0 if direction == "max" else 1.0 for name, direction in objectives.items()}
    result = measure(runs, objectives, reference)
    assert result.gap > 0
    patches = shaded(result.plot(plt.figure().gca()))
    assert sum(area(patch) for patch in patches) == pytest.approx(result.gap)


def test_axes_and_legend_say_what_is_shown(runs):
    ax = measure(runs).plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("precision ↑", "recall ↑")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["approximation gap", "validation front", "optimistic front on test", "pessimistic front on test"]
    swapped = measure(runs).plot(plt.figure().gca(), x="recall", legend=False)
    assert swapped.get_xlabel() == "recall ↑"
    assert swapped.get_legend() is None


def test_axes_of_shares_go_from_0_to_1_and_are_square_where_there_is_no_width(runs):
    ax = measure(runs).plot(plt.figure().gca())
    assert (*ax.get_xlim(), *ax.get_ylim(), ax.get_box_aspect()) == (0, 1, 0, 1, None)
    assert measure(runs).plot(plt.figure(figsize=(3.7, 4)).gca()).get_box_aspect() == 1
    beyond = measure(runs, reference={"precision": -0.1, "recall": 0.0}).plot(plt.figure().gca())
    assert (*beyond.get_xlim(), *beyond.get_ylim()) == (0, 1, 0, 1)
    within = measure(runs, reference={"precision": 0.1, "recall": 0.0}).plot(plt.figure().gca())
    assert within.get_xlim() != (0, 1)
    larger = runs.assign(test_precision=2 * runs["test_precision"])
    assert measure(larger).plot(plt.figure().gca()).get_xlim()[1] > 1


def test_the_axis_fits_the_later_evaluations(runs):
    curves = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN).budgets([10])
    whole, later = (curves.plot(plt.figure().gca(), fit_from=n).get_ylim() for n in (1, 80))
    drawn = curves.curves.query("evaluations >= 80")[["validation", "pessimistic", "optimistic"]].to_numpy()
    assert whole[0] < later[0] < drawn.min()
    assert drawn.max() < later[1]
    with pytest.raises(ValueError, match="`fit_from` is 161, but the search has 160"):
        curves.plot(plt.figure().gca(), fit_from=161)


def test_one_arrow_per_row_that_moves(runs):
    runs.loc[:, "test_precision"], runs.loc[:, "test_recall"] = runs["val_precision"], runs["val_recall"]
    still = measure(runs)
    assert [t for t in still.plot(plt.figure().gca()).texts if t.arrow_patch is not None] == []
    moved = measure(runs.assign(test_recall=runs["val_recall"] * 0.9))
    arrows = [t for t in moved.plot(plt.figure().gca()).texts if t.arrow_patch is not None]
    assert len(arrows) == len(moved.validation_front)


def test_every_layer_can_be_drawn_alone(runs):
    result = measure(runs)
    for layer in LAYERS:
        ax = result.plot(plt.figure().gca(), show=[layer], legend=False)
        assert len(ax.lines) + len(ax.collections) + len(shaded(ax)) + len(ax.texts) > 0
    with pytest.raises(ValueError, match="`show` is 'arrow'"):
        result.plot(show=["arrow"])
    with pytest.raises(TypeError, match="give a list of layers"):
        result.plot(show="arrows")


def test_front_beyond_the_reference_point_has_points_but_no_area(runs):
    ax = measure(runs, reference={"precision": 1.0, "recall": 1.0}).plot()
    assert shaded(ax) == []
    assert all(line.get_linestyle() == "None" or len(line.get_xdata()) == 0 for line in ax.lines)


def test_three_objectives_are_projected_and_one_is_refused(runs):
    table = runs.assign(val_time=1.0, test_time=runs["test_recall"])
    result = measure(table, {**OBJECTIVES, "time": "min"}, {**ORIGIN, "time": 2})
    ax = result.plot(x="time")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time ↓", "precision ↑")
    assert shaded(ax) == []
    one = measure(runs, {"precision": "max"}, {"precision": 0})
    open_before = plt.get_fignums()
    assert isinstance(one.plot(), Note)
    assert plt.get_fignums() == open_before
    with pytest.raises(ValueError, match="needs two objectives"):
        one.plot(plt.figure().gca())


def test_comparison_shades_both_gaps(runs):
    by = measure(runs, by="model")
    result = by["x"].compare(by["y"], names=("x", "y"))
    ax = result.plot()
    assert [area(patch) for patch in shaded(ax)] == pytest.approx([by["x"].gap, by["y"].gap])
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["x, optimistic", "x, pessimistic", "y, optimistic", "y, pessimistic"]


def test_verdict_bars_have_the_shares(runs):
    by = measure(runs, by="model", repeat="seed")
    result = by["x"].compare(by["y"], names=("x", "y"))
    ax = result.plot()
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 3)
    np.testing.assert_allclose(widths, result.table.iloc[::-1].to_numpy().T)
    assert "4 repetitions" in ax.get_xlabel()


def test_budget_curves_end_at_the_table(runs):
    found = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN, by="model", repeat="seed").budgets([10, 20])
    ax = found.plot(marks=False)
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert lines["x, validation"][19] == pytest.approx(found.table[("x", 20)]["validation"])
    assert lines["y, test, pessimistic"][9] == pytest.approx(found.table[("y", 10)]["pessimistic"])
    assert len(found.plot(plt.figure().gca(), marks=True).lines) == len(ax.lines) + 2
    gaps = found.plot(plt.figure().gca(), quantity="gap", log=True, marks=False)
    assert {line.get_label() for line in gaps.lines} == {"x", "y"}
    assert len(gaps.collections) == 2
    assert gaps.get_xscale() == "log"
    alone = (
        asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN).budgets([10]).plot(plt.figure().gca(), quantity="gap")
    )
    assert len(alone.collections) == 0
    with pytest.raises(ValueError, match="`quantity` is 'gaps'"):
        found.plot(quantity="gaps")


def test_few_repetitions_are_dots_and_many_a_histogram(runs):
    few = measure(runs, repeat="seed")
    ax = few.plot()
    assert ax.collections[0].get_offsets()[:, 0].tolist() == few.table["gap"].tolist()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1", "2", "3", "4"]
    many = measure(runs.assign(seed=np.arange(160) // 3), repeat="seed")
    drawn = many.plot(plt.figure().gca(), quantity="hv_validation")
    assert sum(bar.get_height() for bar in drawn.patches[:-1]) == 54
    assert drawn.get_xlabel() == "validation hypervolume ↑"


def test_bins_and_color_are_those_asked_for(runs):
    many = measure(runs.assign(seed=np.arange(160) // 3), repeat="seed")
    edges = np.linspace(0, 1, 11)
    bars = many.plot(plt.figure().gca(), bins=edges, color="#009E73").patches[:10]
    assert [bar.get_x() for bar in bars] == pytest.approx(edges[:-1].tolist())
    assert {mpl.colors.to_hex(bar.get_facecolor()) for bar in bars} == {"#009e73"}


def test_the_interval_drawn_is_the_one_asked_for(runs):
    few = measure(runs, repeat="seed")
    for ratio in (0.0, 1 / 3):
        band = few.plot(plt.figure().gca(), resplit_ratio=ratio).patches[0]
        assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx(few.interval(resplit_ratio=ratio))


def test_shared_legend_names_every_label_once():
    from copa_nb.plotting.axes import shared_legend

    figure, axes = plt.subplots(1, 2, layout="constrained")
    axes[0].plot([0, 1], label="a")
    axes[1].plot([0, 1], label="a")
    axes[1].plot([1, 0], label="b")
    legend = shared_legend(axes, columns=2, title="t")
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    assert figure.legends == [legend]
    assert len(shared_legend(axes[1]).get_texts()) == 2
    for number in range(3):
        axes[0].plot([0, 1], label=f"a long name that needs a line of its own, number {number}")
    long = shared_legend(axes[0], columns=3)
    assert long.get_window_extent().width <= long.figure.bbox.width


def test_panels_of_repetitions_share_their_axis_and_their_bins(runs):
    # One run per model and seed: 80 seeds are drawn as histograms, 4 seeds as dots.
    repeats = measure(runs.assign(seed=np.repeat(range(80), 2)), by="model", repeat="seed")
    left, right = plot_gap_repeats_figure(repeats, quantity="hv_optimistic", resplit_ratio=0.5).axes
    assert left.get_xlim() == right.get_xlim()
    edges = [[bar.get_x() for bar in ax.containers[0]] for ax in (left, right)]
    assert edges[0] == edges[1]
    assert [sum(bar.get_height() for bar in ax.containers[0]) for ax in (left, right)] == [80, 80]
    few = plot_gap_repeats_figure(measure(runs, by="model", repeat="seed"))
    assert few.axes[0].get_ylabel() == "seed"


def test_resamples_are_described_by_the_value_of_the_test_set(runs):
    truth = np.arange(30) % 2
    predictions = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (160, 30)))
    found = asked.gap(runs, objectives=OBJECTIVES, reference=ORIGIN)
    forest = found.bootstrap(predictions, truth, n_resamples=20)
    picture = picture_of(plot_gap_repeats_figure, {"forest": forest})
    assert picture.finding == f"The approximation gap is {forest.estimate.gap:.3g} (forest)"
    assert "resample" in picture.caption
