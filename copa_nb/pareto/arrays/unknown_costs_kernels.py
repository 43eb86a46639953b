"""Compiled pass of ``unknown_costs.py`` over rows that others may dominate."""

from __future__ import annotations

from copa_nb.arrays.compiled import compiled


@compiled
def mark_beaten(asked, rows, others, names, start, stop, beaten):  # type: ignore[no-untyped-def]
    """Mark which of the asked rows, shape (n, k), one of the others dominates that has another name."""
    n_columns = asked.shape[1]
    for i in range(start, stop):
        found = False
        for j in range(len(others)):
            no_worse, better = True, False
            for k in range(n_columns):
                if others[j, k] > asked[i, k]:
                    no_worse = False
                    break
                if others[j, k] < asked[i, k]:
                    better = True
            if no_worse and better and names[j] != rows[i]:
                found = True
                break
        beaten[i] = found
