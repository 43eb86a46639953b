"""The table of the documentation: written, read again, and for each verb the settings that it does worst in."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from benchmarks.error_rates import NO_LEVEL, OF_LEVELS, TOLERANCE, Rate, excess
from copa_nb.results.guarantee import CAVEATS

DOCS = Path(__file__).parents[2] / "docs"
TABLE, WORST = DOCS / "coverage.csv", DOCS / "coverage_worst.csv"
MEANINGS = {**CAVEATS, NO_LEVEL: "the guarantee states no level"}
Row = dict[str, str]


def row_of(rate: Rate) -> Row:
    """Write a rate as a row."""
    answered = rate.n > 0
    said = rate.said if answered and rate.kind in OF_LEVELS else None
    return {
        "what": rate.what,
        "setting": rate.setting,
        "kind": rate.kind,
        "nominal": "" if rate.nominal is None else f"{rate.nominal:g}",
        "actual": f"{rate.actual:.3f}" if answered else "",
        "Monte Carlo error": f"{rate.error:.3f}" if answered else "",
        "simulations": str(rate.n + rate.refused),
        "refused": f"{rate.refused / (rate.n + rate.refused):.2f}" if rate.refused else "",
        "label": "" if said is None else said.label,
        "labeled if wrong": "" if said is None else _share_with_caveat(said.wrong),
        "labeled if right": "" if said is None else _share_with_caveat(said.right),
        "comparator": "yes" if rate.comparator else "",
        "note": rate.remark,
    }


def _share_with_caveat(answers: Iterable[frozenset[str]]) -> str:
    given = list(answers)
    return f"{sum(map(bool, given)) / len(given):.3f}" if given else ""


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


def has_level(row: Row) -> bool:
    """Whether a row has answers, and a level that they should keep."""
    return row["kind"] in OF_LEVELS and bool(row["actual"])


def excess_of(row: Row) -> float:
    """By how much a row is on the wrong side of its nominal level."""
    return excess(row["kind"], float(row["nominal"]), float(row["actual"]))


def alpha_of(row: Row) -> float:
    """How often answers may be wrong."""
    nominal = float(row["nominal"])
    return 1 - nominal if row["kind"] == "coverage" else nominal


def silent(row: Row) -> float:
    """Share of the answers that are wrong and carry no caveat."""
    wrong = excess_of(row) + alpha_of(row)
    return wrong * (1 - float(row["labeled if wrong"] or 0))


def silent_excess(row: Row) -> float:
    """By how much wrong answers without a caveat are more frequent than wrong answers may be."""
    return silent(row) - alpha_of(row)


def labels(row: Row) -> list[str]:
    """Names of the caveats that wrong answers carry."""
    return re.findall(r"([^,]+?) \(\d+%\)(?:, |$)", row["label"])


def says(row: Row) -> str:
    """What is printed with wrong answers: the caveats that most of them carry."""
    frequent = [(name, int(share)) for name, share in re.findall(r"([^,]+?) \((\d+)%\)(?:, |$)", row["label"])]
    return "; ".join(f"{name}: {MEANINGS[name]}" for name, share in frequent if share >= 50) or "no caveat"


def worst(rows: Iterable[Row]) -> list[Row]:
    """For each verb and what it returns, where wrong answers without a caveat exceed the level most, the worst first.

    Where wrong answers with a caveat exceed the level by more in another setting, that setting follows. What is shown
    for comparison comes last.
    """
    by_what: dict[str, list[Row]] = {}
    for row in rows:
        if has_level(row):
            by_what.setdefault(row["what"], []).append(row)
    found: list[Row] = []
    for group in by_what.values():
        without = max(group, key=lambda row: (silent_excess(row), excess_of(row)))
        with_caveat = max(group, key=excess_of)
        found.append(without)
        if excess_of(with_caveat) > max(TOLERANCE, excess_of(without)):
            found.append(with_caveat)
    ordered = sorted(found, key=lambda row: (row["comparator"], -silent_excess(row), -excess_of(row)))
    return [{**row, "says": says(row)} for row in ordered]
