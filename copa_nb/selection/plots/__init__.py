"""Pictures of decisions, paths, rankings and weights."""
