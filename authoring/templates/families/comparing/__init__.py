"""Families that compare groups, values and measures with one another."""
