"""Under a constraint, the title, the drawing and the data of a figure count the same rows."""

import re

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import plots
from copa_nb.plotting.pictures import picture_of
from copa_nb.results.note import Note
from copa_nb.selection.plots.distributions import plot_pairs
from copa_nb.tables.candidates import limits_of

RNG = np.random.default_rng(1)
MODELS = pd.DataFrame(RNG.random((9, 3)), columns=["acc", "cost", "lat"], index=[f"m{row}" for row in range(9)])
MODELS = MODELS.moo.define(acc="max", cost="min", lat="min")
WHERE = "lat <= 0.6"
ALLOWED = MODELS[MODELS["lat"] <= 0.6].moo.front().index


def _legend(ax):
    _, names = ax.get_legend_handles_labels()
    return {name.rpartition(" (")[0]: int(name.rpartition(" (")[2][:-1]) for name in names if name.endswith(")")}


@pytest.mark.parametrize("kind", ["choice", "path"])
def test_a_front_counts_the_same_rows_everywhere(kind):
    result = MODELS.moo.copa(where=WHERE) if kind == "choice" else MODELS.moo.copa(where=WHERE).navigate("acc")
    picture, ax = picture_of(plots.plot_front, result), plots.plot_front(result)
    counted, data = _legend(ax), picture.data
    assert len(data) == len(MODELS) == sum(counted[name] for name in ("dominated", "not allowed", "Pareto front"))
    assert data["allowed"].sum() == (MODELS["lat"] <= 0.6).sum() == 9 - counted["not allowed"]
    assert list(data.index[data["front"]]) == list(ALLOWED)
    assert counted["Pareto front"] == len(ALLOWED)
    assert f"{len(ALLOWED)} rows on the front of those allowed" in picture.finding
    assert (
        f"9 rows, of which the constraint allows {data['allowed'].sum()} (filled); {len(ALLOWED)} of" in picture.caption
    )
    drawn = {points.get_label(): points.get_offsets() for points in ax.collections}
    for label, rows in (("not allowed", MODELS["lat"] > 0.6), ("Pareto front", ALLOWED)):
        # A cost is across.
        points = MODELS.loc[rows, ["cost", "acc"]].to_numpy()
        assert sorted(map(tuple, drawn[f"{label} ({counted[label]})"].data)) == sorted(map(tuple, points))
    chosen = {result.best} if kind == "choice" else set(result.table.index)
    assert chosen == set(data.index[data["selected"]])
    assert np.allclose(data[["acc", "cost", "lat"]], MODELS)


@pytest.mark.parametrize("front_only", [True, False])
def test_lines_count_the_same_rows_everywhere(front_only):
    choice = MODELS.moo.copa(where=WHERE)
    ax = plots.plot_parallel(choice, front_only=front_only)
    picture = picture_of(plots.plot_parallel, choice, front_only=front_only)
    expected = ALLOWED if front_only else MODELS.index[MODELS["lat"] <= 0.6]
    assert len(ax.collections[0].get_paths()) == len(picture.data) == len(expected)
    assert set(picture.data.index) == set(expected)
    which = "rows on the front of those allowed" if front_only else "rows allowed"
    assert f"the {which}" in picture.finding
    assert f"the {which}" in picture.caption
    shares = [(MODELS["cost"] < cost).mean() for cost in MODELS.loc[picture.data.index, "cost"]]
    assert np.allclose(picture.data["u_cost"], shares)


def test_pairs_count_the_same_rows():
    picture, n_allowed = picture_of(plot_pairs, MODELS.moo.copa(where=WHERE)), (MODELS["lat"] <= 0.6).sum()
    assert picture.finding.startswith(f"{len(ALLOWED)} of {n_allowed} rows are on the front")
    assert f"Constraints allow {n_allowed} of 9 rows." in picture.caption


@pytest.mark.parametrize(
    ("where", "limits"),
    [
        ("lat <= 0.6", {"lat": [None, 0.6]}),
        ("0.2 <= lat <= 0.6 and cost >= 0.1", {"lat": [0.2, 0.6], "cost": [0.1, None]}),
        ("(lat <= 0.6) & (lat <= 0.5)", {"lat": [None, 0.5]}),
        ("`lat` <= 0.6", {"lat": [None, 0.6]}),
        ("lat <= 0.6 or cost <= 0.5", None),
        ("lat + cost <= 0.6", None),
        ("index == 'm1'", None),
        ("not lat <= 0.6", None),
        (lambda frame: frame["lat"] <= 0.6, None),
    ],
)
def test_the_explorer_begins_with_the_limits_of_a_constraint(where, limits):
    assert limits_of(MODELS, where, list(MODELS)) == limits
    if limits is None:
        with pytest.raises(ValueError, match="an explorer has limits of objectives only"):
            MODELS.moo.explore(where=where)
        return
    with MODELS.moo.explore(where=where) as explorer:
        assert explorer.best == MODELS.moo.copa(where=where).best
        assert len(explorer.selection.table) == len(MODELS.moo.copa(where=where).table)


def test_a_strict_limit_is_that_of_the_next_row():
    limits = limits_of(MODELS, f"lat < {float(MODELS['lat'].max())!r}", ["lat"])
    assert limits == {"lat": [None, MODELS["lat"].nlargest(2).iloc[1]]}


@pytest.mark.parametrize(("where", "said"), [("lat <= 0.6", ""), ("kind == 'a'", "the constraint \"kind == 'a'\" is")])
def test_a_page_without_an_explorer_says_why(where, said):
    table = MODELS.assign(kind=list("aabbababa"))
    explorer = table.moo.copa(where=where).explore()
    assert isinstance(explorer, Note) == bool(said)
    if said:
        assert said in explorer
    else:
        explorer.close()


def test_an_explorer_warns_of_runs_once():
    runs = pd.concat([MODELS, MODELS + 0.01]).moo.define(acc="max", cost="min", lat="min")
    with pytest.warns(copa_nb.tables.objectives.RunsWarning) as caught:
        explorer = runs.moo.explore()
    assert len(caught) == 1
    with explorer:  # warnings are errors here
        for weight in (0.2, 0.5, 0.9):
            explorer.set_weight("acc", weight)
            assert re.fullmatch(r"m\d", explorer.best)
