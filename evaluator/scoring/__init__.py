"""Turns findings into verdicts and verdicts into metrics."""
