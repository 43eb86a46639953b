# Written by `make generate`; do not edit.
"""Names of the functions that are methods of ``df.moo``; ``verbs.pyi`` has their signatures."""

OF_ANY_TABLE = (
    "compare_systems",
    "confident_front",
    "cheaper_equivalent",
    "items_needed",
    "mean_ranks",
    "scores_after_choice",
    "tiers",
    "panel",
    "explore",
    "elicit",
    "gap",
    "attainment",
    "front",
    "layers",
    "hypervolume",
    "posets",
    "normalize",
    "compare",
    "copa",
    "navigate",
    "weights_from",
    "sensitivity",
    "rank_errors",
    "rank_intervals",
    "stability",
    "audit",
    "hv_test",
    "power",
    "runs_needed",
    "gsd_front",
)
OF_PANDAS = (
    "define",
    "parse_numbers",
)
