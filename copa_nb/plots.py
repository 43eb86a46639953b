"""Pictures that are not of one result, and what figures of a paper are finished with.

Results draw themselves: ``result.plot()``, and ``result.plot(kind)`` where there is more to see. Every function here
draws on ``ax``, or on the current Axes, returns it, never calls ``plt.show`` and never changes global style.
"""

from typing import Any

import lazy_loader

from copa_nb import checks, discovery, old_names

_imported, __dir__, __all__ = lazy_loader.attach_stub("copa_nb", __file__)


def __getattr__(name: str) -> Any:
    if name not in __all__ and not name.startswith("_"):
        hint = old_names.instead_of(name, "plots") or checks.nearest(name, __all__)
        raise AttributeError(f"copa_nb.plots has no {name!r}.{hint}")
    return _imported(name)


def load() -> None:
    """Import all plots, so that each is a method of the result that it draws."""
    discovery.import_files("copa_nb", "*/plots.py", "*/plots/*.py")
