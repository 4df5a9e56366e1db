"""Families of tasks about the values of columns: made from others, texts, dates, their order."""
