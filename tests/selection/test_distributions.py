"""Distributions of objectives, pairs of them, and the agreement of criteria, as they are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.colors import to_hex
from scipy.stats import kendalltau

import copa_nb
from copa_nb import datasets
from copa_nb.selection.plots.distributions import plot_agreement, plot_ecdf, plot_ecdf_figure, plot_pairs
from tests import asked

WAYS = {"accuracy": "max", "cost": "min"}


@pytest.fixture
def models():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"accuracy": rng.random(30).round(1), "cost": rng.exponential(size=30), "kind": list("abc") * 10}
    )
    return table.set_axis([f"model {row}" for row in range(30)])


def _star(ax):
    (star,) = (points for points in ax.collections if len(points.get_offsets()) == 1)
    return star.get_offsets().data[0]


@pytest.mark.parametrize("name", WAYS)
def test_the_star_is_at_the_value_and_rank_of_the_choice_on_the_curve(models, name):
    choice = models.moo(WAYS).copa(weights={"cost": 0.8})
    ax = plot_ecdf(choice, x=name)
    value, share = _star(ax)
    row = models.loc[choice.best, name]
    better = models[name] > row if WAYS[name] == "max" else models[name] < row
    assert value == row
    assert share == better.mean() == choice.table.loc[choice.best, f"u_{name}"]
    x, y = ax.lines[0].get_xydata().T
    steps = y[x == row]
    assert np.isclose(steps, share).any() or (y[x < row].max(initial=0) == pytest.approx(share))


def test_every_value_of_the_curve_is_the_share_of_better_rows(models):
    x, y = plot_ecdf(models, x="accuracy", objectives=WAYS).lines[0].get_xydata().T
    for value in models["accuracy"].unique():
        assert y[x == value].min() == pytest.approx((models["accuracy"] > value).mean())


def test_infinite_values_count_and_are_out_of_sight(models):
    models.loc["model 4", "cost"] = np.inf
    ax = plot_ecdf(models, x="cost", objectives=WAYS)
    x, y = ax.lines[0].get_xydata().T
    assert y[x <= ax.get_xlim()[1]].max() == pytest.approx(29 / 30)


@pytest.mark.parametrize("value", [0.0, 5e-324, -5e-324, 1e-308, 1e300])
def test_one_value_of_any_size_has_an_axis_around_it(value):
    one = pd.DataFrame({"accuracy": [value]}, index=["only"])
    low, high = plot_ecdf(one, x="accuracy", objectives={"accuracy": "max"}).get_xlim()
    assert low < value < high


def test_a_frozen_population_is_what_is_drawn(models):
    frozen = copa_nb.Reference.fit(models.iloc[:20], objectives=WAYS)
    choice = models.iloc[20:].moo(WAYS).copa(reference=frozen)
    ax = plot_ecdf(choice, x="cost")
    value, share = _star(ax)
    assert share == (models["cost"].iloc[:20] < value).mean()


def test_a_panel_for_each_objective_says_place_and_weight(models):
    choice = models.moo(WAYS).copa(weights={"cost": 0.75})
    figure = plot_ecdf_figure(choice, highlight=["model 7"])
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
    ranks = choice.table.loc[choice.best, ["u_accuracy", "u_cost"]] * 30 + 1
    assert [title.split()[0].rstrip("stndrh") for title in titles] == [f"{rank:.0f}" for rank in ranks]
    assert [title.split()[-1] for title in titles] == ["25%", "75%"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [choice.best, "model 7"]


def test_pairs_show_every_row_and_count_the_front(models):
    choice = models.assign(ms=range(30)).moo({**WAYS, "ms": "min"}).copa()
    figure = plot_pairs(choice)
    below = [ax for ax in figure.axes if len(ax.collections) == 2]
    assert len(below) == 3
    for ax in below:
        rows, star = (points.get_offsets().data for points in ax.collections)
        assert len(rows) == 30
        assert (rows == star[0]).all(axis=1).any()
    counted = figure.legends[0].get_texts()[0].get_text()
    assert counted == f"on the front ({len(asked.front(choice.inputs.frame, objectives=choice.objectives))})"
    on_diagonal = [sum(bar.get_height() for bar in ax.patches) for ax in figure.axes if ax.patches]
    assert on_diagonal == [30, 30, 30]


def test_pairs_take_hue_and_palette_as_seaborn_does(models):
    figure = plot_pairs(models, objectives=WAYS, hue="kind", palette="colorblind")
    handles = figure.legends[0].legend_handles
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c", "on the front"]
    colors = [to_hex(handle.get_color()) for handle in handles[:3]]
    assert colors == sns.color_palette("colorblind", 3).as_hex()
    with pytest.raises(ValueError, match=r"`hue` is 'cost', which has 30 values; at most 12"):
        plot_pairs(models, objectives=WAYS, hue="cost")
    with pytest.raises(ValueError, match="no row has finite values"):
        plot_pairs(models.assign(cost=np.inf), objectives=WAYS)
    with pytest.raises(ValueError, match="`show` is"):
        plot_pairs(models, objectives=WAYS, show=["cost"])


def test_cells_hold_kendalls_tau():
    comparison = datasets.load_domainbed().moo.copa().criteria(["mean", "minmax", 1, "inf"])
    ax = plot_agreement(comparison)
    found = [float(text.get_text()) for text in ax.texts]
    ranks = comparison.ranks.to_numpy()
    expected = [kendalltau(ranks[:, i], ranks[:, j]).statistic for i in range(4) for j in range(i + 1)]
    np.testing.assert_allclose(found, expected, atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [
        lambda choice: plot_ecdf(choice).figure,
        plot_ecdf_figure,
        plot_pairs,
        lambda choice: choice.plot().figure,
    ],
)
def test_a_theme_of_seaborn_sets_colors_and_ground(models, draw):
    choice = models.moo(WAYS).copa()
    with plt.rc_context():
        sns.set_theme(style="darkgrid", palette=["#123456", "#654321"])
        figure = draw(choice)
        figure.draw_without_rendering()
        drawn = _colors(figure)
    assert {"#123456", "#654321"} & drawn
    assert to_hex(figure.axes[0].get_facecolor()) == "#eaeaf2"


def _colors(figure):
    found = set()
    for ax in figure.axes:
        found |= {to_hex(line.get_color()) for line in ax.lines} | {to_hex(bar.get_facecolor()) for bar in ax.patches}
        found |= {to_hex(color) for points in ax.collections for color in points.get_facecolors()}
        found |= {to_hex(color) for lines in ax.collections for color in lines.get_edgecolors()}
    return found
