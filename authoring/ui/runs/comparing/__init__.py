"""Runs beside each other: two with statistics of their difference, and up to five problem by problem."""
