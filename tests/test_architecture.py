"""The tree is the architecture: who may import whom, which package has one importer, how large a module may be."""

import ast
import subprocess
from collections.abc import Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.layers import PAGE, RANK, ROOT, room_of, with_table

pytestmark = pytest.mark.slow

LEAST_TOP_IMPORTS, LEAST_ROOMS = 2_000, 50
SUFFIXES = ("", ".py")  # of a folder, of a module
LEAST_FILES, LEAST_IMPORTS, LEAST_INSIDE = 480, 3_400, 80
LEAST_BLOCKS = 60  # of imports for types only

# Third-party packages with a single home.
ONE_IMPORTER = {
    "openai": ("evaluator.models",),
    "anthropic": ("evaluator.models",),
    "google": ("evaluator.models",),
    "streamlit": ("authoring.ui", "app"),
    "jupyter_client": ("evaluator.session", "evaluator.inside"),  # both ends of a kernel
    "sqlite_utils": ("authoring.store",),
    "sqlite3": ("authoring.store",),
    "IPython": ("evaluator.inside",),
    "dask": ("evaluator.running",),
    "distributed": ("evaluator.running",),
}

# The second row comes with the first: IPython brings traitlets, pandas brings or uses the others.
INSIDE_MAY_IMPORT = {"IPython", "numpy", "pandas", "scipy", "sklearn", "matplotlib"} | {
    *("traitlets", "dateutil", "pyarrow", "pytz"),
}
INSIDE_A_KERNEL = {
    "ipykernel",
    "jupyter_client",
    "zmq",
}  # loaded where it is needed
IN_THE_GRADER = {"rouge_score", "skimage", "imageio"}  # it runs on our own interpreter alone
WORDS_FOR_A_DRAWER = {"utils", "common", "helpers", "types", "misc"}


def source_files() -> list[Path]:
    """Every Python file of the two packages and app.py."""
    found = [ROOT / "app.py"] if (ROOT / "app.py").exists() else []
    for package in ("evaluator", "authoring"):
        found += sorted((ROOT / package).rglob("*.py"))
    return found


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(path: Path) -> Sequence[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            found.append((node.lineno, node.module or ""))
    return found


def test_all_files_and_imports_are_looked_at() -> None:
    assert len(source_files()) >= LEAST_FILES
    assert sum(1 for path in source_files() for _ in imports_of(path)) >= LEAST_IMPORTS
    assert len(inside_files()) >= LEAST_INSIDE


def inside_files() -> list[Path]:
    """Every Python file of what runs inside sandboxes."""
    return sorted((ROOT / "evaluator" / "inside").rglob("*.py"))


def test_every_module_belongs_to_a_layer() -> None:
    strangers = [
        module_name(path)
        for path in source_files()
        if room_of(module_name(path)) is None and module_name(path) not in ("evaluator", "authoring")
    ]
    assert strangers == []


def test_every_room_that_is_named_here_exists() -> None:
    named = {*RANK, *(home for homes in ONE_IMPORTER.values() for home in homes)}
    missing = [
        room for room in named if not any((ROOT / room.replace(".", "/")).with_suffix(s).exists() for s in SUFFIXES)
    ]
    assert missing == []


def test_the_docs_show_the_tree_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "write it anew: python -m tests.layers"
    assert page.count("\n| `") >= LEAST_ROOMS


def test_imports_only_point_up_the_list_of_layers() -> None:
    wrong = []
    for path in source_files():
        room = room_of(module_name(path))
        if room is None:
            continue
        for line, imported in imports_of(path):
            other = room_of(imported)
            if other is not None and other != room and RANK[other] >= RANK[room]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {imported}")
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Whatever is imported first: only imports inside functions and those of type checkers are left out."""
    graph = {name: set(imported) for name, imported in tops_of_imports().items()}
    assert sum(map(len, graph.values())) >= LEAST_TOP_IMPORTS
    with pytest.raises(CycleError):
        TopologicalSorter({**graph, "app": {"authoring"}, "authoring": {"app"}}).prepare()
    TopologicalSorter(graph).prepare()


def tops_of_imports() -> dict[str, set[str]]:
    """Module -> those of ours that it imports as soon as it is imported."""
    known = {module_name(path): path for path in source_files()}
    found: dict[str, set[str]] = {}
    for name, path in known.items():
        statements = list(ast.parse(path.read_text(encoding="utf-8")).body)
        pairs = [
            (node.module or "", alias.name)
            for node in statements
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
        named = {f"{module}.{leaf}" if f"{module}.{leaf}" in known else module for module, leaf in pairs}
        named |= {alias.name for node in statements if isinstance(node, ast.Import) for alias in node.names}
        found[name] = (named & set(known)) - {name}
    return found


def test_only_the_session_layer_touches_what_runs_inside_sandboxes() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in source_files()
        for line, imported in imports_of(path)
        if imported.startswith("evaluator.inside")
        and room_of(module_name(path)) not in ("evaluator.inside", "evaluator.session")
    ]
    assert wrong == []


def test_what_runs_inside_imports_nothing_else_of_ours_and_few_libraries() -> None:
    import sys

    wrong = []
    for path in inside_files():
        for line, imported in imports_of(path):
            top = imported.split(".")[0]
            known = INSIDE_MAY_IMPORT | (INSIDE_A_KERNEL if path.name == "kernel_main.py" else set())
            known = known | (IN_THE_GRADER if path.parent.name == "grading" else set())
            allowed = top in sys.stdlib_module_names or top in known
            if not allowed and not imported.startswith("evaluator.inside"):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {imported}")
    assert wrong == []


@pytest.mark.parametrize("package", sorted(ONE_IMPORTER))
def test_each_of_these_packages_has_one_importer(package: str) -> None:
    homes = ONE_IMPORTER[package]
    importers = [
        (room_of(module_name(path)), f"{path.relative_to(ROOT)}:{line}")
        for path in source_files()
        for line, imported in imports_of(path)
        if imported.split(".")[0] == package
    ]
    assert {room for room, _ in importers} == set(homes), [where for room, where in importers if room not in homes]


def test_the_imports_of_a_module_stand_in_one_block() -> None:
    broken, blocks = [], 0
    for path in source_files():
        body = ast.parse(path.read_text("utf-8")).body
        guarded = [number for number, node in enumerate(body) if _is_for_types_only(node)]
        blocks += len(guarded)
        late = (
            [node for node in body[guarded[0] + 1 :] if isinstance(node, ast.Import | ast.ImportFrom)]
            if guarded
            else []
        )
        if len(guarded) > 1 or late:
            broken.append(module_name(path))
    assert not broken
    assert blocks >= LEAST_BLOCKS


def _is_for_types_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_no_module_is_a_drawer() -> None:
    assert [str(p) for p in source_files() if p.stem in WORDS_FOR_A_DRAWER] == []


def test_no_module_is_longer_than_the_ceiling() -> None:
    long = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in source_files()}
    assert {name: lines for name, lines in long.items() if lines > 500} == {}


def test_nothing_is_unpickled_and_yaml_is_read_safely() -> None:
    wrong = []
    for path in source_files():
        for line, imported in imports_of(path):
            if imported.split(".")[0] in {"pickle", "cloudpickle", "dill", "marshal", "shelve"}:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {imported}")
        text = path.read_text(encoding="utf-8")
        for call in ("yaml.load(", "yaml.full_load(", "yaml.unsafe_load(", "read_pickle(", "allow_pickle=True"):
            if call in text and "SafeLoader" not in text:
                wrong.append(f"{path.relative_to(ROOT)} calls {call}")
    assert wrong == []


def test_lock_file_names_no_download_address() -> None:
    assert "://" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")


def test_every_tracked_text_is_free_of_machine_paths() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    needles = ("/ro" + "ot/", "/ho" + "me/")
    wrong = []
    assert tracked.count("\0") >= LEAST_FILES
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        if path.suffix in {".png", ".parquet", ".xlsx", ".js"} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        wrong += [f"{name}: {needle}" for needle in needles if needle in text]
    assert wrong == []
