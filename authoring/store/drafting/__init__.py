"""What drafts are made from: seeds, sketches, the guide, examples, the state of bootstrap."""
