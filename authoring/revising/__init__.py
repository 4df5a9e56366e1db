"""Edits by people: what an edit reaches, how two come together, which suggestions are accepted."""
