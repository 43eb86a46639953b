"""What pymoo returns: objectives, settings, and what is left out."""

import warnings

import numpy as np
import pytest

import copa_nb
from copa_nb.tables.objectives import RowsOmittedWarning


@pytest.fixture(scope="module")
def minimized():
    pytest.importorskip("pymoo")
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    def run(name, generations=15):
        return minimize(get_problem(name), NSGA2(pop_size=24), ("n_gen", generations), seed=1)

    return run


@pytest.mark.parametrize("problem", ["zdt1", "dtlz2"])
def test_the_front_is_pymoos_own(minimized, problem):
    result = minimized(problem, 5)
    table = copa_nb.from_pymoo(result)
    found = table.moo.front()[list(table.moo.description["objectives"])].to_numpy()
    assert sorted(map(tuple, found)) == sorted(map(tuple, result.F))
    assert set(table.moo.description["objectives"].values()) == {"min"}
    np.testing.assert_array_equal(table.filter(regex="^x"), result.pop.get("X"))


def test_infeasible_solutions_are_counted(minimized):
    result = minimized("bnh", 1)
    with pytest.warns(RowsOmittedWarning, match=r"of 24 solutions are left out: \d+ infeasible\. feasible=False"):
        table = copa_nb.from_pymoo(result, names=["cost", "weight"])
    assert (table[["g0", "g1"]] <= 0).all(axis=None)
    found = table.moo.front()[["cost", "weight"]].to_numpy()
    assert sorted(map(tuple, found)) == sorted(map(tuple, result.F))
    assert len(copa_nb.from_pymoo(result, feasible=False)) == 24
    assert copa_nb.read(result, feasible=False).equals(copa_nb.from_pymoo(result, feasible=False))


def test_variables_of_several_kinds():
    core = pytest.importorskip("pymoo.core.population")
    population = core.Population.new(
        F=np.array([[1.0], [2.0]]), X=np.array([{"kind": "a", "n": 1}, {"kind": "b", "n": 2}], dtype=object)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsOmittedWarning)
        table = copa_nb.from_pymoo(population, feasible=False)
    assert table[["kind", "n"]].to_dict("list") == {"kind": ["a", "b"], "n": [1, 2]}


def test_refusals_of_pymoo(minimized):
    with pytest.raises(TypeError, match="`result` must be what pymoo's minimize returns"):
        copa_nb.from_pymoo({"F": [1]})
    with pytest.raises(ValueError, match="must name each of the 2 objectives once"):
        copa_nb.from_pymoo(minimized("zdt1", 1), names=["cost"])
