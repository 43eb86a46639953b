"""Tables of other libraries go in as they are and come back in kind."""

import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import plots
from copa_nb.tables.description import define
from copa_nb.tables.frames import read_frame, to_pandas
from tests import asked

pl = pytest.importorskip("polars")
pytest.importorskip("copa_nb.polars")  # adds frame.moo
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
ROWS = {"model": ["a", "b", "c"], "acc": [0.9, 0.8, 0.7], "co2": [3, 1, 2], "kind": ["x", None, "x"]}
OBJECTIVES = {"acc": "max", "co2": "min"}
MODELS = pl.DataFrame(ROWS, schema_overrides={"kind": pl.Categorical})
BOUND = MODELS.moo(acc="max", co2="min", system="model")


def test_frames_come_back_as_they_were():
    assert BOUND.front().equals(MODELS[:2])
    assert BOUND.front().schema == MODELS.schema
    assert BOUND.layers().to_list() == [1, 1, 2]
    assert BOUND.normalize().columns == ["model", "acc", "co2"]
    assert asked.front(MODELS, objectives=OBJECTIVES).equals(MODELS[:2])
    assert asked.copa(MODELS, objectives=OBJECTIVES, where=pl.col("co2") < 3, weights={"acc": 1}).best == 1
    assert repr(BOUND).startswith("<moo: 3 rows\n acc ↑, co2 ↓\n")
    assert "Say what is good" in repr(MODELS.moo)


def test_results_name_rows_by_the_label():
    pick = BOUND.copa(weights={"co2": 0.9})
    assert (pick.best, pick.table.index.tolist()) == ("b", ["b", "c", "a"])
    assert BOUND.copa().navigate("co2").path["selected"].iloc[0] == "a"
    assert asked.copa(MODELS, objectives=OBJECTIVES, weights={"co2": 0.9}).best == 1


@pytest.mark.parametrize(
    "where", [pl.col("co2") <= 2, MODELS["co2"] <= 2, lambda frame: frame["co2"] <= 2, "co2 <= 2", [False, True, True]]
)
def test_constraints_in_the_tables_own_words(where):
    assert BOUND.copa(where=where, weights={"acc": 1}).best == "b"


def test_a_mask_of_pandas_is_matched_by_label():
    turned = pd.Series([True, True, False], index=["c", "b", "a"])
    assert BOUND.copa(where=turned, weights={"acc": 1}).best == "b"
    partial = pd.Series([True, None, False], index=["a", "b", "c"], dtype="boolean")
    assert BOUND.copa(where=partial, weights={"co2": 1}).best == "a"


def test_a_constraint_that_is_unknown_for_a_row_does_not_hold_there():
    models = MODELS.with_columns(ms=pl.Series([None, 1, 5]))
    bound = models.moo(OBJECTIVES, system="model")
    assert bound.copa(where=pl.col("ms") < 3, weights={"acc": 1}).best == "b"
    assert bound.copa(where=pl.col("ms") > 3).counts() == (1, 3)


def test_arrow_tables():
    table = MODELS.to_arrow()
    front = asked.front(table, objectives=OBJECTIVES)
    assert isinstance(front, pa.Table)
    assert front.equals(table[:2])
    assert asked.layers(table, objectives=OBJECTIVES).to_pylist() == [1, 1, 2]
    with pytest.raises(ValueError, match="several columns of the same name"):
        asked.front(pa.table([[1], [2]], names=["a", "a"]), objectives={"a": "min"})


def test_relations():
    relation = duckdb.from_arrow(MODELS.select("model", "acc", "co2").to_arrow())
    assert asked.front(relation, objectives=OBJECTIVES)["model"].to_pylist() == ["a", "b"]
    decimals = duckdb.sql("SELECT * FROM (VALUES (0.9, 3.5), (0.8, 1.25)) AS t(acc, co2)")
    assert len(asked.front(decimals, objectives=OBJECTIVES)) == 2


class Stream:
    """A table of a library that nobody knows, which offers its rows to Arrow."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_a_table_that_only_streams_arrow_is_taken_by_every_verb():
    stream = Stream(MODELS.select("model", "acc", "co2").to_arrow())
    known = copa_nb.moo(MODELS, OBJECTIVES)
    asked_of = copa_nb.moo(stream, OBJECTIVES)
    assert asked_of.front().equals(known.front().select("model", "acc", "co2").to_arrow().cast(asked_of.front().schema))
    assert asked_of.copa().best == known.copa().best
    assert copa_nb.read(stream, acc="max", co2="min").moo.copa().best == known.copa().best
    assert "3 rows" in repr(asked_of)
    with pytest.raises(TypeError, match=r"pass frame\.table"):
        copa_nb.moo(known.copa(), OBJECTIVES).front()


def test_another_table_beside_the_first():
    placed = copa_nb.Reference.fit(MODELS, objectives=OBJECTIVES).place(MODELS)
    assert isinstance(placed, pl.DataFrame)
    assert placed["co2"].to_list() == [2 / 3, 0, 1 / 3]


def test_functions_that_draw():
    for draw in (plots.plot_front, plots.plot_parallel):
        ax = draw(MODELS, objectives=OBJECTIVES)
        assert ax.lines or ax.collections


def test_lazy_tables_are_read_in_pieces():
    assert MODELS.lazy().moo(OBJECTIVES).front().equals(asked.front(MODELS, objectives=OBJECTIVES))
    with pytest.raises(TypeError, match="`layers` needs the whole table in one machine's memory"):
        asked.layers(MODELS.lazy(), objectives=OBJECTIVES)


def test_what_cannot_be_kept_is_said():
    with pytest.raises(TypeError, match="which a DataFrame of polars does not have; describe it where it is asked"):
        define(MODELS, acc="max")
    with pytest.raises(ValueError, match="no objectives are defined"):
        MODELS.moo.front()
    with pytest.raises(ValueError, match="`system` names 'x', which is not a column"):
        MODELS.moo(OBJECTIVES, system="x")


def test_no_digit_is_lost():
    beyond = pl.DataFrame({"x": [2**60, 2**60 + 1, None], "d": [Decimal("0.1"), Decimal("0.30"), None]})
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        asked.front(beyond, objectives={"x": "min"}, nan_policy="worst")
    assert asked.layers(beyond, 1, objectives={"d": "min"}, nan_policy="worst").to_list() == [1, 2, 2]
    long = pl.DataFrame({"d": [Decimal("0.1"), Decimal("0.10000000000000000001")]})
    with pytest.raises(ValueError, match="decimals of more than 15 digits"):
        asked.front(long, objectives={"d": "min"})


def test_missing_values_are_named_by_the_label():
    models = MODELS.with_columns(acc=pl.Series([0.9, None, float("nan")]))
    with pytest.raises(ValueError, match=r"'acc' in 2 of 3 rows \('b', 'c'\)"):
        models.moo(OBJECTIVES, system="model").copa()


def test_polars_gets_the_accessor_by_one_import_and_not_before():
    code = (
        "import polars, copa_nb; frame = polars.DataFrame({'a': [1, 2]})\n"
        "print(hasattr(frame, 'moo'), copa_nb.moo(frame)(a='max').front()['a'].to_list())\n"
        "import copa_nb.polars; print(frame.moo(a='max').front()['a'].to_list())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False [2]", "[2]"]


def test_nothing_is_imported_for_pandas_and_no_source_before_it_is_asked_for():
    code = (
        "import sys, pandas as pd, copa_nb; pd.DataFrame({'a': [1, 2]}).moo(a='max').front(); copa_nb.read; "
        "[getattr(copa_nb, name) for name in copa_nb.__all__ if 'from_' in name]; "
        "print({'polars', 'narwhals', 'duckdb', 'optuna', 'sklearn', 'mlflow', 'inspect_ai', 'pymoo', 'ray', 'wandb'} "
        "& set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
def test_a_report_on_a_table_of_polars(tmp_path):
    made = copa_nb.report("select", table=MODELS, out=tmp_path, objectives={"acc": "max", "co2": "min"}, system="model")
    assert made.status != "failed"


def test_what_goes_back_has_none_for_what_is_missing_and_names_of_text():
    foreign = read_frame(MODELS)
    text = pd.Series(["x", np.nan], dtype=object)
    frame = pd.DataFrame(
        {("a", 1): text.array, 2: [0.5, np.nan], "c": pd.array([1, None], dtype="Int64")}, index=["r", "s"]
    )
    back = foreign.back(frame)
    assert isinstance(back, pl.DataFrame)
    assert back.columns == ["index", "a_1", "2", "c"]
    assert back["a_1"].to_list() == ["x", None]
    assert back["c"].to_list() == [1, None]
    assert (back["2"][0], np.isnan(back["2"][1])) == (0.5, True)
    assert foreign.back(frame.reset_index(drop=True)).columns == ["a_1", "2", "c"]
    series = foreign.back(text.rename("t"))
    assert (series.name, series.to_list()) == ("t", ["x", None])
    assert foreign.back(3) == 3


def test_columns_keep_what_they_hold():
    table = pl.DataFrame(
        {
            "whole": [1, None], "real": [0.5, None], "truth": [True, None], "sure": [True, False], "text": ["a", None],
            "day": [date(2026, 1, 2), None], "time": [datetime(2026, 1, 2, 3), None], "list": [[1], [2, 3]],
        }
    )  # fmt: skip
    frame = to_pandas(table)
    assert frame["whole"].tolist() == [1, pd.NA]
    assert str(frame["whole"].dtype) == "Int64"
    assert (frame["real"].dtype, frame["sure"].dtype) == (float, bool)
    assert (str(frame["truth"].dtype), frame["truth"].tolist()) == ("boolean", [True, pd.NA])
    assert frame["text"].isna().tolist() == [False, True]
    assert frame["text"][0] == "a"
    assert frame["time"].dtype.kind == "M"
    assert frame["day"][0] == date(2026, 1, 2)
    assert frame["list"].tolist() == [[1], [2, 3]]
    assert to_pandas([1]) == [1]


@pytest.mark.parametrize(
    ("number", "kept"),
    [("0.1", True), ("123456789012345", True), ("1234567890123456", False), ("1234567890123450", True), ("-0.5", True)],
)
def test_decimals_of_fifteen_digits_become_floats(number, kept):
    column = to_pandas(pl.DataFrame({"d": [Decimal(number), None]}))["d"]
    assert (column.dtype == float) == kept
    assert column[0] == (float(number) if kept else Decimal(number))


def test_every_verb_takes_them():
    from copa_nb.accessor import VERBS

    # A panel asks for directions by its controls.
    assert list(copa_nb.panel(MODELS).settings.table.columns) == list(MODELS.columns)
    for name in VERBS:
        with pytest.raises((ValueError, TypeError)) as refusal:
            getattr(copa_nb.moo(MODELS), name)()
        assert "must be a DataFrame" not in str(refusal.value), name


def test_means_of_systems_come_back_as_the_table_was():
    runs = pl.DataFrame(
        {
            "model": ["a", "a", "b", "b", "c", "c"],
            "seed": [0, 1] * 3,
            "acc": [5, 7, 6, 9, 1, 2],
            "kg": [2, 2, 3, 4, 5, 4],
        }
    )
    words = {"acc": "max", "kg": "min", "system": "model", "repeat": "seed"}
    front = copa_nb.moo(runs, **words).front()
    assert isinstance(front, pl.DataFrame)
    expected = copa_nb.moo(runs.to_pandas(), **words).front()
    assert front["model"].to_list() == expected.index.to_list() == ["a", "b"]
    assert front["acc"].to_list() == expected["acc"].to_list() == [6.0, 7.5]
