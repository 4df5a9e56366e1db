"""The validators of a problem: what exists, what each takes, how settings are checked and resolved."""
