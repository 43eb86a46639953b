"""Compiled passes of ``uncertainty.py`` over draws of shape (resamples, objectives, systems)."""

from __future__ import annotations

from copa_nb.arrays.compiled import compiled


@compiled
def count_fronts(draws, start, stop, counts):  # type: ignore[no-untyped-def]
    """Add to `counts`, shape (systems,), in how many draws nothing dominates each system."""
    _, n_objectives, n = draws.shape
    for b in range(start, stop):
        for i in range(n):
            dominated = False
            for j in range(n):
                no_worse, better = True, False
                for k in range(n_objectives):
                    if draws[b, k, j] > draws[b, k, i]:
                        no_worse = False
                        break
                    if draws[b, k, j] < draws[b, k, i]:
                        better = True
                if no_worse and better:
                    dominated = True
                    break
            if not dominated:
                counts[i] += 1


@compiled
def largest_squares(errors, against, weights, start, stop, largest):  # type: ignore[no-untyped-def]
    """Write the largest squared statistic of each draw to `largest`.

    The error of "i is better than j in k" is ``errors[b, k, j] - against[b, k, i]``; only positive ones count.
    `weights`, shape (k, i, j), is one over its variance, 0 where it is not compared.
    """
    _, n_objectives, n = errors.shape
    # One running maximum for each j: these are compared by the processor's vectors.
    most = errors[0, 0].copy()
    for b in range(start, stop):
        most[:] = 0.0
        for k in range(n_objectives):
            for i in range(against.shape[2]):
                for j in range(n):
                    error = errors[b, k, j] - against[b, k, i]
                    error = error if error > 0.0 else 0.0
                    square = error * error * weights[k, i, j]
                    most[j] = square if square > most[j] else most[j]
        largest[b] = most.max()


@compiled
def largest_squares_of_pairs(products, weights, offset, largest, places):  # type: ignore[no-untyped-def]
    """Raise `largest`, shape (draws,), to the largest squared statistic of each draw in one objective.

    The error of "i is better than j" is ``products[b, i, j] - products[b, j, i]``, shape (draws, entities, entities);
    only positive ones count. `weights`, shape (i, j), is one over its variance, 0 where it is not compared. Where
    `largest` is raised, `places` becomes the place of the comparison, ``offset + i * n + j``.
    """
    n_draws, n, _ = products.shape
    for b in range(n_draws):
        most, place = largest[b], places[b]
        for i in range(n):
            for j in range(i):
                error = products[b, i, j] - products[b, j, i]
                forward = error > 0.0
                square = error * error * (weights[i, j] if forward else weights[j, i])
                if square > most:
                    most = square
                    place = offset + (i * n + j if forward else j * n + i)
        largest[b], places[b] = most, place
