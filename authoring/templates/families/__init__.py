"""The families of tasks, one module for each stage of an analysis, and the table of all."""

from authoring.templates.families.catalogue import FAMILIES, find_family

__all__ = ["FAMILIES", "find_family"]
