"""Small tables, the same in every run: ties, repeated rows, infinities and missing values where they are asked for.

All numbers are rounded, so that they do not hang on how a processor computes a logarithm.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

TWO = {"accuracy": "max", "co2": "min"}
THREE = {**TWO, "latency": "min"}
FIVE = {**THREE, "f1": "max", "energy": "min"}


def models(seed: int = 1, rows: int = 36) -> pd.DataFrame:
    """Models with five metrics; accuracy, CO2 and latency have ties, and the last three rows repeat the first."""
    rng = np.random.default_rng(seed)
    skill = rng.uniform(size=rows)
    frame = pd.DataFrame(
        {
            "accuracy": (0.5 + 0.45 * skill).round(2),
            "co2": (0.2 + 6 * skill**3 + rng.gamma(2, 0.8, rows)).round(1),
            "latency": rng.integers(5, 30, rows),
            "f1": (0.8 * skill + 0.2 * rng.uniform(size=rows)).round(6),
            "energy": rng.lognormal(0.0, 1.0, rows).round(6),
            "family": rng.choice(["ash", "birch", "cedar"], rows),
        },
        index=pd.Index([f"m{number:02d}" for number in range(rows)], name="model"),
    )
    metrics = list(FIVE)
    frame.iloc[-3:, [frame.columns.get_loc(name) for name in metrics]] = frame[metrics].iloc[:3].to_numpy()
    return frame


def gappy(seed: int = 3, rows: int = 24) -> pd.DataFrame:
    """Models of which some lack a metric, one all of them."""
    frame = models(seed, rows).astype({"latency": float})
    frame.loc[["m02", "m11"], "accuracy"] = np.nan
    frame.loc["m05", "co2"] = np.nan
    frame.loc["m07", list(FIVE)] = np.nan
    return frame


def training_runs(seed: int = 4, rows: int = 8, seeds: int = 5) -> pd.DataFrame:
    """Models trained with several seeds each."""
    rng = np.random.default_rng(seed)
    means = models(seed, rows)[list(THREE)].to_numpy(dtype=float).repeat(seeds, axis=0)
    noisy = means * (1 + 0.08 * rng.standard_normal(means.shape))
    frame = pd.DataFrame(noisy.round(4), columns=list(THREE))
    return frame.assign(model=np.repeat([f"m{k}" for k in range(rows)], seeds), seed=np.tile(range(seeds), rows))


def system_runs(objectives: int = 2, seeds: int = 5, seed: int = 5) -> pd.DataFrame:
    """Runs of four systems on two tasks; the first is better than the others by about its noise."""
    rng = np.random.default_rng([seed, objectives, seeds])
    parts = []
    for task, spread in (("sort", 0.05), ("search", 0.02)):
        for number, system in enumerate(["new", "old", "older", "slow"]):
            values = 1.0 + 0.04 * number + spread * rng.standard_normal((seeds, objectives))
            part = pd.DataFrame(values.round(4), columns=[f"cost {k}" for k in range(objectives)])
            parts.append(part.assign(system=system, seed=range(seeds), task=task))
    return pd.concat(parts, ignore_index=True)


def costs(objectives: int) -> dict[str, str]:
    """The objectives of :func:`system_runs` and :func:`many`."""
    return dict.fromkeys([f"cost {k}" for k in range(objectives)], "min")


def searches(seed: int = 6, rows: int = 40) -> pd.DataFrame:
    """Random searches of two methods on three splits, with scores on validation and test; some rows tie."""
    rng = np.random.default_rng(seed)
    parts = []
    for method, skill in (("forest", 0.1), ("linear", 0.0)):
        for split in range(3):
            balance = rng.uniform(size=rows)
            validation = np.column_stack([balance, 1 - balance**2]) * (0.7 + skill + 0.2 * rng.uniform(size=(rows, 1)))
            test = np.clip(validation - 0.05 + 0.06 * rng.standard_normal(validation.shape), 0, 1)
            part = pd.DataFrame(validation.round(2), columns=["val_precision", "val_recall"])
            part[["test_precision", "test_recall"]] = test.round(3)
            parts.append(part.assign(method=method, split=split, step=rng.permutation(rows)))
    return pd.concat(parts, ignore_index=True)


def benchmark(seed: int = 7, items: int = 5, problems: int = 9) -> pd.DataFrame:
    """Optimisers on problems by two criteria, with ties and a run that never ended."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "problem": np.repeat([f"P{k}" for k in range(problems)], items),
            "optimiser": np.tile([f"opt {chr(97 + k)}" for k in range(items)], problems),
            "error": (np.tile(np.arange(items), problems) + rng.integers(0, 5, items * problems)).astype(float),
            "steps": rng.integers(1, 6, items * problems).astype(float),
        }
    )
    frame.loc[7, "steps"] = np.inf
    return frame
