"""Choosing by comparing: against exact programs, brute force over weights, and simulated users."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from copa_nb import datasets
from copa_nb.ranking.arrays.criterion import weighted_norm
from copa_nb.selection.arrays import weight_constraints as core
from copa_nb.selection.elicitation import Elicitation
from tests.said import sentence

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]}, index=["large", "medium", "small", "tiny"]
).moo.define(accuracy="max", co2_kg="min")

rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 5), st.just(3)), elements=st.integers(0, 6).map(lambda v: v / 6))
orders = st.sampled_from([1.0, 2.0, np.inf])


def _grid(resolution):
    steps = [(a, b, resolution - a - b) for a in range(resolution + 1) for b in range(resolution + 1 - a)]
    return np.array(steps) / resolution


@st.composite
def comparisons(draw):
    better = draw(rows)
    worse = draw(hnp.arrays(np.float64, better.shape, elements=st.integers(0, 6).map(lambda v: v / 6)))
    return core.Comparisons(better, worse, np.ones(len(better)), draw(orders))


@settings(deadline=None, max_examples=40)
@given(comparisons())
def test_agreement_is_that_of_the_criterion(said):
    weights = _grid(12) + 1e-9
    weights /= weights.sum(axis=1, keepdims=True)
    expected = [
        all(
            weighted_norm(b[None], w, said.p)[0] <= weighted_norm(c[None], w, said.p)[0] * (1 + 1e-12) + 1e-15
            for b, c in zip(said.better, said.worse, strict=True)
        )
        for w in weights
    ]
    found = said.agree(weights)
    # Exact ties may fall either way in the last digit; only they may differ.
    for row in np.flatnonzero(found != np.array(expected)):
        gaps = [
            abs(weighted_norm(b[None], weights[row], said.p)[0] - weighted_norm(c[None], weights[row], said.p)[0])
            for b, c in zip(said.better, said.worse, strict=True)
        ]
        assert min(gaps) < 1e-12


@settings(deadline=None, max_examples=40)
@given(comparisons())
def test_a_program_finds_weights_exactly_where_a_fine_grid_has_some_with_room(said):
    found = core.interior_weights(said)
    weights = _grid(30)
    weights = weights[(weights > 0).all(axis=1)]
    keys = [
        (
            core.criterion_keys(said.worse[[i]], weights, said.p)
            - core.criterion_keys(said.better[[i]], weights, said.p)
        )[:, 0]
        for i in range(len(said.better))
    ]
    with_room = (np.min(keys, axis=0) > 1e-6).any()
    if with_room:
        assert found is not None
    if found is not None:
        assert said.agree(found[None])[0]
        assert found.sum() == pytest.approx(1)
        assert (found > 0).all()


def test_the_tolerance_of_the_integer_program_is_no_room():
    # Rows that are equal leave no room; an integer that is only nearly one would seem to.
    better, worse = np.zeros((3, 3)), np.zeros((3, 3))
    better[0], worse[0, 2] = [1 / 3, 5 / 6, 0.0], 1 / 6
    assert core.interior_weights(core.Comparisons(better, worse, np.ones(3), np.inf)) is None


@settings(deadline=None, max_examples=40)
@given(comparisons(), st.integers(0, 2**32 - 1))
def test_walks_stay_where_everything_agrees(said, seed):
    start = core.interior_weights(said)
    if start is None:
        return
    moved = core.walk(np.tile(start, (20, 1)), said, np.random.default_rng(seed), 5)
    assert said.agree(moved).all()
    assert np.allclose(moved.sum(axis=1), 1)
    assert (moved >= 0).all()


def test_walks_become_uniform_over_what_agrees():
    # f(better) <= f(worse) with p = 1 keeps half of the simplex in one weight: w_0 <= w_1.
    said = core.Comparisons(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]), np.ones(1), 1.0)
    moved = core.walk(np.tile([0.1, 0.2, 0.7], (4000, 1)), said, np.random.default_rng(0), 60)
    uniform = np.random.default_rng(1).dirichlet(np.ones(3), 40_000)
    uniform = uniform[uniform[:, 0] <= uniform[:, 1]]
    for k in range(3):
        ours, theirs = np.sort(moved[:, k]), np.sort(uniform[:, k])
        distance = np.abs(np.searchsorted(theirs, ours) / len(theirs) - np.arange(1, len(ours) + 1) / len(ours)).max()
        assert distance < 0.035


@settings(deadline=None, max_examples=60)
@given(hnp.arrays(bool, (12, 5)), hnp.arrays(np.int64, 12, elements=st.integers(0, 4)))
def test_expected_entropy_is_what_a_count_by_hand_gives(prefers, winners):
    def entropy(labels):
        shares = np.unique(labels, return_counts=True)[1] / max(len(labels), 1)
        return -(shares * np.log2(shares)).sum()

    for q, found in enumerate(core.expected_entropies(prefers, winners)):
        first, second = winners[prefers[:, q]], winners[~prefers[:, q]]
        assert found == pytest.approx((len(first) * entropy(first) + len(second) * entropy(second)) / 12)


@pytest.mark.parametrize("p", [1, 2, "inf"])
def test_simulated_users_get_their_model(p):
    models = datasets.load_open_llm_leaderboard().head(300)
    start = Elicitation.of(models.moo.copa(p=p), n_draws=400)
    rng = np.random.default_rng(3)
    for _ in range(3):
        weights = rng.dirichlet(np.ones(7))
        done = start.simulate_user(weights)
        assert done.converged
        assert done.best == models.moo.copa(p=p, weights=weights).best
        assert done.selection().best == done.best
        assert done.ask() is None


def test_the_question_is_the_one_that_narrows_most():
    start = Elicitation.of(MODELS.moo.copa(), n_draws=300)
    question = start.ask()
    gains = {}
    for i in range(4):
        for j in range(i + 1, 4):
            left = 0.0
            keys = core.criterion_keys(start.normalized[[i, j]], start.draws, start.p)
            for mask in (keys[:, 0] < keys[:, 1], keys[:, 0] >= keys[:, 1]):
                won = core.criterion_keys(start.normalized, start.draws[mask], start.p).argmin(axis=1)
                shares = np.unique(won, return_counts=True)[1] / max(len(won), 1)
                left -= mask.mean() * (shares * np.log2(shares)).sum()
            gains[frozenset((i, j))] = left
    assert gains[frozenset(question.rows)] == pytest.approx(min(gains.values()))


@pytest.mark.parametrize("p", [1, 3, "inf"])
def test_contradictions_are_found_and_are_minimal(p):
    # No one can prefer a to b, b to c and c to a; any two of these are possible with three objectives.
    frame = pd.DataFrame({"x": [1, 2, 3, 2], "y": [2, 3, 1, 2], "z": [3, 1, 2, 2]}, index=list("abcd"))
    said = Elicitation.of(frame.moo(dict.fromkeys("xyz", "min")).copa(p=p))
    for choice, pair in (("first", "ab"), ("unsure", "ad"), ("second", "cb")):
        said = said.answer(choice, tuple(pair))
    assert not said.conflict
    clashing = said.answer("first", ("c", "a"))
    assert clashing.conflict == (0, 2, 3)
    assert clashing.ask() is None
    assert not clashing.converged
    first = sentence(clashing, "elicitation.reasons.conflict")["answers"][0]
    assert (first["number"], first["answer"]) == (1, "a is better than b")
    for number in clashing.conflict:
        mended = clashing.withdraw(number)
        assert not mended.conflict
        assert mended._comparisons(mended.answers).agree(mended.draws).all()
    assert clashing.withdraw(1).conflict == (0, 1, 2)


def test_equal_keeps_weights_under_which_the_rows_are_about_equal():
    done = Elicitation.of(MODELS.moo.copa(p=1), tolerance=0.05).answer("equal", ("large", "tiny"))
    first, second = (np.array([weighted_norm(done.normalized[[row]], w, 1.0)[0] for w in done.draws]) for row in (0, 3))
    ratio = np.maximum(first, second) / np.minimum(first, second)
    assert ratio.max() <= 1.05 + 1e-9


def test_unsure_teaches_nothing_and_is_not_asked_again():
    start = Elicitation.of(MODELS.moo.copa())
    question = start.ask()
    unsure = start.answer("unsure")
    assert np.array_equal(unsure.draws, start.draws)
    assert set(unsure.ask().rows) != set(question.rows)


def test_withdrawing_returns_to_where_it_was():
    start = Elicitation.of(MODELS.moo.copa())
    back = start.answer("first").withdraw(-1)
    assert back.answers == ()
    assert back.weight_ranges["mean"].to_numpy() == pytest.approx(start.weight_ranges["mean"].to_numpy(), abs=0.05)


def test_candidates_restrict_who_is_asked_about():
    done = Elicitation.of(MODELS.moo.copa(where="co2_kg <= 2")).simulate_user({"accuracy": 0.99})
    assert done.best == "small"


def test_what_cannot_be_is_refused():
    for choice, options, words in (
        (MODELS.moo.copa(p=100), {}, "`p` is 100"), (MODELS.moo.copa(), {"tolerance": 2}, "`tolerance`"),
        (MODELS.moo.copa(), {"confidence_level": 0.2}, "`confidence_level`"),
        (MODELS.moo(accuracy="max").copa(), {}, "at least two objectives"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            Elicitation.of(choice, **options)
    assert MODELS.moo(accuracy="max").copa().elicit() == "With one objective, there is nothing to trade."
    start = Elicitation.of(MODELS.moo.copa())
    with pytest.raises(ValueError, match="`choice`"):
        start.answer("left")
    with pytest.raises(ValueError, match="`question` names 'nobody'"):
        start.answer("first", ("nobody", "tiny"))
    with pytest.raises(ValueError, match="`number`"):
        start.withdraw(0)


def test_settled_choices_leave_no_question():
    done = Elicitation.of(MODELS.moo.copa()).simulate_user({"co2_kg": 0.9})
    assert done.best == "tiny"
    with pytest.raises(ValueError, match="no question left"):
        done.answer("first")


def test_certainty_ends_the_questions_earlier():
    models = datasets.load_open_llm_leaderboard().head(300)
    weights = np.random.default_rng(0).dirichlet(np.ones(7))
    sure = Elicitation.of(models.moo.copa(), n_draws=400).simulate_user(weights)
    fairly = Elicitation.of(models.moo.copa(), n_draws=400, confidence_level=0.8).simulate_user(weights)
    assert len(fairly.answers) < len(sure.answers)
    assert fairly.share >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("p", [1, 2, "inf"])
@pytest.mark.parametrize("weights", [[0.5, 0.5, 0, 0], [0.25] * 4])
def test_the_model_is_copas_where_many_rows_tie(p, weights):
    # Among rows that tie, at p = 1 too, the smallest ranks win: in every verb, and for a user who answers.
    for seed in range(15):
        table = np.random.default_rng(seed).integers(0, 4, (25, 4)).astype(float)
        models = pd.DataFrame(table, columns=list("abcd")).moo.define(**dict.fromkeys("abcd", "min"))
        done = Elicitation.of(models.moo.copa(p=p), n_draws=300).simulate_user(weights)
        assert done.best in models.moo.copa(p=p, weights=weights).tied


def test_draws_come_from_a_seed_a_generator_or_anew():
    first, second = Elicitation.of(MODELS.moo.copa()), Elicitation.of(MODELS.moo.copa(), rng=0)
    np.testing.assert_array_equal(first.draws, second.draws)
    one, other = (Elicitation.of(MODELS.moo.copa(), rng=np.random.default_rng(4)).draws for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(
        Elicitation.of(MODELS.moo.copa(), rng=None).draws, Elicitation.of(MODELS.moo.copa(), rng=None).draws
    )
    for rng in (-1, "seed"):
        with pytest.raises(ValueError, match="`rng`"):
            Elicitation.of(MODELS.moo.copa(), rng=rng)


def test_what_no_answer_would_narrow_is_not_asked():
    """All draws agree on every pair of rows that may be best: an answer that is expected teaches nothing."""
    start = Elicitation.of(MODELS.moo.copa(), confidence_level=1.0)
    first, second = (start.front[row] for row in (0, 1))
    rows = np.array([0, 1])
    sure = replace(start, draws=np.tile([0.9, 0.1], (len(start.draws), 1)), _winners=np.resize(rows, len(start.draws)))
    assert start.ask() is not None
    assert first != second
    assert sure.ask() is None
    assert not sure.converged


def test_rank_sums_are_counted_over_all_rows():
    start = Elicitation.of(MODELS.moo.copa(where="co2_kg <= 3"))
    # medium, small, tiny: one, two and three rows are more accurate, two, one and none emit less.
    assert start.rank_sums.tolist() == [1 + 2, 2 + 1, 3 + 0]


def test_users_give_up_after_the_most_questions():
    start = Elicitation.of(MODELS.moo.copa(), confidence_level=1.0)
    done = start.simulate_user({"accuracy": 0.9}, most=1)
    assert len(done.answers) == 1
    assert done.ask() is not None


def test_weights_are_found_where_no_draw_agrees():
    """A corner of the weights that none of few draws lies in: a program finds a point of it to walk from."""
    start = Elicitation.of(MODELS.moo.copa(p=1), n_draws=50)
    lower = replace(start, draws=np.tile([0.05, 0.95], (50, 1)))
    found = lower.answer("first", ("large", "tiny"))
    assert not found.conflict
    assert (found.draws[:, 0] > 0.4).all(), "accuracy decides for large at p = 1 from there on"
    norms = [weighted_norm(found.normalized[[0, -1]], weights, 1.0) for weights in found.draws]
    assert all(large <= tiny for large, tiny in norms)
    assert len(np.unique(found.draws[:, 0])) > 40, "it walked"


def test_simulated_users_without_error_find_their_row():
    study = Elicitation.of(MODELS.moo.copa(), confidence_level=1.0).simulate_users(5, rng=1)
    assert len(study) == 5
    assert study["right"].all()
    assert (study["questions"] <= 6).all(), "there are six pairs"


def test_the_answer_is_what_most_of_the_remaining_weights_choose():
    done = Elicitation.of(MODELS.moo.copa(), n_draws=50).simulate_user({"co2_kg": 0.9})
    answer = done.to_answer()
    assert str(done.best) in answer.headline
    assert answer.values == {"best": done.best, "share": done.share, "answers": len(done.answers)}
    ranges, possible = (printed.frame for printed in done.printed_tables())
    assert ranges["mean"].sum() == pytest.approx(1)
    assert possible.index[0] == done.best
