"""Run the simulations and write the tables of the documentation."""

import argparse
import importlib

from benchmarks.error_rates import table

ROOMS = (
    "pairs",
    "confidence",
    "comparisons",
    "after_choice",
    "selection",
    "generalization",
    "significance",
    "partial_orders",
    "stochastic_dominance",
    "gate",
    "streams",
)


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=ROOMS, help="one room")
    parser.add_argument("--simulations", type=int, default=60, help="runs for each rate")
    options = parser.parse_args()
    before = table.read(table.TABLE) if table.TABLE.exists() else []
    rows = []
    for room in [options.only] if options.only else ROOMS:
        for rate in importlib.import_module(f"benchmarks.error_rates.{room}").rates(options.simulations):
            rows.append(table.row_of(rate))
            print(*rows[-1].values(), sep="\t", flush=True)
        # Whole runs take an hour: what a room has found is kept if a later one fails.
        redone = {row["what"] for row in rows}
        write([*rows, *(row for row in before if row["what"] not in redone)])
    if not options.only:
        write(rows)


def write(rows: list[table.Row]) -> None:
    """Write both tables."""
    table.write(rows, table.TABLE)
    table.write(table.worst(rows), table.WORST)


if __name__ == "__main__":
    main()
