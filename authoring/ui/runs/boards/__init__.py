"""The boards of CIBench and the Qwen benchmark for one run, published rows beside it, and what is read out of it."""
