"""Problemsets become templates with placeholders for data, columns and values, and problemsets on other data."""
