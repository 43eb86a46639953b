"""Uncertainty of means and of their differences on numpy arrays."""
