"""What attacks reach for in our code exists: an attack on a name that has moved would be no attack."""

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(path for room in ("cmp", "esc", "fig", "har", "leak") for path in (FOLDER / room).glob("*.py"))
LEAST_FILES, LEAST_NAMES = 250, 100
MODULE = re.compile(r"evaluator(?:\.[a-z_]+)+")
ADDED = {("HAR-22", "_inner"), ("HAR-27", "id"), ("HAR-53", "again")}  # names that attacks put into modules of ours


def named(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the modules of ours that an attack names, each with a name that it takes or changes there, if any."""
    for cell in re.split(r"^# %%.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        try:
            tree = ast.parse(cell)
        except SyntaxError:  # magics, and attacks on the parser
            continue
        aliases: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("evaluator"):
                for alias in node.names:
                    yield str(node.module), alias.name
                    aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
                yield node.value, ""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
                yield aliases[node.value.id], node.attr


def exists(module: str, name: str) -> bool:
    """Whether a module, or a class in one, has a name."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        try:
            if importlib.util.find_spec(".".join(parts[:length])) is None:
                continue
        except ModuleNotFoundError:
            continue
        found = importlib.import_module(".".join(parts[:length]))
        for part in [*parts[length:], *([name] if name else [])]:
            if not hasattr(found, part):
                try:
                    found = importlib.import_module(f"{found.__name__}.{part}")
                except (ImportError, AttributeError):
                    return False
            else:
                found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_attack_names_only_what_there_is(path: Path) -> None:
    assert [
        (module, name) for module, name in named(path) if (path.stem, name) not in ADDED and not exists(module, name)
    ] == []


def test_enough_is_looked_at() -> None:
    assert len(FILES) >= LEAST_FILES
    assert sum(1 for path in FILES for _ in named(path)) >= LEAST_NAMES
