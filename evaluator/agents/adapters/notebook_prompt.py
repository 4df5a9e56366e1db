"""What agents that are made for people are told of a notebook, as text. Standard library only."""

from collections.abc import Sequence
from typing import Any

MAX_CELL_CHARS = 4_000  # of an earlier cell's outputs


def shortened(text: str, most: int) -> str:
    """Return a text without its middle where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def sendable(text: str) -> str:
    """Return a text without half characters and zeros, which no program's argument and no message can hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def shown_outputs(outputs: Sequence[dict[str, Any]]) -> str:
    """Return what outputs of a notebook show, as text; a picture by its kind."""
    parts: list[str] = []
    for output in outputs:
        data = output.get("data", {})
        pictures = [kind for kind in data if kind.startswith("image/")]
        text = output.get("text") or data.get("text/plain") or output.get("evalue") or ""
        parts.append(text if isinstance(text, str) else "")
        parts += [f"[a picture, {kind}]" for kind in pictures]
    return "\n".join(part.rstrip("\n") for part in parts if part)


def sections(request: dict[str, Any]) -> list[str]:
    """Return the parts of a prompt: the cells so far, the variables, the files, the request, and what came of its code.

    Args:
        request: As the protocol calls `solve` and `retry`.
    """
    cells = []
    for cell in request["history"]:
        query = "".join(f"# {line}\n" for line in (cell.get("query") or "").splitlines())
        shown = shortened(shown_outputs(cell["outputs"]), MAX_CELL_CHARS)
        cells.append(f"```python\n{query}{cell['source']}\n```" + (f"\nIt showed:\n```\n{shown}\n```" if shown else ""))
    variables = [f"{each['name']} ({each['type']}): {each['text']}" for each in request["variables"]]
    parts = [
        "## Cells so far\n" + ("\n".join(cells) or "(none)"),
        "## Variables\n" + ("\n".join(variables) or "(none)"),
    ]
    if request.get("files"):
        parts.append("## Files, seen from the session\n" + "\n".join(each["path"] for each in request["files"]))
    parts.append("## Request\n" + request["query"])
    feedback = request.get("feedback")
    if feedback is not None:
        told = {"Its error": feedback["error"], "It showed": feedback["output_text"], "Hint": feedback["hint"]}
        notes = [f"{name}:\n```\n{shortened(text, MAX_CELL_CHARS)}\n```" for name, text in told.items() if text]
        parts.append("## Your last attempt was not right\n" + "\n".join([f"```python\n{request['code']}\n```", *notes]))
    return parts
