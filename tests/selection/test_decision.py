"""What a reader sees first of a choice: headline, sentence and card, compared with the table by brute force."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.results.sentences import say
from copa_nb.selection.decision import Decision, DecisionCertainty
from copa_nb.selection.sensitivity import point_of_change
from copa_nb.text import ordinal
from tests import asked

WAYS = {"acc": "max", "cost": "min"}


def decided(rows, winners=None, **options):
    table = pd.DataFrame(rows, columns=["acc", "cost"], index=list("ABCDEFGHIJ")[: len(rows)])
    choice = asked.copa(table, objectives=WAYS, **options)
    found = DecisionCertainty(
        stability=choice.stability(n_resamples=200), level=point_of_change(choice), winners=winners
    )
    return table, Decision(choice, found)


def said(decision):
    return {part["say"]: part for part in decision.parts()}


@pytest.mark.parametrize(
    ("rows", "headline", "is_open"),
    [
        ([(0.9, 1), (0.8, 2), (0.7, 3)], ("dominates", {"best": "A", "others": 2}), False),
        ([(0.9, 1), (0.8, 2)], ("dominates", {"best": "A", "others": 1}), False),
        ([(0.9, 1)], ("only", {"best": "A"}), False),
        ([(0.9, 1)] * 4, ("equal", {"rows": 4}), False),
        (
            [(0.9, 9), (0.5, 1), (0.4, 8), (0.8, 2), (0.8, 2), (0.8, 2)],
            ("tied", {"tied": ["D", "E", "F"]}),
            True,
        ),
        ([(0.9, 9), (0.5, 1), (0.85, 8)], ("best_and_last", {"best": "A", "first": ["acc"], "last": ["cost"]}), True),
    ],
)
def test_edge_cases_have_headlines_of_their_own(rows, headline, is_open):
    weights = {"acc": 0.9} if headline[0] == "best_and_last" else None
    _, decision = decided(rows, weights=weights)
    first = decision.parts()[0]
    assert first == {"say": f"choice.headline.{headline[0]}", **headline[1]}
    answer = decision.choice.to_answer()
    assert answer.headline == say(first)
    assert decision.is_open == is_open
    assert bool(answer.certainty) == is_open
    assert "None" not in " ".join(answer.lines)


def test_ties_are_named_together_everywhere():
    _, decision = decided([(0.9, 9), (0.5, 1), (0.4, 8), (0.8, 2), (0.8, 2), (0.8, 2)])
    found = said(decision)
    assert [one["place"] for one in found["choice.reasons.values"]["objectives"]] == [2, 2]
    assert found["choice.certainty.one_of_tied"]["n"] == 3
    assert decision.card.columns[1:3] == ["★ D", "tied: E"]


def test_the_runner_up_is_compared_in_every_objective():
    table, decision = decided([(0.912, 14.2), (0.92, 17.2), (0.5, 20.0), (0.4, 1.0), (0.6, 30.0), (0.3, 40.0)])
    best, second = decision.choice.table.index[:2]
    found = said(decision)
    against, values = found["choice.reasons.against"], found["choice.reasons.values"]["objectives"]
    assert against["name"] == second
    for (name, way), value in zip(WAYS.items(), values, strict=True):
        sign = 1 if way == "max" else -1
        gap = sign * (table.loc[best, name] - table.loc[second, name])
        (by,) = (one for one in against["gains" if gap > 0 else "losses"] if one["name"] == name)
        assert by["value"] == pytest.approx(abs(gap))
        assert value["value"] == table.loc[best, name]
        assert value["place"] == int((sign * table[name] > sign * table.loc[best, name]).sum()) + 1


@pytest.mark.parametrize("weights", [None, {"acc": 0.9}, {"acc": 0.1}])
@pytest.mark.parametrize("limit", [None, "cost < 25"])
def test_a_card_is_read_in_ten_seconds(weights, limit):
    rows = [(0.912, 14.2), (0.92, 17.2), (0.5, 20.0), (0.4, 1.0), (0.6, 30.0), (0.3, 40.0)]
    _, decision = decided(rows, weights=weights, where=limit)
    answer = decision.choice.to_answer()
    assert len(answer.headline.split()) <= 14
    assert len(" ".join([*answer.lines, answer.certainty]).split()) <= 70


def test_a_choice_that_ranks_last_says_so_where_the_headline_is_about_doubts():
    _, decision = decided([(0.9, 9.0), (0.85, 5.0), (0.8, 4.0), (0.6, 1.0)], weights={"acc": 0.9})
    winners = pd.Series(["B"] * 7)
    found = said(Decision(decision.choice, DecisionCertainty(stability=decision.certainty.stability, winners=winners)))
    assert found["choice.headline.hair"]["rival"] == "B"
    assert found["choice.reasons.last"] == {"say": "choice.reasons.last", "rows": 4, "last": ["cost"]}


def test_a_choice_may_be_firm_against_resampling_and_fragile_to_weights():
    _, decision = decided([(0.9, 1.0), *((0.5 - 0.01 * k, 2.0 + k) for k in range(8)), (0.95, 9.0)])
    stability, choice = decision.certainty.stability, decision.choice
    assert stability.is_firm
    for level, name in (((1.2, "J"), "firm_fragile"), ((3.0, "J"), "firm_firm"), (None, "firm")):
        found = said(Decision(choice, DecisionCertainty(stability=stability, level=level)))
        assert f"choice.certainty.{name}" in found
        assert ("choice.certainty.weights" in found) == (name == "firm_fragile")


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
        ranks = [ordinal(int((own > own[row]).sum()) + 1) for row in (best, second)]
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
    decision = Decision(choice)
    if decision.card is None:
        return
    places = {"acc": table["acc"].rank(method="min", ascending=False), "cost": table["cost"].rank(method="min")}
    for line, name in zip(decision.card.rows, WAYS, strict=True):
        for cell, row in zip(line[1:3], choice.table.index[:2], strict=True):
            place = int(places[name][row])
            assert cell.endswith(f"({ordinal(place)})")
    values = said(decision)["choice.reasons.values"]["objectives"] if len(choice.tied) == 1 else []
    assert [one["place"] for one in values] == [int(places[one["name"]][choice.best]) for one in values]
    assert {one["rows"] for one in values} <= {len(table)}


def test_a_choice_that_resamples_or_criteria_doubt_is_by_a_hair():
    _, decision = decided([(0.9, 9.0), (0.85, 5.0), (0.8, 4.0), (0.6, 1.0)], weights={"acc": 0.55})
    choice, stability = decision.choice, decision.certainty.stability
    best, rival = choice.table.index[:2]
    assert not stability.is_firm
    doubtful = said(
        Decision(choice, DecisionCertainty(stability=stability, winners=pd.Series([rival] * 4 + [best] * 3)))
    )
    assert doubtful["choice.headline.hair"]["rival"] == rival
    assert doubtful["choice.certainty.criteria"]["favored"] == 4
    shares = {one["name"]: one.get("share") for one in doubtful["choice.certainty.resampled_rivals"]["rivals"]}
    assert shares[rival] == stability.share[rival]
    assert stability.share.idxmax() == best
    agreed = said(Decision(choice, DecisionCertainty(stability=stability, winners=pd.Series([best] * 7))))
    assert agreed["choice.headline.no_worse"]["place"] == 3
    assert "choice.certainty.criteria" not in agreed


def test_a_firm_choice_says_where_most_criteria_disagree():
    _, decision = decided([(0.9, 1.0), *((0.5 - 0.01 * k, 2.0 + k) for k in range(8)), (0.95, 9.0)])
    choice, stability = decision.choice, decision.certainty.stability
    best, rival = choice.table.index[:2]
    assert decision.is_open
    most = Decision(choice, DecisionCertainty(stability=stability, winners=pd.Series([rival] * 4 + [best] * 3)))
    assert most.parts()[0] == {
        "say": "choice.headline.doubted", "best": best, "rival": rival, "favored": 4, "criteria": 7,
    }  # fmt: skip
    split = Decision(
        choice, DecisionCertainty(stability=stability, winners=pd.Series([rival] * 2 + [best] + list("FGHI")))
    )
    assert split.parts()[0] == {"say": "choice.headline.best", "best": best, "first": ["cost"]}
