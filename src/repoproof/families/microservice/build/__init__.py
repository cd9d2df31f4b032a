"""A task out of a running reference: its endpoints are found, exercised and recorded; what is stable becomes golden tests, and mutants of
the service tell what those are worth."""
