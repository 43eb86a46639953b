"""Mind the Gap: what the paper claims, and how it is checked.

``claims.py``: tables and figures; ``figures.py``: pictures that only this paper needs; ``german_credit_search.py``: its
experiment.
"""
