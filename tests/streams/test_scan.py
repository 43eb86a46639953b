"""What can be scanned, what is refused, and what a pass leaves behind."""

import itertools
import os
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import copa_nb
from copa_nb.streams.batches import WholeTableNeededError
from copa_nb.streams.readers import open_source
from copa_nb.tables.objectives import RowsOmittedWarning
from tests import asked

MODELS = pd.DataFrame({"model": list("abcd"), "acc": [0.9, 0.8, 0.7, 0.6], "co2": [3.0, 1.0, 2.0, 4.0]})
OBJECTIVES = {"acc": "max", "co2": "min"}


def folder(tmp_path, frame=MODELS):
    for number in range(0, len(frame), 2):
        frame[number : number + 2].to_parquet(tmp_path / f"{number}.parquet", index=False)
    return tmp_path


def test_files_folders_and_globs_are_one_table(tmp_path):
    place = folder(tmp_path)
    for source in (place, str(place), f"{place}/*.parquet"):
        table = copa_nb.scan(source, OBJECTIVES, system="model")
        assert repr(table) == "<Scan: 4 rows × 2 columns, acc ↑, co2 ↓>"
        assert asked.front(table).index.tolist() == ["a", "b"]
        assert asked.front(table).attrs["moo"] == {"objectives": OBJECTIVES}
    assert asked.copa(copa_nb.scan(place / "0.parquet", OBJECTIVES)).counts() == (2, 2)


def test_rows_without_a_name_are_numbered_over_the_whole_table(tmp_path):
    table = copa_nb.scan(folder(tmp_path), acc="min", co2="max", batch_rows=1)
    assert asked.front(table).index.tolist() == asked.copa(table).scores.index.tolist() == [3]
    assert asked.layers(table, 1).index.equals(pd.RangeIndex(4))


def test_folders_of_values_of_a_column_have_that_column(tmp_path):
    for seed in (1, 2):
        (tmp_path / f"seed={seed}").mkdir()
        MODELS.to_parquet(tmp_path / f"seed={seed}" / "runs.parquet", index=False)
    table = copa_nb.scan(tmp_path, OBJECTIVES, system="model")
    assert list(asked.copa(table, by="seed")) == [1, 2]


def test_what_programs_leave_for_themselves_is_not_read_and_endings_have_any_case(tmp_path):
    MODELS[:2].to_parquet(tmp_path / "a.parquet", index=False)
    MODELS[2:].to_parquet(tmp_path / "b.PARQUET", index=False)
    for name in (".ipynb_checkpoints/a-checkpoint.parquet", "_temporary/0/c.parquet", "_x.parquet", ".y.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        MODELS.assign(acc=2.0).to_parquet(tmp_path / name, index=False)
    expected = pa.dataset.dataset([str(tmp_path / name) for name in ("a.parquet", "b.PARQUET")], format="parquet")
    for source in (tmp_path, f"{tmp_path}/*.[pP]*", f"{tmp_path}/**/*.[pP]*"):
        pd.testing.assert_frame_equal(copa_nb.scan(source).to_pandas(), expected.to_table().to_pandas())
    # What is named is asked for.
    for source in (tmp_path / "_x.parquet", f"{tmp_path}/_x*", tmp_path / "_temporary", f"{tmp_path}/_temporary/*/*"):
        assert (copa_nb.scan(source).to_pandas()["acc"] == 2).all()


def test_files_of_other_formats_are_named(tmp_path):
    MODELS.to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match=r"with 'b\.csv'; a table in pieces is read from Parquet"):
        copa_nb.scan(tmp_path)
    MODELS.to_parquet(tmp_path / "a.parquet", index=False)
    with pytest.warns(RowsOmittedWarning, match=r"'b\.csv' was passed over; only Parquet"):
        assert len(copa_nb.scan(tmp_path).to_pandas()) == 4
    with pytest.raises(ValueError, match=r"with 'b\.csv'; a table in pieces"):
        copa_nb.scan(f"{tmp_path}/*")
    MODELS.to_feather(tmp_path / "c.FEATHER")
    with pytest.raises(ValueError, match=r"files of two formats: 'a\.parquet', 'c\.FEATHER'"):
        copa_nb.scan(tmp_path)


@pytest.mark.parametrize("backward", [False, True])
def test_types_are_united_whatever_the_order_of_files(tmp_path, backward):
    parts = [MODELS[:2].assign(co2=[3, 1]), MODELS[2:3].assign(co2=[None]), MODELS[3:].assign(co2=4.5)]
    for number, part in enumerate(parts[::-1] if backward else parts):
        part.to_parquet(tmp_path / f"{number}.parquet", index=False)
    expected = duckdb.sql(f"from read_parquet('{tmp_path}/*.parquet', union_by_name=true)").df()
    found = copa_nb.scan(tmp_path).to_pandas()
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert found["co2"].dtype == float


@pytest.mark.parametrize("backward", [False, True])
def test_files_that_do_not_fit_together_are_named(tmp_path, backward):
    def refused(*parts):
        for name, part in zip(("1.parquet", "2.parquet"), parts[::-1] if backward else parts, strict=True):
            part.to_parquet(tmp_path / name, index=False)
        with pytest.raises(ValueError, match=r"`source`: ") as error:
            copa_nb.scan(tmp_path).to_pandas()
        return str(error.value)

    message = refused(MODELS, MODELS.assign(ms=1.0))
    having, lacking = ("1", "2") if backward else ("2", "1")
    assert f"/{having}.parquet' has 'ms', which '" in message
    assert f"/{lacking}.parquet' lacks" in message
    message = refused(MODELS, MODELS.assign(co2="3 kg"))
    assert "/2.parquet' have types that do not fit" in message
    assert "Field co2" in message
    # Integers that float64 cannot hold.
    message = refused(MODELS, MODELS.assign(co2=2**60 + 1))
    assert f"/{having}.parquet' cannot be read. Integer value 1152921504606846977" in message


def test_files_are_not_read_far_ahead_of_those_who_use_them(tmp_path):
    n_files, n_rows = 24, 50_000
    for number in range(n_files):
        pd.DataFrame(np.random.default_rng(number).random((n_rows, 4))).to_parquet(tmp_path / f"{number:02}.parquet")
    before, most = pa.total_allocated_bytes(), 0
    for _ in open_source(tmp_path).read(None, None, n_rows):
        time.sleep(0.02)
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < n_files / 2 * n_rows * 4 * 8


def test_a_lazy_frame_and_a_relation_give_rows_in_kind():
    front = copa_nb.moo(MODELS.pipe(pl.from_pandas).lazy())(**OBJECTIVES, system="model").front()
    assert isinstance(front, pl.DataFrame)
    assert front["model"].to_list() == ["a", "b"]
    connection = duckdb.connect()
    connection.register("models", MODELS)
    found = asked.front(copa_nb.scan(connection.sql("from models where acc < 0.9"), OBJECTIVES))
    assert found.column("model").to_pylist() == ["b"]


@pytest.mark.parametrize(("source", "message"), [
    (3, "`source` is int, which cannot be read in pieces"),
    ([], "`source` has no frames"),
    (lambda: 3, "`source` is int"),
    ("nowhere/*.parquet", "no such file"),
    (__file__, "read from Parquet"),
    ([1], "`source` must be a DataFrame"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused(source, message):
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=message):
        copa_nb.scan(source)


def test_conditions_are_evaluated_by_the_engine_or_refused():
    lazy, frames = pl.from_pandas(MODELS).lazy(), [MODELS[:1], MODELS[1:]]
    for where in (pl.col("model") != "b", lambda query: pl.col("model") != "b", "model != 'b'"):
        assert copa_nb.moo(lazy)(**OBJECTIVES, system="model").copa(where=where).best == "a"
    with pytest.raises(TypeError, match="`where` is Expr, but a table that is read in pieces from frames takes"):
        asked.copa(copa_nb.scan(frames, OBJECTIVES), where=pl.col("acc") > 0)
    with pytest.raises(TypeError, match="`where` gives ndarray, which LazyFrame cannot evaluate"):
        asked.copa(lazy, objectives=OBJECTIVES, where=np.ones(4, dtype=bool))


def test_what_can_be_read_once_answers_in_one_pass_or_refuses_before_it_reads():
    taken = []

    def pieces():
        for piece in (MODELS[:3], MODELS[3:]):
            taken.append(len(piece))
            yield piece

    once = copa_nb.scan(pieces(), OBJECTIVES)
    with pytest.raises(ValueError, match="`source` can be read once, but this takes two passes; pass a function"):
        asked.copa(once)
    assert taken == [3]
    assert len(asked.front(once)) == 2
    with pytest.raises(ValueError, match="can be read once"):
        asked.front(once)
    again = copa_nb.scan(pieces, OBJECTIVES)
    assert asked.copa(again).tied == asked.copa(MODELS, objectives=OBJECTIVES).tied
    reader = pa.RecordBatchReader.from_batches(*(lambda t: (t.schema, t.to_batches()))(pa.Table.from_pandas(MODELS)))
    assert asked.front(reader, objectives=OBJECTIVES).num_rows == 2


def test_a_source_that_changes_between_passes_is_refused():
    rows = itertools.count(2)
    table = copa_nb.scan(lambda: [MODELS[: next(rows)]], OBJECTIVES)
    with pytest.raises(ValueError, match="`source` had 3 rows at first and 4 now"):
        asked.copa(table)


@pytest.mark.parametrize("changed", [
    MODELS.assign(acc=MODELS["acc"].to_numpy()[::-1]),
    MODELS.assign(acc=MODELS["acc"] + 1e-12),
    MODELS.assign(co2=[3.0, 1.0, 2.0, np.nan]),
    MODELS.assign(model=list("abce")),
])  # fmt: skip
def test_a_source_whose_values_change_between_passes_is_refused(changed):
    frames = itertools.chain([MODELS, MODELS], itertools.repeat(changed))
    table = copa_nb.scan(lambda: [next(frames)], OBJECTIVES, system="model")
    with pytest.raises(ValueError, match="`source` gives other values of 'model', 'acc', 'co2' now than when it was"):
        asked.copa(table, nan_policy="worst")


def test_a_query_whose_values_change_between_verbs_is_refused():
    connection = duckdb.connect()
    connection.execute("create table models as select 0.9 as acc, 3.0 as co2, 'a' as model")
    table = copa_nb.scan(connection.sql("from models"), OBJECTIVES, system="model")
    assert asked.copa(table).best == asked.copa(table).best == "a"
    connection.execute("update models set acc = 0.8")
    with pytest.raises(ValueError, match="`source` gives other values"):
        asked.copa(table)


def test_groups_that_are_new_in_a_later_pass_are_refused():
    first = MODELS.assign(task="x")
    frames = itertools.chain([first, first], itertools.repeat(MODELS.assign(task="y")))
    table = copa_nb.scan(lambda: [next(frames)], OBJECTIVES, system="model")
    with pytest.raises(ValueError, match="`source` gives other values of 'model', 'acc', 'co2', 'task'"):
        asked.copa(table, by="task")


def test_rows_may_come_in_any_order_if_they_have_names():
    orders = itertools.count()

    def shuffled():
        order = np.random.default_rng(next(orders)).permutation(4)
        return pl.from_pandas(MODELS.iloc[order])

    expected = asked.copa(MODELS.set_index("model"), objectives=OBJECTIVES).scores.sort_index()
    for batch_rows in (1, 3):
        table = copa_nb.scan(shuffled, OBJECTIVES, system="model", batch_rows=batch_rows)
        assert asked.copa(table).best == "b"
        assert np.array_equal(asked.copa(table).scores.sort_index(), expected.loc[["a", "b"]])
    with pytest.raises(ValueError, match="Rows without names must come in the same order, too"):
        asked.copa(copa_nb.scan(shuffled, OBJECTIVES))


def test_files_that_are_written_again_between_passes_are_refused(tmp_path):
    table = copa_nb.scan(folder(tmp_path), OBJECTIVES, system="model")
    assert asked.copa(table).best == "b"
    MODELS[:2].assign(acc=0.1).to_parquet(tmp_path / "0.parquet", index=False)
    with pytest.raises(ValueError, match="`source` has changed since it was opened"):
        asked.copa(table)


def test_verbs_that_need_all_rows_say_what_to_do():
    table = copa_nb.scan([MODELS], OBJECTIVES)
    with pytest.raises(WholeTableNeededError, match=r"`layers` needs the whole table .*call `layers\(1\)`"):
        table.moo.layers()
    with pytest.raises(WholeTableNeededError, match="`layers` needs the whole table"):
        asked.layers(table)
    with pytest.raises(TypeError, match="resamples the whole table"):
        asked.copa(table).stability()
    with pytest.raises(TypeError, match="`to_parquet` reads the whole table again"):
        asked.copa(table, by="model")["a"].to_parquet("x.parquet")
    for verb in (asked.copa, asked.front):
        with pytest.raises(WholeTableNeededError, match="`nan_policy` is 'bounds', which needs the whole table"):
            verb(table, nan_policy="bounds")
    with pytest.raises(TypeError, match="unexpected keyword argument 'wheer'"):
        asked.copa(table, wheer="acc > 0")
    pd.testing.assert_frame_equal(table.to_pandas(), MODELS)


@pytest.mark.parametrize("method", ["budgets", "overtuning"])
def test_what_follows_every_evaluation_says_that_its_answer_is_as_long_as_the_table(method):
    scores = pd.DataFrame({"search": list("aabb"), "val_acc": [1.0, 2, 1, 2], "test_acc": [1.0, 2, 2, 1]})
    table = pl.from_pandas(scores).lazy()
    options = {"objectives": {"acc": "max"}, "reference": {"acc": 0.0}}
    for found in (asked.gap(table, **options), *asked.gap(table, by="search", **options).values()):
        with pytest.raises(TypeError, match=r"a row for each evaluation.*Filter one search after the other"):
            getattr(found, method)()
    # What is advised gives the rows of that search.
    searches = getattr(asked.gap(scores, by="search", **options), method)()
    rows = table.filter(pl.col("search") == "b").collect()
    found = getattr(asked.gap(rows, **options), method)()
    expected = getattr(searches, "curves", searches.table).query("search == 'b'").drop(columns="search")
    pd.testing.assert_frame_equal(
        getattr(found, "curves", found.table), expected.reset_index(drop=True), check_dtype=False
    )


def test_methods_and_functions_are_the_same():
    table = copa_nb.scan([MODELS[:1], MODELS[1:]], system="model")
    bound = table.moo(**OBJECTIVES)
    assert repr(bound).startswith("<moo: 2 columns, read in pieces\n acc ↑, co2 ↓\n")
    assert bound.description["objectives"] == OBJECTIVES
    assert bound.copa().navigate("co2").table.equals(asked.copa(table, objectives=OBJECTIVES).navigate("co2").table)
    with pytest.raises(ValueError, match="no objectives are defined"):
        table.moo.front()
    with pytest.raises(ValueError, match="is not a column"):
        copa_nb.scan([MODELS], system="modle")
    with pytest.raises(ValueError, match="`batch_rows` is 0"):
        copa_nb.scan([MODELS], batch_rows=0)


def test_nothing_is_written_where_reading_fails(tmp_path):
    def broken():
        yield MODELS[:2]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        copa_nb.scan(broken()).to_parquet(tmp_path / "copy.parquet")
    assert list(tmp_path.iterdir()) == []
    written = copa_nb.scan([MODELS[:2], MODELS[2:]], system="model").to_parquet(tmp_path / "copy.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(written), MODELS.set_index("model"))


ENDLESS = """
import itertools, signal, sys, numpy as np, pandas as pd, copa_nb
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background of a script
def pieces():
    for number in itertools.count():
        if number == 3:
            print("reading", flush=True)
        yield pd.DataFrame(np.random.default_rng(number).random((1000, 2)), columns=["a", "b"])
try:
    copa_nb.scan(pieces, a="max", b="min").moo.copa()
except KeyboardInterrupt:
    import threading
    print(threading.active_count())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_an_interrupt_ends_a_pass():
    run = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "reading\n"
    time.sleep(0.3)
    os.kill(run.pid, signal.SIGINT)
    told, _ = run.communicate(timeout=600)
    assert told == "1\n"
    assert run.returncode == 0
