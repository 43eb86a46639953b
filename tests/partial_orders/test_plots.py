"""Hasse diagrams, depths and pair counts: what is drawn, legible and in the right place."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb import datasets, plots
from copa_nb.arrays.orders import transitive_reduction
from copa_nb.papers.partial_orders import figures as paper_figures
from copa_nb.partial_orders.arrays.relations import all_relations, relations_from_costs
from copa_nb.partial_orders.plots import plot_hasse_figure
from copa_nb.plotting.hasse_layout import HALF_LABEL, hasse_diagram, hasse_layout
from copa_nb.plotting.pictures import picture_of
from tests import asked


@pytest.fixture(scope="module")
def bbob():
    return asked.posets(datasets.load_bbob(), system="optimizer", item="function")


@pytest.fixture
def ax():
    figure, ax = plt.subplots(figsize=(8, 7))
    yield ax
    plt.close(figure)


def order(seed, n_items, n_criteria=2):
    return relations_from_costs(np.random.default_rng(seed).random((1, n_items, n_criteria)))[0][0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 4))
def test_better_is_higher_and_every_edge_of_the_reduction_has_a_line(seed, n_items, n_criteria):
    relation = order(seed, n_items, n_criteria)
    layout = hasse_layout(relation, [6.0] * n_items)
    for i, j in np.argwhere(relation):
        assert layout.y[i] > layout.y[j]
    ends = {((p[0, 0], p[0, 1]), (p[-1, 0], p[-1, 1])) for p in layout.paths}
    edges = np.argwhere(transitive_reduction(relation))
    assert len(layout.paths) == len(edges)
    assert ends == {((layout.x[i], layout.y[i]), (layout.x[j], layout.y[j])) for i, j in edges}
    for path in layout.paths:
        assert (np.diff(path[:, 1]) < 0).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 4))
def test_labels_do_not_overlap(seed, n_items, n_criteria):
    widths = np.random.default_rng(seed).integers(1, 18, n_items).astype(float)
    layout = hasse_layout(order(seed, n_items, n_criteria), widths)
    for i, j in itertools.combinations(range(n_items), 2):
        if abs(layout.y[i] - layout.y[j]) < 0.8:
            assert abs(layout.x[i] - layout.x[j]) >= (widths[i] + widths[j]) / 2 - 1e-6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 4))
def test_lines_touch_no_label_but_their_own(seed, n_items, n_criteria):
    lengths = np.random.default_rng(seed).integers(1, 18, n_items)
    diagram = hasse_diagram(order(seed, n_items, n_criteria), lengths.tolist())
    wide = np.array([lengths[items].sum() / 2 + 0.4 for items in diagram.members])
    for line in diagram.lines:
        places = np.linspace(0, len(line) - 1, 400)
        way = np.column_stack([np.interp(places, np.arange(len(line)), values) for values in line.T])
        for x, y, half in zip(diagram.x, diagram.y, wide, strict=True):
            if not any(np.allclose(end, (x, y)) for end in (line[0], line[-1])):
                assert not ((abs(way[:, 0] - x) < half) & (abs(way[:, 1] - y) < HALF_LABEL - 1e-6)).any()


def crossings(layout):
    """Count the pairs of line segments that cross."""
    segments = [path[k : k + 2] for path in layout.paths for k in range(len(path) - 1)]

    def side(line, point):
        along, across = line[1] - line[0], point - line[0]
        return round(float(along[0] * across[1] - along[1] * across[0]), 9)

    return sum(
        side(a, b[0]) * side(a, b[1]) < 0 and side(b, a[0]) * side(b, a[1]) < 0
        for k, a in enumerate(segments)
        for b in segments[k + 1 :]
    )


def test_small_planar_orders_are_drawn_without_crossings():
    for relation in all_relations(4):
        layout = hasse_layout(relation, [3.0] * 4)
        # The only order on four items whose diagram cannot be planar: two above two.
        two_above_two = sorted(relation.sum(axis=1)) == [0, 0, 2, 2] and sorted(relation.sum(axis=0)) == [0, 0, 2, 2]
        assert crossings(layout) <= (1 if two_above_two else 0)


def test_indifferent_items_are_drawn_as_one(ax):
    relation = pd.DataFrame(False, index=list("abc"), columns=list("abc"))
    relation.loc["a", "b"] = relation.loc["b", "a"] = relation.loc["a", "c"] = relation.loc["b", "c"] = True
    plots.plot_hasse(relation, ax=ax)
    assert sorted(text.get_text() for text in ax.texts if "lead down" not in text.get_text()) == ["a = b", "c"]


@pytest.mark.parametrize(("n_items", "n_criteria"), [(3, 2), (11, 2), (20, 3), (30, 2), (30, 6), (30, 1)])
def test_drawn_labels_do_not_cover_each_other(ax, n_items, n_criteria):
    labels = [f"method-{i}" for i in range(n_items)]
    plots.plot_hasse(order(n_items, n_items, n_criteria), labels=labels, ax=ax)
    ax.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert set(labels) <= set(boxes)
    for (one, first), (other, second) in itertools.combinations(boxes.items(), 2):
        assert not first.overlaps(second), (one, other)
    assert min(text.get_fontsize() for text in ax.texts) >= 4


def test_items_without_relations_stand_in_one_row_where_it_fits(ax):
    plots.plot_hasse(np.zeros((5, 5), dtype=bool), labels=list("abcde"), ax=ax)
    assert {text.get_text() for text in ax.texts} == set("abcde")
    assert len({text.get_position()[1] for text in ax.texts}) == 1
    assert not ax.lines


def test_many_items_without_relations_are_shown(ax):
    names = [f"a system called {letter}" for letter in "abcdefgh"]
    plots.plot_hasse(np.zeros((8, 8), dtype=bool), labels=names, ax=ax)
    rows = {text.get_position()[1] for text in ax.texts}
    assert len(rows) > 1, "they stand in several rows,"
    assert all(line.get_ydata()[0] > max(rows) for line in ax.lines), "neither of which looks better than the other"
    assert len(ax.lines) == 1


def test_a_relation_that_is_no_order_is_refused(ax):
    broken = np.zeros((3, 3), dtype=bool)
    broken[0, 1] = broken[1, 2] = True
    with pytest.raises(ValueError, match="`relation` of 0, 1, 2 is not a transitive order"):
        plots.plot_hasse(broken, ax=ax)
    with pytest.raises(ValueError, match="`relation` has shape"):
        plots.plot_hasse(broken, labels=["a"], ax=ax)


def test_depths_are_drawn_from_the_deepest_down(ax, bbob):
    result = bbob.depth()
    result.plot(ax=ax)
    points = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(points[:, 0], result.table["depth"])
    assert [label.get_text() for label in ax.get_yticklabels()] == [*map(str, result.order), "all"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_ylabel() == "function"


def test_intervals_of_estimates_are_drawn(ax, bbob):
    result = bbob.depth(method="sample", rng=0, n_samples=1000)
    result.plot(ax=ax, box=False, values=False)
    intervals = ax.collections[1].get_segments()
    np.testing.assert_allclose([segment[:, 0] for segment in intervals], result.table[["low", "high"]])
    assert "estimated" in ax.get_xlabel()


def test_pair_counts_are_written_into_the_cells(ax, bbob):
    bbob.plot(ax=ax)
    names = [label.get_text().rpartition("  ")[0] for label in ax.get_yticklabels()]
    assert names[0] == "Nelder-Doerr"
    assert names[-1] == "RANDOMSEARCH"
    for text in ax.texts:
        column, row = text.get_position()
        assert int(text.get_text()) == bbob.pair_counts.loc[names[int(row)], names[int(column)]]
    assert len(ax.texts) == 11 * 10


def test_small_multiples_go_from_the_deepest_to_the_shallowest():
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    figure = plot_hasse_figure(sample.depth(), most=6)
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
    assert [title.split(":")[0] for title in titles if title] == ["P2", "P3", "P5", "P1", "P4", "P6"]
    plain = plot_hasse_figure(sample, columns=4)
    assert [ax.get_title() for ax in plain.axes if ax.get_title()] == [f"P{k}" for k in range(1, 9)]
    plt.close(figure)
    plt.close(plain)


def test_no_style_is_left_behind(bbob):
    before = dict(mpl.rcParams)
    figure, axes = plt.subplots(1, 3)
    bbob.depth().plot(ax=axes[0])
    bbob.plot(ax=axes[1])
    bbob.depth().agreement(3).plot(ax=axes[2])
    plt.close(figure)
    assert dict(mpl.rcParams) == before


def test_wide_characters_are_given_room(ax):
    names = ["通义千问模型", "微调模型甲", "乙"]
    relation = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    with plots.report_style():
        plots.plot_hasse(relation, labels=names, ax=ax)
    first, second = (text.get_position()[0] for text in ax.texts[:2])
    assert abs(first - second) >= 6 + 5, "half of each label, two columns a character"


def test_orders_of_some_items_are_drawn_in_the_order_given(bbob):
    depths = bbob.depth(method="sample", n_samples=200)
    figure = plot_hasse_figure(depths, items=[22, 10], columns=2)
    titles = [ax.get_title() for ax in figure.axes]
    plt.close(figure)
    assert titles == [f"function {item}: {depths.depth[item]:.3f}" for item in (22, 10)]
    picture = picture_of(plot_hasse_figure, depths, items=[22, 10])
    pairs = bbob.table["pairs"]
    assert picture.finding == f"Pairs ordered, of 55: {pairs[22]} on function 22 and {pairs[10]} on function 10"
    assert picture.data.loc[22].equals(bbob.relation(22).astype(int).rename_axis("above"))
    many = picture_of(plot_hasse_figure, depths, items=depths.order[5:])
    assert many.finding.startswith("19 orders, of depths")


def test_results_side_by_side_say_what_they_share():
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    depths = sample.depth()
    both = {"all": depths, "again": depths}
    assert "are the same: P2, P3 and P5 and P8" in picture_of(paper_figures.plot_depths_side_by_side, both).finding
    other = {"all": depths, "without P8": sample.without(["P8"]).depth()}
    assert "differ" in picture_of(paper_figures.plot_depths_side_by_side, other).finding
    agreements = {"two": depths.agreement(2), "all": depths.agreement(8)}
    assert picture_of(paper_figures.plot_agreements, agreements).finding == "Pairs shared: 3 (two) and 0 (all)"
    figure = paper_figures.plot_agreements(agreements)
    assert [ax.get_title() for ax in figure.axes] == ["two", "all"]
    plt.close(figure)
