"""Dominance, fronts and hypervolumes of arrays of costs."""
