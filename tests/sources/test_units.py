"""Columns of text that are numbers beyond doubt are read as numbers, and named; everything else stays text."""

import pandas as pd
import pytest

import copa_nb
from copa_nb.sources.files import read_table
from copa_nb.sources.units import read_units


def write(folder, text, name="models.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_a_decimal_mark_elsewhere_settles_what_separates_thousands(tmp_path):
    frame = read_table(write(tmp_path, 'model,price,latency\na,$0.0034,"1,292 ms"\nb,$0.012,980 ms\n'))
    assert frame["latency"].tolist() == [1292, 980]
    assert frame["price"].tolist() == [0.0034, 0.012]
    assert frame.attrs["notes"] == [
        "Text is read as numbers in 'price' ('$0.0034' is 0.0034), 'latency' ('1,292 ms' is 1292). The decimal mark is "
        "a point in 'latency', as in 'price'."
    ]


def test_columns_of_plain_numbers_settle_it_too(tmp_path):
    points = read_table(write(tmp_path, 'model,accuracy,latency\na,0.7,"1,292 ms"\nb,0.5,980 ms\n'))
    assert points["latency"].tolist() == [1292, 980]
    commas = read_table(write(tmp_path, "model;accuracy;latency\na;0,7;1.292 ms\nb;0,5;980 ms\n"))
    assert commas["latency"].tolist() == [1292, 980]


def test_an_open_mark_stays_text_and_says_what_to_set(tmp_path):
    path = write(tmp_path, 'model,score,latency\na,7,"1,292 ms"\nb,5,980 ms\n')
    frame = read_table(path)
    assert frame["latency"].tolist() == ["1,292 ms", "980 ms"]
    (note,) = frame.attrs["notes"]
    assert note.startswith("Column 'latency' stays text, in which '1,292 ms' in row 1 may be a whole number or a frac")
    assert 'set `decimal` to "." or ","' in note
    assert read_table(path, decimal=",")["latency"].tolist() == [1.292, 980]


def test_columns_that_disagree_on_the_mark_stay_text(tmp_path):
    frame = read_table(write(tmp_path, 'model,price,latency\na,$0.0034,"1,2 ms"\nb,$0.012,"9,25 ms"\n'))
    assert frame["latency"].tolist() == ["1,2 ms", "9,25 ms"]
    assert "the decimal mark is '.' in 'price' and ',' in 'latency'" in frame.attrs["notes"][0]


def test_two_units_in_a_column_are_named(tmp_path):
    frame = read_table(write(tmp_path, "model,latency\na,1.5 s\nb,980 ms\n"))
    assert frame["latency"].tolist() == ["1.5 s", "980 ms"]
    assert "mixes units: '1.5 s' in row 1, '980 ms' in row 2; convert them to one unit" in frame.attrs["notes"][0]


@pytest.mark.parametrize(
    "values",
    [
        ["7B", "13B"], ["t1", "t2"], ["gpt4", "gpt3"], ["0,1", "2,3"], ["2024.1.2", "2024.2.2"], ["1.2.3", "1.2.10"],
        ["3d", "2d"], ["98.6/99.2", "1/2"], ["<5 ms", "7 ms"], ["a", "b"], ["2024 01 02", "2024 01 03"], ["0012", "07"],
        ["10:30", "11:30"], ["v1,450", "v1,451"],
    ],
)  # fmt: skip
def test_names_versions_dates_and_lists_stay_text(values):
    frame = pd.DataFrame({"column": values})
    read, notes = read_units(frame)
    assert read["column"].tolist() == values
    assert notes == []


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["$1,299.00", "$80"], [1299, 80]), (["80 €", "1.299,50 €"], [80, 1299.5]), (["0", "64.7%"], [0, 64.7]),
        (["US$0.5/task", "US$2/task"], [0.5, 2]), (["1.2 tok/s", "30 tok/s"], [1.2, 30]), (["−3 %", "2 %"], [-3, 2]),
        (["1,450,000", "80"], [1450000, 80]), (["1 234 ms", "3 ms"], [1234, 3]), (["9 GB", None], [9, None]),
    ],
)  # fmt: skip
def test_currencies_percentages_units_and_thousands_are_numbers(values, numbers):
    read, notes = read_units(pd.DataFrame({"column": values}))
    pd.testing.assert_series_equal(read["column"], pd.Series(numbers, dtype=float, name="column"))
    assert len(notes) == 1


def test_parsing_can_be_left_out_and_chosen(tmp_path):
    path = write(tmp_path, "model,size,share\na,7B,9%\nb,13B,8%\n")
    assert copa_nb.read(path, parse=[])["share"].tolist() == ["9%", "8%"]
    chosen = copa_nb.read(path, parse=["size"])
    assert chosen["size"].tolist() == [7, 13]
    assert chosen["share"].tolist() == ["9%", "8%"]
    automatic = copa_nb.read(path, system="share")
    assert automatic.index.tolist() == ["9%", "8%"], "names stay as they are"


def test_columns_to_parse_settle_each_other():
    frame = pd.DataFrame({"price": ["$0.0034", "$0.012"], "latency": ["1,292 ms", "980 ms"]})
    assert copa_nb.parse_numbers(frame, ["latency", "price"])["latency"].tolist() == [1292, 980]
    with pytest.raises(ValueError, match="may be a whole number or a fraction"):
        copa_nb.parse_numbers(frame, ["latency"])
