"""Components whose script is a file under `static/`: one inside the page would be sent again at every run."""

import hashlib
from collections.abc import Callable
from typing import Any, Final

from streamlit.components.v2 import component

from evaluator.installation import HOME

_LOADER: Final = """
const script = import(new URL("app/static/%s", document.baseURI).href);
export default (component) => void script.then((made) => (%s)(component), () => {}); // the page was left meanwhile
"""


def static_component(name: str, file: str, draw: str, *, isolated: bool = True) -> Callable[..., Any]:
    """Return a component that hands itself to a function of a file under `static/`.

    Args:
        name: Of the component.
        file: Of the script.
        draw: The function as an expression; `made` is what the script exports.
        isolated: Whether it draws where neither the page's style nor its scripts reach.
    """
    return component(name, js=_LOADER % (static_address(file), draw), isolate_styles=isolated)


def static_address(file: str) -> str:
    """Return a file's address under `app/static/`, another one whenever the file has changed."""
    return f"{file}?v={hashlib.sha256((HOME / 'static' / file).read_bytes()).hexdigest()[:16]}"
