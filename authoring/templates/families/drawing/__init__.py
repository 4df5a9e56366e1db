"""Families that draw what was computed: bars, lines, distributions, points."""
