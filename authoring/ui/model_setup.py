"""Whether a model is set up, in words and as a condition; Settings draws the details."""

import os
from typing import Final

from evaluator.errors import ContentError, ToolkitError

AUTHORS: Final = ("template", "model")
_NONE: Final = "No model is configured: see Settings."
_WHERE: Final = "environment of the app and its worker"
_CONFIGURE: Final = (
    "set BENCHWRIGHT_MODEL and OPENAI_API_KEY (and OPENAI_BASE_URL for another endpoint) and start the app again"
)


def model_in_words() -> str | None:
    """Return the configured model and its host; None when none is configured.

    Raises:
        ToolkitError: If the environment holds something unreadable.
    """
    from evaluator.models.model_settings import configured_model

    settings = configured_model()
    return None if settings is None else f"{settings.model} at {settings.host}"


def author_help() -> str:
    """Return what the two authors are, and whether the second can be used."""
    try:
        model = model_in_words()
    except ToolkitError as error:
        return error.what
    known = "It is configured." if model else _NONE
    return f"The template author needs no model. The model author asks a language model. {known}"


IN_THE_FIELD: Final = "name one in the field Model"


def refuse_missing_model(naming: str = "") -> None:
    """Refuse what needs a model when none is configured, before a job is ordered.

    Args:
        naming: How the screen takes the name of one; empty: it does not.

    Raises:
        ContentError: If so.
    """
    if model_in_words() is None:
        raise missing_model(naming)


def missing_model(naming: str = "") -> ContentError:
    """Return the refusal of what needs a model; `naming` as above."""
    if naming:
        return ContentError("no model is named and none is configured", fix=f"{naming}, or {_CONFIGURE}")
    fix = f"{_CONFIGURE}, or choose an author or an agent that asks no model"
    return ContentError("no model is configured", where=_WHERE, fix=fix)


def needs_model_help() -> str | None:
    """Return why a button that asks a model cannot be pressed; None where it can."""
    return _NONE if model_in_words() is None else None


def missing_key(model: str = "") -> ContentError | None:
    """Return what is missing to ask a model: the key of its endpoint; None where nothing is, or no model is known.

    Only whether a key is set is looked at: the key itself is for the worker.

    Args:
        model: Its name; empty: the configured one.
    """
    from evaluator.models.interfaces import interface_of
    from evaluator.models.model_settings import configured_model

    settings = configured_model(model or None)
    if settings is None:
        return None
    interface = interface_of(settings.model)
    if any(os.environ.get(name) for name in interface.key_variables):
        return None
    return ContentError(
        f"there is no key to ask {settings.model} at {settings.host}",
        where=_WHERE,
        fix=f"set {interface.key_variables[0]} and start the app again, or choose an agent that asks no model",
    )
