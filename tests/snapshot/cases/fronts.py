"""Intervals of ranks."""

from __future__ import annotations

from typing import Any

import pandas as pd

import copa_nb
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case


@case()
def rank_intervals() -> dict[str, Any]:
    models = tables.models(rows=12)
    fitted = copa_nb.Reference.fit(tables.models(seed=22), objectives=tables.TWO)
    return {
        "three": called("copa", models, objectives=tables.THREE).rank_intervals(),
        "by family": pd.concat(dict(called("copa", models, objectives=tables.TWO, by="family").each("rank_intervals"))),
        "frozen": called("copa", models, objectives=tables.TWO, reference=fitted).rank_intervals(0.9),
        "all at once": called("copa", models, objectives=tables.TWO).rank_intervals(simultaneous=True),
        "omit": called("copa", tables.gappy(), objectives=tables.TWO, nan_policy="omit").rank_intervals(),
    }
