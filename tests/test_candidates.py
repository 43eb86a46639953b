"""Expressions in ``where=``: the same rows as pandas' own query, and no way into Python."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.candidates import candidate_mask

TABLE = pd.DataFrame(
    {
        "acc": [0.9, 0.8, 0.7, 0.6],
        "co2 kg": [3.0, 1.0, 2.0, 4.0],
        "note": ["a", "it's", 'say "b"', "c d"],
        "date": pd.to_datetime(["2024-01-01", "2024-06-01", "2025-01-01", "2025-06-01"]),
        "kind": pd.Categorical(list("xyxy")),
        "done": [True, False, True, True],
    },
    index=pd.MultiIndex.from_arrays([list("ppqq"), [1, 2, 3, 4]], names=["group", "the run"]),
)


@pytest.mark.parametrize("expression", [
    "acc > 0.65 and `co2 kg` <= 3", "acc > 0.65 & `co2 kg` <= 3 | done", "not done", "done == False",
    "note == 'a'", 'note == "it\'s"', "note == 'say \"b\"'", "note != 'it\\'s'", "note in ['a', \"c d\"]",
    "note not in ('a', 'c d')", "note == ['a', 'c d']", "'a' == note", "date > '2024-06-01'", "kind == 'x'",
    "`the run` % 2 == 0", "group == 'q' and `the run` > 3", "acc * 2 + `co2 kg` / 3 < 2.2", "0.65 < acc <= 0.8",
    "-acc < -0.7", "~done", "`co2 kg` == `co2 kg`", "`acc` > 0.75", "done and note == 'a'",
])  # fmt: skip
def test_expressions_keep_the_rows_that_query_keeps(expression):
    expected = TABLE.index.isin(TABLE.query(expression, engine="python").index)
    np.testing.assert_array_equal(candidate_mask(TABLE, expression), expected)


def test_backticks_in_strings_and_odd_names():
    frame = TABLE.assign(note=["`", "``", "x`y`z", "plain"]).rename(columns={"acc": 'it\'s "a" (%)'})
    assert candidate_mask(frame, "note == '`'").tolist() == [True, False, False, False]
    assert candidate_mask(frame, "note == 'x`y`z' or note == '``'").tolist() == [False, True, True, False]
    assert candidate_mask(frame, "`it's \"a\" (%)` >= 0.8 and note != '`'").tolist() == [False, True, False, False]
    plain = TABLE.reset_index(drop=True).rename(columns={"acc": 0})
    assert candidate_mask(plain, "`0` > 0.75").tolist() == [True, True, False, False]
    assert candidate_mask(plain, "`index` >= 2").tolist() == [False, False, True, True]


@pytest.mark.parametrize("expression", [
    "note == '`' or acc.to_csv('pwned') == '`'",
    'note == "`" or acc.to_csv("pwned") == "`"',
    "note != '`' or (acc.to_csv('pwned') == 1) or note != '`'",
    "note == 'x``' or acc.to_csv('pwned') == 'y``'",
    "note == '''`''' or acc.to_csv('pwned') == '''`'''",
    "note == r'\\' or acc.to_csv('pwned') == '\\'",
    "note == '\\'` or acc.to_csv('pwned') == `' or acc > 1",
    "(acc > 0) # `\n + acc.to_csv('pwned') # `",
    "`acc`.to_csv('pwned') == 1",
    "`acc.to_csv('pwned')` == 1",
    "acc.to_csv('pwned')",
    "@acc > 1", "acc[0] > 1", "(lambda: 1)() > 0", "[a for a in acc]", "f'{acc}' == note", "acc if done else acc",
    "acc := 3", "acc = 3", "b'a' == note", "_lifted_0 == 'a'x", "_lifted_7 > 1", "note.__class__ == 1", "`acc",
])  # fmt: skip
def test_nothing_but_comparisons_is_evaluated(expression, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = TABLE.copy()
    with pytest.raises(ValueError, match="`where` "):
        candidate_mask(TABLE, expression)
    assert list(tmp_path.iterdir()) == []
    pd.testing.assert_frame_equal(TABLE, before)


def test_masks_are_matched_by_label_or_refused():
    frame = pd.DataFrame({"acc": [0.9, 0.8, 0.7]}, index=list("abc"))
    turned = pd.Series([True, False, False], index=list("cab"))
    assert candidate_mask(frame, turned).tolist() == [False, False, True]
    partial = pd.Series([True, None, False], index=list("abc"), dtype="boolean")
    assert candidate_mask(frame, partial).tolist() == [True, False, False]
    assert candidate_mask(frame, lambda table: table["acc"] < 0.85).tolist() == [False, True, True]
    with pytest.raises(ValueError, match="index does not match the frame's; build it from the frame"):
        candidate_mask(frame, pd.Series([True, True, False], index=list("abd")))
    with pytest.raises(ValueError, match="index does not match the frame's"):
        candidate_mask(frame.set_axis(list("aab")), pd.Series([True, True], index=list("ab")))
    with pytest.raises(TypeError, match="must give True or False for every row, not int64; write a comparison"):
        candidate_mask(frame, np.array([1, 0, 1]))
    with pytest.raises(ValueError, match=r"has shape \(2,\); it must give one value for each of the 3 rows"):
        candidate_mask(frame, [True, False])
    with pytest.raises(ValueError, match="`where` leaves none of the 3 rows"):
        candidate_mask(frame, [False] * 3)
