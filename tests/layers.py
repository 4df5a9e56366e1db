"""The layers of the tree, lowest first: what each room may import, and the table of rooms that the docs show.

`python -m tests.layers` writes that table into docs/developers.md anew.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "developers.md"
BEGIN, END = "<!-- The table is written by `python -m tests.layers`. -->\n", "<!-- End of the table. -->\n"

LAYERS = (
    ("evaluator.errors",),
    ("evaluator.registry", "evaluator.diagnostics", "evaluator.plugins", "evaluator.installation"),
    ("evaluator.language",),
    ("evaluator.inside",),
    ("evaluator.session",),
    ("evaluator.environments",),
    ("evaluator.scoring",),
    ("evaluator.records",),
    ("evaluator.models",),
    ("evaluator.agents",),
    ("evaluator.running",),
    ("evaluator.families",),
    ("evaluator.reporting",),
    ("evaluator.experiments",),
    ("evaluator.api",),
    ("authoring.languages", "authoring.progress"),
    ("authoring.store",),
    ("authoring.seeds", "authoring.edits"),
    ("authoring.templates",),
    ("authoring.prompting",),
    ("authoring.checks",),
    ("authoring.drafting",),
    ("authoring.conversion",),
    ("authoring.revising",),
    ("authoring.release", "authoring.effort"),
    ("authoring.rounds",),
    ("authoring.generalising",),
    ("authoring.demo",),
    ("authoring.jobs",),
    ("authoring.worker",),
    ("authoring.cli", "authoring.ui"),
    ("app",),
)
"""Every room, a folder or a module, may import those of the lines before it, and its own."""
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}


def room_of(module: str) -> str | None:
    """Return the room that a module belongs to, or None for third-party modules and the bare packages."""
    parts = module.split(".")
    for length in (2, 1):
        candidate = ".".join(parts[:length])
        if candidate in RANK:
            return candidate
    return None


def table_of_rooms() -> str:
    """Return all rooms and the folders in them as a Markdown table, lowest layer first, each in its own words."""
    rows = [row for rooms in LAYERS for room in rooms for row in _rows(room)]
    return "\n".join(["| where | what is in it |", "|---|---|", *rows, ""])


def _rows(room: str) -> Iterator[str]:
    path = ROOT / room.replace(".", "/")
    if not path.is_dir():
        yield _row(path.with_suffix(".py"))
        return
    for package in sorted(path.rglob("__init__.py")):
        yield _row(package)


def _row(path: Path) -> str:
    words = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]
    shown = path.relative_to(ROOT)
    return f"| `{shown.parent}/` | {words} |" if path.name == "__init__.py" else f"| `{shown}` | {words} |"


def with_table(page: str) -> str:
    """Return the text of the page with the table of today."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + table_of_rooms() + "\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
