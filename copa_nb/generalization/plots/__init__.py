"""Pictures of gaps, budgets, repetitions and comparisons."""
