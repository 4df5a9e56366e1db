"""What a cell takes from the session before it and what it leaves there, as far as its syntax tree tells."""

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from evaluator.language import names_read_and_written, parse_code

RANDOM: Final = "(random numbers)"
FILES: Final = "(files)"
OPTIONS: Final = "(options of libraries)"
CHANNELS: Final = (RANDOM, FILES, OPTIONS)
"""State that has no variable: names that no variable can have stand for it."""

_SEEDED: Final = frozenset({"default_rng", "RandomState", "Random", "PCG64"})  # own generators when given a seed
_DRAWS: Final = frozenset({"sample", "shuffle", "train_test_split"})  # from the common generator, unless told otherwise
_OPTION_CALLS: Final = frozenset(
    {"set_option", "reset_option", "filterwarnings", "simplefilter", "set_printoptions", "seterr", "chdir", "setlocale"}
)
_OPTION_NAMES: Final = frozenset({"rcParams", "options", "environ"})
_WRITERS: Final = frozenset(
    {
        "savefig",
        "savetxt",
        "save",
        "savez",
        "dump",
        "write_text",
        "write_bytes",
        "mkdir",
        "makedirs",
        "unlink",
        "rename",
    }
)
_READERS: Final = frozenset(
    {"open", "glob", "rglob", "iterdir", "listdir", "exists", "is_file", "read_text", "read_bytes", "load", "loadtxt"}
)
_UNSEEN: Final = frozenset({"exec", "eval", "globals", "locals", "vars", "get_ipython", "setattr"})


class Effects(NamedTuple):
    """Names that a cell needs from before it, names that it binds or changes, and what its functions need later."""

    reads: frozenset[str]
    writes: frozenset[str]
    later: dict[str, frozenset[str]]  # function or class -> names that calling it reads then
    is_opaque: bool = False  # it may read and write anything: code that runs text, magics, code that does not parse


def effects_of(code: str) -> Effects:
    """Return the effects of a cell's code."""
    parsed = parse_code(code)
    if parsed.tree is None or parsed.has_magics:
        return Effects(frozenset(), frozenset(), {}, is_opaque=True)
    used = names_read_and_written(code)
    reads, writes, opaque = set(used.reads), set(used.writes), False
    for node in ast.walk(parsed.tree):
        for channel, is_written in _channels(node):
            (writes if is_written else reads).add(channel)
        opaque = opaque or (isinstance(node, ast.Name) and node.id in _UNSEEN)
    reads.add(OPTIONS)
    return Effects(frozenset(reads), frozenset(writes), _needed_later(parsed.tree), opaque)


def _needed_later(tree: ast.Module) -> dict[str, frozenset[str]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {
        node.name: names_read_and_written(ast.unparse(node)).reads for node in tree.body if isinstance(node, kinds)
    }
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            reads = names_read_and_written(ast.unparse(node.value)).reads
            found |= {target.id: reads for target in node.targets if isinstance(target, ast.Name)}
    return found


def _channels(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield state without a variable that a node touches, and whether it is written (in place: both are yielded)."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in _OPTION_NAMES:
            yield OPTIONS, True
    if not isinstance(node, ast.Call):
        return
    name = _called(node)
    if name in _OPTION_CALLS:
        yield OPTIONS, True
    if _draws(node, name):
        yield RANDOM, True
        if name != "seed":  # setting the generator makes what was drawn before of no account
            yield RANDOM, False
    if name in _WRITERS or name.startswith("to_") or (name == "open" and _opens_for_writing(node)):
        yield from ((FILES, True), (FILES, False)) if name not in _IN_MEMORY else ()
    if name in _READERS or name.startswith("read_"):
        yield FILES, False


_IN_MEMORY: Final = frozenset(
    {"to_datetime", "to_numeric", "to_timedelta", "to_frame", "to_list", "to_numpy", "to_dict", "to_series"}
    | {
        "to_period",
        "to_timestamp",
        "to_records",
        "to_string",
        "to_flat_index",
        "to_pydatetime",
        "to_offset",
        "to_array",
    }
)


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _draws(node: ast.Call, name: str) -> bool:
    if name in _SEEDED:
        return not (node.args or node.keywords)
    if any(keyword.arg in ("random_state", "rng", "seed") for keyword in node.keywords):
        return False
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    of_module = isinstance(owner, ast.Attribute) and owner.attr == "random"
    return name in _DRAWS or of_module or (isinstance(owner, ast.Name) and owner.id == "random")


def _opens_for_writing(node: ast.Call) -> bool:
    given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in given)
