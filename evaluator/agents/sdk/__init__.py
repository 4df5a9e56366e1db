"""The file that agents in Python are written with: it needs the standard library only, and may be copied."""
