"""Parameterised notebooks as reports: recorded in the notebook, run through papermill, collected in an index.

The files in the order in which a report is made: ``catalog.py`` (the notebooks), ``parameters.py`` (what they
declare), ``jobs.py`` (one notebook with checked values), ``batch_file.py`` (files that describe many), ``inputs.py``
(one hash of all that a report is made of), ``places.py`` (its folder, and what is refused), ``batch.py`` (many reports,
in threads), ``kernels.py`` (a process for each), ``run.py`` (one report), ``record.py``, ``payloads.py`` and
``figures.py`` (what a notebook stores in its outputs), ``assembly.py``, ``page.py``, ``typography.py`` and ``pdf.py``
(from the executed notebook to a folder of files), ``folder.py`` (which is put in place, whole), ``outcomes.py`` (what
came of it), ``overview.py`` and ``ledger.py`` (the pages about all reports), ``report.py`` and ``of_results.py``
(``copa_nb.report``, and the same as a method of results), ``export.py`` (figures for LaTeX, pages to send).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
