"""Data: published results and the package's own experiments as bundled tables, and their public source files.

Every frame that a loader returns carries its objectives (``attrs["moo"]``) and its origin (``attrs["source"]``: name,
kind, sha256, origin, license). Loaders read the tables of the package (``bundle.py``; described in ``SOURCES.md``) and
need no network. ``registry.py`` lists the public files from which the tables were made, and ``download.py`` fetches
them; the programs that made the tables are in ``tests/experiments``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
