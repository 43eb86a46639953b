"""Hasse diagrams, depths and pair counts."""
