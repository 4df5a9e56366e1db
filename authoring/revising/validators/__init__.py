"""Validators of a problem: proposed from what its reference leaves, and tried on answers."""
