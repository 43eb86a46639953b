"""German credit: the public data, the bundled random search, the bundled sweep of accuracy against fairness."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import load_bundled

COLUMNS = (
    "checking_status", "duration_months", "credit_history", "purpose", "credit_amount", "savings", "employment_since",
    "installment_rate_pct", "personal_status", "other_debtors", "residence_since", "property", "age_years",
    "other_installment_plans", "housing", "existing_credits", "job", "people_liable", "telephone", "foreign_worker",
)  # fmt: skip


def load_german_credit() -> pd.DataFrame:
    """Load the Statlog German credit data of the UCI repository.

    Returns
    -------
    DataFrame
        1,000 rows: 20 attributes as in the file (13 are codes such as "A93", described by UCI; 7 are whole
        numbers) and ``bad`` (1 for the 300 bad credits, 0 for the 700 good ones). There are no objectives:
        this is training data. ``personal_status`` holds sex: A92 and A95 are women.

    Notes
    -----
    Source: Hofmann, Statlog (German Credit Data), UCI Machine Learning Repository, CC BY 4.0.
    Column names are ours, and the class is 1 for bad credit (2 in the file).

    Examples
    --------
    >>> from copa_nb import datasets
    >>> credit = datasets.load_german_credit()
    >>> int(credit["bad"].sum())
    300
    """
    return load_bundled("german_credit_rows")


def read_german_credit(data: str | Path | None = None) -> pd.DataFrame:
    """Read the UCI file or the bundled copy: columns ``a1`` to ``a20`` (codes are text) and ``bad`` (1: bad)."""
    names = [f"a{k}" for k in range(1, 21)]
    if data is None:
        return load_bundled("german_credit_rows").set_axis([*names, "bad"], axis=1)
    credit = pd.read_csv(data, sep=r"\s+", header=None, names=[*names, "class"])
    return credit[names].assign(bad=(credit["class"] == 2).astype(int))


def load_german_credit_runs(predictions: bool = False) -> pd.DataFrame:
    """Load the random search of "Mind the Gap" on German credit, as run by this package.

    Parameters
    ----------
    predictions : bool
        Whether to keep ``test_predictions``, the packed labels predicted for the 200 test rows; see
        :func:`load_german_credit_predictions`.

    Returns
    -------
    DataFrame
        10,000 rows: ``model`` ("random forest" or "linear model"), ``seed`` (ten; 1337 is the authors'),
        ``configuration`` (0 to 499, in the order drawn), hyper-parameters of both families (missing where they
        do not apply), and the objectives ``val_precision``, ``val_recall``, ``test_precision``,
        ``test_recall`` of bad credit, all in [0, 1], larger is better.

    Notes
    -----
    Computed by :func:`copa_nb.papers.gap.german_credit_search.german_credit_search`. Search spaces, splits and models
    are those of the paper (appendix A); the configurations are our own draws.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs()
    >>> runs.groupby("model")["seed"].nunique().to_dict()
    {'linear model': 10, 'random forest': 10}
    """
    runs = load_bundled("german_credit_runs")
    return runs if predictions else runs.drop(columns="test_predictions")


def load_german_credit_authors_search() -> pd.DataFrame:
    """Load the random search of "Mind the Gap" on German credit, exactly as the authors ran it.

    Returns
    -------
    DataFrame
        1,740 rows: ``model`` ("random forest" or "linear model"), ``search`` (number of configurations of this
        search: 50, 100, 200 or 500, for the random forest also 40), ``evaluation`` (1, 2, ... within the search), and
        the objectives ``val_precision``, ``val_recall``, ``test_precision``, ``test_recall`` of bad credit, all in
        [0, 1], larger is better.

    Notes
    -----
    Each budget is a separate search, not the beginning of a longer one. The table was made with the authors' seed
    (1337), search spaces and sampler, with library versions of that time
    (``tests/experiments/german_credit_authors.py``). It reproduces all but one of the numbers in the
    paper's Table 1 to four digits. :func:`load_german_credit_runs` has other draws of the same search, over ten splits.

    References
    ----------
    .. [1] Feurer et al., "Mind the Gap: Measuring Generalization Performance Across Multiple Objectives", IDA 2023,
       Table 1 and appendix A.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> search = datasets.load_german_credit_authors_search().query("model == 'random forest' and search == 200")
    >>> one = search.moo.gap(keep="first", reference={"precision": 0, "recall": 0})
    >>> one.summary[["hv_validation", "hv_pessimistic", "hv_optimistic", "gap"]].astype(float).round(4).tolist()
    [0.6426, 0.606, 0.6272, 0.0212]
    """
    return load_bundled("german_credit_authors_search")


def load_german_credit_predictions(system: str, repeat: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Load the predictions of every configuration of one search for every test row, and the true labels.

    Parameters
    ----------
    system : {"random forest", "linear model"}
        Model family.
    repeat : int
        Repetition.

    Returns
    -------
    predictions : DataFrame of uint8, shape (500, 200)
        Indexed by ``configuration``, one column per test row; 1 is bad credit.
    truth : ndarray of uint8, shape (200,)

    Raises
    ------
    ValueError
        For an unknown system or repeat.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> predictions, truth = datasets.load_german_credit_predictions("random forest", 1337)
    >>> predictions.shape, int(truth.sum())
    ((500, 200), 60)
    """
    runs = load_german_credit_runs(predictions=True)
    labels = load_bundled("german_credit_runs_labels").set_index("seed")
    checks.one_of("system", system, sorted(set(runs["model"])))
    checks.one_of("repeat", repeat, labels.index.tolist())
    n = int(labels.loc[repeat, "n_test"])  # type: ignore[arg-type]
    chosen = runs[(runs["model"] == system) & (runs["seed"] == repeat)]
    unpacked = np.array([unpack_predictions(packed, n) for packed in chosen["test_predictions"]])
    truth = unpack_predictions(str(labels.loc[repeat, "test_labels"]), n)
    return pd.DataFrame(unpacked, index=pd.Index(chosen["configuration"], name="configuration")), truth


def pack_predictions(predictions: np.ndarray) -> str:
    """Write labels 0 and 1 as hexadecimal digits, four labels a digit.

    Examples
    --------
    >>> pack_predictions(np.array([1, 0, 0, 0, 0, 0, 0, 1, 1, 1]))
    '81c0'
    """
    return np.packbits(predictions.astype(bool)).tobytes().hex()


def unpack_predictions(packed: str, n: int) -> np.ndarray:
    """Undo :func:`pack_predictions` for `n` labels.

    Examples
    --------
    >>> unpack_predictions("81c0", 10)
    array([1, 0, 0, 0, 0, 0, 0, 1, 1, 1], dtype=uint8)
    """
    return np.unpackbits(np.frombuffer(bytes.fromhex(packed), dtype=np.uint8), count=n)


def nondegenerate(runs: pd.DataFrame) -> pd.Series:
    """Mark the configurations whose precision and recall are not both 0, on validation or on test.

    A configuration that never predicts bad credit has a precision and recall of 0. If one on the validation front has
    them on test, every other row dominates it, and it is the whole pessimistic front, with hypervolume 0. The authors'
    program excludes such configurations. Use it as ``where=`` of ``df.moo.gap()``.

    Parameters
    ----------
    runs : DataFrame
        From :func:`load_german_credit_runs`.

    Returns
    -------
    Series of bool
        On the index of `runs`.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs()
    >>> int(datasets.nondegenerate(runs).sum())
    7340
    """
    on_validation = (runs["val_precision"] == 0) & (runs["val_recall"] == 0)
    on_test = (runs["test_precision"] == 0) & (runs["test_recall"] == 0)
    return ~(on_validation | on_test)


def load_german_credit_fairness() -> pd.DataFrame:
    """Load the package's own sweep of accuracy against fairness on German credit.

    Returns
    -------
    DataFrame
        600 models, one per row, indexed by ``model`` (family, method, strength and seed): ``family`` (five
        model families), ``method`` (plain, three ways of constraining the training with fairlearn, thresholds
        per sex), ``strength`` (bound, multiplier or penalty), ``seed`` (0 to 4; decides the split), and on
        held-out data the objectives ``accuracy`` (max) and ``equal_opportunity_gap`` (min: difference between the
        true positive rates of women and men), with ``tpr_women`` and ``tpr_men``.

    Notes
    -----
    Computed by :mod:`copa_nb.papers.copa.fairness_sweep`.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> models = datasets.load_german_credit_fairness()
    >>> len(models), models.groupby(["family", "method", "strength"]).ngroups, models["seed"].nunique()
    (600, 120, 5)
    """
    models = load_bundled("german_credit_fairness")
    models.index = fairness_labels(models)
    return models


def fairness_labels(models: pd.DataFrame) -> pd.Index:
    """Return labels of the models of a fairness sweep, made of family, method, strength and seed."""
    strengths = models["strength"].map("{:g}".format)
    labels = models["family"] + ", " + models["method"] + " " + strengths + ", seed " + models["seed"].astype(str)
    return pd.Index(labels, name="model")
