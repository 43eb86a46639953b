"""The verbs in passes, for tables that are read in pieces: the same answers as in memory, to the last tie.

A front is the front of the pieces' fronts, and the ranks of the few rows that can win are counted piece by piece and
added up, so that a decision takes two passes over the table, no global sort, and is exact.

``batches.py`` states what a table in pieces offers and checks a question before anything is read; ``passes.py``
gathers and counts; in ``decisions.py`` (COPA, hypervolume) and ``runs.py`` (the hypervolume test, audits) the pandas
verbs' own functions conclude. ``scan.py`` reads on one machine, from the sources in ``readers.py``;
:mod:`copa_nb.dask` is the same for many machines.
"""
