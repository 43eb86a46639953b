"""Shares of one error rate for several tests, and to which tests the share of one passes whose claims all hold."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

import numpy as np


class Shares:
    """The graphical procedure of Bretz et al.: Holm's, where some tests come after others.

    A test that comes after others has no share at first, and takes over theirs, by its weight, when their claims hold.
    The share of a test that none comes after passes to all tests that come after none, by their weights.

    Parameters
    ----------
    weights : mapping of test to float
        Of each test.
    after : mapping of test to collection of test
        The tests that come before it.

    Examples
    --------
    >>> shares = Shares({"a": 1, "b": 1, "c": 3}, {"b": ["a"]})
    >>> shares.of("a"), shares.of("b"), shares.of("c")
    (0.25, 0.0, 0.75)
    >>> shares.pass_on("a")
    >>> shares.of("a"), shares.of("b"), shares.of("c")
    (0.0, 0.25, 0.75)
    """

    def __init__(self, weights: Mapping[Hashable, float], after: Mapping[Hashable, Collection[Hashable]]) -> None:
        self._places = {test: place for place, test in enumerate(weights)}
        sizes = np.array(list(weights.values()), dtype=float)
        first = np.array([not after.get(test) for test in weights], dtype=bool)
        follows = np.array([[one in after.get(test, ()) for test in weights] for one in weights], dtype=bool)
        follows = follows.reshape(len(sizes), len(sizes))
        self._shares = np.where(first, sizes, 0.0)
        self._shares /= self._shares.sum() or 1.0
        heirs = np.where(follows.any(axis=1, keepdims=True), follows, first & ~np.eye(len(sizes), dtype=bool))
        passed = np.where(heirs, sizes, 0.0)
        total = passed.sum(axis=1, keepdims=True)
        self._passed = np.divide(passed, total, out=np.zeros_like(passed), where=total > 0)

    def of(self, test: Hashable) -> float:
        """Return the share of a test."""
        return float(self._shares[self._places[test]])

    def pass_on(self, test: Hashable) -> None:
        """Pass the share of a test to the others."""
        i, passed = self._places[test], self._passed
        self._shares = self._shares + self._shares[i] * passed[i]
        back = passed[:, i] * passed[i]
        through = passed + np.outer(passed[:, i], passed[i])
        left = 1 - back[:, None]
        self._passed = np.divide(through, left, out=np.zeros_like(through), where=left > 1e-12)
        np.fill_diagonal(self._passed, 0.0)
        self._passed[i] = self._passed[:, i] = 0.0
        self._shares[i] = 0.0
