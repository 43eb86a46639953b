"""Partial rankings of optimizers: what the paper claims, and how it is checked.

``claims.py``: examples, figures and appendices; ``figures.py``: pictures that only this paper needs; ``definition.py``:
appendix B by enumeration.
"""
