"""The processes that run cells: the template, sessions forked from it, kernels, and one cell at work."""
