"""What the openai package raises -> a sentence with a remedy. Needs that package, so only the client imports it."""

import openai

from evaluator.errors import ToolkitError
from evaluator.models.errors import ContextLengthError
from evaluator.models.settings import KEY_VARIABLE, MODEL_VARIABLE, URL_VARIABLE, ModelSettings

CONTEXT_CODES = {"context_length_exceeded", "string_above_max_length"}
CONTEXT_PHRASES = ("context length", "context window", "maximum context", "too many tokens", "prompt is too long")
QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing", "out of credit")


def fault_of(error: BaseException, settings: ModelSettings, key: str) -> ToolkitError:
    """Return the error that the user sees; the key never stands in it."""
    where = f"model {settings.model!r} at {settings.host}"
    said = _said(error, key)
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ToolkitError(
            f"the model gave no answer in {settings.timeout_s:g} s, {settings.max_retries + 1} times",
            where=where,
            fix="try again later, or set BENCHWRIGHT_MODEL_TIMEOUT to more seconds",
        )
    if isinstance(error, openai.APIConnectionError):
        return ToolkitError(
            "the model endpoint cannot be reached",
            where=where,
            fix=f"check that the server is running and that {URL_VARIABLE} names it; or use --author template",
        )
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, where, said)
    return ToolkitError(f"the model endpoint answered with something else: {said}", where=where, fix="check the server")


def _status_fault(error: openai.APIStatusError, where: str, said: str) -> ToolkitError:
    code = str(error.code or "")
    if error.status_code in {400, 413, 422} and is_context_length(code, said):
        return ContextLengthError(
            f"the request is longer than the model can read: {said}",
            where=where,
            fix="use a model with a longer context, or a seed with fewer columns and a shorter notebook",
        )
    if error.status_code in {401, 403}:
        return ToolkitError(
            f"the endpoint refused the key (HTTP {error.status_code}): {said}",
            where=where,
            fix=f"set {KEY_VARIABLE} to a key that is valid for this endpoint",
        )
    if error.status_code == 404:
        return ToolkitError(
            f"the endpoint knows no such model or path (HTTP 404): {said}",
            where=where,
            fix=f"check --model or {MODEL_VARIABLE}, and that {URL_VARIABLE} ends in /v1 if the server wants it",
        )
    if error.status_code == 402 or (error.status_code == 429 and _is_quota(f"{code} {said}")):
        what = f"the account's quota is used up (HTTP {error.status_code}): {said}"
        return ToolkitError(what, where=where, fix="add credit or use another key")
    if error.status_code == 429:
        what = f"the endpoint asks to slow down, again and again (HTTP 429): {said}"
        return ToolkitError(what, where=where, fix=f"{_wait_of(error)} and repeat the command")
    if error.status_code >= 500:
        fix = f"the server is in trouble: {_wait_of(error)} and repeat the command"
        return ToolkitError(f"the endpoint failed (HTTP {error.status_code}): {said}", where=where, fix=fix)
    fix = "see what the server says; another --model may accept the request"
    return ToolkitError(f"the endpoint refused the request (HTTP {error.status_code}): {said}", where=where, fix=fix)


def _is_quota(said: str) -> bool:
    return any(word in said.lower() for word in QUOTA_WORDS)


def _wait_of(error: openai.APIStatusError) -> str:
    """Return how long the endpoint wants to be left alone, in words; the client itself waits two minutes at most."""
    asked = str(error.response.headers.get("retry-after", "")).strip()
    if asked.isascii() and asked.isdigit() and len(asked) < 9:
        return f"wait {asked} s, as the endpoint asks,"
    printable = asked.isascii() and asked.isprintable() and 0 < len(asked) < 40
    return f"wait until {asked}, as the endpoint asks," if printable else "wait a minute"


def is_context_length(code: str, said: str) -> bool:
    """Tell whether an endpoint's refusal means that the request is too long."""
    return code in CONTEXT_CODES or any(phrase in said.lower() for phrase in CONTEXT_PHRASES)


def _said(error: BaseException, key: str) -> str:
    text = getattr(error, "message", None) or str(error)
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        text = body["message"]
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(str(text).split())
    return text if len(text) <= 300 else f"{text[:300]}..."
