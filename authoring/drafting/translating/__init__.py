"""Problemsets in another language: a model translates queries and texts, and nothing else changes."""
