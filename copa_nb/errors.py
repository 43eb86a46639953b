"""Errors and warnings of the package, to catch or to filter by name; they are listed in ``errors.pyi``."""

from copa_nb import discovery

__getattr__, __dir__, __all__ = discovery.lazily("copa_nb", __file__)
