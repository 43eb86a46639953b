"""What the package computes fast, written as it is defined."""

import numpy as np


def front(costs, keep="all"):
    """Mark the rows that no row dominates; of equal rows, with keep="first", only the first."""
    no_worse = (costs[:, None] <= costs[None]).all(axis=2)
    better = (costs[:, None] < costs[None]).any(axis=2)
    on_front = ~(no_worse & better).any(axis=0)
    if keep == "first":
        twins = (costs[:, None] == costs[None]).all(axis=2)
        on_front &= ~np.triu(twins, 1).any(axis=0)
    return on_front
