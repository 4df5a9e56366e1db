"""What the browser gets before a page is drawn: Streamlit's document with what we add to it, and Streamlit's own files.

Both are there so that the first page of an empty cache comes soon.
"""

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send

_HEAD: Final = "<head>"
_END_OF_HEAD: Final = "</head>"
_END_OF_BODY: Final = "</body>"
_TELL: Final = '<script>window.__streamlit = {BACKEND_BASE_URL: location.origin + "/"}</script>'
_THEME: Final = '<script src="/app/static/{address}"></script>'  # before anything is drawn in another theme
_HINTS: Final = '<script id="bw-meanings" type="application/json">{meanings}</script>' + (
    '<script type="module" src="/app/static/{address}"></script>'
)
_EARLY: Final = '<link rel="modulepreload" crossorigin href="{address}">'
_ASSETS: Final = "/static/"
_FOR_A_YEAR: Final = {"Cache-Control": "public, immutable, max-age=31536000"}  # as Streamlit says: names hold a hash
_TYPES: Final = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}
# Streamlit's elements, each a script of its own, that pages draw at once.
_ELEMENTS: Final = ("BidiComponent", "Button", "Checkbox", "Html", "PageLink", "Selectbox")
_FURTHER: Final = {
    "": ("ButtonGroup", "DownloadButton", "Pagination", "Progress", "TextInput"),
    "editor": ("ButtonGroup", "MenuButton"),
    "runs": ("DownloadButton", "Metric", "Pagination", "TextInput"),
}
# Our own scripts, which components ask for when they are drawn.
_OURS: Final = ("lost_server.js", "row_list.js")
_OURS_FURTHER: Final = {"editor": ("cm6.js",)}


def shell_routes(pages: Sequence[str]) -> "list[Route]":
    """Return the routes of the app's root, which is its first page, and of its pages, named by their addresses."""
    from starlette.routing import Route

    first, *others = pages
    own_name = [Route(path, _lead_to_root) for path in (f"/{first}", f"/{first}/")]
    return [*own_name, *(Route(path, _serve) for path in ("/", *(f"/{page}" for page in others)))]


@functools.cache
def document(page: str = "") -> str:
    """Return Streamlit's document with the address of the server, the chosen theme and our stylesheet in it.

    What it names to be loaded early would else be asked for one after the other, when the first element of a kind
    arrives, and React shows each of these groups a third of a second after the one before.
    """
    from authoring.ui.inputs.static_script import static_address
    from authoring.ui.shell.frame import STYLE

    text = (_streamlit_folder() / "index.html").read_text(encoding="utf-8")
    ours = [f"/app/static/{static_address(name)}" for name in (*_OURS, *_OURS_FURTHER.get(page, ()))]
    early = [*element_scripts(page), *ours]
    # One that is not loaded because the page is left is no error; one that is missing is asked for again when drawn.
    imports = "".join(f'import("{address}").catch(() => {{}});' for address in early)
    links = "".join(_EARLY.format(address=address) for address in early)
    last = f'{links}<script type="module">{imports}</script>'
    text = text.replace(_END_OF_HEAD, f"{last}{_END_OF_HEAD}", 1)
    # Below the head, into which Streamlit writes its styles as it draws: of two that are as special the last one wins.
    text = text.replace(_END_OF_BODY, f"<style>{STYLE}</style>{_hints()}{_END_OF_BODY}", 1)
    return text.replace(_HEAD, f"{_HEAD}\n    {_TELL}{_THEME.format(address=static_address('theme.js'))}", 1)


def _hints() -> str:
    """Return what words of verdicts mean, as data, and the script that says it under the pointer."""
    from authoring.ui.inputs.static_script import static_address
    from authoring.ui.wording import MEANINGS_OF_WORDS

    meanings = json.dumps(MEANINGS_OF_WORDS).replace("<", "\\u003c")
    return _HINTS.format(meanings=meanings, address=static_address("hints.js"))


def element_scripts(page: str = "") -> list[str]:
    """Return the addresses of the scripts of the elements that a page draws; one that is not there is not named."""
    names = (*_ELEMENTS, *_FURTHER.get(page, ()))
    return [address for name in names for address in sorted(_assets()) if address.startswith(f"/static/js/{name}.")]


async def _lead_to_root(request: "Request") -> "Response":
    """Lead from the first page's own name, which Streamlit does not know as an address, to where the page is."""
    from starlette.responses import RedirectResponse

    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{query}", headers={"Cache-Control": "no-cache"})


async def _serve(request: "Request") -> "Response":
    from starlette.responses import HTMLResponse

    return HTMLResponse(document(request.url.path.strip("/")), headers={"Cache-Control": "no-cache"})


class Assets:
    """Answers for Streamlit's own files from memory: a first page asks for a hundred of them at once.

    Streamlit reads each anew, in slices of 64 KB that wait for a thread one by one.
    """

    def __init__(self, app: "ASGIApp") -> None:
        """Stand before the app."""
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer for a file that is known, and leave everything else to the app."""
        is_asked = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in _assets()
        await (_answer(scope["path"]) if is_asked else self._app)(scope, receive, send)


def _answer(address: str) -> "Response":
    from starlette.responses import Response

    return Response(_content(address), media_type=_TYPES[_assets()[address].suffix], headers=_FOR_A_YEAR)


@functools.cache
def _content(address: str) -> bytes:
    return _assets()[address].read_bytes()


@functools.cache
def _assets() -> dict[str, Path]:
    """Return the files that never change under their names, by address: only these are answered for."""
    folder = _streamlit_folder() / _ASSETS.strip("/")
    files = (path for path in folder.rglob("*") if path.suffix in _TYPES and path.is_file())
    return {f"{_ASSETS}{path.relative_to(folder).as_posix()}": path for path in files}


def _streamlit_folder() -> Path:
    import streamlit

    return Path(streamlit.__file__).parent / "static"
