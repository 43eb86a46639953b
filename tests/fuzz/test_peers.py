"""Fronts and hypervolumes on hostile tables are those of the definition, and other libraries are asked rightly."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from tests.fuzz import peers, truth

BOTH = {"a": "max", "b": "min"}


def test_fronts_by_definition():
    frame = pd.DataFrame({"a": [1.0, 2.0, 2.0, 0.0], "b": [1.0, 3.0, 3.0, 1.0]})
    assert truth.fronts(frame, BOTH) == [[True, True, True, False]]
    holes = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [1.0, 0.0, 2.0]})
    assert truth.fronts(holes, BOTH) == [[True, True, True], [True, False, True]]
    endless = pd.DataFrame({"a": [1, 1, 2], "b": [float("nan"), float("inf"), float("nan")]})
    assert truth.fronts(endless, {"a": "min", "b": "min"})[0] == [True, True, False]
    assert truth.fronts(frame.astype(complex), BOTH) == []
    assert truth.fronts(frame, {"a": "max", "c": "min"}) == []
    assert truth.fronts(pd.DataFrame({"a": [2**53, 2**53 + 1]}), {"a": "max"}) == [[False, True]]


def test_hypervolumes_by_definition():
    frame = pd.DataFrame({"a": [3.0, 1.0, 9.0], "b": [2.0, 1.0, 5.0]})
    assert truth.hypervolumes(frame, BOTH, {"a": 0.0, "b": 4.0}) == [Fraction(7)]
    assert truth.hypervolumes(frame, {"a": "max"}, {"a": 1.0}) == [8]
    assert truth.hypervolumes(frame.replace(2.0, -np.inf), BOTH, {"a": 0.0, "b": 4.0}) == [math.inf]
    assert truth.hypervolumes(frame.replace(2.0, np.inf), BOTH, {"a": 0.0, "b": 4.0}) == [3]
    assert truth.close(7.0 + 1e-12, Fraction(7))
    assert not truth.close(7.001, Fraction(7))
    assert not truth.close(math.nan, Fraction(7))


@pytest.mark.slow
@pytest.mark.parametrize("suite", peers.SUITES)
@pytest.mark.parametrize(
    "call", [call for call in peers.CALLS if call.package == "copa_nb"], ids=lambda call: call.name
)
def test_copa_nb_is_right_or_refuses(call, suite):
    pytest.importorskip("pyarrow", reason="the Arrow table needs pyarrow")
    found = peers.outcomes(call, suite)
    assert list(found) == list(peers.SUITES[suite])
    assert {table: outcome for table, outcome in found.items() if outcome not in ("right", "refused")} == {}
    assert "right" in found.values()


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", [call for call in peers.CALLS if call.package != "copa_nb"], ids=lambda call: call.name
)
def test_peers_answer_a_plain_table_rightly(call):
    """The comparison asks every library as its users do, or it would be worth nothing."""
    if reason := peers.missing():
        pytest.skip(reason)
    said = peers.run(call, ["plain", "ties", "HTML", "one row"])
    assert {table: peers.judge(call, line) for table, line in said.items()} == dict.fromkeys(said, "right")
    assert len(said) == 4
