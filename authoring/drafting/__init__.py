"""Everything that a model or the template author writes: sketches, drafts, refinements, topics, the guide."""
