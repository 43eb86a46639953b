"""A pick, and tiers, from folders of Parquet files, by every engine that reads them, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.speed.measure import COLUMNS, Measured, figure
from tests import asked

NAMES = [f"m{k}" for k in range(4)]
OBJECTIVES = {name: "min" if k % 2 else "max" for k, name in enumerate(NAMES)}
ROWS_PER_FILE = 1_000_000
# Per ten million rows: seconds of processor time; and megabytes, whatever the rows.
SECONDS, MEGABYTES = 20.0, 1000.0
# Per hundred million rows of systems on items: seconds of processor time; and megabytes, whatever the rows.
ITEM_SECONDS, ITEM_MEGABYTES = 300.0, 2000.0
ITEM_OBJECTIVES = {"correct": "max", "cost": "min"}
# Of so many rows, what holds all of them needs more memory than most machines have.
MOST_HELD, MOST_ITEMS_HELD = 10_000_000, 1_000_000
_KILOBYTES = 1024.0 if sys.platform != "darwin" else 1024.0**2


def large(rows: int, folder: Path | None = None) -> pd.DataFrame:
    """Seconds and megabytes of a choice among many rows, beside other ways to rank them.

    Targets: 20 s of processor time per ten million rows of four objectives, and 1 GB whatever the rows.
    """
    with tempfile.TemporaryDirectory() as made:
        place = folder or Path(made)
        write(place, rows)
        wanted = OURS if rows > MOST_HELD else OURS | OTHERS
        found = {engine: _in_a_process(engine, place) for engine, (needs, _) in wanted.items() if find_spec(needs)}
    picks = {engine: one["best"] for engine, one in found.items() if one["best"] is not None}
    assert len(set(picks.values())) == 1, picks
    table = []
    for engine, one in found.items():
        ours = engine in OURS
        for what, ratio in (
            ("processor time of a pick", one["cpu"] / SECONDS / rows * 1e7),
            ("memory of a pick", one["megabytes"] / MEGABYTES),
        ):
            of = "time / time allowed" if what.startswith("processor") else "memory / memory allowed"
            measured = Measured(ratio, milliseconds=1000 * one["seconds"], megabytes=one["megabytes"])
            shape = (rows, len(NAMES))
            table.append(figure("large", what, "correlated", shape, engine, measured, 1.0 if ours else np.nan,
                                ratio_of=of))  # fmt: skip
    return pd.DataFrame(table, columns=COLUMNS)


def large_items(systems: int, items: int, folder: Path | None = None) -> pd.DataFrame:
    """Seconds and megabytes of tiers of systems on items, beside means of systems and of items, which queries give.

    Targets: 300 s of processor time per hundred million rows, and 2 GB whatever the rows.
    """
    with tempfile.TemporaryDirectory() as made:
        place = folder or Path(made)
        write_items(place, systems, items)
        rows = systems * items
        wanted = OF_ITEMS if rows > MOST_ITEMS_HELD else OF_ITEMS | OTHERS_OF_ITEMS
        found = {engine: _in_a_process(engine, place) for engine, (needs, _) in wanted.items() if find_spec(needs)}
    table = []
    for engine, one in found.items():
        ours = engine == "tiers, parquet"
        for what, ratio, of in (
            ("processor time of tiers", one["cpu"] / ITEM_SECONDS / rows * 1e8, "time / time allowed"),
            ("memory of tiers", one["megabytes"] / ITEM_MEGABYTES, "memory / memory allowed"),
        ):
            measured = Measured(ratio, milliseconds=1000 * one["seconds"], megabytes=one["megabytes"])
            table.append(figure("large", what, "items", (rows, 2), engine, measured, 1.0 if ours else np.nan,
                                ratio_of=of))  # fmt: skip
    return pd.DataFrame(table, columns=COLUMNS)


def write_items(folder: Path, systems: int, items: int) -> None:
    """Write right and wrong answers and their costs, a file for each system, unless they are there."""
    level = np.random.default_rng(7).normal(size=items)
    names = np.char.mod("question-%07d", np.arange(items)).astype(object)
    for system in range(systems):
        file = folder / f"{system:05d}.parquet"
        if file.exists():
            continue
        rng = np.random.default_rng([7, system])
        answers = rng.normal(size=items) + 0.01 * (system % 97) > level
        costs = np.exp(0.5 * rng.normal(size=items) + 0.2 * level + 0.005 * (system % 89)).round(4)
        pd.DataFrame(
            {"model": f"model-{system:03d}", "question": names, "correct": answers.astype(float), "cost": costs}
        ).to_parquet(file, index=False)


def write(folder: Path, rows: int) -> None:
    """Write four correlated objectives as Parquet files, unless they are there."""
    for number, start in enumerate(range(0, rows, ROWS_PER_FILE)):
        file = folder / f"{number:05d}.parquet"
        if file.exists():
            continue
        rng = np.random.default_rng([7, number])
        values = rng.normal(size=(min(ROWS_PER_FILE, rows - start), len(NAMES)))
        values = (0.7 * values + values.mean(axis=1, keepdims=True)).round(4)
        pd.DataFrame(values, columns=NAMES).to_parquet(file, index=False)


def _in_a_process(engine: str, folder: Path) -> dict[str, Any]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measured, engine, folder).result()


def _scan(source: Any) -> int:
    import copa_nb

    return int(asked.copa(copa_nb.scan(source, OBJECTIVES)).best)


def _polars(folder: Path) -> Any:
    import polars as pl

    return pl.scan_parquet(folder / "*.parquet")


def _duckdb(folder: Path) -> Any:
    import duckdb

    return duckdb.sql(f"from '{folder}/*.parquet'")


def _pandas(folder: Path) -> int:

    return int(asked.copa(pd.read_parquet(folder), objectives=OBJECTIVES).best)


def _dask(folder: Path) -> None:
    import dask.dataframe as dd

    import copa_nb.dask  # noqa: F401

    dd.read_parquet(folder).moo.define(OBJECTIVES).moo.copa()  # whose rows are numbered file by file


def _polars_ranks(folder: Path) -> int:
    """Exact ranks of all rows, which is what a query would do."""
    import polars as pl

    ranks = [pl.col(name).rank("min", descending=way == "max") for name, way in OBJECTIVES.items()]
    worst = _polars(folder).select(pl.max_horizontal(ranks).alias("worst"), pl.sum_horizontal(ranks).alias("sum"))
    found = worst.with_row_index().sort("worst", "sum", "index").head(1).collect()
    return int(found["index"][0])


def _tiers(source: Any) -> str:

    return repr(asked.board(source, system="model", item="question", objectives=ITEM_OBJECTIVES))


def _polars_means(folder: Path) -> None:
    import polars as pl

    columns = [pl.col(name).mean() for name in ITEM_OBJECTIVES]
    for label in ("model", "question"):
        pl.scan_parquet(folder / "*.parquet").group_by(label).agg(columns).collect(engine="streaming")


def _duckdb_means(folder: Path) -> None:
    import duckdb

    columns = ", ".join(f"avg({name})" for name in ITEM_OBJECTIVES)
    for label in ("model", "question"):
        duckdb.sql(f"select {label}, {columns} from '{folder}/*.parquet' group by {label}").to_arrow_table()


def _scanned(folder: Path) -> Any:
    import copa_nb

    return copa_nb.scan(folder)


OF_ITEMS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "tiers, parquet": ("pyarrow", lambda folder: _tiers(_scanned(folder))),
    "polars, means": ("polars", _polars_means),
    "duckdb, means": ("duckdb", _duckdb_means),
}
OTHERS_OF_ITEMS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "pandas tiers": ("pandas", lambda folder: _tiers(pd.read_parquet(folder))),
}
OURS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "parquet": ("pyarrow", _scan),
    "polars lazy": ("polars", lambda folder: _scan(_polars(folder))),
    "duckdb": ("duckdb", lambda folder: _scan(_duckdb(folder))),
    "dask": ("dask", _dask),
}
OTHERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "pandas": ("pandas", _pandas),
    "polars, ranks of all rows": ("polars", _polars_ranks),
}
CALLS = {engine: call for engine, (_, call) in (OURS | OTHERS | OF_ITEMS | OTHERS_OF_ITEMS).items()}


def measured(engine: str, folder: Path) -> dict[str, Any]:
    """Measure one engine in this process: seconds, processor seconds with the imports, megabytes, and the pick."""
    began = time.perf_counter()
    best = CALLS[engine](folder)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "best": best, "seconds": time.perf_counter() - began, "cpu": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss * _KILOBYTES / 1e6,
    }  # fmt: skip
