"""Tables of one's own: three kinds of file, and clear words when they are not what they say."""

import hashlib

import pandas as pd
import pytest

from copa_nb.reports import read_table

FRAME = pd.DataFrame({"model": ["<b>x</b>", "=cmd"], "accuracy": [0.5, 0.75], "n": [1, 2]})
WRITERS = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "a.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "a.parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "a.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.ndjson": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.json": lambda frame, path: frame.to_json(path, orient="records"),
    "A.CSV": lambda frame, path: frame.to_csv(path, index=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_all_kinds_of_file_give_the_same_table(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](FRAME, path)
    table = read_table(path)
    pd.testing.assert_frame_equal(table, FRAME, check_dtype=False)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.attrs["source"] == {"name": name, "kind": "own", "sha256": digest, "origin": str(path)}


def test_rows_are_named_on_request(tmp_path):
    path = tmp_path / "a.csv"
    FRAME.to_csv(path, index=False)
    assert read_table(path, index="n").index.tolist() == [1, 2]
    assert read_table(path, index="").index.tolist() == ["<b>x</b>", "=cmd"]
    FRAME.assign(model="same").to_csv(path, index=False)
    assert read_table(path, index="").columns.tolist() == ["model", "accuracy", "n"], "it names no row"


def test_indices_of_parquet_files_are_kept(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.set_index("model").to_parquet(path)
    assert read_table(path, index="").index.name == "model"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "empty file"),
        ("a.csv", "a,b\n", "no rows"),
        ("a.xlsx", "x", "must end in"),
        ("a.parquet", "not parquet", "cannot be read as parquet"),
        ("a.jsonl", "{", "cannot be read as jsonl"),
        ("a.csv", 'a,b\n1,2\n3,4,5,6\n"', "cannot be read as csv"),
        ("a.csv", "a, a\n1,2\n", "several columns named 'a'"),
    ],
)
def test_bad_files_are_named_with_the_reason(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_table(path)
    assert name in str(caught.value)


def test_a_missing_file_and_a_missing_column(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_table(tmp_path / "none.csv")
    path = tmp_path / "a.csv"
    FRAME.to_csv(path, index=False)
    with pytest.raises(ValueError, match="Did you mean 'model'"):
        read_table(path, index="modle")
