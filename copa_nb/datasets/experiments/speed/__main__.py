"""Measure and print: ``python -m copa_nb.datasets.experiments.speed``."""

from __future__ import annotations

import argparse

import pandas as pd

from copa_nb.datasets.experiments import speed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=speed.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    tables = [
        speed.fronts(given.rows, pairs=given.pairs),
        speed.choices(given.rows),
        speed.memory(given.rows),
        speed.hypervolume_tests(),
        speed.depths(speed.QUICK_CASES),
        speed.overhead(),
    ]
    print(pd.concat(tables, ignore_index=True).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
