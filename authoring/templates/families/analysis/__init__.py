"""Families of tasks about groups, distributions and relations."""
