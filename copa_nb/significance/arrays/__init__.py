"""The permutation test and adjusted p-values on arrays."""
