"""No label can be taken for the name of another point: checked against the points and outlines of the table itself."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Annotation

from copa_nb import plots
from copa_nb.comparisons.plots.systems import plot_confident_front
from copa_nb.papers.copa.paths import plot_paths
from copa_nb.significance.plots import plot_audit
from tests import asked

SAME, TOUCHING = 1.0, 1.5  # pixels
SIGNS = {"max": -1.0, "min": 1.0}


def labels_of(ax):
    return [text for text in ax.texts if isinstance(text, Annotation) and text.get_text() and text.xycoords == "data"]


def box_of(label):
    """The box of the letters alone, in pixels: left, bottom, right, top."""
    return np.array(label.get_window_extent().extents)


def distances(box, points):
    return np.hypot(*(points - np.clip(points, box[:2], box[2:])).T)


def has_a_line(ax, label):
    """Whether a line leads from a label to its point, at both ends."""
    own, box = ax.transData.transform(label.xy), box_of(label)
    for text in ax.texts:
        arrow = getattr(text, "arrow_patch", None)
        if text.get_text() == "" and arrow is not None and tuple(text.xy) == tuple(label.xy):
            ends = arrow.get_transform().transform(arrow.get_path().vertices)
            to_own, to_label = np.hypot(*(ends - own).T), distances(box, ends)
            return to_own.min() < TOUCHING and to_label.min() < TOUCHING
    return False


def front_of(points, directions):
    """Points that no other point dominates, by the definition."""
    costs = points * [SIGNS[way] for way in directions]
    return [not any((b <= a).all() and (b < a).any() for b in costs) for a in costs]


def outline(ax, points, directions):
    """Points in pixels along the staircase of a front, by brute force: from point to point past the corner."""
    signs = np.array([SIGNS[way] for way in directions])
    costs = np.unique(points[front_of(points, directions)] * signs, axis=0)
    corners = [costs[0]]
    for before, after in pairwise(costs):
        corners += [np.maximum(before, after), after]
    pixels = ax.transData.transform(np.array(corners) * signs)
    steps = np.linspace(0, 1, 200)[:, None]
    parts = [a + steps * (b - a) for a, b in pairwise(pixels)]
    return np.concatenate(parts) if parts else np.empty((0, 2))


def misplaced(ax, points, directions=None):
    """Say in a line each which labels of Axes may be taken for the name of another of all points of a table."""
    ax.figure.canvas.draw()
    points = points[np.isfinite(points).all(axis=1)]
    pixels, frame, found = ax.transData.transform(points), ax.get_window_extent(), []
    inside = ((pixels >= frame.min) & (pixels <= frame.max)).all(axis=1)
    line = np.empty((0, 2)) if directions is None else outline(ax, points, directions)
    for label in labels_of(ax):
        own, box = ax.transData.transform(label.xy), box_of(label)
        others = pixels[inside & (np.hypot(*(pixels - own).T) > SAME)]
        away = distances(box, others).min(initial=np.inf)
        if away < distances(box, own[None])[0] and not (away > 4 and has_a_line(ax, label)):
            found.append(f"{label.get_text()} is nearer to another point")
        if ((line > box[:2]) & (line < box[2:])).all(axis=1).any():
            found.append(f"{label.get_text()} is on the staircase")
    return found


def table(seed, rows):
    rng = np.random.default_rng(seed)
    quality = rng.beta(2, 2, rows)
    values = {"accuracy": (0.5 + quality / 2).round(3), "cost": np.exp(4 * quality + rng.normal(0, 0.7, rows)).round(3)}
    names = [f"{maker}-{size}b-instruct" for maker, size in zip(rng.choice(["gemini", "deepseek-v3.1", "o3"], rows),
                                                                 range(rows), strict=True)]  # fmt: skip
    return pd.DataFrame(values, index=names)


WAYS = {"cost": "min", "accuracy": "max"}
DIRECTIONS = list(WAYS.values())


def axes(narrow):
    return plt.figure(figsize=(3.7, 3.2) if narrow else (6.4, 4.8), layout="constrained").gca()


@pytest.mark.parametrize(
    ("seed", "rows", "narrow"),
    [
        (1, 25, True),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((0, 3, True), (1, 8, False), (0, 25, False), (1, 120, True))
        ),
    ],
)
def test_names_on_a_front_are_at_their_points(seed, rows, narrow):
    models = table(seed, rows)
    view, points = models.moo(WAYS), models[["cost", "accuracy"]].to_numpy()
    log = ["cost"] if seed % 2 else []
    choice, path = view.copa(), view.copa().navigate("cost")
    for result, options in (
        (models.moo.define(WAYS), {"labels": list(models.index[:12])}),
        (choice, {}),
        (choice, {"zoom": True, "labels": list(models.index[:6])}),
        (path, {"at": [0.5]}),
        (path, {"choice": choice.best, "highlight": list(models.index[:2]), "labels": 5}),
    ):
        ax = plots.plot_front(result, log=log, ax=axes(narrow), **options)
        assert misplaced(ax, points, DIRECTIONS) == []
        plt.close("all")
    ranks = np.column_stack([(costs[:, None] > costs).mean(axis=1) for costs in (points[:, 0], -points[:, 1])])
    ax = plots.plot_front(path, normalize="cdf", ax=axes(narrow))
    assert misplaced(ax, ranks, ["min", "min"]) == []


@pytest.mark.parametrize("seed", range(2))
def test_names_of_a_front_with_confidence_are_at_their_points(seed):
    models = table(seed, 4 + 5 * seed)
    errors = models.assign(a_se=0.02, c_se=models["cost"] / 10)
    front = asked.confident_front(errors, standard_error={"accuracy": "a_se", "cost": "c_se"}, objectives=WAYS)
    ax = plot_confident_front(front, ax=axes(False), labels=list(models.index))
    assert misplaced(ax, models[["cost", "accuracy"]].to_numpy()) == []
    assert len(labels_of(ax)) >= min(len(models), 8)


@pytest.mark.parametrize("seed", range(2))
def test_letters_of_an_audit_are_at_their_claims(seed):
    rng = np.random.default_rng(seed)
    shift = np.repeat(rng.normal(0, 1, 8), 5)
    runs = pd.DataFrame({"system": np.repeat(list("abcdefgh"), 5), "x": rng.normal(shift), "y": rng.normal(shift)})
    outcome = asked.audit(runs, system="system", objectives={"x": "min", "y": "min"})
    ax = plot_audit(outcome, ax=axes(False))
    found = outcome.table[["effect", "holm"]].to_numpy(dtype=float)
    assert labels_of(ax)
    assert misplaced(ax, found) == []


def test_numbers_in_panels_are_at_their_points():
    models = table(0, 25)
    view = models.moo(WAYS)
    paths = {p: view.copa(p=p).navigate("cost") for p in (1, 2, "inf")}
    figure = plot_paths(paths, at=[0.1, 0.5, 0.9], key=True, log=["cost"])
    assert sum(len(labels_of(ax)) for ax in figure.axes) >= 3
    for ax in figure.axes[:3]:
        assert misplaced(ax, models[["cost", "accuracy"]].to_numpy(), DIRECTIONS) == []


def test_few_points_all_have_their_names():
    for seed in range(6):
        models = table(seed, 6)
        ax = plots.plot_front(models, objectives=WAYS, labels=list(models.index), log=["cost"], ax=axes(False))
        assert len(labels_of(ax)) == 6
        plt.close("all")


def test_a_name_that_fits_nowhere_is_left_out():
    ax = axes(True)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)), axis=-1).reshape(-1, 2)
    ax.scatter(*grid.T)
    assert plots.label_points(ax, grid[:2, 0], grid[:2, 1], ["one", "two"]) == []
    assert not ax.texts


def test_the_first_of_two_labels_with_room_for_one_is_written():
    figure = plt.figure(figsize=(1.2, 0.25))
    ax = figure.add_axes((0, 0, 1, 1))
    for first, second in (("the first", "another"), ("another", "the first")):
        ax.clear()
        ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
        ax.scatter([0.1, 0.1], [0.5, 0.5])
        (label,) = plots.label_points(ax, np.array([0.1, 0.1]), np.array([0.5, 0.5]), [first, second])
        assert label.get_text() == first


def test_what_is_misplaced_is_seen():
    ax = axes(False)
    points = np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    ax.scatter(*points.T)
    ax.annotate("wrong", (0.0, 0.0), xytext=tuple(points[1]), textcoords="data")
    assert misplaced(ax, points) == ["wrong is nearer to another point"]
    ax.texts[0].remove()
    ax.annotate("wrong", (0.0, 0.0), xytext=(-5, -5), textcoords="offset points")
    assert misplaced(ax, np.array([[0.0, 0.0], [1.0, 1.0]]), ["min", "min"]) == []
    assert misplaced(ax, np.array([[-0.1, 0.1], [0.0, 0.0], [0.1, -0.1]]), ["min", "min"]) != []
