"""Intervals of approximation gaps: classifiers with known error rates, chosen on validation, scored on test.

Scores of instances are normal, shifted by 1.5 for the positive third; a model adds noise of its own and puts a
threshold, so that its rates are known exactly, and with them the hypervolumes and the gap of any front. Six equal
models have gap 0 in truth and a positive gap on every test set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from copa_nb.generalization.arrays import intervals
from tests.benchmarks.error_rates import Rate

SHIFT, POSITIVE = 1.5, 1 / 3
N_DRAWS = 300
QUANTITIES = (*intervals.QUANTITIES, "overestimation")
NO_LEVEL = "fewer than five repetitions: the package states no level"


class Setting(NamedTuple):
    """How many models are tried, and on how many instances."""

    n_models: int
    n_validation: int
    n_test: int
    metrics: tuple[str, str] = ("recall", "fall-out")
    equal: bool = False

    def __str__(self) -> str:
        models = "6 equal models" if self.equal else f"{self.n_models} models"
        return f"{models}, {self.n_test:,} test instances, {' and '.join(self.metrics)}"


PRECISION = ("precision", "recall")
BOOTSTRAP = (
    Setting(20, 100, 200), Setting(40, 200, 500), Setting(60, 200, 1000), Setting(20, 2000, 1000),
    Setting(6, 50, 300, equal=True), Setting(20, 100, 200, PRECISION), Setting(60, 200, 1000, PRECISION),
    Setting(6, 50, 300, PRECISION, equal=True),
)  # fmt: skip
REPEATS = (Setting(20, 100, 200), Setting(60, 200, 1000), Setting(20, 2000, 1000), Setting(6, 50, 300, equal=True))


class Models:
    """Classifiers of one simulated search."""

    def __init__(self, rng: np.random.Generator, setting: Setting) -> None:
        n = setting.n_models
        self.threshold = np.full(n, 0.75) if setting.equal else rng.uniform(-0.5, 2.0, n)
        self.noise = np.full(n, 0.5) if setting.equal else rng.uniform(0.2, 1.0, n)

    def predict(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Predictions of every model for n instances, and the truth."""
        truth = np.arange(n) % 3 == 0
        score = rng.normal(size=n) + SHIFT * truth
        noise = rng.normal(size=(len(self.noise), n)) * self.noise[:, None]
        return score + noise > self.threshold[:, None], truth

    def true_costs(self, metrics: tuple[str, str]) -> np.ndarray:
        """What an endless test set would show, as costs between 0 and 1."""
        spread = np.sqrt(1 + self.noise**2)
        recall, fall_out = ndtr((SHIFT - self.threshold) / spread), ndtr(-self.threshold / spread)
        return _costs(recall * POSITIVE, fall_out * (1 - POSITIVE), POSITIVE, 1 - POSITIVE, metrics)


def _costs(hits: np.ndarray, alarms: np.ndarray, positives: float, negatives: float, metrics: tuple) -> np.ndarray:
    missed = 1 - hits / positives
    if metrics == PRECISION:
        called = hits + alarms
        return np.stack([1 - np.divide(hits, called, out=np.zeros_like(called), where=called > 0), missed], axis=-1)
    return np.stack([missed, alarms / negatives], axis=-1)


def measured_costs(predicted: np.ndarray, truth: np.ndarray, metrics: tuple[str, str]) -> np.ndarray:
    """Costs of models on a test set."""
    hits, alarms = (predicted & truth).sum(axis=1), (predicted & ~truth).sum(axis=1)
    return _costs(hits * 1.0, alarms * 1.0, truth.sum(), (~truth).sum(), metrics)


def front(costs: np.ndarray) -> np.ndarray:
    """Which rows no other dominates."""
    return ~_dominates(costs[None])[0].any(axis=0)


def gaps(costs: np.ndarray) -> dict[str, np.ndarray]:
    """Hypervolumes and gap of fronts, shape (n_fronts, n_models, 2), within the unit square; written anew."""
    dominates = _dominates(costs)
    optimistic = _area(costs, ~dominates.any(axis=1))
    pessimistic = _area(costs, ~dominates.any(axis=2))
    gap = optimistic - pessimistic
    relative = np.divide(gap, optimistic, out=np.zeros_like(gap), where=optimistic > 0)
    return {"gap": gap, "hv_optimistic": optimistic, "hv_pessimistic": pessimistic, "relative_gap": relative}


def _dominates(costs: np.ndarray) -> np.ndarray:
    first, second = costs[:, :, None, :], costs[:, None, :, :]
    dominates: np.ndarray = (first <= second).all(axis=-1) & (first < second).any(axis=-1)
    return dominates


def _area(costs: np.ndarray, members: np.ndarray) -> np.ndarray:
    x, y = (np.where(members, np.minimum(costs[..., k], 1.0), 1.0) for k in (0, 1))
    order = np.argsort(x, axis=1, kind="stable")
    x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    widths = np.diff(x, axis=1, append=1.0)
    area: np.ndarray = (widths * (1 - np.minimum.accumulate(y, axis=1))).sum(axis=1)
    return area


def rates(n: int) -> Iterator[Rate]:
    """Coverage of the intervals of ``gap_bootstrap`` and of repeated gaps."""
    yield from bootstrap_rates(n)
    yield from repeat_rates(n)


def bootstrap_rates(n: int, settings: tuple[Setting, ...] = BOOTSTRAP) -> Iterator[Rate]:
    """How often intervals of ``gap_bootstrap`` cover the quantity of the front that was chosen."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([1, number])
        hits = dict.fromkeys(intervals.QUANTITIES, 0)
        for _ in range(n):
            models = Models(rng, setting)
            chosen = np.ones(setting.n_models, dtype=bool)
            if not setting.equal:
                chosen = front(measured_costs(*models.predict(rng, setting.n_validation), setting.metrics))
            predicted, truth = models.predict(rng, setting.n_test)
            predicted = predicted[chosen]
            right = gaps(models.true_costs(setting.metrics)[chosen][None])
            for quantity, (low, high) in bootstrap_intervals(predicted, truth, setting.metrics, rng).items():
                hits[quantity] += low - 1e-9 <= right[quantity][0] <= high + 1e-9
        for quantity, count in hits.items():
            yield Rate(f"gap_bootstrap().interval({quantity!r})", str(setting), "coverage", 0.95, count, n)


def bootstrap_intervals(
    predicted: np.ndarray, truth: np.ndarray, metrics: tuple[str, str], rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """All intervals of one bootstrap, as ``GapRepeats.interval`` makes them."""
    n = len(truth)
    counts = np.array([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(N_DRAWS)], dtype=float)
    costs = measured_costs(predicted, truth, metrics)
    drawn = _costs(
        counts @ (predicted & truth).T, counts @ (predicted & ~truth).T, (counts @ truth)[:, None],
        (counts @ ~truth)[:, None], metrics,
    )  # fmt: skip
    estimate = {name: float(values[0]) for name, values in gaps(costs[None]).items()}
    draws = gaps(drawn)
    found = {}
    for quantity in intervals.QUANTITIES:
        lower_end, moved, step = intervals.LOWER_END_OF.get(quantity), None, 1.0
        if lower_end is not None:
            step = intervals.step_of(lower_end, n)
            moved = gaps(intervals.moved_away(costs, drawn, step))[lower_end]
        found[quantity] = intervals.bootstrap_interval(quantity, estimate, draws, moved, step, level=0.95)
    return found


def repeat_rates(n: int, settings: tuple[Setting, ...] = REPEATS) -> Iterator[Rate]:
    """How often intervals of a mean over repetitions cover it; every repetition has its own data."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([2, number])
        models = Models(np.random.default_rng(1), setting)
        table = [_repetition(rng, models, setting) for _ in range(6000)]
        for quantity in QUANTITIES:
            values = np.array([line[quantity] for line in table])
            for size in (3, 5, 10):
                hits = 0
                for sample in rng.choice(values, size=(n, size)):
                    low, high = intervals.interval_of_mean(
                        sample, 1 / size, level=0.95, skewed=quantity in ("gap", "relative_gap")
                    )
                    hits += low - 1e-12 <= values.mean() <= high + 1e-12
                what = f"gap(repeat=).interval({quantity!r})"
                note = NO_LEVEL if size < 5 else ""
                yield Rate(what, f"{setting}, {size} repetitions", "coverage", 0.95, hits, n, note)


def _repetition(rng: np.random.Generator, models: Models, setting: Setting) -> dict[str, float]:
    validation = measured_costs(*models.predict(rng, setting.n_validation), setting.metrics)
    chosen = front(validation)
    test = measured_costs(*models.predict(rng, setting.n_test), setting.metrics)[chosen]
    line = {name: float(values[0]) for name, values in gaps(test[None]).items()}
    promised = float(gaps(validation[chosen][None])["hv_optimistic"][0])
    return line | {"overestimation": promised - line["hv_optimistic"]}
