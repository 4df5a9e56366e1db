"""Counts what makes a house hard to find one's way in: `python -m tests.structure [FOLDER]` prints a table.

Counted are the modules of the two packages and `app.py` in a checkout (the current folder unless another is named), so
that two states of the tree can be held beside each other.
"""

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGES = ("evaluator", "authoring")
CROWDED = 15  # modules of one folder that still fit on a screen


@dataclass(frozen=True)
class Structure:
    """The modules of one checkout."""

    root: Path

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """Syntax tree of each module, by dotted name."""
        files = [path for package in PACKAGES for path in sorted((self.root / package).rglob("*.py"))]
        return {
            self._name(path): ast.parse(path.read_text(encoding="utf-8")) for path in [*files, self.root / "app.py"]
        }

    def _name(self, path: Path) -> str:
        parts = path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def lines(self) -> int:
        """Lines of all modules (count)."""
        return sum(
            len(path.read_text(encoding="utf-8").splitlines())
            for package in PACKAGES
            for path in (self.root / package).rglob("*.py")
        )

    @property
    def functions(self) -> Sequence[int]:
        """Lines of each function and method, nested ones counted with the one around them, ascending."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        found = [node for tree in self.trees.values() for node in ast.walk(tree) if isinstance(node, kinds)]
        return sorted((node.end_lineno or node.lineno) - node.lineno + 1 for node in found)

    @property
    def folders(self) -> Mapping[str, int]:
        """Modules (count, without `__init__`) of each folder that has any."""
        found = Counter(
            str(path.parent.relative_to(self.root))
            for package in PACKAGES
            for path in (self.root / package).rglob("*.py")
            if path.name != "__init__.py"
        )
        return dict(found.most_common())

    @property
    def repeated_files(self) -> Mapping[str, int]:
        """File names that stand more than once in the tree, with their number."""
        names = Counter(name.rpartition(".")[2] for name in self.trees if not self._is_package(name))
        return {name: count for name, count in names.items() if count > 1}

    @property
    def repeated_classes(self) -> Mapping[str, int]:
        """Names of classes, private ones left out, that are defined more than once, with their number."""
        names = Counter(
            node.name
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
        return {name: count for name, count in names.items() if count > 1}

    @property
    def late_imports(self) -> int:
        """Imports of ours inside functions (count)."""
        return sum(
            1
            for tree in self.trees.values()
            for function in ast.walk(tree)
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            for node in ast.walk(function)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            and any(name.partition(".")[0] in PACKAGES for name in _imported(node))
        )

    @property
    def chain(self) -> Sequence[str]:
        """The longest way along imports at the top of modules, from the first importer to the last imported."""
        longest: dict[str, tuple[str, ...]] = {}

        def walk(name: str, under_way: tuple[str, ...]) -> tuple[str, ...]:
            if name not in longest:
                ways = [walk(other, (*under_way, name)) for other in self._uses(name) if other not in under_way]
                longest[name] = (name, *max(ways, key=len, default=()))
            return longest[name]

        return max((walk(name, ()) for name in self.trees), key=len)

    def _uses(self, name: str) -> Iterator[str]:
        for node in self.trees[name].body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from (other for other in _modules(node, self.trees) if other != name)

    def _is_package(self, name: str) -> bool:
        return (self.root / name.replace(".", "/") / "__init__.py").exists()


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def _modules(node: ast.Import | ast.ImportFrom, known: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield the modules of ours that an import names; `from package import module` names the module."""
    if isinstance(node, ast.ImportFrom):
        within = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from {name if name in known else str(node.module) for name in within} & known.keys()
    else:
        yield from (alias.name for alias in node.names if alias.name in known)


def main(arguments: Sequence[str]) -> int:
    """Print the numbers of a checkout."""
    found = Structure(Path(arguments[0] if arguments else ".").resolve())
    functions, chain = found.functions, found.chain
    crowded = {folder: count for folder, count in found.folders.items() if count > CROWDED}
    rows: dict[str, object] = {
        "modules": len(found.trees),
        "lines": found.lines,
        "functions": len(functions),
        "functions' lines, median": statistics.median(functions),
        "functions' lines, 90 %": functions[int(len(functions) * 0.9)],
        "file names that repeat": f"{len(found.repeated_files)} ({sum(found.repeated_files.values())} files)",
        "class names that repeat": f"{len(found.repeated_classes)} ({sum(found.repeated_classes.values())} classes)",
        "imports inside functions": found.late_imports,
        "longest chain of imports": f"{len(chain)} modules",
        f"folders with more than {CROWDED} modules": len(crowded),
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}}  {value}")
    print("\n" + "\n".join(f"{count:4}  {folder}" for folder, count in crowded.items()))
    print("\nrepeated classes: " + ", ".join(sorted(found.repeated_classes)))
    print("\nchain: " + " > ".join(chain))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
