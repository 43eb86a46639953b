"""What other libraries do with the hostile tables, beside copa_nb: right, refused, wrong, crashed, input changed.

    python -m tests.fuzz.peers            # the tables of docs/trust.md
    python -m tests.fuzz.peers --each     # and which tables each call gets wrong, changes or dies of

Every call gets the table as its users would hand it over, in a process of its own kind, so that one that dies takes
nothing with it. Right is what the definition gives, computed pair by pair and in whole numbers (`tests.fuzz.truth`).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests import asked
from tests.fuzz import truth
from tests.fuzz.tables import TABLES, random_table

_RANDOM = 100
SUITES: dict[str, dict[str, tuple[pd.DataFrame, dict]]] = {
    "hostile tables": TABLES,
    "random tables with infinities": {
        f"infinities {number}": random_table(number, [np.inf, -np.inf]) for number in range(_RANDOM)
    },
    "random tables with missing values": {
        f"missing {number}": random_table(number, [np.nan]) for number in range(_RANDOM)
    },
}
EVERY = {name: table for tables in SUITES.values() for name, table in tables.items()}
OUTCOMES = ("right", "refused", "wrong, warned", "wrong, silent", "crashed", "hung", "input changed")
# Of processor time, for a table of some ten rows; a machine that is busy with other things does not count.
_SECONDS = 10
_OUT_OF_TIME = getattr(signal, "SIGVTALRM", None)
_ROOT = Path(__file__).parents[2]


def _costs(frame: pd.DataFrame, objectives: dict) -> np.ndarray:
    """How users of a library that minimises write a table: an array, with maximized columns negated."""
    signs = [-1 if direction == "max" else 1 for direction in objectives.values()]
    return frame[list(objectives)].to_numpy() * signs


def _ours(frame: pd.DataFrame, objectives: dict, _: dict) -> list:
    return (asked.layers(frame, 1, objectives=objectives) == 1).tolist()


def _our_volume(frame: pd.DataFrame, objectives: dict, point: dict) -> float:
    return asked.hypervolume(frame, objectives=objectives, reference=point).value


def _moocore(frame: pd.DataFrame, objectives: dict, _: dict) -> list:
    moocore = importlib.import_module("moocore")
    maximize = [direction == "max" for direction in objectives.values()]
    # By default only one of equal rows is kept; asked like this, all of them, as the definition has it.
    return moocore.is_nondominated(frame[list(objectives)].to_numpy(), maximise=maximize, keep_weakly=True).tolist()


def _moocore_volume(frame: pd.DataFrame, objectives: dict, point: dict) -> float:
    moocore = importlib.import_module("moocore")
    maximize = [direction == "max" for direction in objectives.values()]
    return float(moocore.hypervolume(frame[list(objectives)].to_numpy(), ref=list(point.values()), maximise=maximize))


def _pymoo(frame: pd.DataFrame, objectives: dict, _: dict) -> list:
    sorting = importlib.import_module("pymoo.util.nds.non_dominated_sorting")
    found = sorting.NonDominatedSorting().do(_costs(frame, objectives), only_non_dominated_front=True)
    return np.isin(np.arange(len(frame)), found).tolist()


def _pymoo_volume(frame: pd.DataFrame, objectives: dict, point: dict) -> float:
    indicators = importlib.import_module("pymoo.indicators.hv")
    signs = [-1 if direction == "max" else 1 for direction in objectives.values()]
    return float(indicators.HV(ref_point=np.array(list(point.values())) * signs)(_costs(frame, objectives)))


def _paretoset(frame: pd.DataFrame, objectives: dict, _: dict) -> list:
    paretoset = importlib.import_module("paretoset")
    return np.asarray(
        paretoset.paretoset(frame[list(objectives)], sense=list(objectives.values()), distinct=False)
    ).tolist()


@dataclass(frozen=True)
class Call:
    """A function of a library: what it answers, and how a user calls it."""

    package: str
    name: str
    answers: str
    function: Callable[[pd.DataFrame, dict, dict], Any]


CALLS = [
    Call("copa_nb", "layers(1)", "front", _ours),
    Call("moocore", "is_nondominated", "front", _moocore),
    Call("pymoo", "NonDominatedSorting", "front", _pymoo),
    Call("paretoset", "paretoset", "front", _paretoset),
    Call("copa_nb", "hypervolume", "hypervolume", _our_volume),
    Call("moocore", "hypervolume", "hypervolume", _moocore_volume),
    Call("pymoo", "HV", "hypervolume", _pymoo_volume),
]


def work(call: Call, tables: list[str]) -> None:
    """Answer for one table after another, a line of JSON each, written at once in case the next one is the last."""
    _limited_to(0)
    with contextlib.suppress(Exception):
        # Compiled or loaded once, without a limit.
        call.function(*TABLES["plain"], truth.reference_point(*TABLES["plain"]))
    for table in tables:
        _limited_to(_SECONDS)
        frame, objectives = EVERY[table]
        before = frame.copy(deep=True)
        point = truth.reference_point(frame, objectives)
        said: dict[str, Any]
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                said = {"answer": call.function(frame, objectives, point)}
            except Exception as error:
                said = {"refused": f"{type(error).__name__}: {error}"[:200]}
        said["changed"] = not _same(frame, before)
        said["warned"] = [str(warning.message)[:120] for warning in warned]
        print(json.dumps({"table": table, **said}), flush=True)


def _limited_to(seconds: int) -> None:
    """Let the system end this process once it has computed for so long, also where no Python code runs; 0 does not."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _same(frame: pd.DataFrame, before: pd.DataFrame) -> bool:
    try:
        pd.testing.assert_frame_equal(frame, before)
    except AssertionError:
        return False
    return True


def run(call: Call, tables: list[str]) -> dict[str, dict[str, Any]]:
    """What a call says to each of some tables; one that kills its process is asked again, alone, before that counts."""
    said: dict[str, dict[str, Any]] = {}
    waiting, alone = tables, False
    while waiting:
        asked = waiting[:1] if alone else waiting
        lines, ended = _process(call, asked)
        said |= {line["table"]: line for line in lines if "table" in line}
        rest = [table for table in waiting if table not in said]
        if ended and rest and (alone or ended == _OUT_OF_TIME):
            kind = "hung" if ended == _OUT_OF_TIME else "crashed"
            said[rest[0]] = {"table": rest[0], kind: ended, "changed": False, "warned": []}
            rest, ended = rest[1:], 0
        waiting, alone = rest, bool(ended)
    return said


def _process(call: Call, tables: list[str]) -> tuple[list[dict[str, Any]], int]:
    """Lines that a process wrote, and the signal that ended it, or 0."""
    places = [str(list(EVERY).index(table)) for table in tables]
    command = [sys.executable, "-m", "tests.fuzz.peers", "--work", str(CALLS.index(call)), *places]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False)
    if done.returncode > 0:
        raise RuntimeError(f"{call.package}.{call.name}: {done.stderr[-2000:]}")
    return list(_lines(done.stdout)), -done.returncode


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        # A library may print, too.
        if line.startswith("{"):
            yield json.loads(line)


def judge(call: Call, said: dict[str, Any]) -> str:
    """Hold what a call said to a table against the definition."""
    if said["changed"]:
        return "input changed"
    for outcome in ("crashed", "hung", "refused"):
        if outcome in said:
            return outcome
    return "right" if _is_right(call, said) else "wrong, warned" if said["warned"] else "wrong, silent"


def _is_right(call: Call, said: dict[str, Any]) -> bool:
    frame, objectives = EVERY[said["table"]]
    if call.answers == "front":
        return said["answer"] in truth.fronts(frame, objectives)
    volumes = truth.hypervolumes(frame, objectives, truth.reference_point(frame, objectives))
    return any(truth.close(said["answer"], volume) for volume in volumes)


def outcomes(call: Call, suite: str) -> dict[str, str]:
    """Outcome of a call by table."""
    return {table: judge(call, said) for table, said in run(call, list(SUITES[suite])).items()}


def missing() -> str | None:
    """What to install where a library is not there."""
    absent = [name for name in dict.fromkeys(call.package for call in CALLS) if find_spec(name) is None]
    return f"{', '.join(absent)} missing: pip install 'copa_nb[bench]'" if absent else None


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", action="store_true", help="name the tables that are not answered rightly or refused")
    parser.add_argument("--work", nargs="+", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        names = list(EVERY)
        work(CALLS[arguments.work[0]], [names[place] for place in arguments.work[1:]])
        return
    if reason := missing():
        sys.exit(reason)
    for suite, tables in SUITES.items():
        print(f"\n**{len(tables)} {suite}**\n\n| call | {' | '.join(OUTCOMES)} |\n|---|{'---|' * len(OUTCOMES)}")
        notes = []
        for call in CALLS:
            found = outcomes(call, suite)
            counts = Counter(found.values())
            name = f"{call.package} {version(call.package)}, `{call.name}`"
            print(f"| {name} | {' | '.join(str(counts[outcome]) for outcome in OUTCOMES)} |", flush=True)
            notes += [
                f"- {name}, {outcome}: {', '.join(table for table in found if found[table] == outcome)}"
                for outcome in OUTCOMES[2:]
                if counts[outcome]
            ]
        if arguments.each:
            print("", *notes, sep="\n")


if __name__ == "__main__":
    main()
