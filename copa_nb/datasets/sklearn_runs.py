"""What was trained on data sets that scikit-learn ships: random searches, and multi-task networks."""

from __future__ import annotations

import pandas as pd

from copa_nb.datasets.bundle import load_bundled


def load_sklearn_runs() -> pd.DataFrame:
    """Load random searches of two model families on five small binary tasks.

    Returns
    -------
    DataFrame
        One row per configuration: ``data`` ("breast cancer", "diabetes", "digits 3 and 8", "iris" or "wine"),
        ``model`` ("random forest" or "linear model"), ``seed`` (of split, configurations and training),
        ``configuration`` (0 to 99, in the order drawn), and on validation (``val_``) and test data (``test_``) the
        true and false positive rate, ``tpr`` (max) and ``fpr`` (min), and ``accuracy``. On the diabetes data
        ``tpr_difference`` is by how much the true positive rates of the two sexes differ; elsewhere it is missing.

    Notes
    -----
    Computed by ``tests/experiments/data_sets.py``, with the search spaces, models and 60/20/20 splits of
    :func:`copa_nb.papers.gap.german_credit_search.german_credit_search`. Positive are malignant tumors, the 30% of the
    patients whose disease progresses most, eights (or threes), versicolor irises (or others), and wines of the third
    grower (or others). Iris and wine have 30 and 36 test rows.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_sklearn_runs()
    >>> runs.groupby(["data", "model"])["configuration"].nunique().unique().tolist()
    [100]
    """
    return load_bundled("sklearn_data_sets_runs")


def load_multi_digits_runs() -> pd.DataFrame:
    """Load multi-task networks trained on pairs of handwritten digits by 14 methods.

    The experiment has the shape of the one on multi-SVHN in section 5.3 of COPA, whose results are not available.

    Returns
    -------
    DataFrame
        One row for each unit, length of training, method and seed: ``unit`` (1 or 4: the target of the pixel task is
        the share of active pixels, or four times that), ``epochs`` (25, 50 or 100), ``method`` ("Single" trains a
        network for each task), ``seed`` (0 to 2, of data and training), and on test pairs the accuracy in percent for
        the ``left`` and the ``right`` digit and the ``parity`` of their product (max), and the mean squared error of
        their ``sum`` and of the active ``pixels`` (min).

    Notes
    -----
    Computed by ``tests/experiments/multi_digits.py``, which says what was to be tested before anything was run. The 14
    methods are short versions written in numpy, with usual constants and one learning rate, so that the table shows
    what a criterion makes of many methods, not which of them is best.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_multi_digits_runs()
    >>> runs.groupby(["unit", "epochs"])["method"].nunique().unique().tolist()
    [14]
    """
    return load_bundled("multi_digits_runs")
