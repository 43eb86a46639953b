"""Expected running times of optimizers on the BBOB functions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.datasets.bundle import describe, load_bundled

DIMENSIONS = (2, 3, 5, 10, 20, 40)
FUNCTIONS = tuple(range(1, 25))
PAPER_OPTIMIZERS = (
    "BFGS",
    "(1+2_m^s) CMA-ES",
    "BIPOP-CMA-ES",
    "MOS",
    "PSO",
    "RANDOMSEARCH",
    "FULLNEWUOA",
    "Nelder-Doerr",
    "iAMALGAM",
    "IPOP-CMA-ES",
    "G3PCX",
)

_COARSEST = 1e-3
_BUDGET = 5000


def load_bbob(*, dimension: int | str = 2, optimizers: str | list[str] = "paper") -> pd.DataFrame:
    """Load the criteria by which the partial-rankings paper compares optimizers on the 24 BBOB functions.

    Parameters
    ----------
    dimension : {2, 3, 5, 10, 20, 40, "all"}
        A number gives the two criteria of that dimension; "all" gives the running times in all six.
    optimizers : {"paper", "all"} or list of str
        The 11 optimizers of the paper, all 55, or names.

    Returns
    -------
    DataFrame
        One row per ``function`` (1 to 24) and ``optimizer``, with ``function_group``. Criteria for one
        dimension: ``ert``, the expected number of evaluations to reach precision 1e-3 (min; inf if it was
        never reached), and ``n_precisions``, how many of the six precisions 1e-3 to 1e-8 have an expected
        running time below 5,000 (max). For "all": ``ert_2`` to ``ert_40`` (min).

    Raises
    ------
    ValueError
        For an unknown dimension or optimizer.

    Notes
    -----
    Source: Mersmann et al., Analyzing the BBOB results by means of benchmarking concepts (Evolutionary Computation,
    2015), as stored in https://github.com/hannahblo/Posets_Optimizers. The published table has no row if a precision
    was never reached, or if an optimizer was not run in a dimension. As in the authors' program, both count as never
    reached. The paper leaves out functions 1, 18 and 24 in dimension 2, on which two optimizers are equal in all
    criteria. It does not mention all dimensions, where two are equal on 18 and 24. This table contains all functions.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> two = datasets.load_bbob(dimension=2)
    >>> two.shape, two.attrs["moo"]["objectives"]
    ((264, 5), {'ert': 'min', 'n_precisions': 'max'})
    """
    checks.one_of("dimension", dimension, (*DIMENSIONS, "all"))
    runs = load_bundled("bbob_runs")
    criteria = derive_criteria(runs)
    complete = _complete(criteria, _chosen_optimizers(criteria, optimizers))
    if dimension == "all":
        table = complete.pivot_table(
            index=["function", "function_group", "optimizer"], columns="dimension", values="ert", sort=False
        )
        table = table.add_prefix("ert_").rename_axis(columns=None).reset_index()
        objectives = {f"ert_{size}": "min" for size in DIMENSIONS}
    else:
        table = complete[complete["dimension"] == dimension].drop(columns="dimension").reset_index(drop=True)
        objectives = {"ert": "min", "n_precisions": "max"}
    words = {"system": "optimizer", "item": "function"}
    return describe(table, objectives=objectives, words=words, **runs.attrs["source"])


def load_bbob_runs() -> pd.DataFrame:
    """Load the expected running times behind :func:`load_bbob`, precision by precision.

    Returns
    -------
    DataFrame
        28,309 rows. Columns: ``optimizer``, ``dimension``, ``ert`` (the objective, min), ``precision`` (1e-3 to 1e-8),
        ``rank`` (of the running time among those of the same function, dimension and precision), ``function`` and
        ``function_group``. Only precisions that were reached have a row.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> runs = datasets.load_bbob_runs()
    >>> runs["optimizer"].nunique(), runs.attrs["moo"]["objectives"]
    (55, {'ert': 'min'})
    """
    runs = load_bundled("bbob_runs")
    ranks = runs.groupby(["dimension", "function", "precision"])["ert"].rank()
    runs.insert(list(runs).index("precision") + 1, "rank", ranks)
    return runs


def derive_criteria(runs: pd.DataFrame) -> pd.DataFrame:
    """Compute the two criteria of every optimizer, function and dimension.

    Parameters
    ----------
    runs : DataFrame
        As :func:`load_bbob_runs` returns it.

    Returns
    -------
    DataFrame
        Columns ``dimension``, ``function``, ``function_group``, ``optimizer``, ``ert`` and ``n_precisions``; a row for
        each combination that reached precision 1e-3, or any other, at least once.
    """
    key = ["dimension", "function", "function_group", "optimizer"]
    within = runs.assign(within=runs["ert"] < _BUDGET).groupby(key)["within"].sum().rename("n_precisions")
    coarsest = runs[np.isclose(runs["precision"], _COARSEST, rtol=1e-6, atol=0)].set_index(key)["ert"]
    return within.to_frame().join(coarsest).reset_index()[[*key, "ert", "n_precisions"]]


def _complete(criteria: pd.DataFrame, optimizers: list[str]) -> pd.DataFrame:
    """One row per combination: what is not there was never reached."""
    groups = criteria.drop_duplicates("function").set_index("function")["function_group"]
    key = ["dimension", "function", "optimizer"]
    grid = pd.MultiIndex.from_product([DIMENSIONS, FUNCTIONS, optimizers], names=key)
    table = criteria.set_index(key)[["ert", "n_precisions"]].reindex(grid).reset_index()
    table["ert"] = table["ert"].fillna(np.inf)
    table["n_precisions"] = table["n_precisions"].fillna(0).astype(int)
    table.insert(2, "function_group", table["function"].map(groups))
    return table


def _chosen_optimizers(criteria: pd.DataFrame, optimizers: str | list[str]) -> list[str]:
    known = sorted(criteria["optimizer"].unique())
    if isinstance(optimizers, str):
        checks.one_of("optimizers", optimizers, ("paper", "all"))
        return list(PAPER_OPTIMIZERS) if optimizers == "paper" else known
    for name in optimizers:
        checks.one_of("optimizers", name, known)
    return list(optimizers)
