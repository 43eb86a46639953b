"""How many processors there are to share work among."""

from __future__ import annotations

import os


def processors() -> int:
    """Processors that this process may use.

    Examples
    --------
    >>> processors() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system knows
        return os.cpu_count() or 1
