"""Classes of widgets and of tables that are read in pieces, for annotations; they are listed in ``explorers.pyi``."""

from copa_nb import discovery

__getattr__, __dir__, __all__ = discovery.lazily("copa_nb.results", __file__)
