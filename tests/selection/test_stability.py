import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import copa_nb
from copa_nb.tables.objectives import RunsWarning
from tests import asked
from tests.over_runs import over_runs
from tests.said import said_by, sentence


@pytest.fixture
def models():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"accuracy": rng.random(60), "cost": rng.integers(0, 9, 60)}, index=[f"m{i}" for i in range(60)]
    )
    return frame.moo.define(accuracy="max", cost="min")


@pytest.fixture
def runs():
    rng = np.random.default_rng(1)
    rows = [
        {"model": f"m{m}", "seed": s, "accuracy": 0.5 + m / 20 + rng.normal(0, 0.05), "cost": float(m)}
        for m in range(6) for s in range(4)
    ]  # fmt: skip
    return pd.DataFrame(rows).moo.define(accuracy="max", cost="min")


def test_shares_count_the_choices(models):
    choice = models.moo.copa(where="cost > 1")
    result = choice.stability(n_resamples=300, rng=0)
    counted = result.chosen.value_counts(normalize=True)
    assert result.share.sum() == pytest.approx(1.0)
    for name, share in result.share.items():
        assert share == pytest.approx(counted.get(name, 0.0))
    assert result.best == choice.best
    assert (result.table["cost"] > 1).all()
    assert result.share.is_monotonic_decreasing
    np.testing.assert_allclose(result.table["error"], np.sqrt(result.share * (1 - result.share) / 300))


def test_a_row_that_is_best_everywhere_is_always_chosen():
    frame = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": [0.0, 1, 2, 3]}, index=list("wxyz"))
    result = asked.copa(frame, objectives={"a": "min", "b": "min"}).stability(n_resamples=50, rng=0)
    assert result.share.to_dict() == {"w": 1.0}
    assert sentence(result, "stability.headline.firm") == {"best": "w"}
    assert sentence(result, "choice.certainty.resampled")["over"] == "the population"


def test_ties_of_a_resample_are_not_broken_by_the_full_table():
    """Two rows that mirror each other are chosen equally often, though the full table puts one first."""
    values = np.array([[0.0, 2.0], [2.0, 0.0], [1.0, 3.0], [3.0, 1.0], [3.0, 3.0], [0.0, 9.0]])
    frame = pd.DataFrame(values, columns=["a", "b"], index=list("xyzuvw"))
    shares = asked.copa(frame, objectives={"a": "min", "b": "min"}).stability(n_resamples=4000, rng=0).share
    resamples = np.array(list(itertools.product(range(6), repeat=6)))
    expected = np.zeros(6)
    for drawn in resamples[np.random.default_rng(0).permutation(len(resamples))[:4000]]:
        population = values[drawn]
        better = (population[None] < values[:, None]).sum(axis=1)
        keys = list(zip(better.max(axis=1), better.sum(axis=1), better.sum(axis=1), strict=True))
        tied = [row for row in range(6) if keys[row] == min(keys) and row not in (2, 3, 4, 5)]
        expected[tied] += 1 / len(tied) / 4000
    for name, share in zip("xy", expected[:2], strict=True):
        assert shares[name] == pytest.approx(share, abs=0.04)


def test_models_may_be_the_index_and_seeds_a_level(runs):
    by_column = over_runs(runs, system="model", repeat="seed", n_resamples=100, rng=0)
    by_level = over_runs(runs.set_index(["model", "seed"]), repeat="seed", n_resamples=100, rng=0)
    by_index = over_runs(runs.set_index("model"), repeat="seed", n_resamples=100, rng=0)
    two = over_runs(runs.assign(family="f"), system=["family", "model"], repeat="seed", n_resamples=100, rng=0)
    assert two.table.index.names == ["family", "model"]
    assert [name for _, name in two.chosen] == by_column.chosen.tolist()
    assert by_column.chosen.tolist() == by_level.chosen.tolist() == by_index.chosen.tolist()


def test_a_constraint_on_runs_is_asked_of_the_means(runs):
    with pytest.warns(RunsWarning, match="'model' and 'seed' number runs"):
        choice = runs.moo.copa(where="cost >= 3")
    result = choice.stability(system="model", repeat="seed", n_resamples=100, rng=0)
    assert set(result.share.index) <= {"m3", "m4", "m5"}
    means = runs.groupby("model").mean(numeric_only=True).moo(accuracy="max", cost="min").copa(where="cost >= 3")
    of_means = means.stability(runs, system="model", repeat="seed", n_resamples=100, rng=0)
    assert of_means.best == means.best
    pd.testing.assert_frame_equal(of_means.table, result.table)


@pytest.mark.parametrize("normalize", ["minmax", "relative", "none"])
def test_other_normalisations_are_refitted_on_each_resample(models, normalize):
    frame = models.assign(cost=models["cost"] + 1.0)
    result = frame.moo.copa(normalize=normalize).stability(n_resamples=50, rng=0)
    assert result.best == frame.moo.copa(normalize=normalize).best
    spread = result.table[["sd_accuracy", "sd_cost"]].to_numpy()
    assert (spread == 0).all() if normalize == "none" else (spread > 0).any()


def test_both_sources_at_once(runs):
    result = over_runs(runs, system="model", repeat="seed", over="both", paired=True, n_resamples=200, rng=0)
    assert result.share.sum() == pytest.approx(1.0)
    assert "the runs and the population" in result.explain()


def test_errors_of_ranks_that_tie_without_rows_that_lack_values():
    frame = pd.DataFrame({"a": [1.0, 2.0, 2.0, np.nan]})
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        errors = asked.copa(frame.moo(a="min"), nan_policy="omit").rank_intervals()["error_a"]
    first, second = stats.beta(1, 3).std(), stats.beta(2, 2).std()
    np.testing.assert_allclose(errors.to_numpy(), [first, second, second])


def test_rank_intervals_of_ties_missing_values_and_rows_outside():
    frame = pd.DataFrame({"a": [1.0, 2.0, 2.0, np.nan], "b": [3.0, 2.0, 1.0, 0.0]})
    with pytest.warns(copa_nb.tables.objectives.RowsOmittedWarning):
        intervals = asked.copa(frame.moo(a="min", b="max"), nan_policy="omit").rank_intervals()
    assert list(intervals) == ["u_a", "error_a", "low_a", "high_a", "u_b", "error_b", "low_b", "high_b"]
    # In a, values tie: the interval of the best reaches down to 0; in b they do not.
    assert intervals.loc[0, ["u_a", "low_a", "u_b"]].tolist() == [0.0, 0.0, 0.0]
    assert intervals.loc[0, "low_b"] == pytest.approx(stats.beta(1, 3).ppf(0.025))
    assert intervals.loc[1, "low_a"] == pytest.approx(stats.beta(1, 3).ppf(0.025))
    assert 3 not in intervals.index
    frozen = copa_nb.Reference.fit(frame.dropna(), objectives={"a": "min", "b": "max"})
    outside = asked.copa(pd.DataFrame({"a": [0.0], "b": [0.0]}), reference=frozen).rank_intervals()
    assert outside[["low_a", "high_b"]].iloc[0].tolist() == [0.0, 1.0]
    whole = frame.dropna().moo(a="min").copa().rank_intervals(0.9, simultaneous=True)
    half = np.sqrt(np.log(20) / 6)
    assert whole["high_a"].tolist() == pytest.approx([half, 1.0, 1.0])
    with pytest.raises(ValueError, match="`confidence_level` is 95"):
        frame.dropna().moo(a="min").copa().rank_intervals(95)


def test_what_shares_do_not_say_is_said(models, runs):
    shares = models.moo.copa().stability(n_resamples=50)
    assert shares.guarantee.confidence_level is None
    assert shares.guarantee.statement in shares.explain()
    (remark,) = shares.guarantee.remarks
    assert "simulations" in remark
    assert "choice.certainty.resampled_rivals" in said_by(shares)
    choice = models.moo.copa().to_answer()
    for said in (shares.explain(), shares._repr_html_(), " ".join([choice.certainty, *choice.details])):
        assert "simulations" not in said
    table = pd.read_csv(Path(__file__).parents[2] / "docs" / "coverage.csv")
    rates = table[table["what"].str.startswith("stability(over='population')")]
    simulated = rates[["actual", "nominal"]].to_numpy()
    said = np.array(re.findall(r"in (\d+)% (?:of cases )?when [a-z ]+ said (\d+)%", remark), dtype=float) / 100
    assert len(said) >= 3
    assert all((abs(simulated - pair) <= 0.006).all(axis=1).any() for pair in said)
    # The setting in which shares run highest is among them.
    worst = simulated[(simulated[:, 1] - simulated[:, 0]).argmax()]
    assert (abs(said - worst) <= 0.006).all(axis=1).any()
    assert "new runs" in over_runs(runs, system="model", repeat="seed", n_resamples=50).guarantee.explain()


def test_rates_of_simulations_are_given_only_for_populations_of_their_sizes(models):
    assert models.head(20).moo.copa().stability(n_resamples=20).guarantee.remarks
    few = models.head(19).moo.copa().stability(n_resamples=20)
    many = pd.concat([models, models.add_prefix("again ", axis=0)]).moo.copa().stability(n_resamples=20)
    assert (few.guarantee.remarks, many.guarantee.remarks) == ((), ())
    assert few.explain().endswith(".")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "runs"}, "needs `repeat`"),
        ({"repeat": "nope"}, "`repeat` names 'nope'"),
        ({"over": "population", "repeat": "seed"}, "are for runs"),
        ({"over": "everything"}, "`over` is 'everything'"),
        ({"n_resamples": 0}, "`n_resamples` is 0"),
        ({"rng": "x"}, "`rng` is 'x'"),
    ],
)
def test_bad_options_say_what_is_wrong(runs, options, message):
    with pytest.warns(RunsWarning):
        choice = runs.moo.copa()
    with pytest.raises(ValueError, match=message):
        choice.stability(**options)


def test_runs_that_occur_twice_are_refused(runs):
    with pytest.raises(ValueError, match="repeats within a system"):
        over_runs(pd.concat([runs, runs]), system="model", repeat="seed")


@pytest.mark.parametrize("how", ["minmax", "relative"])
def test_scales_of_resamples_against_all_resamples_of_three_rows(how):
    # Shifted, so that 0 is the best value of some resamples, against which nothing is relative.
    values = np.array([[1.0, 9.0], [2.0, 3.0], [5.0, 0.5]]) - [2.0, 0.0]
    frame = pd.DataFrame(values, columns=["a", "b"], index=list("xyz"))
    options = {"objectives": {"a": "min", "b": "min"}, "p": 1, "weights": [0.55, 0.45], "normalize": how}
    expected = pd.Series(0.0, index=frame.index)
    for drawn in itertools.product(range(3), repeat=3):
        ideal, nadir = values[list(drawn)].min(axis=0), values[list(drawn)].max(axis=0)
        unit = nadir - ideal if how == "minmax" else np.abs(ideal)
        if (unit > 0).all():
            expected.iloc[np.argmin((values - ideal) / unit @ [0.55, 0.45])] += 1
    expected /= expected.sum()
    found = asked.copa(frame, **options).stability(n_resamples=2000, rng=3).share.reindex(frame.index, fill_value=0.0)
    assert len(expected[expected > 0]) > 1
    # Four standard errors.
    np.testing.assert_array_less(np.abs(found - expected), 4 * np.sqrt(0.25 / 2000))


@pytest.mark.parametrize(("how", "reference"), [("relative", "m0"), ("minmax", None), ("none", None), ("cdf", None)])
def test_every_scale_takes_resampled_models_and_seeds(runs, how, reference):
    runs = runs.assign(cost=runs["cost"] + 1)
    options = {
        "system": "model",
        "repeat": "seed",
        "normalize": how,
        "reference": reference,
        "n_resamples": 200,
        "rng": 0,
    }
    both, seeds = (over_runs(runs, over=over, **options) for over in ("both", "runs"))
    assert both.share.sum() == pytest.approx(1)
    if how == "none" or reference is not None:
        # A fixed yardstick is not resampled: only the seeds count.
        assert both.share.to_dict() == seeds.share.to_dict()


def test_pairing_needs_every_run(runs):
    with pytest.raises(ValueError, match="pass paired=False"):
        over_runs(runs.iloc[1:], system="model", repeat="seed", paired=True)


def test_a_frozen_population_cannot_be_resampled(models):
    frozen = copa_nb.Reference.fit(models)
    with pytest.raises(ValueError, match="has no rows to resample"):
        models.moo.copa(reference=frozen).stability()


def test_it_shows_itself(models):

    result = models.moo.copa().stability(n_resamples=100, rng=0)
    ax = result.plot()
    assert len(ax.patches) == min(len(result.table), 8) + (len(result.table) > 8)
    assert ax.patches[0].get_width() == pytest.approx(result.share.iloc[0])


@pytest.mark.parametrize("labels", [[np.nan] * 60, ["same"] * 60, [("a", 1)] * 60])
def test_labels_need_not_be_unique_or_known(models, labels):
    frame = models.set_axis(pd.Index(labels, tupleize_cols=False))
    plain, relabeled = (f.moo.copa(where="cost > 0").stability(n_resamples=100, rng=0) for f in (models, frame))
    assert relabeled.share.tolist() == plain.share.tolist()
    assert relabeled.best_row == plain.best_row
    often = sentence(relabeled, "choice.certainty.resampled_rivals")["often"]
    assert (often["share"], often["n"]) == (plain.share.iloc[plain.best_row], 100)
    relabeled.plot()


def test_the_same_call_gives_the_same_answer():
    frame = pd.DataFrame(np.random.default_rng(1).random((30, 3)), columns=list("xyz"))
    view = frame.moo(x="min", y="min", z="min")
    first, second, seeded = (
        view.copa().stability(n_resamples=60, **options).chosen for options in ({}, {}, {"rng": 0})
    )
    assert first.equals(second)
    assert first.equals(seeded)
    assert not view.copa().stability(n_resamples=60, rng=None).chosen.equals(first)
    assert view.copa().stability(n_resamples=60).chosen.equals(first)


def test_runs_that_name_no_model_are_refused():
    runs = pd.DataFrame({"acc": [1.0, 2.0], "run": [0, 0]}, index=["a", None])
    said = r"^the index names the system of every run, but is missing in some; fill it, or pass system=\.$"
    with pytest.raises(ValueError, match=said):
        over_runs(runs, objectives={"acc": "max"}, repeat="run", n_resamples=5)


@pytest.mark.parametrize("normalize", ["cdf", "minmax"])
def test_leaving_out_each_other_row_is_choosing_from_what_is_left(normalize):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(12, 3)), columns=list("abc")).moo.define(a="max", b="min", c="max")
    pick = frame.moo.copa(p=2, normalize=normalize)
    expected = [
        asked.copa(frame.drop(index=row), p=2, normalize=normalize).best for row in frame.index if row != pick.best
    ]
    found = pick.stability(over="others")
    assert found.chosen.tolist() == expected
    assert 0 < found.share[pick.best] < 1
    assert "one of the 11 other rows" in found.explain()


def test_rows_left_out_are_a_share_of_the_others_and_never_the_choice_or_the_baseline():
    frame = pd.DataFrame({"a": np.arange(1.0, 21), "b": np.arange(20.0, 0, -1)}).moo.define(a="max", b="max")
    pick = frame.moo.copa(normalize="relative", reference=5, where=frame.index != 5)
    found = pick.stability(over="others", leave_out=0.5, n_resamples=30)
    assert found.n_resamples == 30
    assert found.share.to_dict() == {pick.best: 1.0}, "relative values do not depend on other rows"
    assert "9 of the 18 other rows" in found.explain()


def test_rows_that_no_other_dominates_stay_if_only_dominated_ones_are_left_out():
    frame = pd.DataFrame({"a": [1.0, 2, 3, 0, 0.5], "b": [3.0, 2, 1, 0, 0.5]}, index=list("abcde"))
    found = asked.copa(frame, objectives={"a": "max", "b": "max"}).stability(over="others", dominated=True)
    assert found.n_resamples == 2
    with pytest.raises(ValueError, match="none of 0 dominated rows"):
        asked.copa(frame[:3], objectives={"a": "max", "b": "max"}).stability(over="others", dominated=True)


@pytest.mark.parametrize("leave_out", [0, 1.5, True, -0.5])
def test_what_is_left_out_is_each_row_or_a_share(leave_out):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 2, 1]}).moo.define(a="max", b="max")
    with pytest.raises(ValueError, match="`leave_out` is"):
        frame.moo.copa().stability(over="others", leave_out=leave_out)
    with pytest.raises(ValueError, match="are for over='others'"):
        frame.moo.copa().stability(leave_out=0.5)


@pytest.mark.parametrize("normalize", ["minmax", "relative", "none"])
@pytest.mark.parametrize("p", [1, 2, 8, "inf"])
def test_every_scale_is_resampled_under_every_norm(normalize, p):
    models = pd.DataFrame({"acc": [0.9, 0.8, 0.7, 0.6], "co2": [9.0, 3.0, 2.0, 1.0]}, index=list("abcd"))
    choice = models.moo(acc="max", co2="min").copa(p=p, normalize=normalize)
    shares = choice.stability(n_resamples=200).share
    assert shares.sum() == pytest.approx(1)
    assert set(shares.index) <= set(models.index)
