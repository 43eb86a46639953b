"""Is a better front better than noise? The permutation test on the hypervolume, audits and power."""
