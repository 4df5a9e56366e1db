"""The IPython shell that runs cells: last value by syntax tree, errors as data, displays as records."""

import base64
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Bool, Type
from traitlets.config import Config

from evaluator.inside.runtime.capture import RecordPipe
from evaluator.inside.runtime.cell_execution import CellResult, execute

MIME_TYPES: Final = (
    "text/plain",
    "text/html",
    "text/markdown",
    "text/latex",
    "image/png",
    "image/jpeg",
    "image/svg+xml",
    "application/json",
    "application/vnd.plotly.v1+json",
    "application/vnd.vegalite.v5+json",
)
_MAX_TEXT: Final = 512 * 1024
_MAX_IMAGE: Final = 8 * 1024 * 1024
_UNDERSCORES: Final = ("_", "__", "___", "_i", "_ii", "_iii", "_exit_code")
_MACHINERY: Final = ("__builtins__", "__warningregistry__", "__annotations__")


class RecordingHook(DisplayHook):
    """Shows the value of the last expression unless a semicolon follows; prints no `Out[n]`."""

    def __call__(self, result: Any = None) -> None:
        """Take one value of an expression statement."""
        if result is None:
            return
        if self.shell.user_ns.get("_") is self.shell.last_underscore:
            self.shell.last_underscore = self.shell.user_ns["_"] = result
        if self.shell.cell_is_quiet:
            return
        data, metadata = self.compute_format_data(result)
        self.shell.show("execute_result", data, metadata)


class RecordingPublisher(DisplayPublisher):
    """Sends displays to the host."""

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        """Send one display; `update` replaces the earlier one of the same display id."""
        del source
        display_id = transient.get("display_id") if type(transient) is dict else None
        self.shell.show("display_data", data, metadata, display_id=display_id, update=update)

    def clear_output(self, wait: bool = False) -> None:
        """Keep everything: outputs are evidence."""
        del wait


class CellShell(InteractiveShell):
    """Runs one cell at a time and keeps what it did as data."""

    displayhook_class = Type(RecordingHook)
    display_pub_class = Type(RecordingPublisher)
    pipe: RecordPipe
    automagic = Bool(False)  # or the undefined name `hist` would be a magic, and no NameError
    last_underscore: Any = ""
    cell_is_quiet = False
    renders = True  # whether last values are rendered for people

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Print nothing: the error leaves as data."""

    def showsyntaxerror(self, *_: Any, **__: Any) -> None:
        """Print nothing: the error leaves as data."""

    def enable_gui(self, gui: Any = None) -> None:
        """Have no windows: figures are shown when the cell has ended."""

    def enable_matplotlib(self, gui: Any = None) -> tuple[str, str]:
        """Accept `%matplotlib inline` and the like; the backend stays as it is."""
        return str(gui or "inline"), "agg"

    def ask_exit(self) -> None:
        """Stay: `quit` in a cell ends nothing."""

    system = InteractiveShell.system_raw  # without a pseudo terminal, which would add carriage returns

    def show(self, output_type: str, data: Any, metadata: Any, *, display_id: Any = None, update: bool = False) -> None:
        """Send a bundle of MIME types to the host, cut down to what may be shown."""
        bundle: dict[str, Any] = {"output_type": output_type, "data": clean_bundle(data), "metadata": {}}
        del metadata
        if type(display_id) is str:
            bundle["display_id"] = display_id[:200]
            bundle["update"] = bool(update)
        self.pipe.display(bundle)

    def forget_shown(self, names: Iterable[str]) -> None:
        """Forget the value that was shown last where it is that of one of these variables."""
        if any(self.user_ns.get(name) is self.last_underscore for name in names):
            self.last_underscore = self.user_ns["_"] = ""

    def run(self, source: str, *, number: int, settle: Callable[[], None], magics: bool = True) -> CellResult:
        """Run a cell as number `number`; `settle` is called at once when its code has ended.

        Without `magics`, whatever is no Python is a syntax error.
        """
        self.execution_count = number
        self.cell_is_quiet = not self.renders or (";" in source and _ends_with_semicolon(source))
        return execute(self, source, settle=settle, magics=magics)


def _ends_with_semicolon(source: str) -> bool:
    try:
        return bool(DisplayHook.semicolon_at_end_of_expression(source))
    except (SyntaxError, ValueError):  # tokenize cannot read it; running it will tell
        return False


def clean_bundle(data: Any) -> dict[str, Any]:
    """Return the MIME types that may be shown, as JSON values of bounded size."""
    if not isinstance(data, Mapping):
        return {}
    kept: dict[str, Any] = {}
    for mime in MIME_TYPES:
        if mime not in data:
            continue
        value = _clean_value(mime, data[mime])
        if value is not None:
            kept[mime] = value
    return kept


def _clean_value(mime: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode() if len(value) <= _MAX_IMAGE else None
    if mime.endswith("json"):
        try:
            return value if len(json.dumps(value)) <= _MAX_IMAGE else None
        except (TypeError, ValueError, RecursionError):
            return None
    text = str(value)
    if mime.startswith("image/"):
        return text if len(text) <= _MAX_IMAGE else None
    if len(text) > _MAX_TEXT:
        return text[:_MAX_TEXT] + "\n..." if mime == "text/plain" else None
    return text


def build_shell(pipe: RecordPipe) -> CellShell:
    """Return a shell without history and colours whose user namespace is `__main__`."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.cache_size = 0
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.banner1 = ""
    shell: CellShell = CellShell.instance(config=config)
    shell.pipe = pipe
    shell.set_hook("show_in_pager", _page, 0)
    sys.modules["__main__"] = shell.user_module
    shell.builtin_trap.__enter__()  # `display` and `get_ipython` are builtins for good
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive", category=UserWarning)
    shell.run("None", number=0, settle=lambda: None)
    return shell


def _page(shell: CellShell, data: Any, start: int = 0, screen_lines: int = 0) -> None:
    del shell, start, screen_lines
    print(data.get("text/plain", "") if isinstance(data, dict) else data)


def machinery_names(shell: CellShell) -> frozenset[str]:
    """Return the names of the namespace that are IPython's or Python's own."""
    return frozenset(shell.user_ns) | frozenset(_UNDERSCORES) | frozenset(_MACHINERY)
