"""Figures of the paper show the numbers that they were given."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.papers.significance import figures as paper_figures
from copa_nb.plotting.pictures import picture_of
from tests import asked


def _runs():
    runs = pd.DataFrame({"system": np.repeat(["good", "cheap", "bad"], 5), "run": [*range(5)] * 3, "time_s": 1.0})
    means = np.repeat([(0.9, 3.0), (0.7, 1.0), (0.6, 2.0)], 5, axis=0)
    runs[["accuracy", "cost_usd"]] = means + np.random.default_rng(0).normal(0, 0.01, means.shape)
    return runs


def _audit(unit="run", paired=False):
    return asked.audit(
        pd.concat([_runs().assign(task="x"), _runs().assign(task="y")]), system="system", repeat="run", by="task",
        objectives={"accuracy": "max", "cost_usd": "min"}, unit=unit, paired=paired, progress=False,
    )  # fmt: skip


def test_agents_are_pareto_optimal_or_dominated():
    ax = paper_figures.plot_agents(_runs(), batch="0613")
    drawn = {container.get_label(): np.round(container[0].get_xdata().astype(float)) for container in ax.containers}
    assert sorted(drawn["Pareto-optimal by the means"]) == [1, 3]
    assert drawn["dominated"] == [2]
    assert "June 2023" in picture_of(paper_figures.plot_agents, _runs(), batch="0613").finding


def test_claims_have_a_panel_for_each_batch_and_one_count():
    audits = {"one": _audit(), "two": _audit()}
    figure = paper_figures.draw_claims(audits)
    assert [ax.get_title()[:9] for ax in figure.axes] == ["batch one", "batch two"]
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    total = audits["one"].by_domain.loc["all"]
    assert f"significant ({total['significant']:.0f})" in legend
    assert f"not significant ({total['not_distinguishable']:.0f})" in legend
    words = picture_of(paper_figures.draw_claims, audits)
    assert f"{2 * total['significant']:.0f} of the {2 * total['claims']:.0f} claims" in words.finding


def test_the_area_ends_at_the_reference_point():
    points = pd.DataFrame({"first": [1.0, 3.0], "second": [2.0, 1.0]}, index=["a", "b"])
    ax = paper_figures.plot_dominated_area(points, reference=(4, 5))
    for collection, corner in zip(ax.collections, points.to_numpy(), strict=True):
        box = collection.get_paths()[0].get_extents()
        assert [*box.min, *box.max] == [*corner, 4, 5]


def test_decisions_are_counted():
    compared = pd.DataFrame({"p": [0.01, 0.01, 0.5], "printed p": [0.01, 0.2, 0.6]})
    ax = paper_figures.plot_decisions(compared)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:2] == ["same decision (2)", "different decision (1)"]
    assert "1 of 3" in picture_of(paper_figures.plot_decisions, compared).finding


def test_fronts_of_batches_share_a_legend_without_counts():
    front = asked.confident_front(
        _runs(), system="system", repeat="run", objectives={"accuracy": "max", "cost_usd": "min"}
    )
    options = {"x": "cost_usd", "y": "accuracy"}
    figure = paper_figures.draw_confident_fronts({"one": front, "two": front}, **options)
    assert [ax.get_legend() for ax in figure.axes] == [None, None]
    key, shared = figure.legends
    sizes = {
        "on the front": len(front.conservative),
        "undecided": len(front.optimistic) - len(front.conservative),
        "dominated": len(front.table) - len(front.optimistic),
    }
    assert {text.get_text() for text in shared.get_texts()} == {name for name, size in sizes.items() if size}
    numbered = [text.get_text().split("  ")[1] for text in key.get_texts()]
    assert numbered == [*front.central, *front.central], "agents of both batches are numbered in one row"
    words = picture_of(paper_figures.draw_confident_fronts, {"one": front, "two": front}, **options)
    assert f"Of the {2 * len(front.central)} agents" in words.finding


def test_pairs_of_pvalues_are_drawn_by_task():
    audits = {(unit, paired): _audit(unit, paired) for unit in ("run", "mean") for paired in (False, True)}
    titles = {"run": "fronts of all folds", "mean": "fronts of means over folds"}
    figure = paper_figures.draw_paired_pvalues(audits, titles)
    drawn = np.vstack([points.get_offsets() for points in figure.axes[1].collections])
    assert drawn[:, 0].tolist() == pytest.approx(audits["mean", False].table["pvalue"].to_list())
    assert drawn[:, 1].tolist() == pytest.approx(audits["mean", True].table["pvalue"].to_list())
    words = picture_of(paper_figures.draw_paired_pvalues, audits, titles=titles)
    smaller = (audits["mean", True].table["pvalue"] < audits["mean", False].table["pvalue"]).sum()
    assert words.finding.startswith(f"For fronts of means, pairing gives the smaller p in {smaller} of ")


@pytest.mark.parametrize(("low", "finding"), [(0.04, "No setting"), (0.06, "1 of 2")])
def test_rejections_have_an_interval_for_each_setting(low, finding):
    size = pd.DataFrame(
        {"setting": ["a", "b"], "n_runs": 4, "rejected": 0.07, "low": [low, 0.0], "high": 0.1, "n_simulations": 100}
    )
    ax = paper_figures.plot_rejections(size)
    (container,) = ax.containers
    (reach,) = container[2]
    assert [segment[:, 0].tolist() for segment in reach.get_segments()] == [[low, 0.1], [0.0, 0.1]]
    assert picture_of(paper_figures.plot_rejections, size).finding.startswith(finding)
