"""Rules of the tree that no linter reads; who may import whom stands in pyproject.toml, `tool.importlinter`."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("evaluator", "authoring")
    for path in sorted((ROOT / package).rglob("*.py"))
}
INSIDE_MAY_IMPORT = {"IPython", "numpy", "pandas", "scipy", "sklearn", "matplotlib"} | {
    *("traitlets", "dateutil", "pyarrow", "pytz"),  # what these bring along or use
}
INSIDE_A_KERNEL = {"ipykernel", "jupyter_client", "zmq"}
IMPORT = re.compile(r"^([ \t]*)(import [^\n]+|from [\w.]+ import (?:\([^)]*\)|[^\n(]+))", re.MULTILINE)
IN_THE_GRADER = {"rouge_score", "skimage", "imageio"}  # it runs on our own interpreter alone


def imports_of(path: Path, *, within: bool = False) -> Iterator[str]:
    """Yield what a file imports, names of modules out of packages with their package; `within`: in functions, too."""
    found = IMPORT.findall(path.read_text(encoding="utf-8"))  # to parse all of the code takes ten seconds
    for node in ast.parse("\n".join(line for indent, line in found if within or not indent)).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from {name if name in SOURCES else str(node.module) for name in named}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Whatever is imported first: imports inside functions and those of type checkers are left out."""
    graph = {name: {*imports_of(path)} & SOURCES.keys() - {name} for name, path in SOURCES.items()}
    assert sum(map(len, graph.values())) >= 2_000
    TopologicalSorter(graph).prepare()


def test_what_runs_inside_sandboxes_imports_few_libraries() -> None:
    wrong, seen = [], 0
    for name, path in SOURCES.items():
        if name.startswith("evaluator.inside"):
            allowed = sys.stdlib_module_names | INSIDE_MAY_IMPORT | {"evaluator"}
            allowed |= INSIDE_A_KERNEL if path.name == "kernel_main.py" else set()
            allowed |= IN_THE_GRADER if path.parent.name == "grading" else set()
            imported = imports_of(path, within=True)
            wrong += [f"{name}: {other}" for other in imported if other.partition(".")[0] not in allowed]
            seen += 1
    assert seen >= 60
    assert wrong == []


def test_no_module_is_a_drawer_or_longer_than_the_ceiling() -> None:
    assert [
        name for name in SOURCES if name.rpartition(".")[2] in {"utils", "common", "helpers", "types", "misc"}
    ] == []
    lengths = {name: len(path.read_bytes().splitlines()) for name, path in SOURCES.items()}
    assert len(lengths) >= 300
    assert {name: lines for name, lines in lengths.items() if lines > 800} == {}


def test_arrays_are_read_without_pickled_values() -> None:
    assert [name for name, path in SOURCES.items() if "allow_pickle=True" in path.read_text(encoding="utf-8")] == []


def test_lock_file_names_no_download_address() -> None:
    assert "://" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")


def test_every_tracked_text_is_free_of_machine_paths() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = [
        ROOT / name
        for name in tracked.split("\0")
        if name and Path(name).suffix not in (".png", ".parquet", ".xlsx", ".js")
    ]
    assert len(texts) >= 480
    needles = (b"/ro" + b"ot/", b"/ho" + b"me/")
    assert [path for path in texts if path.is_file() and any(each in path.read_bytes() for each in needles)] == []
