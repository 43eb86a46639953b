"""Plots of comparisons: tiers, differences between systems, mean ranks."""
