"""The tests of one item: p-values, levels, contamination, pictures."""

import numpy as np
import pandas as pd
import pytest

import copa_nb
from benchmarks.error_rates import stochastic_dominance as simulation
from copa_nb.stochastic_dominance.plots import plot_gsd_test
from copa_nb.text import number
from tests.said import said_by
from tests.stochastic_dominance.test_gsd_front import front_of, suite


@pytest.fixture(scope="module")
def front():
    return front_of(suite(11, items="abcd", n=8))


def test_pvalues_count_labellings(front):
    test = front.test("a", n_resamples=60)
    for name in "bcd":
        null = test.null_distributions[name]
        assert test.statistics[name] == front.statistics.loc[name, "a"]
        assert test.pvalues[name] == (1 + (null <= test.statistics[name] + 1e-9).sum()) / 61
    assert test.pvalue == test.pvalues.max()
    assert test.adjusted_alpha == 0.05 / 3


def test_the_answer_depends_on_the_seed_alone(front):
    with copa_nb.options(n_jobs=1):
        first = front.test("b", n_resamples=30, rng=3)
    with copa_nb.options(n_jobs=3):
        again = front.test("b", n_resamples=30, rng=3)
    np.testing.assert_allclose(first.null_distributions, again.null_distributions, atol=1e-9)
    assert not np.allclose(first.null_distributions, front.test("b", n_resamples=30).null_distributions)


def test_an_item_on_the_front_is_found():
    rng = np.random.default_rng(0)
    frame = suite(0, items="ab", n=20)
    best = frame["model"] == "a"
    frame["accuracy"] = rng.uniform(size=40) + best
    frame["robust"] = rng.integers(0, 4, 40)
    front = front_of(frame)
    test = front.test("a", n_resamples=200)
    assert test.on_front
    assert test.subset == ["b"]
    assert not front.test("b", n_resamples=200).on_front
    assert "gsd_test.reasons.static_shown" in said_by(test)
    withstood = test.table.loc["b", "contaminated"]
    robustness = test.robustness(withstood + 1)["b"]
    assert robustness[withstood] <= 0.05 < robustness[withstood + 1]
    assert robustness.is_monotonic_increasing
    assert withstood < len(front.items) / 2


def test_equal_items_are_never_told_apart():
    frame = suite(12, items="a", n=6)
    front = front_of(pd.concat([frame, frame.assign(model="b")]))
    for paired in (False, True):
        assert front.test("a", n_resamples=20, paired=paired).pvalue == 1
    none = "gsd_test.details.no_dynamic"
    assert none not in said_by(front.test("a", n_resamples=20)), "there is but one"
    three = front_of(pd.concat([frame, frame.assign(model="b"), frame.assign(model="c")]))
    assert none in said_by(three.test("a", n_resamples=20))


def test_all_values_equal():
    frame = suite(13).assign(accuracy=0.5, robust=1)
    front = front_of(frame)
    assert front.front == ["a", "b", "c"]
    assert front.test("a", n_resamples=9).pvalue == 1


def test_misuse_is_refused(front):
    with pytest.raises(ValueError, match="`alpha` is 5"):
        front.test("a", alpha=5)
    with pytest.raises(ValueError, match="`n_resamples` is 0"):
        front.test("a", n_resamples=0)


def test_pictures(front):
    test = front.test("a", n_resamples=40)
    ax = plot_gsd_test(test)
    order = [label.get_text() for label in ax.get_yticklabels()]
    assert order == list(test.pvalues.sort_values(kind="stable").index), "the smallest p is on top"
    dots = {(x, y) for line in ax.lines if line.get_marker() not in ("None", "") for x, y in line.get_xydata()}
    assert dots == {(test.statistics[name], row) for row, name in enumerate(order)}
    said = [text.get_text() for text in ax.texts]
    assert said == ["p", *(number(test.pvalues[name], 2) for name in order)]
    ax.figure.clear()
    ax = test.plot("robustness", most=4)
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines if not line.get_label().startswith("_")}
    for name, line in test.robustness(4).items():
        np.testing.assert_array_equal(drawn[name], line)


@pytest.mark.slow
def test_levels_are_kept():
    settings = (simulation.SIZES[0], simulation.DOMINATED[0])
    rates = [rate for setting in settings for rate in simulation.rates_of_tests(60, setting, True)]
    assert all(rate.keeps_level for rate in rates), rates


def test_contamination_is_shown_until_nothing_is_significant_any_more(front):
    test = front.test("a", n_resamples=60)
    withstood = max(test.table["contaminated"])
    found = test.robustness()
    assert found.index.tolist() == list(range(min(8, max(5, withstood + 1)) + 1))
    pd.testing.assert_frame_equal(found.head(3), test.robustness(2))
