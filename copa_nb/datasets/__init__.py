"""Data: public files fetched once, small tables in the package, simulated stand-ins.

Every frame that a loader returns carries its objectives (``attrs["moo"]``) and its origin
(``attrs["source"]``: name, kind, sha256, origin, licence).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
