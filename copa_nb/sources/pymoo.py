"""pymoo: the final population of an optimisation."""

from __future__ import annotations

__all__ = ["from_pymoo"]

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.docstrings import shared_parameters
from copa_nb.sources.described import described, plain
from copa_nb.sources.formats import source


@source("a result of pymoo", directions="all minimized", library="pymoo")
@shared_parameters
def from_pymoo(
    result: Any,
    *,
    names: Sequence[str] | None = None,
    feasible: bool = True,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Make a table of what pymoo's ``minimize`` returns: one row per member of the final population.

    Parameters
    ----------
    result : pymoo Result or Population
        The result; every objective is minimized, as pymoo does.
    names : list of str, optional
        Names of the objectives; "f0", "f1", ... by default.
    feasible : bool
        Whether to leave out solutions that violate a constraint.
    %(own_objectives)s

    Returns
    -------
    DataFrame
        Objectives, the variables ("x0", ..., or their own names) and the constraints ("g0", ...; feasible up to 0).

    Raises
    ------
    TypeError
        For a result without a population.
    ValueError
        If `names` does not name each objective once.

    Examples
    --------
    >>> import copa_nb
    >>> from pymoo.algorithms.moo.nsga2 import NSGA2
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> result = minimize(get_problem("zdt1"), NSGA2(pop_size=20), ("n_gen", 5), seed=1)
    >>> len(copa_nb.from_pymoo(result).moo.front()) == len(result.F)
    True
    """
    population = getattr(result, "pop", result)
    if not hasattr(population, "get") or isinstance(population, Mapping) or not len(population):
        raise TypeError(
            f"`result` must be what pymoo's minimize returns, with a population that has members, not "
            f"{type(result).__name__}."
        )
    if not np.size(population.get("F")):
        raise ValueError("`result` has a population without objective values; evaluate it first.")
    values = np.atleast_2d(population.get("F")).astype(float)
    names = [f"f{k}" for k in range(values.shape[1])] if names is None else [str(name) for name in names]
    if len(names) != values.shape[1] or len(set(names)) != len(names):
        raise ValueError(f"`names` is {names!r}; it must name each of the {values.shape[1]} objectives once.")
    parts = [pd.DataFrame(values, columns=names), _variables(population.get("X")), _constraints(population.get("G"))]
    table = pd.concat(parts, axis="columns").rename_axis("solution")
    allowed = np.ravel(population.get("feas")).astype(bool) | (not feasible)
    return described(
        table.loc[allowed, ~table.columns.duplicated()],
        dict.fromkeys(names, "min"),
        name="pymoo",
        left_out={"infeasible": int((~allowed).sum())},
        rows="solutions",
        keep="feasible=False keeps them.",
        objectives=objectives,
    )


def _variables(x: np.ndarray) -> pd.DataFrame:
    if x.ndim == 1 and len(x) and isinstance(x[0], Mapping):
        return pd.DataFrame([{name: plain(value) for name, value in one.items()} for one in x])
    columns = x.reshape(len(x), -1)
    return pd.DataFrame(columns, columns=[f"x{k}" for k in range(columns.shape[1])])


def _constraints(g: Any) -> pd.DataFrame:
    columns = np.asarray(g, dtype=float).reshape(len(g), -1)
    return pd.DataFrame(columns, columns=[f"g{k}" for k in range(columns.shape[1])])
