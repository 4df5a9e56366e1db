"""What an agent's client asks of the model's door: read, held to what is granted, and written anew."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.models.exchange import BYTES_PER_TOKEN, TOKENS_PER_MESSAGE, TOKENS_PER_PICTURE

MAX_COUNT: Final = 1_000_000_000
"""Of tokens or answers that a request may name."""
_ELSEWHERE: Final = ("models", "fallbacks", "route", "provider", "api_base", "base_url", "api_key", "service_tier")
"""Fields with which some endpoints ask another model, another place or at another price; none of them passes."""


class RequestRefusedError(ValueError):
    """A request that is not passed on; the text says why."""


@dataclass(frozen=True)
class ProxiedRequest:
    """A request as it is passed on, and what it may take."""

    body: bytes
    prompt: int  # tokens, an estimate
    answer: int | None  # the largest number of tokens of all answers together; None: it does not say
    is_stream: bool
    wants_usage: bool  # whether the client asked for the tokens of a stream


def read_proxied(body: bytes, model: str, *, is_embedding: bool) -> ProxiedRequest:
    """Read a request; the one model is named in it, whichever it names, and a stream tells its tokens.

    Raises:
        RequestRefusedError: If it is no JSON object, or names no sensible numbers.
    """
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestRefusedError("the request is no JSON object") from None
    if not isinstance(asked, dict):
        raise RequestRefusedError("the request is no JSON object")
    for name in _ELSEWHERE:
        asked.pop(name, None)
    asked["model"] = model
    is_stream, options = asked.get("stream"), asked.get("stream_options")
    if not isinstance(is_stream, bool | None):
        raise RequestRefusedError("`stream` must be true or false")
    options = options if isinstance(options, dict) else {}
    if is_stream and not is_embedding:
        asked["stream_options"] = {**options, "include_usage": True}
    try:
        written = json.dumps(asked).encode()
        prompt = _prompt_tokens(asked)
    except RecursionError:
        raise RequestRefusedError("the request is nested too deeply") from None
    answer = 0 if is_embedding else _answer_tokens(asked)
    return ProxiedRequest(written, prompt, answer, bool(is_stream), options.get("include_usage") is True)


def _answer_tokens(asked: Mapping[str, Any]) -> int | None:
    """Return how many tokens all answers may have; -1 stands for no limit at some endpoints."""
    each = max(_whole(asked, "max_tokens"), _whole(asked, "max_completion_tokens"))
    answers = max(1, _whole(asked, "n"), _whole(asked, "best_of"))
    prompts = asked.get("prompt")
    if isinstance(prompts, list) and prompts and not isinstance(prompts[0], int):
        answers *= len(prompts)
    most = each * answers
    if most > MAX_COUNT:
        raise RequestRefusedError(f"all answers to a request may have {MAX_COUNT} tokens at most: ask for fewer")
    return most if most > 0 else None


def _whole(asked: Mapping[str, Any], name: str) -> int:
    value = asked.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_COUNT:
        raise RequestRefusedError(f"`{name}` must be a whole number up to {MAX_COUNT}")
    return value


def _prompt_tokens(value: Any) -> int:
    """Return an estimate, rather too high than too low: pictures by their number, all else by its length."""
    if isinstance(value, str):
        is_picture = value.startswith("data:image/")
        return TOKENS_PER_PICTURE if is_picture else len(value.encode("utf-8", "replace")) // BYTES_PER_TOKEN
    if isinstance(value, dict):
        names = sum(len(name) for name in value) // BYTES_PER_TOKEN
        return names + TOKENS_PER_MESSAGE * ("role" in value) + sum(map(_prompt_tokens, value.values()))
    return sum(map(_prompt_tokens, value)) if isinstance(value, list) else 1
