"""The state of the explorer of a choice, against ``copa`` and against the rules of the weights."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb import datasets
from copa_nb.explorers import choice_state as choosing
from copa_nb.explorers.choice_state import ChoiceData
from tests import strategies

LEADERBOARD = datasets.load_open_llm_leaderboard()


def _start(frame, objectives=None, **options):
    options = {"p": "inf", "weights": None, "normalize": "cdf", "x": None, "y": None, **options}
    data = ChoiceData.of(frame, objectives, options.pop("nan_policy", "raise"))
    return data, choosing.initial_state(data, **options)


moves = st.lists(
    st.one_of(
        st.tuples(st.just("weight"), st.integers(0, 3), st.floats(0, 1)),
        st.tuples(st.just("lock"), st.integers(0, 3), st.booleans()),
    ),
    max_size=12,
)


@given(moves)
def test_weights_sum_to_one_and_locked_ones_stay(moved):
    state = choosing.ChoiceState((0.25,) * 4, (False,) * 4, 1.0, "cdf", ((None, None),) * 4, 0, 1)
    for what, k, value in moved:
        before = state
        state = choosing.set_weight(state, k, value) if what == "weight" else choosing.set_lock(state, k, value)
        assert math.isclose(sum(state.weights), 1.0, abs_tol=4e-4)
        assert min(state.weights) >= 0
        if what == "weight":
            for j, locked in enumerate(before.locked):
                if locked:
                    assert state.weights[j] == before.weights[j]


@given(moves, st.integers(0, 3), st.floats(0, 1))
def test_a_weight_goes_where_it_is_sent_if_the_locks_leave_room(moved, k, value):
    state = choosing.ChoiceState((0.25,) * 4, (False,) * 4, 1.0, "cdf", ((None, None),) * 4, 0, 1)
    for what, j, amount in moved:
        state = choosing.set_weight(state, j, amount) if what == "weight" else choosing.set_lock(state, j, amount)
    sent = choosing.set_weight(state, k, value)
    others = [j for j in range(4) if j != k]
    if state.locked[k]:
        assert sent == state
        return
    room = 1 - sum(state.weights[j] for j in others if state.locked[j])
    expected = min(value, max(room, 0)) if any(not state.locked[j] for j in others) else max(room, 0)
    assert math.isclose(sent.weights[k], expected, abs_tol=1e-3)


def test_others_keep_their_proportions():
    state = choosing.ChoiceState((0.2, 0.4, 0.4), (False,) * 3, 1.0, "cdf", ((None, None),) * 3, 0, 1)
    moved = choosing.set_weight(state, 1, 0.1)
    assert moved.weights == (0.3, 0.1, 0.6)
    emptied = choosing.set_weight(choosing.set_weight(state, 0, 1.0), 0, 0.5)
    assert emptied.weights == (0.5, 0.25, 0.25)


@settings(deadline=None, max_examples=60)
@given(strategies.tables(min_columns=2, max_columns=4), st.data())
def test_the_choice_is_that_of_copa(table, data):
    frame, directions = table
    made, state = _start(frame, directions, p=data.draw(st.sampled_from([1, 2.0, 8.0, "inf"])))
    for _ in range(data.draw(st.integers(0, 3))):
        k = data.draw(st.integers(0, len(directions) - 1))
        state = choosing.set_weight(state, k, data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])))
    k = data.draw(st.integers(0, len(directions) - 1))
    low, high = sorted(data.draw(st.lists(st.sampled_from(list(made.raw[:, k])), min_size=2, max_size=2)))
    state = choosing.set_range(
        state, k, data.draw(st.sampled_from([(None, None), (low, None), (None, high), (low, high)]))
    )
    choice = choosing.choose(made, state)
    direct = eval(choosing.reproducing_code(made, state), {"df": frame, "inf": np.inf})
    assert choice.best == direct.best
    assert choice.tied == direct.tied
    assert [made.matrix.index[row] for row in choice.ordered] == list(direct.table.index)
    assert choice.ranks.tolist() == direct.table["rank"].tolist()
    assert np.array_equal(choice.scores, direct.table["score"])
    assert " ".join(choice.sentences()) == direct.explain() == choosing.select(made, state).explain()


@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_the_path_is_what_copa_chooses_along_the_weight(p):
    data, state = _start(LEADERBOARD, p=p, weights={"co2_kg": 0.3, "gpqa": 0.2})
    state = choosing.set_weight(choosing.set_lock(state, 3, True), 6, 0.3)
    path = choosing.choose(data, state).path
    assert path[0].low == 0
    assert path[-1].high == pytest.approx(0.8)
    names = LEADERBOARD.moo.objectives.names
    for part in path[:: max(1, len(path) // 6)]:
        weights = dict.fromkeys(names, (0.8 - part.high) / 5) | {"gpqa": 0.2, "co2_kg": part.high}
        assert LEADERBOARD.moo.copa(p=p, weights=weights).best == data.matrix.index[part.row]


def test_neighbours_are_the_next_choices_on_both_sides():
    data, state = _start(LEADERBOARD)
    choice = choosing.choose(data, state)
    less, more = choosing.neighbours(choice, state.weights[6])
    assert less.high < state.weights[6] < more.low
    for part, weight in ((less, less.high), (more, more.low)):
        rest = (1 - weight) / 6
        weights = dict.fromkeys(LEADERBOARD.moo.objectives.names, rest) | {"co2_kg": weight}
        assert LEADERBOARD.moo.copa(weights=weights).best == data.matrix.index[part.row]


@pytest.mark.parametrize("name", ["class", "a b", "x`y", "index", "or", 'quo"te', "<b>"])
def test_code_holds_names_that_are_no_identifiers(name):
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0], "cost": [1.0, 2.0, 3.0]}, index=list("abc"))
    data, state = _start(frame, {name: "max", "cost": "min"})
    state = choosing.set_range(state, 0, (1.5, None))
    code = choosing.reproducing_code(data, state)
    assert eval(code, {"df": frame}).best == choosing.choose(data, state).best
    assert list(eval(code, {"df": frame}).table.index) == ["b", "c"] or len(eval(code, {"df": frame}).table) == 2


def test_missing_values_and_limits():
    frame = pd.DataFrame({"acc": [0.9, np.nan, 0.7], "co2": [3.0, 1.0, np.nan]}, index=list("abc"))
    data, state = _start(frame, {"acc": "max", "co2": "min"}, nan_policy="worst")
    assert choosing.choose(data, choosing.set_range(state, 0, (0.1, None))).counts() == (2, 3)
    code = choosing.reproducing_code(data, choosing.set_range(state, 0, (0.1, None)))
    assert eval(code, {"df": frame}).counts()[0] == 2


def test_limits_that_leave_nothing_are_said():
    data, state = _start(LEADERBOARD)
    with pytest.raises(ValueError, match="No row lies within all limits"):
        choosing.choose(data, choosing.set_range(state, 6, (None, -1.0)))


def test_a_table_with_one_objective_is_refused():
    with pytest.raises(ValueError, match="at least two objectives"):
        copa_nb.explore(LEADERBOARD, objectives={"co2_kg": "min"})


def test_pins_come_and_go_and_stay_few():
    _, state = _start(LEADERBOARD)
    for row in range(10):
        state = choosing.toggle_pin(state, row)
    assert state.pinned == (4, 5, 6, 7, 8, 9)
    assert choosing.toggle_pin(state, 5).pinned == (4, 6, 7, 8, 9)


def test_labels_need_not_be_text():
    frame = pd.DataFrame({pd.Timestamp("2024-01-01"): [1.0, 2.0], 7: [1.0, 2.0]}, index=[("a", 1), ("b", 2)])
    with frame.moo({pd.Timestamp("2024-01-01"): "max", 7: "min"}).explore() as explorer:
        explorer.set_weight(7, 0.9)
        assert explorer.best == ("a", 1) == explorer.selection.best
        assert "2024-01-01" in explorer.to_html()
