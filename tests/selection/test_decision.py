"""What a reader sees first of a choice: headline, sentence and card, compared with the table by brute force."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copa_nb
from copa_nb.selection.decision import Decision
from tests import asked

WAYS = {"acc": "max", "cost": "min"}


def decided(rows, winners=None, **options):
    table = pd.DataFrame(rows, columns=["acc", "cost"], index=list("ABCDEFGHIJ")[: len(rows)])
    choice = asked.copa(table, objectives=WAYS, **options)
    return table, Decision(choice, choice.stability(n_resamples=200), winners)


@pytest.mark.parametrize(
    ("rows", "headline", "is_open"),
    [
        ([(0.9, 1), (0.8, 2), (0.7, 3)], "A dominates all 2 other rows", False),
        ([(0.9, 1), (0.8, 2)], "A dominates the only other row", False),
        ([(0.9, 1)], "A is the only row", False),
        ([(0.9, 1)] * 4, "All 4 rows are equal", False),
        ([(0.9, 9), (0.5, 1), (0.4, 8), (0.8, 2), (0.8, 2), (0.8, 2)], "D, E and F tie for first place", True),
    ],
)
def test_edge_cases_are_one_sentence(rows, headline, is_open):
    _, decision = decided(rows)
    answer = decision.choice.to_answer()
    assert answer.headline == headline
    assert decision.is_open == is_open
    assert bool(answer.certainty) == is_open
    assert "None" not in " ".join(answer.lines)


def test_ties_are_named_together_everywhere():
    _, decision = decided([(0.9, 9), (0.5, 1), (0.4, 8), (0.8, 2), (0.8, 2), (0.8, 2)])
    answer = decision.choice.to_answer()
    assert answer.lines[0].startswith("D, E and F have acc 0.8 (2nd of 6)")
    assert answer.certainty.startswith("One of these 3 is chosen in ")
    assert answer.card.columns[1:3] == ["★ D", "tied: E"]


def test_the_runner_up_is_compared_in_every_objective():
    table, decision = decided([(0.912, 14.2), (0.92, 17.2), (0.5, 20.0), (0.4, 1.0), (0.6, 30.0), (0.3, 40.0)])
    best, second = decision.choice.table.index[:2]
    (said,) = decision.sentences
    for name, way in WAYS.items():
        sign = 1 if way == "max" else -1
        gap = sign * (table.loc[second, name] - table.loc[best, name])
        word = "better" if gap > 0 else "worse"
        assert f"by {abs(gap):.2g} in {name}" in said.split(word, 1)[1]
        rank = int((sign * table[name] > sign * table.loc[best, name]).sum()) + 1
        assert f"{name} {table.loc[best, name]:.3g} ({copa_nb.ranking.criterion.ordinal(rank)}" in said


VALUES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8)


@settings(max_examples=40, deadline=None)
@given(VALUES)
def test_the_card_has_ranks_and_the_best_of_each_column(rows):
    table, decision = decided([(float(a), float(b)) for a, b in rows])
    if decision.all_equal:
        assert decision.card is None
        return
    best, second = decision.choice.table.index[:2]
    for line, (name, way) in zip(decision.card.rows, WAYS.items(), strict=True):
        sign = 1 if way == "max" else -1
        own = sign * table[name]
        ranks = [copa_nb.ranking.criterion.ordinal(int((own > own[row]).sum()) + 1) for row in (best, second)]
        values = [f"{table.loc[best, name]:g} ({ranks[0]})", f"{table.loc[second, name]:g} ({ranks[1]})"]
        assert line[1:] == [*values, f"{sign * own.max():g}"]
    own, others = table.loc[best], table.drop(index=best)
    no_better = (others["acc"] <= own["acc"]) & (others["cost"] >= own["cost"])
    assert decision.dominates_all == bool((no_better & (others != own).any(axis=1)).all())


@settings(max_examples=40, deadline=None)
@given(VALUES.filter(lambda rows: len({cost for _, cost in rows}) > 1), st.integers(1, 4))
def test_under_a_limit_all_ranks_of_a_page_are_among_all_rows(rows, most):
    table = pd.DataFrame(rows, columns=["acc", "cost"], index=list("ABCDEFGH")[: len(rows)], dtype=float)
    if (table["cost"] <= most).sum() < 2:
        return
    choice = asked.copa(table, objectives=WAYS, where=f"cost <= {most}")
    decision = Decision(choice, choice.stability(n_resamples=50))
    if decision.card is None:
        return
    ordinal = copa_nb.ranking.criterion.ordinal
    places = {"acc": table["acc"].rank(method="min", ascending=False), "cost": table["cost"].rank(method="min")}
    for line, name in zip(decision.card.rows, WAYS, strict=True):
        for cell, row in zip(line[1:3], choice.table.index[:2], strict=True):
            place = int(places[name][row])
            assert cell.endswith(f"({ordinal(place)})")
    for sentence in decision.sentences:
        assert " allowed)" not in sentence
        if "(" in sentence:
            assert f"({ordinal(int(places['acc'][choice.best]))} of {len(table)})" in sentence


def test_a_choice_that_resamples_or_criteria_doubt_is_by_a_hair():
    _, decision = decided([(0.9, 9.0), (0.85, 5.0), (0.8, 4.0), (0.6, 1.0)], weights={"acc": 0.55})
    choice, stability = decision.choice, decision.stability
    best, rival = choice.table.index[:2]
    assert not stability.is_firm
    share = f"{100 * stability.share[rival]:.0f}% of 200 resamples"
    doubtful = Decision(choice, stability, pd.Series([rival] * 4 + [best] * 3))
    assert doubtful.headline == f"{best}, by a hair: {rival} is chosen in {share} and by 4 of 7 criteria"
    assert stability.share.idxmax() == best
    agreed = Decision(choice, stability, pd.Series([best] * 7))
    assert agreed.headline == f"{best}: no worse than 3rd of 4 in any objective"


def test_a_firm_choice_says_where_most_criteria_disagree():
    _, decision = decided([(0.9, 1.0), *((0.5 - 0.01 * k, 2.0 + k) for k in range(8)), (0.95, 9.0)])
    choice, stability = decision.choice, decision.stability
    best, rival = choice.table.index[:2]
    assert stability.is_firm
    assert decision.is_open
    most = Decision(choice, stability, pd.Series([rival] * 4 + [best] * 3))
    assert most.headline == f"{best}, but {rival} is chosen by 4 of 7 criteria"
    split = Decision(choice, stability, pd.Series([rival] * 2 + [best] + list("FGHI")))
    assert split.headline == f"{best}: best in cost"
