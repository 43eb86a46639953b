"""How much longer work takes here by the clock than by the processor: others may use its cores, too."""

import time


def contention() -> float:
    """Return the factor by which a limit in seconds is longer now; 1 on an idle machine."""
    began, spent = time.monotonic(), time.process_time()
    while time.process_time() < spent + 0.2:
        pass
    return max(1.0, (time.monotonic() - began) / 0.2)
