"""FairGrad on the Adult data, with 20 strengths and five seeds."""

from __future__ import annotations

import pandas as pd

from copa_nb.datasets.bundle import load_bundled


def load_adult_fairgrad() -> pd.DataFrame:
    """Load accuracy and violation of equal opportunity of 100 linear models trained with FairGrad.

    Returns
    -------
    DataFrame
        100 models, one per row, indexed by ``model`` (strength and seed): ``strength`` (the difference from the overall
        true positive rate that FairGrad allows each sex, 0 to 0.095), ``seed`` (0 to 4; decides who trains and who
        tests), and on test data the objectives ``accuracy`` (max) and ``violation`` (min: difference between the true
        positive rates of women and men), with ``tpr_women`` and ``tpr_men``.

    Notes
    -----
    Computed by ``tests/experiments/adult_fairgrad.py``: FairGrad (Maheshwari and Perrot, TMLR 2023) on the Adult data
    (Becker and Kohavi, UCI), 15,000 people to train and 15,000 others to test. Sex is not a feature.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> models = datasets.load_adult_fairgrad()
    >>> len(models), models["strength"].nunique(), models["seed"].nunique()
    (100, 20, 5)
    """
    models = load_bundled("adult_fairgrad")
    labels = "allowed " + models["strength"].map("{:g}".format) + ", seed " + models["seed"].astype(str)
    models.index = pd.Index(labels, name="model")
    return models
