"""What a cell left behind, told to the host: the payload, figures, files, probes, and whether the teller is intact."""
