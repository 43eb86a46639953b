"""Which columns were described before in this process: for messages alone, never for answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable

import pandas as pd

_DESCRIBED: deque[frozenset[Hashable]] = deque(maxlen=8)


def remember(columns: Iterable[Hashable]) -> None:
    """Keep the columns that a description names."""
    _DESCRIBED.append(frozenset(columns))


def lost(frame: pd.DataFrame) -> str:
    """Say, as a sentence, that this table may have lost its description; nothing if none has named these columns.

    pandas drops ``attrs`` where frames with different ones are merged or concatenated, and where one is pivoted.
    """
    known = {*frame.columns, *frame.index.names}
    if not any(columns and columns <= known for columns in _DESCRIBED):
        return ""
    return (
        " A table with these columns was described before, and pandas drops descriptions in merge, concat and pivot; "
        "take it over, e.g. joined = joined.moo.define(models)."
    )
