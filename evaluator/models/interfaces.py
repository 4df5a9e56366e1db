"""Over whose interface a model is asked: its name's prefix says so, and variables hold the key and the address."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from evaluator.errors import ToolkitError


@dataclass(frozen=True)
class Interface:
    """How a provider's models are reached."""

    provider: str
    host: str  # where they are when no address is given
    key_variables: tuple[str, ...]  # the first that is set counts
    url_variable: str
    url_advice: str  # what an address that leads nowhere may lack
    package: str = ""  # Python's name of a client that comes with the extra of the provider's name; "": always there

    @property
    def key_variable(self) -> str:
        """The variables of the key, in words."""
        return " or ".join(self.key_variables)

    def key(self, environ: Mapping[str, str] | None = None) -> str:
        """Return the key.

        Raises:
            ToolkitError: If the environment holds none.
        """
        env = os.environ if environ is None else environ
        key = next((value for name in self.key_variables if (value := env.get(name, "").strip())), "")
        if not key:
            fix = f"set {self.key_variable}; for a server of your own that asks for none, any text will do"
            raise ToolkitError("there is no key for the model endpoint", where=self.host, fix=fix)
        return key

    def require_package(self) -> None:
        """Do nothing if the client is installed.

        Raises:
            ToolkitError: If it is not, with the command that installs it.
        """
        if self.package and not _is_installed(self.package):
            raise missing_package(self.provider)


def missing_package(provider: str) -> ToolkitError:
    """Return the error that says how a provider's client is installed."""
    return ToolkitError(
        f"the Python client of {provider} is not installed",
        where=f"models of {provider}",
        fix=f"pip install 'benchwright[{provider}]'",
    )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a package around it is missing
        return False


OPENAI: Final = Interface(
    "openai", "api.openai.com", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", "ends in /v1 if the server wants it"
)
_PREFIXED: Final = (
    Interface(
        "anthropic",
        "api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "ANTHROPIC_BASE_URL",
        "does not end in /v1, which is added",
        "anthropic",
    ),
    Interface(
        "google",
        "generativelanguage.googleapis.com",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),  # in the order in which the package reads them
        "GOOGLE_GEMINI_BASE_URL",
        "does not end in a version such as /v1, which is added",
        "google.genai",
    ),
)
INTERFACES: Final[Mapping[str, Interface]] = MappingProxyType({each.provider: each for each in (OPENAI, *_PREFIXED)})
"""Provider -> how its models are reached."""


def interface_of(model: str) -> Interface:
    """Return over whose interface a model is asked: `anthropic:NAME`, `google:NAME`, any other name is OpenAI's."""
    return next((each for each in _PREFIXED if model.startswith(f"{each.provider}:")), OPENAI)


def plain_name(model: str) -> str:
    """Return a model's name without its provider, as the endpoint knows it; other colons are part of the name."""
    interface = interface_of(model)
    return model if interface is OPENAI else model.removeprefix(f"{interface.provider}:").strip()
