"""Labels in HTML: literal for the browser and for MathJax, which JupyterLab lets read along."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from copa_nb import text
from tests import asked

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
    lambda frame: asked.copa(frame, objectives=PRICES),
    lambda frame: asked.copa(frame, objectives=PRICES).navigate(next(iter(PRICES)), importances=3),
    lambda frame: asked.explore(frame, objectives=PRICES),
])  # fmt: skip
def test_results_show_dollar_signs_that_are_not_typeset(frame, verb):
    shown = verb(frame)._repr_html_()
    pieces = [html.unescape(piece) for piece in re.split(r"<[^>]*>", shown)]
    assert not [piece for piece in pieces if MATHS.search(piece)]
    assert "cost ($/1M in)" in html.unescape(re.sub(r"<[^>]*>", "", shown))


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0%"), (1e-9, "less than 1%"), (0.0099, "less than 1%"), (0.01, "1%"), (0.626, "63%"),
        (0.9949, "99%"), (0.995, "more than 99%"), (1 - 1e-9, "more than 99%"), (1.0, "100%"),
    ],
)  # fmt: skip
def test_a_share_is_not_rounded_to_none_or_all(share, written):
    assert text.percent(share) == written


def test_what_can_be_shown_as_a_table():
    columns = {"a": [1, 2]}
    for table in (columns, pd.DataFrame(columns), asked.copa(pd.DataFrame(columns), objectives={"a": "max"})):
        assert sorted(text.as_frame(table, "frame")["a"]) == [1, 2]
    assert text.as_frame(pd.Series([1], name="a"), "frame").to_dict("list") == {"a": [1]}
    said = "`frame` must be a pandas DataFrame or Series, or a result with a .table, not list."
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


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ((0.638244, 0.638241), ["0.638244", "0.638241"]),
        ((0.50000001, 0.50000002), ["0.5", "0.5"]),
        ((0.123441, 0.2, 0.123396), ["0.12344", "0.2", "0.1234"]),
    ],
)
def test_numbers_of_a_sentence_read_differently_where_they_differ(values, written):
    assert text.told_apart(*values) == written


@pytest.mark.parametrize(
    ("value", "options", "written"),
    [
        (None, {}, "–"), (pd.NA, {}, "–"), (pd.NaT, {}, "–"), (float("nan"), {"decimals": 2}, "–"),
        (True, {}, "yes"), (np.False_, {"decimals": 1}, "no"), (0.123456, {}, "0.1235"), (0.126, {"digits": 2}, "0.13"),
        (np.float32(0.5), {"decimals": 3}, "0.500"), (0.12, {"decimals": 0}, "0"), (3, {"decimals": 2}, "3"),
        ("a", {}, "a"),
    ],
)  # fmt: skip
def test_cells(value, options, written):
    assert text.cell_text(value, **options) == written


@pytest.mark.parametrize(
    ("values", "options", "written"),
    [
        ([0.98, 0.5123, 0.0734], {}, ["0.980", "0.512", "0.073"]),
        ([0.98, 0.5123, 0.0734], {"digits": 2}, ["0.98", "0.51", "0.073"]),
        ([0.5, 0.009], {}, ["0.500", "0.009"]),  # as many as it has
        ([0.5, 0.01], {}, ["0.500", "0.010"]),
        ([0.5, 0.0123], {}, ["0.500", "0.012"]),
        ([0.5, 0.00999], {}, ["0.500", "0.00999"]),
        ([1.0, 0.5], {}, ["1.000", "0.500"]),
        ([1.0, 0.05], {}, ["1.00", "0.05"]),
        ([-1.0, 0.98], {}, ["-1.00", "0.98"]),
        ([0.0, 0.0], {}, ["0", "0"]),
        ([9999.0, 12.0], {}, ["9,999", "12"]),
        ([10000.0, 12.5], {}, ["10,000", "12.5"]),
        ([10000.0, 123.456], {"decimals": 1}, ["10,000.0", "123.5"]),
        ([float("inf"), 0.5, None, 3, "x"], {}, ["∞", "0.500", "–", "3", "x"]),
        ([0.00012, 0.000056], {}, ["0.000120", "0.000056"]),
        ([100.0, 0.00005], {}, ["100", "0.0000500"]),
        ([100.0, 0.000005], {}, ["100", "5e-06"]),
    ],
)
def test_columns_have_the_same_decimals_wherever_that_keeps_two_digits(values, options, written):
    assert text.column_texts(values, **options) == written


def test_a_table_in_html():
    frame = pd.DataFrame(
        {"<a>": [-0.5, 1.5, 2.5], "b": ["-x", "$", "z"]},
        index=pd.MultiIndex.from_tuples([("p", 1), ("q", 2), ("r", 3)], names=["kind", None]),
    )
    page = text.html_table(frame, caption="A & b.", headers={"b": "B ↓"}, most=2)
    texts = [html.unescape(cell) for cell in re.findall("<t[hd] style=[^>]*>(.*?)</t[hd]>", page)]
    assert [re.sub("</?span>", "", cell) for cell in texts] == [
        "kind", "", "<a>", "B ↓", "p", "1", "−0.5", "-x", "q", "2", "1.5", "$"
    ]  # fmt: skip
    assert [page.count(f"<{tag}") for tag in ("tr", "th ", "td ", "caption")] == [3, 4, 8, 1]
    assert ">A &amp; b. First 2 of 3 rows.</caption>" in page
    whole = text.html_table(frame, most=3)
    assert "caption" not in whole
    assert whole.count("<tr>") == 4
    assert ">First 12 of 13 rows.</caption>" in text.html_table(pd.DataFrame({"a": range(13)}))
    assert "caption" not in text.html_table(pd.DataFrame({"a": range(12)}))
    pairs = pd.DataFrame({"a": [1.0]}, index=pd.Index([("p", 1)], tupleize_cols=False))
    assert html.unescape(text.html_table(pairs)).count("('p', 1)") == 1, "a label that is a tuple is one label"


def test_columns_of_words_are_aligned_to_the_left_and_numbers_to_the_right():
    frame = pd.DataFrame({"found": ["10", "of <b>"], "ours": ["1e-05", "−0.5"], "x": [1.5, np.inf]}, index=["a", "b"])
    page = text.html_table(frame)
    sides = [re.findall(r"text-align:(\w+)", row) for row in page.split("<tr>")[1:]]
    assert sides == [["left", "left", "right", "right"]] * 3


def test_labels_and_lists_of_them():
    assert [text.label(name) for name in ("a", ("a", 3), 3)] == ["a", "a, 3", "3"]
    assert [text.listing(names) for names in ([], "a", "ab", ("a", "b", 3))] == ["", "a", "a and b", "a, b and 3"]


def test_the_index_becomes_columns_unless_it_counts_the_rows():
    frame = pd.DataFrame({("a", "b"): [1, 2]})
    assert text.with_index(frame) is frame
    named = text.with_index(frame.rename_axis("n"))
    assert named.columns.tolist() == ["n", "a, b"]
    assert named.to_numpy().tolist() == [[0, 1], [1, 2]]
    assert text.with_index(pd.DataFrame({"a": [1]}, index=["x"])).columns.tolist() == ["", "a"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CO2", "CO₂"), ("eco2_x", "eco2 x"), ("s", "s"), ("a-b_kg", "a-b_kg"), ("a b_kg", "a b_kg"),
        ("train_time_s", "train time (s)"), ("a_b_c", "a b c"), (3, "3"), ("co2 kg", "CO₂ kg"),
    ],
)  # fmt: skip
def test_names_of_columns_as_people_say_them(name, said):
    assert text.spoken(name) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("day", "days"), ("class", "classes"), ("box", "boxes"), ("batch", "batches"), ("mesh", "meshes"),
        ("model_id", "models"), ("index", "things"), ("ab", "things"), ("abc", "abcs"), ("a1b", "things"),
        (3, "things"), ("names", "names"), ("bus", "bus"),
    ],
)  # fmt: skip
def test_what_a_column_names_is_counted(name, said):
    assert text.plural(name, "things") == said


def test_hyphens_before_numbers_become_minus():
    assert text.minus("-.5 (-1) x-1 -x") == "−.5 (−1) x-1 -x"


@pytest.mark.parametrize("name", ["pvalue", "runs_pvalue", "holm", "adjusted", "p of fronts"])
def test_small_p_values_are_said_to_be_small_wherever_a_table_is_written(name):
    frame = pd.DataFrame({name: [1e-12, 0.0, 0.25], "smallest_pvalue": [1e-4] * 3})
    assert text.column_texts(frame[name]) == ["< 0.001", "< 0.001", "0.250"]
    assert text.html_table(frame).count("&lt; 0.001") == 2
    assert text.latex_text(frame, caption="P.", label="tab:p").count(r"\textless{} 0.001") == 2
    # Files keep what was found.
    assert "1e-12" in text.csv_text(frame)
