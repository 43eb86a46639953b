"""The arithmetic of generalized stochastic dominance: arrays in, arrays out."""
