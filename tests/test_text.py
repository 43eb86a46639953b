"""Labels in HTML: literal for the browser and for MathJax, which JupyterLab lets read along."""

import html
import re

import pandas as pd
import pytest

import copa_nb
from copa_nb import text

PRICES = {"cost ($/1M in)": "min", "cost ($/1M out)": "min", r"size \(B\)": "min"}
MATHS = re.compile(r"\$[^<]*\$|\\\(|\\\[|\\begin")


@pytest.fixture
def frame():
    return pd.DataFrame(
        {"cost ($/1M in)": [1.0, 2.0], "cost ($/1M out)": [3.0, 2.0], r"size \(B\)": [1.0, 2.0]},
        index=["$a$", r"\begin{equation}b\end{equation}"],
    )


@pytest.mark.parametrize("label", ["$x$", "$$x$$", r"\(x\)", r"\[x\]", "cost ($/1M in) and cost ($/1M out)", "<b>$&"])
def test_no_piece_of_text_between_two_tags_could_be_typeset(label):
    escaped = text.escape(label)
    assert not any(MATHS.search(piece) for piece in re.split(r"<[^>]*>", escaped))
    assert html.unescape(re.sub(r"<[^>]*>", "", escaped)) == label
    assert text.attribute(label) == html.escape(label)


@pytest.mark.parametrize("verb", [
    lambda frame: copa_nb.copa(frame, objectives=PRICES),
    lambda frame: copa_nb.navigate(frame, next(iter(PRICES)), objectives=PRICES, alphas=3),
    lambda frame: copa_nb.compare(frame, [1, "inf"], objectives=PRICES),
    lambda frame: copa_nb.hypervolume(frame, objectives=PRICES),
    lambda frame: copa_nb.gap(frame, test=frame, objectives=PRICES),
    lambda frame: copa_nb.explore(frame, objectives=PRICES),
])  # fmt: skip
def test_results_show_dollar_signs_that_are_not_typeset(frame, verb):
    shown = verb(frame)._repr_html_()
    pieces = [html.unescape(piece) for piece in re.split(r"<[^>]*>", shown)]
    assert not [piece for piece in pieces if MATHS.search(piece)]
    assert "cost ($/1M in)" in html.unescape(re.sub(r"<[^>]*>", "", shown))


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0 %"), (1e-9, "less than 1 %"), (0.0099, "less than 1 %"), (0.01, "1 %"), (0.626, "63 %"),
        (0.9949, "99 %"), (0.995, "more than 99 %"), (1 - 1e-9, "more than 99 %"), (1.0, "100 %"),
    ],
)  # fmt: skip
def test_a_share_is_not_rounded_to_none_or_all(share, written):
    assert text.percent(share) == written


def test_what_can_be_shown_as_a_table():
    columns = {"a": [1, 2]}
    for table in (columns, pd.DataFrame(columns), copa_nb.copa(pd.DataFrame(columns), objectives={"a": "max"})):
        assert sorted(text.as_frame(table, "frame")["a"]) == [1, 2]
    assert text.as_frame(pd.Series([1], name="a"), "frame").to_dict("list") == {"a": [1]}
    said = "`frame` must be a pandas DataFrame or Series, or a result with .to_frame(), not list."
    with pytest.raises(TypeError, match=re.escape(said)):
        text.as_frame([1], "frame")


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (7000.4, 4, "7000"), (9999.4, 4, "9999"), (9999.6, 4, "10,000"), (-9999.6, 4, "-10,000"), (999.7, 3, "1,000"),
        (12345.6, 4, "12,346"), (999999999.4, 4, "999,999,999"), (1e9, 4, "1e+09"), (0.00012345, 3, "0.000123"),
        (3, 1, "3"), (12345, 2, "12345"), (True, 4, "True"), ("a", 4, "a"), (float("inf"), 4, "inf"),
    ],
)  # fmt: skip
def test_numbers_have_a_few_digits(value, digits, written):
    assert text.number(value, digits) == written
