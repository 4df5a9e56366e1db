"""The Releases page: the gate, releases and what changed between them."""
