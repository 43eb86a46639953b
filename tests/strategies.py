"""Tables for property tests: ties, infinities and constant columns are the rule, not the exception."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SMALL = st.sampled_from([0.0, 1.0, 2.0, 3.0])
FINE = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3) + 0.0)
WITH_INFINITIES = st.one_of(SMALL, st.sampled_from([np.inf, -np.inf]))


def values(elements=None, min_rows=1, max_rows=14, min_columns=1, max_columns=4):
    """Arrays of costs; mostly tie-heavy."""
    elements = st.one_of(SMALL, FINE) if elements is None else elements
    shapes = st.tuples(st.integers(min_rows, max_rows), st.integers(min_columns, max_columns))
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=elements))


@st.composite
def tables(draw, **options):
    """Frames with objectives of random directions, and the mapping of directions."""
    array = draw(values(**options))
    names = [f"metric {k}" for k in range(array.shape[1])]
    directions = draw(st.lists(st.sampled_from(["max", "min"]), min_size=len(names), max_size=len(names)))
    index = [f"row {i}" for i in range(len(array))]
    return pd.DataFrame(array, columns=names, index=index), dict(zip(names, directions, strict=True))


def weights(size):
    """Weight vectors, zeros included, not all zero."""
    return st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), min_size=size, max_size=size).filter(any)
