"""COPA: comparing the incomparable, to choose one model among many that no other dominates.

A. Javaloy, A. Vergari and I. Valera, "COPA: Comparing the incomparable in multi-objective model evaluation",
arXiv:2503.14321, 2025. Where the paper's equations and sections are:

- equation 9, ranks û as an empirical distribution: ``arrays/ranks.py``; other scales: ``arrays/normalization.py``;
- Proposition 3.1, the error of a rank, and resampling: ``arrays/stability.py``, ``stability.py``;
- equations 10 and 11, the weighted p-norm, and which row wins under it: ``arrays/criterion.py``;
- the weights, order and scale as one value: ``criterion.py``; the rows in order: ``ranking.py``; the decision:
  ``copa.py``;
- section 5.2, navigation along the weight of one objective: ``navigate.py``;
- rankings under several criteria: ``compare.py``; systems over many items: ``mean_ranks.py``.

Beyond the paper: frozen populations (``populations.py``), regions of weights in which a row wins
(``weight_regions.py``, ``arrays/weight_regions.py``), weights from statements in words (``preferences.py``) and from
comparisons of rows (``elicitation.py``), both on ``arrays/weight_constraints.py``. ``plots/`` draws decisions
(``decisions.py``), rankings (``rankings.py``) and what the weights decide (``weights.py``).
"""
