"""How fast the verbs are beside what people would use instead: ratios, memory, growth.

    python benchmarks/run.py --quick

Every comparison is of calls on the same data in the same run, taken in turns, so that a busy or a slow machine
changes both. Peers that are not installed are left out (``pip install "copa_nb[bench]"``). All functions return
frames with the columns ``COLUMNS``, so that they can be put under each other; ``ratio_of`` says what was divided
by what, and a verdict stands where there is a target.
"""

from benchmarks.speed.choices import choices, memory
from benchmarks.speed.fronts import fronts
from benchmarks.speed.growth import growth
from benchmarks.speed.large import large, large_items
from benchmarks.speed.measure import COLUMNS, KINDS, as_table, costs
from benchmarks.speed.overhead import overhead
from benchmarks.speed.peers import PEERS
from benchmarks.speed.posets import CASES, QUICK_CASES, depths
from benchmarks.speed.seeds import audits, comparisons, hypervolume_tests, resampled_fronts

__all__ = [
    "CASES", "COLUMNS", "KINDS", "PEERS", "QUICK_CASES", "as_table", "audits", "choices", "comparisons", "costs",
    "depths", "fronts", "growth", "hypervolume_tests", "large", "large_items", "memory", "overhead", "resampled_fronts",
]  # fmt: skip
