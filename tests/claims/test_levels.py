"""Shares of an error rate: those of the graphical procedure, by its definition on small cases."""

import itertools

import numpy as np
import pytest

from copa_nb.claims.levels import Shares


def by_definition(weights, passed, gone):
    """Weights after some tests are gone: the update of the graphical procedure, one entry at a time."""
    tests = list(weights)
    weights, passed = dict(weights), dict(passed)
    for i in gone:
        left = [test for test in tests if test != i]
        new = {}
        for j, k in itertools.permutations(left, 2):
            back = passed[j, i] * passed[i, j]
            new[j, k] = (passed[j, k] + passed[j, i] * passed[i, k]) / (1 - back) if back < 1 else 0.0
        weights = {j: weights[j] + weights[i] * passed[i, j] for j in left}
        passed, tests = new, left
    return weights


SIZES = {"a": 1.0, "b": 2.0, "c": 1.0, "d": 3.0}
AFTER = {"c": ["a"], "d": ["a", "b"]}
FIRST = {"a": 1 / 3, "b": 2 / 3, "c": 0.0, "d": 0.0}
PASSED = dict.fromkeys(itertools.permutations(SIZES, 2), 0.0) | {
    ("a", "c"): 1 / 4, ("a", "d"): 3 / 4, ("b", "d"): 1.0,
    ("c", "a"): 1 / 3, ("c", "b"): 2 / 3, ("d", "a"): 1 / 3, ("d", "b"): 2 / 3,
}  # fmt: skip


@pytest.mark.parametrize("gone", [order for n in range(4) for order in itertools.permutations(SIZES, n)])
def test_shares_are_those_of_the_definition(gone):
    shares = Shares(SIZES, AFTER)
    for test in gone:
        shares.pass_on(test)
    expected = by_definition(FIRST, PASSED, gone) | dict.fromkeys(gone, 0.0)
    assert {test: shares.of(test) for test in SIZES} == pytest.approx(expected)


def test_shares_never_shrink_and_never_exceed_the_whole():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 7))
        weights = dict(enumerate(rng.uniform(0.1, 3, n)))
        after = {j: [i for i in range(j) if rng.random() < 0.4] for j in range(n)}
        shares = Shares(weights, after)
        for test in rng.permutation(n).tolist():
            before = [shares.of(other) for other in weights]
            shares.pass_on(test)
            now = [shares.of(other) for other in weights]
            assert sum(now) <= 1 + 1e-9
            assert all(
                new >= old - 1e-12 for other, old, new in zip(weights, before, now, strict=True) if other != test
            )
