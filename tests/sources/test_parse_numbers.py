"""Numbers as people write them: what is understood, and what is refused rather than guessed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import copa_nb


def parsed(*texts, **options):
    frame = pd.DataFrame({"x": list(texts)}, dtype=object)
    return copa_nb.parse_numbers(frame, "x", **options)["x"].tolist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["64.7%", "9 %", "0"], [64.7, 9, 0]),
        (["$1,299.50", "-$3", "$ 12"], [1299.5, -3, 12]),
        (["1.299,50 €", "80 €"], [1299.5, 80]),
        (["0,85", "0,123"], [0.85, 0.123]),
        (["1 234 567", "1\u202f234", "12"], [1234567, 1234, 12]),
        (["1'234.5", "7"], [1234.5, 7]),
        (["1,234,567", "2,500"], [1234567, 2500]),
        (["12.5 ms", "1e-3 ms", "−4 ms"], [12.5, 0.001, -4]),
        (["1234.567", "2.500"], [1234.567, 2.5]),
        (["USD 3", "USD 4.25"], [3, 4.25]),
        ([".5", "+1"], [0.5, 1]),
    ],
)
def test_what_is_understood(texts, numbers):
    assert parsed(*texts) == numbers


def test_empty_cells_stay_missing_and_numbers_stay_numbers():
    frame = pd.DataFrame({"x": ["1%", None], "n": [1, 2], "kept": ["a%", "b"]})
    result = copa_nb.parse_numbers(frame, ["x", "n"])
    assert result["x"].iloc[0] == 1
    assert np.isnan(result["x"].iloc[1])
    assert result["n"].dtype == frame["n"].dtype
    assert result["kept"].tolist() == ["a%", "b"]
    assert frame["x"].tolist()[0] == "1%", "the input is not changed"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["1%", "n/a", "2%", "?"], r"`columns` names 'x', .* not numbers: 'n/a' in row 2, '\?' in row 4\."),
        (["<5", "6"], "'<5' in row 1"),
        (["64.7%", "0.65"], r"mixes units: '64.7%' in row 1, '0.65' in row 2"),
        (["$3", "3 €"], "mixes units"),
        (["1,234", "2,345"], r"'1,234' in row 1 may be a whole number or a fraction.* `decimal`"),
        (["1.234 €"], "may be a whole number or a fraction"),
        (["1.5", "2,5"], "mixes decimal marks: '1.5' in row 1, '2,5' in row 2"),
        (["1,23,456.5"], "decimal mark is '.'"),
    ],
)
def test_what_is_refused_with_its_row(texts, message):
    with pytest.raises(ValueError, match=message):
        parsed(*texts)


def test_the_decimal_mark_decides_where_no_value_does():
    assert parsed("1,234", decimal=",") == [1.234]
    assert parsed("1,234", decimal=".") == [1234]
    assert parsed("1.234 €", decimal=",") == [1234]
    with pytest.raises(ValueError, match=r"'0\.5' in row 1"):
        parsed("0.5", decimal=",")
    with pytest.raises(ValueError, match="allowed are"):
        parsed("1", decimal=";")


def test_truth_values_and_columns_that_are_not_there_are_refused():
    frame = pd.DataFrame({"x": [True, False]})
    with pytest.raises(ValueError, match="true or false"):
        copa_nb.parse_numbers(frame, "x")
    with pytest.raises(ValueError, match="`columns` names 'y'"):
        copa_nb.parse_numbers(frame, "y")


STYLES = {"en": (",", "."), "de": (".", ","), "ch": ("'", "."), "fr": ("\u202f", ",")}


@given(
    st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20),
    st.integers(0, 2),
    st.sampled_from(sorted(STYLES)),
    st.sampled_from(["", "%", " €", " ms"]),
)
def test_what_is_written_is_read(cents, places, style, unit):
    thousands, decimal = STYLES[style]
    texts = [f"{value / 10**places:,.{places}f}{unit}".translate({44: thousands, 46: decimal}) for value in cents]
    assert parsed(*texts, decimal=decimal) == [float(f"{value / 10**places:.{places}f}") for value in cents]
