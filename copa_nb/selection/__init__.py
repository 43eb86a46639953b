"""COPA: comparing the incomparable, to choose one model among many that no other dominates.

A. Javaloy, A. Vergari and I. Valera, "COPA: Comparing the incomparable in multi-objective model evaluation",
arXiv:2503.14321, 2025. Where the paper's equations and sections are:

- equations 9 to 11, ranks, the weighted p-norm, and the order that follows: :mod:`copa_nb.ranking`;
- the decision by it: ``copa.py``;
- Proposition 3.1, the error of a rank, and resampling: ``arrays/stability.py``, ``stability.py``;
- section 5.2, navigation along the weight of one objective: ``navigate.py``;
- rankings under several criteria: ``criteria.py``; systems over many items: :mod:`copa_nb.comparisons.mean_ranks`.

Beyond the paper: regions of weights in which a row wins (``sensitivity.py``, ``arrays/weight_regions.py``), weights
from statements in words (``preferences.py``) and from comparisons of rows (``elicitation.py``), both on
``arrays/weight_constraints.py``, and intervals of scores after the choice (:mod:`copa_nb.comparisons.intervals`).
``plots/`` draws decisions (``decisions.py``), rankings (``rankings.py``) and what the weights decide (``weights.py``).
"""
