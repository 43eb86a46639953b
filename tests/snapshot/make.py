"""Write the snapshot of the public interface and of numbers anew.

    python -m tests.snapshot.make                              # all of it: api and numbers
    python -m tests.snapshot.make numbers                      # only one part: api or numbers
    python -m tests.snapshot.make --ledger reports/ledger.csv  # compare a ledger with the one kept here, write nothing

Run it only where a change of the interface or of numbers is meant, and read ``git diff`` before it is kept. What is
the same up to rounding stays as it is stored, so that nothing changes by being computed on another machine. A case or
a public name that is merely new is added in the same way.

``numbers.csv`` holds a line for each number, column or sequence. ``ledger.csv`` holds the claims of all reports of the
papers, made by ``copa-nb run papers``, with or without the public files. A slow test compares them; where their numbers
are meant to change, copy the new ledger here.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.snapshot.cases import CASES, computed
from tests.snapshot.encoding import Rows, differences, read, write

FOLDER = Path(__file__).parent
API = FOLDER / "api.txt"
NUMBERS = FOLDER / "numbers.csv"
LEDGER = FOLDER / "ledger.csv"
RENEW = "if this is meant: python -m tests.snapshot.make"
# What these found is how long something took.
TIMED = ("ufg-runtime",)
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")
_WORDS = ("says", "found", "note")


def write_interface() -> None:
    """Store the public interface as it is."""
    from tests.snapshot.interface import interface  # it needs dask

    API.write_text(interface(), encoding="utf-8")


def of_case(rows: Rows, name: str) -> Rows:
    """Return the rows of one case."""
    return {key: row for key, row in rows.items() if key[0] == name}


def write_numbers() -> None:
    """Store what every case gives; what is the same up to rounding stays as it was."""
    before = read(NUMBERS) if NUMBERS.exists() else {}
    rows: Rows = {}
    for name, one in CASES.items():
        stored, found = of_case(before, name), computed(name)
        changes = differences(stored, found, relative=one.relative, absolute=one.absolute)
        rows |= found if any(changes) else stored
    write(NUMBERS, rows)


def compare_ledger(path: Path | str, stored: Path | str = LEDGER) -> list[str]:
    """Compare the claims in a ledger with those that are stored.

    Parameters
    ----------
    path, stored : Path or str
        Ledgers as ``copa-nb run papers`` writes them.

    Returns
    -------
    list of str
        A line per claim that went or is new, and per verdict, number or wording that is not as it was. Numbers
        must be printed alike: they are rounded in the ledger already.
    """
    before, now = _ledger(stored), _ledger(path)
    lines = [f"{name}: went" for name in before if name not in now]
    lines += [f"{name}: is new" for name in now if name not in before]
    for name in before:
        if name in now:
            lines += [f"{name}: {change}" for change in _changes(before[name], now[name])]
    return lines


def _ledger(path: Path | str) -> dict[str, dict[str, str]]:
    """Rows by the name of the claim; one that several reports state gets the report's name as well."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row["id"] for row in rows]
    return {row["id"] if names.count(row["id"]) == 1 else f"{row['id']} ({row['report']})": row for row in rows}


def _changes(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for column in ("verdict", "paper", "report"):
        if before[column] != now[column]:
            yield f"{column} was {before[column]!r}, is {now[column]!r}"
    for column in _WORDS:
        old, new = before[column], now[column]
        if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
            yield f"`{column}` was {old!r}, is {new!r}"
        elif old != new and before["id"] not in TIMED:
            pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
            yield f"numbers of `{column}`: " + ", ".join(f"{a} became {b}" for a, b in pairs if a != b)


WRITERS: dict[str, Callable[[], None]] = {
    "api": write_interface,
    "numbers": write_numbers,
}


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to write: {', '.join(WRITERS)}; all by default")
    parser.add_argument("--ledger", metavar="CSV", help="compare this ledger with the one kept here; writes nothing")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in WRITERS]
    if unknown:
        parser.error(f"{unknown[0]!r} is none of {', '.join(WRITERS)}")
    if given.ledger:
        lines = compare_ledger(given.ledger)
        print("\n".join(lines) if lines else "every claim is as it was")
        raise SystemExit(1 if lines else 0)
    for part in given.parts or WRITERS:
        WRITERS[part]()
        print(f"tests/snapshot: {part} written")


if __name__ == "__main__":
    main()
