import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.plotting.pictures import picture_of
from copa_nb.results.offered import plot_of
from tests import asked
from tests.said import said_by, sentence


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    rows = [
        {"task": f"t{t}", "tool": tool, "auc": round(rng.random(), 1), "seconds": rng.integers(1, 50)}
        for t in range(12) for tool in ("a", "b", "c", "rf") if not (tool == "c" and t > 8)
    ]  # fmt: skip
    return pd.DataFrame(rows).moo.define(auc="max")


def test_ccdf_counts_those_that_are_no_better(results):
    standing = asked.mean_ranks(results, system="tool", item="task")
    for (task, tool), auc in results.set_index(["task", "tool"])["auc"].items():
        group = results.loc[results["task"] == task, "auc"]
        assert standing.ccdf.loc[tool, task] == pytest.approx((group <= auc).mean())
    assert standing.ccdf.loc["c"].isna().sum() == 3
    assert (standing.ccdf.max() == 1).all()


def test_scaled_is_0_for_the_baseline_and_1_for_the_best(results):
    standing = asked.mean_ranks(results, system="tool", item="task", baseline="rf")
    auc = results.pivot(index="tool", columns="task", values="auc")
    expected = (auc - auc.loc["rf"]) / (auc.max() - auc.loc["rf"]).replace(0, np.nan)
    pd.testing.assert_frame_equal(standing.scaled.sort_index(axis=1), expected.sort_index(axis=1), check_names=False)
    assert standing.scaled.isna().all().sum() == (auc.max() == auc.loc["rf"]).sum()
    assert (standing.count_out_of_range((-0.5, 1.0)) == (expected < -0.5).sum(axis=1)[standing.scaled.index]).all()


def test_directions_do_not_matter(results):
    negated = asked.mean_ranks(
        results.assign(loss=-results["auc"]).moo(loss="min"), system="tool", item="task", baseline="rf"
    )
    plain = asked.mean_ranks(results, system="tool", item="task", baseline="rf")
    pd.testing.assert_frame_equal(negated.ccdf, plain.ccdf)
    pd.testing.assert_frame_equal(negated.scaled, plain.scaled)


def test_the_table_by_hand():
    frame = pd.DataFrame({"g": [1, 1, 2, 2, 3, 3], "i": list("xyxyxy"), "v": [1.0, 2, 1, 2, 2, 2]})
    table = asked.mean_ranks(frame.moo(v="min"), system="i", item="g").table
    assert table.loc["x"].round(6).to_dict() == {
        "mean": 1.0, "lower_quartile": 1.0, "median": 1.0, "upper_quartile": 1.0, "worst": 1.0, "mean_rank": 1.0,
        "won": 1.0, "items": 3.0,
    }  # fmt: skip
    assert table.loc["y", "mean_rank"] == pytest.approx((2 + 2 + 1) / 3)
    assert table.loc["y", "won"] == pytest.approx(1 / 3)


def test_groups_as_objectives_of_a_choice(results):
    standing = asked.mean_ranks(results[results["tool"] != "c"], system="tool", item="task")
    choice = standing.values.moo.copa(p=1)
    assert len(choice.weights) == 12
    assert choice.best == standing.table.index[0]


def test_several_objectives_and_several_group_columns(results):
    frame = results.assign(half=["x", "y"] * (len(results) // 2) + ["x"] * (len(results) % 2))
    standing = asked.mean_ranks(frame[frame["tool"] != "c"].moo(auc="max", seconds="min"), system="tool", item="task")
    assert standing.ccdf.shape == (3, 24)
    assert standing.values.attrs["moo"]["objectives"]["t0, seconds"] == "min"
    several = asked.mean_ranks(frame.moo(auc="max"), system="tool", item=["task", "half"])
    assert "t0, x" in several.ccdf.columns


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: pd.concat([f, f]), {}, "more than once"),
        (lambda f: f, {"baseline": "rff"}, "Did you mean 'rf'"),
        (lambda f: f, {"baseline": "c"}, "is missing from item"),
        (lambda f: f, {"system": "tol"}, "Did you mean 'tool'"),
        (lambda f: f.assign(tool=None), {}, "`system` column 'tool' is missing"),
    ],
)
def test_refusals(results, change, options, message):
    with pytest.raises(ValueError, match=message):
        asked.mean_ranks(change(results), **{"system": "tool", "item": "task", **options})


def test_it_shows_itself(results):
    import matplotlib.pyplot as plt

    standing = asked.mean_ranks(results, system="tool", item="task", baseline="rf")
    assert "no better" in standing._repr_html_()
    _, axes = plt.subplots(2, 1)
    standing.plot("scaled", ax=axes[0], view=(-0.2, 1.05))
    standing.plot(ax=axes[1], order=["rf", "a"])
    assert [tick.get_text() for tick in axes[1].get_yticklabels()] == ["rf", "a"]
    counted = sum(int(text.get_text().split()[0]) for text in axes[0].texts)
    assert counted == (standing.scaled < -0.2).sum().sum()
    with pytest.raises(ValueError, match="no baseline"):
        asked.mean_ranks(results, system="tool", item="task").plot("scaled")
    with pytest.raises(ValueError, match="`order` names 'xgb', which is not a system"):
        standing.plot(order=["xgb"])


def test_items_where_the_baseline_is_the_best_have_no_scale(results):
    auc = results.pivot(index="tool", columns="task", values="auc")
    n_scaled = int((auc.max() > auc.loc["rf"]).sum())
    assert 0 < n_scaled < 12
    standing = asked.mean_ranks(results, system="tool", item="task", baseline="rf")
    caption = picture_of(plot_of(standing, "scaled"), standing).caption
    assert f"Over {n_scaled} tasks of 12, without those where rf is the best" in caption
    best = results.assign(auc=results["auc"] + (results["tool"] == "rf")).moo.define(auc="max")
    with pytest.raises(ValueError, match="`baseline` of mean_ranks is 'rf', which is the best on every item"):
        asked.mean_ranks(best, system="tool", item="task", baseline="rf").plot("scaled")


def test_tiers_of_mean_ranks_are_those_of_ranks_as_scores(results):
    complete = results[results["task"].isin([f"t{t}" for t in range(9)])].copy()
    standing = asked.mean_ranks(complete, system="tool", item="task")
    found = standing.board(n_resamples=500)
    group = complete.groupby("task")["auc"]
    complete["mean_rank"] = group.rank(method="min", ascending=False)
    expected = asked.board(complete, system="tool", item="task", objectives={"mean_rank": "min"}, n_resamples=500)
    pd.testing.assert_frame_equal(found.table, expected.table, check_names=False)
    assert sentence(found, "board.details.measured") == {"measured": "mean ranks over 9 tasks"}


def test_a_group_with_several_objectives_counts_once(results):
    both = results[results["task"].isin([f"t{t}" for t in range(9)])].copy()
    standing = asked.mean_ranks(both.moo(auc="max", seconds="min"), system="tool", item="task")
    found = standing.board(n_resamples=200)
    by_task = both.groupby("task")
    ranks = [by_task["auc"].rank(method="min", ascending=False), by_task["seconds"].rank(method="min")]
    expected = pd.Series(np.mean(ranks, axis=0), index=both["tool"]).groupby(level=0).mean()
    pd.testing.assert_series_equal(found.table["mean_rank"].sort_index(), expected, check_names=False)
    assert "9 tasks" in found.measured


def test_tiers_name_the_one_that_always_wins_and_refuse_what_has_no_spread(results):
    results["auc"] = np.where(results["tool"] == "rf", 2.0, results["auc"])
    standing = asked.mean_ranks(results, system="tool", item="task")
    found = standing.board(nan_policy="pairwise")
    assert found.may_be_first == ["rf"]
    assert found.table.loc["rf", ["low", "high"]].tolist() == [1, 1]
    with pytest.raises(ValueError, match="1 of 1 items"):
        asked.mean_ranks(results[results["task"] == "t0"], system="tool", item="task").board()
    with pytest.raises(ValueError, match="`alpha`"):
        standing.board(alpha=2)


def test_items_that_lack_systems_are_not_left_out_in_silence(results):
    standing = asked.mean_ranks(results, system="tool", item="task")
    with pytest.raises(ValueError, match=r'3 of 12 items lack some systems.*pass nan_policy="pairwise"'):
        standing.board()
    with pytest.raises(ValueError, match="`nan_policy` is 'omit', which would leave out whole items"):
        standing.board(nan_policy="omit")
    assert standing.board(nan_policy="pairwise").guarantee.warnings[-1].name == "missing_values"


def incomplete(seed, n_items=40, n_systems=6, missing=0.3, skills=None):
    """Errors of systems on items of shared difficulty, some rows missing."""
    rng = np.random.default_rng(seed)
    skills = np.arange(n_systems) if skills is None else np.asarray(skills)
    values = skills + rng.normal(size=(n_items, 1)) + rng.normal(size=(n_items, n_systems))
    item, system = np.indices(values.shape).reshape(2, -1)
    frame = pd.DataFrame({"task": item, "tool": [f"t{k}" for k in system], "error": values.ravel()})
    return frame[rng.random(len(frame)) >= missing]


READING = {"system": "tool", "item": "task", "objectives": {"error": "min"}}


@pytest.mark.parametrize("seed", range(3))
def test_ranks_in_pairs_are_stretched_to_all_systems(seed):
    frame = incomplete(seed)
    found = asked.mean_ranks(frame, **READING).board(nan_policy="pairwise", n_resamples=200)
    ranks = frame.assign(rank=frame.groupby("task")["error"].rank(method="min"))
    counts = ranks.groupby("task")["error"].transform("size")
    ranks["rank"] = 1 + (ranks["rank"] - 1) * 5 / (counts - 1)
    expected = ranks[counts > 1].pivot(index="task", columns="tool", values="rank")
    read = found.inputs
    items = pd.DataFrame(read.items[:, 0, :, 0], columns=read.labels)
    assert items[sorted(items)].to_numpy() == pytest.approx(expected[sorted(expected)].to_numpy(), nan_ok=True)
    assert "bounds" not in found.explain()
    assert "missing at random" in found.explain()


def test_ranks_in_pairs_without_gaps_are_the_usual_ones():
    standing = asked.mean_ranks(incomplete(0, missing=0.0), **READING)
    usual, pairs = standing.board(n_resamples=300), standing.board(n_resamples=300, nan_policy="pairwise")
    assert usual.table.equals(pairs.table)
    assert standing.n_incomplete == 0
    assert "mean_ranks.details.incomplete" not in said_by(standing)


def test_lacking_items_with_strong_competitors_does_not_help_in_pairs():
    """Of two equal tools one was run only where the two best were not."""
    frame = incomplete(4, n_items=120, n_systems=5, missing=0.0, skills=[0, 0, 3, 3, 6])
    strong, easy = frame["tool"].isin(["t0", "t1"]), frame["task"] < 50
    frame = frame[~(strong & easy) & ~((frame["tool"] == "t3") & (frame["task"] >= 60))]
    standing = asked.mean_ranks(frame, **READING)
    assert standing.table.loc["t3", "mean"] > standing.table.loc["t2", "mean"] + 0.1
    assert sentence(standing, "mean_ranks.details.incomplete") == {"n": 110, "items": "tasks", "systems": "tools"}
    pairs = standing.board(nan_policy="pairwise", n_resamples=500)
    means = pairs.table["mean_rank"]
    assert abs(means["t3"] - means["t2"]) < 0.5
    assert not pairs.ahead.loc["t3", "t2"]
    assert pairs.ahead.loc["t0", ["t3", "t4"]].all()


def test_what_ranks_in_pairs_cannot_tell_is_refused():
    frame = incomplete(5)
    alone = pd.concat([frame, pd.DataFrame({"task": [99], "tool": ["alone"], "error": [1.0]})])
    standing = asked.mean_ranks(alone, **READING)
    with pytest.raises(ValueError, match="`system` alone shares no item with another system; leave it out"):
        standing.board(nan_policy="pairwise")
    with pytest.raises(ValueError, match=r'nan_policy="pairwise"'):
        standing.friedman()
    with pytest.raises(ValueError, match="`nan_policy` is 'bounds'"):
        standing.board(nan_policy="bounds")


def test_ranks_have_a_limit():
    """No failure on a task can cost more than the last place."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "system": np.repeat(list("abcd"), 60), "task": [*range(60)] * 4, "cost": rng.lognormal(size=240),
    })  # fmt: skip
    tiers = asked.mean_ranks(frame, system="system", item="task", objectives={"cost": "min"}).board(n_resamples=100)
    assert tiers.guarantee.warnings == ()


@pytest.mark.parametrize(("policy", "ranks"), [("omit", [4 / 3, 1.5, 8 / 3]), ("pairwise", [4 / 3, 1.5, 8 / 3]),
                                               ("worst", [4 / 3, 2.0, 8 / 3])])  # fmt: skip
@pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RowsOmittedWarning")
def test_a_missing_score_is_treated_as_the_table_says(policy, ranks):
    """System y has no score on the third item: it is absent there, or the last of three."""
    costs = {"x": [1.0, 2, 1], "y": [2.0, 1, np.nan], "z": [3.0, 3, 2]}
    frame = pd.DataFrame(costs).melt(ignore_index=False, var_name="system", value_name="cost").reset_index(names="item")
    described = {"cost": "min", "system": "system", "item": "item"}
    found = copa_nb.moo(frame, **described, nan_policy=policy).mean_ranks()
    assert found.table["mean_rank"].sort_index().tolist() == pytest.approx(ranks)
    with pytest.raises(ValueError, match="missing values"):
        copa_nb.moo(frame, **described).mean_ranks()
    if policy == "worst":
        with pytest.raises(ValueError, match="1 of 3 items lack rows of some systems"):
            copa_nb.moo(frame.dropna(), **described, nan_policy=policy).mean_ranks()
