"""Groups that items may have been drawn in: correlations against scipy, and when a word is said about them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import copa_nb
from copa_nb.comparisons.arrays.dependence import correlates, deviations, intraclass_correlation
from tests import asked

READING = {"system": "model", "item": "question", "objectives": {"score": "max"}}


def table_of(seed, *, effects, n_passages=15, size=5, n_systems=5):
    """Scores with effects of systems by passage; names of questions start with that of the passage."""
    rng = np.random.default_rng(seed)
    n = n_passages * size
    passage = np.repeat(np.arange(n_passages), size)
    values = effects * rng.standard_normal((n_systems, n_passages))[:, passage] + rng.standard_normal((n_systems, n))
    values += 3 * rng.standard_normal(n_passages)[passage]  # difficulty, which all share, is no dependence
    return pd.DataFrame(
        {
            "model": np.repeat([f"m{k}" for k in range(n_systems)], n),
            "question": [f"q{k:03d}" for k in range(n)] * n_systems,
            "passage": [f"p{k}" for k in passage] * n_systems,
            "number": list(np.arange(n) % size) * n_systems,
            "score": values.ravel(),
        }
    )


def said_of(frame, **options):
    return asked.board(frame, **{**READING, **options}, n_resamples=100).explain()


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 6))
def test_correlation_is_that_of_the_analysis_of_variance(seed, size):
    values = np.random.default_rng(seed).standard_normal((8, size))
    ratio = stats.f_oneway(*values).statistic
    found = intraclass_correlation(values.reshape(-1, 1), np.repeat(np.arange(8), size))
    assert found == pytest.approx((ratio - 1) / (ratio + size - 1))


def test_correlation_of_unequal_groups_is_near_that_of_the_model():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(400), rng.integers(1, 12, 400))
    values = rng.standard_normal((400, 6))[groups] + np.sqrt(3) * rng.standard_normal((len(groups), 6))
    assert intraclass_correlation(values, groups) == pytest.approx(0.25, abs=0.02)


def test_deviations_have_no_means_and_leave_gaps_out():
    scores = np.random.default_rng(0).standard_normal((30, 4)) + np.arange(4)
    left = deviations(scores)
    np.testing.assert_allclose(left.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(left.sum(axis=1), 0, atol=1e-12)
    scores[3, 2] = np.nan
    assert deviations(scores)[3, 2] == 0


def test_independent_items_rarely_correlate():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(10), 4)
    found = sum(correlates(rng.standard_normal((40, 5)), groups, rng) for _ in range(300))
    assert found <= 10  # binomial: more than 10 of 300 at a rate of .01 has a probability of .0003


def test_a_column_above_the_items_is_named():
    frame = table_of(0, effects=1.0)
    said = said_of(frame)
    assert "questions of one passage (intraclass correlation 0." in said
    assert "15 groups" in said
    assert 'pass cluster="passage"' in said
    assert "intraclass" not in said_of(frame, cluster="passage")


def test_starts_of_names_are_named():
    frame = table_of(0, effects=1.0)
    nested = frame.assign(question=frame["passage"] + "/q" + frame["number"].astype(str))
    said = said_of(nested.drop(columns=["passage", "number"]))
    assert "questions whose names agree up to the first '/'" in said
    command = "frame['question'].str.partition('/')[0]"
    assert command in said
    made = eval(command, {"frame": nested})  # what the sentence says must run
    assert made.tolist() == frame["passage"].tolist()


def test_items_named_by_two_columns_may_be_nested_in_the_first():
    frame = table_of(0, effects=1.0)
    assert 'pass cluster="passage"' in said_of(frame, item=["passage", "number"])


def test_the_hint_changes_no_number():
    frame = table_of(1, effects=1.0)
    with_column = asked.board(frame, **READING, n_resamples=100).table
    without = asked.board(frame.drop(columns="passage"), **READING, n_resamples=100).table
    pd.testing.assert_frame_equal(with_column, without)


def test_equivalents_say_so_too():
    frame = table_of(0, effects=1.0).assign(price=lambda frame: frame["model"].str[1:].astype(float))
    reading = {**READING, "objectives": {"score": "max", "price": "min"}, "known": "price"}
    assert 'cluster="passage"' in asked.cheaper(frame, "m3", cost="price", **reading).explain()


def test_nothing_is_said_of_independent_items_or_columns_that_are_no_groups():
    frame = table_of(2, effects=0.0)
    frame["noise"] = np.random.default_rng(0).integers(0, 5, len(frame))  # not one value per item
    frame["tags"] = [["a"]] * len(frame)
    frame["gaps"] = None
    frame["same"] = 1
    said = said_of(frame)
    assert "intraclass" not in said


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (asked.board, {"n_resamples": 100}),
        (asked.confident_front, {"n_resamples": 100}),
        (asked.compare, {"new": "m0", "baseline": "m1"}),
    ],
)
def test_a_table_in_pieces_says_so_too(tmp_path, verb, options):
    frame = table_of(0, effects=1.0).assign(text="the question in full")
    frame.to_parquet(tmp_path / "scores.parquet", index=False)
    found = verb(copa_nb.scan(tmp_path / "scores.parquet", batch_rows=50), **READING, **options)
    expected = verb(frame, **READING, **options)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert found.guarantee.explain() == expected.guarantee.explain()
    assert 'cluster="passage"' in found.guarantee.explain()
    once = verb(copa_nb.scan(iter([frame])), **READING, **options)
    pd.testing.assert_frame_equal(once.table, expected.table)
