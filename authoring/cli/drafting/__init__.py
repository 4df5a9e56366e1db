"""Commands from data files to drafts: seeds, sketches, drafts, topics, the guide, rounds."""
