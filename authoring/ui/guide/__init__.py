"""The Guide page: its text, amendments, effects and effort."""
