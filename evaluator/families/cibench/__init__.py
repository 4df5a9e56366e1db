"""CIBench (arXiv:2407.10499): notebooks as problemsets, predictions, score boards."""
