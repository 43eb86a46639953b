"""Compiled hypervolumes of many subsets of the same points: exact in three to five dimensions, approximate in any.

A library call per subset costs some ten microseconds before it starts to compute; the exact loops take a tenth of
that for the ten to thirty points of a front over seeds.  They sweep the last objective from good to bad.  In three
dimensions the slice is a staircase whose area is kept up to date; in four it is the three-dimensional volume,
computed again when a point enters it; in five, the volume that a point adds to the slice is its box less what the
other points cover of it (limit sets, as in WFG).  Nothing here calls itself: compiled recursive functions crash when
they are loaded from the cache.
"""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.compiled import compiled


@compiled
def subset_volumes(points, reference, members, volumes):  # type: ignore[no-untyped-def]
    """Fill `volumes` with the hypervolume of each subset.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k), 3 <= k <= 5
        Costs, sorted by the last column, all better than the reference everywhere.
    reference : ndarray of float64, shape (k,)
        The reference point.
    members : ndarray of bool, shape (b, n)
        Which points are in which subset.
    volumes : ndarray of float64, shape (b,)
        Overwritten.
    """
    n, k = points.shape
    order = np.empty(n, np.int64)
    slice3 = np.empty(n + 1, np.int64)
    slice4 = np.empty(n + 1, np.int64)
    kept = np.empty(n + 1, np.int64)
    limits = np.empty((n, 4))
    stairs_x = np.empty(n + 1)
    stairs_y = np.empty(n + 1)
    for b in range(members.shape[0]):
        count = 0
        for i in range(n):
            if members[b, i]:
                order[count] = i
                count += 1
        if k == 3:
            volumes[b] = _volume3(points, order, count, reference, stairs_x, stairs_y)
        elif k == 4:
            volumes[b] = _volume4(points, order, count, reference, slice3, stairs_x, stairs_y)
        else:
            volumes[b] = _volume5(points, order, count, reference, limits, kept, slice4, slice3, stairs_x, stairs_y)


@compiled
def _volume3(points, order, count, reference, stairs_x, stairs_y):  # type: ignore[no-untyped-def]
    # stairs_x ascends and stairs_y descends: the front of the slice in the first two objectives.
    steps = 0
    area = 0.0
    volume = 0.0
    for t in range(count):
        i = order[t]
        x, y = points[i, 0], points[i, 1]
        start = 0
        while start < steps and stairs_x[start] <= x:
            start += 1
        if start == 0 or stairs_y[start - 1] > y:
            if start > 0 and stairs_x[start - 1] == x:
                start -= 1
            top = reference[1] if start == 0 else stairs_y[start - 1]
            left, end = x, start
            while end < steps and stairs_y[end] >= y:
                area += (stairs_x[end] - left) * (top - y)
                left, top = stairs_x[end], stairs_y[end]
                end += 1
            right = reference[0] if end == steps else stairs_x[end]
            area += (right - left) * (top - y)
            removed = end - start
            if removed == 0:
                for j in range(steps, start, -1):
                    stairs_x[j], stairs_y[j] = stairs_x[j - 1], stairs_y[j - 1]
            elif removed > 1:
                for j in range(end, steps):
                    stairs_x[j - removed + 1], stairs_y[j - removed + 1] = stairs_x[j], stairs_y[j]
            stairs_x[start], stairs_y[start] = x, y
            steps += 1 - removed
        depth = reference[2] if t == count - 1 else points[order[t + 1], 2]
        volume += area * (depth - points[i, 2])
    return volume


@compiled
def _volume4(points, order, count, reference, active, stairs_x, stairs_y):  # type: ignore[no-untyped-def]
    # `active` lists the front of the slice in the first three objectives, sorted by the third.
    n_active = 0
    total = 0.0
    volume = 0.0
    for t in range(count):
        i = order[t]
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        covered = False
        for c in range(n_active):
            j = active[c]
            if points[j, 2] > z:
                break
            if points[j, 0] <= x and points[j, 1] <= y:
                covered = True
                break
        if not covered:
            left = 0
            position = 0
            for c in range(n_active):
                j = active[c]
                if points[j, 0] < x or points[j, 1] < y or points[j, 2] < z:
                    active[left] = j
                    left += 1
                    if points[j, 2] <= z:
                        position = left
            for c in range(left, position, -1):
                active[c] = active[c - 1]
            active[position] = i
            n_active = left + 1
            volume = _volume3(points, active, n_active, reference, stairs_x, stairs_y)
        depth = reference[3] if t == count - 1 else points[order[t + 1], 3]
        total += volume * (depth - points[i, 3])
    return total


@compiled
def _volume5(  # type: ignore[no-untyped-def]
    points, order, count, reference, limits, active, identity, slice3, stairs_x, stairs_y
):
    # `active` lists the front of the slice in the first four objectives, sorted by the fourth.
    n_active = 0
    total = 0.0
    volume = 0.0
    for t in range(count):
        i = order[t]
        covered = False
        for c in range(n_active):
            j = active[c]
            if points[j, 3] > points[i, 3]:
                break
            if points[j, 0] <= points[i, 0] and points[j, 1] <= points[i, 1] and points[j, 2] <= points[i, 2]:
                covered = True
                break
        if not covered:
            left = 0
            position = 0
            for c in range(n_active):
                j = active[c]
                identity[c] = c
                dominated = True
                for d in range(4):
                    limits[c, d] = max(points[i, d], points[j, d])
                    if points[j, d] < points[i, d]:
                        dominated = False
                if not dominated:
                    active[left] = j
                    left += 1
                    if points[j, 3] <= points[i, 3]:
                        position = left
            box = 1.0
            for d in range(4):
                box *= reference[d] - points[i, d]
            volume += box - _volume4(limits, identity, n_active, reference, slice3, stairs_x, stairs_y)
            for c in range(left, position, -1):
                active[c] = active[c - 1]
            active[position] = i
            n_active = left + 1
        depth = reference[4] if t == count - 1 else points[order[t + 1], 4]
        total += volume * (depth - points[i, 4])
    return total


@compiled
def approximate_volumes(gaps, members, reciprocals, start, stop, volumes):  # type: ignore[no-untyped-def]
    """Approximate the hypervolumes of the subsets from `start` to `stop`; see `hypervolume.approximate`.

    A subset's value depends on its own points alone: directions are measured in units of its own largest gaps.

    Parameters
    ----------
    gaps : ndarray of float64, shape (n, k)
        How much better than the reference point each point is, in each objective; never negative.
    members : ndarray of bool, shape (b, n)
        Which points are in which subset.
    reciprocals : ndarray of float64, shape (k, k, d)
        One over the components of directions, face by face of the cube: face, component, direction.
    start, stop : int
        Subsets to measure.
    volumes : ndarray of float64, shape (b,)
        Overwritten.
    """
    n, k = gaps.shape
    n_directions = reciprocals.shape[2]
    scale = np.empty(k)
    reach = np.empty(n_directions)
    farthest = np.empty(n_directions)
    for b in range(start, stop):
        scale[:] = 0.0
        for i in range(n):
            if members[b, i]:
                for j in range(k):
                    scale[j] = max(scale[j], gaps[i, j])
        volumes[b] = 0.0
        if scale.min() == 0.0:
            continue
        total = 0.0
        for face in range(k):
            farthest[:] = 0.0
            for i in range(n):
                if not members[b, i]:
                    continue
                reach[:] = gaps[i, face] / scale[face]
                for j in range(k):
                    gap = gaps[i, j] / scale[j]
                    for d in range(n_directions):  # without branches, for the processor's vectors
                        here = gap * reciprocals[face, j, d]
                        reach[d] = here if here < reach[d] else reach[d]
                for d in range(n_directions):
                    farthest[d] = reach[d] if reach[d] > farthest[d] else farthest[d]
            for d in range(n_directions):
                total += farthest[d] ** k
        volumes[b] = total / (k * n_directions) * scale.prod()
