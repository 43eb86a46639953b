"""Order with preferences: objectives on one scale, weighed by one criterion, and rows in the order that follows.

A. Javaloy, A. Vergari and I. Valera, "COPA: Comparing the incomparable in multi-objective model evaluation",
arXiv:2503.14321, 2025. What is decided by this order is in :mod:`copa_nb.selection`.

- equation 9, ranks as an empirical distribution: ``arrays/ranks.py``; other scales: ``arrays/normalization.py``; the
  verb: ``normalize.py``;
- equations 10 and 11, the weighted p-norm, and which row wins under it: ``arrays/criterion.py``;
- the weights, order and scale as one value: ``criterion.py``; rows in order, with ties: ``ranking.py``;
- beyond the paper, frozen populations: ``populations.py``.
"""
