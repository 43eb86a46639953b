"""Analyses of a user's own table, each described once: parameters, checks, run, answer, results that it starts from.

One file per analysis, next to its notebook in ``notebooks/yours``. The command line, :func:`copa_nb.report`, batch
files and the notebooks read the parameters from the class. ``base.py`` is how they are declared and checked,
``values.py`` converts what people give, ``tables.py`` reads tables and hands them over, ``registry.py`` finds analyses.
In a clone, ``python -m tests.generated`` writes the parameters into the notebooks and the tables of the docs.
"""
