# Written by `make generate`; do not edit.
"""Names of the functions that are methods of ``df.moo``; ``verbs.pyi`` has their signatures."""

OF_ANY_TABLE = (
    "board",
    "cheaper",
    "compare",
    "confident_front",
    "mean_ranks",
    "explore",
    "gap",
    "attainment",
    "front",
    "layers",
    "hypervolume",
    "posets",
    "normalize",
    "copa",
    "audit",
    "hv_test",
    "gsd_front",
)
OF_PANDAS = ("define",)
