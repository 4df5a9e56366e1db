"""Keys in the environment, a proxy that nothing on loopback may go through, and what makes a client quick to open."""

import ssl
from pathlib import Path

import pytest

from tests.scripted_model import KEY


@pytest.fixture(scope="session")
def prices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of one price: the shipped one takes 30 ms to read, for every client."""
    path = tmp_path_factory.mktemp("prices") / "prices.yaml"
    path.write_text("models: [{model: gpt-4.1-mini, input: 0.4, cached_input: 0.1, output: 1.6}]")
    return path


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, prices: Path) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("BENCHWRIGHT_PRICES", str(prices))
    # 80 ms each time, and nothing here is encrypted
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
