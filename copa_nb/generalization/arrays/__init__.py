"""Fronts that are chosen on validation and judged on test."""
