"""Tables as people have them, and as an enemy would make them; each with its objectives."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd

BOTH = {"acc": "max", "co2": "min"}
THREE = {**BOTH, "ms": "min"}
ROWS = 8


def _plain(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    return pd.DataFrame(
        {
            "acc": rng.uniform(0.5, 0.95, rows).round(3),
            "co2": rng.gamma(2, 3, rows).round(2),
            "system": (["A", "B"] * rows)[:rows],
            "seed": np.arange(rows) // 2,
        },
        index=[f"m{i}" for i in range(rows)],
    )


def _with(**columns: object) -> pd.DataFrame:
    return _plain().assign(**columns)


def _wide() -> tuple[pd.DataFrame, dict]:
    rng = np.random.default_rng(0)
    names = [f"metric {k}" for k in range(300)]
    frame = pd.DataFrame(rng.normal(size=(12, 300)), columns=names)
    return frame, dict.fromkeys(names, "min")


def _multi_columns() -> tuple[pd.DataFrame, dict]:
    frame = _plain()
    frame.columns = pd.MultiIndex.from_product([["x"], frame.columns])
    return frame, {("x", "acc"): "max", ("x", "co2"): "min"}


def random_table(number: int, beyond: list[float], share: float = 0.15) -> tuple[pd.DataFrame, dict]:
    """A small table of few distinct numbers, so that ties abound, with a share of other values."""
    rng = np.random.default_rng([number, len(beyond)])
    shape = int(rng.integers(1, 13)), int(rng.integers(2, 5))
    values = rng.integers(0, 4, shape).astype(float)
    values = np.where(rng.random(shape) < share, rng.choice(beyond, shape), values)
    names = [f"metric {k}" for k in range(shape[1])]
    return pd.DataFrame(values, columns=names), {name: str(rng.choice(["max", "min"])) for name in names}


def _read_only() -> pd.DataFrame:
    values = _plain()[["acc", "co2"]].to_numpy()
    values.setflags(write=False)
    return pd.DataFrame(values, columns=["acc", "co2"]).assign(system=["A", "B"] * 4, seed=np.arange(8) // 2)


def _arrow() -> pd.DataFrame:
    return _plain().astype({"acc": "double[pyarrow]", "co2": "float[pyarrow]"})


TABLES: dict[str, tuple[pd.DataFrame, dict]] = {
    "plain": (_plain(), BOTH),
    "NaN": (_with(acc=[0.9, np.nan, 0.8, 0.7, 0.6, 0.5, 0.9, 0.8]), BOTH),
    "all NaN": (_with(acc=np.nan), BOTH),
    "NaN in all of a row": (_with(acc=[0.9, np.nan, 0.8, 0.7, 0.6, 0.5, 0.9, 0.8],
                                  co2=[3, np.nan, 2, 1, 5, 6, 7, 8]), BOTH),
    "NaN in three": (_with(acc=[0.9, np.nan, 0.8, 0.7, 0.6, 0.5, 0.9, 0.8], ms=[3, 1, np.nan, 1, 5, 6, 7, 8]), THREE),
    "+inf": (_with(co2=[np.inf, 1, 2, 3, 4, 5, np.inf, 7]), BOTH),
    "-inf": (_with(co2=[-np.inf, 1, 2, 3, 4, 5, 6, 7]), BOTH),
    "both infinities in both": (_with(acc=[np.inf, -np.inf] * 4, co2=[-np.inf, np.inf] * 4), BOTH),
    "all infinite": (_with(acc=np.inf, co2=np.inf), BOTH),
    "infinities in three": (_with(co2=[-np.inf, 1, 2, 3, 4, 5, 6, 7], ms=[1, -np.inf, 2, 2, 3, 4, 5, 6]), THREE),
    "crossed infinities": (_with(acc=[-np.inf, np.inf] * 4, co2=[-np.inf, np.inf] * 4, ms=[np.inf, -np.inf] * 4),
                           THREE),
    "huge": (_with(co2=np.linspace(1e300, 1.7e308, ROWS)), BOTH),
    "tiny": (_with(co2=np.linspace(5e-324, 1e-300, ROWS)), BOTH),
    "huge and tiny": (_with(co2=[1e308, 1e-308, 1, 2, 3, -1e308, 0, -1e-308]), BOTH),
    "negative zero": (_with(co2=[0.0, -0.0] * 4), BOTH),
    "ties": (_with(acc=[1.0, 1.0, 0.5, 0.5] * 2, co2=[1.0, 2.0] * 4), BOTH),
    "all equal": (_with(acc=1.0, co2=1.0), BOTH),
    "duplicates": (pd.concat([_plain(4), _plain(4)]), BOTH),
    "constant column": (_with(co2=3.0), BOTH),
    "empty": (_plain().iloc[:0], BOTH),
    "no columns": (pd.DataFrame(index=["a", "b"]), BOTH),
    "one row": (_plain(1), BOTH),
    "two rows": (_plain(2), BOTH),
    "one objective": (_plain(), {"acc": "max"}),
    "300 objectives": _wide(),
    "text": (_with(acc=[f"{v} %" for v in range(ROWS)]), BOTH),
    "numbers as text": (_with(acc=[str(v) for v in range(ROWS)]), BOTH),
    "mixed objects": (_with(acc=pd.Series([1, "a", None, 2.5, 1, 2, 3, 4], dtype=object).to_numpy()), BOTH),
    "numbers as objects": (_with(acc=pd.Series([1, 2, 3, 4, 5, 6, 7, 8], dtype=object).to_numpy()), BOTH),
    "booleans": (_with(acc=[True, False] * 4), BOTH),
    "nullable booleans": (_with(acc=pd.array([True, None] * 4, dtype="boolean")), BOTH),
    "complex": (_with(acc=np.arange(ROWS) * 1j), BOTH),
    "dates": (_with(acc=pd.date_range("2020", periods=ROWS).to_numpy()), BOTH),
    "durations": (_with(acc=pd.to_timedelta(range(ROWS), unit="s").to_numpy()), BOTH),
    "python dates": (_with(acc=[datetime.date(2020, 1, 1)] * ROWS), BOTH),
    "categories": (_with(acc=pd.Categorical([1, 2] * 4)), BOTH),
    "nullable integers": (_with(co2=pd.array([1, 2, 3, 4, 5, 6, 7, 8], dtype="Int64")), BOTH),
    "nullable with missing": (_with(co2=pd.array([1, None, 3, 4, 5, 6, 7, 8], dtype="Float64")), BOTH),
    "Arrow": (_arrow(), BOTH),
    "small integers": (_with(co2=np.array([-128, 127, 0, 1, 2, 3, 4, 5], dtype=np.int8)), BOTH),
    "unsigned": (_with(co2=np.array([0, 255, 1, 2, 3, 4, 5, 6], dtype=np.uint8)), BOTH),
    "integers beyond 2**53": (_with(co2=np.array([2**53, 2**53 + 1, *range(6)], dtype=np.int64)), BOTH),
    "half floats": (_with(acc=np.linspace(0, 1, ROWS, dtype=np.float16)), BOTH),
    "sparse": (_with(co2=pd.arrays.SparseArray([0.0, 1.0] * 4)), BOTH),
    "MultiIndex rows": (_plain().set_axis(pd.MultiIndex.from_arrays([list("xxxxyyyy"), range(ROWS)])), BOTH),
    "MultiIndex columns": _multi_columns(),
    "duplicate labels": (_plain().set_axis(["m"] * ROWS), BOTH),
    "duplicate columns": (pd.concat([_plain(), _plain()[["acc"]]], axis=1), BOTH),
    "missing labels": (_plain().set_axis([np.nan, None, "c", "d", "e", "f", "g", "h"]), BOTH),
    "unicode": (_plain().set_axis([f"模型 ✓ \u202e{i}" for i in range(ROWS)]).rename(columns={"acc": "точность ☃"}),
                {"точность ☃": "max", "co2": "min"}),
    "HTML": (_plain().set_axis([f"<script>{i}</script>" for i in range(ROWS)]).rename(columns={"acc": "<b>a</b>"}),
             {"<b>a</b>": "max", "co2": "min"}),
    "mathtext": (_plain().set_axis([f"$\\frac{{{i}$ $" for i in range(ROWS)]).rename(columns={"acc": "$x_"}),
                 {"$x_": "max", "co2": "min"}),
    "names of methods": (_plain().rename(columns={"acc": "front", "co2": "copa"}), {"front": "max", "copa": "min"}),
    "names of results": (_plain().rename(columns={"acc": "score", "co2": "rank"}), {"score": "max", "rank": "min"}),
    "a column called moo": (_plain().rename(columns={"acc": "moo"}), {"moo": "max", "co2": "min"}),
    "integer columns": (_plain().rename(columns={"acc": 0, "co2": 1}), {0: "max", 1: "min"}),
    "a view": (_plain(16).iloc[::2], BOTH),
    "read-only": (_read_only(), BOTH),
    "dates as index": (_plain().set_index(pd.date_range("2020", periods=ROWS)), BOTH),
    "floats as index": (_plain().set_index(pd.Index([0.1, np.inf, -np.inf, 1, 2, 3, 4, 5])), BOTH),
}  # fmt: skip
