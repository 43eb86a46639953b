"""Hostile tables drawn at random: every dtype that pandas knows, odd values, odd names and odd indices, combined."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

try:
    import pyarrow
except ImportError:
    pyarrow = None

_LONG = "a very long label, " * 16
_WORDS = {"max": ("max", "maximize", "maximize", "higher"), "min": ("min", "minimize", "minimize", "lower")}
_NUMPY = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
_MASKED = ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"]
_ARROW = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "halffloat", "float", "double"]


@dataclass(frozen=True, eq=False)
class Table:
    """A table and what a user would say of it.

    Parameters
    ----------
    frame : DataFrame
        One row per run, with columns (or index levels) for the system and the seed.
    objectives : dict
        Columns and directions.
    system, seed : label
        Columns or index levels.
    paired : DataFrame
        The same table with a validation and a test column per objective, where labels allow it.
    stems : dict
        Objectives of `paired`.
    nan_policy : str
        What to do with missing values.
    described : str
        How it was drawn.
    """

    frame: pd.DataFrame
    objectives: dict
    system: Any
    seed: Any
    paired: pd.DataFrame
    stems: dict
    nan_policy: str
    described: str


def draw_table(rng: np.random.Generator) -> Table:
    """Draw a table; about two of three hold numbers only, so that verbs get to work."""
    n = int(rng.choice([0, 1, 2, 3, 5, 8, 13, 40], p=[0.05, 0.1, 0.1, 0.15, 0.2, 0.2, 0.15, 0.05]))
    k = int(rng.choice([1, 2, 3, 4], p=[0.15, 0.45, 0.3, 0.1]))
    tame = rng.random() < 0.65
    kinds = [
        str(rng.choice([*_NUMBERS])) if tame or rng.random() < 0.5 else str(rng.choice([*_OTHERS])) for _ in range(k)
    ]
    columns: list[Any] = [(_NUMBERS | _OTHERS)[kind](rng, n) for kind in kinds]
    names_kind = str(rng.choice([*_NAMES], p=_shares(len(_NAMES))))
    names = _NAMES[names_kind](k + 2)
    system_kind, seed_kind = (
        str(rng.choice([*_SYSTEMS], p=_shares(len(_SYSTEMS)))),
        str(rng.choice([*_SEEDS], p=_shares(len(_SEEDS)))),
    )
    values = [*columns, _SYSTEMS[system_kind](rng, n), _SEEDS[seed_kind](rng, n)]
    frame = pd.concat([pd.Series(column).reset_index(drop=True) for column in values], axis=1)
    frame.columns = _as_index(names)
    index_kind = str(rng.choice([*_INDICES], p=_shares(len(_INDICES))))
    frame.index = _INDICES[index_kind](rng, n)
    directions = [str(rng.choice(["max", "min"])) for _ in range(k)]
    objectives = {name: str(rng.choice(_WORDS[way])) for name, way in zip(names, directions, strict=False)}
    system, seed = names[k], names[k + 1]
    if (
        system_kind != "unhashable"
        and rng.random() < 0.1
        and frame.index.nlevels == 1
        and frame.columns.nlevels == 1
        and frame.columns.is_unique
    ):
        frame = frame.set_index([system, seed])
    paired, stems = _paired(frame, objectives, rng)
    return Table(
        frame, objectives, system, seed, paired, stems, str(rng.choice(["raise", "omit", "worst"])),
        f"{n} rows of {', '.join(kinds)}; columns: {names_kind}; index: {index_kind}; systems: {system_kind}; "
        f"seeds: {seed_kind}",
    )  # fmt: skip


def _shares(n: int) -> list[float]:
    """The first kind, the plain one, in about a third of all cases."""
    return [0.3, *[0.7 / (n - 1)] * (n - 1)]


def _paired(frame: pd.DataFrame, objectives: dict, rng: np.random.Generator) -> tuple[pd.DataFrame, dict]:
    if not all(isinstance(name, str) for name in objectives) or frame.columns.nlevels > 1:
        return frame, objectives
    places = rng.permutation(len(frame))
    parts, names = [], []
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if name in objectives:
            parts += [column, pd.Series(column.array[places], index=frame.index)]
            names += [f"val_{name}", f"test_{name}"]
        else:
            parts.append(column)
            names.append(name)
    paired = pd.concat([part.reset_index(drop=True) for part in parts], axis=1)
    paired.columns, paired.index = pd.Index(names, dtype=object), frame.index
    return paired, objectives


# ------------------------------------------------------------------------------------------------------ values


def _numbers(rng: np.random.Generator, n: int) -> np.ndarray:
    """Floats with ties, wide ranges, infinities, or one value only."""
    kind = rng.integers(8)
    if kind < 3:
        return rng.integers(0, 5, n).astype(float)
    if kind == 3:
        return rng.normal(size=n) * 10.0 ** rng.integers(-300, 300)
    if kind == 4:
        return np.where(rng.random(n) < 0.3, rng.choice([np.inf, -np.inf], n), rng.integers(0, 4, n))
    if kind == 5:
        return np.full(n, rng.choice([0.0, -0.0, 1.5, np.inf, -np.inf, 1.7e308, 5e-324]))
    if kind == 6:
        pool = [0.0, -0.0, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 1.0]
        return rng.choice(pool, n)
    return rng.uniform(size=n)


def _whole(rng: np.random.Generator, n: int, dtype: str) -> np.ndarray:
    info = np.iinfo(dtype.lower())
    kind = rng.integers(3)
    if kind == 0:
        return rng.integers(0, 5, n).astype(info.dtype)
    if kind == 1:
        return rng.integers(info.min, info.max, n, dtype=info.dtype, endpoint=True)
    return rng.choice(np.array([info.min, info.max, 0, 1, info.max // 2], dtype=info.dtype), n)


def _typed(dtype: str) -> Callable[[np.random.Generator, int], Any]:
    def make(rng: np.random.Generator, n: int) -> Any:
        if "int" in dtype.lower():
            return _whole(rng, n, dtype)
        with np.errstate(all="ignore"):
            return _numbers(rng, n).astype(dtype)

    return make


def _holes(rng: np.random.Generator, values: list[Any]) -> list[Any]:
    share = rng.choice([0, 0, 0.2, 1])
    return [None if rng.random() < share else value for value in values]


def _masked(dtype: str) -> Callable[[np.random.Generator, int], Any]:
    return lambda rng, n: pd.array(_holes(rng, _typed(dtype.lower())(rng, n).tolist()), dtype=dtype)


def _arrow(name: str) -> Callable[[np.random.Generator, int], Any]:
    numpy_name = {"halffloat": "float16", "float": "float32", "double": "float64"}.get(name, name)

    def make(rng: np.random.Generator, n: int) -> Any:
        values = _typed(numpy_name)(rng, n)
        values = list(values) if name == "halffloat" else values.tolist()
        return _arrow_array(_holes(rng, values), getattr(pyarrow, numpy_name)())

    return make


def _arrow_array(values: list[Any], kind: Any) -> Any:
    return pd.arrays.ArrowExtensionArray(pyarrow.array(values, type=kind))


def _decimals(rng: np.random.Generator, n: int) -> list[decimal.Decimal | None]:
    digits = int(rng.choice([3, 15, 30]))
    return _holes(
        rng, [decimal.Decimal(int(rng.integers(-99, 99))) / 8 + decimal.Decimal(1).scaleb(-digits) for _ in range(n)]
    )


def _extended(rng: np.random.Generator, n: int) -> np.ndarray:
    values = np.array(_numbers(rng, n), dtype=np.longdouble)
    with np.errstate(all="ignore"):
        return values * (1 + rng.choice([0, 1], n) * np.finfo(np.longdouble).eps)


_NUMBERS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    **{name: _typed(name) for name in _NUMPY},
    **{name: _masked(name) for name in _MASKED},
    "float64 ": _numbers,
    "float64 with gaps": lambda rng, n: np.where(rng.random(n) < rng.choice([0.2, 1]), np.nan, _numbers(rng, n)),
    "longdouble": _extended,
    "sparse float": lambda rng, n: pd.arrays.SparseArray(_numbers(rng, n)),
    "sparse gaps": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.5, np.nan, _numbers(rng, n))),
    "sparse int": lambda rng, n: pd.arrays.SparseArray(rng.integers(0, 3, n)),
}
_OTHERS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "bool": lambda rng, n: rng.integers(0, 2, n).astype(bool),
    "boolean": lambda rng, n: pd.array(_holes(rng, [True] * n), dtype="boolean"),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "str": lambda rng, n: pd.Series([str(v) for v in range(n)], dtype="str"),
    "percent": lambda rng, n: [f"{v} %" for v in range(n)],
    "string": lambda rng, n: pd.array(_holes(rng, [_LONG] * n), dtype="string"),
    "bytes": lambda rng, n: pd.Series([b"1"] * n, dtype=object),
    "objects": lambda rng, n: pd.Series(_holes(rng, [1, 2.5, np.float32(3), 2**70] * n)[:n], dtype=object),
    "mixed": lambda rng, n: pd.Series(([1, "a", None, {}, [], (1,), pd.NA, pd.NaT] * n)[:n], dtype=object),
    "decimals": lambda rng, n: pd.Series(_decimals(rng, n), dtype=object),
    "none": lambda rng, n: pd.Series([None] * n, dtype=object),
    "datetime": lambda rng, n: pd.Series(pd.date_range("2020", periods=n)),
    "zoned": lambda rng, n: pd.Series(pd.date_range("2020", periods=n, tz="Europe/Berlin")),
    "timedelta": lambda rng, n: pd.Series(pd.to_timedelta(range(n), unit="s")),
    "period": lambda rng, n: pd.Series(pd.period_range("2020", periods=n, freq="M")),
    "interval": lambda rng, n: pd.Series(pd.interval_range(0, periods=n)),
    "dates": lambda rng, n: pd.Series([datetime.date(2020, 1, 1)] * n, dtype=object),
    "categories": lambda rng, n: pd.Categorical(rng.integers(0, 3, n)),
    "ordered": lambda rng, n: pd.Categorical(rng.choice(["a", "b"], n), categories=["a", "b", "c"], ordered=True),
    "sparse bool": lambda rng, n: pd.arrays.SparseArray(rng.integers(0, 2, n).astype(bool)),
}
if pyarrow is not None:
    _NUMBERS |= {f"Arrow {name}": _arrow(name) for name in _ARROW}
    _NUMBERS["Arrow decimals"] = lambda rng, n: _arrow_array(_decimals(rng, n), pyarrow.decimal128(38, 32))
    _OTHERS |= {
        "Arrow bool": lambda rng, n: _arrow_array(_holes(rng, [True] * n), pyarrow.bool_()),
        "Arrow text": lambda rng, n: _arrow_array(_holes(rng, ["1"] * n), pyarrow.string()),
        "Arrow times": lambda rng, n: _arrow_array(_holes(rng, [1] * n), pyarrow.timestamp("us")),
        "Arrow durations": lambda rng, n: _arrow_array(_holes(rng, [1] * n), pyarrow.duration("ms")),
        "Arrow dates": lambda rng, n: _arrow_array([datetime.date(2020, 1, 1)] * n, pyarrow.date32()),
        "Arrow null": lambda rng, n: _arrow_array([None] * n, pyarrow.null()),
        "Arrow lists": lambda rng, n: _arrow_array([[1.0]] * n, pyarrow.list_(pyarrow.float64())),
        "Arrow dictionary": lambda rng, n: _arrow_array(
            pyarrow.array(["a"] * n).dictionary_encode(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        ),
    }

# ------------------------------------------------------------------------------------------------------- names


def _as_index(names: list[Any]) -> pd.Index:
    if names and all(isinstance(name, tuple) for name in names) and names[0][0] == "level":
        return pd.MultiIndex.from_tuples(names)
    return pd.Index(names, dtype=object, tupleize_cols=False)


_NAMES: dict[str, Callable[[int], list[Any]]] = {
    "plain": lambda k: ["acc", "co2", "ms", "size", "system", "seed"][:k],
    "duplicated": lambda k: ["acc", *["acc", "co2", "co2", "x", "x"][: k - 1]],
    "duplicated elsewhere": lambda k: [f"m{i}" for i in range(k - 2)] + ["x", "x"],
    "integers": lambda k: list(range(k)),
    "integers from one": lambda k: list(range(1, k + 1)),
    "booleans": lambda k: [True, False, 2, 3, 4, 5][:k],
    "floats": lambda k: [0.5, np.inf, -np.inf, 1e300, -0.0, 2.5][:k],
    "missing": lambda k: [None, np.nan, "a", "b", "c", "d"][:k],
    "NaT and NA": lambda k: [pd.NaT, pd.NA, "a", "b", "c", "d"][:k],
    "tuples": lambda k: [("a", i) for i in range(k)],
    "MultiIndex": lambda k: [("level", name) for name in range(k)],
    "dates": lambda k: [pd.Timestamp("2020") + pd.Timedelta(days=i) for i in range(k)],
    "bytes": lambda k: [bytes([97 + i]) for i in range(k)],
    "long": lambda k: [f"{_LONG}{i}" for i in range(k)],
    "empty": lambda k: ["", " ", "  ", "\t", "\n", "\u200b"][:k],
    "HTML": lambda k: [f"<script>{i}</script>&" for i in range(k)],
    "mathtext": lambda k: [f"$\\frac{{{i}$ cost ($/1M) {i}" for i in range(k)],
    "braces": lambda k: [f"{{{i}}} %s %(x)s" for i in range(k)],
    "quotes": lambda k: [f"a'\"`\\{i}" for i in range(k)],
    "unicode": lambda k: [f"точность ☃\u202e{i}" for i in range(k)],
    "methods": lambda k: ["front", "copa", "index", "columns", "moo", "values"][:k],
    "results": lambda k: ["score", "rank", "front", "label", "optimistic", "pessimistic"][:k],
    "prefixes": lambda k: ["val_", "test_", "val_x", "test_x", "a", "b"][:k],
    "formulas": lambda k: [f"={i}+1" for i in range(k)],
}
_INDICES: dict[str, Callable[[np.random.Generator, int], pd.Index]] = {
    "counted": lambda rng, n: pd.RangeIndex(n),
    "text": lambda rng, n: pd.Index([f"m{i}" for i in range(n)]),
    "duplicates": lambda rng, n: pd.Index(["m"] * n),
    "booleans": lambda rng, n: pd.Index(([True, False] * n)[:n]),
    "missing": lambda rng, n: pd.Index(([None, np.nan, pd.NaT, "a", "b"] * n)[:n], dtype=object),
    "mixed": lambda rng, n: pd.Index(
        ([1, "1", 1.5, ("a", 1), None, b"x", True] * n)[:n], dtype=object, tupleize_cols=False
    ),
    "MultiIndex": lambda rng, n: pd.MultiIndex.from_arrays([rng.choice(["x", "y"], n), range(n)]),
    "named MultiIndex": lambda rng, n: pd.MultiIndex.from_arrays([range(n), ["x"] * n], names=["model", "acc"]),
    "MultiIndex with gaps": lambda rng, n: pd.MultiIndex.from_arrays(
        [([None, "a"] * n)[:n], ([np.nan, 1.0, 2.0] * n)[:n]]
    ),
    "dates": lambda rng, n: pd.date_range("2020", periods=n, tz="UTC"),
    "periods": lambda rng, n: pd.period_range("2020", periods=n, freq="D"),
    "intervals": lambda rng, n: pd.interval_range(0, periods=n),
    "categories": lambda rng, n: pd.CategoricalIndex((["a", "b"] * n)[:n], categories=["b", "a", "c"], name="kind"),
    "floats": lambda rng, n: pd.Index(([0.1, np.inf, -np.inf, np.nan, -0.0] * n)[:n]),
    "negative": lambda rng, n: pd.Index(range(0, -n, -1), name="acc"),
    "nullable": lambda rng, n: pd.Index(pd.array(([1, None, 2] * n)[:n], dtype="Int64")),
    "long": lambda rng, n: pd.Index([f"{_LONG}{i}" for i in range(n)]),
    "hostile": lambda rng, n: pd.Index([f"<b>$\\{{{i}$\n=1 %s" for i in range(n)]),
    "durations": lambda rng, n: pd.to_timedelta(range(n), unit="s"),
}
_SYSTEMS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "text": lambda rng, n: pd.Series((["A", "B"] * n)[:n], dtype=object),
    "one": lambda rng, n: pd.Series(["A"] * n, dtype=object),
    "integers": lambda rng, n: rng.integers(0, 3, n),
    "booleans": lambda rng, n: pd.Series(([True, False] * n)[:n], dtype=bool),
    "floats": lambda rng, n: pd.Series(([0.5, np.inf] * n)[:n], dtype=float),
    "gaps": lambda rng, n: pd.Series((["A", "B", None] * n)[:n], dtype=object),
    "categories": lambda rng, n: pd.Categorical((["b", "a"] * n)[:n], categories=["c", "b", "a"]),
    "dates": lambda rng, n: pd.Series(pd.to_datetime((["2020", "2021"] * n)[:n])),
    "tuples": lambda rng, n: pd.Series(([("a", 1), ("b", 2)] * n)[:n], dtype=object),
    "mixed": lambda rng, n: pd.Series(([1, "1"] * n)[:n], dtype=object),
    "hostile": lambda rng, n: pd.Series((["<b>$x$", "=1 {} %s\n"] * n)[:n], dtype=object),
    "long": lambda rng, n: pd.Series(([_LONG, f"{_LONG}B"] * n)[:n], dtype=object),
    "unhashable": lambda rng, n: pd.Series(([[1], {}] * n)[:n], dtype=object),
}
_SEEDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "counted": lambda rng, n: np.arange(n) // 2,
    "one": lambda rng, n: np.zeros(n, dtype=int),
    "text": lambda rng, n: pd.Series([f"s{i // 2}" for i in range(n)], dtype=object),
    "gaps": lambda rng, n: pd.Series(([0.0, np.nan] * n)[:n], dtype=float),
    "nullable": lambda rng, n: pd.array(([1, None] * n)[:n], dtype="Int64"),
    "random": lambda rng, n: rng.integers(0, 3, n),
    "dates": lambda rng, n: pd.Series(pd.date_range("2020", periods=n)),
    "intervals": lambda rng, n: pd.Series(pd.interval_range(0, periods=n)),
}
