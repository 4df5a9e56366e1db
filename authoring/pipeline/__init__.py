"""Sketch, draft, dry run, accept."""
