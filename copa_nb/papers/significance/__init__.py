"""Significance of Pareto improvements: what the paper claims, and how it is checked (``claims.py``, ``figures.py``)."""
