"""Every verb, every kind of result as a page, and every command, with whatever versions are installed.

See `make lowest`. Left out is ``data fetch``, which needs a network.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import numpy as np
import pandas as pd

from copa_nb.accessor import VERBS as ALL_VERBS
from copa_nb.analyses.registry import commands
from copa_nb.cli import main as command_line
from tests import asked
from tests.contract.results import KINDS, NAMES, WAYS, paired, runs
from tests.fuzz.verbs import VERBS

# Verbs that need more than a table of runs, and are called for the pages of their results.
IN_KINDS = {"cheaper", "gap", "hv_test"}
ATTEMPTS = pd.DataFrame({"system": list("aabb"), "item": [0, 0] * 2, "solved": [1, 0, 1, 1]})
OBJECTIVES = ["--max", "recall", "--min", "cost_usd"]
PLAN = """
runs:
  - {select: runs.csv, name: own, objectives: {recall: max, cost_usd: min}}
"""
CLAIMS = """
table: runs.csv
objectives: {recall: max, cost_usd: min}
system: system
repeat: seed
claims:
  - {id: last, rank: D}
"""
COMMANDS = [
    ["select", "runs.csv", *OBJECTIVES, "--quick"],
    ["front", "runs.csv", *OBJECTIVES, "--system", "system", "--repeat", "seed", "--quick"],
    ["gap", "paired.csv", *OBJECTIVES, "--quick"],
    ["audit", "runs.csv", *OBJECTIVES, "--system", "system", "--repeat", "seed", "--quick"],
    ["posets", "runs.csv", *OBJECTIVES, "--system", "system", "--item", "seed", "--quick"],
    ["gsd-front", "runs.csv", *OBJECTIVES, "--system", "system", "--item", "seed", "--quick"],
    ["describe", "runs.csv", *OBJECTIVES, "--system", "system", "--repeat", "seed"],
    ["run", "--list"],
    ["data", "list"],
    ["run", "copa/figure_1", "--jobs", "1"],
    ["run", "plan.yaml", "--jobs", "1"],
    ["check", "claims.yaml", "--undecided", "ok"],
    ["export", "exported"],
]


def main() -> None:
    """Call the verbs, make the pages, and run the commands."""
    argparse.ArgumentParser(prog="python -m tests.lowest", description=__doc__).parse_args()
    ask_verbs()
    for make in KINDS.values():
        make().to_html()
    run_commands()


def ask_verbs() -> None:
    """Call every verb once."""
    for name in {*ALL_VERBS, "define"} - IN_KINDS - {"pass_k"}:
        VERBS[name](runs(), WAYS)
    ATTEMPTS.moo(solved="max", system="system", item="item").pass_k(1)
    asked.gap(paired(), objectives=WAYS).explore().close()
    sides = {"new": NAMES[0], "baseline": NAMES[1]}
    asked.hv_test(runs(), system="system", repeat="seed", **sides, objectives=WAYS).explore().close()
    bootstrap_gap()


def bootstrap_gap() -> None:
    """Draw the test cases of two classifiers anew: one cautious, one that finds all."""
    truth = np.tile([1, 0, 1], 4)
    predictions = pd.DataFrame([truth * np.tile([1, 1, 0], 4), np.ones(12, dtype=int)], index=["cautious", "all"])
    scores = pd.DataFrame({"precision": [1.0, 0.6], "recall": [0.5, 1.0]}, index=predictions.index)
    found = asked.gap(scores, test=scores, objectives=dict.fromkeys(scores, "max"), reference=dict.fromkeys(scores, 0))
    found.bootstrap(predictions, truth, n_resamples=20)


def run_commands() -> None:
    """Run every command once, in a folder of its own; of analyses that are not listed, the notebook as it is."""
    listed = {command[0] for command in COMMANDS}
    others = [["run", one.notebook, "--jobs", "1"] for name, one in commands().items() if name not in listed]
    assert listed | commands().keys() == {*command_line.list_commands(click.Context(command_line))}
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder))
        for command in COMMANDS + others:
            subprocess.run([sys.executable, "-m", "copa_nb.cli", *command], cwd=folder, check=True)


def write_tables(folder: Path) -> None:
    """Write the files that the commands name."""
    runs().to_csv(folder / "runs.csv", index=False)
    paired().to_csv(folder / "paired.csv", index=False)
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "claims.yaml").write_text(CLAIMS)


if __name__ == "__main__":
    main()
