"""Finds the files that a template's code reads although they are none of its seed: no other data take their place."""

import ast
from collections.abc import Iterator
from typing import Final

from authoring.generalising.template import PLACE, CellPlace, SetTemplate
from evaluator.language.python_source import parse_code

_FILLED: Final = "PLACE_FILLED"  # an identifier, and no name that a file would have
_OPENS: Final = frozenset({"open", "Path", "imread", "load", "loadtxt", "genfromtxt", "fromfile", "listdir", "glob"})
_READS: Final = "read_"
_MAX_SHOWN: Final = 80  # characters of a file's name


def outside_files(template: SetTemplate) -> tuple[str, ...]:
    """Return, in words, which cells read what is no table of the seed, each once."""
    found = {}
    for number, (cell, name) in enumerate(_named_cells(template)):
        for file in dict.fromkeys(_files(cell.code)):
            shown = file if len(file) <= _MAX_SHOWN else f"{file[:_MAX_SHOWN]}..."
            found[number, file] = (
                f"{name}: its code reads {shown!r}, which is no table of the seed {template.made_from.seed!r} and stays"
                " as it is on other data"
            )
    return tuple(found.values())


def _named_cells(template: SetTemplate) -> Iterator[tuple[CellPlace, str]]:
    number = 0
    for cell in template.cells:
        number += bool(cell.query)
        yield cell, str(cell.settings.get("id") or number) if cell.query else "a preparing cell"


def _files(code: str) -> Iterator[str]:
    tree = parse_code(PLACE.sub(_FILLED, code)).tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.removeprefix("./").startswith("inputs/") and node.value.removeprefix("./") != "inputs/":
                yield from _unless_filled(node.value)
        elif isinstance(node, ast.Call) and _opens(node) and isinstance(node.args[0], ast.Constant):
            yield from _unless_filled(node.args[0].value)


def _unless_filled(value: object) -> Iterator[str]:
    if isinstance(value, str) and value and _FILLED not in value and value.removeprefix("./") not in ("inputs", "."):
        yield value


def _opens(call: ast.Call) -> bool:
    """Return whether a call reads the file that its first argument names; one that opens it for writing does not."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not call.args or not (name in _OPENS or name.startswith(_READS)):
        return False
    modes = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "mode")]
    written = [each.value for each in modes if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return name != "open" or not any(set("wax") & set(mode) for mode in written)
