"""Comparing two decoded values: by the table of equality (sound rules), or by published rules."""
