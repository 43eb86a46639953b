"""What engines must agree on with pandas: results, warnings and the words of refusals."""

import re
import warnings

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import copa_nb
from copa_nb.selection.decision import Decision
from copa_nb.tables.objectives import RowsOmittedWarning

POLICIES = st.sampled_from(["raise", "omit", "worst"])


def same_frame(found, expected):
    pd.testing.assert_frame_equal(found, expected)


def outcome(function):
    """What a call gives: its result, or the kind and words of its refusal."""
    try:
        return function(), None
    except (ValueError, TypeError) as error:
        return None, (type(error), str(error))


def both(pandas_call, other_call):
    """Results of the two, or None if both refuse in the same words; warnings must agree as well."""
    answers = []
    for call in (pandas_call, other_call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RowsOmittedWarning)
            answers.append((*outcome(call), [str(w.message) for w in caught]))
    (expected, refused, warned), (found, also_refused, also_warned) = answers
    assert _without_hint(refused) == _without_hint(also_refused)
    if refused is not None:
        assert "unexpected keyword" not in refused[1], "nothing is compared"
        return None
    assert warned == also_warned
    return expected, found


def _without_hint(refused):
    """A refusal without the label nearest in spelling: no one process sees all labels of a table in pieces."""
    return refused and (refused[0], re.sub(r" Did you mean '[^']*'\?$", "", refused[1]))


def check_selection(expected, found):
    assert found.best == expected.best
    assert found.tied == expected.tied
    assert found.counts() == expected.counts()
    assert found.population_size == expected.population_size
    # The rows shown are the front of the candidates, scored and placed as in the whole table.
    front = copa_nb.pareto.arrays.dominance.nondominated(expected.matrix.values[expected.candidates])
    labels = expected.matrix.index[expected.candidates][front]
    assert list(found.scores.index) == list(labels)
    assert list(found.matrix.index[found.front]) == list(labels)
    np.testing.assert_array_equal(found.scores, expected.scores[labels])
    shown = expected.table.loc[found.table.index]
    same_frame(found.table.drop(columns="rank"), shown.drop(columns="rank"))
    # The runner-up, and rows that share the best value but that others dominate, are not gathered.
    said, told = (
        [part for part in result.parts() if part["say"] == "choice.reasons.limit"
         or (part["say"].startswith("choice.details.") and "tie_" not in part["say"])]
        for result in (found, expected)
    )  # fmt: skip
    assert said == told
    settled, also_settled = (
        (one.dominates_all, one.all_equal, one.is_open) for one in map(Decision, (expected, found))
    )
    assert settled == also_settled
    assert repr(found) == repr(expected)
    assert found.table["rank"].tolist() == shown["rank"].rank(method="min").astype(int).tolist()
