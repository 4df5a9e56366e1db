"""Validators in the editor: what judges the problem, the form that changes it, and what each one answered."""
