"""The definition itself, for small suites: one linear program with a row for every pair in R1 and every two in R2."""

import itertools

import numpy as np
from scipy.optimize import linprog


def distinct_points(values):
    """Points of both entities with the worst and the best corner."""
    points = {tuple(row) for row in values} | {tuple(values.min(axis=0)), tuple(values.max(axis=0))}
    return sorted(points)


def rows(points, ordinal):
    """Rows of R1, strict rows of R2, and rows of R2 that hold both ways; dictionaries of point to sign."""
    n = len(points)
    better = [
        (i, j)
        for i, j in itertools.permutations(range(n), 2)
        if all(a >= b for a, b in zip(points[i], points[j], strict=True))
    ]

    def in_r2(outer, inner):
        for k, is_ordinal in enumerate(ordinal):
            (x, y), (v, w) = ([points[i][k] for i in pair] for pair in (outer, inner))
            if not (x >= v and w >= y if is_ordinal else round(x - y, 9) >= round(v - w, 9)):
                return False
        return True

    order = [{i: 1, j: -1} for i, j in better]
    strict, equal = [], []
    for outer, inner in itertools.permutations(better, 2):
        if in_r2(outer, inner):
            row = dict.fromkeys({*outer, *inner}, 0)
            for point, sign in zip((*outer, *inner), (1, -1, -1, 1), strict=True):
                row[point] += sign
            (equal if in_r2(inner, outer) else strict).append(row)
    return order, strict, equal


def _matrix(of, n):
    matrix = np.zeros((len(of), n))
    for k, row in enumerate(of):
        for point, sign in row.items():
            matrix[k, point] = sign
    return matrix


def statistic(first, second, ordinal, regularization=0.0):
    """Minimum over utilities of the mean of the first entity's minus the second's; and the largest gap."""
    points = distinct_points(np.vstack([first, second]))
    n = len(points)
    order, strict, equal = (_matrix(part, n) for part in rows(points, ordinal))
    bounds = [(0, 1)] * n
    bounds[points.index(tuple(np.vstack([first, second]).min(axis=0)))] = (0, 0)
    bounds[points.index(tuple(np.vstack([first, second]).max(axis=0)))] = (1, 1)
    upper = -np.vstack([order, strict])
    share = {"A_eq": equal, "b_eq": np.zeros(len(equal))} if len(equal) else {}
    gap_share = {"A_eq": np.hstack([equal, np.zeros((len(equal), 1))]), "b_eq": np.zeros(len(equal))} if share else {}
    largest = -linprog(
        [*[0] * n, -1], np.hstack([upper, np.ones((len(upper), 1))]), np.zeros(len(upper)), bounds=[*bounds, (0, 1)],
        **gap_share,
    ).fun  # fmt: skip
    costs = np.zeros(n)
    for values, sign in ((first, 1 / len(first)), (second, -1 / len(second))):
        for row in values:
            costs[points.index(tuple(row))] += sign
    found = linprog(costs, upper, np.full(len(upper), -regularization * largest), bounds=bounds, **share)
    return found.fun, largest
