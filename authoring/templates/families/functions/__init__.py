"""Families of tasks that define a function and use it."""
