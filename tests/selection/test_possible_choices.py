"""What is chosen whatever the missing values are, compared with the choices for all values that matter."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.ranking.arrays import criterion as arrays
from copa_nb.ranking.arrays.ranks import shares_and_rank_sums
from copa_nb.results.note import Note
from copa_nb.selection.arrays.unknown_costs import UnknownRanks
from tests import asked
from tests.said import said_by

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.85, 0.7, None], "co2_kg": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
).moo.define(accuracy="max", co2_kg="min")
INFINITE = (-np.inf, np.inf)


@st.composite
def tables(draw):
    n, k = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    values = np.array(draw(st.lists(st.integers(0, 2), min_size=n * k, max_size=n * k)), dtype=float).reshape(n, k)
    cells = np.array(draw(st.lists(st.integers(0, n * k - 1), min_size=1, max_size=2, unique=True)), dtype=int)
    ends = draw(st.sampled_from([INFINITE, (0.0, 2.0), (-1.0, 2.0), (0.0, 1.0), (0.3, 1.6), (1.0, 1.0)]))
    weights = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.7]), min_size=k, max_size=k)))
    weights = np.full(k, 1 / k) if weights.sum() == 0 else weights / weights.sum()
    return values, cells, ends, weights, draw(st.sampled_from([1.0, 2.0, 5.0, np.inf]))


def all_choices(values, cells, ends, weights, p):
    between = [x for x in (-0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.3, 1.6, 2.0, 2.3, 2.6) if ends[0] <= x <= ends[1]]
    for filling in itertools.product(sorted({*between, *ends}), repeat=len(cells)):
        filled = values.copy()
        filled.ravel()[cells] = filling
        placed, sums = shares_and_rank_sums(filled)
        scores, order, ranks = arrays.best_to_worst(placed, weights, p, sums)
        yield set(order[ranks == 1].tolist()), scores


@settings(max_examples=60)
@given(tables())
def test_certain_is_exact_and_possible_leaves_out_only_what_is_never_chosen(table):
    values, cells, ends, weights, p = table
    low, high = values.copy(), values.copy()
    low.ravel()[cells], high.ravel()[cells] = ends
    found, scores = zip(*all_choices(values, cells, ends, weights, p), strict=True)
    ranks, rows = UnknownRanks(low, high, weights, p), np.arange(len(values))
    assert set(ranks.certain(rows).tolist()) == set.intersection(*found)
    possible = set(ranks.possible(rows).tolist())
    assert possible >= set.union(*found)
    if len(values) == 2:
        assert possible == set.union(*found)
    lowest, highest = ranks.score_ends()
    assert np.allclose(lowest, np.min(scores, axis=0))
    assert np.allclose(highest, np.max(scores, axis=0))


def test_choices_hold_for_random_fillings():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((60, 3)), columns=list("xyz"))
    gaps = frame.mask(rng.random(frame.shape) < 0.1)
    ways = {"x": "max", "y": "min", "z": "min"}
    choices = asked.copa(gaps, objectives=ways, nan_policy="bounds", bounds=dict.fromkeys(ways, (0, 1)))
    assert len(choices.possible) < 60
    for _ in range(100):
        filled = gaps.fillna(pd.DataFrame(rng.beta(0.3, 0.3, frame.shape), columns=list("xyz")))
        drawn = asked.copa(filled, objectives=ways)
        assert set(choices.certain) <= set(drawn.tied) <= set(choices.possible)
        ranks = drawn.table["rank"].reindex(choices.table.index)
        assert ((choices.table["low"] <= ranks) & (ranks <= choices.table["high"])).all()


def test_a_choice_that_holds_whatever_is_missing():
    open_choice = said_by(asked.copa(MODELS, nan_policy="bounds"))
    assert open_choice["possible_choices.reasons.none"]["missing"] == 1
    result = asked.copa(MODELS, weights={"accuracy": 0.6}, nan_policy="bounds", bounds={"accuracy": (0, 0.8)})
    assert result.certain == result.possible == ["medium"]
    assert said_by(result)["possible_choices.headline.chosen_whatever"]["rows"] == ["medium"]
    assert result.explain().endswith("Missing values lie between 0 and 0.8 in accuracy.")
    assert result.table.index[0] == "medium"
    assert (result.table["low"] <= result.table["high"]).all()


def test_a_table_without_gaps_is_decided_as_ever():
    full = MODELS.dropna()
    chosen = full.moo.copa()
    result = asked.copa(full, nan_policy="bounds")
    assert result.certain == result.possible == chosen.tied
    assert (result.table["score_low"] == result.table["score_high"]).all()
    assert list(said_by(result)) == ["possible_choices.headline.chosen"]


def test_a_constraint_excludes_rows_from_the_choice_alone():
    result = asked.copa(MODELS, where="co2_kg < 3", nan_policy="bounds")
    assert set(result.table.index) == {"small", "tiny"}
    # Ranks are still over all four rows.
    assert result.table.loc["small", "score_low"] in (1 / 4, 3 / 8, 1 / 2)


def test_groups():
    both = pd.concat([MODELS.assign(team="a"), MODELS.dropna().assign(team="b")])
    found = asked.copa(both, objectives={"accuracy": "max", "co2_kg": "min"}, by="team", nan_policy="bounds")
    assert found["b"].certain == ["medium"]
    assert found["a"].certain == []


def test_other_scales_are_refused():
    with pytest.raises(ValueError, match=r"`normalize` is 'minmax', but nan_policy=\"bounds\" needs ranks"):
        asked.copa(MODELS, nan_policy="bounds", normalize="minmax")
    with pytest.raises(ValueError, match="`reference` is 'large'"):
        asked.copa(MODELS, nan_policy="bounds", reference="large")


def test_the_plot_shows_the_ends():
    result = asked.copa(MODELS, nan_policy="bounds")
    ax = result.plot()
    drawn = sorted(tuple(segment[:, 0]) for lines in ax.collections for segment in lines.get_segments())
    assert drawn == sorted(map(tuple, result.table[["score_low", "score_high"]].to_numpy().tolist()))
    assert [label.get_text() for label in ax.get_yticklabels()] == list(result.table.index)


@pytest.mark.slow
def test_a_hundred_thousand_rows_take_seconds():
    rng = np.random.default_rng(0)
    values = rng.random((100_000, 5))
    frame = pd.DataFrame(np.where(rng.random(values.shape) < 0.2, np.nan, values), columns=list("abcde"))
    ways = dict.fromkeys("abcde", "min")
    asked.copa(frame.head(100), objectives=ways, nan_policy="bounds")
    asked.front(frame.head(10_000), objectives=ways, nan_policy="bounds")  # compiled before
    for verb in (asked.copa, asked.front):
        start = time.process_time()
        verb(frame, objectives=ways, nan_policy="bounds", bounds=dict.fromkeys("abcde", (0, 1)))
        assert time.process_time() - start < 60


def test_it_is_a_choice_whose_ranks_are_not_known():
    models = pd.DataFrame({"acc": [0.9, None, 0.7], "co2": [3.0, 1.0, 2.0]}, index=list("abc"))
    known = models.dropna().moo(acc="max", co2="min").copa()
    assert known.certain == known.possible == known.tied
    choice = asked.copa(models.moo(acc="max", co2="min"), nan_policy="bounds")
    assert isinstance(choice, copa_nb.results.Selection)
    assert choice.best in choice.certain if choice.certain else choice.best is None
    for note in (
        choice.navigate(), choice.criteria(), choice.stability(), choice.sensitivity(), choice.intervals(),
        choice.rank_intervals(), choice.elicit(), choice.claim(), choice.report(),
    ):  # fmt: skip
        assert isinstance(note, Note)
    assert choice.facts()["best"] == choice.best


def test_the_best_row_has_values_only_where_one_is_certain():
    open_ended = pd.DataFrame({"acc": [0.9, None], "co2": [1.0, 1.0]}, index=list("ab"))
    choice = asked.copa(open_ended.moo(acc="max", co2="min"), nan_policy="bounds")
    assert (choice.best, choice.values, choice.parameters) == (None, {}, {})
    certain = asked.copa(open_ended.moo(acc="max", co2="min"), nan_policy="bounds", bounds={"acc": (0, 0.9)})
    assert (certain.best, certain.values) == ("a", {"acc": 0.9, "co2": 1.0})
