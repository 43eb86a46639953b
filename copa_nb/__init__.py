"""From a table of models and metrics to a defensible decision and a report.

``import copa_nb`` registers ``df.moo`` on every pandas DataFrame. Everything that is public is
listed in ``__init__.pyi`` and imported when it is first used.
"""

import lazy_loader

from copa_nb import accessor as accessor

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
