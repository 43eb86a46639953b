"""The GSD test: entities whose points over problems come from known distributions.

A problem has a difficulty, which all entities share to some degree; accuracy is a share, and two measures of
robustness are cut into four classes. Entities with equal distributions dominate each other, so that to put one on the
front is an error; the least favourable case. An entity with higher accuracy and lower robustness is on it in truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.error_rates import Answers, Rate, names_of
from tests import asked

ALPHA, N_RESAMPLES = 0.05, 99
OBJECTIVES = {"accuracy": "max", "robust_x": "max", "robust_y": "max"}
POOLED = "labels exchanged over all rows: conservative where rows of one problem are alike"


class Setting(NamedTuple):
    """How many competitors, over how many problems, and how alike their values on one problem are."""

    n_competitors: int
    n_problems: int
    shared: float
    gain: float = 0.0
    dominated: bool = False

    def __str__(self) -> str:
        told = "equal entities"
        if self.gain:
            told = "dominated by all" if self.dominated else "more accurate, less robust"
        return f"{self.n_competitors} competitors, {self.n_problems} problems, correlation {self.shared:g}, {told}"

    def table(self, rng: np.random.Generator) -> pd.DataFrame:
        """Draw a suite; the item under test is number 0."""
        shape = (self.n_problems, self.n_competitors + 1, 3)
        difficulty = rng.normal(size=(self.n_problems, 1, 1)) * np.sqrt(self.shared)
        latent = difficulty + rng.normal(size=shape) * np.sqrt(1 - self.shared)
        latent[:, 0] += self.gain * np.array([-1.0, -1.0, -1.0] if self.dominated else [2.0, -1.0, -1.0])
        classes = np.searchsorted([-0.7, 0.0, 0.7], latent[:, :, 1:])
        problem, item = np.indices(shape[:2]).reshape(2, -1)
        accuracy = 1 / (1 + np.exp(-latent[:, :, 0])).ravel()
        robust_x, robust_y = classes.reshape(-1, 2).T
        return pd.DataFrame(
            {"problem": problem, "item": item, "accuracy": accuracy, "robust_x": robust_x, "robust_y": robust_y}
        )


SIZES = (Setting(1, 15, 0.0), Setting(1, 15, 0.7), Setting(1, 25, 0.7), Setting(3, 15, 0.0), Setting(3, 15, 0.7))
DOMINATED = (Setting(1, 15, 0.7, 0.5, dominated=True),)
POWERS = (Setting(1, 15, 0.7, 1.0), Setting(1, 25, 0.7, 1.0), Setting(3, 15, 0.7, 1.0))


def rates(n: int) -> Iterator[Rate]:
    """Size and power of the static and the dynamic test, with both ways to exchange labels."""
    for paired in (False, True):
        for number, setting in enumerate((*SIZES, *DOMINATED, *POWERS)):
            yield from rates_of_tests(n, setting, paired, number)


def rates_of_tests(n: int, setting: Setting, paired: bool, number: int = 0) -> Iterator[Rate]:
    """How often the static test puts the item on the front, and the dynamic one on that of any competitors."""
    rng = np.random.default_rng([6, number, paired])
    static, dynamic = Answers(), Answers()
    for _ in range(n):
        front = asked.gsd_front(
            setting.table(rng), system="item", item="problem", ordinal=["robust_x", "robust_y"], objectives=OBJECTIVES,
            progress=False,
        )  # fmt: skip
        test = front.test(0, alpha=ALPHA, n_resamples=N_RESAMPLES, paired=paired, rng=rng)
        static.add(test.on_front, names_of(test.guarantee))
        dynamic.add(bool(test.subset), names_of(test.guarantee))
    is_power = bool(setting.gain) and not setting.dominated
    kind, nominal = ("power", None) if is_power else ("size", ALPHA)
    note = "" if paired or not setting.shared else POOLED
    way = "paired=True" if paired else ""
    yield static.rate(f"gsd_front().test({way}), static", str(setting), kind, nominal, note)
    yield dynamic.rate(f"gsd_front().test({way}), dynamic", str(setting), kind, nominal, note)
