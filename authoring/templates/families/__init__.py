"""The families of tasks, by theme."""

from authoring.templates.families.catalogue import FAMILIES, find_family

__all__ = ["FAMILIES", "find_family"]
