"""Parameterised notebooks as reports: recorded in the notebook, run in processes, collected in an index and a ledger.

The files in the order in which a report is made: ``catalogue.py`` (the notebooks), ``parameters.py`` (what they
declare), ``own_tables.py`` (the user's tables), ``jobs.py`` (one notebook, checked and run), ``record.py`` and
``figures.py`` (what a notebook stores in its outputs), ``store.py`` (the output folder: inputs, manifests, locks),
``assembly.py``, ``page.py`` and ``pdf.py`` (from the executed notebook to a folder of files), ``workers.py`` (processes
and clusters), ``batch.py`` (many reports), ``report.py`` (``copa_nb.report``), ``overview.py`` (index, ledger, LaTeX).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
