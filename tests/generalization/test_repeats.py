"""Gaps over repetitions, and over resamples of the test set."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.generalization.result import QUANTITIES
from tests import asked
from tests.said import sentence

OBJECTIVES = {"precision": "max", "recall": "max"}
ORIGIN = {"precision": 0.0, "recall": 0.0}


@pytest.fixture
def splits():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.random((90, 4)), columns=["val_precision", "val_recall", "test_precision", "test_recall"])
    return table.assign(split=np.repeat(list("abcdef"), 15), data=np.repeat(["one", "two"], 45))


def test_groups_are_summarized_in_one_table(splits):
    options = {"objectives": OBJECTIVES, "reference": ORIGIN}
    single = asked.gap(splits, by="data", **options)
    assert single.summary.index.tolist() == ["one", "two"]
    assert single.summary.loc["two"].to_dict() == single["two"].summary.to_dict()
    repeated = asked.gap(splits, by="data", repeat="split", **options)
    pd.testing.assert_frame_equal(repeated.summary.loc["one"], repeated["one"].summary)


@pytest.mark.parametrize("quantity", ["hv_optimistic", "optimism"])
def test_interval_of_a_hypervolume_is_students(splits, quantity):
    result = asked.gap(splits, objectives=OBJECTIVES, reference=ORIGIN, repeat="split")
    values = result.table[quantity]
    expected = stats.t.interval(0.9, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    assert result.interval(quantity, confidence_level=0.9) == pytest.approx(expected)
    low, high = result.interval(quantity, confidence_level=0.9, resplit_ratio=1 / 3)
    # Nadeau and Bengio: 1/6 + 1/3 in place of 1/6.
    assert (high - low) / (expected[1] - expected[0]) == pytest.approx(math.sqrt(3))
    summary = result.repeats(confidence_level=0.9)
    assert tuple(summary.loc[quantity, ["low", "high"]]) == pytest.approx(expected)
    assert summary.loc[quantity, "sd"] == pytest.approx(values.std())
    assert sentence(result, "gap.details.gap_mean_interval")["n"] == 6
    assert "at least 93% coverage in simulations" in result.explain()
    assert "Approximation gap, repeated" in result._repr_html_()


def test_upper_end_of_a_gap_is_on_the_logarithmic_scale(splits):
    result = asked.gap(splits, objectives=OBJECTIVES, reference=ORIGIN, repeat="split")
    gaps = result.table["gap"]
    low, high = stats.t.interval(0.9, len(gaps) - 1, loc=gaps.mean(), scale=stats.sem(gaps))
    upper = gaps.mean() * math.exp((high - gaps.mean()) / gaps.mean())
    assert result.interval(confidence_level=0.9) == pytest.approx(
        (low, min(upper, result.table["hv_optimistic"].max()))
    )


@pytest.mark.parametrize("quantity", ["gap", "relative_gap"])
def test_interval_of_a_gap_is_never_negative(splits, quantity):
    few = asked.gap(splits[splits["split"] < "c"], objectives=OBJECTIVES, reference=ORIGIN, repeat="split")
    values = few.table[quantity]
    assert stats.t.interval(0.95, 1, loc=values.mean(), scale=stats.sem(values))[0] < 0
    low, high = few.interval(quantity)
    assert 0 == low <= values.mean() <= high <= 1
    assert few.summary.loc[quantity, "sd"] == pytest.approx(values.std()), "of two values, too"
    assert "93%" not in few.explain()


def test_a_gap_ends_at_the_optimistic_hypervolume_and_a_share_of_it_at_1(splits):
    wide = {name: 10 * splits[name] for name in splits.columns if splits[name].dtype.kind == "f"}
    few = asked.gap(
        splits.assign(**wide)[splits["split"] < "c"], objectives=OBJECTIVES, reference=ORIGIN, repeat="split"
    )
    largest = few.table["hv_optimistic"].max()
    assert largest > 1
    level = 1 - 1e-6
    assert few.interval("gap", confidence_level=level)[1] == pytest.approx(largest)
    assert few.interval("relative_gap", confidence_level=level)[1] == 1


def test_one_repetition_has_no_interval(splits):
    own = splits["data"].eq(splits["data"].iloc[0])
    single = splits[~own | splits["split"].eq(splits["split"].iloc[0])]
    result = asked.gap(single, objectives=OBJECTIVES, reference=ORIGIN, by="data", repeat="split")[
        splits["data"].iloc[0]
    ]
    assert all(math.isnan(end) for end in result.interval())
    assert "interval" not in result.explain()
    assert "nan" not in repr(result)


def test_an_unknown_repetition_is_an_error_of_repeat(splits):
    with pytest.raises(ValueError, match=r"`repeat` names 'splt'.*Did you mean 'split'"):
        asked.gap(splits, objectives=OBJECTIVES, repeat="splt")
    splits.loc[20, ["test_precision", "test_recall"]] = [np.inf, 0.5]
    splits.loc[20, ["val_precision", "val_recall"]] = 1.0
    with pytest.raises(ValueError, match="in group 'b' of `repeat`='split': a row is infinitely good"):
        asked.gap(splits, objectives=OBJECTIVES, reference=ORIGIN, repeat="split")


def test_arguments_of_the_interval_are_checked(splits):
    result = asked.gap(splits, objectives=OBJECTIVES, reference=ORIGIN, repeat="split")
    with pytest.raises(ValueError, match="`quantity` is 'gaps'"):
        result.interval("gaps")
    with pytest.raises(ValueError, match="`confidence_level` is 95"):
        result.interval(confidence_level=95)
    with pytest.raises(ValueError, match="`resplit_ratio` is -1"):
        result.interval(resplit_ratio=-1)


@pytest.fixture
def predicted():
    rng = np.random.default_rng(8)
    truth = (rng.random(60) < 0.4).astype(int)
    noise = rng.random((10, 60))
    predictions = pd.DataFrame(
        np.where(noise < np.linspace(0.1, 0.5, 10)[:, None], 1 - truth, truth), index=[f"m{i}" for i in range(10)]
    )
    frame = pd.DataFrame(
        {"val_precision": np.linspace(0.9, 0.3, 10), "val_recall": np.linspace(0.2, 0.8, 10)}, index=predictions.index
    )
    return frame, predictions, truth


METRICS = {"precision": "precision", "recall": "recall"}


def with_test(frame):
    """Scores on test, which draws do not look at."""
    return frame.assign(**{name.replace("val_", "test_"): scores[::-1].to_numpy() for name, scores in frame.items()})


def bootstrap(frame, predictions, truth=None, **options):
    drawn = {"metrics": METRICS, "n_resamples": 30}
    drawn |= {name: options.pop(name) for name in ("metrics", "n_resamples", "rng") if name in options}
    measured = asked.gap(with_test(frame), **{"objectives": OBJECTIVES, "reference": ORIGIN, **options})
    return measured.bootstrap(predictions, truth, **drawn)


def test_estimate_is_the_gap_of_the_scores(predicted):
    frame, predictions, truth = predicted
    hits = ((predictions == 1) & (truth == 1)).sum(axis=1)
    test = pd.DataFrame({"precision": hits / (predictions == 1).sum(axis=1), "recall": hits / truth.sum()})
    plain = frame.rename(columns=lambda c: c.removeprefix("val_"))
    expected = asked.gap(plain, test=test, objectives=OBJECTIVES, reference=ORIGIN)
    estimate = bootstrap(frame, predictions, truth).estimate
    assert estimate.hv_optimistic == pytest.approx(expected.hv_optimistic)
    assert estimate.hv_pessimistic == pytest.approx(expected.hv_pessimistic)
    assert list(estimate.optimistic) == list(expected.optimistic)
    for name in OBJECTIVES:
        scored = estimate.table[f"test {name}"]
        np.testing.assert_allclose(scored, test.loc[scored.index, name])


def test_draws_score_the_rows_that_were_drawn(predicted):
    frame, predictions, truth = predicted
    result = bootstrap(frame, predictions, truth, n_resamples=3, rng=11)
    rng = np.random.default_rng(11)
    for draw in range(3):
        rows = np.sort(rng.integers(60, size=60))
        resampled = predictions.iloc[:, rows].set_axis(range(60), axis=1)
        expected = bootstrap(frame, resampled, truth[rows], n_resamples=1).estimate
        assert result.gaps[draw].gap == pytest.approx(expected.gap)


def test_same_seed_same_draws(predicted):
    one, two = bootstrap(*predicted, rng=4), bootstrap(*predicted, rng=4)
    pd.testing.assert_frame_equal(one.table, two.table)
    assert not one.table.equals(bootstrap(*predicted, rng=5).table)
    assert one.interval() == two.interval()
    assert sentence(one, "gap.details.dominated_in_resamples")["share"]["n"] == 30
    assert "at least 93% coverage in simulations" in one.explain()


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_interval_of_a_bootstrap_holds_the_estimate(predicted, quantity):
    frame, predictions, truth = predicted
    for columns in (slice(None), slice(0, 25), slice(20, 50)):
        result = bootstrap(frame, predictions.iloc[:, columns], truth[columns], n_resamples=100)
        low, high = result.interval(quantity)
        assert low <= getattr(result.estimate, quantity) <= high
        assert low >= 0 or quantity == "optimism"
        narrow = result.interval(quantity, confidence_level=0.5)
        assert low <= narrow[0] <= narrow[1] <= high


def test_equal_models_may_have_no_gap():
    # Six models of equal rates: their gap is 0 in truth, and on every draw above it.
    rng = np.random.default_rng(12)
    truth = np.arange(300) % 3 == 0
    predictions = pd.DataFrame(np.where(rng.random((6, 300)) < 0.25, ~truth, truth).astype(int))
    place = np.linspace(0.1, 0.9, 6)
    frame = pd.DataFrame({"val_precision": place, "val_recall": 1 - place})
    result = bootstrap(frame, predictions, truth.astype(int), n_resamples=200)
    assert np.quantile(result.table["gap"], 0.025) > 0
    assert result.estimate.gap > 0
    assert result.interval()[0] == result.interval("relative_gap")[0] == 0


def test_counts_have_a_range_of_draws(predicted):
    result = bootstrap(*predicted, n_resamples=50)
    drawn = np.quantile(result.table["n_dominated"], [0.1, 0.9])
    assert result.interval("n_dominated", confidence_level=0.8) == pytest.approx(tuple(drawn))
    drawn = result.plot(quantity="n_dominated", confidence_level=0.8).get_children()
    assert "80% of the draws" in [line.get_label() for line in drawn]


def test_size_of_the_test_set_is_needed(predicted):
    result = bootstrap(*predicted, n_resamples=5)
    assert result.n_instances == 60
    with pytest.raises(ValueError, match="`n_instances` is missing"):
        GapOfRepeats(result.gaps, "bootstrap", result.estimate).interval()


def test_named_metrics_equal_functions(predicted):
    frame, predictions, truth = predicted
    frame = frame.set_axis(["val_right", "val_wrong"], axis=1)
    options = {"objectives": {"right": "max", "wrong": "min"}, "reference": {"right": 0, "wrong": 1}}
    named = bootstrap(frame, predictions, truth, metrics={"right": "accuracy", "wrong": "error"}, **options)
    given = bootstrap(
        frame,
        predictions,
        truth,
        metrics={"right": lambda t, p: (t == p).mean(), "wrong": lambda t, p: (t != p).mean()},
        **options,
    )
    np.testing.assert_allclose(named.table["gap"], given.table["gap"])
    right = (predictions == truth).astype(float)
    means = bootstrap(frame, right, None, metrics={"right": "mean", "wrong": "mean"}, **options)
    assert means.estimate.gap >= 0


def test_precision_and_recall_are_scikit_learns_for_class_1():
    of_class_1 = {"labels": [1], "average": "macro", "zero_division": 0}
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 60)
    predictions = pd.DataFrame(rng.integers(0, 3, (3, 60)), index=["a", "b", "c"])
    frame = pd.DataFrame({"val_p": [0.3, 0.2, 0.1], "val_r": [0.1, 0.2, 0.3]}, index=["a", "b", "c"])
    metrics = pytest.importorskip("sklearn.metrics")
    options = {"objectives": {"p": "max", "r": "max"}, "reference": {"p": 0, "r": 0}}
    named = bootstrap(frame, predictions, truth, metrics={"p": "precision", "r": "recall"}, **options)
    functions = {
        name: lambda t, p, score=score: score(t, p, **of_class_1)
        for name, score in (("p", metrics.precision_score), ("r", metrics.recall_score))
    }
    pd.testing.assert_frame_equal(named.table, bootstrap(frame, predictions, truth, metrics=functions, **options).table)


def test_predictions_of_the_front_suffice(predicted):
    frame, predictions, truth = predicted
    frame.loc["m3"] = [0.0, 0.0]
    whole = bootstrap(frame, predictions, truth)
    assert bootstrap(frame, predictions.drop(index="m3"), truth).table.equals(whole.table)
    with pytest.raises(ValueError, match="lacks 1 rows of the validation front"):
        bootstrap(frame, predictions.drop(index="m4"), truth)


def test_no_positive_prediction_scores_zero(predicted):
    frame, predictions, truth = predicted
    result = bootstrap(frame, predictions * 0, truth)
    assert result.estimate.hv_optimistic == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"reference": "worst"}, ValueError, "would change with every resample"),
        ({"metrics": {"precision": "precision"}}, ValueError, "`metrics` lacks 'recall'"),
        ({"metrics": {"precision": "precision", "recall": "sensitivity"}}, ValueError, "`metrics` is 'sensitivity'"),
        ({"truth": None}, ValueError, "`truth` is needed"),
        ({"truth": [1, 0]}, ValueError, r"`truth` has shape \(2,\)"),
        ({"n_resamples": 0}, ValueError, "`n_resamples` is 0"),
        ({"rng": "seed"}, ValueError, "`rng` is 'seed'"),
        ({"validation": "dev_"}, ValueError, "of which 'dev_precision' is missing"),
    ],
)
def test_bad_arguments_are_named(predicted, options, error, words):
    frame, predictions, truth = predicted
    with pytest.raises(error, match=words):
        bootstrap(frame, predictions, **{"truth": truth, **options})
