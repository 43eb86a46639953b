"""Every verb gives the numbers and labels that are stored, called as a user calls it.

Numbers are met to 12 digits: this program gives the same bits again, but another processor or BLAS adds up in another
order. Labels, counts and dtypes are met exactly; sentences may be worded anew, with the same numbers in them. See
`tests.snapshot.cases` for the cases.
"""

import math

import pytest

import copa_nb
from tests import everything
from tests.snapshot.cases import CASES, HELD_BY_DEFINITIONS, computed
from tests.snapshot.encoding import differences, read, write
from tests.snapshot.make import RENEW, REPORTS, stored_numbers
from tests.snapshot.reports import NAMES, made

SHOWN = 30
# They answer in a notebook, with what the verbs beside them compute; a report is made below.
ELSEWHERE = {
    "citations", "elicit", "explore", "moo", "options", "Panel", "panel", "plot",
    "parse_numbers", "pass_k", "read", "refit",
    # Compared with other verbs and with definitions in their own tests.
    "BoardChanges", "Checked", "Forecast", "check", "Scan", "scan",
    "report", *(name for name in copa_nb.__all__ if name.startswith("from_")),
}  # fmt: skip


@pytest.fixture(scope="module")
def stored():
    return stored_numbers()


def _same(before, now, part, **exactness):
    lines = list(differences(before, now, **exactness))
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    assert not lines, "\n".join([f"{len(lines)} differences; {RENEW} {part}", *lines[:SHOWN], *more])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "on_the_same_items" else []) for name in CASES]
)
def test_numbers_are_as_stored(stored, name):
    assert name in stored, f"{name} is not stored; {RENEW} numbers"
    exactness = {"relative": CASES[name].relative, "absolute": CASES[name].absolute}
    _same(stored[name], computed(name), "numbers", **exactness)


def test_no_case_was_lost(stored):
    left = {name for name in stored if name not in CASES}
    assert not left, "no case has these names; if this is meant, delete their files in tests/snapshot/numbers"


def test_every_public_name_has_a_case():
    covered = {name for one in CASES.values() for name in one.covers}
    names = {*everything.public()}
    assert covered == names - {name for name in names if name.endswith("Explorer")} - ELSEWHERE - HELD_BY_DEFINITIONS


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_reports_claim_what_is_stored(name, tmp_path):
    _same(read(REPORTS)[name], made(name, tmp_path), "reports")


BEFORE = {"table": {"labels": ["a", "b"], "columns": {"u": [0.1, math.nan, math.inf]}}, "n": 3, "exact": True}


def _planted(**columns):
    return {**BEFORE, "table": {"labels": ["a", "b"], "columns": {"u": [0.1, math.nan, math.inf]} | columns}}


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (_planted(u=[0.1 + 1e-11, math.nan, math.inf]), "table > columns > u[0]: 0.1 became 0.10000000001"),
        (_planted(u=[0.1, 0.0, math.inf]), "table > columns > u[1]: NaN became 0.0"),
        (_planted(u=[0.1, math.nan, -math.inf]), "table > columns > u[2]: Infinity became -Infinity"),
        (_planted(u=[0.1, math.nan]), "table > columns > u: 3 values became 2"),
        (_planted(v=[]), 'table > columns: ["v"] is new'),
        ({**BEFORE, "n": 4}, "n: 3 became 4"),
        ({**BEFORE, "n": 3.0}, "n: 3 became 3.0"),
        ({**BEFORE, "exact": 1}, "exact: true became 1"),
        ({"table": BEFORE["table"], "exact": True}, 'all: ["n"] went'),
        (dict(reversed(BEFORE.items())), 'all: ["table","n","exact"] are in another order'),
        ({**BEFORE, "table": {**BEFORE["table"], "labels": ["b", "a"]}}, 'table > labels[0]: "a" became "b"'),
    ],
)  # fmt: skip
def test_a_change_is_named(now, said):
    lines = list(differences(BEFORE, now))
    assert any(said in line for line in lines), lines


def test_of_long_texts_the_part_that_changed_is_shown():
    before, now = "so " * 100 + "of 12", "so " * 100 + "of 13"
    assert list(differences({"words": before}, {"words": now})) == [f'words: … "{before[-41:]}" became … "{now[-41:]}"']


def test_a_result_may_learn_to_explain_itself():
    assert list(differences(BEFORE, {"explain": "In words.", **BEFORE})) == []
    assert list(differences({"explain": "In words.", **BEFORE}, BEFORE)) == ['all: ["explain"] went']


def test_sentences_may_be_worded_anew_but_labels_may_not():
    before = "The gap is 0.12 over 5 splits."
    assert list(differences(before, "Over all splits the gap is 0.12 (5 of them).")) == []
    assert list(differences(before, "The gap is 0.13 over 5 splits.")) != []
    assert list(differences("large model", "small model")) != []


def test_rounding_is_no_change():
    assert list(differences(BEFORE, _planted(u=[0.1 * (1 + 4e-16), math.nan, math.inf]))) == []


def test_a_changed_value_changes_one_line_of_its_file(tmp_path):
    content = {"table": {"labels": ["a", "b"], "u": [k / 7 for k in range(40)]}, "explain": "Ünder 5%.", "none": []}
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    write(before, content)
    assert read(before) == content
    content["table"]["u"][3] = -math.inf
    write(after, content)
    assert read(after) == content
    lines = zip(before.read_text("utf-8").splitlines(), after.read_text("utf-8").splitlines(), strict=True)
    assert [now for old, now in lines if old != now] == ["   -Infinity,"]
