"""Who writes sketches and drafts."""

from enum import StrEnum


class Author(StrEnum):
    """The two authors: tasks from templates, with no model at all, or a language model."""

    TEMPLATE = "template"
    MODEL = "model"
