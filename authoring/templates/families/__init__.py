"""The families of tasks, in rooms by what they are about, and the table of all."""

from authoring.templates.families.catalogue import FAMILIES, find_family

__all__ = ["FAMILIES", "find_family"]
