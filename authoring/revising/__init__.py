"""Revising drafts: what an edit reaches, how two come together, what else answers; refining by a model."""
