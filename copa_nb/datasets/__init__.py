"""Data: public files that are fetched once, small tables that come with the package, simulated stand-ins.

Every frame that a loader returns carries its objectives (``attrs["moo"]``) and its origin (``attrs["source"]``: name,
kind, sha256, origin, licence). ``registry.py`` knows the public files, ``bundle.py`` the bundled tables (described in
``SOURCES.md``); one module per data set loads it. ``german_credit_search.py`` and ``fairness_sweep.py`` hold the two
experiments that reports run again; the programs that made the bundled tables are in ``tests/experiments``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
