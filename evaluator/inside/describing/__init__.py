"""Variables as text, for people and for agents."""
