"""Tables as programs export them: each is read, or refused with what to do."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import copa_nb
from copa_nb.cli import main as command_line
from copa_nb.sources.margins import MarginWarning, second_header, without_margins

MODELS = pd.DataFrame(
    {"model": ["a", "b", "c"], "license": ["mit", "bsd", "mit"], "acc": [80.5, 78.25, 91.0], "kg": [3.5, 1.0, 2.25]}
)


def _read(file):
    """Read a file, where every warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return copa_nb.read(file)


def _is_whole(table):
    expected = MODELS.set_index("model")
    assert table.index.tolist() == ["a", "b", "c"]
    assert table.columns.tolist() == ["license", "acc", "kg"]
    assert np.array_equal(table[["acc", "kg"]], expected[["acc", "kg"]])


WRITERS = {
    "bars": lambda file: MODELS.to_csv(file, sep="|", index=False),
    "mark of UTF-8": lambda file: MODELS.to_csv(file, index=False, encoding="utf-8-sig"),
    "UTF-16": lambda file: MODELS.to_csv(file, index=False, encoding="utf-16"),
    "index of pandas": lambda file: MODELS.to_csv(file),
    "row numbers of R": lambda file: MODELS.set_axis([1, 2, 3]).to_csv(file),
    "columns without a name": lambda file: MODELS.assign(**{"": None, " ": None}).to_csv(file, index=False),
    "comments": lambda file: file.write_text("# of Monday\n# by me, with care\n" + MODELS.to_csv(index=False)),
    "lines of Windows": lambda file: MODELS.to_csv(file, index=False, lineterminator="\r\n"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_exports_are_read_as_the_table_that_they_hold(write, tmp_path):
    write(tmp_path / "models.csv")
    _is_whole(_read(tmp_path / "models.csv"))


def test_an_unpacked_download_keeps_its_name(tmp_path):
    MODELS.to_csv(tmp_path / "models.csv.gz", index=False, compression=None)
    _is_whole(_read(tmp_path / "models.csv.gz"))


def test_a_header_may_begin_with_the_sign_of_comments(tmp_path):
    (tmp_path / "models.csv").write_text("# of Monday\n#model,acc,kg\na,1,2\nb,2,1\n")
    assert _read(tmp_path / "models.csv").columns.tolist() == ["acc", "kg"]


def test_commas_that_may_mean_something_else_are_not_guessed(tmp_path):
    (tmp_path / "models.csv").write_text("model;cost\na;1,250\nb;2,500\n")
    assert _read(tmp_path / "models.csv")["cost"].tolist() == ["1,250", "2,500"], "thousands, perhaps"
    (tmp_path / "models.csv").write_text("model;cost;acc\na;1,25;0.5\nb;2,5;0.25\n")
    assert _read(tmp_path / "models.csv")["cost"].tolist() == ["1,25", "2,5"], "there are points, too"


def test_empty_rows_are_left_out_and_counted(tmp_path):
    (tmp_path / "models.csv").write_text(MODELS.to_csv(index=False).replace("\n", "\n,,,\n"))
    with pytest.warns(MarginWarning, match=r"^4 empty rows are left out\.$"):
        table = copa_nb.read(tmp_path / "models.csv")
    _is_whole(table)
    assert table.attrs["notes"] == ["4 empty rows are left out."]


def test_columns_that_pandas_renames_are_named(tmp_path):
    (tmp_path / "models.csv").write_text("model,acc,acc\na,1,2\nb,2,1\n")
    with pytest.warns(MarginWarning, match=r"Column 'acc\.1' has the name of another column in the file, 'acc'"):
        copa_nb.read(tmp_path / "models.csv")


@pytest.mark.parametrize("name", ["Total", "average", " Mean "])
def test_a_row_of_totals_is_not_taken_for_a_system_without_a_word(name, tmp_path):
    last = pd.DataFrame({"model": [name], "license": [""], "acc": [83.25], "kg": [2.25]})
    pd.concat([MODELS, last]).to_csv(tmp_path / "models.csv", index=False)
    with pytest.warns(MarginWarning, match="compared like the others") as caught:
        table = copa_nb.read(tmp_path / "models.csv")
    code = str(caught[0].message).partition("frame = ")[2].partition(", or")[0]
    assert len(eval(code, {"frame": table})) == 3
    done = CliRunner().invoke(
        command_line, ["select", str(tmp_path / "models.csv"), "--max", "acc", "--min", "kg", "--quick"]
    )
    assert "and is compared like the others" in done.output


def test_rows_and_columns_of_single_words_are_no_margins(tmp_path):
    (tmp_path / "models.csv").write_text("model,acc.1,kg\nmean teacher,1,2\ntotal variation,2,1\n")
    assert _read(tmp_path / "models.csv").shape == (2, 2)


def _follow(refusal, before="or "):
    """What a refusal advises to call, run."""
    call = str(refusal.value).partition(before)[2].replace(", ...).", ', system="model")')
    return eval(call, {"copa_nb": copa_nb, "pd": pd})


@pytest.mark.parametrize(("above", "row"), [("Models,,,\n", 1), ("Models,,,\nof 2026,,,\n", 2)])
def test_a_title_above_the_header_is_refused_with_the_call_that_reads_it(above, row, tmp_path, monkeypatch):
    (tmp_path / "models.csv").write_text(above + MODELS.to_csv(index=False))
    with pytest.raises(ValueError, match=rf"seem to be in row {row + 1}: 'model', 'license', 'acc'") as error:
        copa_nb.read(tmp_path / "models.csv")
    monkeypatch.chdir(tmp_path)
    _is_whole(_follow(error))


def test_a_title_in_a_spreadsheet_is_refused_with_the_call_that_reads_it(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "models.xlsx") as book:
        MODELS.to_excel(book, index=False, startrow=2)
        book.sheets["Sheet1"]["A1"] = "Models of 2026"
    with pytest.raises(ValueError, match="seem to be in row 3") as error:
        copa_nb.read(tmp_path / "models.xlsx")
    monkeypatch.chdir(tmp_path)
    _is_whole(_follow(error))


@pytest.mark.parametrize("units", ["name,kind,%,kg CO2", ",,percent,kilograms"])
def test_a_row_of_units_is_refused_with_the_call_that_reads_it(units, tmp_path, monkeypatch):
    header, rows = MODELS.to_csv(index=False).split("\n", 1)
    (tmp_path / "models.csv").write_text(f"{header}\n{units}\n{rows}")
    with pytest.raises(ValueError, match="row 2 has text where the rows below have numbers") as error:
        copa_nb.read(tmp_path / "models.csv")
    monkeypatch.chdir(tmp_path)
    _is_whole(_follow(error, before="above it, or "))


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=6),
    st.sampled_from(["-", "n/a", "OOM", None]),
)
def test_tables_with_numbers_in_the_first_row_have_no_second_header(values, mark):
    table = pd.DataFrame(values, columns=["acc", "kg"])
    assert second_header(table.astype(str).assign(model="a"), "m.csv") == ""
    one = table.astype(object)
    one.iloc[0, 0] = mark
    assert second_header(one, "m.csv") == "", "a column without a number in its first row is no header"


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=5), st.booleans())
def test_what_has_a_name_and_a_value_stays(values, numbered):
    table = pd.DataFrame({"model": [f"m{k}" for k in range(len(values))], "acc": values})
    wide = table.reset_index(names="Unnamed: 0") if numbered else table
    left, notes = without_margins(wide)
    assert left.equals(table)
    assert notes == []


REFUSED = {
    "web.csv": ("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "it is a web page; download the file"),
    "ragged.csv": ("model,acc\na,1\nb,2,3\n", "line 3 has 3 values, and those above have 2; correct the line"),
    "quote.csv": ('model,acc\n"a,1\nb,2\n', "a quotation mark in row 1 is not closed"),
    "spaces.txt": ("model acc kg\na 1 2\nb 2 1\n", 'set separator=" "'),
    "text.xlsx": ("model,acc\na,1\n", "it is no Excel workbook; .* a name that ends in .csv"),
    "names.json": (json.dumps({"a": {"acc": 1}, "b": {"acc": 2}}), r"may be rows or columns; say which: pd\.DataFrame"),
    "inner.json": (json.dumps({"rows": [{"acc": 1}], "date": "today"}), "its rows seem to be in 'rows'; read them"),
    "results.json": (json.dumps({"results": [{"acc": 1}]}), "its rows seem to be in 'results'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_with_what_to_do(name, tmp_path):
    content, said = REFUSED[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        copa_nb.read(tmp_path / name)


def test_words_that_are_columns_are_read_with_the_separator_that_is_named(tmp_path):
    (tmp_path / "models.txt").write_text(REFUSED["spaces.txt"][0])
    assert copa_nb.read(tmp_path / "models.txt", separator=" ")["kg"].tolist() == [2, 1]


def test_a_table_on_its_side_is_answered_by_the_turn(tmp_path):
    MODELS.set_index("model").T.to_csv(tmp_path / "turned.csv")
    with pytest.warns(UserWarning, match="is text"):
        table = copa_nb.read(tmp_path / "turned.csv")
    with pytest.raises(ValueError, match=r"'acc' is the name of a row: frame\.T has it as a column"):
        table.moo(max="acc").copa()
    plain = pd.read_csv(tmp_path / "turned.csv")
    with pytest.raises(ValueError, match=r"'acc' is in a row: frame\.set_index\('Unnamed: 0'\)\.T has it"):
        plain.moo(max="acc").copa()
