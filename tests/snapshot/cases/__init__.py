"""Cases of the snapshot: one small function per verb or group of options, and the simplest call of any other verb."""

from importlib.util import find_spec

from tests.snapshot.cases import choice, confidence, data, fronts, gaps, measured, orders, refusals, seeds
from tests.snapshot.cases.registry import CASES, computed, enter_the_rest

__all__ = ["CASES", "MODULES", "computed"]
MODULES = (fronts, choice, confidence, gaps, seeds, measured, orders, data, refusals)
if find_spec("dask") and find_spec("distributed"):
    from tests.snapshot.cases import partitions

    MODULES = (*MODULES, partitions)
enter_the_rest()
