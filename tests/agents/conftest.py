"""What the tests of agents share: a scripted model that every agent finds by the environment."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.scripted_model import KEY, ScriptedModel, scripted_model


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], ScriptedModel]]:
    """Serve a script, and let agents ask there, once each time."""
    with contextlib.ExitStack() as stack:

        def started(script: Any) -> ScriptedModel:
            server = stack.enter_context(scripted_model(script))
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
            return server

        yield started
