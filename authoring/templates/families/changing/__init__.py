"""Families about change over time: of one series, and of things observed again and again."""
