"""What the openai package raises -> a sentence with a remedy. Needs that package, so only the client imports it."""

import openai

from evaluator.errors import ToolkitError
from evaluator.models.errors import ContextLengthError
from evaluator.models.settings import KEY_VARIABLE, MODEL_VARIABLE, URL_VARIABLE, ModelSettings

CONTEXT_CODES = {"context_length_exceeded", "string_above_max_length"}
CONTEXT_PHRASES = ("context length", "context window", "maximum context", "too many tokens", "prompt is too long")


def fault_of(error: openai.OpenAIError, settings: ModelSettings, key: str) -> ToolkitError:
    """Return the error that the user sees; the key never stands in it."""
    where = f"model {settings.model!r} at {settings.host}"
    said = _said(error, key)
    if isinstance(error, openai.APITimeoutError):
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
    if error.status_code == 429:
        quota = "insufficient_quota" in f"{code} {said}"
        what = "the account's quota is used up" if quota else "the endpoint asks to slow down, again and again"
        fix = "add credit or use another key" if quota else "wait a minute and repeat the command"
        return ToolkitError(f"{what} (HTTP 429): {said}", where=where, fix=fix)
    if error.status_code >= 500:
        fix = "the server is in trouble: repeat the command later"
        return ToolkitError(f"the endpoint failed (HTTP {error.status_code}): {said}", where=where, fix=fix)
    fix = "see what the server says; another --model may accept the request"
    return ToolkitError(f"the endpoint refused the request (HTTP {error.status_code}): {said}", where=where, fix=fix)


def is_context_length(code: str, said: str) -> bool:
    """Tell whether an endpoint's refusal means that the request is too long."""
    return code in CONTEXT_CODES or any(phrase in said.lower() for phrase in CONTEXT_PHRASES)


def _said(error: openai.OpenAIError, key: str) -> str:
    text = getattr(error, "message", None) or str(error)
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        text = body["message"]
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(str(text).split())
    return text if len(text) <= 300 else f"{text[:300]}..."
