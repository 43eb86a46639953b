"""Published results: runs of agents, fairness methods and classifiers, and tables printed in papers."""

from __future__ import annotations

import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import load_bundled, round_means
from copa_nb.tables.description import define

_ALL_DOMAINS = ("VLCS", "PACS", "OfficeHome", "DomainNet", "TerraIncognita", "ColoredMNIST", "RotatedMNIST")

_METRICS = {
    "mu": "μ", "alpha": "α", "e_homo": "HOMO", "e_lumo": "LUMO", "R2": "⟨R²⟩", "zpve": "ZPVE", "cv": "c_v",
    "seg_miou": "segmentation mIoU", "seg_pixacc": "pixel accuracy", "depth_abserr": "absolute depth error",
    "depth_relerr": "relative depth error",
}  # fmt: skip


def load_agents(batch: str = "0409") -> pd.DataFrame:
    """Load runs of coding agents on HumanEval.

    Parameters
    ----------
    batch : {"0409", "0613"}
        Agents on models of April 2024 (13 systems, 65 runs) or of June 2023 (15 systems, 67 runs).

    Returns
    -------
    DataFrame
        One row per run. Columns: ``system`` (strategy and models), ``strategy``, ``models``, ``run`` (1 to 5:
        repeats, not matched between systems), the objectives ``accuracy`` (share of 164 problems solved, max),
        ``cost_usd`` (of the whole run, min) and ``time_s`` (of the whole run, min), and ``tokens``. Cost, time
        and tokens spread over three orders of magnitude: compare them on a log scale.

    Raises
    ------
    ValueError
        For an unknown batch.

    See Also
    --------
    copa_nb.accessor.Moo.hv_test : Test whether one system's front is better than another's.

    Notes
    -----
    Source: Kapoor, Stroebl et al., AI Agents That Matter (2024),
    https://github.com/benediktstroebl/agent-eval. In batch 0613 the two ``lats`` systems have one run each,
    and ``simple_repeat`` with GPT-3.5 has five equal accuracies.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_agents("0613")
    >>> len(runs), runs["system"].nunique(), int(runs.groupby("system").size().min())
    (67, 15, 1)
    """
    checks.one_of("batch", batch, ("0409", "0613"))
    return load_bundled(f"agent_runs_{batch}")


def load_acs_income() -> pd.DataFrame:
    """Load accuracy and equal-opportunity violation of fairness methods on ACSIncome.

    Returns
    -------
    DataFrame
        325 rows, one per run, indexed by ``model`` (method, statistic, strength and seed). Columns: ``method``,
        ``statistic`` (the statistic that is equalized), ``strength`` (of the fairness term, or the tolerance for
        ``error_parity``), ``reconstruction`` (``laftr`` only), ``seed``, the objectives ``accuracy`` (max) and
        ``violation`` (min: relative gap of true-positive rates between two groups, 0 is fair), and ``val_accuracy``,
        ``val_violation`` (NaN for 50 runs of ``laftr``), ``auroc``, ``f1``, ``training_s``.

    Notes
    -----
    Source: Defrance, Buyl and De Bie, ABCFair (NeurIPS 2024), https://github.com/aida-ugent/abcfair. The
    table has the 425 runs with a binary sensitive attribute, minus the 100 without a result.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_acs_income()
    >>> runs["seed"].nunique(), runs.attrs["moo"]["objectives"]
    (5, {'accuracy': 'max', 'violation': 'min'})
    """
    return load_bundled("acs_income_runs")


def load_uci_classifiers(*, unit: str = "mean") -> pd.DataFrame:
    """Load three metrics of eight classifiers on 16 UCI data sets.

    Parameters
    ----------
    unit : {"mean", "fold"}
        Means over 10 folds, or the folds.

    Returns
    -------
    DataFrame
        One row per ``dataset`` and ``classifier`` (128), and ``fold`` (1 to 10) for folds (1,280). Objectives:
        ``accuracy`` and ``auc`` (max), ``brier_score`` (min).

    Raises
    ------
    ValueError
        For an unknown unit.

    Notes
    -----
    Source: Blocher, Schollmeyer, Nalenz and Jansen, Comparing Machine Learning Algorithms by Union-Free
    Generic Depth (2024), https://github.com/hannahblo/Comparing_Algorithms_Using_UFG_Depth. Means are rounded to nine
    significant digits, so equal classifiers stay equal.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> table = datasets.load_uci_classifiers()
    >>> table["classifier"].nunique(), table["dataset"].nunique(), len(table)
    (8, 16, 128)
    """
    checks.one_of("unit", unit, ("mean", "fold"))
    folds = load_bundled("uci_classifier_folds")
    if unit == "fold":
        return folds
    means = folds.groupby(["dataset", "classifier"], as_index=False)[["accuracy", "auc", "brier_score"]].mean()
    means = round_means(means)
    means.attrs = folds.attrs
    return define(means, repeat=None)


def load_pmlb_robustness() -> pd.DataFrame:
    """Load the accuracy of six classifiers on Penn ML data sets, clean and with noise.

    Returns
    -------
    DataFrame
        378 rows, one per data set and classifier. Columns: ``dataset`` (1 to 63; the source has no names),
        ``classifier`` (``cre``, compressed rule ensembles, is the new one), and the objectives ``accuracy``,
        ``robust_x`` and ``robust_y`` (accuracy with 20% noise in features and in classes), all max.

    See Also
    --------
    copa_nb.accessor.Moo.gsd_front : Classifiers that no other one dominates.

    Notes
    -----
    Source: Jansen, Schollmeyer, Blocher, Rodemann and Augustin, Statistical Multicriteria Benchmarking via the
    GSD-Front (NeurIPS 2024). On every data set, ``robust_y`` of the five classifiers other than ``cre`` is ``robust_x``
    in the opposite order of classifiers: an error of the source, which also affects its published tests; the values are
    as published.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> suite = datasets.load_pmlb_robustness()
    >>> suite["dataset"].nunique(), suite["classifier"].unique().tolist()
    (63, ['cre', 'svmRadial', 'J48', 'ranger', 'knn', 'glmnet'])
    """
    return load_bundled("pmlb_robustness")


def load_openml_forest_and_tree() -> pd.DataFrame:
    """Load accuracy and CPU time of a random forest and a classification tree on 80 OpenML data sets.

    Returns
    -------
    DataFrame
        160 rows. Columns: ``classifier``, ``row`` (1 to 80, by CPU time: the source does not match the data sets of
        the two), and the objectives ``accuracy`` (max) and ``cpu_s`` (training and prediction, min).

    Notes
    -----
    Source: Jansen, Schollmeyer, Blocher, Rodemann and Augustin, Statistical Multicriteria Benchmarking via the
    GSD-Front (NeurIPS 2024); the other five classifiers of the paper are not in the public file.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.load_openml_forest_and_tree().groupby("classifier")["accuracy"].mean().round(3).to_dict()
    {'classification tree': 0.831, 'random forest': 0.854}
    """
    return load_bundled("openml_forest_and_tree")


def load_domainbed(*, datasets: str = "four") -> pd.DataFrame:
    """Load the domain-generalization accuracies of DomainBed.

    Parameters
    ----------
    datasets : {"four", "all"}
        Which columns are objectives: VLCS, PACS, OfficeHome and DomainNet, as in figure 7 of COPA, or all
        seven.

    Returns
    -------
    DataFrame
        14 rows, indexed by ``algorithm``. Columns: accuracy in % on ``VLCS``, ``PACS``, ``OfficeHome``,
        ``DomainNet``, ``TerraIncognita``, ``ColoredMNIST``, ``RotatedMNIST`` (max), and ``avg4``, the mean
        of the first four. Models were selected on the test domain (oracle).

    Raises
    ------
    ValueError
        For an unknown value of `datasets`.

    Notes
    -----
    Source: Gulrajani and Lopez-Paz, In Search of Lost Domain Generalization (ICLR 2021), the results
    file of the DomainBed repository (MIT), test-domain selection. COPA's table has six newer methods
    whose numbers are not available.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> table = datasets.load_domainbed()
    >>> float(table.loc["Mixup", "PACS"]), list(table.attrs["moo"]["objectives"])
    (86.8, ['VLCS', 'PACS', 'OfficeHome', 'DomainNet'])
    """
    checks.one_of("datasets", datasets, ("four", "all"))
    table = load_bundled("domainbed_oracle")
    return define(table, dict.fromkeys(_ALL_DOMAINS, "max")) if datasets == "all" else table


def load_mtl_qm9(*, headings: bool = False) -> pd.DataFrame:
    """Load test errors of multi-task methods on QM9 (11 molecular properties).

    Parameters
    ----------
    headings : bool
        Whether to name the properties for figures and tables: ``⟨R²⟩`` instead of ``R2``.

    Returns
    -------
    DataFrame
        12 rows, indexed by ``method``; ``STL`` (one network per task) is the reference row. Columns: mean
        absolute errors of the 11 properties (min), and two numbers printed in the paper that are
        not objectives: ``reported_MR`` (mean rank) and ``reported_delta_m_pct`` (mean relative
        worsening against STL in %); both are missing for STL.

    Notes
    -----
    Source: Liu et al., FAMO: Fast Adaptive Multitask Optimization (NeurIPS 2023), table of QM9.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> float(datasets.load_mtl_qm9().loc["STL", "mu"])
    0.07
    """
    return _with_headings(load_bundled("mtl_qm9"), headings)


def load_mtl_cityscapes(*, headings: bool = False) -> pd.DataFrame:
    """Load test results of multi-task methods on CityScapes.

    Parameters
    ----------
    headings : bool
        Whether to name the metrics for figures and tables: ``absolute depth error`` instead of ``depth_abserr``.

    Returns
    -------
    DataFrame
        13 rows, indexed by ``method``; ``STL`` (one network per task) is the reference row. Objectives:
        segmentation ``seg_miou`` and ``seg_pixacc`` in % (max), depth ``depth_abserr`` and
        ``depth_relerr`` (min). Not objectives: ``reported_MR`` and ``reported_delta_m_pct`` as printed.

    Notes
    -----
    Source: Liu et al., FAMO: Fast Adaptive Multitask Optimization (NeurIPS 2023), table of CityScapes.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.load_mtl_cityscapes().attrs["moo"]["objectives"]["depth_relerr"]
    'min'
    """
    return _with_headings(load_bundled("mtl_cityscapes"), headings)


def _with_headings(table: pd.DataFrame, headings: bool) -> pd.DataFrame:
    if not headings:
        return table
    directions = table.attrs["moo"]["objectives"]
    named = {_METRICS.get(name, name): direction for name, direction in directions.items()}
    return define(table.rename(columns=_METRICS), named)


def load_deepobs() -> pd.DataFrame:
    """Load the DeepOBS comparison of three optimizers on eight deep-learning problems.

    Returns
    -------
    DataFrame
        24 rows. Columns: ``problem`` (P1 to P8), ``optimizer`` (SGD, Momentum, Adam), and the criteria
        ``performance`` (test loss, or a rank of the printed accuracies) and ``speed`` (iterations or
        epochs to convergence), both "min".

    Notes
    -----
    Source: Schneider, Balles and Hennig, DeepOBS (ICLR 2019), as tabulated for the partial-rankings paper
    (https://github.com/hannahblo/Posets_Optimizers).

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.load_deepobs().groupby("problem").size().unique()
    array([3])
    """
    return load_bundled("deepobs_optimizers")


def load_moea() -> pd.DataFrame:
    """Load the comparison of seven dynamic multi-objective evolutionary algorithms.

    Returns
    -------
    DataFrame
        91 rows: 13 ``problem`` by 7 ``algorithm``. Criteria, all "min": mean inverted generational distance
        over the whole run (``migd_total``) and over its three stages (``migd_stage1`` to ``migd_stage3``).

    Notes
    -----
    Source: Wu et al., a table of means without standard errors, as tabulated for the partial-rankings
    paper (https://github.com/hannahblo/Posets_Optimizers).

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.load_moea()["algorithm"].unique().tolist()
    ['FPS', 'PPS', 'CKPS', 'SPPS', 'HPPCM', 'DSSP', 'DVC']
    """
    return load_bundled("moea_migd")
