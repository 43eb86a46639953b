"""Random tables cut into random partitions, some of them empty."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

from tests import strategies as tables

dd = pytest.importorskip("dask.dataframe", reason="needs the extra: pip install 'copa_nb[dask]'")


def cut(frame, cuts):
    """The same table as a dask frame, cut at the positions given."""
    edges = [0, *sorted(cuts), len(frame)]
    parts = [frame.iloc[a:b] for a, b in itertools.pairwise(edges)]
    return dd.from_map(_piece, range(len(parts)), parts=parts, meta=frame.iloc[:0])


def _piece(number, parts):
    return parts[number]


@st.composite
def partitioned(draw, elements=None, missing=False, max_rows=14, repeated_labels=False, group=False):
    """(pandas frame, dask frame, directions); ties, infinities, duplicates and empty partitions are the rule."""
    if elements is None:
        elements = st.one_of(tables.WITH_INFINITIES, tables.FINE)
    if missing:
        elements = st.one_of(elements, st.just(np.nan))
    frame, directions = draw(tables.tables(elements=elements, max_rows=max_rows))
    if repeated_labels and draw(st.booleans()):
        frame.index = [f"row {i // 2}" for i in range(len(frame))]
    if group:
        frame["group"] = draw(st.lists(st.sampled_from("abc"), min_size=len(frame), max_size=len(frame)))
    cuts = draw(st.lists(st.integers(0, len(frame)), min_size=0, max_size=5))
    return frame, cut(frame, cuts), directions
