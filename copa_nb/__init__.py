"""From a table of models and metrics to a defensible decision and a report.

``import copa_nb`` registers ``df.moo`` on every pandas DataFrame. Everything that is public is
listed in ``__init__.pyi`` and imported when it is first used.
"""

from typing import Any

import lazy_loader

from copa_nb import accessor as accessor
from copa_nb import checks, discovery, old_names
from copa_nb.results import citing, offered
from copa_nb.tables import frames

__version__ = "0.1.0"

_MODULES = ("datasets", "errors", "plots", "results")
_module, _, _ = lazy_loader.attach(__name__, submodules=_MODULES)
_imported, __dir__, _listed = lazy_loader.attach_stub(__name__, __file__)
__all__: list[str] = [name for name in _listed if name not in _MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _module(name)
    if name in accessor.VERBS:
        raise AttributeError(f"copa_nb has no {name!r}: ask it of a table, copa_nb.moo(frame, ...).{name}(...).")
    if name not in __all__ and not name.startswith("_"):
        hint = old_names.instead_of(name) or checks.nearest(name, __all__)
        raise AttributeError(f"copa_nb has no {name!r}.{hint}")
    return _imported(name)


def _load_plots() -> None:
    _module("plots").load()


def _load_explorers() -> None:
    from copa_nb import explorers

    discovery.import_all(explorers)


def _load_reports() -> None:
    from copa_nb.reports import of_results  # noqa: F401


def _opened(table: Any) -> Any:
    """Open a lazy table: over the partitions of Dask, or as one that is scanned."""
    if type(table).__module__.partition(".")[0] != "dask":
        return __getattr__("scan")(table)
    from copa_nb.dask.partitions import Partitions

    return Partitions(table)


def _citable(name: str) -> Any:
    return getattr(accessor.PandasMoo, name) if name in accessor.VERBS else __getattr__(name)


# What lower layers open by functions of higher ones, which are imported at the first call.
citing.look_up_names_with(_citable, (*__all__, *accessor.VERBS))
offered.load_before_first_look(_load_plots, _load_reports, _load_explorers)  # the last import widgets
frames.open_lazy_tables_with(_opened)
