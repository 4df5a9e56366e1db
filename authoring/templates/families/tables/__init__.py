"""Families of tasks about whole tables and their rows: load, choose, order, join, reshape."""
