"""Pictures of COPA's figures: what stands in them, and the words that describe them."""

import pandas as pd
import pytest

from copa_nb.papers.copa import figures
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import report_style
from tests import asked


def _models():
    models = pd.DataFrame(
        {"accuracy": [0.9, 0.85, 0.7, 0.4], "violation": [0.3, 0.2, 0.1, 0.4]}, index=["a", "b", "c", "dominated"]
    )
    return models.moo.define(accuracy="max", violation="min")


def _texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_scaled_performance_and_ccdf_share_their_rows():
    results = pd.DataFrame(
        {"task": [1, 1, 1, 2, 2], "tool": ["good", "bad", "base", "good", "base"], "auc": [0.9, 0.1, 0.8, 0.9, 0.8]}
    )
    mean_ranks = asked.mean_ranks(results.moo(auc="max"), system="tool", item="task", baseline="base")
    left, right = figures.plot_scaled_and_ranked(mean_ranks, of="hard tasks").axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["good", "base", "bad"]
    assert left.get_ylim() == right.get_ylim()
    assert left.get_xlim() == (-0.5, 1.0)
    picture = picture_of(figures.plot_scaled_and_ranked, mean_ranks, of="hard tasks")
    # 0.1 is seven times as far below the baseline as the best is above it.
    assert picture.finding == "good comes first on 2 hard tasks; 1 scaled results are out of view, but no CCDF is"
    assert "bad has results on 1 of the 2" in picture.caption
    assert len(picture.data.dropna()) == 5


def test_sliders_name_each_middle_choice_above_its_panel():
    path = _models().moo.copa().navigate("violation")
    figure = figures.plot_sliders({("made", "ranks"): path, ("made", "again"): path})
    assert [[text.get_text() for text in ax.texts] for ax in figure.axes[:2]] == [
        [letter, f"★ {path.at(0.5)}"] for letter in "ab"
    ]
    selected = f"{path.n_distinct} selected"
    assert [ax.get_title() for ax in figure.axes[:2]] == [f"made\nranks: {selected}", f"made\nagain: {selected}"]
    picture = picture_of(figures.plot_sliders, {("made", "ranks"): path})
    assert "50" in picture.finding
    assert {"data", "normalization", "importance"} <= set(picture.data)


def test_kinds_of_tasks_are_dots_in_one_row_for_each_system():
    kinds = {}
    for kind, bad in (("easy", 0.5), ("hard", 0.95)):
        rows = {"task": [1, 1, 2, 2], "tool": ["good", "bad"] * 2, "auc": [0.9, 0.1, 0.9, bad]}
        kinds[kind] = asked.mean_ranks(pd.DataFrame(rows).moo(auc="max"), system="tool", item="task")
    figure = figures.plot_by_kind(kinds)
    ax = figure.axes[0]
    systems = [tick.get_text() for tick in ax.get_yticklabels()]
    for line, (kind, one) in zip(ax.lines, kinds.items(), strict=True):
        assert line.get_label() == f"{kind} (2 tasks)"
        assert line.get_xdata() == pytest.approx(one.table["mean"][systems].to_numpy())
    assert systems == ["good", "bad"]
    words = picture_of(figures.plot_by_kind, kinds)
    assert words.finding.startswith(("good has the largest mean CCDF", "Largest mean CCDF: good (easy)"))


def test_a_cap_is_drawn_with_the_rows_above_it():
    models = _models()
    path = models.moo.copa(where=models["violation"] <= 0.2).navigate("violation")
    ax = figures.plot_sliders({"made": path}, cap=0.2).axes[0]
    assert ax.get_title() == "made: 2 selected\n2 of 4 allowed"
    (hollow,) = [drawn for drawn in ax.collections if drawn.get_label().startswith("not allowed")]
    assert sorted(hollow.get_offsets()[:, 1].tolist()) == [0.3, 0.4]
    assert "still stops at 2 rows (made)" in picture_of(figures.plot_sliders, {"made": path}, cap=0.2).finding


def test_stabilities_are_drawn_below_each_other():
    choice = _models().moo.copa()
    results = {"one": choice.stability(n_resamples=30), "two": choice.stability(n_resamples=30, rng=1)}
    figure = figures.plot_stabilities(results)
    assert [ax.get_title() for ax in figure.axes] == ["one", "two"]
    picture = picture_of(figures.plot_stabilities, results)
    assert "30 resamples of the population" in picture.caption
    assert set(picture.data["objectives"]) == {"one", "two"}


def test_first_places_have_a_legend_of_criteria():
    comparison = _models().moo.copa().criteria(["accuracy", "violation", "inf"])
    figure = figures.plot_first_places(comparison, names={"accuracy": "the most accurate"})
    assert _texts(figure)[-3:] == ["the most accurate: a", "violation: c", "p = ∞: b"]
    (stars,) = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
    assert stars.get_label() == "p = ∞: b"
    picture = picture_of(figures.plot_first_places, comparison)
    assert picture.finding == "3 criteria put 3 different rows first, with accuracy from 0.7 to 0.9"


SIMULATED = pd.DataFrame(
    {"N": [10, 10, 100, 100], "u": [0.1, 0.5] * 2, "bias": [0.01, 0.0, 0.0, 0.0], "bias_error": 0.01,
     "variance": [0.0099, 0.025, 0.0009, 0.0025], "exact variance": [0.009, 0.025, 0.0009, 0.0025]}
)  # fmt: skip
# Of five optimal rows, two come first with p = 1 and three with p = ∞.
TIMES_FIRST = pd.DataFrame({"1": [6, 4, 0, 0, 0], "inf": [3, 4, 3, 0, 0]}, index=list("abcde"))
PATHS = pd.concat(
    [pd.DataFrame({"p": p, "weights": where, "α": [0.0, 0.1, 0.5, 0.9, 1.0], "y₁": 0.0, "y₂": 0.0, "place": place})
     for p, where, place in [("1", "inside", [0, 0, 0.5, 1, 1]), ("1", "outside", [0, 0, 0.5, 1, 1]),
                             ("∞", "inside", [0, 0.1, 0.5, 0.9, 1]), ("∞", "outside", [0, 0.5, 0.5, 0.5, 1])]]
)  # fmt: skip


@pytest.mark.parametrize("narrow", [False, True])
def test_variance_is_drawn_times_the_size(narrow):
    with report_style(narrow=narrow):
        figure = figures.plot_rank_precision(SIMULATED)
    scaled, by_size, _ = figure.axes
    drawn = {line.get_label(): line.get_ydata() for line in scaled.get_lines()}
    assert drawn["N = 10"] == pytest.approx([0.099, 0.25])
    assert {"u = 0.1", "u = 0.5"} <= {text.get_text() for text in by_size.texts}
    lines = [line.get_ydata() for line in by_size.get_lines() if line.get_marker() == "None"]
    assert [list(line) for line in lines] == [[0.009, 0.0009], [0.025, 0.0025]], "ranks that are there, once each"
    assert picture_of(figures.plot_rank_precision, SIMULATED).finding.startswith("The variance is 1.00 to 1.10 times")


def test_rays_start_at_the_ideal_corner_and_stars_are_what_is_selected():
    path = _models().moo.copa(p="inf").navigate("violation")
    columns = {"u1": [0.5, 0.25, 0, 0.75], "1 - u2": [1, 0.75, 0.5, 0.25], "front": [True, True, True, False]}
    ranks = pd.DataFrame(columns, index=path.frame.index)
    ax = figures.plot_ranks_and_rays(path, ranks, at=[0.25, 0.8])
    rays = [line for line in ax.get_lines() if line.get_linestyle() == ":"]
    for ray, importance in zip(rays, [0.25, 0.8], strict=True):
        (u1, better) = ray.get_xdata(), 1 - ray.get_ydata()
        assert (u1[0], better[0]) == (0, 0)
        assert importance * u1[1] == pytest.approx((1 - importance) * better[1])
        assert max(u1[1], better[1]) <= 1
    (stars,) = [line.get_xydata().tolist() for line in ax.get_lines() if line.get_marker() == "*"]
    assert stars == [ranks.loc[path.at(a), ["u1", "1 - u2"]].tolist() for a in (0.25, 0.8)]
    picture = picture_of(figures.plot_ranks_and_rays, path, ranks=ranks, at=[0.25, 0.5, 0.8])
    assert f"u₁ = {ranks.loc[path.at(0.5), 'u1']:.2f}" in picture.finding


def test_reach_counts_the_rows_that_come_first():
    ax = figures.plot_reach(TIMES_FIRST, n_weights=10)
    first, second = ax.get_lines()
    assert first.get_ydata() == pytest.approx([60, 40])
    assert second.get_ydata() == pytest.approx([40, 30, 30])
    finding = picture_of(figures.plot_reach, TIMES_FIRST, n_weights=10).finding
    assert finding == "The larger p, the more models the same weights reach: 2 with p = 1 and 3 with p = ∞"
    turned = picture_of(figures.plot_reach, TIMES_FIRST[["inf", "1"]], n_weights=10).finding
    assert turned.startswith("How many models")


def test_places_of_weights_stand_in_two_panels():
    figure = figures.plot_place_of_weights(PATHS)
    inside, outside = figure.axes
    assert inside.get_title().startswith("inside")
    assert outside.get_lines()[-1].get_ydata() == pytest.approx([0, 0.5, 0.5, 0.5, 1])
    finding = picture_of(figures.plot_place_of_weights, PATHS).finding
    assert "100% at p = 1 and 0% at p = ∞; with weights inside, 100% at p = 1 and 80% at p = ∞" in finding
