"""Means with standard errors and the numbers behind them: tests compared with scipy's, doubts, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from copa_nb.comparisons.arrays.counted_errors import read_counts, share_pvalues
from tests import asked
from tests.asked import scores_after_choice

WAYS = {"acc": "max", "cost": "min"}
VERBS = (asked.confident_front, asked.board, scores_after_choice)
ERRORS = {"standard_error": {"acc": "se"}, "objectives": WAYS}


def shares(acc, n, **columns):
    """A table of shares of right answers with their binomial errors."""
    acc = np.asarray(acc, dtype=float)
    return pd.DataFrame({"acc": acc, "se": np.sqrt(acc * (1 - acc) / n), "n": n, "cost": 1.0, **columns})


@pytest.fixture
def models():
    return shares([0.7, 0.8, 0.9], 100, cost=[1.0, 2.0, 3.0])


def warned(found):
    return [(caveat.name, caveat.sentence) for caveat in found.guarantee.warnings]


def of_pairs(first, second, n_first, n_second, margin=0.0):
    """p-values of all pairs of numbers of right answers."""
    first, second = np.asarray(first) / n_first, np.asarray(second) / n_second
    return share_pvalues(
        first[:, None], second, np.full((len(first), 1), float(n_first)), np.full(len(second), float(n_second)), margin
    )


@given(st.integers(0, 40), st.integers(0, 50), st.sampled_from([0.0, 0.05, 0.2]))
def test_the_limit_of_a_difference_reaches_the_margin_at_its_pvalue(first, second, margin):
    """Squares of the distances of the limits of both shares, by the quantiles of scipy."""
    pvalue = of_pairs([first], [second], 40, 50, margin)[0, 0]
    difference = first / 40 - second / 50
    if not 1e-12 < pvalue < 0.4:
        assert pvalue < 0.4 or difference > margin - 0.1
        return

    def limits(right, n):
        exact = stats.binomtest(right, n).proportion_ci(1 - 2 * pvalue, "exact")
        low, high = stats.beta.ppf([pvalue, 1 - pvalue], right + 0.5, n - right + 0.5)
        none = pvalue ** (1 / n)
        return (0 if right == 0 else min(low, none)), (1 if right == n else max(high, 1 - none)), exact

    (_, high, _), (low, _, _) = limits(first, 40), limits(second, 50)
    assert difference + np.hypot(high - first / 40, second / 50 - low) == pytest.approx(margin, abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 20), (50, 50), (60, 60), (30, 300), (300, 30)])
@pytest.mark.parametrize(
    ("second", "margin", "alpha", "most"),
    [
        *((second, margin, 0.05, 0.08) for second, margin in ((0.0, 0.05), (0.01, 0.05), (0.1, 0.1))),
        *((second, 0.0, alpha, most) for second in (0.03, 0.3) for alpha, most in ((0.05, 0.08), (0.001, 0.002))),
    ],
)
def test_the_level_is_kept_near_the_ends(sizes, second, margin, alpha, most):
    """All tables, each with its probability, of two shares that differ by exactly the margin."""
    answers = [np.arange(n + 1) for n in sizes]
    found = of_pairs(*answers, *sizes, margin) <= alpha
    of_first = stats.binom.pmf(answers[0], sizes[0], second + margin)
    assert of_first @ found @ stats.binom.pmf(answers[1], sizes[1], second) <= most


def test_many_answers_are_compared_by_the_z_test():
    first, second = 5200, 5500
    expected = stats.norm.cdf(-0.03 / np.sqrt((0.52 * 0.48 + 0.55 * 0.45) / 10_000))
    assert of_pairs([first], [second], 10_000, 10_000)[0, 0] == pytest.approx(expected, rel=0.02)
    assert of_pairs([second], [first], 10_000, 10_000)[0, 0] == pytest.approx(1 - expected)


def test_equivalents_of_other_means_have_welchs_pvalue():
    table = pd.DataFrame(
        {"score": [250.0, 251.0], "se": [1.0, 2.0], "n": [12, 30], "cost": [1.0, 2.0]}, index=["small", "large"]
    )
    found = asked.cheaper(
        table, "large", cost="cost", margin={"score": 5.0}, standard_error={"score": "se"}, n="n",
        objectives={"score": "max", "cost": "min"},
    )  # fmt: skip
    spread = table["se"] * np.sqrt(table["n"])
    expected = stats.ttest_ind_from_stats(
        255.0, spread["small"], 12, 251.0, spread["large"], 30, equal_var=False, alternative="greater"
    ).pvalue
    assert found.table.loc["small", "pvalue"] == pytest.approx(expected)


def test_answers_in_clusters_are_worth_fewer():
    n, acc = np.array([200.0, 200.0]), np.array([[0.6], [0.8]])
    errors = np.sqrt(4 * acc * (1 - acc) / 200)
    counts, _ = read_counts(acc, errors, n[:, None])
    assert counts.alike.ravel() == pytest.approx([50, 50], rel=0.01)
    assert counts.are_shares.tolist() == [True]
    # Grades vary less than answers that are right or wrong.
    graded, _ = read_counts(acc, errors / 10, n[:, None])
    assert graded.are_shares.tolist() == [False]
    # All but one of the clusters are wrong: the error is the mean, and no dependence within clusters makes it larger.
    one_right = np.zeros(20)
    one_right[0] = 1.0
    mean, error = one_right.mean(), one_right.std(ddof=1) / np.sqrt(20)
    assert error == pytest.approx(mean)
    for values in ([[mean], [0.5]], [[1 - mean], [0.5]]):
        alike, _ = read_counts(np.array(values), np.full((2, 1), error), n[:, None])
        assert alike.are_shares.tolist() == [True]
        losses, _ = read_counts(np.array(values), np.full((2, 1), 1.2 * error), n[:, None])
        assert losses.are_shares.tolist() == [False]


def test_percentages_and_shares_of_wrong_answers_have_the_same_verdicts():
    table = shares([0.7, 0.8, 0.97, 1.0, 1.0], 100, cost=[1.0, 2.0, 3.0, 4.0, 5.0])
    found = asked.confident_front(table, **ERRORS, n="n")
    percent = asked.confident_front(
        table.assign(acc=100 * table["acc"], se=100 * table["se"]), **ERRORS, n={"acc": "n"}
    )
    wrong = asked.confident_front(
        table.assign(acc=1 - table["acc"]), **{**ERRORS, "objectives": {"acc": "min", "cost": "min"}}, n="n"
    )
    for other in (percent, wrong):
        pd.testing.assert_series_equal(found.table["verdict"], other.table["verdict"])
    assert found.table["verdict"].nunique() > 1


def test_answers_that_are_all_right_decide_nothing_by_themselves():
    """20 of 20 against 19 of 20 at one price: the exact test of Fisher has a p-value of .5."""
    table = shares([0.95, 1.0], 20)
    assert stats.fisher_exact([[19, 1], [20, 0]], alternative="less").pvalue == pytest.approx(0.5)
    found = asked.confident_front(table, **ERRORS, n="n")
    assert found.table["verdict"].tolist() == ["undecided", "undecided"]
    cheap = shares([1.0, 1.0], 20, cost=[2.0, 1.0])
    equivalents = asked.cheaper(cheap, 0, cost="cost", margin={"acc": 0.05}, **ERRORS, n="n")
    assert equivalents.table["pvalue"].tolist() == pytest.approx([0.95**20], rel=1e-3)


def test_an_error_of_zero_is_refused_unless_it_is_declared(models):
    models.loc[1, ["acc", "se"]] = 1.0, 0.0
    for verb in VERBS:
        with pytest.raises(ValueError, match=r"is 0 for 1 \(1 of 3\).*name their numbers, e\.g\. n=.n_items.*known"):
            verb(models, **ERRORS)
        assert verb(models, **ERRORS, n="n").guarantee.warnings == ()
        exact = verb(models.assign(se=0.0), **ERRORS, known="acc")
        assert exact.guarantee.warnings == ()
    with pytest.raises(ValueError, match="is 0 for 1"):
        asked.cheaper(models, 2, cost="cost", margin={"acc": 0.1}, **ERRORS)
    grades = models.assign(acc=[0.7, 0.8, 0.9], se=[0.0, 0.001, 0.001])
    with pytest.raises(ValueError, match=r"do not show that there is no error\. If 'acc'"):
        asked.confident_front(grades, **ERRORS, n="n")


def test_the_ending_of_columns_leaves_out_what_is_known(models):
    named = models.rename(columns={"se": "acc_se"}).assign(cost_se=0.0)
    found = asked.confident_front(named, standard_error="_se", known="cost", objectives=WAYS)
    pd.testing.assert_frame_equal(found.table, asked.confident_front(models, **ERRORS).table)


def test_numbers_take_the_place_of_a_doubt(models):
    for verb in VERBS:
        assert [name for name, _ in warned(verb(models, **ERRORS))] == ["unknown_counts"]
        assert warned(verb(models, **ERRORS, n="n")) == []


def test_shares_near_one_are_named(models):
    models.loc[2, ["acc", "se"]] = 0.98, 0.014
    found = warned(asked.confident_front(models, **ERRORS))
    assert [name for name, _ in found] == ["unknown_counts", "unknown_counts"]
    assert "acc of 2 (0.98, standard error 0.014) is so near to 1" in found[1][1]
    assert warned(asked.confident_front(models, **ERRORS, n="n")) == []


def test_few_runs_and_costs_that_must_be_skewed_are_named():
    table = pd.DataFrame({"acc": [0.5, 0.6], "se": 0.01, "cost": [10.0, 20.0], "cost_se": [2.0, 3.0], "n": [50, 60]})
    options = {"objectives": WAYS, "standard_error": {"acc": "se", "cost": "cost_se"}}
    found = asked.confident_front(table, **options, n="n").guarantee.warnings
    assert [(one.name, one.objectives) for one in found] == [("skewed", ("cost",))]
    even = table.assign(cost_se=table["cost_se"] / 10)
    assert warned(asked.confident_front(even, **options, n="n")) == []
    few = asked.confident_front(even.assign(n=5), **options, n={"cost": "n"}).guarantee.warnings
    assert [(one.name, one.objectives) for one in few] == [("unknown_counts", ("acc",)), ("few_units", ("cost",))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": "m"}, "m"),
        ({"n": {"cost": "n"}}, "`n` names 'cost', which has no standard error"),
        ({"n": "one"}, "gives 1 items or runs behind the mean of 0; it must be a finite number of at least 2"),
        ({"n": "none"}, "gives nan items or runs"),
        ({"known": "acc"}, "`known` and `standard_error` both name 'acc'"),
    ],
)
def test_numbers_that_say_nothing_are_refused(models, options, message):
    table = models.assign(one=1, none=np.nan)
    with pytest.raises((ValueError, KeyError), match=message):
        asked.confident_front(table, **{**ERRORS, **options})


def test_numbers_without_standard_errors_are_refused(models):
    log = pd.DataFrame({"model": ["a", "b"] * 10, "task": np.repeat(range(10), 2), "acc": 1.0, "n": 5})
    with pytest.raises(ValueError, match="`n` is 'n', without `standard_error`"):
        asked.confident_front(log, system="model", item="task", objectives={"acc": "max"}, n="n")
    with pytest.raises(ValueError, match="specify the source of uncertainty"):
        asked.cheaper(models, 2, cost="cost", n="n", objectives=WAYS)
