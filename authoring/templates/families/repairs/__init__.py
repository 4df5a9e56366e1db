"""Families of tasks that find faults of the data and repair them."""
