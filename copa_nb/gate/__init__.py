"""Claims about a table as a gate: a file of claims, each with the verdict holds, fails or undecided.

``kinds.py`` says what a claim is; the kinds themselves are in ``of_systems.py`` (ranks, fronts, pairs), ``of_runs.py``
(hypervolumes, gaps, searches) and ``of_numbers.py`` (printed numbers, limits, expressions), each a class that is found
by being there. ``evidence.py`` holds the table and runs each test once; ``claims_file.py`` reads the YAML; ``check.py``
divides the error rate among the claims and has the verb :func:`copa_nb.check` and its result.
"""
