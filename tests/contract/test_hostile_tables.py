"""Every verb on every hostile table: right, or a clear error; never a changed input.

What draws is a slow test; of the fast ones, those of tables drawn at random (``tests/fuzz``) draw, too.
"""

import copy
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb.accessor import VERBS as ALL_VERBS
from copa_nb.results.note import Note
from copa_nb.tables.objectives import RowsOmittedWarning, RunsWarning
from tests import definitions
from tests.each import hold_for_each
from tests.fuzz.tables import TABLES
from tests.fuzz.verbs import NOT_CALLED, VERBS

pytest.importorskip("pyarrow", reason="the Arrow table needs pyarrow")
# What draws takes most of the time: each of these meets a third of the tables, each table a third of these.
DRAWN = [verb for verb in VERBS if verb.startswith(("plot", "explore", "elicit", "panel", "board", "attainment"))] + [
    "confident_front, items", "overtuning",
]  # fmt: skip


def tables_of(verb):
    """The names of the tables that a verb meets."""
    return [
        table
        for row, table in enumerate(TABLES)
        if verb not in DRAWN or (row + DRAWN.index(verb)) % 3 == 0
    ]  # fmt: skip


def _costs(frame, objectives):
    """Objectives as costs by the plainest route, or None where there are none to be had."""
    try:
        columns = [(-1 if d == "max" else 1) * frame[name].astype(float).to_numpy() for name, d in objectives.items()]
    except (KeyError, TypeError, ValueError):
        return None
    costs = np.array(columns).T
    return None if np.isnan(costs).any() else costs


def _check(verb, result, frame, objectives):
    """Hold what came out against the definition, where the definition can be computed."""
    costs = _costs(frame, objectives) if frame.columns.is_unique else None
    if costs is None:
        return
    if verb in ("front", "front, worst", "front, omit"):
        pd.testing.assert_frame_equal(result, frame[definitions.front(costs)])
    elif verb == "layers(1)" or verb == "layers":
        assert (result == 1).tolist() == definitions.front(costs).tolist()
    elif verb == "normalize":
        shares = (costs[None] < costs[:, None]).sum(axis=1) / len(costs)
        np.testing.assert_array_equal(result.to_numpy(), shares)
    elif verb.startswith("copa") and verb != "copa, explained":
        assert definitions.front(costs)[result.position]
        assert len(result.table) == len(frame)
    elif verb == "navigate":
        if len(objectives) == 1:
            assert isinstance(result, Note)
        else:
            assert definitions.front(costs)[result.positions].all()
    elif verb == "hypervolume":
        assert result.value >= 0
        assert np.isfinite(result.value)
    elif verb == "gap":
        assert result.gap == pytest.approx(0, abs=1e-12)


def test_every_verb_is_called():
    assert set(ALL_VERBS) - set(VERBS) == NOT_CALLED


def _outcome(verb, frame, objectives):
    """What a verb gives, or what it says when it refuses; any other failure fails the test."""
    try:
        return VERBS[verb](frame, objectives), None
    except (ValueError, TypeError) as refusal:
        return None, str(refusal)


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=[pytest.mark.slow] if verb in DRAWN else []) for verb in VERBS]
)
def test_right_or_clearly_refused(verb):
    answered = set()
    hold_for_each(tables_of(verb), lambda table: _hold(verb, table, answered))
    assert len(answered) > 2, "no call that every table refuses is worth making"


def _hold(verb, table, answered):
    original, objectives = TABLES[table]
    frame = original.copy(deep=True) if table not in ("read-only", "a view") else original
    before, attrs = frame.copy(deep=True), copy.deepcopy(frame.attrs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RowsOmittedWarning)
        warnings.simplefilter("ignore", RunsWarning)
        # A label without a glyph in the font is drawn as a box; that is the font's matter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        result, refusal = _outcome(verb, frame, objectives)
    plt.close("all")
    if refusal is None:
        answered.add(table)
        _check(verb, result, frame, objectives)
    else:
        assert len(refusal) > 20, f"says too little: {refusal!r}"
        assert "`" in refusal or "objective" in refusal, f"names no argument: {refusal!r}"
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == attrs
