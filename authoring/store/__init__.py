"""The workspace database."""
