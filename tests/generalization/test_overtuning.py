"""Overtuning against a plain loop of its definition, and of fronts against measuring every prefix on its own."""

import moocore
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb import datasets
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked
from tests.said import said_by, sentence

SCORES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda pair: (pair[0] / 8, pair[1] / 8)),
    min_size=1, max_size=25,
)  # fmt: skip


def by_definition(validation, test, least_progress=0.001):
    """Section 3 of the paper for costs; ties and too little progress as in the authors' code."""
    rows, incumbents = [], []
    for t in range(1, len(validation) + 1):
        incumbent = min(range(t), key=lambda i: validation[i])  # the first of equals
        incumbents.append(test[incumbent])
        lost, progress = test[incumbent] - min(incumbents), incumbents[0] - min(incumbents)
        relative = lost / progress if progress >= least_progress else np.nan
        rows.append((validation[incumbent], test[incumbent], min(incumbents), lost, relative))
    return np.array(rows)


COLUMNS = ["validation", "test", "best", "overtuning", "relative"]


@given(SCORES, st.sampled_from(["min", "max"]))
def test_one_objective_is_the_papers_definition(scores, direction):
    validation, test = np.array(scores).T
    sign = 1 if direction == "min" else -1
    run = pd.DataFrame({"val_loss": sign * validation, "test_loss": sign * test})
    found = asked.gap(run, objectives={"loss": direction}).overtuning().table
    expected = by_definition(validation, test) * [sign, sign, sign, 1, 1]
    np.testing.assert_allclose(found[COLUMNS].to_numpy(), expected, atol=1e-12)
    assert found["evaluations"].tolist() == list(range(1, len(scores) + 1))


def test_german_credit_runs_one_objective():
    runs = datasets.load_german_credit_runs().query("model == 'random forest' and seed in (1, 2, 1337)")
    by = "seed"
    found = asked.gap(runs, objectives={"precision": "max"}, by=by).overtuning()
    for seed, part in runs.groupby(by, sort=False):
        part = part.sort_values("configuration") if not part["configuration"].is_monotonic_increasing else part
        expected = by_definition(-part["val_precision"].to_numpy(), -part["test_precision"].to_numpy())
        shown = found.table[found.table[by] == seed]
        np.testing.assert_allclose(shown[COLUMNS].to_numpy(), expected * [-1, -1, -1, 1, 1], atol=1e-12)
    assert len(found.final) == runs[by].nunique()


@pytest.mark.parametrize("k", [2, 3])
def test_fronts_equal_measuring_every_prefix(k):
    rng = np.random.default_rng(k)
    names = list("abc"[:k])
    validation, test = rng.integers(0, 8, (2, 30, k)).astype(float)
    run = pd.DataFrame(
        np.hstack([validation, test]), columns=[f"val_{n}" for n in names] + [f"test_{n}" for n in names]
    )
    found = asked.gap(run, objectives=dict.fromkeys(names, "min"), reference=dict.fromkeys(names, 9.0)).overtuning()
    values = []
    for t in range(1, 31):
        front = [i for i in range(t) if not any(
            (validation[j] <= validation[i]).all() and (validation[j] < validation[i]).any() for j in range(t)
        )]  # fmt: skip
        values.append(moocore.hypervolume(test[front], ref=[9.0] * k))
    best = np.maximum.accumulate(values)
    np.testing.assert_allclose(found.table["test"], values)
    np.testing.assert_allclose(found.table["best"], best)
    np.testing.assert_allclose(found.table["overtuning"], best - values, atol=1e-12)
    progressed = best - values[0] >= 0.001
    expected = (best - values)[progressed] / (best - values[0])[progressed]
    np.testing.assert_allclose(found.table["relative"][progressed], expected, atol=1e-12)
    assert found.table["relative"][~progressed].isna().all()
    assert (found.table["overtuning"] > 0).any()


def test_order_groups_repetitions_and_rows_left_out():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(rng.random((40, 2)), columns=["val_e", "test_e"]).assign(
        model=np.repeat(["x", "y"], 20), seed=np.tile(np.repeat([1, 2], 10), 2), step=np.tile(range(10), 4)
    )
    options = {"objectives": {"e": "min"}, "order": "step"}
    found = asked.gap(runs.sample(frac=1, random_state=0), by="model", repeat="seed", **options).overtuning()
    part = runs[(runs["model"] == "y") & (runs["seed"] == 2)]
    alone = asked.gap(part, **options).overtuning()
    here = found.table[(found.table["model"] == "y") & (found.table["seed"] == 2)]
    pd.testing.assert_frame_equal(here[alone.table.columns].reset_index(drop=True), alone.table)
    assert len(found.final) == 4
    assert sentence(found, "overtuning.headline.several")["n"] == 4
    holed = part.copy()
    holed.iloc[[0, 4], 0] = np.nan
    with pytest.warns(RowsOmittedWarning, match="2 of 10"):
        kept = asked.gap(holed, nan_policy="omit", **options).overtuning().table
    without = asked.gap(holed.dropna(), **options).overtuning().table
    assert np.isnan(kept["test"].iloc[0])
    pd.testing.assert_frame_equal(kept[COLUMNS].drop(index=[0, 4]).reset_index(drop=True), without[COLUMNS])


def test_what_is_refused():
    run = pd.DataFrame({"val_e": [1.0, np.inf], "test_e": [1.0, 2.0]})
    found = asked.gap(run, objectives={"e": "min"}, reference={"e": 3.0})
    with pytest.raises(ValueError, match="infinite scores, for which overtuning is undefined"):
        found.overtuning()
    with pytest.raises(ValueError, match="`least_progress`"):
        found.overtuning(least_progress=-1)


@pytest.mark.parametrize("repeat", [None, "seed"])
def test_pictures_show_what_is_lost(repeat):
    runs = datasets.load_german_credit_runs().query("model == 'random forest'")
    runs = runs if repeat else runs.query("seed == 1337")
    found = asked.gap(runs, objectives={"precision": "max", "recall": "max"}, repeat=repeat).overtuning()
    ax = found.plot()
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
    if repeat:
        mean = found.table.groupby("evaluations")["overtuning"].mean()
        np.testing.assert_allclose(drawn["overtuning"], mean)
    else:
        np.testing.assert_allclose(drawn["on test"], found.table["test"])
        np.testing.assert_allclose(drawn["on test, best so far"], found.table["best"])


def test_scores_too_large_to_draw_are_refused():
    run = pd.DataFrame({"val_loss": [1.7e308, 1.7e308], "test_loss": [1.7e308, 1.7e308]})
    with pytest.raises(ValueError, match="objective 'loss' holds values beyond 1e\\+300, which cannot be drawn"):
        asked.gap(run, objectives={"loss": "min"}, reference={"loss": 1.7e308}).overtuning().plot()


def test_words_name_the_reference_point_only_of_hypervolumes():
    run = pd.DataFrame({"val_a": [0.1, 0.2], "test_a": [0.3, 0.1], "val_b": [0.1, 0.2], "test_b": [0.3, 0.4]})
    one = asked.gap(run, objectives={"a": "max"}).overtuning()
    found = sentence(one, "overtuning.reasons.incumbent_worse")
    assert (found["best"], found["lost"]) == pytest.approx((0.3, 0.2))
    assert "reference_point.details.point" not in said_by(one)
    two = asked.gap(run, objectives={"a": "max", "b": "max"}, reference={"a": 0.0, "b": 0.0}).overtuning()
    assert sentence(two, "reference_point.details.point") == {"point": "a = 0, b = 0"}
