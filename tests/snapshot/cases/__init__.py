"""Cases of the snapshot: one small function per verb or group of options, and the simplest call of any other verb.

Numbers are stored where nothing else says what is right: what is held against its definition or another program
(``HELD_BY_DEFINITIONS``) has no case.
"""

from tests.snapshot.cases import choice, confidence, data, fronts, gaps, measured, orders, seeds
from tests.snapshot.cases.registry import CASES, HELD_BY_DEFINITIONS, computed, enter_the_rest

__all__ = ["CASES", "HELD_BY_DEFINITIONS", "MODULES", "computed"]
MODULES = (fronts, choice, confidence, gaps, seeds, measured, orders, data)
enter_the_rest()
