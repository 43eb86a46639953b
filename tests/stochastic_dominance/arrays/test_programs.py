"""Statistics and gaps equal those of the full program; covers are the covers."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from copa_nb.arrays import compiled
from copa_nb.stochastic_dominance.arrays import preferences as p
from copa_nb.stochastic_dominance.arrays import solvers
from copa_nb.stochastic_dominance.arrays.preferences_kernels import covers
from copa_nb.stochastic_dominance.arrays.programs import largest_gap
from copa_nb.stochastic_dominance.arrays.resampling import Pair, contaminated_pvalue, resampled_signs, sample_signs
from tests.stochastic_dominance import full_program

SCALES = [(True, True, False), (False,), (True,), (True, False), (False, False), (True, True)]


@st.composite
def suites(draw, most=4):
    ordinal = draw(st.sampled_from(SCALES))
    n = draw(st.integers(2, most))
    levels = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 1.0])
    shape = (n, len(ordinal))
    first, second = (draw(hnp.arrays(float, shape, elements=levels)) for _ in range(2))
    return first, second, np.array(ordinal)


@settings(max_examples=60)
@given(suites(), st.sampled_from([0.0, 0.3, 1.0]))
def test_statistics_equal_the_full_program(suite, regularization):
    first, second, ordinal = suite
    signs = np.stack([sample_signs(len(first)), -sample_signs(len(first))])
    found = Pair(first, second, ordinal).statistics(signs, regularization)
    if (np.vstack([first, second]) == first[0]).all():
        np.testing.assert_array_equal(found, 0)
        return
    expected = [
        full_program.statistic(first, second, ordinal, regularization)[0],
        full_program.statistic(second, first, ordinal, regularization)[0],
    ]
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_continuous_suites_equal_the_full_program(seed):
    rng = np.random.default_rng(seed)
    ordinal = np.array([True, False, False]) if seed % 2 else np.array([True, True, False])
    first, second = rng.integers(0, 9, (2, 7, 3)) / 8
    found = Pair(first, second, ordinal).statistics(sample_signs(7)[None], 0.5)
    expected, gap = full_program.statistic(first, second, ordinal, 0.5)
    assert found[0] == pytest.approx(expected, abs=1e-7)
    points, _ = p.pooled_points(np.vstack([first, second]), ordinal)
    assert largest_gap(p.preferences(points, ordinal)) == pytest.approx(gap, abs=1e-9)


@given(hnp.arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(0, 3)))
def test_covers_generate_the_order(rows):
    rows = np.unique(rows, axis=0)
    rows = rows[np.argsort(rows.sum(axis=1), kind="stable")]
    above = (rows[:, None] >= rows[None]).all(axis=2) & ~np.eye(len(rows), dtype=bool)
    found = np.zeros_like(above)
    found[covers(rows)] = True
    between = (above.astype(int) @ above.astype(int)) > 0
    np.testing.assert_array_equal(found, above & ~between)


def test_many_covers_fit():
    # One point below 200 incomparable ones: more covers than places were set aside for.
    wide = np.column_stack([np.arange(1, 201), np.arange(200, 0, -1)])
    upper, lower = covers(np.vstack([[[0, 0]] * 1, wide, wide + 300]).astype(float))
    assert len(upper) == 200 + 200 * 200
    assert (np.bincount(lower)[1:201] == 200).all()


def test_a_program_serves_all_labellings():
    """Rows found for one labeling stay, and change nothing for the next."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 20, (2, 12, 3)) / 20
    pair = Pair(first, second, np.array([True, True, False]))
    signs = resampled_signs(12, 30, False, rng)
    together = pair.statistics(signs)
    alone = np.concatenate([pair.statistics(line[None]) for line in signs])
    np.testing.assert_allclose(together, alone, atol=1e-9)


def test_labels_are_exchanged_as_asked():
    rng = np.random.default_rng(0)
    pooled, paired = (resampled_signs(9, 200, way, rng) for way in (False, True))
    assert (pooled.sum(axis=1) == 0).all()
    assert (paired[:, :9] == -paired[:, 9:]).all()
    assert not (pooled[:, :9] == -pooled[:, 9:]).all()


def test_contamination_widens_by_what_it_can_move():
    null = np.array([-0.5, -0.2, 0.0, 0.3])
    assert contaminated_pvalue(-0.4, null, 0, 10) == pytest.approx(2 / 5)
    # 2 k / (n - k) = 2 / 9: what lies up to -0.1777 counts.
    assert contaminated_pvalue(-0.4, null, 1, 10) == pytest.approx(3 / 5)
    assert contaminated_pvalue(-0.4, null, 10, 10) == 1


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(p, "MOST_PAIRS", 10)
    values = np.arange(24.0).reshape(12, 2)
    with pytest.raises(ValueError, match="more than the 10 that can be ordered"):
        p.preferences(p.pooled_points(values, np.array([True, False]))[0], np.array([True, False]))


@pytest.fixture(params=["WarmSolver", "ColdSolver"])
def solver(request):
    """A kind of solver."""
    if request.param == "ColdSolver":
        return solvers.ColdSolver
    return pytest.importorskip("copa_nb.stochastic_dominance.arrays.highs", exc_type=ImportError).WarmSolver


def test_solvers_take_rows_that_name_a_variable_twice(solver):
    program = solver(np.zeros(3), np.ones(3))
    program.add(np.array([[0, 1, 2, 2], [1, 0, 0, 0]]), np.array([1.0, 1.0, -1.0, -1.0]), 0.0)  # u0 + u1 >= 2 u2
    program.add(np.array([[0, 1]]), np.array([1.0, -1.0]), 0.0, equal=True)
    assert program.minimum(np.array([1.0, 1.0, -4.0])) @ [1, 1, -4] == pytest.approx(-2)
    assert program.minimum(np.array([1.0, -1.0, 0.0])) @ [1, -1, 0] == pytest.approx(0)
    program.add(np.array([[2]]), np.array([1.0]), 0.25)
    assert program.minimum(np.array([1.0, 1.0, 1.0])).tolist() == pytest.approx([0.25, 0.25, 0.25])


def test_a_program_without_a_solution_is_no_answer(solver):
    program = solver(np.zeros(2), np.ones(2))
    program.add(np.array([[0, 1]]), np.array([1.0, 1.0]), 3.0)
    with pytest.raises(RuntimeError, match=r"^HiGHS stopped with .*[Ii]nfeasible"):
        program.minimum(np.ones(2))


def test_statistics_are_the_same_from_either_solver(monkeypatch):
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 12, (2, 15, 3)) / 12
    pair = Pair(first, second, np.array([True, False, False]))
    signs = np.vstack([sample_signs(15), resampled_signs(15, 12, True, rng)])
    found = [pair.statistics(signs, regularization) for regularization in (0.0, 0.5)]
    monkeypatch.setattr("copa_nb.stochastic_dominance.arrays.programs.new_solver", solvers.ColdSolver)
    np.testing.assert_allclose([pair.statistics(signs, r) for r in (0.0, 0.5)], found, atol=1e-8)


def test_many_solutions_are_told_once_that_highspy_would_help(monkeypatch):
    monkeypatch.setattr(solvers, "_SOLUTIONS_WORTH_A_WORD", 2)
    monkeypatch.setattr(compiled, "_warned", [])
    program = solvers.ColdSolver(np.zeros(1), np.ones(1))
    program.minimum(np.ones(1))
    with pytest.warns(compiled.NotCompiledWarning, match=r"highspy is not installed, .* 'copa_nb\[fast\]'"):
        program.minimum(np.ones(1))
    program.minimum(np.ones(1))


def test_the_solver_writes_nothing():
    lines = [
        "import copa_nb",
        "view = copa_nb.datasets.load_deepobs().moo(system='optimizer', item='problem')",
        "with copa_nb.options(progress=False):",
        "    front = view.gsd_front(regularization=0.5)",
        "    front.test('Adam', n_resamples=20)",
    ]
    # In a process of its own: the notice is written once, past Python's own streams.
    ran = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")
