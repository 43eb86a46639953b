"""Cells of a file that are no numbers: read as missing where that is clear, named where it is not."""

import json
import warnings

import pandas as pd
import pytest

import copa_nb
from copa_nb.sources.placeholders import PlaceholderWarning
from tests import asked

# As leaderboards write what was not run: 67 models × 3 scenarios, more than half of them missing.
HELM = "\n".join(
    ["Model,Mean win rate,NarrativeQA - F1,MMLU - EM,Price"]
    + [f"m{i},{i / 67:.3f},{'-' if i % 5 == 0 else 0.5 + i / 200},{'–' if i % 8 else 0.3},{i}" for i in range(1, 68)]
)


def write(folder, text, name="table.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_marks_in_columns_of_numbers_are_missing_values(tmp_path):
    with pytest.warns(
        PlaceholderWarning, match=r"'-', '–' are read as missing in 'NarrativeQA - F1', 'MMLU - EM', where"
    ):
        frame = copa_nb.read(write(tmp_path, HELM))
    assert frame.dtypes.map(pd.api.types.is_numeric_dtype).all()
    assert frame["NarrativeQA - F1"].isna().sum() == 13
    assert frame["MMLU - EM"].isna().sum() == 59
    assert frame.loc["m1", "NarrativeQA - F1"] == 0.505
    assert any("read as missing" in note for note in frame.attrs["notes"])
    front = asked.front(
        frame, objectives={"NarrativeQA - F1": "max", "Price": "min"}, nan_policy="bounds",
        bounds={"NarrativeQA - F1": (0, 1)},
    )  # fmt: skip
    assert 0 < front["certain"].sum() < len(front)


def test_two_numbers_in_a_cell_are_named_and_left(tmp_path):
    text = "model,score,cost\na,98.6/99.2,1\nb,97.1,2\nc,-,3\nd,88,4\n"
    with pytest.warns(
        PlaceholderWarning, match=r"Column 'score' is text, because a value is not a number: '98.6/99.2' in row 1"
    ):
        frame = copa_nb.read(write(tmp_path, text))
    assert frame["score"].tolist() == ["98.6/99.2", "97.1", "-", "88"]


@pytest.mark.parametrize("mark", ["-", "--", "–", "—", "n.a.", "N/A", "?"])
def test_marks_in_other_files(tmp_path, mark):
    rows = [{"model": "a", "score": "0.5"}, {"model": "b", "score": mark}, {"model": "c", "score": "0.75"}]
    with pytest.warns(PlaceholderWarning):
        frame = copa_nb.read(write(tmp_path, json.dumps(rows), "table.json"))
    assert frame["score"].dropna().tolist() == [0.5, 0.75]


def test_decimal_commas(tmp_path):
    with pytest.warns(PlaceholderWarning):
        frame = copa_nb.read(write(tmp_path, "model;score\na;64,7\nb;-\nc;70,1\n"), decimal=",")
    assert frame["score"].dropna().tolist() == [64.7, 70.1]


def test_units_can_be_parsed_in_spite_of_marks(tmp_path):
    path = write(tmp_path, "model,share\na,64.7%\nb,-\nc,9%\n")
    with pytest.warns(PlaceholderWarning, match=r'read its units with parse="share"'):
        copa_nb.read(path, parse=[])
    for parse in (["share"], "auto"):
        assert copa_nb.read(path, parse=parse)["share"].dropna().tolist() == [64.7, 9.0]
    assert copa_nb.read(path).attrs["notes"] == ["Text is read as numbers in 'share' ('64.7%' is 64.7, '-' missing)."]


def test_text_and_plain_numbers_stay_as_they_are(tmp_path):
    text = "model,license,note,score\na,mit,-,1\nb,-,x,2\nc,other,-,-3\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = copa_nb.read(write(tmp_path, text))
    assert frame["license"].tolist() == ["mit", "-", "other"]
    assert frame["score"].tolist() == [1, 2, -3]
    assert frame.attrs["notes"] == []
