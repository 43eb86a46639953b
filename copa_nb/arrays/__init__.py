"""Arithmetic on numpy arrays that all rooms share; no file here knows a frame.

``sorting.py``: sorting and ranks of many columns; ``orders.py``: one order, checked, closed, reduced;
``multiple_testing.py``: p-values of several tests; ``compiled.py``: loops that are compiled (``*_kernels.py``)
where numba is installed, and what stands in for them elsewhere (``*_plain.py``); ``parallel.py``: how tasks go to
processors.
"""
