"""Mind the Gap: optimistic and pessimistic fronts from validation to test (Feurer et al.)."""
