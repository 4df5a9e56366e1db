"""Comments on a problemset, a problem or a line: their threads, their tab, and where they stand beside the code."""
