"""Pictures of tests, audits and power."""
