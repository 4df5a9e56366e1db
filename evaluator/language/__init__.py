"""Reads and writes DSEAL: text to objects, objects to text, lint; runs nothing."""
