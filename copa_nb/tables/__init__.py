"""Tables of users: read, checked, and turned into a matrix of costs; every verb begins here.

``objectives.py``: names and directions, and the matrix; ``candidates.py``: ``where=``; ``missing_values.py``: missing
values as unknown, between two ends; ``columns.py``: which column names the system, the item, the repetition;
``rows.py``: what the rows seem to be; ``frames.py``: tables of polars, pyarrow and duckdb, and frames of the same kind
back.
"""
