"""Who writes sketches and drafts."""

from enum import StrEnum

from evaluator.errors import UsageError


class Author(StrEnum):
    """The two authors: tasks from templates, with no model at all, or a language model."""

    TEMPLATE = "template"
    MODEL = "model"


def find_author(name: str) -> Author:
    """Return the author called `name`.

    Raises:
        UsageError: If there is none.
    """
    try:
        return Author(name)
    except ValueError:
        raise UsageError(f"there is no author {name!r}", fix=f"use one of {', '.join(Author)}") from None
