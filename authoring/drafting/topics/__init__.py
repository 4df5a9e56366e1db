"""Problemsets from modules and topics, in the style of a notebook (arXiv:2407.10499, section 3.1)."""
