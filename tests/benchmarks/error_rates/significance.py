"""Size and power of the hypervolume tests, familywise error of audits, and what `seeds_needed` promises."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import copa_nb
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, split_test
from copa_nb.significance.power import wilson_interval
from tests.benchmarks.error_rates import Rate

ALPHA = 0.05
OPTIONS = HypervolumeTestOptions(n_resamples=999)
FRONT, RUNS, BOTH = "hv_test().pvalue", "hv_test().per_run.pvalue", "hv_test().significant"
DIRECTIONS = {"x": "min", "y": "min"}
NOISIER = "labelled: the result names the wider spread, and is not called significant without single runs"
# Runs and standard deviations of the new side and of the baseline's.
NULLS = {
    "equal noise, 5 and 5 runs": (5, 5, 1, 1),
    "equal noise, 10 and 10 runs": (10, 10, 1, 1),
    "equal noise, 5 and 15 runs": (5, 15, 1, 1),
    "standard deviations 3 and 1, 5 and 5 runs": (5, 5, 3, 1),
    "standard deviations 3 and 1, 10 and 10 runs": (10, 10, 3, 1),
    "standard deviations 3 and 1, 5 and 15 runs": (5, 15, 3, 1),
    "standard deviations 3 and 1, 15 and 5 runs": (15, 5, 3, 1),
}
# The advantage of the new side in both objectives, in standard deviations of the baseline.
EFFECTS = {
    "better by 1 standard deviation, 8 and 8 runs": (8, 8, 1, 1, 1.0),
    "better by 1 standard deviation, 24 and 24 runs": (24, 24, 1, 1, 1.0),
    "better by 1.5 standard deviations, 5 and 15 runs": (5, 15, 1, 1, 1.5),
}


def draw(n: int, n_new: int, n_baseline: int, sd_new: float, sd_baseline: float, shift: float, seed: int) -> np.ndarray:
    """Costs of n data sets of both sides, shape (n, n_new + n_baseline, 2); the new side is better by `shift`."""
    costs = np.random.default_rng(seed).standard_normal((n, n_new + n_baseline, 2))
    costs[:, :n_new] = costs[:, :n_new] * sd_new - shift
    costs[:, n_new:] *= sd_baseline
    return costs


def rejections(costs: np.ndarray, n_new: int, options: HypervolumeTestOptions = OPTIONS) -> dict[str, np.ndarray]:
    """Which data sets each comparison rejects, against "worst" moved outwards by a tenth as `hv_test` does."""
    first = np.arange(costs.shape[1]) < n_new
    low, high = costs.min(axis=1), costs.max(axis=1)
    points = high + 0.1 * (high - low)
    fronts = [split_test(part, first, point, options) for part, point in zip(costs, points, strict=True)]
    runs = per_run_tests((points[:, None, :] - costs).prod(axis=2), first, options)
    by_front = np.array([test.pvalue for test in fronts]) <= ALPHA
    direction = np.sign([test.statistic for test in fronts])
    alike = direction * runs.statistic >= 0
    return {
        FRONT: by_front,
        RUNS: runs.pvalue <= ALPHA,
        BOTH: by_front & (runs.pvalue <= ALPHA) & alike,
        "hv_test().per_run.mann_whitney_pvalue": runs.rank_pvalue <= ALPHA,
        "larger front": by_front & (direction > 0),
        "larger front, significant": by_front & (runs.pvalue <= ALPHA) & alike & (direction > 0),
    }


def rates(n: int) -> Iterator[Rate]:
    """Rates of the room, each over n simulations (audits and searches over fewer)."""
    yield from sizes(n)
    yield from powers(n)
    yield from audits(max(10, n // 4))
    yield from searches(max(4, n // 20))
    yield from simulated_powers(n)


def sizes(n: int) -> Iterator[Rate]:
    """Rejections of true null hypotheses: equal means."""
    for number, (setting, (n_new, n_baseline, sd_new, sd_baseline)) in enumerate(NULLS.items()):
        found = rejections(draw(n, n_new, n_baseline, sd_new, sd_baseline, 0.0, number), n_new)
        unequal = sd_new != sd_baseline
        for what in (FRONT, RUNS, BOTH, "hv_test().per_run.mann_whitney_pvalue"):
            note = ""
            if unequal and what == FRONT:
                note = NOISIER
            elif unequal and what.endswith("mann_whitney_pvalue"):
                note = "its null hypothesis is equal distributions, which does not hold here"
            elif unequal and what == RUNS:
                note = "hypervolumes of noisy runs are skewed"
            yield Rate(what, setting, "size", ALPHA, int(found[what].sum()), n, note)
    found = rejections(draw(n, 10, 10, 3, 1, -1.0, 90), 10)
    setting = "worse by 1 standard deviation in both objectives, standard deviations 3 and 1, 10 and 10 runs"
    yield Rate(f"{FRONT}, larger front", setting, "size", ALPHA, int(found["larger front"].sum()), n, NOISIER)
    both = int(found["larger front, significant"].sum())
    yield Rate(f"{BOTH}, larger front", setting, "size", ALPHA, both, n)


def powers(n: int) -> Iterator[Rate]:
    """Rejections where the new side is better."""
    for number, (setting, (n_new, n_baseline, sd_new, sd_baseline, shift)) in enumerate(EFFECTS.items()):
        costs = draw(n, n_new, n_baseline, sd_new, sd_baseline, shift, 50 + number)
        found = rejections(costs, n_new)
        for what in (FRONT, RUNS, BOTH):
            yield Rate(what, setting, "power", None, int(found[what].sum()), n)
        if n_new != n_baseline:
            paper = rejections(costs, n_new, HypervolumeTestOptions(n_resamples=999, two_sided="paper"))
            note = "the paper's D_b at least D in size, for equal numbers of runs"
            yield Rate('hv_test(two_sided="paper").pvalue', setting, "power", None, int(paper[FRONT].sum()), n, note)


def simulated_runs(levels: list[float], n_runs: int, deviations: list[float], seed: int) -> pd.DataFrame:
    """Runs of several systems; a higher level is better in both objectives."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((len(levels), n_runs, 2)) * np.array(deviations)[:, None, None]
    costs = (noise - np.array(levels)[:, None, None]).reshape(-1, 2)
    systems = np.repeat([f"system {i}" for i in range(len(levels))], n_runs)
    return pd.DataFrame({"system": systems, "x": costs[:, 0], "y": costs[:, 1]})


AUDITS = {
    "5 systems alike, 10 runs each": ([0.0] * 5, [1.0] * 5),
    "4 systems alike and one better by 3 standard deviations, 10 runs each": ([0.0] * 4 + [3.0], [1.0] * 5),
    "5 systems of equal means, standard deviations 1, 1, 1, 1 and 3, 10 runs each": ([0.0] * 5, [1.0] * 4 + [3.0]),
}
ADJUSTED = {
    "raw front p": ("pvalue", "", "labelled: claims that the data suggested"),
    "raw p of single runs": ("runs_pvalue", "", "labelled: claims that the data suggested"),
    "holm": ("holm", "", ""),
    "runs_holm": ("runs_holm", "", ""),
    "runs_max_t": ("runs_max_t", "", ""),
    "runs_benjamini_yekutieli": ("runs_benjamini_yekutieli", "", ""),
    "holm and runs_holm": ("holm", "runs_holm", ""),
}
# Mean share of false claims among those called significant, which these procedures control.
DISCOVERIES = ("benjamini_hochberg", "benjamini_yekutieli", "runs_benjamini_hochberg", "runs_benjamini_yekutieli")
POSITIVE_DEPENDENCE = (
    "labelled: Benjamini and Hochberg's needs positive dependence; claims are those the data suggested"
)


def audits(n: int) -> Iterator[Rate]:
    """Chance of any false claim, where claims are those that the data suggest; and that of one such claim."""
    for setting, (levels, deviations) in AUDITS.items():
        false = dict.fromkeys(ADJUSTED, 0)
        shares = dict.fromkeys(DISCOVERIES, 0.0)
        claims, small = 0, {"pvalue": 0, "runs_pvalue": 0}
        for seed in range(n):
            frame = simulated_runs(levels, 10, deviations, 1000 + seed)
            table = copa_nb.audit(frame, system="system", objectives=DIRECTIONS, n_resamples=499, n_jobs=1,
                                  progress=False).table  # fmt: skip
            level = dict(zip((f"system {i}" for i in range(len(levels))), levels, strict=True))
            null = table[table["new"].map(level) == table["baseline"].map(level)]
            claims += len(null)
            for name in DISCOVERIES:
                if called := int((table[name] <= ALPHA).sum()):
                    shares[name] += int((null[name] <= ALPHA).sum()) / called
            for column in small:
                small[column] += int((null[column] <= ALPHA).sum())
            for name, (column, second, _) in ADJUSTED.items():
                rejected = null[column] <= ALPHA
                if second:
                    rejected &= null[second] <= ALPHA
                false[name] += bool(rejected.any())
        for name, (_, _, note) in ADJUSTED.items():
            unequal = NOISIER if len(set(deviations)) > 1 and name == "holm" else note
            yield Rate(f"audit().table: any false claim by {name}", setting, "size", ALPHA, false[name], n, unequal)
        for name, share in shares.items():
            front = NOISIER if len(set(deviations)) > 1 and not name.startswith("runs") else ""
            note = front or (POSITIVE_DEPENDENCE if name.endswith("hochberg") else "")
            what = f"audit().table: share of false claims by {name}"
            yield Rate(what, setting, "size", ALPHA, round(share), n, note)
        for column, count in small.items():
            note = "labelled: conditional on the claim being suggested by the data"
            yield Rate(f"audit().table: a suggested claim by {column}", setting, "size", ALPHA, count, claims, note)


def simulated_powers(n: int) -> Iterator[Rate]:
    """Coverage of the intervals of a simulated power, whose count is binomial."""
    rng = np.random.default_rng(6)
    for power, trials in ((0.05, 200), (0.5, 200), (0.8, 1000), (0.99, 1000)):
        counts = rng.binomial(trials, power, size=n)
        hits = sum(low <= power <= high for low, high in (wilson_interval(int(count), trials) for count in counts))
        yield Rate("power().table low, high", f"power {power:g}, {trials} simulations", "coverage", 0.95, hits, n)


def searches(n: int, truth_from: int = 4000) -> Iterator[Rate]:
    """Whether the range of `seeds_needed` holds the true number of seeds."""
    for effect, noise, statistic in ((0.15, 0.06, "both"), (0.1, 0.045, "runs"), (0.3, 0.1, "runs")):
        settings = {"effect": effect, "noise": noise, "statistic": statistic, "n_resamples": 199, "progress": False}
        truth = copa_nb.seeds_needed(**settings, n_simulations=truth_from, rng=12345).seeds
        hits = near = 0
        for seed in range(n):
            answer = copa_nb.seeds_needed(**settings, n_simulations=200, rng=seed)
            low, high = answer.range
            hits += low <= truth and (high is None or truth <= high)
            near += answer.seeds is not None and abs(answer.seeds - truth) <= 1
        setting = f"effect {effect:g}, noise {noise:g}, statistic {statistic!r}: {truth} seeds"
        yield Rate("seeds_needed().range", setting, "coverage", 0.95, hits, n)
        yield Rate("seeds_needed().seeds within one of the truth", setting, "power", None, near, n)
