"""COPA: what the paper claims, and how it is checked.

``claims.py``: figures 2 to 8; ``leaderboard.py``: the Open LLM Leaderboard; ``sliders.py``: criteria with sliders;
``theory.py``: propositions and laws; ``figures.py``: pictures that only this paper needs; ``fairness_sweep.py``: the
experiment of figure 5.
"""
