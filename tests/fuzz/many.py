"""Calls drawn at random, as many as you like; every fault is printed with the number that repeats it.

python -m tests.fuzz.many --calls 50000 --seed 1
python -m tests.fuzz.many --seed 1 --only 4711
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter

import matplotlib as mpl

from tests.fuzz.calls import fault

_SLOW_SECONDS = 20


def main() -> int:
    """Make the calls and print the faults; returns whether there were any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="number of the one call to repeat")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    arguments = parser.parse_args()
    mpl.use("agg")
    began, faults, made = time.monotonic(), Counter[str](), 0
    for number in range(arguments.calls) if arguments.only is None else [arguments.only]:
        # Time of the processor: what else the machine does is no fault of the call.
        start = time.process_time()
        name, table, wrong = fault(arguments.seed, number)
        made += 1
        if wrong is None and time.process_time() - start > _SLOW_SECONDS:
            wrong = f"took {time.process_time() - start:.0f} s"
        if wrong is not None:
            kind = re.sub(r"0x[0-9a-f]+|\d+", "#", wrong.strip().splitlines()[-1])[:120]
            faults[f"{name}: {kind}"] += 1
            if faults[f"{name}: {kind}"] == 1:
                print(f"\n--- {number} {name} | {table.described}\n{wrong}", flush=True)
        if time.monotonic() - began > arguments.seconds:
            break
    print(f"\n{made:,} calls, {faults.total()} faults, {time.monotonic() - began:.0f} s")
    for kind, count in faults.most_common():
        print(f"{count:6}  {kind}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
