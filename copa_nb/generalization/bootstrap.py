"""The verb ``gap_bootstrap``: the gap under resampling of the test set, from predictions for its instances."""

from __future__ import annotations

__all__ = ["gap_bootstrap"]

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.gap import Gap, GapRepeats, measure_gap
from copa_nb.generalization.scores import PairedScores, validation_scores
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results.citing import of_paper
from copa_nb.results.result import Grouped
from copa_nb.tables.columns import label_order
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike

Metric: TypeAlias = "str | Callable[[np.ndarray, np.ndarray], float]"
METRICS = ("mean", "accuracy", "error", "precision", "recall")


@of_paper("feurer2023gap")
@any_frame
@shared_parameters
def gap_bootstrap(
    frame: pd.DataFrame,
    *,
    predictions: pd.DataFrame,
    truth: Any = None,
    metrics: Mapping[Hashable, Metric] | Mapping[str, Metric],
    validation: str = "val_",
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike,
    keep: str = "all",
    n_resamples: int = 1000,
    nan_policy: str = "raise",
    rng: Any = 0,
) -> GapRepeats:
    """Resample the test set, to measure how much the gap depends on the instances that it happens to contain.

    The validation front stays fixed; the test instances are drawn with replacement and its rows are scored
    again on each draw. Two methods resampled with the same seed see the same draws, so
    :func:`~copa_nb.compare_gaps` compares them draw by draw. Extends the gap of section 3 of "Mind the Gap" [1]_.

    Parameters
    ----------
    frame : DataFrame
        One row per model with its validation scores (``val_precision``, ...); test scores are not needed.
    predictions : DataFrame
        One row per model (labels as in `frame`; those on the validation front suffice), one column per test
        instance: predicted labels, or per-instance scores for the metric "mean".
    truth : array-like of length n_instances, optional
        True labels. "precision" and "recall" take the label 1 (or True) as positive.
    metrics : mapping of objective to metric
        How each objective is computed from predictions: "accuracy", "error", "precision", "recall" (against
        `truth`), "mean" (of per-instance scores), or a function ``metric(truth, predicted) -> float``.
        Precision and recall of no positives are 0.
    validation : str
        Prefix of the validation columns.
    objectives, keep, nan_policy
        See :func:`copa_nb.gap`.
    reference : mapping of objective to value, or Reference
        The reference point. It must be fixed: a "worst" value would change with every resample.
    n_resamples : int
        Number of draws.
    %(rng)s

    Returns
    -------
    GapRepeats
        With ``kind="bootstrap"`` and the gap on the test set as it is in ``estimate``. Only rows of the
        validation front take part, so ``hv_test`` of its gaps is the hypervolume of these rows. Draws show a larger
        gap than the test set itself does, on average: use :meth:`~copa_nb.GapRepeats.interval`, which corrects this,
        and not quantiles of ``table``.

    Raises
    ------
    %(gate_errors)s
    ValueError
        If `reference` is a word, or predictions, truth or metrics do not fit the rows of the validation front.

    See Also
    --------
    copa_nb.gap : The gap on the test set as it is.

    References
    ----------
    .. [1] Feurer et al., "Mind the Gap", IDA 2023, https://arxiv.org/abs/2212.04183.

    Examples
    --------
    >>> import numpy as np, pandas as pd, copa_nb
    >>> frame = pd.DataFrame({"val_precision": [1.0, 0.5], "val_recall": [0.5, 1.0]}, index=["a", "b"])
    >>> truth = np.array([1, 1, 0, 0, 1, 0, 0, 1])
    >>> predictions = pd.DataFrame([[1, 0, 0, 0, 0, 0, 0, 1], [1, 1, 1, 0, 1, 1, 0, 1]], index=["a", "b"])
    >>> result = copa_nb.gap_bootstrap(
    ...     frame, predictions=predictions, truth=truth, metrics={"precision": "precision", "recall": "recall"},
    ...     objectives={"precision": "max", "recall": "max"}, reference={"precision": 0, "recall": 0}, n_resamples=50,
    ... )
    >>> result.estimate.gap
    0.0
    >>> result.table.shape
    (50, 8)
    """
    return bootstrap_of(
        lambda: validation_scores(frame, objectives=objectives, validation=validation, nan_policy=nan_policy),
        predictions=predictions, truth=truth, metrics=metrics, reference=reference, keep=keep, n_resamples=n_resamples,
        rng=rng,
    )  # fmt: skip


def bootstrap_of(
    read: Callable[[], PairedScores],
    *,
    predictions: pd.DataFrame,
    truth: Any = None,
    metrics: Mapping[Any, Metric],
    reference: ReferencePointLike,
    keep: str = "all",
    n_resamples: int = 1000,
    rng: Any = 0,
) -> GapRepeats:
    """Resample the test set for validation scores, which are read once all options are checked."""
    checks.one_of("keep", keep, KEEP)
    n_resamples = checks.integer("n_resamples", n_resamples)
    generator = checks.generator(rng)
    if isinstance(reference, str):
        raise ValueError(
            f"`reference` is {reference!r}, which would change with every resample; give a value per objective, e.g. "
            "reference={'precision': 0, 'recall': 0}."
        )
    scores = read()
    front = scores.take(np.flatnonzero(nondominated(scores.validation, keep=keep)))
    point = front.reference(reference, 0.0)
    scorer = _Scorer(front, predictions, truth, metrics)
    n = scorer.n_instances
    estimate = measure_gap(scorer.scores(np.ones(n, dtype=np.int64)), point, keep=keep, reference_given=True)
    draws: dict[Hashable, Gap] = {}
    for number in range(n_resamples):
        counts = np.bincount(generator.integers(n, size=n), minlength=n)
        draws[number] = measure_gap(scorer.scores(counts), point, keep=keep, reference_given=True)
    return GapRepeats(Grouped(draws, "draw"), "bootstrap", estimate, n)


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
