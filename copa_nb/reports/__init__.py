"""Parameterised notebooks as reports: recorded in the notebook, run in processes, collected in an index and a ledger.

The files in the order in which a report is made: ``catalog.py`` (the notebooks), ``parameters.py`` (what they
declare), ``jobs.py`` (one notebook, checked and run), ``record.py`` and
``figures.py`` (what a notebook stores in its outputs), ``store.py`` (the output folder: inputs, manifests, locks),
``assembly.py``, ``page.py`` and ``pdf.py`` (from the executed notebook to a folder of files), ``runner.py`` (many
reports, in processes or on a cluster), ``batch.py`` (files that describe many reports), ``report.py``
(``copa_nb.report``), ``of_results.py`` (the same as a method of results), ``overview.py`` (index, ledger, LaTeX).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
