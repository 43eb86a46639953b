"""Data: published results and the package's own experiments as bundled tables, and the public files behind them.

Every frame that a loader returns carries its objectives (``attrs["moo"]``) and its origin (``attrs["source"]``: name,
kind, sha256, origin, license). Loaders read the tables of the package (``bundle.py``; described in ``SOURCES.md``) and
need no network. ``registry.py`` knows the public files that the tables were made of. ``german_credit_search.py`` and
``fairness_sweep.py`` hold the two experiments that notebooks can run again, and nothing else imports them; the programs
that made the tables are in ``tests/experiments``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
