"""Small tables that papers print, carried in the package."""

from __future__ import annotations

import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import load_bundled
from copa_nb.objectives import define

_ALL_DOMAINS = ("VLCS", "PACS", "OfficeHome", "DomainNet", "TerraIncognita", "ColoredMNIST", "RotatedMNIST")


def load_domainbed(*, datasets: str = "four") -> pd.DataFrame:
    """Load the domain-generalisation accuracies of DomainBed.

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
    whose numbers are not publicly available.

    Examples
    --------
    >>> table = load_domainbed()
    >>> float(table.loc["Mixup", "PACS"]), list(table.attrs["moo"]["objectives"])
    (86.8, ['VLCS', 'PACS', 'OfficeHome', 'DomainNet'])
    """
    checks.one_of("datasets", datasets, ("four", "all"))
    table = load_bundled("domainbed_oracle")
    return define(table, dict.fromkeys(_ALL_DOMAINS, "max")) if datasets == "all" else table


def load_mtl_qm9() -> pd.DataFrame:
    """Load test errors of multi-task methods on QM9 (11 molecular properties).

    Returns
    -------
    DataFrame
        12 rows, indexed by ``method``; ``STL`` (one network per task) is the reference row. Columns: mean
        absolute errors of the 11 properties (min), and two figures that the paper prints and that are
        not objectives: ``reported_MR`` (mean rank) and ``reported_delta_m_pct`` (mean relative
        worsening against STL in %); both are missing for STL.

    Notes
    -----
    Source: Liu et al., FAMO: Fast Adaptive Multitask Optimization (NeurIPS 2023), table of QM9.

    Examples
    --------
    >>> float(load_mtl_qm9().loc["STL", "mu"])
    0.07
    """
    return load_bundled("mtl_qm9")


def load_mtl_cityscapes() -> pd.DataFrame:
    """Load test results of multi-task methods on CityScapes.

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
    >>> load_mtl_cityscapes().attrs["moo"]["objectives"]["depth_relerr"]
    'min'
    """
    return load_bundled("mtl_cityscapes")


def load_deepobs() -> pd.DataFrame:
    """Load the DeepOBS comparison of three optimisers on eight deep-learning problems.

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
    >>> load_deepobs().groupby("problem").size().unique()
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
    >>> load_moea()["algorithm"].unique().tolist()
    ['FPS', 'PPS', 'CKPS', 'SPPS', 'HPPCM', 'DSSP', 'DVC']
    """
    return load_bundled("moea_migd")
