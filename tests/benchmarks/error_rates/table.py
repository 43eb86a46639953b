"""The table of the documentation: written, read again, and for each verb the setting that it does worst in."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.error_rates import Rate, excess

DOCS = Path(__file__).parents[3] / "docs"
TABLE, WORST = DOCS / "coverage.csv", DOCS / "coverage_worst.csv"
Row = dict[str, str]


def row_of(rate: Rate) -> Row:
    """Write a rate as a row."""
    answered = rate.n > 0
    return {
        "what": rate.what,
        "setting": rate.setting,
        "kind": rate.kind,
        "nominal": "" if rate.nominal is None else f"{rate.nominal:g}",
        "actual": f"{rate.actual:.3f}" if answered else "",
        "Monte Carlo error": f"{rate.error:.3f}" if answered else "",
        "simulations": str(rate.n + rate.refused),
        "refused": f"{rate.refused / (rate.n + rate.refused):.2f}" if rate.refused else "",
        "note": rate.label,
    }


def read(path: Path) -> list[Row]:
    """Read the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(rows: Iterable[Row], path: Path) -> None:
    """Write the rows of a table."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def excess_of(row: Row) -> float:
    """By how much a row is on the wrong side of its nominal level."""
    return excess(row["kind"], float(row["nominal"]), float(row["actual"]))


def worst(rows: Iterable[Row]) -> list[Row]:
    """For each verb and what it returns, the setting furthest on the wrong side of its level; the worst verb first."""
    found: dict[str, Row] = {}
    for row in rows:
        if row["nominal"] and row["actual"]:
            other = found.get(row["what"])
            if other is None or excess_of(row) > excess_of(other):
                found[row["what"]] = row
    return sorted(found.values(), key=excess_of, reverse=True)
