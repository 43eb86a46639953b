"""Fronts, layers, hypervolumes and reference points, on which all methods build.

y dominates z if and only if y <= z in every objective and y < z in at least one, for costs y and z.

- ``front.py``: the front of a table, as rows or as a mask, and its successive layers;
- ``hypervolume.py``: the volume between a front and a reference point;
- ``reference_points.py``: that point, from the worst values, a mapping or a frozen population;
- ``plots.py``: a front in two of its objectives, and its outline;
- ``arrays/dominance.py``: fronts and layers of arrays of costs; of large ones in ``arrays/large_fronts.py``;
- ``arrays/hypervolume.py``: the one rule whether a hypervolume is exact, and the one approximation.
"""
