"""Scores of a validation front under resampling of the test set, from predictions for its instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.generalization.scores import PairedScores
from copa_nb.tables.columns import label_order

Metric: TypeAlias = "str | Callable[[np.ndarray, np.ndarray], float]"
METRICS = ("mean", "accuracy", "error", "precision", "recall")


def resampled(
    front: PairedScores,
    predictions: pd.DataFrame,
    truth: Any,
    metrics: Mapping[Any, Metric],
    *,
    n_resamples: int,
    rng: Any,
) -> Iterator[PairedScores]:
    """Score the rows of a validation front on the test instances as they are, and then on every draw of them."""
    n_resamples = checks.integer("n_resamples", n_resamples)
    generator = checks.generator(rng)
    scorer = _Scorer(front, predictions, truth, metrics)
    n = scorer.n_instances
    yield scorer.scores(np.ones(n, dtype=np.int64))
    for _ in range(n_resamples):
        yield scorer.scores(np.bincount(generator.integers(n, size=n), minlength=n))


class _Scorer:
    """Scores the predictions of the validation front under how often each instance was drawn."""

    def __init__(
        self, front: PairedScores, predictions: pd.DataFrame, truth: Any, metrics: Mapping[Any, Metric]
    ) -> None:
        checks.frame(predictions, "predictions")
        if not predictions.index.is_unique:
            raise ValueError("`predictions` has repeated row labels; give one row per model.")
        lacking = front.index.difference(predictions.index, sort=False)
        if len(lacking):
            raise ValueError(
                f"`predictions` lacks {len(lacking)} rows of the validation front ({checks.listed(lacking, 3)})."
            )
        for name in front.objectives:
            if name not in metrics:
                raise ValueError(
                    f"`metrics` lacks {name!r}; define how to compute it from predictions, e.g. 'accuracy'."
                )
            if not callable(metrics[name]):
                checks.one_of("metrics", metrics[name], METRICS)
        self.front = front
        self.metrics = [metrics[name] for name in front.objectives]
        self.n_instances = predictions.shape[1]
        self.predicted = predictions.loc[front.index].to_numpy()
        self.truth = None if truth is None else np.asarray(truth)
        if self.truth is None and any(metric != "mean" for metric in self.metrics):
            raise ValueError("`truth` is needed for every metric but 'mean'; give the true label of each instance.")
        if self.truth is not None and self.truth.shape != (self.n_instances,):
            raise ValueError(
                f"`truth` has shape {self.truth.shape}; `predictions` has {self.n_instances} columns, one per instance."
            )
        # Instances are drawn in the order of their names: the same seed gives the same draws in any order of columns.
        instances = label_order(predictions.columns)
        self.predicted = self.predicted[:, instances]
        self.truth = None if self.truth is None else self.truth[instances]

    def scores(self, counts: np.ndarray) -> PairedScores:
        """Paired scores when instance i was drawn ``counts[i]`` times."""
        values = np.column_stack([self._score(metric, counts) for metric in self.metrics])
        return replace(self.front, test=values * self.front.objectives.signs + 0.0)

    def _score(self, metric: Metric, counts: np.ndarray) -> np.ndarray:
        if callable(metric):
            drawn = np.repeat(np.arange(self.n_instances), counts)
            return np.array([float(metric(self.truth[drawn], row[drawn])) for row in self.predicted])  # type: ignore[index]
        if metric == "mean":
            return np.asarray(self.predicted.astype(float) @ counts / counts.sum())
        if metric in ("accuracy", "error"):
            right = (self.predicted == self.truth) @ counts / counts.sum()
            return np.asarray(right if metric == "accuracy" else 1.0 - right)
        hits = ((self.predicted == 1) & (self.truth == 1)) @ counts
        whole = (self.predicted == 1) @ counts if metric == "precision" else ((self.truth == 1) @ counts)
        return np.asarray(np.divide(hits, whole, out=np.zeros(len(hits)), where=np.asarray(whole) > 0))
