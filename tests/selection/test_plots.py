import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.markers import MarkerStyle

from copa_nb import plots
from copa_nb.papers.copa.paths import plot_paths, plot_sweep
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import GRAY
from copa_nb.selection.plots.decisions import plot_selection, plot_stability
from copa_nb.selection.plots.rankings import plot_bump
from tests import asked
from tests.drawing import contrast

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6, 0.5], "co2": [9.0, 3.0, 2.0, 1.0, 4.0], "ms": [5.0, 3.0, 4.0, 1.0, 2.0]},
    index=["large", "medium", "small", "tiny", "bad"],
)
VIEW = MODELS.moo(acc="max", co2="min")
THREE = MODELS.moo(acc="max", co2="min", ms="min")


@pytest.fixture(autouse=True)
def _style_stays():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before, "a plot changed global style"


DRAWN = {
    "front of a table": lambda ax: plots.plot_front(MODELS, objectives={"acc": "max", "co2": "min"}, ax=ax),
    "path on the front": lambda ax: plots.plot_front(VIEW.copa().navigate("co2"), ax=ax, log=["co2"]),
    "path on ranks": lambda ax: plots.plot_front(THREE.copa().navigate("co2"), normalize="cdf", x="co2", y="ms", ax=ax),
    "sweep": lambda ax: plot_sweep({p: VIEW.copa(p=p).navigate("co2") for p in (1, "inf")}, ax=ax),
    "parallel": lambda ax: plots.plot_parallel(THREE.copa(), highlight=["tiny"], ax=ax),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_functions_draw_on_the_axes_given_else_on_the_current_ones(draw):
    _, (first, second) = plt.subplots(1, 2)
    assert draw(first) is first
    assert first.has_data()
    assert not second.has_data()
    plt.sca(second)
    assert draw(None) is second


def test_front_rows_are_where_the_front_is():
    ax = VIEW.copa().plot()
    dominated, front, star = [collection.get_offsets().tolist() for collection in ax.collections]
    assert dominated == [[4.0, 0.5]]
    assert sorted(front) == [[1.0, 0.6], [2.0, 0.7], [3.0, 0.85], [9.0, 0.9]]
    assert star == [[3.0, 0.85]]
    assert ax.get_xlabel() == "CO₂ ↓"
    assert ax.get_ylabel() == "acc ↑"


@pytest.mark.parametrize(("across", "up"), [("min", "max"), ("max", "min"), ("min", "min"), ("max", "max")])
@pytest.mark.parametrize("normalize", ["none", "cdf"])
@pytest.mark.parametrize("zoom", [False, True])
def test_the_best_is_up_and_right_whatever_is_minimized(across, up, normalize, zoom):
    view = MODELS.moo(acc=across, co2=up)
    ax = plots.plot_front(view.copa().navigate("acc"), x="acc", y="co2", normalize=normalize, zoom=zoom, log=["co2"])
    assert ax.xaxis_inverted() == (normalize == "cdf" or across == "min")
    assert ax.yaxis_inverted() == (normalize == "cdf" or up == "min")


def test_a_path_marks_rows_at_weights_and_sizes_them_by_how_long_they_are_selected():
    path = VIEW.copa().navigate("co2")
    ax = plots.plot_front(path, x="acc", at=[0.0, 0.5], labels={"tiny": "1"}, colorbar=False)
    *_, diamonds, first, second = ax.collections
    shares = path.path["selected"].value_counts(normalize=True)
    places = {tuple(place): size for place, size in zip(diamonds.get_offsets(), diamonds.get_sizes(), strict=True)}
    sizes = pd.Series({name: places[tuple(MODELS.loc[name, ["acc", "co2"]])] for name in shares.index})
    assert (sizes.rank() == shares.rank()).all()
    for star, alpha in ((first, 0.0), (second, 0.5)):
        assert star.get_offsets().tolist() == [MODELS.loc[path.at(alpha), ["acc", "co2"]].tolist()]
        assert star.get_label() == f"selected at α = {alpha:g}"
    assert "1" in {text.get_text() for text in ax.texts}


def test_several_objectives_on_one_axis_are_ranked_by_the_worst_rank():
    ax = plots.plot_front(THREE.copa().navigate("co2"), normalize="cdf", x="co2", y=["acc", "ms"], at=[0.5])
    worst = MODELS.assign(acc=-MODELS["acc"])[["acc", "ms"]].rank(method="min").max(axis=1)
    again = (worst.rank(method="min") - 1) / len(MODELS)
    drawn = {y for points in ax.collections[:-1] for _, y in np.asarray(points.get_offsets()).tolist()}
    assert drawn == set(again)
    assert again.min() == 0 < (worst.min() - 1) / len(MODELS)
    ((_, star),) = ax.collections[-1].get_offsets().tolist()
    assert star == again[THREE.copa().navigate("co2").at(0.5)]


@pytest.mark.parametrize(("first", "second"), [("min", "min"), ("max", "min"), ("min", "max"), ("max", "max")])
def test_staircase_bounds_the_dominated_region(first, second):
    signs = np.array([-1 if d == "max" else 1 for d in (first, second)])
    costs = np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 3.5]])
    x, y = plots.staircase(costs * signs, [first, second])
    assert (x * signs[0]).tolist() == [1.0, 2.0, 2.0]
    assert (y * signs[1]).tolist() == [3.0, 3.0, 1.0]


def test_bump_draws_the_ranks_of_the_table_and_names_rows_that_share_one_together():
    comparison = THREE.copa().criteria(["mean", 1, "inf"])
    ax = comparison.plot(highlight=["tiny"])
    ranks = comparison.ranks
    assert ranks["inf"].duplicated().any()
    drawn = sorted(tuple(line.get_ydata()) for line in ax.lines)
    assert drawn == sorted(ranks.itertuples(index=False, name=None))
    at_the_end = {text.get_text() for text in ax.texts if text.get_ha() == "left"}
    for _, tied in ranks.groupby("inf"):
        assert any(set(names.split(", ")) == set(tied.index) for names in at_the_end)


def test_labels_do_not_overlap():
    rng = np.random.default_rng(0)
    _, ax = plt.subplots(figsize=(6, 4))
    x, y = rng.normal(0, 0.05, 8), rng.normal(0, 0.05, 8)
    ax.scatter(x, y)
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    texts = plots.label_points(ax, x, y, [f"a rather long name {i}" for i in range(8)])
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.plot_front(MODELS, objectives={"acc": "max"}), "two objectives"),
        (lambda: VIEW.copa().plot(normalize="log"), "`normalize` is 'log'; allowed are"),
        (lambda: VIEW.copa().plot(x="cO2"), "`x` is 'cO2', which is not an objective"),
        (lambda: THREE.copa().criteria().plot(highlight=["huge"]), "`highlight` names 'huge'"),
        (lambda: plots.plot_parallel(THREE.copa(), highlight=["huge"]), "`highlight` names 'huge'"),
        (lambda: plots.plot_front(VIEW.copa(), at=[0.5]), "`at` gives values of α"),
        (lambda: plots.plot_front(VIEW.copa().navigate("co2"), choice="x"), "`choice` names 'x', which is not"),
        (lambda: plots.plot_front(VIEW.copa().navigate("co2"), highlight=["smal"]), "`highlight` names 'smal', which"),
        (lambda: plot_bump(VIEW.copa().criteria(["mean", 1]), choice="x"), "`choice` names 'x', which is not"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("wrong", [{}, [VIEW.copa().navigate("co2")]])
def test_paths_need_a_mapping_that_is_not_empty(wrong):
    with pytest.raises(TypeError, match="`navigations`"):
        plot_paths(wrong)


def test_criteria_of_a_bump_chart_may_have_names_of_their_own():
    ax = plot_bump(THREE.copa().criteria(["mean", 1, "inf"]), names={"mean": "average", "inf": "worst"})
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["average", "p = 1", "worst"]


def _panels(figure):
    return [ax for ax in figure.axes if ax.get_title()]


def test_paths_stand_side_by_side_with_the_choices_of_one_weight_named_once():
    paths = {f"p = {p}": VIEW.copa(p=p).navigate("co2") for p in (1, 2, "inf")}
    figure = plot_paths(paths, at=[0.5], key=True, log=["co2"])
    first, second, third = _panels(figure)
    assert first.get_title() == f"p = 1: {paths['p = 1'].n_distinct} selected"
    assert third.get_xscale() == "log"
    assert second.get_xlabel() == third.get_xlabel() == "CO₂ ↓"
    assert all(ax.xaxis_inverted() for ax in (first, second, third))
    named = [[text.get_text() for text in ax.texts] for ax in (first, second, third)]
    assert named == [[letter, f"★ {path.at(0.5)}"] for letter, path in zip("abc", paths.values(), strict=False)]
    assert not figure.legends, "a name needs no number"


def test_choices_of_several_weights_are_numbered_once():
    paths = {f"p = {p}": VIEW.copa(p=p).navigate("co2") for p in (1, 2, "inf")}
    figure = plot_paths(paths, at=[0.1, 0.5], key=True)
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    chosen = dict.fromkeys(path.at(alpha) for path in paths.values() for alpha in (0.1, 0.5))
    assert named == [f"{number}  {row}" for number, row in enumerate(chosen, start=1)]


def test_long_bars_are_good_and_show_the_share_of_rows_that_are_no_better():
    choice = THREE.copa()
    ax = plot_selection(choice)
    best = MODELS.loc[choice.best]
    no_better = [
        (MODELS["acc"] <= best["acc"]).mean(),
        (MODELS["co2"] >= best["co2"]).mean(),
        (MODELS["ms"] >= best["ms"]).mean(),
    ]
    assert [bar.get_width() for bar in ax.containers[0]] == pytest.approx(no_better)
    assert ax.get_xlim() == (0, 1)
    costs = plot_selection(THREE.copa(normalize="minmax"), ax=plt.figure().subplots())
    assert "0 is best" in costs.get_xlabel()


@pytest.mark.parametrize("order", [1, -1])
def test_lines_of_a_sweep_are_told_apart_and_copa_is_never_the_palest(order):
    how = {"none": "none", "relative": "relative", "min-max": "minmax", "ranks": "cdf"}
    names = list(how)[::order]
    ax = plot_sweep({name: VIEW.copa(normalize=how[name]).navigate("co2") for name in names})
    lines = {line.get_label().split(" (")[0]: line for line in ax.lines if "evenness" in line.get_label()}
    on_white = {name: contrast(np.ones(3), np.array(to_rgb(line.get_color()))) for name, line in lines.items()}
    assert on_white.pop("ranks") > min(on_white.values())
    assert len({(line.get_color(), str(line.get_linestyle())) for line in lines.values()}) == len(how)


def test_rows_without_a_label_have_no_number():
    unnamed = MODELS.rename({"medium": np.nan}).moo(acc="max", co2="min")
    paths = {f"p = {p}": unnamed.copa(p=p).navigate("co2") for p in (1, 2)}
    figure = plot_paths(paths, at=[0, 0.5, 1], key=True)
    named = {text.get_text().split("  ")[1] for text in figure.legends[0].get_texts()}
    chosen = {path.at(alpha) for path in paths.values() for alpha in (0, 0.5, 1)}
    assert any(pd.isna(row) for row in chosen), chosen
    assert named == {str(row) for row in chosen if not pd.isna(row)}


def test_columns_of_several_levels_are_drawn_without_a_warning():
    levels = MODELS[["acc", "co2"]].set_axis(
        pd.MultiIndex.from_tuples([("test", "acc"), ("test", "co2")]), axis="columns"
    )
    choice = asked.copa(levels, objectives={("test", "acc"): "max", ("test", "co2"): "min"})
    data = picture_of(type(choice).plot, choice).data
    assert [*data.columns] == [("test", "acc"), ("test", "co2"), "allowed", "front", "selected"]
    assert "<svg" in choice.to_html() or "image/svg" in choice.to_html()


def test_paths_over_different_tables_have_axes_of_their_own():
    small = VIEW.copa().navigate("co2")
    large = (MODELS * 100).moo(acc="max", co2="min").copa().navigate("co2")
    apart = _panels(plot_paths({("table", "small"): small, ("table", "large"): large}))
    assert [ax.get_title().split(":")[0] for ax in apart] == ["table\nsmall", "table\nlarge"]
    assert apart[1].get_xlim()[1] > 50 * apart[0].get_xlim()[1]
    together = _panels(plot_paths({"once": small, "again": small}))
    assert together[0].get_shared_x_axes().joined(*together)


@pytest.mark.parametrize("log", [[], ["co2"]])
def test_a_zoom_shows_the_whole_front_and_cuts_off_rows_far_from_it(log):
    far = pd.concat([MODELS, pd.DataFrame({"acc": [0.01], "co2": [1e4]}, index=["far"])])
    ax = plots.plot_front(far.moo(acc="max", co2="min").copa().navigate("co2"), zoom=True, log=log)
    front = far.moo(acc="max", co2="min").front()
    for name, (low, high) in {"acc": ax.get_ylim(), "co2": sorted(ax.get_xlim())}.items():
        assert low < front[name].min()
        assert front[name].max() < high
    assert ax.get_ylim()[0] > 0.01
    assert max(ax.get_xlim()) < 1e4


def test_a_path_shows_which_rows_it_may_not_choose():
    allowed = MODELS["co2"] <= MODELS["co2"].median()
    ax = plots.plot_front(VIEW.copa(where=allowed).navigate("co2"))
    (hollow,) = [drawn for drawn in ax.collections if drawn.get_label().startswith("not allowed")]
    assert len(hollow.get_offsets()) == (~allowed).sum()


def test_the_words_of_paths_and_sweeps_are_made_of_the_results():
    paths = {f"p = {p}": VIEW.copa(p=p).navigate("co2") for p in (1, "inf")}
    total, worst = (path.n_distinct for path in paths.values())
    evenness = {name: path.evenness for name, path in paths.items()}
    assert worst > total
    shown = picture_of(plot_paths, paths, at=[0.5])
    assert shown.finding == f"The slider stops at {worst} rows with p = inf, and at {total} with p = 1"
    assert shown.data.loc["p = 1", "selected"].nunique() == total
    best = max(evenness, key=evenness.get)
    sweep = picture_of(plot_sweep, paths, at=[0.25])
    assert f"with {best} (evenness {evenness[best]:.2f})" in sweep.finding
    assert "α = 0.25" in sweep.caption
    assert np.allclose(sweep.data["p = 1"], paths["p = 1"].places)
    alone = picture_of(plot_paths, {"p = 1": paths["p = 1"]})
    assert alone.finding.startswith("The slider stops at")


def star_of(ax):
    """Color and place of what a picture draws as a star."""
    lines = [(to_hex(line.get_color()), line) for line in ax.lines if line.get_marker() == "*"]
    star = MarkerStyle("*").get_path().vertices.shape
    clouds = [c for c in ax.collections if c.get_paths() and c.get_paths()[0].vertices.shape == star]
    return {color for color, _ in lines} | {to_hex(cloud.get_facecolor()[0]) for cloud in clouds}


def test_the_choice_is_a_star_of_one_color_in_every_picture():
    choice = VIEW.copa()
    rivals = list(choice.table.index[1:3])
    stability = choice.stability(n_resamples=50)
    pictures = [
        plot_selection(choice, ax=plt.figure().subplots()),
        plots.plot_parallel(choice, highlight=rivals, ax=plt.figure().subplots()),
        plots.plot_front(choice, ax=plt.figure().subplots()),
        plots.plot_front(VIEW.copa().navigate("co2"), choice=choice.best, ax=plt.figure().subplots()),
        plot_stability(stability, highlight=rivals, ax=plt.figure().subplots()),
        plot_bump(
            VIEW.copa().criteria(["mean", 1, "inf"]), choice=choice.best, highlight=rivals, ax=plt.figure().subplots()
        ),
    ]
    colors = [star_of(ax) for ax in pictures]
    assert colors == [colors[0]] * len(pictures)
    assert len(colors[0]) == 1
    first = [{to_hex(line.get_color()) for line in pictures[i].lines} for i in (0, 1, 5)]
    assert set.intersection(*first) > colors[0], "runners-up keep their colors"


def test_systems_have_the_numbers_of_a_shared_order():
    figure, ax = plt.subplots(layout="constrained")
    runs = pd.DataFrame({"score": [0.9, 0.5, 0.1], "se": 0.01}, index=list("abc"))
    ranks = asked.board(runs, standard_error={"score": "se"}, objectives={"score": "max"})
    ranks.plot(ax=ax, key=["c", "x", "b", "a"])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["4", "3", "1"]
    assert [entry.get_text() for entry in figure.legends[0].get_texts()] == ["1  c", "3  b", "4  a"]
    with pytest.raises(ValueError, match="`key` lacks 'b'"):
        ranks.plot(ax=plt.figure(layout="constrained").gca(), key=["a", "c"])


def test_a_path_names_its_objective_and_marks_the_runners_up():
    ax = plots.plot_front(VIEW.copa().navigate("co2"), choice="medium", highlight=["small"])
    assert ax.figure.axes[-1].get_ylabel() == "α, weight of CO₂"
    assert {"large", "medium", "small", "tiny"} <= {text.get_text() for text in ax.texts}
    marks = {drawn.get_label(): drawn.get_offsets().tolist() for drawn in ax.collections}
    assert marks["small"] == [[2.0, 0.7]]


@pytest.mark.parametrize("most", [2, 40])
@pytest.mark.parametrize("where", [None, "x > 3"])
def test_the_caption_of_a_bump_chart_names_only_what_is_drawn(most, where):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.random(12) * 12, "y": rng.random(12) * 12}, index=list("abcdefghijkl"))
    comparison = frame.moo(x="max", y="max").copa(where=where).criteria([1, 2, "inf"])
    last, *others = comparison.ranks.sum(axis=1).sort_values(ascending=False).index[:3]
    options = {"choice": last, "highlight": others, "most": most}
    ax = plot_bump(comparison, **options)
    caption = picture_of(plot_bump, comparison, **options).caption
    drawn = sum(line.get_marker() == "*" for line in ax.lines)
    assert drawn == caption.count("star is") == (most > len(comparison.ranks))
    gray = sum(line.get_color() == GRAY for line in ax.lines)
    assert (len(ax.lines) == gray) == ("all are gray" in caption)
