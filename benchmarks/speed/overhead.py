"""What a small table pays: access, a front of 2,148 rows above moocore, the import above pandas."""

from __future__ import annotations

import subprocess
import sys

import moocore
import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from benchmarks.speed.measure import (
    COLUMNS,
    allowance,
    as_table,
    costs,
    least_milliseconds,
    wall_and_cpu,
)  # fmt: skip

_ACCESSES = 1000
_TIMED_IMPORT = "import time; start = time.process_time(); import {}; print((time.process_time() - start) * 1e3)"


def overhead(repeats: int = 300, loads: int = 5) -> pd.DataFrame:
    """Times that have a target of their own, each the least of its repeats: the quiet moments of a busy machine.

    Allowed are .3 ms for a front of 2,148 rows above moocore on the bare array, 2 µs for an access to ``df.moo``,
    and 150 ms of processor time for the import above that of pandas.

    Parameters
    ----------
    repeats : int
        Calls of the front and of moocore, in turns.
    loads : int
        Processes that import.
    """
    shape = (2148, 7)
    values = costs("uniform", *shape)
    table = as_table(values)
    turns = [
        (wall_and_cpu(table.moo.front), wall_and_cpu(lambda: moocore.is_nondominated(values, keep_weakly=True)))
        for _ in range(repeats)
    ]
    (ours, our_cpu), (theirs, their_cpu) = np.min(turns, axis=0)
    access = least_milliseconds(lambda: [table.moo for _ in range(_ACCESSES)], 5 + repeats // 10) / _ACCESSES
    both, alone = np.min(
        [[import_milliseconds("pandas, copa_nb"), import_milliseconds("pandas")] for _ in range(loads)], axis=0
    )
    found = [
        allowance("overhead", "front above moocore, .3 ms allowed", "uniform", shape, ours, 0.3,
                  peer="moocore", above=theirs, cpu_ratio=(our_cpu - their_cpu) / 0.3),
        allowance("overhead", "df.moo, 2 µs allowed", "uniform", shape, access, 0.002),
        allowance("overhead", "import above pandas, 150 ms allowed", "", (0, 0), both, 150.0,
                  peer="import pandas", above=alone),
    ]  # fmt: skip
    return pd.DataFrame(found, columns=COLUMNS)


def import_milliseconds(modules: str) -> float:
    """Processor time that ``import modules`` takes in a process of its own, whatever else runs beside it."""
    done = subprocess.run(
        [sys.executable, "-c", _TIMED_IMPORT.format(modules)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)
