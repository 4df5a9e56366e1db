"""The HTML document around every page: Streamlit's own, told where the server is.

Without being told, the browser looks for the server below a page's address first (`/editor/_stcore/health`), gets a
404 and an error in its console, and only then asks at the root. It looks again after each reload of a deep link.
"""

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

_HEAD: Final = "<head>"
_TELL: Final = '<script>window.__streamlit = {BACKEND_BASE_URL: location.origin + "/"}</script>'


def shell_routes(pages: Iterable[str]) -> "list[Route]":
    """Return the routes of the app's root and of its pages, named by their addresses."""
    from starlette.routing import Route

    return [Route(path, _serve) for path in ("/", *(f"/{page}" for page in pages))]


@functools.cache
def document() -> str:
    """Return Streamlit's document with the address of the server in it."""
    from pathlib import Path

    import streamlit

    text = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    return text.replace(_HEAD, f"{_HEAD}\n    {_TELL}", 1)


async def _serve(_request: "Request") -> "Response":
    from starlette.responses import HTMLResponse

    return HTMLResponse(document(), headers={"Cache-Control": "no-cache"})
