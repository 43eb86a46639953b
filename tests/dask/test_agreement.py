"""What the verbs answer over partitions is what pandas answers, to the last tie and the last word."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked, strategies
from tests.agreement import POLICIES, both, check_selection, outcome, same_frame
from tests.dask.partitioned import cut, partitioned

# Drawn tables may repeat a label, of which one engine alone warns.
pytestmark = pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RunsWarning")

pytest.importorskip("copa_nb.dask", reason="needs the extra: pip install 'copa_nb[dask]'")

SETTINGS = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
SCALES = st.sampled_from(["cdf", "cdf", "minmax", "relative", "none"])
ORDERS = st.sampled_from(["inf", 1, 2, 4])


@SETTINGS
@given(partitioned(missing=True, repeated_labels=True, group=True), POLICIES, st.sampled_from(["all", "first"]),
       st.sampled_from([None, "group", ["group"]]))  # fmt: skip
def test_front(table, nan_policy, keep, by):
    frame, parts, directions = table
    options = {"objectives": directions, "nan_policy": nan_policy, "keep": keep, "by": by}
    answers = both(lambda: asked.front(frame, **options), lambda: asked.front(parts, **options).compute())
    if answers:
        same_frame(answers[1], answers[0])


@st.composite
def constraints(draw, frame, parts):
    """The same constraint for pandas and for dask: an expression, a function, a column of True and False."""
    name, limit = draw(st.sampled_from(list(frame.columns))), draw(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 5.0]))
    kind = draw(st.sampled_from(["none", "expression", "function", "column"]))
    if kind == "none":
        return None, None
    if kind == "expression":
        return (f"`{name}` <= {limit}",) * 2
    if kind == "function":
        return (lambda table: table[name] <= limit,) * 2
    return frame[name] <= limit, parts[name] <= limit


@SETTINGS
@given(st.data(), partitioned(missing=True), POLICIES, SCALES, ORDERS)
def test_copa(data, table, nan_policy, scale, p):
    frame, parts, directions = table
    where, where_parts = data.draw(constraints(frame, parts))
    weights = data.draw(st.none() | strategies.weights(len(directions)))
    reference = data.draw(st.none() | st.sampled_from([*frame.index, "nobody"])) if scale == "relative" else None
    options = {"objectives": directions, "p": p, "weights": weights, "normalize": scale, "nan_policy": nan_policy,
               "reference": reference}  # fmt: skip
    answers = both(
        lambda: asked.copa(frame, where=where, **options), lambda: asked.copa(parts, where=where_parts, **options)
    )
    if answers:
        check_selection(*answers)


@SETTINGS
@given(partitioned(group=True), ORDERS, st.sampled_from([None, "`metric 0` <= 1"]))
def test_copa_by_group(table, p, where):
    frame, parts, directions = table
    options = {"objectives": directions, "p": p, "by": "group", "where": where}
    answers = both(lambda: asked.copa(frame, **options), lambda: asked.copa(parts, **options))
    if answers:
        expected, found = answers
        assert list(found) == list(expected)
        for group in expected:
            check_selection(expected[group], found[group])


@SETTINGS
@given(st.data(), partitioned(missing=True), POLICIES, ORDERS, SCALES)
def test_navigate(data, table, nan_policy, p, scale):
    frame, parts, directions = table
    where, where_parts = data.draw(constraints(frame, parts))
    assume(len(directions) > 1)
    options = {"objectives": directions, "p": p, "normalize": scale, "nan_policy": nan_policy}
    answers = both(
        lambda: asked.copa(frame, where=where, **options).navigate("metric 0", importances=7),
        lambda: asked.copa(parts, where=where_parts, **options).navigate("metric 0", importances=7),
    )
    if answers:
        expected, found = answers
        same_frame(found.path, expected.path)
        assert (found.n_distinct, found.evenness) == (expected.n_distinct, expected.evenness)
        assert len(found.front) == len(expected.front)


@SETTINGS
@given(st.data(), partitioned(elements=strategies.SMALL.map(lambda v: v + 1.0)))
def test_criteria(data, table):
    frame, parts, directions = table
    criteria = ["mean", "relative", 1, "inf", "metric 0"]
    reference = data.draw(st.none() | st.sampled_from(list(frame.index)))
    options = {"objectives": directions, "reference": reference, "normalize": "relative" if reference else "cdf"}
    expected = asked.copa(frame, **options).criteria(criteria)
    found = asked.copa(parts, **options).criteria(criteria)
    shown = found.ranks.index
    same_frame(found.scores, expected.scores.loc[shown])
    same_frame(found.ranks, expected.ranks.loc[shown].rank(method="min").astype(np.int64))
    assert found.winners().equals(expected.winners())


@SETTINGS
@given(partitioned(missing=True, group=True), POLICIES, st.sampled_from(["worst", {"metric 0": 1.5}]),
       st.sampled_from([0.1, 0.0]), st.sampled_from([None, "group"]))  # fmt: skip
def test_hypervolume(table, nan_policy, reference, margin, by):
    frame, parts, directions = table
    if isinstance(reference, dict):
        reference = dict.fromkeys(directions, 1.5)
    options = {
        "objectives": directions,
        "reference": reference,
        "reference_margin": margin,
        "nan_policy": nan_policy,
        "by": by,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsOmittedWarning)
        expected, refused = outcome(lambda: asked.hypervolume(frame, **options))
        found, refused_in_parts = outcome(lambda: asked.hypervolume(parts, **options))
    if refused or refused_in_parts:
        # Where several groups are at fault, which of them is named first depends on who looks first.
        words = 1 if by and refused and "in group" in refused[1] else 2
        assert (refused or ())[:words] == (refused_in_parts or ())[:words]
        return
    pairs = [(expected, found)] if by is None else [(expected[group], found[group]) for group in expected]
    for one, other in pairs:
        assert other.value == pytest.approx(one.value, rel=1e-12)
        assert (other.reference, other.exact, other.n_front, other.n_beyond) == (
            one.reference, one.exact, one.n_front, one.n_beyond,
        )  # fmt: skip


@SETTINGS
@given(partitioned(), ORDERS)
def test_frozen_population(table, p):
    frame, parts, directions = table
    reference = copa_nb.Reference.fit(frame.iloc[::2], objectives=directions)
    answers = both(
        lambda: asked.copa(frame, objectives=directions, reference=reference, p=p),
        lambda: asked.copa(parts, objectives=directions, reference=reference, p=p),
    )
    if answers:
        check_selection(*answers)


def test_sensitivity_of_a_choice_needs_the_front_only():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 30, (200, 2)).astype(float), columns=["a", "b"])
    parts = cut(frame, [50, 50, 120])
    options = {"objectives": {"a": "max", "b": "min"}, "p": 2}
    expected, found = asked.copa(frame, **options).sensitivity(), asked.copa(parts, **options).sensitivity()
    same_frame(found.regions, expected.regions)
    same_frame(found.intervals, expected.intervals)
    assert (found.factor, found.rival) == (expected.factor, expected.rival)
