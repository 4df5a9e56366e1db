"""The dry run: references, samples and kept answers executed and judged, and the rows that are stored of it."""
