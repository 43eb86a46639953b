"""Tables in files as people have them: separators, decimal commas, encodings, sheets, standard input."""

import gzip
import io
import json
import re
import sys
import time
import zipfile
from types import SimpleNamespace

import pandas as pd
import pytest

import copa_nb
from copa_nb.sources.files import _fits, read_table
from copa_nb.sources.margins import MarginWarning

FRAME = pd.DataFrame({"model": ["ä", "b;c"], "accuracy": [0.5, 0.75], "n": [1, 2]})


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz", "a.txt.gz"])
def test_the_separator_is_found_where_only_one_fits(tmp_path, name, separator):
    FRAME.to_csv(tmp_path / name, sep=separator, index=False, compression="infer")
    pd.testing.assert_frame_equal(read_table(tmp_path / name), FRAME)


def test_a_separator_that_fits_as_well_as_another_is_refused_and_can_be_said(write):
    path = write("a.csv", "a;b,c\n1;2,5\n3;4,5\n")
    with pytest.raises(ValueError, match=r"'a comma', 'a semicolon'.*`separator`"):
        read_table(path)
    assert read_table(path, separator=";").columns.tolist() == ["a", "b,c"]
    assert read_table(path, separator=",").columns.tolist() == ["a;b", "c"]
    with pytest.raises(ValueError, match="one character"):
        read_table(path, separator=", ")


def test_a_comma_is_the_separator_where_nothing_speaks_for_another(write):
    assert read_table(write("a.csv", "only\n1\n2\n")).shape == (2, 1)
    assert read_table(write("b.csv", 'a,b\n1,"x; y"\n2,"z; w; v"\n')).columns.tolist() == ["a", "b"]


def test_rows_may_be_longer_than_the_sample(write):
    rows = "".join(f"{number};{number / 7:.15f}\n".replace(".", ",") for number in range(6000))
    table = read_table(write("a.csv", "n;x\n" + rows), decimal=",")
    assert table.shape == (6000, 2)
    assert table["x"].iloc[-1] == pytest.approx(5999 / 7, abs=1e-12)


def test_decimal_commas_are_read_when_said(write):
    path = write("a.csv", "model;loss\na;0,5\nb;1,25\n")
    assert read_table(path, decimal=",")["loss"].tolist() == [0.5, 1.25]
    with pytest.warns(MarginWarning, match=r'^Decimal marks seem to be commas; set decimal=","\.$'):
        assert read_table(path, parse=[])["loss"].tolist() == ["0,5", "1,25"], "text as it is"
    understood = read_table(path)
    assert understood["loss"].tolist() == [0.5, 1.25]
    assert understood.attrs["notes"] == ["Commas are read as decimal marks, since no number has a point."]
    assert read_table(path, parse=["loss"])["loss"].tolist() == [0.5, 1.25]


def test_columns_are_parsed_as_they_are_written(write):
    path = write("a.csv", "model; cost ;acc\na;1.234;64.7%\nb;2.500;70%\n")
    assert read_table(path)["cost"].tolist() == [1.234, 2.5]
    assert read_table(path, parse=["acc"])["acc"].tolist() == [64.7, 70]
    assert read_table(path, parse=["cost"], decimal=",")["cost"].tolist() == [1234, 2500]
    with pytest.raises(ValueError, match=r"`parse` names 'cost', .* '1\.234' in row 1 .* `decimal`"):
        read_table(path, parse=["cost"])
    with pytest.raises(ValueError, match="`parse` names 'price'"):
        read_table(path, parse="price")


def test_the_source_is_named_after_the_file_whatever_is_parsed(write):
    path = write("models.csv", "model,acc,p95 latency\na,64.7%,120 ms\nb,70%,90 ms\n")
    for parse in ([], ["acc"], ["acc", "p95 latency"]):
        table = copa_nb.read(path, parse=parse)
        assert table.attrs["source"]["name"] == "models.csv"


def test_the_encoding_is_asked_for_where_it_is_not_utf8(write):
    text = "model,acc\nnaïve,1\n"
    path = write("a.csv", text.encode("cp1252"))
    with pytest.raises(ValueError, match=r"not UTF-8 text.*`encoding`.*cp1252"):
        read_table(path)
    assert read_table(path, encoding="cp1252")["model"].tolist() == ["naïve"]
    assert read_table(write("b.csv", text.encode("utf-16")), encoding="utf-16")["model"].tolist() == ["naïve"]
    assert read_table(write("c.csv", text.encode("utf-8-sig"))).columns.tolist() == ["model", "acc"]
    with pytest.raises(ValueError, match="`encoding` is 'klingon'"):
        read_table(path, encoding="klingon")


def test_sheets_are_asked_for_where_there_are_several(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as writer:
        FRAME.to_excel(writer, sheet_name="first", index=False)
        pd.DataFrame().to_excel(writer, sheet_name="empty")
    pd.testing.assert_frame_equal(read_table(path), FRAME)
    with pd.ExcelWriter(path) as writer:
        FRAME.to_excel(writer, sheet_name="first", index=False)
        FRAME.head(1).to_excel(writer, sheet_name="second", index=False)
    with pytest.raises(ValueError, match=r"several sheets, 'first', 'second'; choose one with `sheet`"):
        read_table(path)
    assert len(read_table(path, sheet="second")) == len(read_table(path, sheet=2)) == len(read_table(path, sheet="2"))
    with pytest.raises(ValueError, match="Did you mean 'second'"):
        read_table(path, sheet="secnd")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FRAME.to_dict("records")),
        json.dumps(FRAME.to_dict("list")),
        json.dumps(FRAME.to_dict("records"), indent=2),
        "\n".join(map(json.dumps, FRAME.to_dict("records"))),
    ],
)
def test_json_in_any_form(write, text):
    pd.testing.assert_frame_equal(read_table(write("a.json", text)), FRAME)
    pd.testing.assert_frame_equal(read_table(write("a.jsonl.gz", gzip.compress(text.encode()))), FRAME)


def test_json_that_is_no_table_is_refused(write):
    with pytest.raises(ValueError, match="one list per column"):
        read_table(write("a.json", "[1, 2]"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.json", {"separator": ";"}, "`separator` is ';', but .* not a text file with separators"),
        ("a.csv", {"sheet": "x"}, "`sheet` is 'x', but .* not an Excel file"),
        ("a.parquet", {"encoding": "utf-8"}, "`encoding`"),
        ("a.csv", {"decimal": "x"}, "`decimal` is 'x'; allowed are"),
        ("a.parquet.gz", {}, "must end in"),
    ],
)
def test_options_that_do_not_fit_are_refused(write, name, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(name, "a,b\n1,2\n"), **options)


def standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    return read_table("-")


def test_standard_input_is_known_by_its_beginning(monkeypatch, tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    FRAME.to_excel(tmp_path / "a.xlsx", index=False)
    texts = [FRAME.to_csv(index=False), FRAME.to_csv(index=False, sep=";"), json.dumps(FRAME.to_dict("records"))]
    for content in [*map(str.encode, texts), *((tmp_path / f"a.{kind}").read_bytes() for kind in ("parquet", "xlsx"))]:
        table = standard_input(monkeypatch, content)
        pd.testing.assert_frame_equal(table, FRAME)
        assert table.attrs["source"]["name"] == "standard input"
    with pytest.raises(ValueError, match="standard input is empty"):
        standard_input(monkeypatch, b"")


def test_rows_that_are_longer_than_the_header_do_not_shift_columns(write):
    assert read_table(write("trailing.csv", "a,b\n1,2,\n3,4,\n")).to_dict("list") == {"a": [1, 3], "b": [2, 4]}
    named = read_table(write("r.csv", "a,b\nViT,1,2\nMLP,3,4\n"), system="")
    assert named.index.tolist() == ["ViT", "MLP"], "as R writes names of rows"
    assert named["b"].tolist() == [2, 4]
    for text in ("a,b\n1,2,3\n4,5,6\n", "a,b\nx,1,2,3\ny,4,5,6\n"):
        with pytest.raises(ValueError, match="more values than its header has names"):
            read_table(write("long.csv", text))


def test_a_separator_does_not_fit_a_text_that_cannot_be_read():
    # A value longer than Python's reader of CSV takes.
    assert not _fits("a;b\n1;" + "2" * 200_000, ";", True)
    assert _fits("a;b\n1;" + "2" * 100_000, ";", True)


def test_excel_needs_a_package(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ValueError, match=r"reading Excel needs openpyxl: pip install 'copa_nb\[excel\]'"):
        read_table(write("a.xlsx", b"PK"))


def test_rows_are_named_or_numbered_from_one(write, monkeypatch):
    assert read_table(write("a.csv", "n,acc\n1,2\n3,4\n"), system="").index.tolist() == ["row 1", "row 2"]
    with monkeypatch.context() as patch:
        patch.setattr("copa_nb.sources.files._MOST_NAMED", 1)
        assert read_table(write("a.csv", "n,acc\n1,2\n3,4\n"), system="").index.equals(pd.Index([1, 2], name="row"))
    numbered = read_table(write("b.csv", "model,acc\nA,1\nA,2\nB,3\nB,4\nA,5\n"), system="model")
    assert numbered.index.tolist() == ["A", "A (2)", "B", "B (2)", "A (3)"]
    assert numbered.attrs["notes"] == ["Several rows are named 'A', 'B'; they are numbered, e.g. 'A (2)'."]
    one = read_table(write("c.csv", "model,acc\nA,1\nA,2\nB,3\n"), system="model")
    assert one.attrs["notes"] == ["Several rows are named 'A'; they are numbered, e.g. 'A (2)'."]


@pytest.mark.parametrize("size", [None, b"", b'<dimension ref="A1:B2"/>'], ids=["true", "missing", "too small"])
def test_a_cell_far_away_is_refused_before_the_sheet_is_read(tmp_path, size):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["model", "recall"], ["A", 0.5]):
        book.active.append(row)
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "saved.xlsx")
    file = tmp_path / "stray.xlsx"
    with zipfile.ZipFile(tmp_path / "saved.xlsx") as saved, zipfile.ZipFile(file, "w") as written:
        for part in saved.namelist():
            content = saved.read(part)
            written.writestr(part, content if size is None else re.sub(rb"<dimension[^>]*>", size, content))
    with pytest.raises(ValueError, match=r"stray\.xlsx'.*its sheet 'Sheet' has 1,048,576 rows and 16,384 columns"):
        read_table(file)


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_very_many_columns_are_refused_with_their_number_before_they_are_read(tmp_path, ending):
    names, file = [f"c{k}" for k in range(30_000)], tmp_path / f"wide.{ending}"
    if ending == "json":
        file.write_text(json.dumps([dict.fromkeys(names, 1.5)]))
    elif ending == "parquet":
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({name: [1.5] for name in names}), file)
    else:
        separator = "\t" if ending == "tsv" else ","
        file.write_text("\n".join([separator.join(names), separator.join(["1.5"] * len(names))]))
    begin = time.process_time()
    with pytest.raises(ValueError, match=r"wide\.\w+'.*30,000 columns, but at most 20,000"):
        read_table(file)
    assert time.process_time() - begin < 2
