"""One table as every source that is read in pieces."""

import itertools
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
from hypothesis import strategies as st

import copa_nb
from tests import strategies as tables

SYSTEM = "system"
_FOLDERS = tempfile.TemporaryDirectory(prefix="copa-nb-engines-")


def _pieces(frame, cuts):
    return [frame.iloc[a:b] for a, b in itertools.pairwise([0, *sorted(cuts), len(frame)])]


def _folder(frame, cuts):
    folder = Path(tempfile.mkdtemp(dir=_FOLDERS.name))
    for number, piece in enumerate(_pieces(frame, cuts)):
        _arrow(piece).to_pandas().to_parquet(folder / f"{number}.parquet")
    return folder


def _arrow(frame):
    # Without pandas' own notes, and without a missing value that is a number.
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


def _stream(frame, cuts):
    tables = [_arrow(piece) for piece in _pieces(frame, cuts)]
    schema = _arrow(frame).schema
    return lambda: pa.RecordBatchReader.from_batches(schema, (b for t in tables for b in t.cast(schema).to_batches()))


def _relation(frame, cuts):
    connection = duckdb.connect()
    arrow = _arrow(frame)
    connection.register("models", arrow)
    return connection.sql("from models")


ENGINES = {
    "frames": lambda frame, cuts: _pieces(frame, cuts),
    "iterators": lambda frame, cuts: lambda: iter(_pieces(frame, cuts)),
    "parquet": lambda frame, cuts: _folder(frame, cuts),
    "dataset": lambda frame, cuts: pa.dataset.dataset(_folder(frame, cuts)),
    "polars": lambda frame, cuts: pl.from_arrow(_arrow(frame)).lazy(),
    "duckdb": _relation,
    "arrow": _stream,
}
# How a column is called in a condition that the engine evaluates.
COLUMNS = {
    "dataset": pa.dataset.field,
    "parquet": pa.dataset.field,
    "polars": pl.col,
    "duckdb": duckdb.ColumnExpression,
}


def scanned(engine, frame, cuts=(), batch_rows=3, **options):
    """The table as this engine offers it; its rows are named by the index."""
    flat = frame.rename_axis(SYSTEM).reset_index()
    return copa_nb.scan(ENGINES[engine](flat, list(cuts)), system=SYSTEM, batch_rows=batch_rows, **options)


@st.composite
def tables_and_cuts(draw, missing=False, max_rows=14, repeated_labels=False, group=False):
    """(pandas frame, cuts, directions); ties, infinities, duplicates and empty pieces are the rule."""
    elements = st.one_of(tables.WITH_INFINITIES, tables.FINE)
    if missing:
        elements = st.one_of(elements, st.just(np.nan))
    frame, directions = draw(tables.tables(elements=elements, max_rows=max_rows))
    frame.index = [f"row {i // (2 if repeated_labels else 1)}" for i in range(len(frame))]
    if group:
        frame["group"] = draw(st.lists(st.sampled_from("abc"), min_size=len(frame), max_size=len(frame)))
    cuts = draw(st.lists(st.integers(0, len(frame)), min_size=0, max_size=5))
    return frame.rename_axis(SYSTEM), cuts, directions


def as_pandas(rows):
    """Rows of any engine as pandas, named by their system."""
    if isinstance(rows, pl.DataFrame):
        rows = rows.to_arrow()
    frame = rows.to_pandas() if isinstance(rows, pa.Table) else rows
    return frame.set_index(SYSTEM) if SYSTEM in frame else frame


def as_array(values):
    """A Series of any engine as an array."""
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def same_values(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_index_type=False, check_column_type=False)
