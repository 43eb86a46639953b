"""Other packages for boards of evaluations and ours, on the same simulated boards: wrong verdicts and widths.

    python -m benchmarks.conformance                # writes docs/conformance.csv, about ten minutes
    python -m benchmarks.conformance --boards 20 --out FILE

Each package is asked as its documentation says, with its defaults, for what it offers of these:

- an interval at .95 for the true score of the system that leads: how often it holds the truth, and its width;
- which systems are better than which, at .05 for all pairs together: on how many boards a verdict is false, and which
  share of the true differences is found;
- a set that holds the best system at .95: how often no system of the set is truly the best, and its size.

Packages that are not installed are left out; the extra ``bench`` has all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

import copa_nb

TABLE = Path(__file__).parents[1] / "docs" / "conformance.csv"
ALPHA = 0.05
SETTINGS = {
    "6 equal systems, right at .7, 100 items": (np.full(6, 0.7), 100),
    "10 equal systems, right at .7, 100 items": (np.full(10, 0.7), 100),
    "6 systems, right at .55 to .8, 200 items": (np.linspace(0.55, 0.8, 6), 200),
}


@dataclass
class Said:
    """What a package says of a board; None where it offers nothing of the kind."""

    interval: tuple[float, float] | None = None
    better: set[tuple[int, int]] | None = None
    best: set[int] | None = None


def ours(board: np.ndarray) -> Said:
    """Intervals after the choice, and verdicts of the board."""
    models = _frame(board).moo(right="max", system="model", item="item")
    with copa_nb.options(progress=False):
        found = models.board(alpha=ALPHA)
        chosen = models.copa().intervals(confidence_level=1 - ALPHA).table.iloc[0]
    ahead = found.ahead
    better = {(row, column) for row in ahead.index for column in ahead.columns if ahead.loc[row, column]}
    return Said((chosen["low"], chosen["high"]), better, set(found.may_be_first))


def claimeval(board: np.ndarray) -> Said:
    """Its intervals by BCa bootstrap; claims that one system beats another, supported from a probability of .9."""
    from claimeval import Claim, Rollout, RolloutSet, evaluate_claims
    from claimeval.stats.bca import bca_intervals

    rows = RolloutSet([Rollout(f"{i:02}", f"{k:04}", "0", right, 1.0) for (i, k), right in np.ndenumerate(board)])
    intervals, winner = bca_intervals(rows), _winner(board)
    pairs = list(permutations(range(len(board)), 2))
    verdicts = evaluate_claims(rows, [Claim("pairwise", f"{a:02}", [f"{b:02}"]) for a, b in pairs])
    better = {pair for pair, verdict in zip(pairs, verdicts, strict=True) if verdict["supported"]}
    return Said((intervals["acc_lo"][winner], intervals["acc_hi"][winner]), better)


def errorbars(board: np.ndarray) -> Said:
    """Its leaderboard: intervals of each model, and p-values by Holm."""
    from errorbars.io import load_dataframe
    from errorbars.leaderboard import build_leaderboard

    columns = {"item": "question_id", "right": "score"}
    found = build_leaderboard(load_dataframe(_frame(board).rename(columns=columns).astype({"model": str})), alpha=ALPHA)
    leader = next(entry for entry in found.entries if int(entry.model) == _winner(board))
    better = set()
    for pair in found.pairwise:
        if pair.p_holm <= ALPHA:
            a, b = int(pair.model_a), int(pair.model_b)
            better.add((a, b) if pair.comparison.mean_diff > 0 else (b, a))
    return Said((leader.ci_low, leader.ci_high), better)


def evalstats(board: np.ndarray) -> Said:
    """Its comparison by default: intervals, adjusted p-values, and the systems that none beats."""
    import evalstats as package

    frame = _frame(board).rename(columns={"right": "score"}).astype({"model": str})
    found = package.compare(package.load_from(frame), factors="model")
    leader = found.entity_stats[str(_winner(board))]
    better = set()
    for (a, b), pair in found.pairwise.results.items():
        if pair.p_value <= ALPHA:
            better.add((int(a), int(b)) if pair.point_diff > 0 else (int(b), int(a)))
    # It names none where no pair differs.
    unbeaten = found.unbeaten or list(found.labels)
    return Said((leader.ci_low, leader.ci_high), better, {int(name) for name in unbeaten})


def honestboard(board: np.ndarray) -> Said:
    """Its interval of the winner, and its confidence set of the best."""
    from honestboard import Board

    items = [str(k) for k in range(board.shape[1])]
    systems = [
        {"name": str(i), "date": "20260101", "rates": dict(zip(items, row.tolist(), strict=True))}
        for i, row in enumerate(board)
    ]
    found = Board.from_rates(items, systems)
    winner = found.winner_adjusted(alpha=ALPHA, w=_winner(board))
    return Said(winner["ci"], best={int(name) for name in found.confidence_set_best(alpha=ALPHA)["members"]})


def naive(board: np.ndarray) -> Said:
    """What is reported most: 1.96 standard errors around each score, and differences beyond 1.96 of theirs."""
    means, n = board.mean(axis=1), board.shape[1]
    winner = _winner(board)
    half = 1.96 * board[winner].std(ddof=1) / np.sqrt(n)
    better = {
        (a, b)
        for a, b in permutations(range(len(board)), 2)
        if means[a] - means[b] > 1.96 * (board[a] - board[b]).std(ddof=1) / np.sqrt(n)
    }
    return Said((means[winner] - half, means[winner] + half), better)


PACKAGES: dict[str, Callable[[np.ndarray], Said]] = {
    "copa_nb": ours, "claimeval": claimeval, "errorbars": errorbars, "evalstats": evalstats,
    "honestboard": honestboard, "no package, 1.96 standard errors": naive,
}  # fmt: skip


def _frame(board: np.ndarray) -> pd.DataFrame:
    model, item = np.indices(board.shape)
    return pd.DataFrame({"model": model.ravel(), "item": item.ravel(), "right": board.ravel()})


def _winner(board: np.ndarray) -> int:
    return int(board.mean(axis=1).argmax())


def simulated(truth: np.ndarray, n_items: int, seed: int) -> np.ndarray:
    """Right and wrong answers of systems by items; systems answer independently."""
    rng = np.random.default_rng([seed, len(truth), n_items])
    return (rng.random((len(truth), n_items)) < truth[:, None]).astype(float)


def measured(name: str, setting: str, n_boards: int) -> dict[str, object]:
    """A row of the table: one package in one setting."""
    truth, n_items = SETTINGS[setting]
    differ = {(a, b) for a, b in permutations(range(len(truth)), 2) if truth[a] > truth[b] + 1e-9}
    best = set(np.flatnonzero(truth >= truth.max() - 1e-9).tolist())
    held, widths, false, found, missed, sizes = [], [], [], [], [], []
    for seed in range(n_boards):
        board = simulated(truth, n_items, seed)
        said = PACKAGES[name](board)
        if said.interval is not None:
            low, high = said.interval
            held.append(low <= truth[_winner(board)] <= high)
            widths.append(high - low)
        if said.better is not None:
            false.append(bool(said.better - differ))
            found.append(len(said.better & differ) / len(differ) if differ else np.nan)
        if said.best is not None:
            missed.append(not said.best & best)
            sizes.append(len(said.best))
    return {
        "boards": setting,
        "n": n_boards,
        "package": name if PACKAGES[name] is naive else f"{name} {version(name)}",
        "winner's interval holds": _share(held),
        "its width": _share(widths),
        "false verdict of a pair": _share(false),
        "true differences found": _share(found),
        "best not in the set": _share(missed),
        "its size": f"{np.mean(sizes):.1f}" if sizes else "",
    }


def _share(values: list) -> str:
    return f"{np.mean(values):.3f}" if values and not np.isnan(values).any() else ""


def main() -> None:
    """Ask all packages that are installed, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=100, help="simulated boards for each setting")
    parser.add_argument("--out", type=Path, default=TABLE, help="file of the table")
    options = parser.parse_args()
    rows = []
    for setting in SETTINGS:
        for name in PACKAGES:
            if PACKAGES[name] is naive or find_spec(name):
                rows.append(measured(name, setting, options.boards))
                print(*rows[-1].values(), sep="\t", flush=True)
                pd.DataFrame(rows).to_csv(options.out, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
