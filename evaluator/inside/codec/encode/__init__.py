"""Writes values as bytes that hold no code; runs where the submission ran."""
