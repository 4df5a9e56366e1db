"""The Editor page: one problem with its texts, and what executing and judging it shows."""
