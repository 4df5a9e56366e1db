"""Families of tasks that sample and split tables, train a simple model and judge it."""
