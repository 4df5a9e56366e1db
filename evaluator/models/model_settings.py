"""Which model is asked, where, and how patiently; the key stays in the environment and is in no object of ours."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.interfaces import OPENAI, Interface, interface_of, plain_name

KEY_VARIABLE = OPENAI.key_variables[0]
MODEL_VARIABLE = "BENCHWRIGHT_MODEL"
TIMEOUT_VARIABLE = "BENCHWRIGHT_MODEL_TIMEOUT"
RETRIES_VARIABLE = "BENCHWRIGHT_MODEL_RETRIES"


@dataclass(frozen=True)
class ModelSettings:
    """One model behind one endpoint: `anthropic:NAME` and `google:NAME` over theirs, else over OpenAI's interface."""

    model: str  # with its provider's prefix, as records and transcripts name it
    base_url: str | None = None  # None: the default of the provider's own package
    timeout_s: float = 300.0  # of one request, connecting and reading included
    max_retries: int = 4  # after dropped connections, 408, 409, 429 and 5xx; a Retry-After header is kept to

    @classmethod
    def from_env(cls, model: str | None = None, environ: Mapping[str, str] | None = None) -> "ModelSettings":
        """Resolve flag > environment > default.

        Raises:
            ToolkitError: If no model is named anywhere.
            UsageError: If a number, a name or an address cannot be read.
        """
        settings = configured_model(model, environ)
        if settings is None:
            raise ToolkitError(
                "no model is named",
                fix=f"name one after the agent (chat:MODEL), with --agent-model or --model where the command has that "
                f"option, or in {MODEL_VARIABLE}",
            )
        return settings

    @property
    def interface(self) -> Interface:
        """How the model's provider is reached."""
        return interface_of(self.model)

    @property
    def provider(self) -> str:
        """Whose interface is spoken: openai, which many servers speak, anthropic or google."""
        return self.interface.provider

    @property
    def model_id(self) -> str:
        """The model's name as the endpoint knows it."""
        return plain_name(self.model)

    @property
    def host(self) -> str:
        """The endpoint's host and port, without user name, password, path and query."""
        if self.base_url is None:
            return self.interface.host
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine, where no proxy can help."""
        return self.base_url is not None and urlsplit(self.base_url).hostname in {"localhost", "127.0.0.1", "::1"}

    def to_json(self) -> dict[str, Any]:
        """Return what a provenance record keeps of the settings."""
        return {"model": self.model, "host": self.host, "timeout_s": self.timeout_s, "max_retries": self.max_retries}


def configured_model(model: str | None = None, environ: Mapping[str, str] | None = None) -> ModelSettings | None:
    """Return the settings of the model that is named by the argument or the environment; None when none is.

    Raises:
        UsageError: If a number, a name or an address cannot be read.
    """
    env = os.environ if environ is None else environ
    name = (model or env.get(MODEL_VARIABLE, "")).strip()
    if not name:
        return None
    interface = interface_of(name)
    if not plain_name(name):
        raise UsageError(f"{name!r} names no model", where="model", fix=f"write {interface.provider}:MODEL")
    return ModelSettings(
        model=name,
        base_url=_address(interface, env.get(interface.url_variable, "").strip()),
        timeout_s=_number(env, TIMEOUT_VARIABLE, ModelSettings.timeout_s, least=0.1),
        max_retries=int(_number(env, RETRIES_VARIABLE, ModelSettings.max_retries, least=0)),
    )


def _address(interface: Interface, text: str) -> str | None:
    if not text:
        return None
    try:
        parts = urlsplit(text)
        readable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0  # port may raise
    except ValueError:
        readable = False
    if not readable:
        raise UsageError(
            "the model endpoint's address cannot be read",
            where=interface.url_variable,
            fix="write it as "
            + ("http://HOST:PORT/v1 or https://HOST/v1" if interface is OPENAI else "http://HOST:PORT or https://HOST"),
        )
    return text


def _number(env: Mapping[str, str], variable: str, default: float, *, least: float) -> float:
    text = env.get(variable, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < 1e6:
        raise UsageError(f"{text!r} is not a number from {least:g} on", where=variable, fix=f"unset {variable}")
    return value
