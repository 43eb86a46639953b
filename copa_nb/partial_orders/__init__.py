"""Partial rankings of optimizers and their union-free generic depth (Rodemann and Blocher)."""
