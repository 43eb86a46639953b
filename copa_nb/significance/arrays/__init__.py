"""Permutations, hypervolumes of many subsets, multiple testing."""
