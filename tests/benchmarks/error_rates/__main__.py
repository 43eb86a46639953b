"""Run the simulations and write the table of the documentation."""

import argparse
import csv
import importlib
from pathlib import Path

ROOMS = (
    "selection", "generalization", "significance", "confident_front", "partial_orders", "stochastic_dominance",
)  # fmt: skip
TABLE = Path(__file__).parents[3] / "docs" / "coverage.csv"
COLUMNS = ("what", "setting", "kind", "nominal", "actual", "Monte Carlo error", "simulations", "note")


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=ROOMS, help="one room")
    parser.add_argument("--simulations", type=int, default=2000, help="runs for each rate")
    options = parser.parse_args()
    rows = []
    for room in [options.only] if options.only else ROOMS:
        for rate in importlib.import_module(f"tests.benchmarks.error_rates.{room}").rates(options.simulations):
            nominal = "" if rate.nominal is None else f"{rate.nominal:g}"
            rows.append(
                [
                    rate.what,
                    rate.setting,
                    rate.kind,
                    nominal,
                    f"{rate.actual:.3f}",
                    f"{rate.error:.3f}",
                    rate.n,
                    rate.label,
                ]
            )
            print(*rows[-1], sep="\t", flush=True)
    kept = []
    if options.only and TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            redone = {row[0] for row in rows}
            kept = [row for row in list(csv.reader(file))[1:] if row[0] not in redone]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *kept, *rows])


if __name__ == "__main__":
    main()
