"""Agents in processes of their own: JSON-RPC over their standard input and output, in any language."""
