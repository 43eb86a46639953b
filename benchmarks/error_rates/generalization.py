"""Intervals of approximation gaps: classifiers with known error rates, chosen on validation, scored on test.

Scores of instances are normal, shifted by 1.5 for the positive third; a model adds noise of its own and puts a
threshold, so that its rates are known exactly, and with them the hypervolumes and the gap of any front. Six equal
models have gap 0 in truth and a positive gap on every test set.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from benchmarks.error_rates import Answers, Rate, names_of
from tests import asked

SHIFT, POSITIVE = 1.5, 1 / 3
N_DRAWS = 300
N_REPETITIONS = 1500
BOOTSTRAPPED = ("gap", "relative_gap", "hv_optimistic", "hv_pessimistic")
QUANTITIES = (*BOOTSTRAPPED, "optimism")
FALLS = "gap(repeat=).falls(): winners_curse of the hypervolume"


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
    """Coverage of the intervals of ``gap().bootstrap`` and of repeated gaps."""
    yield from bootstrap_rates(n)
    yield from bootstrap_pair_rates(min(n, 200))
    yield from repeat_rates(n)


def bootstrap_rates(n: int, settings: tuple[Setting, ...] = BOOTSTRAP) -> Iterator[Rate]:
    """How often intervals of ``gap().bootstrap`` cover the quantity of the front that was chosen."""
    for number, setting in enumerate(settings):
        answers = bootstrap_answers(n, setting, np.random.default_rng([1, number]))
        for quantity, given in answers.items():
            yield given.rate(f"gap().bootstrap().interval({quantity!r})", str(setting), "coverage", 0.95)


def bootstrap_pair_rates(n: int, settings: tuple[Setting, ...] = BOOTSTRAP) -> Iterator[Rate]:
    """The same with both of its options: of equal rows the first, and a tenth of the validation scores missing."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([4, number])
        answers = bootstrap_answers(n, setting, rng, missing=0.1, keep="first", nan_policy="omit")
        for quantity, given in answers.items():
            what = f"gap().bootstrap() with pairs of options: {quantity}"
            yield given.rate(what, f"keep and omit: {setting}", "coverage", 0.95)


def bootstrap_answers(
    n: int, setting: Setting, rng: np.random.Generator, *, missing: float = 0.0, keep: str = "all",
    nan_policy: str = "raise",
) -> dict[str, Answers]:  # fmt: skip
    """Whether intervals of each quantity cover it."""
    answers = {quantity: Answers() for quantity in BOOTSTRAPPED}
    for _ in range(n):
        models = Models(rng, setting)
        validation = _on_a_line(setting.n_models)
        if not setting.equal:
            validation = measured_costs(*models.predict(rng, setting.n_validation), setting.metrics)
        predicted, truth = models.predict(rng, setting.n_test)
        there = rng.random(setting.n_models) >= missing if missing else np.ones(setting.n_models, dtype=bool)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows that are left out, as was asked
            scores = _scores("", np.where(there[:, None], validation, np.nan), setting.metrics)
            found = asked.gap(
                scores, test=scores, objectives=_directions(setting.metrics), reference=_corner(setting.metrics),
                keep=keep, nan_policy=nan_policy,
            ).bootstrap(
                pd.DataFrame(predicted.astype(int)), truth.astype(int),
                {name: METRICS[name] for name in setting.metrics}, n_resamples=N_DRAWS, rng=rng,
            )  # fmt: skip
        if keep == "first":
            firsts = np.unique(validation[there], axis=0, return_index=True)[1]
            there = np.isin(np.arange(setting.n_models), np.flatnonzero(there)[firsts])
        chosen = np.flatnonzero(there)[front(validation[there])]
        right = gaps(models.true_costs(setting.metrics)[chosen][None])
        for quantity in BOOTSTRAPPED:
            low, high = found.interval(quantity)
            covers = low - 1e-9 <= right[quantity][0] <= high + 1e-9
            answers[quantity].add(not covers, names_of(found.guarantee))
    return answers


def repeat_rates(n: int, settings: tuple[Setting, ...] = REPEATS) -> Iterator[Rate]:
    """How often intervals of a mean over repetitions cover it; every repetition has its own data."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([2, number])
        models = Models(np.random.default_rng(1), setting)
        costs, lines = zip(*(_repetition(rng, models, setting) for _ in range(N_REPETITIONS)), strict=True)
        true = pd.DataFrame(lines).mean().to_dict()
        for size in (3, 5, 10):
            answers = {quantity: Answers() for quantity in (*QUANTITIES, "winners_curse")}
            for sample in rng.integers(N_REPETITIONS, size=(n, size)):
                validation, test = np.concatenate([costs[draw] for draw in sample], axis=1)
                frame = _scores("val_", validation, setting.metrics).join(_scores("test_", test, setting.metrics))
                frame["repetition"] = np.repeat(range(size), setting.n_models)
                found = asked.gap(
                    frame, repeat="repetition", objectives=_directions(setting.metrics),
                    reference=_corner(setting.metrics),
                )  # fmt: skip
                for quantity in QUANTITIES:
                    answers[quantity].add(not _within(*found.interval(quantity), true[quantity]),
                                          names_of(found.guarantee))  # fmt: skip
                ends = found.falls().loc["hypervolume", ["low", "high"]]
                answers["winners_curse"].add(not _within(*ends, true["winners_curse"]), names_of(found.guarantee))
            for quantity, given in answers.items():
                what = FALLS if quantity == "winners_curse" else f"gap(repeat=).interval({quantity!r})"
                yield given.rate(what, f"{setting}, {size} repetitions", "coverage", 0.95)


def _within(low: float, high: float, value: float) -> bool:
    return bool(low - 1e-12 <= value <= high + 1e-12)


def _repetition(rng: np.random.Generator, models: Models, setting: Setting) -> tuple[np.ndarray, dict[str, float]]:
    """Costs of one search on validation and on test, and what its gap is, computed without the package."""
    validation = measured_costs(*models.predict(rng, setting.n_validation), setting.metrics)
    test = measured_costs(*models.predict(rng, setting.n_test), setting.metrics)
    chosen = front(validation)
    line = {name: float(values[0]) for name, values in gaps(test[chosen][None]).items()}
    promised = float(gaps(validation[chosen][None])["hv_optimistic"][0])
    line["optimism"] = promised - line["hv_optimistic"]
    usual = validation[chosen] + (test - validation).mean(axis=0)
    line["winners_curse"] = float(_area(usual[None], front(usual)[None])[0]) - line["hv_optimistic"]
    return np.stack([validation, test]), line


def _on_a_line(n: int) -> np.ndarray:
    """Costs of models that are all on the front."""
    place = np.linspace(0.1, 0.9, n)
    return np.column_stack([place, 1 - place])


def _directions(metrics: tuple[str, str]) -> dict[str, str]:
    return {name: "min" if name == "fall-out" else "max" for name in metrics}


def _corner(metrics: tuple[str, str]) -> dict[str, float]:
    """The worst value of each metric, as the reference point."""
    return {name: 1.0 if name == "fall-out" else 0.0 for name in metrics}


def _scores(prefix: str, costs: np.ndarray, metrics: tuple[str, str]) -> pd.DataFrame:
    """Costs as scores in the metrics' own directions."""
    columns = {name: cost if name == "fall-out" else 1 - cost for name, cost in zip(metrics, costs.T, strict=True)}
    return pd.DataFrame(columns).add_prefix(prefix)


def _fall_out(truth: np.ndarray, predicted: np.ndarray) -> float:
    return float(predicted[truth == 0].mean())


# What `bootstrap` is told of each metric.
METRICS = {"precision": "precision", "recall": "recall", "fall-out": _fall_out}
