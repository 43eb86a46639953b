"""Results in, Axes out: one kind of figure per file.

Every function draws on ``ax``, or on the current Axes, returns it, never calls ``plt.show`` and never
changes global style.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("copa_nb", __file__)


def load() -> None:
    """Import all plots, so that each is a method of the result that it draws."""
    for name in __all__:
        __getattr__(name)
