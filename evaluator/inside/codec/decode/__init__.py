"""Reads values from such bytes, trusting nothing in them; runs in the comparator."""
