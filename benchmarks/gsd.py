"""Times of the whole GSD analysis on the authors' suite: ``python -m benchmarks.gsd``."""

import argparse
import time

from copa_nb import datasets
from copa_nb.arrays.parallel import processors
from tests import asked


def main() -> None:
    """Print how long the front takes, and 1,000 permutations of every competitor."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    suite = datasets.load_pmlb_robustness()
    options = {"system": "classifier", "item": "dataset", "ordinal": ["robust_x", "robust_y"], "bins": 4}
    asked.gsd_front(suite.head(12), **options, progress=False)  # compiles
    start = time.perf_counter()
    front = asked.gsd_front(suite, **options, progress=False)
    found = time.perf_counter()
    test = front.test("cre", n_resamples=1000)
    done = time.perf_counter()
    print(f"{processors()} processors: front {found - start:.1f} s, test {done - found:.1f} s")
    print(f"{time.process_time():.0f} s of processor time in all")
    print(test.table)


if __name__ == "__main__":
    main()
