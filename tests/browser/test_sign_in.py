"""Signing in: the real app against a small OpenID Connect provider on this machine that signs real tokens."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from authoring.store.people import Role, list_roles
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.browser.conftest import OpenTab, RunningApp, running, visit

pytestmark = pytest.mark.browser
CLIENT = "benchwright"


class Provider(ThreadingHTTPServer):
    """Signs in one person, without asking."""

    daemon_threads = True

    def __init__(self) -> None:
        from joserfc.jwk import RSAKey

        super().__init__(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.key = RSAKey.generate_key(2048, parameters={"kid": "k1", "use": "sig", "alg": "RS256"})
        self.granted: dict[str, dict[str, str]] = {}  # code -> what the browser asked with

    def token(self, asked: dict[str, str]) -> dict[str, Any]:
        """Return the answer to a code that is exchanged: an identity, signed for this client and this request."""
        from joserfc import jwt

        now = int(time.time())
        claims = {
            **{"iss": self.url, "aud": CLIENT, "sub": "mei-1"},
            **{"iat": now, "exp": now + 300, "nonce": asked["nonce"]},
            **{"email": "Mei@Example.org", "email_verified": True},
        }
        signed = jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self.key)
        return {"access_token": "opaque", "token_type": "Bearer", "expires_in": 300, "id_token": signed}


class Answers(BaseHTTPRequestHandler):
    """The endpoints of the provider."""

    server: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/authorize":
            code = hashlib.sha256(asked["state"].encode()).hexdigest()
            self.server.granted[code] = asked
            self.send_response(302)
            back = urlencode({"code": code, "state": asked["state"]})
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()
        else:
            keys = {"keys": [self.server.key.as_dict(private=False)]}
            self.answer(keys if parts.path == "/jwks" else self.discovery())

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        asked = self.server.granted.pop(form["code"][0])
        if "code_challenge" in asked:  # proof that who exchanges the code is who asked for it
            digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
            assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]
        self.answer(self.server.token(asked))

    def discovery(self) -> dict[str, Any]:
        url = self.server.url
        return {
            **{"issuer": url, "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token"},
            **{"jwks_uri": f"{url}/jwks", "response_types_supported": ["code"], "subject_types_supported": ["public"]},
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def answer(self, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:  # pyrefly: ignore[bad-override]  # never called by name
        """Say nothing."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def served(tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningApp]:
    """The app on an empty workspace, where people sign in."""
    home = tmp_path / "home"
    app = RunningApp(Workspace.open(tmp_path / "workspace"), tmp_path / "server.log", "--no-worker")
    set_setting(app.workspace, "shipped_seeds", "loaded")
    (home / ".streamlit").mkdir(parents=True)
    (home / ".streamlit" / "secrets.toml").write_text(
        "[auth]\n"
        f'redirect_uri = "{app.url}/oauth2callback"\n'
        'cookie_secret = "only for this test"\n'
        f'client_id = "{CLIENT}"\n'
        'client_secret = "secret of the test"\n'
        f'server_metadata_url = "{provider.url}/.well-known/openid-configuration"\n'
    )
    monkeypatch.setenv("HOME", str(home))
    with running(app):
        yield app


def test_a_person_signs_in_and_out(served: RunningApp, provider: Provider, open_tab: OpenTab) -> None:
    page = open_tab()
    visit(page, "/settings")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("you are the first person here").first).to_be_visible()
    expect(page.get_by_text("mei@example.org")).to_be_visible()
    assert list_roles(served.workspace) == {"mei@example.org": {Role.MAINTAINER}}
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
