"""Reads problemsets, runs them in sandboxed sessions, judges submissions and reports the results."""
