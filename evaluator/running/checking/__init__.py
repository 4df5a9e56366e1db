"""Problemsets executed against themselves: references, kept answers, labels, and what they call."""
