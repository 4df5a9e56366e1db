"""The Seeds page: datasets, sketches and drafts on them, topics, and what was made elsewhere."""
