"""Idea seeds: data files, notebooks and their profiles."""
