"""Ranks, normalizations and the criterion on numpy arrays."""
