"""The arithmetic of generalised stochastic dominance: arrays in, arrays out."""
