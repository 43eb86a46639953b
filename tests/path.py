"""Print how many files of the package a call enters, and how often it goes from one file to another.

``python -m tests.path`` traces three verbs on small tables. Each is called before, which imports and compiles.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

import copa_nb
from tests import asked

PACKAGE = str(Path(copa_nb.__file__).parent)


def followed(call: Callable[[], Any]) -> list[str]:
    """Files of the package that a call enters, in order, one entry for each change of file."""
    entered: list[str] = []

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(PACKAGE) and entered[-1:] != [path]:
            entered.append(path)

    call()
    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return [str(Path(path).relative_to(PACKAGE)) for path in entered]


def models() -> pd.DataFrame:
    """Return five models with three objectives."""
    table = pd.DataFrame(
        {
            "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6],
            "co2": [9.0, 3.0, 5.0, 2.0, 1.0],
            "latency": [5.0, 4.0, 2.0, 3.0, 1.0],
        },
        index=list("abcde"),
    )
    return table.moo.define(accuracy="max", co2="min", latency="min")


def of_a_verb() -> dict[str, Callable[[], Any]]:
    """Calls of verbs, by what they read like."""
    table = models()
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(
        {"system": np.repeat(["new", "old"], 10), "seed": np.tile(np.arange(10), 2), "x": rng.random(20),
         "y": rng.random(20)}
    ).moo.define(x="min", y="min")  # fmt: skip
    bench = pd.DataFrame(
        {"optimizer": list("abc") * 4, "problem": np.repeat(list("pqrs"), 3), "loss": rng.random(12),
         "time": rng.random(12)}
    ).moo.define(loss="min", time="min")  # fmt: skip
    return {
        "copa().best": lambda: table.moo.copa().best,
        "hv_test(...)": lambda: asked.hv_test(runs, system="system", repeat="seed", new="new", baseline="old"),
        "posets(...).depth()": lambda: asked.posets(bench, system="optimizer", item="problem").depth(),
    }


def main() -> None:
    """Print it."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    for name, call in of_a_verb().items():
        entered = followed(call)
        files = list(dict.fromkeys(entered))
        print(f"{name}: {len(files)} files, {len(entered) - 1} changes of file")
        for file in files:
            print(f"    {entered.count(file):3}  {file}")


if __name__ == "__main__":
    main()
