"""Programs that make agents of other people's products: each runs in the agent's process, over the one-file SDK."""
