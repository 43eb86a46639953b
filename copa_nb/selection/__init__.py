"""COPA: objectives made comparable by their ranks, aggregated by a weighted p-norm (Javaloy, Vergari and Valera)."""
