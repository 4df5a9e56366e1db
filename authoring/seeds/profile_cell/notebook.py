"""Cell of its own: reduces `inputs/<notebook>` to its code and Markdown cells, in order, and prints them as JSON."""

import json
from pathlib import Path
from typing import Any

MAX_CHARACTERS = 300_000


def reduce_notebook(text: str) -> dict[str, Any]:
    """Return the cells of a notebook (format 3 or 4), outputs left out, or why it is no notebook."""
    try:
        book = json.loads(text)
        sheets = book.get("worksheets") or [book]
        raw = [cell for sheet in sheets for cell in sheet["cells"]]
        cells, room = [], MAX_CHARACTERS
        for cell in raw:
            if cell["cell_type"] not in {"code", "markdown"}:
                continue
            source = cell.get("source", cell.get("input", ""))
            joined = "".join(source) if isinstance(source, list) else str(source)
            cells.append({"type": str(cell["cell_type"]), "source": joined[:room]})
            room -= len(joined)
            if room <= 0:
                return {"cells": cells, "cut": True}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return {"refused": f"{type(error).__name__}: {str(error)[:150]}"}
    return {"cells": cells, "cut": False}


def show_notebook(file: str) -> None:
    """Print the reduced notebook as one line of ASCII JSON."""
    try:
        text = Path("inputs", file).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        print(json.dumps({"refused": "it is not UTF-8 text"}))
        return
    print(json.dumps(reduce_notebook(text), ensure_ascii=True))
