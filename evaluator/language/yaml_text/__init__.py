"""YAML under limits: plain values with the line of every key, and text in one canonical form."""
