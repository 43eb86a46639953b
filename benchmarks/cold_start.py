"""How long the first call of each verb takes: with an empty compilation cache, once it is filled, and without numba.

    python -m benchmarks.cold_start              # prints verb, cold, warm, without numba in seconds
    python -m benchmarks.cold_start depth copa   # some verbs

Each call runs in a process of its own; only the call is timed, not the start of Python and ``import copa_nb``. What it
imports (pandas has been imported) and compiles counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

LIMIT, LIMIT_WITHOUT = 4.0, 1.5
SETUP = """
import time
import numpy as np, pandas as pd, copa_nb
from copa_nb import datasets
models = datasets.load_open_llm_leaderboard()
two = models.moo(average="max", co2_kg="min")
agents = datasets.load_agents("0409").moo(accuracy="max", cost_usd="min", system="system", repeat="run")
runs = datasets.load_german_credit_runs().query("model == 'random forest'")
runs = runs.moo.define(precision="max", recall="max", system="model", repeat="seed")
origin = {"precision": 0, "recall": 0}
new, old = "simple: gpt-4-turbo-2024-04-09", "simple: gpt-3.5-turbo-0125"
bench = datasets.load_moea().moo(system="algorithm", item="problem")
suite = datasets.load_uci_classifiers().moo(system="classifier", item="dataset")
"""
CALLS = {
    "front": "models.moo.front()",
    "layers": "models.moo.layers()",
    "hypervolume": "models.moo.hypervolume()",
    "copa": "models.moo.copa().table",
    "copa(...).explain": "models.moo.copa().explain()",
    "navigate": 'models.moo.copa().navigate("co2_kg")',
    "compare": "models.moo.copa().criteria()",
    "stability": "two.copa().stability()",
    "sensitivity": "two.copa().sensitivity().acceptability()",
    "rank_intervals": "models.moo.copa().rank_intervals()",
    "board": "agents.board()",
    "confident_front": "agents.confident_front()",
    "gap": 'runs.query("seed == 1337").moo.gap(reference=origin)',
    "budgets of gap": "runs.moo.gap(reference=origin).budgets()",
    "attainment": 'runs.moo(test_precision="max", test_recall="max").attainment().table',
    "hv_test": "agents.hv_test(new, old).explain()",
    "audit": "agents.audit(n_resamples=500)",
    "power": "copa_nb.power(noise=0.03, n_runs=5, n_simulations=50)",
    "depth": "bench.posets().depth()",
    "consensus": "bench.posets().consensus()",
    "gsd_front": "suite.gsd_front()",
    "plot of copa": "two.copa().plot()",
    "to_html of copa": "two.copa().to_html()",
    "explore": "models.moo.explore()",
}


def seconds(call: str, cache: str, *, compiled: bool = True) -> float:
    """Time one call in a process of its own."""
    program = f"{SETUP}\nbegin = time.perf_counter()\n{call}\nprint(time.perf_counter() - begin)"
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "MPLBACKEND": "agg", "COPA_NB_OFFLINE": "1"}
    if not compiled:
        environment["COPA_NB_COMPILED"] = "0"
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verbs", nargs="*", metavar="VERB", help=f"all by default: {', '.join(CALLS)}")
    chosen = parser.parse_args().verbs or list(CALLS)
    if unknown := [name for name in chosen if name not in CALLS]:
        parser.error(f"{unknown[0]!r} is none of {', '.join(CALLS)}")
    print(f"{'verb':<20}{'cold':>8}{'warm':>8}{'without':>9}")
    for name in chosen:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (seconds(CALLS[name], cache) for _ in range(2))
            without = seconds(CALLS[name], cache, compiled=False)
        late = cold > LIMIT or without > LIMIT_WITHOUT
        print(f"{name:<20}{cold:>8.2f}{warm:>8.2f}{without:>9.2f}{'   late' if late else ''}", flush=True)


if __name__ == "__main__":
    main()
