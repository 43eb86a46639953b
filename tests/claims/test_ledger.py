"""Claims: what the papers say comes from one list, and verdicts follow from what was computed."""

import csv
import inspect
import re

import numpy as np
import pytest

from copa_nb.claims.collection import installed
from copa_nb.claims.ledger import REASONS, LedgerEntry, count_reasons, count_verdicts
from copa_nb.claims.verdicts import OF_PAPERS, OWN
from copa_nb.reports import Record
from tests.claims.functions import checks

LISTED = "copa-fig1-half"


def claim(id=LISTED, **given):
    report = Record(paper="COPA")
    report.claim(id, **({"found": "f", "holds": True} | given))
    return report.claims[0]


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"holds": True}, "reproduced"),
        ({"holds": np.bool_(False)}, "differs"),
        ({"holds": True, "other_data": "folds: the paper's are not public"}, "holds on other data"),
        ({"holds": False, "other_data": "folds: the paper's are not public"}, "fails on other data"),
        ({"holds": None, "note": "not public"}, "not checkable"),
        ({"holds": None, "note": "not public", "other_data": "folds"}, "not checkable"),
        ({"id": "our-claim", "says": "s", "holds": True}, "holds"),
        ({"id": "our-claim", "says": "s", "holds": False}, "fails"),
    ],
)
def test_the_verdict_follows_from_what_was_computed(given, verdict):
    made = claim(**given)
    assert made.verdict == verdict
    assert made.own is (verdict in OWN)
    assert made.payload()["verdict"] == verdict


@pytest.mark.parametrize("holds", [1, 0.5, "yes", "reproduced"])
def test_a_verdict_cannot_be_typed_in(holds):
    with pytest.raises(TypeError, match="`holds`"):
        claim(holds=holds)


def test_words_place_and_numbers_come_from_the_list():
    listed, made = installed().claims[LISTED], claim(ours=0.173)
    assert (made.says, made.place, made.printed) == tuple(listed[name] for name in ("says", "place", "printed"))
    assert made.ours == "0.173"
    assert made.statement == f"The paper, {listed['place']}, says: {listed['says']}"
    assert claim(printed="19%", tolerance=0.01).printed == "19%"
    with pytest.raises(ValueError, match="`says`"):
        claim(says="in other words")


def test_a_claim_checked_twice_keeps_its_words():
    made = claim("copa-fig1-half-again", of=LISTED)
    assert (made.id, made.says, made.own) == ("copa-fig1-half-again", installed().claims[LISTED]["says"], False)


@pytest.mark.parametrize("given", [{"id": "copa-fig1-haf"}, {"id": "x", "of": "copa-fig1-haf"}])
def test_an_unknown_id_needs_words_of_its_own(given):
    with pytest.raises(ValueError, match="copa-fig1-half"):
        claim(**given)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"holds": None}, "note"),
        ({"id": "our-claim", "says": "s", "holds": None, "note": "n"}, "holds"),
        ({"found": " "}, "found"),
        ({"id": "Not An Id", "says": "s"}, "id"),
        ({"id": "our-claim", "says": "s", "ours": 0.2, "printed": 0.1, "tolerance": 0.05}, "holds"),
    ],
)
def test_claims_that_say_too_little_or_contradict_their_numbers_are_refused(given, argument):
    with pytest.raises(ValueError, match=f"`{argument}`"):
        claim(**given)


def test_a_claim_says_something():
    with pytest.raises(ValueError, match="`says` of the claim 'a-b' is empty"):
        LedgerEntry("a-b", "COPA", " ", "f", True)


def test_numbers_within_the_tolerance_pass():
    assert claim("our-claim", says="s", ours=0.15, printed=0.1, tolerance=0.05).verdict == "holds"
    assert claim("our-claim", says="s", ours=0.2, printed=0.1, tolerance=0.05, holds=False).verdict == "fails"


def test_our_own_claims_are_counted_apart():
    made = [claim(), claim(holds=False), claim("ours", says="s"), claim("ours-too", says="s")]
    assert count_verdicts(c.payload() for c in made) == {"reproduced": 1, "differs": 1, "holds": 2}
    assert not set(OF_PAPERS) & set(OWN)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"holds": False, "reason": "other random draws"}, "other random draws"),
        ({"holds": False}, "not found"),
        ({"holds": True, "reason": "other random draws"}, ""),
        ({"holds": False, "reason": "other random draws", "other_data": "folds"}, ""),
        ({"holds": None, "note": "not at hand", "reason": "unstated setting"}, ""),
        ({"id": "our-claim", "says": "s", "holds": False}, ""),
    ],
)
def test_only_what_differs_has_a_reason(given, reason):
    made = claim(**given)
    assert made.reason == made.payload()["reason"] == reason
    assert (reason in made.to_html()) or not reason


def test_an_unknown_reason_is_refused():
    with pytest.raises(ValueError, match="`reason` of the claim 'copa-fig1-half' is 'bad luck'"):
        claim(holds=False, reason="bad luck")


def test_reasons_are_counted_in_their_order():
    rows = [claim(holds=False, reason=reason).payload() for reason in (REASONS[2], REASONS[0], REASONS[2])]
    assert list(count_reasons([*rows, claim().payload()]).items()) == [(REASONS[0], 1), (REASONS[2], 2)]


def test_every_erratum_names_its_place_and_the_claim_that_shows_it():
    ids = {function.checked.id for function in checks()}
    for erratum in installed().errata:
        assert erratum["paper"] in installed().papers
        assert erratum["place"].strip()
        assert erratum["error"].strip()
        assert not erratum["error"].endswith("."), "the page sets the full stop"
        assert erratum["claim"] in ids
    assert len({erratum["error"] for erratum in installed().errata}) == len(installed().errata) > 9


def test_every_listed_claim_says_what_where_and_what_decides():
    for id, row in installed().claims.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)
        assert row["paper"] in installed().papers
        for name in ("place", "says", "tolerance"):
            assert row[name].strip(), (id, name)
        assert not {"“", "”"} & set(row["says"]), "in our own words"


def test_notebooks_say_what_decides_every_claim_that_they_check():
    assert set(installed().claims) <= {function.checked.id for function in checks()}
    undecided = {function.checked.id for function in checks() if "holds=None," in inspect.getsource(function)}
    assert {id for id, row in installed().claims.items() if row["tolerance"] == "–"} == undecided


def test_no_claim_is_listed_twice():
    (folder,) = installed().folders
    with (folder / "claims.csv").open(encoding="utf-8", newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert len(ids) == len(set(ids)) == len(installed().claims)


def test_a_claim_in_words():
    said = LedgerEntry("a-b", "COPA", "x wins", "1 & 2", True, place="p. 3", printed="18%", ours="17%")
    assert said.statement == "The paper, p. 3, says: x wins"
    assert said.numbers == "Printed: 18%; ours: 17%"
    shown = ["reproduced", "(a-b)", said.statement, "Found: 1 &amp; 2", said.numbers]
    assert [part for part in shown if part in said.to_html()] == shown
    bare = LedgerEntry("a-b", "COPA", "x <wins>", "1", None, note="not <public>", other_data="folds", tolerance="0.1")
    assert bare.statement == "The paper says: x <wins>"
    shown = ["x &lt;wins&gt;", "tolerance: 0.1", "folds", "not &lt;public&gt;"]
    assert [part for part in shown if part in bare.to_html()] == shown
    assert LedgerEntry("a-b", None, "x wins", "1", False, own=True).statement == "We claim: x wins"
