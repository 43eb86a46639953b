"""Pictures of gaps, budgets and comparisons."""
