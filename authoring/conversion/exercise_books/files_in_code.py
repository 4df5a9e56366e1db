"""Which files the code of a notebook reads, whatever they are called, and the code with their place below `inputs/`."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from evaluator.language import parse_code

_ADDRESS: Final = re.compile(r"^(?:https?|ftp|s3|gs)://", re.IGNORECASE)
_FILE: Final = re.compile(
    r"\.(?:csv|tsv|tab|json|jsonl|ndjson|xlsx?|parquet|feather|txt|dat|data|zip|gz|pkl|pickle|h5|hdf5|db|sqlite3?|npy|npz|mat|xml|png|jpe?g)$",
    re.IGNORECASE,
)
_READERS: Final = frozenset(
    {"open", "loadtxt", "genfromtxt", "fromfile", "load", "imread", "ExcelFile", "HDFStore", "load_workbook", "urlopen"}
    | {"urlretrieve", "connect", "loadmat", "reader", "ZipFile"}
)
_PLAIN: Final = re.compile(r"[\w.\- ()]{1,120}")


@dataclass(frozen=True)
class FileRead:
    """One file that code reads."""

    written: str  # as the code has it; empty: it is computed
    name: str  # below `inputs/`; empty: no name can be told
    is_address: bool = False


@dataclass
class KnownPaths:
    """Variables of a notebook that hold paths or addresses, as far as they were read."""

    texts: dict[str, str] = field(default_factory=dict)  # variable -> path

    def take(self, code: str) -> None:
        """Note the texts that code stores."""
        tree = parse_code(code).tree
        for node in tree.body if tree is not None else ():
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                self.texts |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}


def files_read(code: str, known: Mapping[str, str]) -> list[FileRead]:
    """Return the files that code reads, each once, in order; those below `inputs/` already are left out.

    Args:
        code: What reads.
        known: Variable -> path or address, from the cells before.
    """
    tree = parse_code(code).tree
    if tree is None:
        return []
    read = [text for text in _read_by_call(tree, known) if not text.startswith("inputs/")]
    like = [text for text in _looking_like_files(tree) if text not in read and not text.startswith("inputs/")]
    made = dict.fromkeys([*(_file(text) for text in read), *(_file(text, is_read=False) for text in like)])
    return [each for each in made if each.written or not any(other.written for other in made)]


def below_inputs(code: str, files: list[FileRead]) -> str:
    """Return code that reads the files below `inputs/`: the texts that name them are replaced, nothing else."""
    tree = parse_code(code).tree
    names = {each.written: each.name for each in files if each.written and each.name}
    if tree is None or not names:
        return code
    lines = [line.encode() for line in code.split("\n")]
    places = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    ]
    for node in sorted(places, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if node.end_lineno != node.lineno or node.end_col_offset is None:
            continue
        line = lines[node.lineno - 1]
        text = repr(f"inputs/{names[str(node.value)]}")
        lines[node.lineno - 1] = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
    changed = "\n".join(line.decode() for line in lines)
    return changed if parse_code(changed).tree is not None else code


def _file(text: str, *, is_read: bool = True) -> FileRead:
    """Return a path or an address as a file; an address that no reader is given may be of anything but a file."""
    if _ADDRESS.match(text):
        name = unquote(PurePosixPath(urlsplit(text).path).name)
        is_file = bool(_PLAIN.fullmatch(name)) and (is_read or bool(_FILE.search(name)))
        return FileRead(text, name if is_file else "", is_address=True)
    name = PurePosixPath(text.replace("\\", "/")).name if text else ""
    return FileRead(text, name if _PLAIN.fullmatch(name) else "")


def _read_by_call(tree: ast.Module, known: Mapping[str, str]) -> Iterator[str]:
    own = dict(known)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            own |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if not (name.startswith("read_") or name in _READERS) or _is_written(call, name):
            continue
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg and "path" in k.arg), None)
        text = _text_of(given, own)
        if text is not None and "\n" not in text:
            yield text


def _text_of(given: ast.expr | None, own: Mapping[str, str]) -> str | None:
    """Return the path that an argument holds; empty: it is computed from texts; None: it is no path."""
    if isinstance(given, ast.Constant):
        return given.value if isinstance(given.value, str) else None
    if isinstance(given, ast.Name):
        return own.get(given.id)
    is_made = isinstance(given, ast.JoinedStr) or (
        isinstance(given, ast.BinOp) and isinstance(given.op, ast.Add | ast.Div)
    )
    return "" if is_made else None


def _is_written(call: ast.Call, name: str) -> bool:
    """Return whether `open` is called to write."""
    mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
    return name == "open" and isinstance(mode, ast.Constant) and str(mode.value)[:1] in "wax"


def _looking_like_files(tree: ast.Module) -> Iterator[str]:
    written = {
        id(argument)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr.startswith(("to_", "save"))
        for argument in call.args
    }
    written |= {
        id(part) for whole in ast.walk(tree) if isinstance(whole, ast.JoinedStr | ast.BinOp) for part in ast.walk(whole)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in written:
            text = node.value
            if "\n" not in text and (_FILE.search(text) or (_ADDRESS.match(text) and " " not in text)):
                yield text
