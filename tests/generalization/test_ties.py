"""All ways to keep one of rows with equal validation scores, against code that shares nothing with the package."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.generalization.ties import MOST_WAYS
from tests import asked
from tests.said import said_by, sentence

BOTH = {"p": "max", "r": "max"}
ORIGIN = {"p": 0.0, "r": 0.0}
COLUMNS = ["val_p", "val_r", "test_p", "test_r"]


def dominates(a, b):
    return a != b and a[0] >= b[0] and a[1] >= b[1]


def area(points):
    """What points cover above the origin, from the right to the left."""
    covered = height = 0.0
    for x, y in sorted(points, reverse=True):
        covered, height = covered + x * max(y - height, 0.0), max(y, height)
    return covered


def on_test(points):
    """Pessimistic and optimistic hypervolume of a set of points, by the two equations of the paper."""
    optimistic = [a for a in points if not any(dominates(b, a) for b in points)]
    pessimistic = [a for a in points if not any(dominates(a, b) for b in points)]
    return area(pessimistic), area(optimistic)


def every_way(scores):
    """The two hypervolumes on test for every way to keep one of the equal rows of the validation front."""
    rows = [tuple(row) for row in scores.to_numpy().tolist()]
    validation = [row[:2] for row in rows]
    front = [row for row in rows if not any(dominates(other, row[:2]) for other in validation)]
    equal = {}
    for row in front:
        equal.setdefault(row[:2], []).append(row[2:])
    return [on_test(list(kept)) for kept in itertools.product(*equal.values())]


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_those_of_all_ways(seed):
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(np.hstack([rng.integers(1, 6, (25, 2)), rng.integers(1, 8, (25, 2))]) / 8, columns=COLUMNS)
    found = asked.gap(scores, objectives=BOTH, reference=ORIGIN, keep="bounds")
    ways = np.array(every_way(scores))
    low, high, gaps = ways[:, 0], ways[:, 1], ways[:, 1] - ways[:, 0]
    expected = {"hv_pessimistic": low, "hv_optimistic": high, "gap": gaps}
    for name, values in expected.items():
        assert found.interval(name) == pytest.approx((values.min(), values.max())), name
        assert found.table.loc[name, ["smallest", "largest"]].tolist() == pytest.approx([values.min(), values.max()])
    first = asked.gap(scores, objectives=BOTH, reference=ORIGIN, keep="first")
    assert found.table.loc["gap", "first"] == first.gap
    assert found.ways[0].summary["hv_test"] == first.hv_test
    assert found.share_with_gap == (found.searches["n_dominated"] > 0).mean()


def test_numbers_of_table_1_if_all_equal_rows_stay():
    runs = datasets.load_german_credit_authors_search()
    both = {"precision": "max", "recall": "max"}
    found = runs.moo(both).by(["model", "search"]).gap(keep="all", reference=dict.fromkeys(both, 0))
    gaps, optimistic = {}, {}
    for key, rows in runs.groupby(["model", "search"]):
        scores = rows[["val_precision", "val_recall", "test_precision", "test_recall"]].to_numpy().tolist()
        front = [row for row in scores if not any(dominates(tuple(other[:2]), tuple(row[:2])) for other in scores)]
        low, optimistic[key] = on_test([tuple(row[2:]) for row in front])
        gaps[key] = optimistic[key] - low
        assert found[key].gap == pytest.approx(gaps[key])
    assert round(gaps["random forest", 500], 4) == 0.0606
    assert round(gaps["linear model", 50], 4) == 0.0082
    assert round(gaps["linear model", 200], 4) == 0.0293
    assert round(optimistic["linear model", 200], 4) == 0.6159
    assert gaps["linear model", 100] < gaps["linear model", 200]
    assert round(max(gaps[key] / optimistic[key] for key in gaps), 3) == 0.095


def test_the_gaps_of_table_1_depend_on_ties():
    runs = datasets.load_german_credit_authors_search()
    both = {"precision": "max", "recall": "max"}
    found = runs.moo(both).by(["model", "search"]).gap(keep="bounds", reference=dict.fromkeys(both, 0))
    assert len(found) == 9
    for (model, search), one in found.items():
        rows = runs[(runs["model"] == model) & (runs["search"] == search)]
        rows = rows[["val_precision", "val_recall", "test_precision", "test_recall"]]
        gaps = [high - low for low, high in every_way(rows)]
        assert one.interval() == pytest.approx((min(gaps), max(gaps)))
    decided = {key: len({round(gap, 4) for gap in one.interval()}) == 1 for key, one in found.items()}
    assert {search for (_, search), certain in decided.items() if not certain} == {50, 200, 500}


def _method(*rows):
    return asked.gap(pd.DataFrame(rows, columns=COLUMNS), objectives=BOTH, reference=ORIGIN, keep="bounds")


def test_a_verdict_that_a_tie_decides_says_so():
    middle = _method([0.5, 0.5, 0.6, 0.6])
    tied = _method([0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.7, 0.7])
    compared = middle.compare(tied, names=("m", "t"))
    assert compared.table.loc["hypervolume"].tolist() == [0.5, 0.5, 0]
    assert compared.undecided == ["hypervolume", "dominance"]
    assert compared.hypervolume.better is None
    decided = sentence(compared, "gap_comparison.reasons.ties_decide")["criteria"]
    assert [one["say"].rsplit(".", 1)[1] for one in decided] == ["hypervolume", "dominance"]
    below = _method([0.5, 0.5, 0.3, 0.3], [0.5, 0.5, 0.4, 0.4])
    certain = middle.compare(below, names=("m", "b"))
    assert certain.undecided == []
    assert certain.hypervolume.better == certain.dominance.better == "m"
    assert "gap_comparison.reasons.ties_decide_nothing" in said_by(certain)
    certain.plot()
    plt.close("all")


def test_what_is_said_of_ties():
    one = _method([0.9, 0.2, 0.9, 0.2], [0.5, 0.5, 0.1, 0.1], [0.5, 0.5, 0.95, 0.5])
    found = sentence(one, "gap.details.gap_of_ways")
    assert (found["low"], found["high"]) == pytest.approx((0.17, 0.295))
    assert (found["n_ties"], found["ways"]) == (1, 2)
    assert repr(one) == "<Gap of 0.17 to 0.295 over 2 ways to keep one of equal rows>"
    assert "by ties" in one._repr_html_()
    assert one.facts()["result"] == "Gap"
    assert one.repeats().loc["gap", ["low", "high"]].tolist() == list(one.interval())
    drawn = one.plot()
    assert len(drawn.get_yticklabels()) == 3
    plt.close("all")
    none = _method([0.9, 0.2, 0.9, 0.2])
    assert "gap.details.no_ties" in said_by(none)
    same = _method([0.9, 0.2, 0.8, 0.2], [0.9, 0.2, 0.8, 0.2])
    assert "gap.details.equal_ties" in said_by(same)


def test_what_needs_one_rule_is_refused():
    one = _method([0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.7, 0.7])
    for ask in (one.budgets, one.overtuning, one.falls, one.report, lambda: one.bootstrap(pd.DataFrame())):
        with pytest.raises(TypeError, match=r"under one rule for equal rows.*keep='all' or keep='first'"):
            ask()
    with pytest.raises(AttributeError, match=r"see gap\.ways\[0\]"):
        _ = one.hv_optimistic
    with pytest.raises(AttributeError, match="keep='bounds'"):
        _ = one.ways[0].ways
    with pytest.raises(TypeError, match="compared with another such gap"):
        one.compare(one.ways[0])
    assert "explore the gap with keep='all'" in one.explore()
    runs = pd.DataFrame([[0.5] * 4, [0.6] * 4], columns=COLUMNS).assign(seed=[1, 2])
    with pytest.raises(ValueError, match=r"`repeat`='seed'.*df\.moo\.by"):
        asked.gap(runs, objectives=BOTH, repeat="seed", keep="bounds")


def test_too_many_ways_are_refused():
    front = np.linspace(0.1, 0.9, 13)
    tied = pd.DataFrame([[x, 1 - x, x + shift, 1 - x] for x in front for shift in (0.0, 0.05)], columns=COLUMNS)
    assert MOST_WAYS < 2**13
    with pytest.raises(ValueError, match=r"8,192 ways.*keep='all'"):
        asked.gap(tied, objectives=BOTH, reference=ORIGIN, keep="bounds")
    ten = asked.gap(tied[:20], objectives=BOTH, reference=ORIGIN, keep="bounds")
    assert len(ten.ways) == 2**10
    with pytest.raises(ValueError, match="1,048,576 pairs"):
        ten.compare(ten, names=("a", "b"))


def test_a_table_in_pieces_has_the_same_bounds():
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.integers(1, 6, (60, 4)) / 6, columns=COLUMNS)
    whole = asked.gap(scores, objectives=BOTH, reference=ORIGIN, keep="bounds")
    pieces = copa_nb.scan(lambda: (scores[start : start + 20] for start in (0, 20, 40)))
    found = pieces.moo(BOTH).gap(reference=ORIGIN, keep="bounds")
    pd.testing.assert_frame_equal(found.table, whole.table)
