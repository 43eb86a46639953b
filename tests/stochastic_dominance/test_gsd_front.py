"""The verb: dominance, fronts, ties, missing data, misuse."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.tables.columns import ItemsOmittedWarning
from tests import asked
from tests.said import said_by, sentence
from tests.stochastic_dominance import full_program

OBJECTIVES = {"accuracy": "max", "robust": "max"}


def suite(seed=0, items="abc", n=5, levels=5):
    rng = np.random.default_rng(seed)
    frame = pd.MultiIndex.from_product([range(n), list(items)], names=["data", "model"]).to_frame(index=False)
    frame["accuracy"] = rng.integers(0, levels, len(frame)) / levels
    frame["robust"] = rng.integers(0, levels, len(frame))
    return frame


def front_of(frame, **options):
    options = {"system": "model", "item": "data", "ordinal": "robust", "objectives": OBJECTIVES, **options}
    return asked.gsd_front(frame, progress=False, **options)


def test_statistics_are_the_definition():
    frame = suite(1)
    front = front_of(frame)
    values = {name: group[["accuracy", "robust"]].to_numpy(float) for name, group in frame.groupby("model")}
    for a in "abc":
        for b in "abc":
            expected = 0.0 if a == b else full_program.statistic(values[a], values[b], [False, True])[0]
            assert front.statistics.loc[a, b] == pytest.approx(expected, abs=1e-7)


def test_pointwise_dominance_is_dominance():
    frame = suite(2, items="ab")
    better = frame.assign(model=frame["model"].str.upper(), accuracy=frame["accuracy"] + 0.1)
    front = front_of(pd.concat([frame, better], ignore_index=True))
    assert front.statistics.loc["A", "a"] >= 0 > front.statistics.loc["a", "A"]
    assert front.dominance.loc["B", "b"]
    assert set(front.front) <= {"A", "B"}
    assert front.table.loc["a", "leaves_at"] == 0


def test_example_2_of_the_paper_matches_across_data_sets():
    """What one classifier does on one data set, the other does on another: no difference in distribution."""
    frame = pd.DataFrame(
        {"data": [1, 1, 2, 2], "model": list("abab"), "accuracy": [0.9, 0.5, 0.5, 0.9], "robust": [1, 2, 2, 1]}
    )
    front = front_of(frame)
    assert front.statistics.to_numpy().tolist() == [[0, 0], [0, 0]]
    assert front.front == ["a", "b"]
    (pair,) = sentence(front, "gsd_front.details.equal")["pairs"]
    assert (pair["one"], pair["other"]) == ("a", "b")


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([np.exp, np.cbrt, lambda v: 3 * v - 7, lambda v: v**3 + v]))
def test_relabelling_ordinal_objectives_changes_nothing(seed, growing):
    frame = suite(seed, items="ab", n=4)
    changed = frame.assign(robust=growing(frame["robust"].to_numpy(float)))
    pd.testing.assert_frame_equal(front_of(frame).statistics, front_of(changed).statistics)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_scale_and_origin_of_cardinal_objectives_do_not_matter(seed):
    frame = suite(seed, items="ab", n=4)
    changed = frame.assign(accuracy=5 * frame["accuracy"] - 3)
    pd.testing.assert_frame_equal(front_of(frame).statistics, front_of(changed).statistics, atol=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_more_ordinal_objectives_make_fewer_dominances(seed):
    """What every utility says that sees the order only, those say too that also see differences."""
    frame = suite(seed, items="abcd", n=3)
    assert not (front_of(frame, ordinal=["accuracy", "robust"]).dominance & ~front_of(frame).dominance).any(axis=None)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_fronts_shrink_with_delta_and_are_never_empty_at_zero(seed):
    front = front_of(suite(seed, items="abcd", n=3))
    assert front.front
    fronts = [set(front.front_at(delta)) for delta in (0, 0.05, 0.2, 0.6, 1)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(fronts))
    assert set(front.front_at(0)) == set(front.table.index[front.table["on_front"]])
    for delta in (0.0, 0.05, 0.2):
        d = front.statistics
        beaten = {c for c in d for x in d if x != c and d.loc[x, c] >= -delta - 1e-9 and d.loc[c, x] < -1e-9}
        assert set(front.front_at(delta)) == set(d) - beaten


def test_minimised_objectives_are_turned():
    frame = suite(3)
    turned = frame.assign(accuracy=1 - frame["accuracy"], robust=-frame["robust"])
    found = front_of(turned, objectives={"accuracy": "min", "robust": "min"})
    np.testing.assert_allclose(found.statistics, front_of(frame).statistics, atol=1e-9)


def test_bins_are_quantile_classes_closed_on_the_left():
    frame = suite(4).assign(robust=np.arange(15.0))
    edges = np.quantile(frame["robust"], [0, 0.25, 0.5, 0.75, 1])
    classes = frame.assign(robust=np.searchsorted(edges, frame["robust"], side="right"))
    assert classes["robust"].max() == 5  # the largest value, alone
    pd.testing.assert_frame_equal(front_of(frame, bins=4).statistics, front_of(classes).statistics)
    upside_down = frame.assign(robust=-frame["robust"])
    turned = front_of(upside_down, bins=4, objectives={"accuracy": "max", "robust": "min"})
    edges = np.quantile(upside_down["robust"], [0, 0.25, 0.5, 0.75, 1])
    classes = frame.assign(robust=-np.searchsorted(edges, upside_down["robust"], side="right"))
    pd.testing.assert_frame_equal(turned.statistics, front_of(classes).statistics)


def test_rounding_errors_do_not_part_equal_differences():
    frame = pd.DataFrame(
        {"data": [1, 1, 2, 2], "model": list("abab"), "accuracy": [0.1 + 0.2, 0.2, 0.1, 0.3], "robust": 0}
    )
    exact = frame.assign(accuracy=[3, 2, 1, 3])
    pd.testing.assert_frame_equal(front_of(frame).statistics, front_of(exact).statistics)
    assert front_of(frame.assign(accuracy=[0.1 + 0.2, 0.2, 0.1, 0.2])).statistics.loc["b", "a"] == 0


def test_missing_data():
    frame = suite(5)
    hole = frame.assign(accuracy=frame["accuracy"].where(frame.index != 4))
    with pytest.raises(ValueError, match="missing values in objective 'accuracy' in 1 of 15 rows"):
        front_of(hole)
    with pytest.raises(ValueError, match=r"1 of 15 pairs .* have no row, e\.g\. 'b' on 1"):
        front_of(frame.drop(index=4))
    with pytest.warns(ItemsOmittedWarning, match="left out of 5 items: 1 because data are missing"):
        omitted = front_of(frame.drop(index=4), nan_policy="omit")
    assert list(omitted.suite.left_out) == [1]
    assert sentence(omitted, "left_out.details.missing") == {"names": ["1"]}
    pd.testing.assert_frame_equal(omitted.statistics, front_of(frame[frame["data"] != 1]).statistics)
    with pytest.raises(ValueError, match="objective 'accuracy' has infinite values"):
        front_of(hole, nan_policy="worst")
    worst = front_of(hole, nan_policy="worst", ordinal=["accuracy", "robust"])
    lowest = hole.fillna({"accuracy": -1})
    pd.testing.assert_frame_equal(worst.statistics, front_of(lowest, ordinal=["accuracy", "robust"]).statistics)


@pytest.mark.parametrize("bins", [None, 3])
def test_missing_ordinal_values_may_count_as_worst(bins):
    frame = suite(6).assign(robust=lambda f: f["robust"].where(f.index != 4).astype(float))
    for sign, direction in ((1, "max"), (-1, "min")):
        table = frame.assign(robust=sign * frame["robust"])
        front = front_of(table, nan_policy="worst", bins=bins, objectives={"accuracy": "max", "robust": direction})
        place = front.suite.objectives.names.index("robust")
        assert front.suite.values[list(front.systems).index("b"), 1, place] == front.suite.values[:, :, place].min()
        assert (front.suite.values[:, :, place] == front.suite.values[:, :, place].min()).sum() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ordinal": "robusst"}, "`ordinal` names 'robusst', which is not an objective; .* Did you mean 'robust'"),
        ({"item": "dat"}, "`item` names 'dat'"),
        ({"item": "model"}, "`item` and `system` both name 'model'"),
        ({"bins": 1}, "`bins` is 1"),
        ({"regularization": 1.5}, "`regularization` is 1.5; it must be a number from 0 to 1"),
        ({"nan_policy": "keep"}, "nan_policy"),
    ],
)
def test_misuse_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        front_of(suite(7), **options)


def test_one_item_one_group_or_repeats_are_refused():
    frame = suite(8)
    with pytest.raises(ValueError, match="which holds only one system"):
        front_of(frame[frame["model"] == "a"])
    with pytest.raises(ValueError, match="which leaves 1 item"):
        front_of(frame[frame["data"] == 1])
    with pytest.raises(ValueError, match="several rows have `item`"):
        front_of(pd.concat([frame, frame.iloc[:1]]))
    front = front_of(frame)
    for delta in (2, -0.5, True, "0.5"):
        with pytest.raises(ValueError, match=f"`delta` is {delta!r}"):
            front.front_at(delta)
    with pytest.raises(ValueError, match="`item` is needed"):
        asked.gsd_front(frame, system="model", objectives=OBJECTIVES)


def test_the_answer_does_not_depend_on_threads():
    frame = suite(9, items="abcd")
    with copa_nb.options(n_jobs=1):
        one = front_of(frame)
    with copa_nb.options(n_jobs=3):
        pd.testing.assert_frame_equal(one.statistics, front_of(frame).statistics)


def test_the_order_drawn_is_transitive():
    """Pairs have utilities of their own points only, so that dominance of pairs need not be transitive."""
    d = pd.DataFrame([[0, 0.1, -0.1], [-0.1, 0, 0.1], [-0.2, -0.1, 0.0]], list("abc"), list("abc"))
    front = front_of(suite())
    made = GsdFront(d, front.suite, 0.0)
    assert not made.dominance.loc["a", "c"]
    assert made.order.loc["a", "c"]


def test_labels_of_any_kind_travel():
    frame = suite(10).replace({"model": {"a": "<b>$x_{$", "b": "_b"}})
    front = front_of(frame)
    assert "<b>" not in front._repr_html_()
    front.plot().figure.canvas.draw()


def test_a_regularised_front_says_that_it_is_not_the_definition():
    assert sentence(front_of(suite(1), regularization=0.25), "gsd_front.details.regularized") == {"share": 0.25}
    assert "gsd_front.details.regularized" not in said_by(front_of(suite(1)))


@pytest.mark.parametrize("regularization", [0.0, 0.5])
@pytest.mark.parametrize("both", [True, False])
def test_units_in_the_last_place_change_nothing(both, regularization):
    rng = np.random.default_rng(0)
    for _ in range(20):
        exact = pd.DataFrame(
            {
                "data": np.repeat(range(4), 3), "model": list("ABC") * 4,
                "x": np.full(12, 0.7) if both else rng.integers(1, 4, 12) / 10, "y": rng.integers(0, 3, 12) / 10,
            }
        )  # fmt: skip
        noisy = exact.assign(x=exact["x"] + rng.integers(-3, 4, 12) * np.finfo(float).eps)
        options = {"system": "model", "item": "data", "objectives": {"x": "max", "y": "max"}, "progress": False}
        expected, found = (asked.gsd_front(table, regularization=regularization, **options) for table in (exact, noisy))
        np.testing.assert_allclose(found.statistics, expected.statistics, atol=1e-9)
        assert sentence(found, "gsd_front.details.rounded") == {"names": ["x"]}
        assert "gsd_front.details.rounded" not in said_by(expected)
