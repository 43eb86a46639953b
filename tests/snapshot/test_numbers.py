"""What is drawn or estimated comes out as it is stored, called as a user calls it.

Numbers are met to 12 digits: this program gives the same bits again, but another processor or BLAS adds up in another
order. Labels, counts and dtypes are met exactly. See `tests.snapshot.cases` for the cases.
"""

import math

import numpy as np
import pandas as pd
import pytest

import copa_nb
from tests import everything
from tests.snapshot.cases import CASES, HELD_BY_DEFINITIONS, computed
from tests.snapshot.encoding import differences, read, rows_of_case, write
from tests.snapshot.make import NUMBERS, of_case

RENEW = "if this is meant: python -m tests.snapshot.make numbers"
SHOWN = 30
SLOW = ("on_the_same_items",)
# They answer in a notebook, with what the verbs beside them compute.
ELSEWHERE = {
    "citations", "elicit", "explore", "moo", "options", "Panel", "panel", "plot",
    "parse_numbers", "pass_k", "read", "refit",
    # Compared with other verbs and with definitions in their own tests.
    "BoardChanges", "Checked", "Forecast", "check", "Scan", "scan",
    "report", *(name for name in copa_nb.__all__ if name.startswith("from_")),
}  # fmt: skip


@pytest.fixture(scope="module")
def stored():
    return read(NUMBERS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
def test_numbers_are_as_stored(stored, name):
    exactness = {"relative": CASES[name].relative, "absolute": CASES[name].absolute}
    lines = list(differences(of_case(stored, name), computed(name), **exactness))
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    assert not lines, "\n".join([f"{len(lines)} differences; {RENEW}", *lines[:SHOWN], *more])


def test_every_case_is_stored_and_none_was_lost(stored):
    assert {name for name, _ in stored} == {*CASES}


def test_every_public_name_has_a_case():
    covered = {name for one in CASES.values() for name in one.covers}
    names = {*everything.public()}
    assert covered == names - {name for name in names if name.endswith("Explorer")} - ELSEWHERE - HELD_BY_DEFINITIONS


TABLE = pd.DataFrame(
    {"u": [0.1, math.nan, math.inf, 2.0], "model": ["ash", "birch", None, "cedar"]}, index=list("abcd")
)
BEFORE = {"table": TABLE, "n": 3, "exact": True, "words": "The gap is 0.12 over 5 splits.", "best": "ash"}


def _rows(found):
    return rows_of_case("case", found)


def _changed(**columns):
    return {**BEFORE, "table": TABLE.assign(**columns)}


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (_changed(u=[0.1 + 1e-11, math.nan, math.inf, 2.0]), "case > table > u: mean 1.05 became"),
        (_changed(u=[2.0, math.nan, math.inf, 0.1]), "case > table > u: moment"),
        (_changed(u=[0.1, 0.0, math.inf, 2.0]), "case > table > u: n 2 became 3"),
        (_changed(u=[0.1, math.nan, -math.inf, 2.0]), "case > table > u: text '1 inf, 1 nan' became '1 -inf, 1 nan'"),
        (_changed(v=1), "case > table > v: is new"),
        (_changed(model=["birch", "ash", None, "cedar"]), "case > table > model: text 'ash | birch | None | cedar'"),
        ({**BEFORE, "table": TABLE.loc[list("abdc")]}, "case > table > index: text 'a | b | c | d' became"),
        ({**BEFORE, "n": 4}, "case > n: mean 3.0 became 4.0"),
        ({**BEFORE, "n": 3.0}, "case > n: kind 'int' became 'float'"),
        ({**BEFORE, "exact": 1}, "case > exact: kind 'bool' became 'int'"),
        ({**BEFORE, "words": "The gap is 0.13 over 5 splits."}, "case > words: text '0.12 5' became '0.13 5'"),
        ({**BEFORE, "best": "birch"}, "case > best: text 'ash' became 'birch'"),
        ({"table": TABLE, "exact": True}, "case > n: went"),
        (dict(reversed(BEFORE.items())), "case: its parts are in another order"),
        ({**BEFORE, "table": TABLE[["model", "u"]]}, "case: its parts are in another order"),
        ({**BEFORE, "table": TABLE.rename_axis("name")}, "case > table > index: kind 'index [None]' became"),
    ],
)  # fmt: skip
def test_a_change_is_named(now, said):
    lines = list(differences(_rows(BEFORE), _rows(now)))
    assert any(line.startswith(said) for line in lines), lines


@pytest.mark.parametrize(
    "now",
    [
        _changed(u=[0.1 * (1 + 4e-16), math.nan, math.inf, 2.0]),
        {**BEFORE, "words": "Over all splits the gap is 0.12 (5 of them)."},
    ],
)
def test_rounding_and_words_are_no_change(now):
    assert list(differences(_rows(BEFORE), _rows(now))) == []


def test_of_long_lists_of_labels_every_one_counts():
    before, now = ([f"model {k}" for k in range(100)] for _ in range(2))
    now[70] = "another"
    assert len(list(differences(_rows({"labels": before}), _rows({"labels": now})))) == 1


def test_what_is_written_alike_is_refused():
    with pytest.raises(ValueError, match="two parts of case are written alike: 1"):
        _rows({1: 0.5, "1": 0.5})


def test_what_is_not_understood_is_refused():
    with pytest.raises(TypeError, match="a object is not understood"):
        _rows({"thing": object()})


def test_what_is_stored_is_read_again(tmp_path):
    rows = _rows({**BEFORE, "array": np.arange(6.0).reshape(2, 3), "none": [], "nothing": None, 'ümlaut, "': "a, b"})
    write(tmp_path / "numbers.csv", rows)
    assert read(tmp_path / "numbers.csv") == rows
