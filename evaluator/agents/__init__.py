"""Agents turn queries into submissions."""
