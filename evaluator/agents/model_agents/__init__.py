"""Agents that ask a language model, each as a published system does; docs/evaluators.md says where they differ."""
