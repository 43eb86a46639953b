"""Every kind and key of claims of an earlier version raises an error with the line to write now, which is a claim."""

import re
from dataclasses import fields

import pytest
import yaml

import copa_nb
from copa_nb.claims.claims_file import read_claims
from copa_nb.claims.evidence import Reading
from copa_nb.claims.old_claims import OF_THE_TABLE, OLD_KINDS
from copa_nb.sources.table_descriptions import OLD_VALUES
from copa_nb.tables.description import WORDS

PAIR = ["ours", "baseline"]
NUMBERS = {"a": {"of": "ours", "column": "accuracy"}}
# An old claim of every kind, and its options, with the line that is written now.
OLD = [
    ({"best": "ours", "weights": {"cost": 0.5}}, "{rank: ours, weights: {cost: 0.5}}"),
    ({"id": "pick", "best": "ours"}, "{id: pick, rank: ours}"),
    ({"top": "ours"}, "{rank: ours, at_most: 3}"),
    ({"top": "ours", "k": 2, "p": 1}, "{rank: ours, at_most: 2, p: 1}"),
    ({"could_be_first": "ours"}, "{rank: ours, may_be: 1}"),
    ({"tier": "ours"}, "{rank: ours, tier: 1}"),
    ({"tier": "ours", "at_most": 2}, "{rank: ours, tier: 2}"),
    ({"top_on_new_item": "ours", "k": 2}, "{rank: ours, for: new_item, at_most: 2}"),
    ({"unchanged": "ours", "reference": "old.csv"}, "{rank: ours, reference: old.csv}"),
    ({"undominated": "ours", "ordinal": ["cost"]}, "{on_front: ours, under: any_utility, ordinal: [cost]}"),
    ({"dominates": PAIR, "planned": True}, "{better: [ours, baseline], in: dominance, planned: true}"),
    ({"improves": PAIR}, "{better: [ours, baseline], in: hypervolume}"),
    ({"better": PAIR, "objectives": ["cost"]}, "{better: [ours, baseline], in: [cost]}"),
    ({"allowed": "ours", "where": "cost <= 1"}, "{where: cost <= 1, of: ours}"),
    ({"expression": "a > 0.5", "numbers": NUMBERS}, "{number: a > 0.5, numbers: {a: {of: ours, column: accuracy}}}"),
    ({"gap": "", "at_most": 0.1}, "gap: 0.1"),
    ({"gap": "ours", "quantity": "relative_gap"}, "{gap: 0.05, of: ours, quantity: relative_gap}"),
    ({"overtuning": "ours", "at_most": 0.1}, "{gap: 0.1, quantity: overtuning, of: ours}"),
]


def refused(claim, **file):
    with pytest.raises(ValueError, match="cannot be checked") as caught:
        copa_nb.check({"claims": [claim], **file})
    return str(caught.value)


@pytest.mark.parametrize(("claim", "line"), OLD)
def test_an_old_claim_says_what_is_written_now_which_is_a_claim(claim, line):
    assert f"it is written `- {line}` now." in refused(claim)
    assert len(read_claims({"claims": [yaml.safe_load(line)]}).claims) == 1


def test_every_old_kind_is_tested():
    assert set(OLD_KINDS) == {next(name for name in claim if name != "id") for claim, _ in OLD}


@pytest.mark.parametrize("key", OF_THE_TABLE)
def test_what_claims_said_of_the_table_is_written_above_them(key):
    old = refused({"overtuning": "", "at_most": 0.1, key: "column_"})
    assert f"`- {{gap: 0.1, quantity: overtuning}}` now, with `{key}: column_` above `claims`" in old
    assert f"`- gap: 0.1` now, with `{key}: column_` above `claims`" in refused({"gap": 0.1, key: "column_"})


@pytest.mark.parametrize(("key", "value"), OLD_VALUES)
def test_an_old_value_of_the_file_says_what_is_written_now(key, value):
    message = refused({"rank": "ours"}, **{key: value})
    assert f"`{key}: {value}` is written `{key}: {OLD_VALUES[key, value]}` now." in message


@pytest.mark.parametrize(
    ("claim", "fragment"),
    [
        ({"rank": "ours", "at_least": 2}, "'at_least' is not an option of 'rank'"),
        ({"rank": "ours", "may_be": 1, "tier": 2}, "`tier` does not go with the other options"),
        ({"on_front": "ours", "ordinal": ["cost"]}, "claims such as {on_front: medium, under: any_utility}"),
        ({"rank": "ours", "for": "old_item"}, "`for` is 'old_item'"),
        ({"rank": "ours", True: "new_item"}, "a key that YAML reads as true or false"),
        ({"rank": "ours", "where": "cost <= 1"}, "it has the kinds 'rank', 'where'; write a claim for each"),
        ({"rank": "ours", "may_be": 0}, "`may_be` is 0; it must be a whole number of at least 1"),
        ({"where": "cost <= 1"}, "`of` is empty"),
    ],
)
def test_options_that_do_not_fit_a_kind_are_refused(claim, fragment):
    assert re.search(re.escape(fragment), refused(claim))


def test_claims_without_a_name_are_called_by_what_they_say():
    claims = [{"rank": "a"}, {"rank": "a", "at_most": 2, "weights": {"cost": 0.5}, "p": 2}, {"rank": "a", "tier": 2}]
    named = [claim.id for claim in read_claims({"claims": claims}).claims]
    assert named == [
        "a ranks first",
        "a ranks among the first 2 under the weights cost 0.5 and p = 2",
        "a is in tier 2 or a better one",
    ]
    assert "another claim has this id" in refused({"rank": "a"}, claims=[{"rank": "a"}, {"rank": "a"}])


def test_only_one_system_ranks_first():
    message = refused(None, claims=[{"rank": "a", "at_most": 1}, {"rank": "b"}, {"rank": "c", "at_most": 2}])
    assert "'b ranks first' contradicts 'a ranks first'" in message
    assert "'c" not in message
    assert len(read_claims({"claims": [{"rank": "a"}, {"rank": "b", "may_be": 1}, {"rank": "c", "p": 1}]}).claims) == 3


def test_a_file_takes_every_word_that_describes_a_table():
    assert set(WORDS) <= {one.name for one in fields(Reading)}
