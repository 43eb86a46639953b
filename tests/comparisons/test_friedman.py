"""The Friedman test and Nemenyi's critical difference, compared with scipy and with printed numbers."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from copa_nb.comparisons.plots.critical_difference import plot_critical_difference
from tests import asked
from tests.said import sentence

# Ranks of four classifiers on 14 data sets: Demšar, Journal of Machine Learning Research 7, 2006, table 6.
CLASSIFIERS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
RANKS = [
    (4, 3, 2, 1), (1, 2, 3, 4), (4, 1, 2, 3), (4, 1, 3, 2), (4, 2, 3, 1), (1, 2.5, 4, 2.5), (3, 2, 4, 1),
    (2.5, 2.5, 4, 1), (4, 3, 2, 1), (2.5, 2.5, 2.5, 2.5), (4, 2.5, 1, 2.5), (3, 2, 4, 1), (4, 1, 2, 3), (3, 1, 4, 2),
]  # fmt: skip


def _long(wide):
    """A row per system and item, from a table of systems × items."""
    return wide.rename_axis(index="system", columns="item").stack().rename("cost").reset_index()


def _tested(wide, alpha=0.05):
    standing = asked.mean_ranks(_long(wide).dropna().moo(cost="min"), system="system", item="item")
    return standing.friedman(alpha=alpha)


@pytest.fixture
def classifiers():
    return pd.DataFrame(np.transpose(RANKS), index=CLASSIFIERS)


def test_the_example_of_the_literature(classifiers):
    found = _tested(classifiers)
    assert found.mean_rank.round(3).to_dict() == {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    # Printed: at 0.05 the test detects no difference from the original tree; at 0.1 the difference is 1.12.
    at_tenth = _tested(classifiers, alpha=0.1)
    assert at_tenth.critical_difference == pytest.approx(1.12, abs=0.005)
    assert found.cliques == [[*found.mean_rank.index]]
    assert at_tenth.cliques == [["C4.5+m+cf", "C4.5+m", "C4.5+cf"], ["C4.5+cf", "C4.5"]]
    assert at_tenth.table["cliques"].tolist() == ["1", "1", "1, 2", "2"]


@pytest.mark.parametrize(
    ("systems", "printed"), [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (8, 3.031), (10, 3.164)]
)
def test_critical_values_are_those_of_printed_tables(systems, printed):
    wide = pd.DataFrame(np.random.default_rng(systems).random((systems, 12)))
    found = _tested(wide).critical_difference / np.sqrt(systems * (systems + 1) / (6 * 12))
    assert found == pytest.approx(printed, abs=0.0011)  # the tables round the quantile before they divide by √2


@pytest.mark.parametrize("seed", range(3))
def test_the_test_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    wide = pd.DataFrame(rng.integers(0, 6, (5, 15)) + seed * np.arange(5)[:, None], index=list("abcde"))
    found = _tested(wide)
    expected = stats.friedmanchisquare(*wide.to_numpy())
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    by_pandas = wide.rank().mean(axis=1)
    np.testing.assert_allclose(found.mean_rank, by_pandas[found.mean_rank.index])
    assert found.significant is bool(expected.pvalue <= 0.05)


def test_cliques_hold_exactly_the_pairs_within_the_critical_difference():
    rng = np.random.default_rng(5)
    wide = pd.DataFrame(rng.normal(size=(9, 30)) + 0.35 * np.arange(9)[:, None])
    found = _tested(wide)
    mean = wide.rank().mean(axis=1)
    for one in mean.index:
        for other in mean.index:
            near = abs(mean[one] - mean[other]) <= found.critical_difference
            assert near == any({one, other} <= set(group) for group in found.cliques)
    assert not any(set(first) <= set(second) or set(second) <= set(first) for first, second in pairwise(found.cliques))


def test_directions_and_scales_of_items_do_not_matter(classifiers):
    rows = _long(classifiers)
    rows["score"] = -np.exp(rows["cost"]) * (1 + rows["item"])
    found = asked.mean_ranks(rows.moo(score="max"), system="system", item="item").friedman()
    expected = _tested(classifiers)
    assert found.p_value == pytest.approx(expected.p_value)
    pd.testing.assert_series_equal(found.mean_rank, expected.mean_rank)


def test_without_a_difference_all_are_one_clique():
    alike = pd.DataFrame([[1, 2, 3] * 3, [2, 3, 1] * 3, [3, 1, 2] * 3], index=list("abc"))
    found = _tested(alike)
    assert (found.significant, found.cliques) == (False, [["a", "b", "c"]])
    assert sentence(found, "friedman.headline.equal")["rows"] == 3


def test_items_that_lack_a_system_are_left_out(classifiers):
    partial = classifiers.copy().astype(float)
    partial.loc["C4.5", [0, 3]] = np.nan
    found, expected = _tested(partial), _tested(classifiers.drop(columns=[0, 3]))
    assert (found.n_items, found.n_omitted) == (12, 2)
    assert found.p_value == pytest.approx(expected.p_value)
    assert [one.name for one in found.guarantee.warnings] == ["missing_values", "few_units"]


@pytest.mark.parametrize(
    ("wide", "message"),
    [
        ([[1, 2], [2, 1]], "at least three systems, but there are 2"),
        ([[1], [2], [3]], "1 of 1 items have every system"),
        ([[1, 2], [1, 2], [1, 2]], "all systems tie"),
    ],
)
def test_what_cannot_be_tested_is_refused(wide, message):
    with pytest.raises(ValueError, match=message):
        _tested(pd.DataFrame(wide))


def test_several_objectives_are_refused(classifiers):
    rows = _long(classifiers).assign(time=1.0)
    standing = asked.mean_ranks(rows.moo(cost="min", time="min"), system="system", item="item")
    with pytest.raises(ValueError, match="one objective, but there are 2: cost and time"):
        standing.friedman()
    with pytest.raises(ValueError, match="`alpha`"):
        asked.mean_ranks(rows, system="system", item="item", objectives={"cost": "min"}).friedman(alpha=2)


def test_the_diagram_shows_ranks_difference_and_groups(classifiers):
    found = _tested(classifiers, alpha=0.1)
    ax = plot_critical_difference(found)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == found.mean_rank.index.tolist()
    dots, difference, *bars = ax.lines
    np.testing.assert_allclose(dots.get_xdata(), found.mean_rank)
    assert np.ptp(difference.get_xdata()) == pytest.approx(found.critical_difference)
    spans = [tuple(np.round(bar.get_ydata()).astype(int)) for bar in bars]
    assert spans == [(0, 2), (2, 3)]
