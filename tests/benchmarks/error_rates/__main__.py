"""Run the simulations and write the tables of the documentation."""

import argparse
import importlib

from tests.benchmarks.error_rates import table

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
    parser.add_argument("--simulations", type=int, default=2000, help="runs for each rate")
    options = parser.parse_args()
    rows = []
    for room in [options.only] if options.only else ROOMS:
        for rate in importlib.import_module(f"tests.benchmarks.error_rates.{room}").rates(options.simulations):
            rows.append(table.row_of(rate))
            print(*rows[-1].values(), sep="\t", flush=True)
    if options.only and table.TABLE.exists():
        redone = {row["what"] for row in rows}
        rows = [row for row in table.read(table.TABLE) if row["what"] not in redone] + rows
    table.write(rows, table.TABLE)
    table.write(table.worst(rows), table.WORST)


if __name__ == "__main__":
    main()
