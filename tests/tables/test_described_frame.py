"""What is said of missing values is followed, or the error says that it is not, and what is."""

import numpy as np
import pandas as pd
import pytest

import copa_nb

ITEMS = pd.DataFrame({"system": list("xyz") * 8, "item": np.repeat(range(8), 3)})
ITEMS["cost"] = np.random.default_rng(0).random(24)
ITEMS.loc[4, "cost"] = np.nan
OF_ITEMS = {"cost": "min", "system": "system", "item": "item"}
OF_RUNS = {"cost": "min", "system": "system", "repeat": "item"}
ROWS = pd.DataFrame({"cost": [1.0, np.nan, 2.0]})
SAID_OF_TABLE = r'df\.moo\.define\(nan_policy="omit"\) .*, or df\.moo\.define\(nan_policy="worst"\)'


@pytest.mark.parametrize(
    ("frame", "words", "verb", "policy", "advice"),
    [
        (ITEMS, OF_ITEMS, "copa", "omit", r"frame\['cost'\]\.fillna\(0\), before means"),
        (ITEMS, OF_ITEMS, "copa", "pairwise", r"frame\['cost'\]\.fillna\(0\), before means"),
        (ITEMS, OF_ITEMS, "board", "omit", 'pass nan_policy="pairwise" .*, or nan_policy="bounds"'),
        (ITEMS, OF_ITEMS, "confident_front", "worst", 'pass nan_policy="pairwise" .*, or nan_policy="bounds"'),
        (ITEMS, OF_RUNS, "board", "worst", 'pass nan_policy="omit" to leave those rows out'),
        (ROWS, {"cost": "min"}, "hypervolume", "bounds", SAID_OF_TABLE),
        (ROWS, {"cost": "min"}, "front", "pairwise", SAID_OF_TABLE),
    ],
)
def test_a_policy_that_a_verb_lacks_is_named_and_never_advised(frame, words, verb, policy, advice):
    table = copa_nb.moo(frame, **words, nan_policy=policy)
    with pytest.raises(ValueError, match=rf'missing values in .*{advice}.*; nan_policy="{policy}" does not apply here'):
        getattr(table, verb)()
    complete = copa_nb.moo(frame.fillna(0.5), **words)
    assert repr(getattr(complete(nan_policy=policy), verb)()) == repr(getattr(complete, verb)())


@pytest.mark.parametrize("frame", [ITEMS, ROWS], ids=["items", "rows"])
def test_without_a_policy_none_is_named(frame):
    words = OF_ITEMS if frame is ITEMS else {"cost": "min"}
    with pytest.raises(ValueError, match="missing values in") as refused:
        copa_nb.moo(frame, **words).copa()
    assert "does not apply" not in str(refused.value)


@pytest.mark.parametrize(
    ("verb", "word"),
    [("hv_test", "system"), ("audit", "system"), ("compare", "item"), ("mean_ranks", "item"), ("posets", "item"),
     ("gsd_front", "item"), ("attainment", "repeat")],
)  # fmt: skip
def test_a_word_that_a_verb_needs_is_asked_for_with_the_line_to_write(verb, word):
    table = copa_nb.moo(ITEMS.dropna().assign(time=1.0), cost="min", time="min")
    arguments = ("x", "y") if verb == "hv_test" else ()
    with pytest.raises(ValueError, match=rf'^`{word}` is needed, .* e\.g\. {word}="'):
        getattr(table, verb)(*arguments)
