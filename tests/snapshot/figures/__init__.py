"""Pictures of the snapshot: every public plot with each of its options, on small tables."""

from tests.snapshot.figures import choice, fronts, gaps, orders, parts, seeds
from tests.snapshot.figures.registry import EXACTNESS, FIGURES, RELEASE, drawn

__all__ = ["EXACTNESS", "FIGURES", "MODULES", "RELEASE", "drawn"]
MODULES = (parts, fronts, choice, seeds, gaps, orders)
