"""Fronts, layers, hypervolumes and reference points: what all four methods stand on."""
