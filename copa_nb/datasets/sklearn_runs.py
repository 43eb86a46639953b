"""Random searches on binary tasks of the data sets that scikit-learn ships."""

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
